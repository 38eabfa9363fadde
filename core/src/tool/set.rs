use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::builder::{RegisterError, Tool, ToolBuilder};
use super::lint::Lint;
use super::registry::{Listing, RegistryError, Reply, ToolRegistry};
use crate::context::CallContext;
use crate::revision::PerRevision;

/// Tools in memory, in the order they were added. Clones share one set, which may change while it is served.
#[derive(Debug, Clone, Default)]
pub struct ToolSet {
    tools: Arc<RwLock<Arc<ToolList>>>,
}

/// The tools of a [`ToolSet`] at one moment.
#[derive(Debug, Default)]
pub struct ToolList {
    by_name: IndexMap<String, Arc<Tool>>,
    /// The JSON array of all tools, made when a client of the revision first asks.
    encoded: PerRevision<OnceLock<Box<[u8]>>>,
}

impl ToolSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A set of these tools, in this order.
    ///
    /// # Errors
    /// When a tool cannot be published as it is, or a name is taken. The error names the tool.
    pub fn try_from_tools(tools: impl IntoIterator<Item = ToolBuilder>) -> Result<Self, RegisterError> {
        let set = Self::new();
        set.replace(tools)?;
        Ok(set)
    }

    /// Puts these tools in place of all that are there, at once: no request sees some of both.
    ///
    /// # Errors
    /// When a tool cannot be published as it is, or a name is taken. The error names the tool, and nothing is changed.
    pub fn replace(&self, tools: impl IntoIterator<Item = ToolBuilder>) -> Result<(), RegisterError> {
        let mut by_name = IndexMap::new();
        for tool in tools {
            insert(&mut by_name, tool.build()?)?;
        }
        self.change(|tools| *tools = by_name);
        Ok(())
    }

    /// Adds a tool after the others. It is served from the next request on.
    ///
    /// # Errors
    /// When the tool cannot be published as it is, or the name is taken. The error names the tool.
    pub fn add(&self, tool: ToolBuilder) -> Result<(), RegisterError> {
        let tool = tool.build()?;
        self.change(|tools| insert(tools, tool))
    }

    /// [`add`](Self::add), to be chained.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn with(self, tool: ToolBuilder) -> Result<Self, RegisterError> {
        self.add(tool)?;
        Ok(self)
    }

    /// Removes a tool and says whether it was there. Calls that found it already run to their end.
    pub fn remove(&self, name: &str) -> bool {
        self.change(|tools| tools.shift_remove(name).is_some())
    }

    /// The tools at this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<ToolList> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tools at this moment, as every caller sees them.
    #[must_use]
    pub fn listing(&self) -> Listing {
        Listing::Shared(self.snapshot())
    }

    /// What in the tools hurts a model or a client, and how large they are: for a test, or to be printed at start.
    #[must_use]
    pub fn lint(&self) -> Lint {
        Lint::of(self.snapshot().iter().map(AsRef::as_ref))
    }

    /// Changes the list in place when no request holds it, otherwise a copy of it.
    fn change<T>(&self, change: impl FnOnce(&mut IndexMap<String, Arc<Tool>>) -> T) -> T {
        let mut current = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        let list = Arc::make_mut(&mut current);
        list.encoded = PerRevision::default();
        change(&mut list.by_name)
    }
}

fn insert(tools: &mut IndexMap<String, Arc<Tool>>, tool: Tool) -> Result<(), RegisterError> {
    match tools.entry(tool.name().to_owned()) {
        Entry::Occupied(taken) => Err(RegisterError::DuplicateName(taken.key().clone())),
        Entry::Vacant(free) => {
            free.insert(Arc::new(tool));
            Ok(())
        }
    }
}

impl Clone for ToolList {
    fn clone(&self) -> Self {
        Self { by_name: self.by_name.clone(), encoded: PerRevision::default() }
    }
}

impl ToolList {
    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name)
    }

    /// The tools, in the order they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Tool>> {
        self.by_name.values()
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(crate) fn encoded(&self) -> &PerRevision<OnceLock<Box<[u8]>>> {
        &self.encoded
    }
}

impl FromIterator<Arc<Tool>> for ToolList {
    /// A list to share: `Listing::Shared(Arc::new(tools.into_iter().collect()))`. Of tools with one name the first stays.
    fn from_iter<I: IntoIterator<Item = Arc<Tool>>>(tools: I) -> Self {
        let mut by_name = IndexMap::new();
        for tool in tools {
            by_name.entry(tool.name().to_owned()).or_insert(tool);
        }
        Self { by_name, encoded: PerRevision::default() }
    }
}

impl ToolRegistry for ToolSet {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::Now(Ok(self.listing()))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        let tools = self.tools.read().unwrap_or_else(PoisonError::into_inner);
        Reply::Now(Ok(tools.get(name).cloned()))
    }

    fn names(&self) -> Vec<String> {
        self.snapshot().iter().map(|tool| tool.name().to_owned()).collect()
    }
}
