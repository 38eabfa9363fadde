//! What a check has at hand.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::Revision;
use crate::answer::Answer;
use crate::event::{Decoder, Event};
use crate::exchange::Exchange;
use crate::json::At as _;
use crate::opened::{Opened, fresh_id};
use crate::profile::{Call, Purpose};
use crate::rules::{Outcome, fail, not_applicable};
use crate::target::Target;
use crate::wire::{Connection, Head, Request, Response, WireError};

/// Asks the server for one check, and keeps what was said.
#[derive(Debug)]
pub struct Probe<'a> {
    target: &'a Target,
    opened: &'a Opened,
    began: Instant,
    exchanges: RefCell<Vec<Exchange>>,
}

impl<'a> Probe<'a> {
    pub(crate) fn new(target: &'a Target, opened: &'a Opened, began: Instant) -> Self {
        Self { target, opened, began, exchanges: RefCell::default() }
    }

    pub(crate) fn into_exchanges(self) -> Vec<Exchange> {
        self.exchanges.into_inner()
    }

    /// The revision that is spoken.
    pub fn revision(&self) -> Revision {
        self.opened.revision
    }

    /// What the server told of itself.
    pub fn opened(&self) -> &'a Opened {
        self.opened
    }

    /// Where the server is.
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// A request that has all it must have, with an id of its own.
    pub fn request(&self, method: &str, params: Value) -> Request {
        self.opened.request(self.target, fresh_id(), method, params)
    }

    /// A request that every server serves, and that changes nothing.
    pub fn harmless(&self) -> Request {
        let method = if self.revision().is_legacy() { "ping" } else { "server/discover" };
        self.request(method, json!({}))
    }

    /// A request for a list that the server declares; [`harmless`](Self::harmless) where it declares none.
    pub fn listing(&self) -> Request {
        let declared = |name: &&&str| self.opened.capabilities.contains_key(**name);
        match ["tools", "prompts", "resources"].iter().find(declared) {
            Some(name) => self.request(&format!("{name}/list"), json!({})),
            None => self.harmless(),
        }
    }

    /// What a client opens with: `initialize`, or `server/discover`.
    pub fn opening(&self) -> Request {
        if self.revision().is_legacy() {
            self.opened.initialization(self.target)
        } else {
            self.request("server/discover", json!({}))
        }
    }

    /// The server as another client sees it, in a session of its own where there are sessions.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when it does not open once more.
    pub fn another(&self) -> Result<Opened, Outcome> {
        self.opened.again(self.target).or_else(|error| fail(format!("a second client cannot open: {error}")))
    }

    /// A notification.
    pub fn notification(&self, method: &str, params: Value) -> Request {
        self.opened.post(self.target, &json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// A call of a tool.
    pub fn call(&self, call: &Call) -> Request {
        self.call_with(call, json!({}))
    }

    /// A call of a tool with members of `_meta`, such as a progress token or the client's capabilities.
    pub fn call_with(&self, call: &Call, meta: Value) -> Request {
        let params = json!({ "name": call.tool, "arguments": call.arguments, "_meta": meta });
        let mut request = self.request("tools/call", params);
        if !self.revision().is_legacy() {
            for (name, value) in self.mirrored_arguments(call) {
                request = request.header(format!("Mcp-Param-{name}"), value);
            }
        }
        request
    }

    /// The arguments of a call that its tool wants in headers, by the names of the headers.
    pub fn mirrored_arguments(&self, call: &Call) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Some(tool) = self.opened.tools.iter().find(|tool| *tool.at("name") == *call.tool) {
            mirrored_in(tool.at("inputSchema"), &Value::Object(call.arguments.clone()), &mut found);
        }
        found
    }

    /// A call that is good for something.
    ///
    /// # Errors
    /// [`Outcome::NotApplicable`] when none is known that may be made.
    pub fn known(&self, purpose: Purpose) -> Result<Call, Outcome> {
        if let Some(call) = self.target.profile.calls.get(&purpose) {
            let listed = self.opened.tools.iter().any(|tool| *tool.at("name") == *call.tool);
            return if listed {
                Ok(call.clone())
            } else {
                not_applicable(format!("{} is not listed", call.tool))
            };
        }
        if purpose == Purpose::Plain {
            let reads = |tool: &&Value| *tool.at("annotations").at("readOnlyHint") == true;
            if let Some(call) = self.opened.tools.iter().filter(reads).find_map(made_up) {
                return Ok(call);
            }
        }
        not_applicable(format!("no tool is known to be called for \"{purpose}\": name one in a profile"))
    }

    /// That the server declares a capability.
    ///
    /// # Errors
    /// [`Outcome::NotApplicable`] when it does not.
    pub fn declared(&self, capability: &str) -> Result<&'a Value, Outcome> {
        match self.opened.capabilities.get(capability) {
            Some(value) => Ok(value),
            None => not_applicable(format!("the server does not declare \"{capability}\"")),
        }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when there is none.
    pub fn send(&self, request: &Request) -> Result<Answer, Outcome> {
        let answer = self.target.endpoint.send(request).map_err(|error| error.to_string());
        self.keep(request, answer.clone());
        match answer {
            Ok(response) => Ok(Answer::new(response, id_of(request))),
            Err(reason) => fail(reason),
        }
    }

    /// Sends bytes as they are, over a connection of their own, and reads what comes. Errors are the caller's to judge.
    pub fn send_raw(&self, bytes: &[u8]) -> Result<Response, WireError> {
        let mut connection = self.target.endpoint.connect()?;
        let sent = Instant::now();
        let written = connection.write(bytes);
        let answer = match connection.read_response("POST", sent) {
            Err(error) if error.is_close() => Err(written.err().unwrap_or(error)),
            other => other,
        };
        let shown = Request::new("RAW", "").body(bytes);
        self.keep(&shown, answer.as_ref().map(Clone::clone).map_err(ToString::to_string));
        answer
    }

    /// Asks for a method with params, as a client does.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub fn ask(&self, method: &str, params: Value) -> Result<Answer, Outcome> {
        self.send(&self.request(method, params))
    }

    /// Sends a request and leaves the answer to be read as it comes.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when none begins.
    pub fn open(&self, request: &Request) -> Result<Stream<'_, 'a>, Outcome> {
        let began = Instant::now();
        let opened = self.target.endpoint.connect().and_then(|mut connection| {
            connection.write(&request.bytes(self.target.endpoint.host()))?;
            let head = connection.read_head(&request.method)?;
            Ok((connection, head))
        });
        match opened {
            Ok((connection, head)) => Ok(Stream {
                probe: self,
                request: request.clone(),
                head,
                connection,
                began,
                decoder: Decoder::default(),
                waiting: Vec::new(),
                body: Vec::new(),
            }),
            Err(error) => {
                self.keep(request, Err(error.to_string()));
                fail(error.to_string())
            }
        }
    }

    /// Sends a request and leaves before it is answered.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when it cannot be sent.
    pub fn leave(&self, request: &Request) -> Result<(), Outcome> {
        let sent = self.target.endpoint.connect().and_then(|mut connection| {
            connection.write(&request.bytes(self.target.endpoint.host()))?;
            // Long enough that it has begun.
            std::thread::sleep(Duration::from_millis(200));
            Ok(())
        });
        self.keep(request, Err("the client left".to_owned()));
        sent.or_else(|error| fail(error.to_string()))
    }

    fn keep(&self, request: &Request, answer: Result<Response, String>) {
        let at = self.began.elapsed();
        let exchange = Exchange { revision: self.revision(), request: request.clone(), answer, at };
        self.exchanges.borrow_mut().push(exchange);
    }
}

