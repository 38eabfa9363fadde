//! Tasks: calls that go on without a connection, and what clients ask of them.
//!
//! ```text
//! tools/call ── find ── open: a task is kept, and then the tool is started
//!                 ├─ ready at once: the task is forgotten, the answer is that of a call
//!                 └─ to be waited for: the answer is a handle, and a TaskRun goes on: tool ⇄ questions … → result
//! tasks/get, tasks/update, tasks/cancel ── answer
//! ```
//!
//! Whatever changes a task replaces its record in the store and announces that. Whoever runs it, and whoever listens for it,
//! looks at the record then.
//!
//! Source: <https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md>

mod run;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::{Map, Value};

pub use self::run::TaskRun;
pub(super) use self::run::{Begun, Opening, open};

use super::Shared;
use super::ask::check_capabilities;
use super::call::Answer;
use super::subscriptions::write_meta;
use crate::change::Change;
use crate::context::{CallContext, Notification, Principal};
use crate::jsonrpc::{ErrorCode, ErrorObject, Id, Members, ObjectWriter, write_json};
use crate::runtime::BoxFuture;
use crate::task::{LocalTasks, State, Task, TaskStore, TaskStoreError, iso_8601};
use crate::types::Capability;

/// More changes than these at the same moment are a store that never takes one.
const MAX_TRIES: u32 = 64;

/// How tasks are served.
pub(super) struct Tasks {
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) ttl: Duration,
    pub(super) poll_interval: Duration,
    /// Who is to be woken, of those that run in this process.
    running: Mutex<HashMap<String, Arc<Signal>>>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            store: Arc::new(LocalTasks::new()),
            ttl: Duration::from_millis(3_600_000),
            poll_interval: Duration::from_millis(1000),
            running: Mutex::default(),
        }
    }
}

impl Tasks {
    /// Wakes whoever runs the task, if that is in this process.
    pub(super) fn deliver(&self, change: &Change) {
        let Change::Task(id) = change else { return };
        let signal = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some(signal) = signal {
            signal.raise();
        }
    }
}

/// That something happened to a task.
#[derive(Default)]
struct Signal(Mutex<(bool, Option<Waker>)>);

impl Signal {
    fn raise(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = true;
        let waits = state.1.take();
        drop(state);
        if let Some(waits) = waits {
            waits.wake();
        }
    }

    fn poll(&self, task: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.0) {
            return Poll::Ready(());
        }
        state.1 = Some(task.waker().clone());
        Poll::Pending
    }
}

