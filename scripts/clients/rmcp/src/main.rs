//! The Rust SDK (rmcp) 3.x as a peer: `clients-rmcp URL [MODE ...]`.

#![expect(deprecated, reason = "clients log, sample and have roots for as long as they can")]

mod checks;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    CompleteRequestParams, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, GetPromptRequestParams, Implementation, ListRootsResult, ListToolsRequest, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ReadResourceRequestParams, RequestMetaObject, ServerResult, SetLevelRequestParams,
};
use rmcp::service::{
    NotificationContext, PeerRequestOptions, RequestContext, RequestHandle, RunningService, ServiceError,
    Subscription,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How the client opens the connection, and the revision that it must get.
const MODES: [(&str, &str); 4] = [
    ("rmcp", "2025-11-25"),
    ("rmcp-old", "2025-06-18"),
    ("rmcp-auto", "2026-07-28"),
    ("rmcp-discover", "2026-07-28"),
];

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    let Some(url) = args.next() else {
        eprintln!("usage: clients-rmcp URL [{}]", MODES.map(|(mode, _)| mode).join(" | "));
        std::process::exit(2);
    };
    let only: Vec<String> = args.collect();
    let mut report = checks::Report::default();
    for (mode, revision) in MODES {
        if only.is_empty() || only.iter().any(|name| name == mode) {
            checks::run(&mut report, mode, revision, Client::open(&url, mode)).await;
        }
    }
    println!("{} passed, {} failed, {} skipped", report.passed, report.failed, report.skipped);
    std::process::exit(i32::from(report.failed > 0 || report.passed == 0));
}

/// An open connection, as the checks see it.
pub struct Client {
    service: RunningService<RoleClient, Handler>,
    heard: Heard,
    asked: Asked,
}

/// The `params` of each notification that came.
type Heard = Arc<Mutex<Vec<Value>>>;
/// Each question that came.
type Asked = Arc<Mutex<Vec<String>>>;

/// What the client calls when the server says or asks something.
struct Handler {
    config: ClientConfig,
    heard: Heard,
    asked: Asked,
}

impl Handler {
    fn hear(&self, params: &impl serde::Serialize) {
        self.heard.lock().expect("nobody panics with the lock").push(json(params));
    }

    /// The fixture's answer, for the user, the model and the folders.
    fn answer<T: DeserializeOwned>(&self, question: &str) -> Result<T, ErrorData> {
        self.asked.lock().expect("nobody panics with the lock").push(question.to_owned());
        serde_json::from_value(checks::fixture()["answers"][question].take())
            .map_err(|error| ErrorData::internal_error(format!("no answer to {question:?}: {error}"), None))
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match request {
            ElicitRequestParams::FormElicitationParams { message, .. } => self.answer(&message),
            other => Err(ErrorData::invalid_params(format!("it is no form: {other:?}"), None)),
        }
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let text = params.messages.last().and_then(|message| message.content.first()?.as_text());
        self.answer(text.map(|text| text.text.as_str()).unwrap_or_default())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.answer("roots")
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.hear(&params);
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.hear(&params);
    }
}

/// An open stream of changes.
pub struct Listening(Subscription);

impl Listening {
    pub fn acknowledged(&self) -> Value {
        json(self.0.acknowledged())
    }

    /// The next change: a `method`, and the `uri` of a resource.
    pub async fn change(&mut self) -> Result<Value, Failure> {
        let Some(change) = self.0.next().await? else {
            return Err(Failure { code: None, text: format!("the stream has ended: {:?}", self.0.end()) });
        };
        let mut change = json(&change);
        let mut heard = serde_json::json!({"method": change["method"].take()});
        if !change["params"]["uri"].is_null() {
            heard["uri"] = change["params"]["uri"].take();
        }
        Ok(heard)
    }

    pub async fn close(mut self) -> Result<(), Failure> {
        Ok(self.0.cancel().await?)
    }
}

/// Why a call gave no result.
#[derive(Debug)]
pub struct Failure {
    /// The JSON-RPC error code, when the server sent one.
    pub code: Option<i32>,
    pub text: String,
}

impl Client {
    async fn open(url: &str, mode: &str) -> Result<Client, String> {
        let transport = StreamableHttpClientTransport::from_uri(url);
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(Default::default());
        capabilities.sampling = Some(Default::default());
        capabilities.roots = Some(Default::default());
        let mut config = ClientConfig::new(capabilities, Implementation::new("rmcp", "1"));
        if mode == "rmcp-old" {
            config.protocol_version = ProtocolVersion::V_2025_06_18;
        }
        let heard = Heard::default();
        let asked = Asked::default();
        let handler = Handler { config, heard: Arc::clone(&heard), asked: Arc::clone(&asked) };
        let newest = vec![ProtocolVersion::V_2026_07_28];
        let service = match mode {
            "rmcp-auto" => {
                let auto = ClientLifecycleMode::Auto { preferred_versions: newest, legacy_version: None };
                handler.serve_with_lifecycle(transport, auto).await
            }
            "rmcp-discover" => {
                let discover = ClientLifecycleMode::Discover { preferred_versions: newest };
                handler.serve_with_lifecycle(transport, discover).await
            }
            _ => handler.serve(transport).await,
        };
        Ok(Client { service: service.map_err(|error| error.to_string())?, heard, asked })
    }

