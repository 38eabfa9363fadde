use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Content;

/// One request, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// How others refer to it; needed only where it is in their `while`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was sent, in milliseconds since the session began. For readers; replaying does not wait.
    #[serde(default)]
    pub at: u64,
    /// Earlier exchanges that need not have ended when it is sent, each after so many events. All others have ended.
    #[serde(rename = "while", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meanwhile: BTreeMap<String, usize>,
    /// The method.
    pub method: String,
    /// The target: a path with its query.
    pub path: String,
    /// As they were sent, in their order and spelling, without `Host` and `Content-Length`: those are sent anew, unless
    /// they are written here.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body, where it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body, where it is other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body, where it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// How long the body was, where it was too long to be kept. Such a request cannot be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// How its answer is compared, whatever is asked for the session.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub matching: Option<Matching>,
    /// JSON pointers into messages of the answer; what they lead to is not compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// What came; nothing where the head of an answer did not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "End::is_complete")]
    pub end: End,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// When its head came, in milliseconds since the session began.
    #[serde(default)]
    pub at: u64,
    /// The status.
    pub status: u16,
    /// As they came, without `Date`, `Content-Length` and what concerns one connection only.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body, where it is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body, where it is other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The body, where it is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// How long the body was, where it was too long to be kept. Such a body is not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
    /// What came, where it is a stream of events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<Event>>,
    /// What the server minted in it and the client sends again, by the name that stands for it there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub captures: BTreeMap<String, Place>,
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When it came, in milliseconds since the session began.
    #[serde(default)]
    pub at: u64,
    /// Its kind, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Its id, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its data, where that is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Its data, where it is other text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Where in an answer a value is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The header that has it as its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The event that has it, the first being 0; without it, the body has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// The JSON pointer that leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

/// How an answer is compared with the recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    /// Status, headers that matter, and JSON are equal, but for what the server minted, dates and reference numbers.
    Exact,
    /// Members and types are the same, and error codes, `isError` and `resultType` are equal; other values may differ.
    Shape,
    /// The status is of the same class, and the answer is one of the protocol.
    Spec,
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// With the end of the answer.
    #[default]
    Complete,
    /// The client left, after the events that are there.
    Client,
    /// The server closed the connection before the end, or never took it.
    Server,
    /// It had not ended when the recording did.
    Open,
}

impl End {
    fn is_complete(&self) -> bool {
        *self == Self::Complete
    }
}

impl Exchange {
    /// A request without headers and body, whose answer did not come.
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            name: None,
            at: 0,
            meanwhile: BTreeMap::new(),
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
            text: None,
            base64: None,
            omitted: None,
            matching: None,
            ignore: Vec::new(),
            response: None,
            end: End::Complete,
        }
    }

    /// What it asks for, for a reader: the method, and what of.
    pub fn title(&self) -> String {
        use crate::json::At as _;
        let Some(body) = &self.body else { return format!("{} {}", self.method, self.path) };
        let what = match (body.at("method").as_str(), body.get("id")) {
            (Some(method), _) => method,
            (None, Some(_)) => "answer to a question",
            (None, None) => return format!("{} {}", self.method, self.path),
        };
        let params = body.at("params");
        let of = ["name", "uri"].iter().find_map(|member| params.at(member).as_str());
        let of = of.map(|of| format!(" {of}")).unwrap_or_default();
        format!("{} {what}{of}", self.method)
    }

    /// The body, with placeholders as they stand.
    pub fn content(&self) -> Content {
        Content::read(self.body.as_ref(), self.text.as_deref(), self.base64.as_deref(), self.omitted)
    }
}

impl Event {
    /// An event, and when it came.
    pub fn timed(event: crate::event::Event, at: u64) -> Self {
        let (data, text) = match Content::of(event.data.as_bytes()) {
            Content::Json(data) => (Some(data), None),
            Content::Empty | Content::Text(_) | Content::Bytes(_) | Content::Omitted(_) => {
                (None, Some(event.data))
            }
        };
        Self { at, event: event.event, id: event.id, data, text }
    }
}

impl Response {
    /// An answer without headers and body.
    pub fn new(status: u16) -> Self {
        Self {
            at: 0,
            status,
            headers: Vec::new(),
            body: None,
            text: None,
            base64: None,
            omitted: None,
            events: None,
            captures: BTreeMap::new(),
        }
    }

    /// The body of an answer that is no stream.
    pub fn content(&self) -> Content {
        Content::read(self.body.as_ref(), self.text.as_deref(), self.base64.as_deref(), self.omitted)
    }

    /// The value at a place of this answer.
    pub fn at(&self, place: &Place) -> Option<Value> {
        if let Some(header) = &place.header {
            let found = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header));
            return found.map(|(_, value)| Value::String(value.clone()));
        }
        let json = match place.event {
            Some(number) => self.events.as_ref()?.get(number)?.data.as_ref()?,
            None => self.body.as_ref()?,
        };
        json.pointer(place.pointer.as_deref().unwrap_or_default()).cloned()
    }
}
