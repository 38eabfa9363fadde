use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use serde_json::Map;

use super::Shared;
use super::accept::{Format, Incoming};
use super::ask::Asked;
use super::call::{Answer, Outcome};
use super::cors;
use super::list::Page;
use super::project;
use super::rejection::{Rejection, json_response, status_of};
use super::subscriptions::SUBSCRIPTION_ID;
use super::tasks;
use crate::context::Notification;
use crate::header::MCP_SESSION_ID;
use crate::jsonrpc::{
    ErrorCode, ErrorObject, Id, ObjectWriter, write_array, write_error, write_json, write_result,
};
use crate::origin::Host;
use crate::prompt::{Prompt, PromptOutput};
use crate::resource::{Resource, ResourceOutput};
use crate::revision::{Method, Revision};
use crate::sse;
use crate::task::Task;
use crate::tool::{Tool, ToolError, ToolOutput};
use crate::types::{Caching, Content};

const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// One request that waits for its response. It is answered exactly once: finishing consumes it.
#[must_use = "a request waits for its answer"]
pub struct Exchange {
    server: Arc<Shared>,
    /// `None` of a message that is not answered with one.
    id: Option<Id>,
    revision: Revision,
    calls_tool: bool,
    host: Host,
    format: Format,
    /// The origin whose pages may read the answer.
    origin: Option<HeaderValue>,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("id", &self.id)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

impl Exchange {
    pub(super) fn new(
        server: Arc<Shared>,
        incoming: &Incoming<'_>,
        host: Host,
        origin: Option<HeaderValue>,
    ) -> Self {
        Self {
            server,
            id: Some(incoming.id.clone()),
            revision: incoming.revision,
            calls_tool: Method::parse(&incoming.method) == Some(Method::CallTool),
            host,
            format: incoming.format,
            origin,
        }
    }

    /// For a message that is only accepted, or not.
    pub(super) fn of_message(server: Arc<Shared>, revision: Revision, origin: Option<HeaderValue>) -> Self {
        Self {
            server,
            id: None,
            revision,
            calls_tool: false,
            host: Host::Process,
            format: Format::Json,
            origin,
        }
    }

    /// For a call whose client does not wait for the answer.
    pub(super) fn of_task(server: Arc<Shared>, revision: Revision) -> Self {
        Self { calls_tool: true, ..Self::of_message(server, revision, None) }
    }

    /// Answers with an event stream, whatever comes.
    pub(super) fn into_stream(self) -> Self {
        Self { format: Format::EventStream, ..self }
    }

    /// Refuses the request with a status of its own.
    pub(super) fn refuse(self, rejection: Rejection) -> Response<Bytes> {
        cors::allow(rejection.into_response(), self.origin)
    }

    pub(super) fn id(&self) -> Option<&Id> {
        self.id.as_ref()
    }

    pub(super) fn server(&self) -> &Arc<Shared> {
        &self.server
    }

    /// Whether the client can be sent an event stream, and so hears what is said before the response.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.format.streams() && self.host.streams()
    }

    /// Opens an event stream, which is the response's body: to be done when something comes before the response.
    pub fn open(self) -> (Response<()>, EventStream) {
        tracing::Span::current().record("status", 200);
        let head = cors::allow(event_stream(()), self.origin.clone());
        (head, EventStream(Self { id: self.id.map(Id::into_own), ..self }))
    }

    /// The response, for what came out of the call.
    #[must_use = "the client waits for the response"]
    pub fn finish(self, outcome: Outcome) -> Response<Bytes> {
        if let Answer::Accepted = outcome.0 {
            return cors::allow(accepted(), self.origin);
        }
        if let Answer::NoSession = outcome.0 {
            return cors::allow(Rejection::no_session(self.id).into_response(), self.origin);
        }
        let session = if let Answer::Opening(session) = &outcome.0 { session.clone() } else { None };
        let (status, told, body) = self.encode(outcome);
        tracing::Span::current().record("outcome", told).record("status", status.as_u16());
        // A status other than 200 already tells; an event stream has none.
        let mut response = match self.format {
            Format::EventStream if status == StatusCode::OK => event_stream(event(&body)),
            Format::EventStream | Format::Either | Format::Json => json_response(status, body),
        };
        if let Some(session) = session {
            response.headers_mut().insert(&MCP_SESSION_ID, session);
        }
        cors::allow(response, self.origin)
    }