/// What a client asks of a task.
pub(super) struct Request {
    id: String,
    wants: Wants,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Method {
    Get,
    Update,
    Cancel,
}

enum Wants {
    State,
    ToAnswer(Map<String, Value>),
    ToCancel,
}

impl Request {
    /// Reads the params of `tasks/*`.
    pub(super) fn read(method: Method, params: &Members<'_>) -> Result<Self, ErrorObject> {
        let invalid = |text| ErrorObject::new(ErrorCode::InvalidParams, text);
        let id = params.find("taskId").and_then(|json| serde_json::from_str(json).ok());
        let id = id.ok_or_else(|| invalid("taskId must be there, as a string"))?;
        let wants = match method {
            Method::Get => Wants::State,
            Method::Cancel => Wants::ToCancel,
            Method::Update => {
                let responses =
                    params.find("inputResponses").and_then(|json| serde_json::from_str(json).ok());
                let responses =
                    responses.ok_or_else(|| invalid("inputResponses must be there, as an object"))?;
                Wants::ToAnswer(responses)
            }
        };
        Ok(Self { id, wants })
    }
}

/// Does what a client asks of a task.
pub(super) async fn answer(
    server: &Shared,
    request: Request,
    cx: &CallContext,
) -> Result<Answer, ErrorObject> {
    let Request { id, wants } = request;
    check_declared("method", cx)?;
    let task = look_up(server, &id, cx).await.map_err(|error| store_failed(&error, cx))?;
    let task = task.ok_or_else(|| {
        ErrorObject::new(ErrorCode::InvalidParams, "there is no such task, or no more: it may have expired")
    })?;
    let changed = match wants {
        Wants::State => return Ok(Answer::Task(task)),
        Wants::ToAnswer(responses) => {
            check_responses(&task, &responses)?;
            change(server, &id, cx, |task| task.answer(&responses)).await
        }
        Wants::ToCancel => {
            let cancel = |task: &mut Task| {
                task.state = State::Cancelled;
                task.message = Some("its client cancelled it".to_owned());
                true
            };
            change(server, &id, cx, cancel).await
        }
    };
    // A task that was over already is as it was.
    changed.map(|_| Answer::Empty).map_err(|error| store_failed(&error, cx))
}

/// Refuses clients that did not declare the extension.
pub(super) fn check_declared(what: &str, cx: &CallContext) -> Result<(), ErrorObject> {
    check_capabilities(&what, [Capability::Tasks].into_iter(), cx)
}

/// An answer is an object. What is in it is the tool's to judge.
fn check_responses(task: &Task, responses: &Map<String, Value>) -> Result<(), ErrorObject> {
    let State::InputRequired { questions, .. } = &task.state else { return Ok(()) };
    let ill_typed = |key: &&String| responses.get(*key).is_some_and(|response| !response.is_object());
    match questions.keys().find(ill_typed) {
        None => Ok(()),
        Some(key) => {
            let text = format!("inputResponses: the answer to {key:?} must be an object");
            Err(ErrorObject::new(ErrorCode::InvalidParams, text))
        }
    }
}

pub(super) fn store_failed(error: &TaskStoreError, cx: &CallContext) -> ErrorObject {
    let text = match error {
        TaskStoreError::Full => {
            "there is no room for more at the moment: cancel tasks, or try later".to_owned()
        }
        TaskStoreError::Failed(_) => {
            let reference = cx.reference();
            tracing::error!(error = %error, reference, "task store failed");
            format!("the server could not look that up; the reason is in its log, reference {reference}")
        }
    };
    ErrorObject::new(ErrorCode::InternalError, text)
}

/// The task of this id, if it is this caller's. To everybody else there is none.
pub(super) async fn look_up(
    server: &Shared,
    id: &str,
    cx: &CallContext,
) -> Result<Option<Arc<Task>>, TaskStoreError> {
    let owner = cx.principal().map(Principal::as_str);
    let task = server.tasks.store.get(id).wait().await?;
    Ok(task.filter(|task| task.owner() == owner && cx.now() < task.expires()))
}

/// Changes a task that is not over, and tells whoever wants to know. `false` when nothing was to be changed.
async fn change(
    server: &Shared,
    id: &str,
    cx: &CallContext,
    mut change: impl FnMut(&mut Task) -> bool + Send,
) -> Result<bool, TaskStoreError> {
    for _ in 0..MAX_TRIES {
        let Some(task) = server.tasks.store.get(id).wait().await?.filter(|task| !task.is_over()) else {
            return Ok(false);
        };
        let mut next = task.next(cx.now());
        if !change(&mut next) {
            return Ok(false);
        }
        if server.tasks.store.replace(next).wait().await? {
            server.changes.publish(Change::Task(id.to_owned()));
            return Ok(true);
        }
    }
    Err(TaskStoreError::failed("it never took a change"))
}

/// Writes the members of a task: of a handle, or `detailed` of one that is looked at.
pub(super) fn write(out: &mut ObjectWriter<'_>, task: &Task, poll_interval: Duration, detailed: bool) {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).clamp(1, (1 << 53) - 1);
    let status = match &task.state {
        State::Working { .. } => "working",
        State::InputRequired { .. } => "input_required",
        State::Completed(_) => "completed",
        State::Failed(_) => "failed",
        State::Cancelled => "cancelled",
    };
    out.json("taskId", task.id()).json("status", status);
    if let Some(message) = &task.message {
        out.json("statusMessage", message);
    }
    out.json("createdAt", &iso_8601(task.created)).json("lastUpdatedAt", &iso_8601(task.updated));
    out.json("ttlMs", &millis(task.ttl)).json("pollIntervalMs", &millis(poll_interval));
    if !detailed {
        return;
    }
    match &task.state {
        State::Working { .. } | State::Cancelled => {}
        State::InputRequired { questions, .. } => {
            out.json("inputRequests", questions);
        }
        State::Completed(json) => {
            out.member("result", |out| out.extend_from_slice(json.as_bytes()));
        }
        State::Failed(json) => {
            out.member("error", |out| out.extend_from_slice(json.as_bytes()));
        }
    }
}

/// Looks up the tasks that a client listens for, one after the other, and says how they stand.
pub(super) struct Teller {
    server: Arc<Shared>,
    cx: CallContext,
    id: Id,
    looks_up: Option<BoxFuture<'static, Option<Notification>>>,
}

impl Teller {
    pub(super) fn new(server: Arc<Shared>, cx: CallContext, id: Id) -> Self {
        Self { server, cx, id, looks_up: None }
    }

    /// What to say next of the tasks that `next` names.
    pub(super) fn poll(
        &mut self,
        mut next: impl FnMut() -> Option<String>,
        task: &mut Context<'_>,
    ) -> Poll<Notification> {
        loop {
            let looks_up = match &mut self.looks_up {
                Some(looks_up) => looks_up,
                None => {
                    let Some(id) = next() else { return Poll::Pending };
                    let (server, cx, subscription) = (self.server.clone(), self.cx.clone(), self.id.clone());
                    let look_up = async move {
                        let found = look_up(&server, &id, &cx).await;
                        let found =
                            found.inspect_err(|error| tracing::error!(error = %error, "task store failed"));
                        Some(notification(&*found.ok()??, server.tasks.poll_interval, &subscription))
                    };
                    self.looks_up.insert(Box::pin(look_up))
                }
            };
            let Poll::Ready(found) = looks_up.as_mut().poll(task) else { return Poll::Pending };
            self.looks_up = None;
            if let Some(notification) = found {
                return Poll::Ready(notification);
            }
        }
    }
}

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How a task stands, on a subscription.
fn notification(task: &Task, poll_interval: Duration, subscription: &Id) -> Notification {
    let mut out = Vec::new();
    let mut message = ObjectWriter::new(&mut out);
    message.json("jsonrpc", "2.0").json("method", "notifications/tasks");
    message.member("params", |out| {
        let mut params = ObjectWriter::new(out);
        params.member("_meta", |out| write_meta(out, subscription));
        write(&mut params, task, poll_interval, true);
        params.end();
    });
    message.end();
    Notification::encoded(out)
}

/// The JSON of an error.
fn to_json(error: &ErrorObject) -> String {
    let mut out = Vec::new();
    write_json(&mut out, error);
    String::from_utf8(out).unwrap_or_default()
}
