use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use http_body::Body as _;
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value, json};

use super::results::{CallResult, ListedTool};
use super::runtime::Threads;
use crate::context::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, Principal};
use crate::header::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, encode_mirrored};
use crate::origin::Connection;
use crate::revision::Revision;
use crate::runtime::Runtime;
use crate::server::Server;
use crate::service::{Body, McpService};
use crate::sse;
use crate::tool::param_header::ParamHeader;
use crate::types::LogLevel;

/// The code of an answer to a request whose headers do not repeat what its body says.
const HEADER_MISMATCH: i64 = -32020;

/// Nobody but a test waits, and not long.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A client of a server in the same process. See [the module](crate::testing).
#[derive(Clone)]
pub struct Client {
    server: Server,
    service: McpService,
    revision: Revision,
    capabilities: Value,
    log_level: Option<LogLevel>,
    headers: Vec<(String, String)>,
    extensions: http::Extensions,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("revision", &self.revision).finish_non_exhaustive()
    }
}

/// A request was not answered with a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with a JSON-RPC error. A tool that failed is not one: see [`CallResult::is_error`].
    #[error("{message} (code {code}, status {status})")]
    Refused {
        /// The status of the HTTP response.
        status: StatusCode,
        /// The code.
        code: i64,
        /// The text.
        message: String,
        /// What else there is to know.
        data: Option<Value>,
    },
    /// The client was told to send a header that cannot be one.
    #[error("no header can be {0:?}: {1:?}")]
    NotAHeader(String, String),
    /// The task that was followed was cancelled.
    #[error("the task was cancelled")]
    Cancelled,
    /// The answer was not a JSON-RPC response, or not the one that was expected.
    #[error("the answer cannot be understood: {0}")]
    Malformed(#[from] serde_json::Error),
}

