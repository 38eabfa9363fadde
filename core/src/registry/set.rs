use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use indexmap::IndexMap;
use indexmap::map::Entry as Place;

use super::listing::{List, Listing};
use crate::change::{Change, ChangeListener, ChangeSource as _, LocalChanges};
use crate::revision::PerRevision;

/// What a [`Set`] holds: a tool, a prompt, a resource, or a template of resources.
pub trait Entry: Sized + Send + Sync + 'static {
    /// What is registered.
    type Builder;

    /// Why it could not be.
    type Error;

    /// What clients are told when the set changes.
    const CHANGE: Change;

    /// Checks what is registered.
    ///
    /// # Errors
    /// When it cannot be published as it is.
    fn build(builder: Self::Builder) -> Result<Self, Self::Error>;

    /// What it is found by: a name, a URI or a template. Unique in a set.
    fn key(&self) -> &str;

    /// The error of a second one with this key.
    fn taken(key: String) -> Self::Error;
}

/// Tools, prompts, resources or templates in memory, in the order they were added. Clones share one set, which may change
/// while it is served: clients that listen are told.
pub struct Set<T> {
    list: Arc<RwLock<Arc<List<T>>>>,
    changes: LocalChanges,
}

impl<T> Clone for Set<T> {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), changes: self.changes.clone() }
    }
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self { list: Arc::default(), changes: LocalChanges::default() }
    }
}

impl<T: Entry> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.snapshot().iter().map(|entry| entry.key())).finish()
    }
}

impl<T> Set<T> {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl<T: Entry> Set<T> {
    /// Puts these in place of all that are there, at once: no request sees some of both.
    ///
    /// # Errors
    /// When one cannot be published as it is, or its name is taken. The error names it, and nothing is changed.
    pub fn replace(&self, builders: impl IntoIterator<Item = T::Builder>) -> Result<(), T::Error> {
        let mut by_key = IndexMap::new();
        for builder in builders {
            insert(&mut by_key, T::build(builder)?)?;
        }
        self.change(|entries| {
            *entries = by_key;
            Ok(())
        })
    }

    /// Adds one after the others. It is served from the next request on.
    ///
    /// # Errors
    /// When it cannot be published as it is, or its name is taken. The error names it.
    pub fn add(&self, builder: T::Builder) -> Result<(), T::Error> {
        let entry = T::build(builder)?;
        self.change(|entries| insert(entries, entry))
    }

    /// [`add`](Self::add), to be chained.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn with(self, builder: T::Builder) -> Result<Self, T::Error> {
        self.add(builder)?;
        Ok(self)
    }

    /// Removes one and says whether it was there. Calls that found it already run to their end.
    pub fn remove(&self, key: &str) -> bool {
        self.change(|entries| entries.shift_remove(key).ok_or(())).is_ok()
    }

    /// The one of this name, URI or template, at this moment.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// All at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<List<T>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All at this moment, as every caller sees them.
    #[must_use]
    pub fn listing(&self) -> Listing<T> {
        Listing::Shared(self.snapshot())
    }

    /// Tells the listener of every change from now on.
    pub(crate) fn on_change(&self, listener: ChangeListener) {
        self.changes.subscribe(listener);
    }

    /// Changes the list in place when no request holds it, otherwise a copy of it, and tells who listens.
    fn change<R, E>(
        &self,
        change: impl FnOnce(&mut IndexMap<String, Arc<T>>) -> Result<R, E>,
    ) -> Result<R, E> {
        let mut current = self.list.write().unwrap_or_else(PoisonError::into_inner);
        let list = Arc::make_mut(&mut current);
        let changed = change(&mut list.by_key);
        if changed.is_ok() {
            list.encoded = PerRevision::default();
            // Whoever hears of it may look at the set.
            drop(current);
            self.changes.publish(T::CHANGE);
        }
        changed
    }
}

fn insert<T: Entry>(entries: &mut IndexMap<String, Arc<T>>, entry: T) -> Result<(), T::Error> {
    match entries.entry(entry.key().to_owned()) {
        Place::Occupied(taken) => Err(T::taken(taken.key().clone())),
        Place::Vacant(free) => {
            free.insert(Arc::new(entry));
            Ok(())
        }
    }
}
