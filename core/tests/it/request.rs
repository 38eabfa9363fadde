//! Requests as clients send them, to be bent in every way that a client, a proxy or an attacker may think of.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use mcp_http::{BoxFuture, Connection, McpService, Principal, Revision, Runtime, Server, Step};
use serde_json::{Value, json};

use crate::answer::Answer;

pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

pub(crate) const LEGACY: [Revision; 2] = [Revision::V2025_06_18, Revision::V2025_11_25];
pub(crate) const MODERN: Revision = Revision::V2026_07_28;

/// A request, valid until a test bends it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The revision that the client speaks; `None` when nobody could tell.
    pub(crate) revision: Option<Revision>,
    pub(crate) http_method: Method,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    /// The members of the envelope in their order, as JSON text but for `params`.
    pub(crate) jsonrpc: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<Value>,
    /// More text behind the last member.
    pub(crate) more: String,
    /// What comes before and after the message.
    pub(crate) around: (String, String),
    /// Sent in place of all that.
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) connection: Connection,
    pub(crate) principal: Option<Principal>,
}

impl Request {
    /// What a client of the revision sends for this method, with all it has to send.
    pub(crate) fn new(revision: Revision, method: &str, params: Value) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        headers.insert("accept", HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert("host", HeaderValue::from_static("localhost:8000"));
        if method != "initialize" || revision == MODERN {
            headers.insert("mcp-protocol-version", HeaderValue::from_static(revision.as_str()));
        }
        let mut request = Self {
            revision: Some(revision),
            http_method: Method::POST,
            uri: "/mcp".to_owned(),
            headers,
            jsonrpc: Some(r#""2.0""#.to_owned()),
            id: Some("1".to_owned()),
            method: Some(json!(method).to_string()),
            params: Some(params),
            more: String::new(),
            around: (String::new(), String::new()),
            body: None,
            connection: Connection {
                local_addr: Some("127.0.0.1:8000".parse().unwrap()),
                peer_addr: Some("127.0.0.1:50000".parse().unwrap()),
                ..Connection::default()
            },
            principal: None,
        };
        if revision == MODERN {
            request = request.header("mcp-method", method);
            let mirrored = match method {
                "tools/call" | "prompts/get" => Some("name"),
                "resources/read" => Some("uri"),
                "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
                _ => None,
            };
            let name = mirrored.and_then(|member| request.param(member)).and_then(Value::as_str);
            if let Some(name) = name.map(str::to_owned) {
                request = request.header("mcp-name", as_header(&name));
            }
            request = request
                .meta(VERSION, MODERN.as_str())
                .meta(CLIENT_INFO, json!({ "name": "tests", "version": "1" }))
                .meta(CAPABILITIES, json!({}));
        }
        request
    }

    /// A call of a tool.
    pub(crate) fn call(revision: Revision, tool: &str, arguments: Value) -> Self {
        Self::new(revision, "tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The list of tools.
    pub(crate) fn list(revision: Revision) -> Self {
        Self::new(revision, "tools/list", json!({}))
    }

    /// A prompt that is asked for.
    pub(crate) fn get(revision: Revision, prompt: &str, arguments: Value) -> Self {
        Self::new(revision, "prompts/get", json!({ "name": prompt, "arguments": arguments }))
    }

    /// A resource that is read.
    pub(crate) fn read(revision: Revision, uri: &str) -> Self {
        Self::new(revision, "resources/read", json!({ "uri": uri }))
    }

    /// An argument of a prompt, or a variable of a template, that is completed.
    pub(crate) fn complete(revision: Revision, of: &Value, argument: &str, typed: &str) -> Self {
        let argument = json!({ "name": argument, "value": typed });
        Self::new(revision, "completion/complete", json!({ "ref": of, "argument": argument }))
    }

    /// A subscription to this.
    pub(crate) fn listen(notifications: Value) -> Self {
        Self::new(MODERN, "subscriptions/listen", json!({ "notifications": notifications }))
    }

    /// The opening of a client of this revision.
    pub(crate) fn open(revision: Revision) -> Self {
        if revision == MODERN {
            return Self::new(revision, "server/discover", json!({}));
        }
        let client = json!({ "name": "tests", "version": "1" });
        let params =
            json!({ "protocolVersion": revision.as_str(), "capabilities": {}, "clientInfo": client });
        Self::new(revision, "initialize", params)
    }

    /// A notification: no id, and no header but the version.
    pub(crate) fn notification(revision: Revision, method: &str, params: Value) -> Self {
        Self::new(revision, method, params).id(None).without("mcp-method").without("mcp-name")
    }

    /// Sends the header with this value alone.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers.insert(name, HeaderValue::from_bytes(value.as_ref()).unwrap());
        self
    }

    /// Sends the header once more.
    pub(crate) fn also(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        self.headers.append(name, HeaderValue::from_bytes(value.as_ref()).unwrap());
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    pub(crate) fn http_method(mut self, method: Method) -> Self {
        self.http_method = method;
        self
    }

    pub(crate) fn uri(mut self, uri: &str) -> Self {
        uri.clone_into(&mut self.uri);
        self
    }

    /// The JSON text of the id.
    pub(crate) fn id<'a>(mut self, id: impl Into<Option<&'a str>>) -> Self {
        self.id = id.into().map(str::to_owned);
        self
    }

    /// The JSON text of the method.
    pub(crate) fn method<'a>(mut self, method: impl Into<Option<&'a str>>) -> Self {
        self.method = method.into().map(str::to_owned);
        self
    }

    /// The JSON text of the member `jsonrpc`.
    pub(crate) fn jsonrpc<'a>(mut self, version: impl Into<Option<&'a str>>) -> Self {
        self.jsonrpc = version.into().map(str::to_owned);
        self
    }

