use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::builder::{RegisterError, Tool, ToolBuilder};
use super::registry::{Listing, ToolList, ToolRegistry};
use crate::context::CallContext;
use crate::registry::{RegistryError, Reply};

type Build = Box<dyn FnOnce() -> Result<Arc<Tool>, RegisterError> + Send>;

/// Tools that are built one by one, when a client first calls them, and all of them when one lists them: for
/// functions, which start often and answer little before they end.
///
/// A [`ToolSet`](super::ToolSet) derives and checks the schema of each tool when it is added, which for fifty tools is
/// most of what a function does before its first answer. Here only names are checked at once. Whatever else is wrong with
/// a tool is an internal error of the request that needs it, so [`check`](Self::check) belongs in a test:
///
/// ```
/// use mcp_http::{LazyTools, Server, Tool};
///
/// fn tools() -> Result<LazyTools, mcp_http::RegisterError> {
///     LazyTools::try_from_tools([Tool::builder("now").handler(|| "late")])
/// }
///
/// let server = Server::builder("clock", "1.0.0").tools(tools()?).build()?;
///
/// // #[test]
/// fn every_tool_can_be_published() {
///     tools().unwrap().check().unwrap();
/// }
/// # every_tool_can_be_published();
/// # drop(server);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct LazyTools {
    by_name: IndexMap<String, LazyLock<Result<Arc<Tool>, RegisterError>, Build>>,
    list: OnceLock<Arc<ToolList>>,
    has_tasks: bool,
}

impl fmt::Debug for LazyTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_name.keys()).finish()
    }
}

impl LazyTools {
    /// These tools, in this order.
    ///
    /// # Errors
    /// When a name is taken. The error names it.
    pub fn try_from_tools(tools: impl IntoIterator<Item = ToolBuilder>) -> Result<Self, RegisterError> {
        let mut by_name = IndexMap::new();
        let mut has_tasks = false;
        for tool in tools {
            has_tasks |= tool.has_tasks();
            match by_name.entry(tool.name().to_owned()) {
                Entry::Occupied(taken) => return Err(RegisterError::DuplicateName(taken.key().clone())),
                Entry::Vacant(free) => {
                    let build: Build = Box::new(|| tool.build().map(Arc::new));
                    free.insert(LazyLock::new(build));
                }
            }
        }
        Ok(Self { by_name, list: OnceLock::new(), has_tasks })
    }

    /// Builds all tools.
    ///
    /// # Errors
    /// When one cannot be published as it is. The error names it.
    pub fn check(&self) -> Result<(), RegisterError> {
        self.all().map(drop)
    }

    fn all(&self) -> Result<Arc<ToolList>, RegisterError> {
        if let Some(list) = self.list.get() {
            return Ok(list.clone());
        }
        let built = self.by_name.values().map(|tool| LazyLock::force(tool).clone());
        let list = built.collect::<Result<ToolList, _>>()?;
        Ok(self.list.get_or_init(|| Arc::new(list)).clone())
    }
}

impl ToolRegistry for LazyTools {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::Now(self.all().map(Listing::Shared).map_err(RegistryError::new))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        let built = self.by_name.get(name).map(|tool| LazyLock::force(tool).clone());
        Reply::Now(built.transpose().map_err(RegistryError::new))
    }

    fn names(&self) -> Vec<String> {
        self.by_name.keys().cloned().collect()
    }

    fn has_tasks(&self) -> bool {
        self.has_tasks
    }
}
