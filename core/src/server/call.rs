use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use http::request::Parts;
use serde_json::{Map, Value};

use super::ask::{Asked, Retry, check_capabilities};
use super::builder::HeaderMode;
use super::complete;
use super::job::{Job, resource_not_found};
use super::list::Page;
use super::listen::listen;
use super::project::Publish;
use super::running::{Counted, Event, Running, State};
use super::subscriptions::Filter;
use super::{Shared, session};
use crate::completion::Completion;
use crate::context::{CallContext, Hearing};
use crate::jsonrpc::{ErrorCode, ErrorObject, Id};
use crate::origin::Connection;
use crate::prompt::{Prompt, PromptOutput};
use crate::registry::{Entry, Listing, RegistryError, Reply};
use crate::resource::{Resource, ResourceOutput};
use crate::revision::Revision;
use crate::runtime::Runtime;
use crate::tool::{Arguments, Tool, ToolError, ToolOutput};
use crate::types::Caching;

/// What the application has to be asked for an answer.
#[must_use = "a call does nothing before it is run"]
pub struct Call {
    pub(super) server: Arc<Shared>,
    pub(super) question: Question,
    /// Whether the client's session is to be opened first.
    pub(super) in_session: bool,
    pub(super) revision: Revision,
    pub(super) head: Parts,
    pub(super) body: Bytes,
    pub(super) connection: Connection,
    /// Whether the client takes an event stream.
    pub(super) streams: bool,
}

