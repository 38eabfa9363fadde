//! The tool of a task: started with a connection, and run to its end without.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Map;
use serde_json::value::RawValue;

use super::{Signal, change, store_failed, to_json};
use crate::context::{Answers, CallContext, Principal};
use crate::jsonrpc::{ErrorCode, ErrorObject};
use crate::runtime::BoxFuture;
use crate::server::Shared;
use crate::server::ask::check_capabilities;
use crate::server::call::{Answer, Outcome};
use crate::server::exchange::Exchange;
use crate::server::job::{Job, Output, Started};
use crate::server::running::{Counted, MAX_ROUNDS, State as Call, asked_too_often};
use crate::task::{State, Task, TaskStoreError};
use crate::tool::{Arguments, TaskSupport, Tool, ToolError};
use crate::types::{Capability, InputRequest, InputRequired};

/// A tool that is not started yet, and the task that it becomes if it has to be waited for.
pub(in crate::server) struct Opening {
    job: Job,
    arguments: Arguments,
    task: Task,
    untold: Untold,
}

/// A tool that was started.
pub(in crate::server) enum Begun {
    /// It was ready at once.
    Call(Job, Result<Output, ToolError>),
    /// It has to be waited for.
    Task(Task, TaskRun),
}

/// Keeps a task for a call of a tool that can be one. Where it cannot, it stays a call, or is refused.
pub(in crate::server) async fn open(
    server: &Arc<Shared>,
    tool: Arc<Tool>,
    arguments: Arguments,
    cx: &CallContext,
) -> Call {
    let required = tool.task_support() == Some(TaskSupport::Required);
    let served = server.offers.tasks && cx.connection().host.stays() && cx.revision().rules().tasks;
    let declared = || cx.client_capabilities().is_some_and(|declared| declared.has(Capability::Tasks));
    let job = Job::Tool(tool);
    if !(served && declared()) {
        if !required {
            return Call::Found(job, Some(arguments));
        }
        // Who could have declared the extension was told so before.
        let text = "this tool runs longer than a call may: it needs a server that serves tasks, and a client that takes them";
        return job.failed(ToolError::new(text), cx).into();
    }
    let mut bytes = [0; 24];
    cx.runtime().random(&mut bytes);
    let id = URL_SAFE_NO_PAD.encode(bytes);
    let owner = cx.principal().map(Principal::as_str).map(str::to_owned);
    let headers = cx.headers().iter().map(|(name, value)| name.as_str().len().saturating_add(value.len()));
    let request = headers.fold(cx.body().len(), usize::saturating_add);
    let task = Task::new(id.clone(), owner, cx.now(), server.tasks.ttl, request);
    // From here on it is forgotten unless somebody was told of it.
    let mut untold = Untold { keeper: Keeper::new(server.clone(), id, cx.clone()), is_kept: true };
    match server.tasks.store.create(task.clone()).wait().await {
        Ok(()) => {
            let opening = Opening { job, arguments: arguments.into_own(), task, untold };
            Call::Opens(Some(Box::new(opening)))
        }
        Err(error) => {
            untold.is_kept = false;
            let is_call = !required && matches!(error, TaskStoreError::Full);
            if is_call {
                Call::Found(job, Some(arguments))
            } else {
                Answer::Error(store_failed(&error, cx)).into()
            }
        }
    }
}

impl Opening {
    pub(in crate::server) fn name(&self) -> &str {
        self.job.name()
    }

    /// Starts the tool, and goes on in the background with one that is not ready.
    pub(in crate::server) fn start(self, cx: &CallContext, task: &mut Context<'_>) -> Begun {
        let Self { job, arguments, task: record, untold } = self;
        let mut pending = match job.start(arguments.clone(), cx) {
            Started::Done(result) => return Begun::Call(job, result),
            Started::Waits(pending) => pending,
        };
        if let Poll::Ready(result) = pending.poll(task) {
            return Begun::Call(job, result);
        }
        cx.settle();
        cx.mute();
        let keeper = untold.told();
        let watch = Watch::new(keeper.clone(), &record);
        let work = work(watch, job.clone(), arguments, Started::Waits(pending));
        let counted = Counted::new(keeper.server().clone());
        Begun::Task(record, TaskRun { keeper, job, work: Some(Box::pin(work)), _counted: counted })
    }
}

/// Who changes a task that runs in this process. Clones are one.
#[derive(Clone)]
struct Keeper {
    cx: CallContext,
    listed: Arc<Listed>,
}

/// A task that is woken as long as this is there.
struct Listed {
    server: Arc<Shared>,
    id: String,
    signal: Arc<Signal>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut running = self.server.tasks.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get(&self.id).is_some_and(|signal| Arc::ptr_eq(signal, &self.signal)) {
            running.remove(&self.id);
        }
    }
}

/// A task that is forgotten, unless a client is told of it.
struct Untold {
    keeper: Keeper,
    is_kept: bool,
}

