//! A row of a table: one request, and what it takes to send it.

use serde_json::Value;

use crate::host::Needs;
use crate::wire::Request;

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) request: Request,
    /// What core answers: a row that was meant to be refused is refused.
    pub(crate) status: u16,
    /// How many bytes are written at once, on a connection where that can be chosen.
    pub(crate) pieces: Option<usize>,
    /// Whether it is sent as HTTP/1.0, which knows of requests without a `Host`.
    pub(crate) old: bool,
    pub(crate) needs: Needs,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, status: u16, request: Request) -> Self {
        Self { name: name.into(), request, status, pieces: None, old: false, needs: Needs::Nothing }
    }

    /// Writes the request in pieces of so many bytes.
    pub(crate) fn in_pieces(self, bytes: usize) -> Self {
        Self { pieces: Some(bytes), ..self }
    }

    pub(crate) fn in_http_1_0(self) -> Self {
        Self { old: true, ..self }
    }

    pub(crate) fn needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }
}

pub(crate) const OLDEST: &str = "2025-06-18";
pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) use crate::wire::MODERN;

pub(crate) const REVISIONS: [&str; 3] = [OLDEST, LEGACY, MODERN];

/// A request as clients of the revision send it, with the id 1.
pub(crate) fn request(revision: &str, method: &str, params: Value) -> Request {
    if revision != MODERN {
        return Request::legacy(1, method, &params).with("MCP-Protocol-Version", revision);
    }
    let name = match method {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" => params["uri"].as_str(),
        _ => None,
    };
    let name = name.map(str::to_owned);
    let request = Request::modern(1, method, params);
    match name {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    }
}

pub(crate) fn call(revision: &str, tool: &str, arguments: Value) -> Request {
    request(revision, "tools/call", serde_json::json!({ "name": tool, "arguments": arguments }))
}

/// The request with another body.
pub(crate) fn edit(mut request: Request, change: impl FnOnce(&mut Value)) -> Request {
    let mut message = serde_json::from_slice(&request.body).unwrap();
    change(&mut message);
    request.body = message.to_string().into_bytes();
    request
}

/// The request with other members in its `_meta`.
pub(crate) fn meta(request: Request, members: Value) -> Request {
    edit(request, |message| {
        for (name, value) in members.as_object().unwrap() {
            message["params"]["_meta"][name] = value.clone();
        }
    })
}