pub(super) enum Question {
    /// None: the answer waits for the client's session to be opened. Boxed, so that calls move no room for one.
    Known(Box<Answer>),
    /// The client opens a session.
    Open,
    /// Nobody waits for an answer, but perhaps for this one: its id, and the result in JSON if it is no error.
    Message(Option<(Id, Option<String>)>),
    /// One page of a list.
    List {
        of: ListOf,
        cursor: Option<String>,
    },
    CallTool(CallTool),
    // Boxed, so that calls of tools move no room for these.
    GetPrompt(Box<GetPrompt>),
    ReadResource(Box<ReadResource>),
    Complete(Box<complete::Asked>),
    Listen(Box<(Id, Filter)>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ListOf {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Question {
    pub(super) fn known(error: ErrorObject) -> Self {
        Self::Known(Box::new(Answer::Error(error)))
    }
}

pub(super) struct CallTool {
    pub(super) name: String,
    /// The JSON text of an object.
    pub(super) arguments: Bytes,
    /// What the client came back with, if this is not the first try.
    pub(super) retry: Option<Box<Retry>>,
}

pub(super) struct GetPrompt {
    pub(super) name: String,
    /// Texts.
    pub(super) arguments: Map<String, Value>,
    pub(super) retry: Option<Box<Retry>>,
}

pub(super) struct ReadResource {
    pub(super) uri: String,
    pub(super) retry: Option<Box<Retry>>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("revision", &self.revision).finish_non_exhaustive()
    }
}

/// How a call came out, for [`Exchange::finish`](super::Exchange::finish).
#[derive(Debug)]
pub struct Outcome(pub(super) Answer);

#[derive(Debug)]
pub(super) enum Answer {
    /// `{}`.
    Empty,
    /// 202, for a message.
    Accepted,
    /// 404, for a session that does not open.
    NoSession,
    /// The answer to `initialize` or `server/discover`, with the id of a session that was opened.
    Opening(Option<HeaderValue>),
    List(Page),
    Tool(Arc<Tool>, Result<ToolOutput, ToolError>),
    Prompt(Arc<Prompt>, PromptOutput),
    Resource(Arc<Resource>, ResourceOutput, Caching),
    Completion(Completion),
    /// A subscription came to its end.
    Listened,
    /// The tool needs answers of its client.
    Asked(Asked),
    Error(ErrorObject),
    /// The application did not answer as it should.
    Failed(Cow<'static, str>),
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self(answer)
    }
}

impl Outcome {
    /// The call panicked, which was logged under this reference.
    pub(crate) fn panicked(reference: &str) -> Self {
        let text =
            format!("the tool failed unexpectedly; the reason is in the server's log, reference {reference}");
        Self(Answer::Failed(text.into()))
    }

    /// The call took longer than it may.
    pub(crate) fn timed_out() -> Self {
        Self(Answer::Failed("the tool did not answer in time and was stopped".into()))
    }
}

impl Call {
    /// Asks the application, up to the point where a tool runs. Until then nothing can be said before the response.
    ///
    /// Panics of the application pass through, and no deadline applies: [`McpService`](crate::McpService) sees to both.
    pub async fn start(self, runtime: Arc<dyn Runtime>) -> Running {
        let Self { server, question, in_session, revision, head, body, connection, streams } = self;
        let counted = Counted::new(server.clone());
        let principal = server.settings.principal_of(&head);
        // On a subscription nothing is said but what it is for, and nothing before it is acknowledged.
        let speaks = streams && !matches!(question, Question::Listen(_));
        let hearing = Hearing { stream: speaks, logs: server.settings.logs(revision) };
        let cx = CallContext::new(revision, principal, head, body, connection, runtime, hearing);
        let state = start(&server, question, in_session, &cx)
            .await
            .unwrap_or_else(|error| Answer::Error(error).into());
        Running::new(state, cx, counted)
    }

    /// Asks the application for an answer, and drops what it says before that. Dropping the future drops the
    /// application's future in it.
    pub async fn run(self, runtime: Arc<dyn Runtime>) -> Outcome {
        // Nobody would hear it, so nothing is said.
        let mut running = Self { streams: false, ..self }.start(runtime).await;
        loop {
            if let Event::Outcome(outcome) = poll_fn(|task| running.poll_next(task)).await {
                return outcome;
            }
        }
    }
}

/// Everything that comes before a tool.
async fn start(
    server: &Shared,
    question: Question,
    in_session: bool,
    cx: &CallContext,
) -> Result<State, ErrorObject> {
    if in_session {
        match session::open(server, cx) {
            Some(session) => cx.set_session(session),
            None => return Ok(Answer::NoSession.into()),
        }
    }
    Ok(match question {
        Question::Known(answer) => (*answer).into(),
        Question::Open => Answer::Opening(session::issue(server, cx)).into(),
        Question::Message(answers) => {
            if let (Some((id, result)), Some(session)) = (answers, cx.session()) {
                let reply = result.and_then(|json| serde_json::from_str(&json).ok());
                server.mailbox.deliver(&id, &session.id, reply);
            }
            Answer::Accepted.into()
        }
        Question::List { of, cursor } => list(server, of, cursor.as_deref(), cx).await?,
        Question::CallTool(asked) => call(server, asked, cx).await?,
        Question::GetPrompt(asked) => get_prompt(server, *asked, cx).await?,
        Question::ReadResource(asked) => read_resource(server, *asked, cx).await?,
        Question::Complete(asked) => Answer::Completion(complete::complete(server, *asked, cx).await?).into(),
        Question::Listen(asked) => {
            let (id, filter) = *asked;
            State::Listens(Box::new(listen(server, id, filter, cx).await?))
        }
    })
}

/// A feature that the server does not have: the method was not found.
pub(super) fn no_feature(feature: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::MethodNotFound, format!("there are no {feature}"))
}

fn unknown(what: &str, name: &str) -> ErrorObject {
    let name: String = name.chars().take(200).collect();
    ErrorObject::new(ErrorCode::InvalidParams, format!("Unknown {what}: {name}"))
}

pub(super) fn unknown_prompt(name: &str) -> ErrorObject {
    unknown("prompt", name)
}

pub(super) fn registry_failed(error: &RegistryError, cx: &CallContext) -> ErrorObject {
    let reference = cx.reference();
    tracing::error!(error = %error, reference, "registry failed");
    let text = format!("the server could not look that up; the reason is in its log, reference {reference}");
    ErrorObject::new(ErrorCode::InternalError, text)
}

async fn list(
    server: &Shared,
    of: ListOf,
    cursor: Option<&str>,
    cx: &CallContext,
) -> Result<State, ErrorObject> {
    let page = match of {
        ListOf::Tools => {
            let registry = server.tools.as_deref().ok_or_else(|| no_feature("tools"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Prompts => {
            let registry = server.prompts.as_deref().ok_or_else(|| no_feature("prompts"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Resources => {
            let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Templates => {
            let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
            page(server, registry.templates(cx), cursor, cx).await?
        }
    };
    Ok(Answer::List(page).into())
}

async fn page<T: Entry + Publish>(
    server: &Shared,
    listing: Reply<'_, Result<Listing<T>, RegistryError>>,
    cursor: Option<&str>,
    cx: &CallContext,
) -> Result<Page, ErrorObject> {
    let listing = listing.wait().await.map_err(|error| registry_failed(&error, cx))?;
    Page::new(server, &listing, cursor, cx.revision())
}

async fn get_prompt(server: &Shared, asked: GetPrompt, cx: &CallContext) -> Result<State, ErrorObject> {
    let GetPrompt { name, arguments, retry } = asked;
    let registry = server.prompts.as_deref().ok_or_else(|| no_feature("prompts"))?;
    let found = registry.find(&name, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let prompt = found.ok_or_else(|| unknown_prompt(&name))?;
    let arguments = prompt.read(arguments).map_err(|violations| {
        let report = violations.report(&format!("Invalid arguments for prompt {}:", prompt.name()));
        ErrorObject::new(ErrorCode::InvalidParams, report)
    })?;
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    Ok(State::Found(Job::Prompt(prompt), Some(arguments)))
}

async fn read_resource(server: &Shared, asked: ReadResource, cx: &CallContext) -> Result<State, ErrorObject> {
    let ReadResource { uri, retry } = asked;
    let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
    let found = registry.find(&uri, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let resource = found.ok_or_else(|| resource_not_found(&uri, cx.revision().rules()))?;
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    Ok(State::Found(Job::Resource(resource), None))
}

async fn call(server: &Shared, asked: CallTool, cx: &CallContext) -> Result<State, ErrorObject> {
    let CallTool { name, arguments, retry } = asked;
    let registry = server.tools.as_deref().ok_or_else(|| no_feature("tools"))?;
    let found = registry.find(&name, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let tool = found.ok_or_else(|| unknown("tool", &name))?;
    let rules = cx.revision().rules();
    let repairs = server.settings.repairs;
    let as_sent = std::str::from_utf8(&arguments).is_ok_and(|json| tool.takes_text(json));
    let members = if as_sent {
        None
    } else {
        match serde_json::from_slice::<Map<String, Value>>(&arguments) {
            Ok(members) => Some(members),
            // All that a message must be was checked when it was read; this is what no number of ours can hold.
            Err(_) => {
                let error =
                    ToolError::new(format!("Invalid arguments for tool {name}: a number is out of range"));
                return Ok(Answer::Tool(tool, Err(error)).into());
            }
        }
    };
    if rules.self_describing {
        if let Some(members) = &members {
            let required = server.settings.header_mode == HeaderMode::Strict;
            tool.check_headers(cx.headers(), members, required, repairs).map_err(|mismatch| {
                let text = format!("the header {} {}", mismatch.header, mismatch.problem);
                ErrorObject::new(ErrorCode::HeaderMismatch, text)
            })?;
        }
        if !tool.requires().is_empty() {
            check_capabilities(&Job::Tool(tool.clone()), tool.requires().iter().copied(), cx)?;
        }
    }
    let checked = members.map_or_else(
        || Ok(Arguments::from_text(arguments)),
        |members| tool.check_arguments(members, repairs),
    );
    let arguments = match checked {
        Ok(arguments) => arguments,
        Err(violations) => {
            let report = violations.report(&format!("Invalid arguments for tool {name}:"));
            if rules.invalid_arguments_may_be_errors && server.settings.invalid_arguments_are_errors {
                return Err(ErrorObject::new(ErrorCode::InvalidParams, report));
            }
            return Ok(Answer::Tool(tool, Err(ToolError::new(report))).into());
        }
    };
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    Ok(State::Found(Job::Tool(tool), Some(arguments)))
}
