use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::record::Task;
use super::store::{TaskStore, TaskStoreError};
use crate::registry::Reply;

/// Keeps tasks in this process: so many, and so many bytes. What a server has unless told otherwise.
///
/// A task takes room until its time is over, also when it is done. Clones are one store.
#[derive(Clone)]
pub struct LocalTasks {
    in_all: Limit,
    /// Anonymous callers share nothing but the limit for all.
    per_principal: Limit,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    tasks: usize,
    bytes: usize,
}

#[derive(Default)]
struct Kept {
    by_id: HashMap<String, Arc<Task>>,
    by_expiry: BTreeSet<(Duration, String)>,
    all: Used,
    of_owner: HashMap<String, Used>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Used {
    tasks: usize,
    bytes: usize,
}

impl Default for LocalTasks {
    fn default() -> Self {
        Self {
            in_all: Limit { tasks: 10_000, bytes: 256 << 20 },
            per_principal: Limit { tasks: 1000, bytes: 32 << 20 },
            kept: Arc::default(),
        }
    }
}

impl fmt::Debug for LocalTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalTasks").field("used", &self.kept().all).finish_non_exhaustive()
    }
}

impl LocalTasks {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many tasks there may be at once. Default: 10,000.
    #[must_use]
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.in_all.tasks = tasks;
        self
    }

    /// How many of them one [`Principal`](crate::Principal) may have. Default: 1000.
    #[must_use]
    pub fn max_tasks_per_principal(mut self, tasks: usize) -> Self {
        self.per_principal.tasks = tasks;
        self
    }

    /// How many bytes all may take: requests of tools that run, questions, answers and results, and about 2 KiB for each
    /// task. Default: 256 MiB.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.in_all.bytes = bytes;
        self
    }

    /// How many of them those of one [`Principal`](crate::Principal) may take. Default: 32 MiB.
    #[must_use]
    pub fn max_bytes_per_principal(mut self, bytes: usize) -> Self {
        self.per_principal.bytes = bytes;
        self
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept().by_id.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is room for so much more.
    fn has_room(&self, kept: &Kept, owner: Option<&str>, more: Used) -> bool {
        let fits = |used: Used, limit: Limit| {
            used.tasks.saturating_add(more.tasks) <= limit.tasks
                && used.bytes.saturating_add(more.bytes) <= limit.bytes
        };
        let of_owner = |owner| kept.of_owner.get(owner).copied().unwrap_or_default();
        fits(kept.all, self.in_all) && owner.is_none_or(|owner| fits(of_owner(owner), self.per_principal))
    }
}

impl Kept {
    fn insert(&mut self, task: Task) {
        let size = task.size();
        self.all.add(size);
        if let Some(owner) = task.owner() {
            self.of_owner.entry(owner.to_owned()).or_default().add(size);
        }
        self.by_expiry.insert((task.expires(), task.id().to_owned()));
        self.by_id.insert(task.id().to_owned(), Arc::new(task));
    }

    fn remove(&mut self, id: &str) {
        let Some(task) = self.by_id.remove(id) else { return };
        self.by_expiry.remove(&(task.expires(), id.to_owned()));
        self.all.take(task.size());
        if let Some(owner) = task.owner()
            && let Some(used) = self.of_owner.get_mut(owner)
        {
            used.take(task.size());
            if used.tasks == 0 {
                self.of_owner.remove(owner);
            }
        }
    }

    fn forget_expired(&mut self, now: Duration) {
        while let Some((expires, id)) = self.by_expiry.first()
            && *expires <= now
        {
            let id = id.clone();
            self.remove(&id);
        }
    }
}

impl Used {
    fn add(&mut self, bytes: usize) {
        *self = Self { tasks: self.tasks.saturating_add(1), bytes: self.bytes.saturating_add(bytes) };
    }

    fn take(&mut self, bytes: usize) {
        *self = Self { tasks: self.tasks.saturating_sub(1), bytes: self.bytes.saturating_sub(bytes) };
    }
}

impl TaskStore for LocalTasks {
    fn create(&self, task: Task) -> Reply<'_, Result<(), TaskStoreError>> {
        let mut kept = self.kept();
        kept.forget_expired(task.created);
        if kept.by_id.contains_key(task.id()) {
            return Reply::Now(Err(TaskStoreError::failed(
                "there is a task of this id: chance gave it twice",
            )));
        }
        if !self.has_room(&kept, task.owner(), Used { tasks: 1, bytes: task.size() }) {
            return Reply::Now(Err(TaskStoreError::Full));
        }
        kept.insert(task);
        Reply::Now(Ok(()))
    }

    fn get<'a>(&'a self, id: &'a str) -> Reply<'a, Result<Option<Arc<Task>>, TaskStoreError>> {
        Reply::Now(Ok(self.kept().by_id.get(id).cloned()))
    }

    fn replace(&self, task: Task) -> Reply<'_, Result<bool, TaskStoreError>> {
        let mut kept = self.kept();
        let Some(before) = kept.by_id.get(task.id()) else { return Reply::Now(Ok(false)) };
        if before.version().checked_add(1) != Some(task.version()) {
            return Reply::Now(Ok(false));
        }
        let more = task.size().saturating_sub(before.size());
        // What does not grow always fits: so a task can end, however full it is.
        if more > 0 && !self.has_room(&kept, task.owner(), Used { tasks: 0, bytes: more }) {
            return Reply::Now(Err(TaskStoreError::Full));
        }
        kept.remove(task.id());
        kept.insert(task);
        Reply::Now(Ok(true))
    }

    fn remove<'a>(&'a self, id: &'a str) -> Reply<'a, Result<(), TaskStoreError>> {
        self.kept().remove(id);
        Reply::Now(Ok(()))
    }
}