/// An answer that is read as it comes. Dropping it closes the connection.
#[derive(Debug)]
pub struct Stream<'p, 'a> {
    probe: &'p Probe<'a>,
    request: Request,
    /// The head of the answer.
    pub head: Head,
    connection: Connection,
    began: Instant,
    decoder: Decoder,
    waiting: Vec<Event>,
    body: Vec<u8>,
}

impl Stream<'_, '_> {
    /// Whether the answer is a stream of events.
    pub fn is_events(&self) -> bool {
        let value = self.head.headers.text("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
    }

    /// The next message of an event stream; none at its end.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when none comes in time, or it is no JSON.
    pub fn message(&mut self) -> Result<Option<Value>, Outcome> {
        // Comments in between do not make the time longer.
        let by = in_time(self.probe.target.endpoint.read_limits().answer);
        loop {
            while !self.waiting.is_empty() {
                let event = self.waiting.remove(0);
                if !event.data.is_empty() {
                    return message_of(&event).map(Some);
                }
            }
            match self.read(by) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return fail(error.to_string()),
            }
        }
    }

    /// The response, in whatever form; none when a question to the client comes in its place, or nothing.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when nothing comes in time, or it is no JSON.
    pub fn response(&mut self) -> Result<Option<Value>, Outcome> {
        if self.is_events() {
            while let Some(message) = self.message()? {
                match (message.get("method"), message.get("id")) {
                    (None, _) => return Ok(Some(message)),
                    (Some(_), Some(_)) => return Ok(None),
                    (Some(_), None) => {}
                }
            }
            return Ok(None);
        }
        let by = in_time(self.probe.target.endpoint.read_limits().answer);
        while self.read(by).or_else(|error| fail(error.to_string()))? {}
        match serde_json::from_slice(&self.body) {
            Ok(message) => Ok(Some(message)),
            Err(error) => fail(format!("what came is no JSON: {error}")),
        }
    }