impl Client {
    /// An anonymous client that speaks the newest revision and can do nothing beyond calling tools.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        Self {
            service: McpService::new(server.clone(), Threads),
            server: server.clone(),
            revision: Revision::V2026_07_28,
            capabilities: json!({}),
            log_level: None,
            headers: Vec::new(),
            extensions: http::Extensions::new(),
        }
    }

    /// Speaks this revision.
    #[must_use]
    pub fn revision(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

    /// Calls as this principal, as if middleware had found out.
    #[must_use]
    pub fn principal(self, name: impl Into<Arc<str>>) -> Self {
        self.extension(Principal::new(name))
    }

    /// Leaves a value in the extensions of every request, as middleware would.
    #[must_use]
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Sends a header with every request, in place of one of that name that would be sent anyway.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Declares what the client can do, such as `json!({ "sampling": {} })`.
    ///
    /// Only 2026-07-28 tells so with every request.
    #[must_use]
    pub fn capabilities(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    /// Wants to hear log messages of this level and above.
    ///
    /// Only 2026-07-28 tells so with every request.
    #[must_use]
    pub fn log_level(self, level: LogLevel) -> Self {
        Self { log_level: Some(level), ..self }
    }

    /// Brings a clock and a timer, instead of the system's.
    #[must_use]
    pub fn runtime(self, runtime: impl Runtime + 'static) -> Self {
        Self { service: McpService::new(self.server.clone(), runtime), ..self }
    }

    /// All tools that the client may see, page by page.
    ///
    /// # Errors
    /// When the server does not list them.
    pub async fn list(&self) -> Result<Vec<ListedTool>, Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            tools: Vec<ListedTool>,
            next_cursor: Option<String>,
        }
        let mut tools = Vec::new();
        let mut params = Map::new();
        loop {
            let page: Page = read(self.request("tools/list", params.clone()).await?)?;
            tools.extend(page.tools);
            let Some(cursor) = page.next_cursor else { return Ok(tools) };
            params.insert("cursor".to_owned(), cursor.into());
        }
    }

    /// Calls a tool with arguments that serialise to an object; `()` is none. Asks to be told of progress.
    ///
    /// # Errors
    /// When the call was refused, say because there is no such tool for this caller. A tool that failed has a result,
    /// with [`is_error`](CallResult::is_error).
    pub async fn call(&self, tool: &str, arguments: impl Serialize) -> Result<CallResult, Error> {
        self.call_with(tool, arguments, Map::new()).await
    }

    /// Calls a tool again that [asked](CallResult::questions) something, with answers by the keys of its questions, as a
    /// client of 2026-07-28 does. The client has to [declare](Self::capabilities) what it can be asked.
    ///
    /// # Errors
    /// When the call was refused.
    pub async fn answer(
        &self,
        tool: &str,
        arguments: impl Serialize,
        asked: &CallResult,
        answers: Map<String, Value>,
    ) -> Result<CallResult, Error> {
        let mut more = Map::from_iter([("inputResponses".to_owned(), Value::Object(answers))]);
        more.extend(asked.state.clone().map(|state| ("requestState".to_owned(), state.into())));
        self.call_with(tool, arguments, more).await
    }

    /// Waits for what comes of a call that became a [task](crate::task): its result, or what it
    /// [asks](CallResult::questions). A call that did not has it already.
    ///
    /// # Errors
    /// When the task failed or was cancelled, or there is none for this caller.
    pub async fn follow(&self, called: &CallResult) -> Result<CallResult, Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Task {
            status: String,
            #[serde(default)]
            input_requests: Map<String, Value>,
            #[serde(default)]
            result: Value,
            #[serde(default)]
            error: Value,
        }
        let Some(id) = &called.task else { return Ok(called.clone()) };
        loop {
            let params = Map::from_iter([("taskId".to_owned(), id.clone().into())]);
            let task: Task = read(self.request("tasks/get", params).await?)?;
            match task.status.as_str() {
                "completed" => return read(task.result),
                "failed" => return Err(refusal(StatusCode::OK, &task.error)),
                "cancelled" => return Err(Error::Cancelled),
                "input_required" => {
                    let asked: CallResult = read(json!({ "taskId": id }))?;
                    return Ok(CallResult { questions: task.input_requests, ..asked });
                }
                _ => self.service.runtime().sleep(POLL_INTERVAL).await,
            }
        }
    }

    /// Answers what a [task](crate::task) [asks](CallResult::questions), by the keys of its questions, and
    /// [follows](Self::follow) it.
    ///
    /// # Errors
    /// When there is no such task for this caller, an answer is no object, or the task ended without a result.
    pub async fn answer_task(
        &self,
        asked: &CallResult,
        answers: Map<String, Value>,
    ) -> Result<CallResult, Error> {
        let mut params = Map::from_iter([("inputResponses".to_owned(), Value::Object(answers))]);
        params.extend(asked.task.clone().map(|id| ("taskId".to_owned(), id.into())));
        self.request("tasks/update", params).await?;
        self.follow(asked).await
    }

    async fn call_with(
        &self,
        tool: &str,
        arguments: impl Serialize,
        mut params: Map<String, Value>,
    ) -> Result<CallResult, Error> {
        let arguments = serde_json::to_value(arguments)?;
        params.insert("name".to_owned(), tool.into());
        if !arguments.is_null() {
            params.insert("arguments".to_owned(), arguments.clone());
        }
        params.insert("_meta".to_owned(), json!({ "progressToken": 1 }));
        let mut result = self.exchange("tools/call", params.clone()).await;
        // A client that was not told of the tool does not know which arguments it has to repeat in headers.
        if let (Err(Error::Refused { code: HEADER_MISMATCH, .. }), Value::Object(arguments)) =
            (&result, &arguments)
            && let Some(listed) = self.list().await?.iter().find(|listed| listed.name == tool)
        {
            let mirrored = ParamHeader::mirrored(&listed.input_schema, arguments);
            let mut knowing = self.clone();
            knowing.headers = mirrored.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
            knowing.headers.extend(self.headers.clone());
            result = knowing.exchange("tools/call", params).await;
        }
        let (result, notifications) = result?;
        Ok(CallResult { notifications, ..read(result)? })
    }

    /// The messages of a prompt, as the result of `prompts/get` has them.
    ///
    /// # Errors
    /// When there is no such prompt for this caller, or it failed.
    pub async fn prompt(&self, name: &str, arguments: impl Serialize) -> Result<Value, Error> {
        let mut params = Map::from_iter([("name".to_owned(), name.into())]);
        let arguments = serde_json::to_value(arguments)?;
        if !arguments.is_null() {
            params.insert("arguments".to_owned(), arguments);
        }
        self.request("prompts/get", params).await
    }

    /// Reads a resource: the result of `resources/read`.
    ///
    /// # Errors
    /// When there is no such resource for this caller, or it could not be read.
    pub async fn read(&self, uri: &str) -> Result<Value, Error> {
        self.request("resources/read", Map::from_iter([("uri".to_owned(), uri.into())])).await
    }

    /// Sends a request, and gives its result as it is.
    ///
    /// # Errors
    /// When the answer is an error.
    pub async fn request(&self, method: &str, params: Map<String, Value>) -> Result<Value, Error> {
        Ok(self.exchange(method, params).await?.0)
    }

    /// The result of a request, and the notifications before it.
    async fn exchange(&self, method: &str, params: Map<String, Value>) -> Result<(Value, Vec<Value>), Error> {
        let request = self.to_http(method, params)?;
        let response = self.service.respond(request.map(Body::from), Connection::default()).await;
        let (head, body) = response.into_parts();
        let body = collect(body).await;
        let mut messages = match head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
            Some(b"text/event-stream") => {
                sse::read(&body).map(serde_json::from_str).collect::<Result<_, _>>()?
            }
            _ => vec![serde_json::from_str::<Value>(&body)?],
        };
        let mut answer = messages.pop().unwrap_or_default();
        if let Some(result) = answer.get_mut("result") {
            return Ok((result.take(), messages));
        }
        Err(refusal(head.status, answer.get("error").unwrap_or(&answer)))
    }

    fn to_http(&self, method: &str, mut params: Map<String, Value>) -> Result<Request<Bytes>, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.insert(&MCP_PROTOCOL_VERSION, HeaderValue::from_static(self.revision.as_str()));
        if self.revision.rules().self_describing {
            let name =
                ["name", "uri", "taskId"].iter().find_map(|param| params.get(*param)).and_then(Value::as_str);
            let mirrored = [(&MCP_METHOD, Some(method)), (&MCP_NAME, name)];
            for (header, value) in mirrored {
                let value = value.and_then(|value| HeaderValue::from_str(&encode_mirrored(value)).ok());
                headers.extend(value.map(|value| (header.clone(), value)));
            }
            let own = [
                (PROTOCOL_VERSION, Some(json!(self.revision.as_str()))),
                (CLIENT_INFO, Some(json!({ "name": "testing", "version": env!("CARGO_PKG_VERSION") }))),
                (CLIENT_CAPABILITIES, Some(self.capabilities.clone())),
                (LOG_LEVEL, self.log_level.map(|level| json!(level))),
            ];
            if let Value::Object(meta) = params.entry("_meta").or_insert_with(|| json!({})) {
                for (key, value) in own {
                    if let Some(value) = value {
                        meta.entry(key).or_insert(value);
                    }
                }
            }
        }
        for (name, value) in &self.headers {
            let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) else {
                return Err(Error::NotAHeader(name.clone(), value.clone()));
            };
            headers.insert(name, value);
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Request::new(Bytes::from(message.to_string()));
        *request.method_mut() = http::Method::POST;
        *request.headers_mut() = headers;
        *request.extensions_mut() = self.extensions.clone();
        Ok(request)
    }
}

/// A JSON-RPC error.
fn refusal(status: StatusCode, error: &Value) -> Error {
    let member = |name| error.get(name);
    let (Some(code), Some(message)) =
        (member("code").and_then(Value::as_i64), member("message").and_then(Value::as_str))
    else {
        return serde_json::Error::custom(format!("neither a result nor an error: {error}")).into();
    };
    Error::Refused { status, code, message: message.to_owned(), data: member("data").cloned() }
}

fn read<T: DeserializeOwned>(result: Value) -> Result<T, Error> {
    Ok(T::deserialize(result)?)
}

/// The text of a body.
async fn collect(body: Body) -> String {
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let Ok(frame) = frame;
        bytes.extend(frame.into_data().unwrap_or_default());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
