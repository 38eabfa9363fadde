//! A call under way: its tool is polled, and polled again when its client has answered.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use super::Shared;
use super::ask::ask;
use super::asking::Asking;
use super::call::{Answer, Outcome};
use crate::context::{CallContext, Notification};
use crate::runtime::BoxFuture;
use crate::tool::{Arguments, Reply, Tool, ToolError, ToolOutput, ToolResult};

/// A client that answers, but never what was asked, is not asked for ever.
const MAX_ROUNDS: u32 = 16;

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
    /// The arguments are there until the tool takes them.
    Found(Arc<Tool>, Option<Arguments>),
    Runs(Arc<Tool>, BoxFuture<'static, ToolResult>),
    /// The tool is called again when its client has answered.
    Asks(Arc<Tool>, Box<Asking>),
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
        Self { state, cx, again: None, rounds: 0, waits: false, counted }
    }

    /// The name of the tool that runs.
    pub(crate) fn tool(&self) -> Option<&str> {
        match &self.state {
            State::Found(tool, _) | State::Runs(tool, _) | State::Asks(tool, _) => Some(tool.name()),
            State::Answered(_) | State::Over => None,
        }
    }

    /// Whether a client that leaves cancels the call. Otherwise it is to be polled to its end, unheard.
    #[must_use]
    pub fn leaving_cancels(&self) -> bool {
        self.cx.revision().rules().leaving_cancels
    }

    /// What happens next. After the outcome nothing does.
    ///
    /// A notification that waits goes before the tool is polled: one that talks all the time is as fast as its client.
    pub fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<Event> {
        loop {
            // Before the tool runs, nothing was said.
            if !matches!(self.state, State::Found(..))
                && let Some(notification) = self.cx.next_notification()
            {
                return Poll::Ready(Event::Notification(notification));
            }
            match &mut self.state {
                State::Found(tool, arguments) => {
                    let arguments = arguments.take().unwrap_or_default();
                    if Asking::is_possible(&self.cx) {
                        self.again = Some(Box::new(arguments.clone()));
                    }
                    let tool = tool.clone();
                    self.state = match tool.run(arguments, &self.cx) {
                        Reply::Now(result) => self.settle(&tool, result),
                        Reply::Later(future) => State::Runs(tool, future),
                    };
                    self.end();
                }
                State::Runs(tool, future) => match future.as_mut().poll(task) {
                    Poll::Ready(result) => {
                        let tool = tool.clone();
                        self.state = self.settle(&tool, result);
                        self.end();
                    }
                    Poll::Pending => return self.wait(task),
                },
                State::Asks(tool, asking) => {
                    if let Some(question) = asking.next_question() {
                        return Poll::Ready(Event::Notification(question));
                    }
                    match asking.poll(task) {
                        Poll::Ready(Ok(answers)) => {
                            self.cx.set_answers(answers);
                            self.state = State::Found(tool.clone(), self.again.take().map(|again| *again));
                        }
                        Poll::Ready(Err(error)) => {
                            self.state = Answer::Tool(tool.clone(), Err(error)).into();
                            self.end();
                        }
                        Poll::Pending => return self.wait(task),
                    }
                }
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

    /// Goes on from what the tool gave back.
    fn settle(&mut self, tool: &Arc<Tool>, result: ToolResult) -> State {
        let (server, cx) = (&self.counted.0, &self.cx);
        let input = match result.and_then(|output| check_output(tool, output)).map_err(ToolError::into_input)
        {
            Ok(output) => return Answer::Tool(tool.clone(), Ok(output)).into(),
            Err(Err(error)) => return Answer::Tool(tool.clone(), Err(tool_failed(tool, error, cx))).into(),
            Err(Ok(input)) => *input,
        };
        if cx.revision().rules().asks_in_results {
            return ask(server, tool.name(), input, cx).unwrap_or_else(Answer::Error).into();
        }
        self.rounds = self.rounds.saturating_add(1);
        let asking = if self.rounds > MAX_ROUNDS {
            Err(ToolError::new(
                "the client was asked again and again, and never answered what the tool needs",
            ))
        } else {
            Asking::new(server, input, cx)
        };
        match asking {
            Ok(asking) => State::Asks(tool.clone(), Box::new(asking)),
            Err(error) => Answer::Tool(tool.clone(), Err(error)).into(),
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("tool", &self.tool()).finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.state, State::Over) {
            self.cx.end(false);
        }
    }
}

/// Logs what is nobody's business outside, and tells the client where it was logged.
fn tool_failed(tool: &Tool, error: ToolError, cx: &CallContext) -> ToolError {
    let Some(detail) = error.detail() else { return error };
    let reference = cx.reference();
    tracing::error!(tool = tool.name(), error = detail, reference, "tool failed");
    ToolError::new(format!("{}, reference {reference}", error.message()))
}

/// A result that breaks the tool's own promise is a failure of the tool.
fn check_output(tool: &Tool, output: ToolOutput) -> Result<ToolOutput, ToolError> {
    if output.is_error || tool.output_schema().is_none() {
        return Ok(output);
    }
    let structured = output.structured.as_deref().map(serde_json::from_str).transpose()?;
    match tool.check_output(structured.as_ref()) {
        Ok(()) => Ok(output),
        Err(violations) => {
            Err(ToolError::internal(violations.report("the result breaks the tool's output schema:")))
        }
    }
}
