//! What a server tells of itself in one revision, before the rules are checked.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

use crate::answer::{Answer, shown};
use crate::exchange::Exchange;
use crate::json::At as _;
use crate::target::Target;
use crate::wire::{Request, Response};
use crate::{Revision, wire::WireError};

/// Pages of one list that are read.
const MOST_PAGES: usize = 50;

/// A server that answered the opening of a client.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The revision that was asked for and granted.
    pub revision: Revision,
    /// The result of `initialize` or `server/discover`.
    pub opening: Value,
    /// The session, where the server keeps or issues one.
    pub session: Option<String>,
    /// What the server declares.
    pub capabilities: Map<String, Value>,
    /// What it lists, as it was listed; empty where it lists nothing.
    pub tools: Vec<Value>,
    /// Its prompts.
    pub prompts: Vec<Value>,
    /// Its resources.
    pub resources: Vec<Value>,
    /// Its templates of resources.
    pub templates: Vec<Value>,
    /// What was said for all that.
    pub exchanges: Vec<Exchange>,
}

/// Why a server cannot be checked in a revision.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotOpened {
    /// It speaks the revision not.
    #[error("the server does not speak {0}")]
    NotSpoken(Revision),
    /// It speaks, but what it says cannot be read.
    #[error("{method}: {reason}")]
    Wrong {
        /// What was asked.
        method: &'static str,
        /// What is wrong with the answer.
        reason: String,
    },
    /// There is no answer.
    #[error(transparent)]
    Wire(#[from] WireError),
}

impl Opened {
    /// Opens as a client of the revision does.
    ///
    /// # Errors
    /// When the server does not speak it, or says what cannot be read.
    pub fn open(target: &Target, revision: Revision) -> Result<Self, NotOpened> {
        let mut opened = Self {
            revision,
            opening: Value::Null,
            session: None,
            capabilities: Map::new(),
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            exchanges: Vec::new(),
        };
        if revision.is_legacy() {
            opened.initialize(target)?
        } else {
            opened.discover(target)?
        }
        opened.capabilities = opened.opening.at("capabilities").as_object().cloned().unwrap_or_default();
        let declares = |name: &str| opened.capabilities.contains_key(name);
        let (tools, prompts, resources) = (declares("tools"), declares("prompts"), declares("resources"));
        if tools {
            opened.tools = opened.list(target, "tools/list", "tools");
        }
        if prompts {
            opened.prompts = opened.list(target, "prompts/list", "prompts");
        }
        if resources {
            opened.resources = opened.list(target, "resources/list", "resources");
            opened.templates = opened.list(target, "resources/templates/list", "resourceTemplates");
        }
        Ok(opened)
    }