    pub(crate) fn params(mut self, params: impl Into<Option<Value>>) -> Self {
        self.params = params.into();
        self
    }

    /// Members behind the others, as JSON text with a comma in front.
    pub(crate) fn more(mut self, members: &str) -> Self {
        self.more.push_str(members);
        self
    }

    /// Text before and after the message.
    pub(crate) fn around(mut self, before: &str, after: &str) -> Self {
        self.around = (before.to_owned() + &self.around.0, self.around.1 + after);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(crate) fn principal(mut self, name: &str) -> Self {
        self.principal = Some(Principal::new(name));
        self
    }

    /// Where the connection arrived; `None` where the host does not tell.
    pub(crate) fn arrived_at(mut self, address: Option<&str>) -> Self {
        self.connection.local_addr = address.map(|address| address.parse().unwrap());
        self
    }

    fn param(&self, key: &str) -> Option<&Value> {
        self.params.as_ref()?.get(key)
    }

    pub(crate) fn set_param(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.params.get_or_insert_with(|| json!({}))[key] = value.into();
        self
    }

    pub(crate) fn without_param(mut self, key: &str) -> Self {
        if let Some(Value::Object(params)) = &mut self.params {
            params.remove(key);
        }
        self
    }

    pub(crate) fn argument(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.params.get_or_insert_with(|| json!({}))["arguments"][key] = value.into();
        self
    }

    pub(crate) fn meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.params.get_or_insert_with(|| json!({}))["_meta"][key] = value.into();
        self
    }

    pub(crate) fn without_meta(mut self, key: &str) -> Self {
        if let Some(Value::Object(meta)) = self.params.as_mut().and_then(|params| params.get_mut("_meta")) {
            meta.remove(key);
        }
        self
    }

