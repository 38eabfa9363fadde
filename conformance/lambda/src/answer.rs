//! What a function answers: one JSON text, or a stream that begins with one.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc;

/// The end of what precedes a streamed body.
const END: [u8; 8] = [0; 8];

/// A piece of a streamed body, or that it broke off.
pub(crate) type Piece = io::Result<Bytes>;

/// What became of an invocation.
#[derive(Debug)]
pub(crate) enum Answer {
    Whole(StatusCode, HeaderMap, Bytes),
    Stream(StatusCode, HeaderMap, mpsc::Receiver<Piece>),
    /// The function says that it failed, or its answer cannot be read.
    Failed(String),
}

impl Answer {
    /// A buffered answer.
    pub(crate) fn whole(bytes: &[u8]) -> Self {
        let Ok(answer) = serde_json::from_slice::<Value>(bytes) else {
            return Self::Failed(format!("no JSON: {}", String::from_utf8_lossy(bytes)));
        };
        let member = |name: &str| answer.get(name).unwrap_or(&Value::Null);
        let body = member("body").as_str().unwrap_or_default();
        let body = match member("isBase64Encoded").as_bool() {
            Some(true) => match STANDARD.decode(body) {
                Ok(body) => Bytes::from(body),
                Err(error) => return Self::Failed(format!("no Base64: {error}")),
            },
            _ => Bytes::copy_from_slice(body.as_bytes()),
        };
        match head(&answer) {
            Some((status, headers)) => Self::Whole(status, headers, body),
            None => Self::Failed(format!("no statusCode in {answer}")),
        }
    }
}

/// What precedes a streamed body, taken off as it comes.
#[derive(Debug, Default)]
pub(crate) struct Prelude(Vec<u8>);

impl Prelude {
    /// The head and the beginning of the body, once all of the prelude came.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Option<Result<(StatusCode, HeaderMap, Bytes), String>> {
        self.0.extend_from_slice(bytes);
        let at = self.0.windows(END.len()).position(|window| window == END)?;
        let (json, rest) = self.0.split_at_checked(at)?;
        let rest = rest.get(END.len()..).unwrap_or_default();
        let parsed = serde_json::from_slice(json).ok().as_ref().and_then(head);
        let prelude = String::from_utf8_lossy(json);
        Some(match parsed {
            Some((status, headers)) => Ok((status, headers, Bytes::copy_from_slice(rest))),
            None => Err(format!("no prelude: {prelude}")),
        })
    }
}

fn head(answer: &Value) -> Option<(StatusCode, HeaderMap)> {
    let status = answer.get("statusCode")?.as_u64()?;
    let status = StatusCode::from_u16(u16::try_from(status).ok()?).ok()?;
    let mut headers = HeaderMap::new();
    let mut append = |name: &str, value: &Value| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        headers.append(name, HeaderValue::from_bytes(value.as_str()?.as_bytes()).ok()?);
        Some(())
    };
    let members = |name: &str| answer.get(name).and_then(Value::as_object).into_iter().flatten();
    let several: Vec<&String> = members("multiValueHeaders").map(|(name, _)| name).collect();
    for (name, value) in members("headers").filter(|(name, _)| !several.contains(name)) {
        append(name, value)?;
    }
    for (name, values) in members("multiValueHeaders") {
        for value in values.as_array().into_iter().flatten() {
            append(name, value)?;
        }
    }
    for value in answer.get("cookies").and_then(Value::as_array).into_iter().flatten() {
        append("set-cookie", value)?;
    }
    Some((status, headers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prelude_ends_with_eight_zeros_wherever_it_is_cut() {
        let stream = [&br#"{"statusCode":202,"headers":{"a":"b"}}"#[..], &END, b"body"].concat();
        for size in 1..stream.len() {
            let mut prelude = Prelude::default();
            let mut pieces = stream.chunks(size);
            let (status, headers, mut body) = pieces
                .find_map(|piece| prelude.push(piece))
                .unwrap()
                .map(|(a, b, c)| (a, b, c.to_vec()))
                .unwrap();
            pieces.for_each(|piece| body.extend_from_slice(piece));
            assert_eq!(
                (status.as_u16(), &headers["a"], &*body),
                (202, &HeaderValue::from_static("b"), &b"body"[..])
            );
        }
        assert!(matches!(Prelude::default().push(&[&b"{}"[..], &END].concat()), Some(Err(_))));
    }
}
