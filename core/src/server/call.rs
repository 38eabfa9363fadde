use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http::request::Parts;
use serde_json::{Map, Value};

use super::Shared;
use super::ask::{Asked, Retry};
use super::complete;
use super::find::find;
use super::list::Page;
use super::running::{Counted, Event, Running};
use super::subscriptions::Filter;
use super::tasks;
use crate::completion::Completion;
use crate::context::{CallContext, Hearing};
use crate::jsonrpc::{ErrorObject, Id};
use crate::origin::Connection;
use crate::prompt::{Prompt, PromptOutput};
use crate::resource::{Resource, ResourceOutput};
use crate::revision::Revision;
use crate::runtime::Runtime;
use crate::task::Task;
use crate::tool::{Tool, ToolError, ToolOutput};
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
    Task(Box<tasks::Request>),
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
    /// The handle of a task.
    Created(Box<Task>),
    /// How a task stands.
    Task(Arc<Task>),
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
    /// How much time the host leaves it.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.connection.time_left
    }

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
        let state = find(&server, question, in_session, &cx)
            .await
            .unwrap_or_else(|error| Answer::Error(error).into());
        Running::new(state, cx, counted)
    }

    /// Asks the application for an answer, and drops what it says before that. Dropping the future drops the
    /// application's future in it. A tool that goes on as a [task](crate::task) is detached.
    pub async fn run(self, runtime: Arc<dyn Runtime>) -> Outcome {
        // Nobody would hear it, so nothing is said.
        let mut running = Self { streams: false, ..self }.start(runtime).await;
        loop {
            if let Event::Outcome(outcome) = poll_fn(|task| running.poll_next(task)).await {
                running.detach_task();
                return outcome;
            }
        }
    }
}
