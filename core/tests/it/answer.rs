//! Answers, and what holds for every one of them.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, Response};
use mcp_http::Revision;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::published;
use crate::request::{MODERN, Request};

/// The answer to a request. Making one checks its form, and its message against the published schema.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    message: Option<Message>,
}

#[derive(Debug)]
struct Message {
    /// The JSON text of the id.
    id: Option<String>,
    json: Value,
}

impl Answer {
    #[track_caller]
    pub(crate) fn new(request: &Request, response: Response<Bytes>) -> Self {
        let (head, body) = response.into_parts();
        let mut answer = Self { status: head.status.as_u16(), headers: head.headers, body, message: None };
        let json = match answer.header("content-type") {
            None => {
                assert!(answer.body.is_empty(), "a body of no type: {answer:?}");
                assert!(matches!(answer.status, 202 | 204), "an answer without a body: {answer:?}");
                return answer;
            }
            Some("application/json") => answer.body.to_vec(),
            Some("text/event-stream") => {
                assert_eq!(answer.status, 200);
                assert_eq!(answer.header("cache-control"), Some("no-cache, no-transform"));
                assert_eq!(answer.header("x-accel-buffering"), Some("no"));
                only_event(&answer.body)
            }
            Some(other) => panic!("Content-Type: {other}"),
        };
        assert!(!matches!(answer.status, 202 | 204), "a body where none belongs: {answer:?}");
        assert_eq!(answer.header("allow"), (answer.status == 405).then_some("POST"), "{answer:?}");
        let message = Message::read(&json);
        // Whether a stream is taken matters only once it is known that nothing else would do.
        let needs_stream = request.method.as_deref() == Some("\"subscriptions/listen\"");
        message.check_form(answer.status, request.revision, needs_stream);
        published::check(request.revision, request.method.as_deref(), &message.json);
        answer.message = Some(message);
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?;
        assert!(values.next().is_none(), "{name} is repeated");
        Some(value.to_str().unwrap())
    }

    /// The message.
    #[track_caller]
    pub(crate) fn json(&self) -> &Value {
        match &self.message {
            Some(message) => &message.json,
            None => panic!("no message: {self:?}"),
        }
    }

    /// The JSON text of the id, if there is a message and an id in it.
    pub(crate) fn id(&self) -> Option<&str> {
        self.message.as_ref()?.id.as_deref()
    }

    /// The code of the error, if it is one.
    pub(crate) fn code(&self) -> Option<i64> {
        self.message.as_ref()?.json.pointer("/error/code")?.as_i64()
    }

    /// The text of the error.
    #[track_caller]
    pub(crate) fn error_text(&self) -> &str {
        self.json().pointer("/error/message").and_then(Value::as_str).unwrap_or_else(|| panic!("{self}"))
    }

    #[track_caller]
    pub(crate) fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{self}");
        self.json().get("result").unwrap_or_else(|| panic!("not a result: {self}"))
    }

    /// The result of a tool that worked.
    #[track_caller]
    pub(crate) fn tool_result(&self) -> &Value {
        let result = self.result();
        assert_eq!(result.get("isError"), None, "{self}");
        result
    }

    /// The text of a tool's failure.
    #[track_caller]
    pub(crate) fn tool_error(&self) -> &str {
        let result = self.result();
        assert_eq!(result["isError"], true, "{self}");
        result["content"][0]["text"].as_str().unwrap()
    }

    #[track_caller]
    pub(crate) fn is_error(&self, status: u16, code: i64) {
        assert_eq!((self.status, self.code()), (status, Some(code)), "{self}");
    }

    /// The 404 of a session that is not, or no more.
    #[track_caller]
    pub(crate) fn is_gone(&self) {
        self.is_error(404, -32600);
        assert!(self.error_text().contains("initialize"), "{self}");
    }

    /// An empty 202.
    #[track_caller]
    pub(crate) fn is_accepted(&self) {
        assert_eq!(self.status, 202, "{self}");
        assert!(self.body.is_empty() && self.headers.is_empty(), "{self:?}");
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, String::from_utf8_lossy(&self.body))
    }
}

