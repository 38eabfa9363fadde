use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use crate::origin::Origin;

/// The origins whose pages may read answers.
#[derive(Debug, Default)]
pub(super) struct Cors {
    origins: Vec<Origin>,
}

/// Request headers that any client of this protocol may send.
const ALLOWED_HEADERS: &str = "authorization, content-type, last-event-id, mcp-method, mcp-name, \
     mcp-protocol-version, mcp-session-id";
const EXPOSED_HEADERS: &str = "mcp-session-id, www-authenticate, retry-after";

impl Cors {
    pub(super) fn new(origins: Vec<Origin>) -> Self {
        Self { origins }
    }

    /// The origin to allow, when the request has one that may read the answer.
    pub(super) fn origin_of(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        let value = headers.get(ORIGIN)?;
        let origin = Origin::parse(value.to_str().ok()?.trim_ascii()).ok()?;
        self.origins.contains(&origin).then(|| value.clone())
    }
}

/// The answer to a preflight. The names of `Mcp-Param-*` headers are the tools' own, so what was asked for is named.
pub(super) fn preflight(headers: &HeaderMap) -> Response<Bytes> {
    let mut allowed = ALLOWED_HEADERS.to_owned();
    let asked =
        headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
    for name in asked.flat_map(|names| names.split(',')).map(str::trim_ascii) {
        let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if is_token && name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("mcp-")) {
            allowed.push_str(", ");
            allowed.push_str(name);
        }
    }
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    if let Ok(allowed) = HeaderValue::try_from(allowed) {
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    response
}

/// Lets pages of the origin read the response, errors included.
pub(super) fn allow<B>(mut response: Response<B>, origin: Option<HeaderValue>) -> Response<B> {
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
    response
}
