//! Where the answers of clients go that were asked over an event stream: each to the call that waits for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde_json::Value;

use super::Shared;
use crate::jsonrpc::Id;

/// The questions that are open, by their ids, which nobody can guess.
#[derive(Default)]
pub(super) struct Mailbox(Mutex<HashMap<String, Slot>>);

#[derive(Default)]
struct Slot {
    /// The session that was asked.
    session: String,
    answer: Option<Reply>,
    waits: Option<Waker>,
}

/// A result, or an error.
pub(super) type Reply = Result<Value, ()>;

impl Mailbox {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an answer to the call that waits for it: the first one that comes from the session which was asked.
    pub(super) fn deliver(&self, id: &Id, session: &str, result: Option<Value>) {
        // Ours are strings without anything to escape.
        let Some(id) = id.as_json().strip_prefix('"').and_then(|id| id.strip_suffix('"')) else { return };
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(id).filter(|slot| slot.session == session) else { return };
        let waits = slot.waits.take();
        slot.answer.get_or_insert_with(|| result.ok_or(()));
        drop(slots);
        if let Some(waits) = waits {
            waits.wake();
        }
    }
}

/// A question that is open until this is dropped.
pub(super) struct Expected {
    server: Arc<Shared>,
    id: String,
}

impl Expected {
    pub(super) fn new(server: Arc<Shared>, id: String, session: String) -> Self {
        server.mailbox.slots().insert(id.clone(), Slot { session, ..Slot::default() });
        Self { server, id }
    }

    pub(super) fn poll(&self, task: &Context<'_>) -> Poll<Reply> {
        match self.server.mailbox.slots().get_mut(&self.id) {
            None => Poll::Ready(Err(())),
            Some(Slot { answer: Some(reply), .. }) => Poll::Ready(reply.clone()),
            Some(slot) => {
                slot.waits = Some(task.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        self.server.mailbox.slots().remove(&self.id);
    }
}

impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected").finish_non_exhaustive()
    }
}