/// The data of a stream's only event, read as a browser does: lines end in LF, CR, or both.
#[track_caller]
fn only_event(body: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(body).unwrap().replace("\r\n", "\n").replace('\r', "\n");
    let event = text.strip_suffix("\n\n").expect("a blank line ends the event");
    let mut data = Vec::new();
    for line in event.split('\n') {
        assert!(!line.is_empty(), "a second event: {text}");
        match line.strip_prefix("data: ") {
            Some(line) => data.push(line),
            None => assert_eq!(line, "event: message", "{text}"),
        }
    }
    data.join("\n").into_bytes()
}

impl Message {
    #[track_caller]
    fn read(json: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Envelope<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
        }
        let shown = String::from_utf8_lossy(json);
        let Strict(value) = serde_json::from_slice(json).unwrap_or_else(|error| panic!("{error}: {shown}"));
        let envelope: Envelope<'_> = serde_json::from_slice(json).unwrap();
        Self { id: envelope.id.map(|id| id.get().to_owned()), json: value }
    }

    /// What holds for every message, whatever it answers.
    #[track_caller]
    fn check_form(&self, status: u16, revision: Option<Revision>, needs_stream: bool) {
        let members = self.json.as_object().unwrap();
        let shown = &self.json;
        assert_eq!(members.get("jsonrpc"), Some(&Value::from("2.0")), "{shown}");
        let known = |key: &String| ["jsonrpc", "id", "result", "error"].contains(&key.as_str());
        assert!(members.keys().all(known), "{shown}");
        assert_ne!(members.contains_key("result"), members.contains_key("error"), "{shown}");
        assert_ne!(members.get("id"), Some(&Value::Null), "{shown}");
        if members.contains_key("result") {
            assert_eq!(status, 200, "{shown}");
            assert!(self.id.is_some(), "{shown}");
            return;
        }
        let code = self.json.pointer("/error/code").and_then(Value::as_i64).expect("a code");
        let text = self.json.pointer("/error/message").and_then(Value::as_str).expect("a message");
        assert!(!text.is_empty() && text.len() < 2000, "{shown}");
        assert_ne!(self.json.pointer("/error/data"), Some(&Value::Null), "{shown}");
        let refused_by_http = matches!(status, 401 | 403 | 405 | 406 | 413 | 415 | 503);
        let no_session = status == 404 && code == -32600;
        if refused_by_http {
            assert_eq!(code, -32600, "{shown}");
            assert!(self.id.is_none() || (status == 406 && needs_stream), "{shown}");
        }
        let fits = match (revision, code) {
            (_, -32700) => status == 400 && self.id.is_none(),
            (_, -32600) => refused_by_http || no_session || status == 400,
            (Some(MODERN) | None, -32022..=-32020) => status == 400,
            (Some(MODERN), -32601) => status == 404,
            (Some(MODERN), -32602) => matches!(status, 200 | 400),
            (None, -32601) => matches!(status, 200 | 404),
            (None, -32602) => matches!(status, 200 | 400),
            (Some(_), -32002) => status == 200 && revision != Some(MODERN),
            (None, -32002) => status == 200,
            (_, -32603..=-32601) => status == 200,
            _ => false,
        };
        assert!(fits, "status {status} for {revision:?}: {shown}");
    }
}

/// Any JSON value in which no object has a member twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrictVisitor;
        impl<'de> Visitor<'de> for StrictVisitor {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value without repeated members")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Value, S::Error> {
                let mut items = Vec::new();
                while let Some(Strict(item)) = seq.next_element()? {
                    items.push(item);
                }
                Ok(items.into())
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Value, M::Error> {
                let mut members = Map::new();
                while let Some(key) = map.next_key::<String>()? {
                    // How serde_json hands out numbers when its `arbitrary_precision` is on.
                    if key == "$serde_json::private::Number" {
                        let text: String = map.next_value()?;
                        return serde_json::from_str(&text).map_err(serde::de::Error::custom);
                    }
                    let Strict(value) = map.next_value()?;
                    if members.insert(key.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("the member {key:?} occurs twice")));
                    }
                }
                Ok(members.into())
            }
        }
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}
