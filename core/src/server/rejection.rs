use std::borrow::Cow;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};

use crate::jsonrpc::{ErrorCode, ErrorObject, Id, write_error};
use crate::revision::{Era, Rules};

/// A request that is refused before any method saw it: its status and its error, chosen together.
#[derive(Debug)]
pub(super) struct Rejection {
    status: StatusCode,
    id: Option<Id>,
    /// Boxed, so that the requests which are not refused move no room for one.
    error: Box<ErrorObject>,
}

impl Rejection {
    /// A refusal that HTTP has a status for. The body is there for people.
    pub(super) fn http(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, id: None, error: Box::new(ErrorObject::new(ErrorCode::InvalidRequest, message)) }
    }

    /// 400 with a JSON-RPC error, in any era.
    pub(super) fn bad_request(id: Option<Id>, error: ErrorObject) -> Self {
        Self { status: StatusCode::BAD_REQUEST, id, error: Box::new(error) }
    }

    /// What a client opens a new session upon.
    pub(super) fn no_session(id: Option<Id>) -> Self {
        let text = "there is no such session, or no more: open one with initialize";
        Self { id, ..Self::http(StatusCode::NOT_FOUND, text) }
    }

    /// A client that takes no event stream wants what is nothing else.
    pub(super) fn no_stream(id: Option<Id>) -> Self {
        let text = "this is answered with an event stream: Accept must allow text/event-stream";
        Self { id, ..Self::http(StatusCode::NOT_ACCEPTABLE, text) }
    }

    pub(super) fn closed() -> Self {
        Self::http(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down")
    }

    pub(super) fn into_response(self) -> Response<Bytes> {
        tracing::Span::current()
            .record("outcome", i32::from(self.error.code))
            .record("status", self.status.as_u16());
        let mut body = Vec::with_capacity(256);
        write_error(&mut body, self.id.as_ref(), &self.error);
        let mut response = json_response(self.status, body);
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

pub(super) fn json_response(status: StatusCode, body: Vec<u8>) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The status of an error that a method answers with. Legacy clients take anything but 200 for a broken transport.
pub(super) fn status_of(code: ErrorCode, rules: &Rules) -> StatusCode {
    match (rules.era, code) {
        (Era::Modern, ErrorCode::MethodNotFound) => StatusCode::NOT_FOUND,
        (
            Era::Modern,
            ErrorCode::HeaderMismatch
            | ErrorCode::MissingRequiredClientCapability
            | ErrorCode::UnsupportedProtocolVersion,
        ) => StatusCode::BAD_REQUEST,
        (_, _) => StatusCode::OK,
    }
}