    /// Opens once more, as another client: what is listed is taken over.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn again(&self, target: &Target) -> Result<Self, NotOpened> {
        let mut other = Self { session: None, ..self.clone() };
        if self.revision.is_legacy() {
            other.initialize(target)?;
        }
        Ok(other)
    }

    /// What a client of an older revision opens with.
    pub fn initialization(&self, target: &Target) -> Request {
        let params = json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": { "elicitation": {}, "sampling": {}, "roots": {} },
            "clientInfo": { "name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION") },
        });
        let request = self.request(target, fresh_id(), "initialize", params);
        request.without("MCP-Protocol-Version").without("Mcp-Session-Id")
    }

    fn initialize(&mut self, target: &Target) -> Result<(), NotOpened> {
        let wrong = |reason: String| NotOpened::Wrong { method: "initialize", reason };
        let request = self.initialization(target);
        let response = self.send(target, &request)?;
        let result = read(response.clone()).map_err(wrong)?;
        let Some(result) = result else { return Err(NotOpened::NotSpoken(self.revision)) };
        match result.at("protocolVersion").as_str() {
            Some(version) if version == self.revision.as_str() => {}
            Some(_) => return Err(NotOpened::NotSpoken(self.revision)),
            None => return Err(wrong(format!("no protocolVersion in {}", shown(&result.to_string())))),
        }
        self.session = response.headers.text("mcp-session-id").map(str::to_owned);
        self.opening = result;
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(target, &self.post(target, &initialized))?;
        Ok(())
    }

    fn discover(&mut self, target: &Target) -> Result<(), NotOpened> {
        let wrong = |reason: String| NotOpened::Wrong { method: "server/discover", reason };
        let request = self.request(target, fresh_id(), "server/discover", json!({}));
        let result = read(self.send(target, &request)?).map_err(wrong)?;
        let Some(result) = result else { return Err(NotOpened::NotSpoken(self.revision)) };
        let versions = result.at("supportedVersions").items();
        if !versions.iter().any(|version| version == self.revision.as_str()) {
            return Err(NotOpened::NotSpoken(self.revision));
        }
        self.opening = result;
        Ok(())
    }

    fn send(&mut self, target: &Target, request: &Request) -> Result<Response, WireError> {
        let answer = target.endpoint.send(request);
        let kept = answer.as_ref().map(Clone::clone).map_err(ToString::to_string);
        let at = std::time::Duration::ZERO;
        self.exchanges.push(Exchange { revision: self.revision, request: request.clone(), answer: kept, at });
        answer
    }

    /// A list, page by page. What cannot be read is left to the rules about lists.
    fn list(&mut self, target: &Target, method: &str, member: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let mut params = json!({});
        for _ in 0..MOST_PAGES {
            let request = self.request(target, fresh_id(), method, params.clone());
            let Ok(Ok(Some(page))) = self.send(target, &request).map(read) else { break };
            all.extend_from_slice(page.at(member).items());
            let Some(cursor) = page.at("nextCursor").as_str() else { break };
            params = json!({ "cursor": cursor });
        }
        all
    }

    /// The server's name and version, as it tells them.
    pub fn name(&self) -> Option<String> {
        let info = match self.opening.get("serverInfo") {
            Some(info) => info,
            None => self.opening.at("_meta").at("io.modelcontextprotocol/serverInfo"),
        };
        let name = info.at("name").as_str()?;
        Some(
            info.at("version")
                .as_str()
                .map_or_else(|| name.to_owned(), |version| format!("{name} {version}")),
        )
    }

    /// A request as a client of the revision sends it, with all that it must have.
    pub fn request(&self, target: &Target, id: Value, method: &str, mut params: Value) -> Request {
        if !self.revision.is_legacy()
            && let Some(params) = params.as_object_mut()
            && let Some(meta) = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut()
        {
            let info = json!({ "name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION") });
            for (name, value) in [
                ("io.modelcontextprotocol/protocolVersion", json!(self.revision.as_str())),
                ("io.modelcontextprotocol/clientInfo", info),
                ("io.modelcontextprotocol/clientCapabilities", json!({})),
            ] {
                meta.entry(name).or_insert(value);
            }
        }
        let name = match method {
            "tools/call" | "prompts/get" => params.at("name").as_str(),
            "resources/read" => params.at("uri").as_str(),
            "tasks/get" | "tasks/update" | "tasks/cancel" => params.at("taskId").as_str(),
            _ => None,
        };
        let name = name.map(mirrored);
        let request =
            self.post(target, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        if self.revision.is_legacy() {
            return request;
        }
        let request = request.header("Mcp-Method", method);
        match name {
            Some(name) => request.header("Mcp-Name", name),
            None => request,
        }
    }

    /// Any message, with the headers that each has.
    pub fn post(&self, target: &Target, message: &Value) -> Request {
        let mut request = Request::new("POST", target.endpoint.target())
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", self.revision.as_str())
            .body(message.to_string());
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", &**session);
        }
        for (name, value) in target.headers.iter() {
            request = request.header(name, value);
        }
        request
    }
}

/// An id that no other request has: rules share a session, in which none may be used twice.
pub(crate) fn fresh_id() -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    json!(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A value as it is mirrored in a header.
pub fn mirrored(value: &str) -> String {
    use base64::Engine as _;
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~')) && value.trim() == value;
    let marked = value.starts_with("=?base64?") && value.ends_with("?=");
    if plain && !marked {
        return value.to_owned();
    }
    format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(value))
}

/// The result in an answer; none when it is an error, or HTTP says no.
fn read(response: Response) -> Result<Option<Value>, String> {
    let status = response.status;
    let answer = Answer::new(response, None);
    if status != 200 {
        return if (400..500).contains(&status) { Ok(None) } else { Err(format!("the status is {status}")) };
    }
    let mut response = answer.response().map_err(|outcome| outcome.reason().to_owned())?;
    Ok(response.get_mut("result").map(Value::take))
}
