use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use super::derived::Derived;
use crate::change::{Change, ChangeListener, ChangeSource as _, LocalChanges};
use crate::context::CallContext;
use crate::tool::{Listing, RegistryError, Reply, Tool, ToolRegistry};

/// Which tools are switched off. Clones share their state.
///
/// A tool that is off is unknown to everybody, from the next request on; calls that run already run to their end.
/// Names are those that the registry has that is [switched](super::Compose::switched); one that is none of a tool does
/// nothing.
#[derive(Debug, Clone, Default)]
pub struct Switches {
    off: Arc<RwLock<Off>>,
    changes: LocalChanges,
}

#[derive(Debug, Default)]
struct Off {
    names: HashSet<String>,
    /// Counts the changes.
    version: u64,
}

impl Switches {
    /// All tools are on.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Switches a tool off.
    pub fn turn_off(&self, name: impl Into<String>) {
        self.change(|names| names.insert(name.into()));
    }

    /// Switches a tool on again.
    pub fn turn_on(&self, name: &str) {
        self.change(|names| names.remove(name));
    }

    /// Changes the names that are off. Clients that listen are told if that made a difference.
    fn change(&self, change: impl FnOnce(&mut HashSet<String>) -> bool) {
        let mut off = self.off.write().unwrap_or_else(PoisonError::into_inner);
        if change(&mut off.names) {
            off.version = off.version.wrapping_add(1);
            drop(off);
            self.changes.publish(Change::Tools);
        }
    }

    /// Whether a tool of this name would be served.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        !self.off.read().unwrap_or_else(PoisonError::into_inner).names.contains(name)
    }
}

/// The tools of a registry that are not switched off. Made by [`Compose::switched`](super::Compose::switched).
#[derive(Debug)]
pub struct Switched<R> {
    inner: R,
    switches: Switches,
    list: Derived,
}

impl<R> Switched<R> {
    pub(super) fn new(inner: R, switches: Switches) -> Self {
        Self { inner, switches, list: Derived::default() }
    }

    fn without_those_that_are_off(&self, listing: Listing) -> Listing {
        let off = self.switches.off.read().unwrap_or_else(PoisonError::into_inner);
        if off.names.is_empty() {
            return listing;
        }
        let on = |tool: &&Arc<Tool>| !off.names.contains(tool.name());
        match listing {
            Listing::Shared(list) => Listing::Shared(
                self.list.get(&[&list], off.version, || list.iter().filter(on).cloned().collect()),
            ),
            Listing::Own(tools) => Listing::Own(tools.iter().filter(on).cloned().collect()),
        }
    }
}

impl<R: ToolRegistry> ToolRegistry for Switched<R> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        self.inner.list(cx).map(|listing| Ok(self.without_those_that_are_off(listing?)))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        if self.switches.is_on(name) { self.inner.find(name, cx) } else { Reply::Now(Ok(None)) }
    }

    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn has_tasks(&self) -> bool {
        self.inner.has_tasks()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.switches.changes.subscribe(listener.clone());
        self.inner.watch(listener);
        true
    }
}