impl Untold {
    fn told(mut self) -> Keeper {
        self.is_kept = false;
        self.keeper.clone()
    }
}

impl Drop for Untold {
    fn drop(&mut self) {
        if self.is_kept {
            let keeper = self.keeper.clone();
            unheard(&self.keeper.cx, Box::pin(async move { keeper.forget().await }));
        }
    }
}

/// Does what nobody waits for: at once if it can be, otherwise in the background.
fn unheard(cx: &CallContext, mut future: BoxFuture<'static, ()>) {
    if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        cx.runtime().detach(future);
    }
}

impl Keeper {
    fn new(server: Arc<Shared>, id: String, cx: CallContext) -> Self {
        let signal = Arc::<Signal>::default();
        let mut running = server.tasks.running.lock().unwrap_or_else(PoisonError::into_inner);
        // Of two with one id, which chance does not give, the first is woken, and no store keeps the second.
        running.entry(id.clone()).or_insert_with(|| signal.clone());
        drop(running);
        Self { cx, listed: Arc::new(Listed { server, id, signal }) }
    }

    fn server(&self) -> &Arc<Shared> {
        &self.listed.server
    }

    async fn set(&self, state: &State, message: Option<&str>) -> Result<bool, TaskStoreError> {
        let set = |task: &mut Task| {
            task.state = state.clone();
            task.message = message.map(str::to_owned);
            true
        };
        change(self.server(), &self.listed.id, &self.cx, set).await
    }

    /// Says how far the tool is.
    async fn say(&self, status: String) {
        let say = |task: &mut Task| {
            task.message = Some(status.clone());
            true
        };
        if let Err(error) = change(self.server(), &self.listed.id, &self.cx, say).await {
            tracing::error!(error = %error, "task store failed");
        }
    }

    async fn forget(&self) {
        if let Err(error) = self.server().tasks.store.remove(&self.listed.id).wait().await {
            tracing::error!(error = %error, "task store failed");
        }
    }

    async fn fail(&self, text: String) {
        let error = ErrorObject::new(ErrorCode::InternalError, text);
        self.finish(Answer::Error(error)).await;
    }

    /// Ends the task with what the call would have been answered.
    async fn finish(&self, answer: Answer) {
        let (state, message) = self.outcome(answer);
        let mut set = self.set(&state, message.as_deref()).await;
        if let Err(TaskStoreError::Full) = set {
            let text = "there was no room for the result";
            let error = ErrorObject::new(ErrorCode::InternalError, text);
            set = self.set(&State::Failed(to_json(&error)), Some(text)).await;
        }
        if let Err(error) = set {
            tracing::error!(error = %error, "the outcome of a task could not be kept");
        }
    }

    /// What the call would have been answered, and a word on it.
    fn outcome(&self, answer: Answer) -> (State, Option<String>) {
        #[derive(Deserialize)]
        struct Response<'a> {
            #[serde(borrow)]
            result: Option<&'a RawValue>,
            #[serde(borrow)]
            error: Option<&'a RawValue>,
        }
        let message =
            if let Answer::Error(error) = &answer { Some(error.message.clone().into_owned()) } else { None };
        let exchange = Exchange::of_task(self.server().clone(), self.cx.revision());
        let (_, _, body) = exchange.encode(Outcome(answer));
        let response = serde_json::from_slice(&body).unwrap_or(Response { result: None, error: None });
        match (response.result, response.error) {
            (Some(result), _) => (State::Completed(result.get().to_owned()), message),
            (None, error) => (State::Failed(error.map_or("{}", RawValue::get).to_owned()), message),
        }
    }
}

/// What happened to a tool.
enum Now<T> {
    Done(T),
    Stopped,
    /// How far it is.
    Says(String),
}

/// Sees what others do to a task, and how long it has been there.
struct Watch {
    keeper: Keeper,
    time: BoxFuture<'static, ()>,
}

impl Watch {
    fn new(keeper: Keeper, task: &Task) -> Self {
        let time = keeper.cx.runtime().sleep(task.expires().saturating_sub(keeper.cx.now()));
        Self { keeper, time }
    }

    /// Waits until something happens to the task. `None` is its end.
    async fn next(&mut self) -> Option<Arc<Task>> {
        loop {
            let signal = &self.keeper.listed.signal;
            let in_time = poll_fn(|task| match self.time.as_mut().poll(task) {
                Poll::Ready(()) => Poll::Ready(false),
                Poll::Pending => signal.poll(task).map(|()| true),
            });
            if !in_time.await {
                self.keeper.forget().await;
                return None;
            }
            match self.keeper.server().tasks.store.get(&self.keeper.listed.id).wait().await {
                Ok(task) => return task.filter(|task| !task.is_over()),
                Err(error) => tracing::error!(error = %error, "task store failed"),
            }
        }
    }