    pub fn revision(&self) -> String {
        self.service.peer_info().map(|info| info.protocol_version.to_string()).unwrap_or_default()
    }

    pub fn server_name(&self) -> String {
        self.service.peer_info().and_then(|info| Some(info.server_info.clone()?.name)).unwrap_or_default()
    }

    /// The tools, asked for anew: the client's own listing may be kept for as long as the server allows.
    pub async fn tools(&self) -> Result<Vec<Value>, Failure> {
        let mut tools = Vec::new();
        let mut cursor = None;
        loop {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request = ClientRequest::ListToolsRequest(ListToolsRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            });
            let ServerResult::ListToolsResult(page) = self.service.send_request(request).await? else {
                return Err(Failure { code: None, text: "the answer is no list of tools".into() });
            };
            tools.extend(page.tools.iter().map(json));
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
    }

    pub async fn call(&self, name: &str, arguments: Option<&Value>) -> Result<Value, Failure> {
        Ok(json(&self.service.call_tool(params(name, arguments)).await?))
    }

    /// A call that the client gives up after `limit`.
    pub async fn call_within(
        &self,
        name: &str,
        arguments: &Value,
        limit: Duration,
    ) -> Result<Value, Failure> {
        let options = PeerRequestOptions::with_timeout(limit);
        Ok(json(&self.start(name, arguments, options).await?.await_response().await?))
    }

    /// A call that the client cancels `after` a while.
    pub async fn call_and_cancel(
        &self,
        name: &str,
        arguments: &Value,
        after: Duration,
    ) -> Result<(), Failure> {
        let handle = self.start(name, arguments, PeerRequestOptions::no_options()).await?;
        tokio::time::sleep(after).await;
        Ok(handle.cancel(None).await?)
    }

    /// A call for which the client asks for log messages from info on.
    pub async fn call_and_log(&self, name: &str, arguments: &Value) -> Result<Value, Failure> {
        let mut meta = RequestMetaObject::new();
        if self.revision() == "2026-07-28" {
            meta.set_log_level(LoggingLevel::Info);
        } else {
            self.service.set_level(SetLevelRequestParams::new(LoggingLevel::Info)).await?;
        }
        let options = PeerRequestOptions::no_options().with_meta(meta);
        Ok(json(&self.start(name, arguments, options).await?.await_response().await?))
    }

    async fn start(
        &self,
        name: &str,
        arguments: &Value,
        options: PeerRequestOptions,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(name, Some(arguments))));
        self.service.send_request_with_option(request, options).await
    }

    pub async fn prompts(&self) -> Result<Vec<Value>, Failure> {
        Ok(self.service.list_all_prompts().await?.iter().map(json).collect())
    }

    pub async fn prompt(&self, name: &str, arguments: Option<&Value>) -> Result<Value, Failure> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = arguments.and_then(Value::as_object).cloned();
        Ok(json(&self.service.get_prompt(params).await?))
    }

    pub async fn resources(&self) -> Result<Vec<Value>, Failure> {
        Ok(self.service.list_all_resources().await?.iter().map(json).collect())
    }

    pub async fn templates(&self) -> Result<Vec<Value>, Failure> {
        Ok(self.service.list_all_resource_templates().await?.iter().map(json).collect())
    }

    pub async fn read(&self, uri: &str) -> Result<Value, Failure> {
        Ok(json(&self.service.read_resource(ReadResourceRequestParams::new(uri)).await?))
    }

    pub async fn complete(&self, reference: &Value, argument: &Value) -> Result<Value, Failure> {
        let params = CompleteRequestParams::new(typed(reference), typed(argument));
        Ok(json(&self.service.complete(params).await?))
    }

    /// Listens for `notifications`, from when the server has acknowledged on.
    pub async fn listen(&self, notifications: &Value) -> Result<Listening, Failure> {
        Ok(Listening(self.service.listen(typed(notifications)).await?))
    }

    /// The `params` of what the server said since this was asked the last time.
    pub fn heard(&self) -> Vec<Value> {
        std::mem::take(&mut self.heard.lock().expect("nobody panics with the lock"))
    }

    /// What the server asked since this was asked the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().expect("nobody panics with the lock"))
    }

    pub async fn close(self) -> Result<(), String> {
        self.service.cancel().await.map(drop).map_err(|error| error.to_string())
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Failure {
        let code = match &error {
            ServiceError::McpError(data) => Some(data.code.0),
            _ => None,
        };
        Failure { code, text: error.to_string() }
    }
}

fn params(name: &str, arguments: Option<&Value>) -> CallToolRequestParams {
    let mut params = CallToolRequestParams::new(name.to_owned());
    params.arguments = arguments.and_then(Value::as_object).cloned();
    params
}

fn typed<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("the fixture has what the protocol has")
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("what came as JSON can be written as JSON")
}
