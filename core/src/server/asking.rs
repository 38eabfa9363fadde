//! Asking a client of an older revision: a question goes over the event stream of the call, and the client posts the
//! answer in a message of its own.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::{Value, json};

use super::Shared;
use super::mailbox::{Expected, Reply};
use super::project::question_for;
use crate::context::{Answers, CallContext, Notification};
use crate::runtime::{BoxFuture, reference};
use crate::tool::ToolError;
use crate::types::{InputRequest, InputRequired};

/// How long a client may take, unless the call has a deadline of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool that waits for answers.
pub(super) struct Asking {
    input: InputRequired,
    /// What is not sent yet.
    questions: VecDeque<Notification>,
    /// By the keys of the questions.
    expected: Vec<(String, Expected, Option<Reply>)>,
    patience: BoxFuture<'static, ()>,
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").field("input", &self.input).finish_non_exhaustive()
    }
}

impl Asking {
    /// Whether the client of a call can be asked at all: it opened a session, and takes an event stream.
    pub(super) fn is_possible(cx: &CallContext) -> bool {
        cx.session().is_some() && cx.streams()
    }

    /// Asks what a tool needs.
    pub(super) fn new(
        server: &Arc<Shared>,
        input: InputRequired,
        cx: &CallContext,
    ) -> Result<Self, ToolError> {
        let cannot = |what: &str| {
            ToolError::new(format!("this client cannot be asked for what the tool needs: {what}"))
        };
        let session = cx.session().filter(|_| cx.streams());
        let session =
            session.ok_or_else(|| cannot("it has no session in which it said what it can be asked"))?;
        let declared = cx.client_capabilities().unwrap_or_default();
        let mut questions = VecDeque::new();
        let mut expected = Vec::new();
        for (key, request) in &input.requests {
            let capability = request.capability();
            if !declared.has(capability) {
                return Err(cannot(capability.declaration().0));
            }
            let id = format!("ask-{}{}", reference(cx.runtime()), reference(cx.runtime()));
            let mut question = question_for(request, cx.revision().rules(), &id).map_err(cannot)?;
            if let Some(members) = question.as_object_mut() {
                members.insert("jsonrpc".to_owned(), json!("2.0"));
                members.insert("id".to_owned(), json!(id));
            }
            questions.push_back(Notification::message(&question));
            expected.push((key.clone(), Expected::new(server.clone(), id, session.id.clone()), None));
        }
        let patience = cx.runtime().sleep(server.settings.deadline.unwrap_or(PATIENCE));
        Ok(Self { input, questions, expected, patience })
    }

    /// The next question to send.
    pub(super) fn next_question(&mut self) -> Option<Notification> {
        self.questions.pop_front()
    }

    /// All answers, once they are there or the client had its time. An error is one where the tool can do nothing.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Result<Answers, ToolError>> {
        let mut waits = false;
        for (_, expected, reply) in self.expected.iter_mut().filter(|(_, _, reply)| reply.is_none()) {
            match expected.poll(task) {
                Poll::Ready(answer) => *reply = Some(answer),
                Poll::Pending => waits = true,
            }
        }
        if waits && self.patience.as_mut().poll(task).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(self.finish())
    }

    fn finish(&mut self) -> Result<Answers, ToolError> {
        let InputRequired { requests, state, answered } = std::mem::take(&mut self.input);
        let mut responses = answered;
        for (key, _, reply) in self.expected.drain(..) {
            let Some(request) = requests.get(&key) else { continue };
            responses.insert(key, response(request, reply)?);
        }
        Ok(Answers { responses, state })
    }
}

fn response(request: &InputRequest, reply: Option<Reply>) -> Result<Value, ToolError> {
    let action = match reply {
        Some(Ok(result)) => return Ok(result),
        Some(Err(())) => "decline",
        None => "cancel",
    };
    request.unanswered(action).ok_or_else(|| {
        ToolError::new("the client did not answer what the tool asked it, so the tool cannot go on")
    })
}