    /// Polls the tool until it is ready, and keeps what it says of its progress. `None` is the end of the task.
    async fn until_ready<T>(&mut self, tool: impl Future<Output = T>) -> Option<T> {
        let mut tool = pin!(tool);
        let keeper = self.keeper.clone();
        let mut stopped = pin!(async { while self.next().await.is_some() {} });
        let mut again = keeper.cx.now();
        loop {
            let now = poll_fn(|task| {
                if let Poll::Ready(result) = tool.as_mut().poll(task) {
                    return Poll::Ready(Now::Done(result));
                }
                if stopped.as_mut().poll(task).is_ready() {
                    return Poll::Ready(Now::Stopped);
                }
                // Not more often than clients look.
                if keeper.cx.now() < again {
                    return Poll::Pending;
                }
                keeper.cx.take_status().map_or(Poll::Pending, |status| Poll::Ready(Now::Says(status)))
            });
            match now.await {
                Now::Done(result) => return Some(result),
                Now::Stopped => return None,
                Now::Says(status) => {
                    again = keeper.cx.now().saturating_add(keeper.server().tasks.poll_interval);
                    keeper.say(status).await;
                }
            }
        }
    }

    /// Asks the client, and waits until it has answered everything. `None` is the end of the task.
    async fn ask(&mut self, job: &Job, input: InputRequired, round: u32) -> Result<Option<Answers>, Answer> {
        let cx = self.keeper.cx.clone();
        check_capabilities(job, input.requests.values().map(InputRequest::capability), &cx)
            .map_err(Answer::Error)?;
        if round > MAX_ROUNDS {
            return Err(job.failed(asked_too_often(), &cx));
        }
        let InputRequired { requests, state, answered } = input;
        let mut answers = Answers { responses: answered, state };
        if requests.is_empty() {
            return Ok(Some(answers));
        }
        // A key is used once in a task: what is asked again has another one.
        let asked_as = |key: &str| format!("{round}:{key}");
        let questions = requests.iter().map(|(key, request)| (asked_as(key), request.to_json())).collect();
        let state = State::InputRequired { questions, answers: Map::new() };
        let set = self.keeper.set(&state, Some("its client is asked something")).await;
        if !set.map_err(|error| Answer::Error(store_failed(&error, &cx)))? {
            return Ok(None);
        }
        loop {
            let Some(task) = self.next().await else { return Ok(None) };
            let State::Working { answers: given } = &task.state else { continue };
            let given =
                requests.keys().filter_map(|key| Some((key.clone(), given.get(&asked_as(key))?.clone())));
            answers.responses.extend(given);
            return Ok(Some(answers));
        }
    }
}

/// Runs the tool to its end, again after each round of answers.
async fn work(mut watch: Watch, job: Job, arguments: Arguments, mut started: Started) {
    let cx = watch.keeper.cx.clone();
    for round in 1_u32.. {
        let result = match started {
            Started::Done(result) => result,
            Started::Waits(mut pending) => {
                match watch.until_ready(poll_fn(move |task| pending.poll(task))).await {
                    Some(result) => result,
                    None => break,
                }
            }
        };
        let answer = match result.map_err(ToolError::into_input) {
            Ok(output) => job.succeeded(output, &cx),
            Err(Err(error)) => job.failed(error, &cx),
            Err(Ok(input)) => match watch.ask(&job, *input, round).await {
                Ok(Some(answers)) => {
                    cx.set_answers(answers);
                    started = job.start(arguments.clone(), &cx);
                    continue;
                }
                Ok(None) => break,
                Err(answer) => answer,
            },
        };
        cx.end(true);
        watch.keeper.finish(answer).await;
        return;
    }
    cx.end(false);
}

/// A tool that goes on after its client was answered with the handle of a [task](crate::task): to be polled to its end, by
/// the [`Runtime`](crate::Runtime) it is detached to. Dropping it drops the tool's future in it, and the task fails.
#[must_use = "a task goes on only while it is polled"]
pub struct TaskRun {
    keeper: Keeper,
    job: Job,
    /// Until it is done.
    work: Option<BoxFuture<'static, ()>>,
    _counted: Counted,
}

impl TaskRun {
    /// The name of the tool.
    pub(crate) fn name(&self) -> &str {
        self.job.name()
    }

    /// Ends the task: its tool panicked. The tool's future is dropped.
    pub(crate) async fn fail(mut self, outcome: Outcome) {
        self.keeper.cx.end(false);
        self.work = None;
        if let Answer::Failed(text) = outcome.0 {
            self.keeper.fail(text.into_owned()).await;
        }
    }
}

impl Future for TaskRun {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let Some(work) = &mut self.work else { return Poll::Ready(()) };
        let done = work.as_mut().poll(task);
        if done.is_ready() {
            self.work = None;
        }
        done
    }
}

impl fmt::Debug for TaskRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskRun").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Drop for TaskRun {
    fn drop(&mut self) {
        if self.work.take().is_none() {
            return;
        }
        self.keeper.cx.end(false);
        let keeper = self.keeper.clone();
        let fail = async move { keeper.fail("the server stopped before the task was done".to_owned()).await };
        unheard(&self.keeper.cx, Box::pin(fail));
    }
}
