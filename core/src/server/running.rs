//! A call under way: its tool is polled, and polled again when its client has answered.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use super::Shared;
use super::ask::ask;
use super::asking::Asking;
use super::call::{Answer, Outcome};
use super::job::{Job, Output, Pending, Started};
use super::subscriptions::Subscription;
use super::tasks::{Begun, Opening, TaskRun};
use crate::context::{CallContext, Notification};
use crate::tool::{Arguments, ToolError};

/// A client that answers, but never what was asked, is not asked for ever.
pub(super) const MAX_ROUNDS: u32 = 16;

pub(super) fn asked_too_often() -> ToolError {
    ToolError::new("the client was asked again and again, and never answered what the tool needs")
}

/// A call under way. Dropping it drops the application's future in it, and tells
/// [`CallContext::cancelled`](crate::CallContext::cancelled).
#[must_use = "a call goes on only while it is polled"]
pub struct Running {
    cx: CallContext,
    state: State,
    /// What the tool is called with again, if its client may be asked while it runs.
    again: Option<Box<Arguments>>,
    /// How often the client was asked.
    rounds: u32,
    /// Whether the tool was not ready at once.
    waits: bool,
    /// What goes on after the outcome, which is the handle of a task.
    task: Option<Box<TaskRun>>,
    counted: Counted,
}

/// Counts a call as long as it is there.
pub(super) struct Counted(Arc<Shared>);

impl Counted {
    pub(super) fn new(server: Arc<Shared>) -> Self {
        server.calls.fetch_add(1, Ordering::Relaxed);
        Self(server)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What happens in a call: any number of notifications, and then one outcome.
#[derive(Debug)]
pub enum Event {
    /// Goes to the client before the response.
    Notification(Notification),
    /// Makes the response.
    Outcome(Outcome),
}

pub(super) enum State {
    /// The arguments are there until the job takes them.
    Found(Job, Option<Arguments>),
    /// The job may become a task. It is there until it is started.
    Opens(Option<Box<Opening>>),
    Runs(Job, Pending),
    /// The job is done again when the client has answered.
    Asks(Job, Box<Asking>),
    /// There is something to say whenever something changes.
    Listens(Box<Subscription>),
    /// There is an answer, which goes after what was said before it.
    Answered(Answer),
    Over,
}

impl From<Answer> for State {
    fn from(answer: Answer) -> Self {
        Self::Answered(answer)
    }
}

impl Running {
    pub(super) fn new(state: State, cx: CallContext, counted: Counted) -> Self {
        // Whatever the application said while it looked something up: the answer may still have a status of its own.
        if matches!(state, State::Answered(_)) {
            cx.silence();
        }
        Self { state, cx, again: None, rounds: 0, waits: false, task: None, counted }
    }

    /// What runs: the name of a tool or a prompt, or the URI of a resource.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.state {
            State::Found(job, _) | State::Runs(job, _) | State::Asks(job, _) => Some(job.name()),
            State::Opens(opening) => opening.as_deref().map(Opening::name),
            State::Listens(_) | State::Answered(_) | State::Over => None,
        }
    }

    /// Whether it goes on until its client leaves or the server is closed: no deadline is for it.
    #[must_use]
    pub fn is_subscription(&self) -> bool {
        matches!(self.state, State::Listens(_))
    }

    /// Whether a client that leaves cancels the call. Otherwise it is to be polled to its end, unheard.
    #[must_use]
    pub fn leaving_cancels(&self) -> bool {
        self.cx.revision().rules().leaving_cancels
    }

    /// The tool that goes on after the outcome, if that is the handle of a [task](crate::task). It has to be
    /// [detached](crate::Runtime::detach): with this, it is dropped otherwise, and the task fails.
    pub fn take_task(&mut self) -> Option<TaskRun> {
        self.task.take().map(|task| *task)
    }

    /// Detaches that tool, with nobody to catch a panic in it.
    pub(super) fn detach_task(&mut self) {
        if let Some(task) = self.task.take() {
            self.cx.runtime().detach(Box::into_pin(task));
        }
    }

