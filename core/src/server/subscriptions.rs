//! Who listens for changes: the open `subscriptions/listen` requests of this process.
//!
//! A subscription remembers what changed since its client last read, not how often: a client that reads slowly makes
//! nothing grow, misses nothing, and holds nobody up.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use super::tasks::Teller;
use crate::change::Change;
use crate::context::{Notification, Principal};
use crate::jsonrpc::{Id, ObjectWriter, write_json};

pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What a client wants to hear of, and what of it it will.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Filter {
    #[serde(skip_serializing_if = "is_false")]
    pub(super) tools_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) prompts_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) resources_list_changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) resource_subscriptions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) task_ids: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_false(value: &bool) -> bool {
    !value
}

/// How many subscriptions a server holds open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) in_all: usize,
    pub(super) per_principal: usize,
}

#[derive(Debug, Default)]
pub(super) struct Subscriptions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    closed: bool,
    last: u64,
    by_number: BTreeMap<u64, Arc<Slot>>,
    of_principal: HashMap<Principal, usize>,
}

/// What is to be said on one subscription.
#[derive(Debug)]
struct Slot {
    wants: Filter,
    news: Mutex<News>,
}

#[derive(Debug, Default)]
struct News {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Places in the list of URIs.
    updated: BTreeSet<usize>,
    /// Places in the list of tasks.
    tasks: BTreeSet<usize>,
    over: bool,
    listener: Option<Waker>,
}

impl Subscriptions {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a subscription for a client that will hear of what `wants` says. `None` when there are too many.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        id: Id,
        mut wants: Filter,
        teller: Option<Box<Teller>>,
        principal: Option<&Principal>,
        limits: Limits,
    ) -> Option<Subscription> {
        let acknowledged = Some(message("subscriptions/acknowledged", &id, "notifications", &wants));
        wants.resource_subscriptions.sort_unstable();
        wants.task_ids.sort_unstable();
        // What nobody will ever hear of anything ends at once.
        let over = wants == Filter::default();
        // How its tasks stand is told first: they may have moved on since the client got their handles.
        let tasks = (0..wants.task_ids.len()).collect();
        let slot = Arc::new(Slot { wants, news: Mutex::new(News { tasks, over, ..News::default() }) });
        let mut open = self.open();
        if open.by_number.len() >= limits.in_all {
            return None;
        }
        if let Some(principal) = principal {
            let count = open.of_principal.get(principal).copied().unwrap_or_default();
            if count >= limits.per_principal {
                return None;
            }
            open.of_principal.insert(principal.clone(), count.saturating_add(1));
        }
        if open.closed {
            slot.news().over = true;
        }
        open.last = open.last.wrapping_add(1);
        let number = open.last;
        open.by_number.insert(number, slot.clone());
        drop(open);
        let principal = principal.cloned();
        Some(Subscription { all: self.clone(), number, principal, id, slot, teller, acknowledged })
    }

    /// Tells everybody who wants to hear of it.
    pub(super) fn deliver(&self, change: &Change) {
        let mut listeners = Vec::new();
        for slot in self.open().by_number.values() {
            listeners.extend(slot.deliver(change));
        }
        // Woken without the lock: some executors poll at once.
        listeners.into_iter().for_each(Waker::wake);
    }

    /// Ends every subscription, also those still to come.
    pub(super) fn close(&self) {
        let mut listeners = Vec::new();
        let mut open = self.open();
        open.closed = true;
        for slot in open.by_number.values() {
            let mut news = slot.news();
            news.over = true;
            listeners.extend(news.listener.take());
        }
        drop(open);
        listeners.into_iter().for_each(Waker::wake);
    }
}

impl Slot {
    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task to tell of.
    fn next_task(&self) -> Option<String> {
        let place = self.news().tasks.pop_first()?;
        self.wants.task_ids.get(place).cloned()
    }

    fn deliver(&self, change: &Change) -> Option<Waker> {
        let wants = &self.wants;
        let place = match change {
            Change::Resource(uri) => wants.resource_subscriptions.binary_search(uri).ok(),
            Change::Task(id) => wants.task_ids.binary_search(id).ok(),
            Change::Tools | Change::Prompts | Change::Resources => None,
        };
        let mut news = self.news();
        let is_new = match change {
            Change::Tools => wants.tools_list_changed && !std::mem::replace(&mut news.tools, true),
            Change::Prompts => wants.prompts_list_changed && !std::mem::replace(&mut news.prompts, true),
            Change::Resources => {
                wants.resources_list_changed && !std::mem::replace(&mut news.resources, true)
            }
            Change::Resource(_) => place.is_some_and(|place| news.updated.insert(place)),
            Change::Task(_) => place.is_some_and(|place| news.tasks.insert(place)),
        };
        news.listener.take_if(|_| is_new)
    }
}

impl News {
    /// What to say next, of what is new.
    fn next(&mut self, wants: &Filter, id: &Id) -> Option<Notification> {
        for (is_new, method) in [
            (&mut self.tools, "tools/list_changed"),
            (&mut self.prompts, "prompts/list_changed"),
            (&mut self.resources, "resources/list_changed"),
        ] {
            if std::mem::take(is_new) {
                return Some(message(method, id, "", &()));
            }
        }
        let uri = wants.resource_subscriptions.get(self.updated.pop_first()?)?;
        Some(message("resources/updated", id, "uri", uri))
    }
}

/// A notification on a subscription, with one param beside `_meta`, or none if it has no name.
fn message(method: &str, id: &Id, param: &str, value: &impl Serialize) -> Notification {
    let mut out = Vec::new();
    let mut message = ObjectWriter::new(&mut out);
    message.json("jsonrpc", "2.0").json("method", &format!("notifications/{method}"));
    message.member("params", |out| {
        let mut params = ObjectWriter::new(out);
        params.member("_meta", |out| write_meta(out, id));
        if !param.is_empty() {
            params.member(param, |out| write_json(out, value));
        }
        params.end();
    });
    message.end();
    Notification::encoded(out)
}

pub(super) fn write_meta(out: &mut Vec<u8>, id: &Id) {
    let mut meta = ObjectWriter::new(out);
    meta.member(SUBSCRIPTION_ID, |out| out.extend_from_slice(id.as_json().as_bytes()));
    meta.end();
}

/// An open subscription. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Subscription {
    all: Arc<Subscriptions>,
    number: u64,
    principal: Option<Principal>,
    id: Id,
    slot: Arc<Slot>,
    /// Who says how tasks stand, if that is wanted.
    teller: Option<Box<Teller>>,
    /// What goes before everything else.
    acknowledged: Option<Notification>,
}

impl Subscription {
    /// What to say next; `None` is the end.
    pub(super) fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<Option<Notification>> {
        if let Some(acknowledged) = self.acknowledged.take() {
            return Poll::Ready(Some(acknowledged));
        }
        let mut news = self.slot.news();
        if let Some(notification) = news.next(&self.slot.wants, &self.id) {
            return Poll::Ready(Some(notification));
        }
        if news.over {
            return Poll::Ready(None);
        }
        news.listener = Some(task.waker().clone());
        drop(news);
        match &mut self.teller {
            None => Poll::Pending,
            Some(teller) => teller.poll(|| self.slot.next_task(), task).map(Some),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut open = self.all.open();
        open.by_number.remove(&self.number);
        if let Some(principal) = &self.principal
            && let Some(count) = open.of_principal.get_mut(principal)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.of_principal.remove(principal);
            }
        }
    }
}
