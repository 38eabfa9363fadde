//! What a call says before its result.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::Serialize;
use serde_json::{Value, json};

use crate::jsonrpc::write_json;
use crate::types::LogLevel;

/// More than this is not kept for a client that reads slowly: the oldest go first.
const MAX_QUEUED: usize = 32;

/// Longer words are cut, in characters.
const MAX_STATUS: usize = 500;

/// A message for the client of a call, which goes before the response: a notification, or a question to a client that
/// answers with a message of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    message: Box<[u8]>,
    is_progress: bool,
}

impl Notification {
    fn log(level: LogLevel, data: Value) -> Self {
        #[derive(Serialize)]
        struct Log {
            level: LogLevel,
            data: Value,
        }
        Self { message: encode("notifications/message", &Log { level, data }), is_progress: false }
    }

    fn progress(token: &Value, done: f64, total: Option<f64>, message: Option<&str>) -> Self {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Progress<'a> {
            progress_token: &'a Value,
            progress: Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            total: Option<Value>,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<&'a str>,
        }
        let total = total.filter(|total| total.is_finite()).map(number);
        let params = Progress { progress_token: token, progress: number(done), total, message };
        Self { message: encode("notifications/progress", &params), is_progress: true }
    }

    /// A message that is not coalesced with others.
    pub(crate) fn message(message: &Value) -> Self {
        Self { message: message.to_string().into_bytes().into_boxed_slice(), is_progress: false }
    }

    /// A message that is JSON already.
    pub(crate) fn encoded(message: Vec<u8>) -> Self {
        Self { message: message.into_boxed_slice(), is_progress: false }
    }

    /// The JSON of the message.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.message
    }
}

fn encode(method: &str, params: &impl Serialize) -> Box<[u8]> {
    #[derive(Serialize)]
    struct Message<'a, P> {
        jsonrpc: &'a str,
        method: &'a str,
        params: &'a P,
    }
    let mut out = Vec::new();
    write_json(&mut out, &Message { jsonrpc: "2.0", method, params });
    out.into_boxed_slice()
}

/// The notifications of a call on their way from the tool to whoever polls it.
#[derive(Debug, Default)]
pub(super) struct Notices(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// Nobody hears what is said. Of progress a word is kept.
    muted: bool,
    /// Made when it is first needed: most calls say nothing and are answered at once.
    talk: Option<Box<Talk>>,
}

#[derive(Debug, Default)]
struct Talk {
    /// Oldest first. Of progress only the newest: it says all that those before it said.
    queue: VecDeque<Notification>,
    /// How far the tool was when it last said so.
    done: Option<f64>,
    /// That in words, where nobody hears it.
    status: Option<String>,
    /// Who polls the call.
    listener: Option<Waker>,
    /// Who wants to know that the call was given up.
    mourners: BTreeMap<u64, Waker>,
    last_mourner: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Running,
    Answered,
    GivenUp,
}

impl State {
    fn talk(&mut self) -> &mut Talk {
        self.talk.get_or_insert_default()
    }
}

impl Notices {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn log(&self, level: LogLevel, data: Value) {
        self.add(|_| Some(Notification::log(level, data)));
    }

    /// Progress that does not go on is none.
    pub(super) fn progress(&self, token: &Value, done: f64, total: Option<f64>, message: Option<&str>) {
        self.add(|talk| {
            if !done.is_finite() || talk.done.is_some_and(|before| done <= before) {
                return None;
            }
            talk.done = Some(done);
            talk.queue.retain(|queued| !queued.is_progress);
            Some(Notification::progress(token, done, total, message))
        });
    }

    fn add(&self, make: impl FnOnce(&mut Talk) -> Option<Notification>) {
        let mut state = self.state();
        if state.phase != Phase::Running || state.muted {
            return;
        }
        let talk = state.talk();
        let Some(notification) = make(talk) else { return };
        if talk.queue.len() >= MAX_QUEUED {
            let oldest = talk.queue.iter().position(|queued| !queued.is_progress);
            talk.queue.remove(oldest.unwrap_or_default());
        }
        talk.queue.push_back(notification);
        let listener = talk.listener.take();
        drop(state);
        if let Some(listener) = listener {
            listener.wake();
        }
    }

    /// The next notification, if there is one.
    pub(super) fn next(&self) -> Option<Notification> {
        self.state().talk.as_mut()?.queue.pop_front()
    }

    /// The next notification; if there is none, the task is woken when there is.
    pub(super) fn next_or_wake(&self, task: &Context<'_>) -> Option<Notification> {
        let mut state = self.state();
        let talk = state.talk();
        let next = talk.queue.pop_front();
        if next.is_none() {
            talk.listener = Some(task.waker().clone());
        }
        next
    }

    /// Drops what was said, and lets nothing more be said.
    pub(super) fn silence(&self) {
        *self.state() = State { phase: Phase::Answered, ..State::default() };
    }

    /// Keeps a word on how far the tool is, if nobody hears it. Says whether that is so.
    pub(super) fn keep_status(&self, done: f64, total: Option<f64>, message: Option<&str>) -> bool {
        let mut state = self.state();
        if state.muted && state.phase == Phase::Running {
            let status = match (message, total) {
                (Some(message), _) => message.chars().take(MAX_STATUS).collect(),
                (None, Some(total)) => format!("{} of {}", number(done), number(total)),
                (None, None) => number(done).to_string(),
            };
            state.talk().status = Some(status);
        }
        state.muted
    }

    pub(super) fn take_status(&self) -> Option<String> {
        self.state().talk.as_mut()?.status.take()
    }

    /// Drops what was said, and what will be.
    pub(super) fn mute(&self) {
        let mut state = self.state();
        state.muted = true;
        if let Some(talk) = &mut state.talk {
            talk.queue.clear();
        }
    }

    /// Says that the call has its answer, after which nothing can be said any more, or that it will never have one.
    pub(super) fn end(&self, answered: bool) {
        let mut state = self.state();
        if state.phase != Phase::Running {
            return;
        }
        state.phase = if answered { Phase::Answered } else { Phase::GivenUp };
        let Some(talk) = &mut state.talk else { return };
        let mourners = std::mem::take(&mut talk.mourners);
        drop(state);
        if !answered {
            mourners.into_values().for_each(Waker::wake);
        }
    }

    pub(super) fn given_up(&self) -> GivenUp<'_> {
        GivenUp { notices: self, place: None }
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.state().phase == Phase::GivenUp
    }
}

/// Ready when the call is given up.
pub(super) struct GivenUp<'a> {
    notices: &'a Notices,
    /// Where its waker is, to be taken away when it is not needed any more.
    place: Option<u64>,
}

impl Future for GivenUp<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let mut state = self.notices.state();
        match state.phase {
            Phase::GivenUp => return Poll::Ready(()),
            Phase::Answered => return Poll::Pending,
            Phase::Running => {}
        }
        let talk = state.talk();
        let place = self.place.unwrap_or_else(|| {
            talk.last_mourner = talk.last_mourner.wrapping_add(1);
            talk.last_mourner
        });
        talk.mourners.insert(place, task.waker().clone());
        drop(state);
        self.place = Some(place);
        Poll::Pending
    }
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.notices.state().talk().mourners.remove(&place);
        }
    }
}

/// Whole numbers are written as such.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within what is exact")]
    if value.fract() == 0.0 && value.abs() < EXACT { json!(value as i64) } else { json!(value) }
}