    /// The JSON-RPC response, the status that it has where that is not sent yet, and a word for the log.
    pub(super) fn encode(&self, outcome: Outcome) -> (StatusCode, &'static str, Vec<u8>) {
        let rules = self.revision.rules();
        let mut body = Vec::with_capacity(256);
        let mut status = StatusCode::OK;
        let outcome = match outcome.0 {
            Answer::Empty | Answer::Accepted | Answer::NoSession => {
                write_result(&mut body, self.id.as_ref(), |out| {
                    self.frame(ObjectWriter::new(out), &Map::new())
                });
                "ok"
            }
            Answer::Opening(_) => {
                let prepared = self.server.prepared.get(self.revision);
                let opening =
                    if self.host.stays() { &prepared.opening } else { &prepared.opening_of_function };
                body.reserve(opening.len().saturating_add(128));
                write_result(&mut body, self.id.as_ref(), |out| out.extend_from_slice(opening));
                "ok"
            }
            Answer::List(page) => {
                self.write_page(&mut body, &page);
                "ok"
            }
            Answer::Tool(tool, Ok(output)) => self.write_output(&mut body, Some(&tool), output),
            Answer::Tool(_, Err(error)) => self.write_output(&mut body, None, error.into()),
            Answer::Prompt(prompt, output) => {
                self.write_prompt(&mut body, &prompt, &output);
                "ok"
            }
            Answer::Resource(resource, output, caching) => {
                self.write_resource(&mut body, &resource, output, caching);
                "ok"
            }
            Answer::Completion(completion) => {
                write_result(&mut body, self.id.as_ref(), |out| {
                    let mut result = ObjectWriter::new(out);
                    result.json("completion", &completion);
                    self.frame(result, &Map::new());
                });
                "ok"
            }
            Answer::Created(task) => {
                self.write_task(&mut body, &task, false);
                "task"
            }
            Answer::Task(task) => {
                self.write_task(&mut body, &task, true);
                "ok"
            }
            Answer::Listened => {
                self.write_listened(&mut body);
                "ok"
            }
            Answer::Asked(asked) => {
                self.write_question(&mut body, &asked);
                "input required"
            }
            Answer::Failed(text) if self.calls_tool => {
                self.write_output(&mut body, None, ToolError::new(text).into())
            }
            Answer::Failed(_) => {
                let error = ErrorObject::new(ErrorCode::InternalError, "the server failed");
                status = status_of(error.code, rules);
                write_error(&mut body, self.id.as_ref(), &error);
                "error"
            }
            Answer::Error(error) => {
                status = status_of(error.code, rules);
                write_error(&mut body, self.id.as_ref(), &error);
                "error"
            }
        };
        (status, outcome, body)
    }

    /// Ends a result with what every result of the revision carries.
    fn frame(&self, mut result: ObjectWriter<'_>, meta: &Map<String, serde_json::Value>) {
        let prepared = self.server.prepared.get(self.revision);
        result.encoded(&prepared.result_type);
        if meta.is_empty() {
            result.encoded(&prepared.meta);
        } else {
            result.member("_meta", |out| {
                let mut members = ObjectWriter::new(out);
                members.encoded(&prepared.server_info);
                let own = !prepared.server_info.is_empty();
                for (key, value) in meta.iter().filter(|(key, _)| !(own && *key == project::SERVER_INFO)) {
                    members.encoded(&project::member(key, value));
                }
                members.end();
            });
        }
        result.end();
    }