    /// The bytes of the body.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        if let Some(body) = &self.body {
            return body.clone();
        }
        let params = self.params.as_ref().map(Value::to_string);
        let members =
            [("jsonrpc", &self.jsonrpc), ("id", &self.id), ("method", &self.method), ("params", &params)];
        let members: Vec<String> = members
            .into_iter()
            .filter_map(|(key, value)| value.as_ref().map(|value| format!(r#""{key}":{value}"#)))
            .collect();
        format!("{}{{{}{}}}{}", self.around.0, members.join(","), self.more, self.around.1).into_bytes()
    }

    pub(crate) fn to_http(&self) -> http::Request<Bytes> {
        let mut request = http::Request::new(Bytes::from(self.bytes()));
        *request.method_mut() = self.http_method.clone();
        *request.uri_mut() = self.uri.parse().unwrap();
        *request.headers_mut() = self.headers.clone();
        if let Some(principal) = &self.principal {
            request.extensions_mut().insert(principal.clone());
        }
        request
    }

    /// Sends the request and takes the answer.
    #[track_caller]
    pub(crate) fn send(&self, server: &Server) -> Answer {
        let response = match server.receive(self.to_http(), self.connection) {
            Step::Respond(response) => response,
            Step::Call(call, exchange) => exchange.finish(drive(call.run(Arc::new(Timer::Ready)))),
        };
        Answer::new(self, response)
    }

    /// Sends the request to a service, which also catches panics and keeps deadlines.
    #[track_caller]
    pub(crate) fn send_to_service(&self, server: &Server, timer: Timer) -> Answer {
        Answer::new(self, self.response(server, timer))
    }

    /// Sends the request, and takes the answer if it is none that goes on.
    #[track_caller]
    pub(crate) fn send_unless_it_listens(&self, server: &Server) -> Option<Answer> {
        let response = self.response(server, Timer::Never);
        let listens = response.body().windows(14).any(|text| text == b"s/acknowledged");
        (!listens).then(|| Answer::new(self, response))
    }

    /// What there is of a response without anybody waiting.
    pub(crate) fn response(&self, server: &Server, timer: Timer) -> http::Response<Bytes> {
        let service = McpService::new(server.clone(), timer);
        let request = self.to_http().map(mcp_http::Body::from);
        let (head, mut body) = drive(service.respond(request, self.connection)).into_parts();
        let mut bytes = Vec::new();
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(frame)) =
            http_body::Body::poll_frame(std::pin::Pin::new(&mut body), &mut cx)
        {
            bytes.extend_from_slice(&frame.unwrap().into_data().unwrap());
        }
        http::Response::from_parts(head, bytes.into())
    }
}

/// How a name is sent in a header.
fn as_header(name: &str) -> String {
    let plain = name.bytes().all(|byte| matches!(byte, b' '..=b'~')) && name.trim() == name;
    if plain { name.to_owned() } else { in_base64(name) }
}

pub(crate) fn in_base64(text: &str) -> String {
    use base64::Engine as _;
    format!("=?base64?{}?=", base64::engine::general_purpose::STANDARD.encode(text))
}

impl Request {
    /// The events of the answer, which is a stream.
    pub(crate) fn events(&self, server: &Server) -> Vec<String> {
        let service = McpService::new(server.clone(), Timer::Never);
        let request = self.to_http().map(mcp_http::Body::from);
        let (_, mut body) = drive(service.respond(request, self.connection)).into_parts();
        let mut cx = Context::from_waker(Waker::noop());
        let mut events = Vec::new();
        while let Poll::Ready(Some(frame)) =
            http_body::Body::poll_frame(std::pin::Pin::new(&mut body), &mut cx)
        {
            events.push(String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap());
        }
        events
    }
}

/// A timer that is driven by hand: it rings at once, or never.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Timer {
    Ready,
    Never,
    /// The clock shows so many seconds, and nothing rings.
    At(u64),
}

impl Runtime for Timer {
    fn now(&self) -> Duration {
        if let Self::At(seconds) = self { Duration::from_secs(*seconds) } else { Duration::ZERO }
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        match self {
            Self::Ready => Box::pin(std::future::ready(())),
            Self::Never | Self::At(_) => Box::pin(std::future::pending()),
        }
    }
}

/// Polls a future to its end. It has to get there without anybody waking it: nothing here waits for the outside.
#[track_caller]
pub(crate) fn drive<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..1000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
    }
    panic!("not ready after 1000 polls");
}