    /// The messages that come within a time, or until the stream ends.
    ///
    /// # Errors
    /// [`Outcome::Fail`] when one is no JSON, or the stream breaks.
    pub fn during(&mut self, time: Duration) -> Result<Vec<Value>, Outcome> {
        let by = in_time(time);
        let mut all = Vec::new();
        loop {
            for event in std::mem::take(&mut self.waiting) {
                if !event.data.is_empty() {
                    all.push(message_of(&event)?);
                }
            }
            match self.read(by) {
                Ok(true) => {}
                Ok(false) | Err(WireError::TimedOut { .. }) => return Ok(all),
                Err(error) => return fail(error.to_string()),
            }
        }
    }

    /// Whether all was read that comes.
    pub fn has_ended(&self) -> bool {
        self.connection.is_read()
    }

    /// Whether an event came with an id, so that the stream may be resumed.
    pub fn is_resumable(&self) -> bool {
        self.body.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"id:"))
    }

    /// Reads on; whether there was more.
    fn read(&mut self, by: Instant) -> Result<bool, WireError> {
        let Some(bytes) = self.connection.read_some_by(by)? else { return Ok(false) };
        self.waiting.extend(self.decoder.push(&bytes));
        self.body.extend_from_slice(&bytes);
        Ok(true)
    }
}

fn in_time(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now)
}

fn message_of(event: &Event) -> Result<Value, Outcome> {
    let message = serde_json::from_str(&event.data);
    message.or_else(|error| fail(format!("an event is no JSON: {error}: {}", event.data)))
}

impl Drop for Stream<'_, '_> {
    fn drop(&mut self) {
        let response = Response {
            status: self.head.status,
            headers: self.head.headers.clone(),
            body: std::mem::take(&mut self.body),
            took: self.began.elapsed(),
        };
        self.probe.keep(&self.request, Ok(response));
    }
}

fn id_of(request: &Request) -> Option<Value> {
    serde_json::from_slice::<Value>(&request.body).ok()?.get("id").cloned()
}

fn mirrored_in(schema: &Value, arguments: &Value, found: &mut Vec<(String, String)>) {
    for (name, property) in schema.at("properties").as_object().into_iter().flatten() {
        let Some(argument) = arguments.get(name) else { continue };
        if let Some(header) = property.at("x-mcp-header").as_str() {
            let value = match argument {
                Value::String(text) => crate::opened::mirrored(text),
                Value::Bool(_) | Value::Number(_) => argument.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => continue,
            };
            found.push((header.to_owned(), value));
        }
        mirrored_in(property, argument, found);
    }
}

/// A call with arguments made up of the tool's schema; none when its required ones cannot be made up.
fn made_up(tool: &Value) -> Option<Call> {
    let schema = tool.at("inputSchema");
    let mut arguments = Map::new();
    for name in schema.at("required").items() {
        let name = name.as_str()?;
        arguments.insert(name.to_owned(), value_of(schema.at("properties").at(name))?);
    }
    Some(Call { tool: tool.at("name").as_str()?.to_owned(), arguments })
}

fn value_of(schema: &Value) -> Option<Value> {
    let given = [
        schema.get("default"),
        schema.get("const"),
        schema.at("examples").items().first(),
        schema.at("enum").items().first(),
    ];
    if let Some(given) = given.into_iter().flatten().next() {
        return Some(given.clone());
    }
    match schema.at("type").as_str()? {
        "string" => Some(json!("text")),
        "integer" | "number" => Some(schema.get("minimum").cloned().unwrap_or_else(|| json!(1))),
        "boolean" => Some(json!(false)),
        "array" if schema.at("minItems").as_u64().unwrap_or(0) == 0 => Some(json!([])),
        "object" if schema.at("required").items().is_empty() => Some(json!({})),
        _ => None,
    }
}
