use std::fmt;
use std::sync::Arc;

use crate::change::ChangeListener;
use crate::context::CallContext;
use crate::tool::{Listing, RegistryError, Reply, Tool, ToolRegistry};

type Predicate = dyn Fn(&Tool, &CallContext) -> Result<bool, RegistryError> + Send + Sync;

/// The tools of a registry that a caller may see. Made by [`Compose::filter`](super::Compose::filter).
pub struct Filtered<R> {
    inner: R,
    visible: Box<Predicate>,
}

impl<R> Filtered<R> {
    pub(super) fn new(
        inner: R,
        visible: impl Fn(&Tool, &CallContext) -> Result<bool, RegistryError> + Send + Sync + 'static,
    ) -> Self {
        Self { inner, visible: Box::new(visible) }
    }
}

impl<R: fmt::Debug> fmt::Debug for Filtered<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<R: ToolRegistry> ToolRegistry for Filtered<R> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        self.inner.list(cx).map(|listing| {
            let mut own = Vec::new();
            for tool in listing?.iter() {
                if (self.visible)(tool, cx)? {
                    own.push(tool.clone());
                }
            }
            Ok(Listing::Own(own))
        })
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        self.inner.find(name, cx).map(|found| match found? {
            Some(tool) if (self.visible)(&tool, cx)? => Ok(Some(tool)),
            Some(_) | None => Ok(None),
        })
    }

    fn has_tasks(&self) -> bool {
        self.inner.has_tasks()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.inner.watch(listener)
    }
}