    fn write_page(&self, body: &mut Vec<u8>, page: &Page) {
        let rules = self.revision.rules();
        // With room for what follows the items: growing at the end would copy all of them once more.
        body.reserve(page.items.len().saturating_add(512));
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            result.member(page.member, |out| out.extend_from_slice(&page.items));
            if let Some(cursor) = &page.next_cursor {
                result.json("nextCursor", cursor);
            }
            if rules.cache_hints {
                let caching = Caching { ttl: self.server.settings.list_ttl, scope: page.scope };
                project::write_cache_hints(&mut result, caching);
            }
            self.frame(result, &Map::new());
        });
    }

    fn write_prompt(&self, body: &mut Vec<u8>, prompt: &Prompt, output: &PromptOutput) {
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            if let Some(description) = output.description.as_deref().or_else(|| prompt.description()) {
                result.json("description", description);
            }
            result.json("messages", &output.messages);
            self.frame(result, &output.meta);
        });
    }

    fn write_resource(
        &self,
        body: &mut Vec<u8>,
        resource: &Resource,
        output: ResourceOutput,
        caching: Caching,
    ) {
        let ResourceOutput { parts, meta } = output;
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            result.member("contents", |out| {
                write_array(out, parts, |out, part| {
                    write_json(out, &part.into_contents(resource.uri(), resource.mime_type()));
                });
            });
            if self.revision.rules().cache_hints {
                project::write_cache_hints(&mut result, caching);
            }
            self.frame(result, &meta);
        });
    }

    /// Writes the result that ends a subscription, which says which one.
    fn write_listened(&self, body: &mut Vec<u8>) {
        let prepared = self.server.prepared.get(self.revision);
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            result.encoded(&prepared.result_type);
            result.member("_meta", |out| {
                let mut meta = ObjectWriter::new(out);
                meta.encoded(&prepared.server_info);
                let id = self.id.as_ref().map_or("null", Id::as_json);
                meta.member(SUBSCRIPTION_ID, |out| out.extend_from_slice(id.as_bytes()));
                meta.end();
            });
            result.end();
        });
    }

    /// Writes the handle of a task, or how one stands.
    fn write_task(&self, body: &mut Vec<u8>, task: &Task, detailed: bool) {
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            tasks::write(&mut result, task, self.server.tasks.poll_interval, detailed);
            if detailed {
                self.frame(result, &Map::new());
            } else {
                result.json("resultType", "task");
                result.encoded(&self.server.prepared.get(self.revision).meta);
                result.end();
            }
        });
    }

    /// Writes a result that asks. It may not be kept, so it has no caching hints.
    fn write_question(&self, body: &mut Vec<u8>, asked: &Asked) {
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            result.json("resultType", "input_required");
            if !asked.requests.is_empty() {
                result.json("inputRequests", &asked.requests);
            }
            if let Some(state) = &asked.state {
                result.json("requestState", state);
            }
            result.encoded(&self.server.prepared.get(self.revision).meta);
            result.end();
        });
    }

    /// Writes the result of a tool. `tool` is there when the output is what the tool promised.
    fn write_output(&self, body: &mut Vec<u8>, tool: Option<&Tool>, output: ToolOutput) -> &'static str {
        let rules = self.revision.rules();
        let ToolOutput { content, structured, is_error, meta } = output;
        write_result(body, self.id.as_ref(), |out| {
            let mut result = ObjectWriter::new(out);
            result.member("content", |out| write_array(out, &content, write_content));
            if let Some(structured) = &structured {
                let wrap = project::wraps(tool.and_then(Tool::output_schema), structured, rules);
                result.member("structuredContent", |out| {
                    if wrap {
                        let mut wrapper = ObjectWriter::new(out);
                        wrapper.member("result", |out| out.extend_from_slice(structured.as_bytes()));
                        wrapper.end();
                    } else {
                        out.extend_from_slice(structured.as_bytes());
                    }
                });
            }
            if is_error {
                result.json("isError", &true);
            }
            self.frame(result, &meta);
        });
        if is_error { "tool error" } else { "ok" }
    }
}

/// Writes a content block. What most tools give, text, is written without asking serde for each member.
fn write_content(out: &mut Vec<u8>, content: &Content) {
    match content.plain_text() {
        Some(text) => {
            out.extend_from_slice(br#"{"type":"text","text":"#);
            write_json(out, text);
            out.push(b'}');
        }
        None => write_json(out, content),
    }
}

/// 202 for a message that needs no answer: no body, and so no `Content-Type`.
pub(super) fn accepted() -> Response<Bytes> {
    tracing::Span::current().record("status", 202);
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// An answer under way, as an event stream. It ends with the response: finishing consumes it.
#[must_use = "a client waits for the response"]
#[derive(Debug)]
pub struct EventStream(Exchange);

impl EventStream {
    /// The event of a notification.
    #[must_use]
    pub fn notification(&self, notification: &Notification) -> Bytes {
        event(notification.as_bytes())
    }

    /// What is sent when nothing was sent for a while, for proxies that cut silent connections, and for servers that
    /// notice only when they write that a client has left.
    #[must_use]
    pub fn keep_alive(&self) -> Bytes {
        Bytes::from_static(sse::COMMENT)
    }

    /// The last event: the response, whatever status it would have had.
    #[must_use = "the client waits for the response"]
    pub fn finish(self, outcome: Outcome) -> Bytes {
        let (_, told, response) = self.0.encode(outcome);
        tracing::Span::current().record("outcome", told);
        event(&response)
    }
}

fn event(message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len().saturating_add(16));
    sse::write_event(&mut event, message);
    Bytes::from(event)
}

fn event_stream<B>(body: B) -> Response<B> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
