use std::collections::HashSet;
use std::sync::Arc;

use super::derived::Derived;
use crate::change::ChangeListener;
use crate::context::CallContext;
use crate::tool::{Listing, RegisterError, RegistryError, Reply, Tool, ToolRegistry, is_name};

/// The longest name that clients have to take.
const MAX_NAME: usize = 128;
/// A hyphen and a hash in hexadecimal, which end a shortened name.
const HASH: usize = 17;

/// The tools of a registry, with a label before their names. Made by [`Compose::prefix`](super::Compose::prefix).
#[derive(Debug)]
pub struct Prefixed<R> {
    inner: R,
    label: String,
    list: Derived,
}

impl<R: ToolRegistry> Prefixed<R> {
    pub(super) fn new(inner: R, label: String) -> Result<Self, RegisterError> {
        if !is_name(&label) || label.len() >= MAX_NAME.saturating_sub(HASH) {
            return Err(RegisterError::InvalidLabel(label));
        }
        let prefixed = Self { inner, label, list: Derived::default() };
        let mut taken = HashSet::new();
        match prefixed.names().into_iter().find(|name| !taken.insert(name.clone())) {
            Some(name) => Err(RegisterError::DuplicateName(name)),
            None => Ok(prefixed),
        }
    }

    /// The name that clients see.
    fn published(&self, name: &str) -> String {
        let whole = format!("{}-{name}", self.label);
        if whole.len() <= MAX_NAME {
            return whole;
        }
        let start = (0..=MAX_NAME.saturating_sub(HASH)).rev().find_map(|end| whole.get(..end));
        let start = start.unwrap_or_default();
        format!("{start}-{:016x}", fnv1a(whole.as_bytes()))
    }

    /// The tool of this name in the registry, as clients see it.
    fn look_up<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        self.inner.find(name, cx).map(|found| Ok(found?.map(|tool| self.renamed(&tool))))
    }

    fn renamed(&self, tool: &Tool) -> Arc<Tool> {
        Arc::new(tool.renamed(self.published(tool.name())))
    }

    fn all_renamed(&self, listing: Listing) -> Listing {
        match listing {
            Listing::Shared(list) => Listing::Shared(
                self.list.get(&[&list], 0, || list.iter().map(|tool| self.renamed(tool)).collect()),
            ),
            Listing::Own(tools) => Listing::Own(tools.iter().map(|tool| self.renamed(tool)).collect()),
        }
    }
}

/// FNV-1a: the same in every process and version, so that a name stays what it is.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl<R: ToolRegistry> ToolRegistry for Prefixed<R> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        self.inner.list(cx).map(|listing| Ok(self.all_renamed(listing?)))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        let Some(rest) = name.strip_prefix(&*self.label).and_then(|rest| rest.strip_prefix('-')) else {
            return Reply::Now(Ok(None));
        };
        let may_be_short = name.len() > MAX_NAME.saturating_sub(HASH);
        if !may_be_short {
            return self.look_up(rest, cx);
        }
        // A shortened name does not tell the whole one: it is looked for among those that are listed.
        Reply::later(async move {
            if self.published(rest) == name
                && let Some(tool) = self.look_up(rest, cx).wait().await?
            {
                return Ok(Some(tool));
            }
            let listing = self.inner.list(cx).wait().await?;
            match listing.iter().find(|tool| self.published(tool.name()) == name) {
                Some(tool) => self.look_up(tool.name(), cx).wait().await,
                None => Ok(None),
            }
        })
    }

    fn names(&self) -> Vec<String> {
        self.inner.names().iter().map(|name| self.published(name)).collect()
    }

    fn has_tasks(&self) -> bool {
        self.inner.has_tasks()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.inner.watch(listener)
    }
}