    /// What happens next. After the outcome nothing does.
    ///
    /// A notification that waits goes before the tool is polled: one that talks all the time is as fast as its client.
    pub fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<Event> {
        loop {
            // Before the tool runs, nothing was said.
            if !matches!(self.state, State::Found(..) | State::Opens(_))
                && let Some(notification) = self.cx.next_notification()
            {
                return Poll::Ready(Event::Notification(notification));
            }
            match &mut self.state {
                State::Found(job, arguments) => {
                    let arguments = arguments.take().unwrap_or_default();
                    if Asking::is_possible(&self.cx) {
                        self.again = Some(Box::new(arguments.clone()));
                    }
                    let job = job.clone();
                    self.state = match job.start(arguments, &self.cx) {
                        Started::Done(result) => self.settle(job, result),
                        Started::Waits(pending) => State::Runs(job, pending),
                    };
                    self.end();
                }
                State::Opens(opening) => {
                    let Some(opening) = opening.take() else { return Poll::Pending };
                    match opening.start(&self.cx, task) {
                        Begun::Call(job, result) => {
                            self.state = self.settle(job, result);
                            self.end();
                        }
                        Begun::Task(record, run) => {
                            self.task = Some(Box::new(run));
                            self.state = Answer::Created(Box::new(record)).into();
                        }
                    }
                }
                State::Runs(job, pending) => match pending.poll(task) {
                    Poll::Ready(result) => {
                        let job = job.clone();
                        self.state = self.settle(job, result);
                        self.end();
                    }
                    Poll::Pending => return self.wait(task),
                },
                State::Asks(job, asking) => {
                    if let Some(question) = asking.next_question() {
                        return Poll::Ready(Event::Notification(question));
                    }
                    match asking.poll(task) {
                        Poll::Ready(Ok(answers)) => {
                            self.cx.set_answers(answers);
                            self.state = State::Found(job.clone(), self.again.take().map(|again| *again));
                        }
                        Poll::Ready(Err(error)) => {
                            self.state = job.failed(error, &self.cx).into();
                            self.end();
                        }
                        Poll::Pending => return self.wait(task),
                    }
                }
                State::Listens(subscription) => match subscription.poll_next(task) {
                    Poll::Ready(Some(notification)) => {
                        return Poll::Ready(Event::Notification(notification));
                    }
                    Poll::Ready(None) => {
                        self.state = Answer::Listened.into();
                        self.end();
                    }
                    Poll::Pending => return self.wait(task),
                },
                State::Answered(_) => break,
                State::Over => return Poll::Pending,
            }
        }
        let State::Answered(answer) = std::mem::replace(&mut self.state, State::Over) else {
            return Poll::Pending;
        };
        Poll::Ready(Event::Outcome(Outcome(answer)))
    }

    /// Once there is an answer nothing more can be said, or others could hold it back.
    fn end(&self) {
        if matches!(self.state, State::Answered(_)) {
            self.cx.end(true);
        }
    }

    fn wait(&mut self, task: &Context<'_>) -> Poll<Event> {
        if !std::mem::replace(&mut self.waits, true) {
            self.cx.settle();
        }
        match self.cx.next_notification_or_wake(task) {
            Some(notification) => Poll::Ready(Event::Notification(notification)),
            None => Poll::Pending,
        }
    }

    /// Goes on from what a job gave back.
    fn settle(&mut self, job: Job, result: Result<Output, ToolError>) -> State {
        let (server, cx) = (&self.counted.0, &self.cx);
        let input = match result.map_err(ToolError::into_input) {
            Ok(output) => return job.succeeded(output, cx).into(),
            Err(Err(error)) => return job.failed(error, cx).into(),
            Err(Ok(input)) => *input,
        };
        if cx.revision().rules().asks_in_results {
            return ask(server, &job, input, cx).unwrap_or_else(Answer::Error).into();
        }
        self.rounds = self.rounds.saturating_add(1);
        let asking =
            if self.rounds > MAX_ROUNDS { Err(asked_too_often()) } else { Asking::new(server, input, cx) };
        match asking {
            Ok(asking) => State::Asks(job, Box::new(asking)),
            Err(error) => job.failed(error, cx).into(),
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.state, State::Over) {
            self.cx.end(false);
        }
    }
}
