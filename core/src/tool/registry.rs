use std::sync::Arc;

use super::builder::{RegisterError, Tool, ToolBuilder};
use super::lint::Lint;
use crate::change::{Change, ChangeListener};
use crate::context::CallContext;
use crate::registry::{self, Entry, RegistryError, Reply};

/// What a registry lists: [tools](Tool), unless something else is named.
pub type Listing<T = Tool> = registry::Listing<T>;

/// The tools of a [`ToolSet`] at one moment.
pub type ToolList = registry::List<Tool>;

/// Tools in memory, in the order they were added. Clones share one set, which may change while it is served.
pub type ToolSet = registry::Set<Tool>;

/// The tools of an application, wherever they are kept.
///
/// [`ToolSet`](super::ToolSet) keeps them in memory. Implement this to serve tools from a database or from
/// elsewhere: both methods may wait. A tool that was found runs itself, with arguments that were checked against the
/// schema it publishes, even if the registry has replaced it since.
///
/// Registries are put around registries with [`Compose`](crate::compose::Compose).
///
/// ```
/// use std::sync::Arc;
/// use mcp_http::{CallContext, Listing, RegistryError, Reply, Tool, ToolRegistry};
///
/// /// Serves one tool, to authenticated callers only.
/// struct Whoami(Arc<Tool>);
///
/// impl ToolRegistry for Whoami {
///     fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
///         Reply::Now(Ok(Listing::Own(cx.principal().map(|_| self.0.clone()).into_iter().collect())))
///     }
///     fn find<'a>(&'a self, name: &'a str, cx: &'a CallContext) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
///         Reply::Now(Ok((name == self.0.name() && cx.principal().is_some()).then(|| self.0.clone())))
///     }
/// }
/// ```
pub trait ToolRegistry: Send + Sync {
    /// The tools that this caller may see, in a stable order.
    ///
    /// # Errors
    /// When the tools cannot be listed. The client gets an error: an empty list would mean that there are none.
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>>;

    /// The tool of this name, if this caller may see it.
    ///
    /// # Errors
    /// When the tool cannot be looked up.
    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>>;

    /// The names that are taken whoever asks, as far as they are known without asking. Default: none are known.
    ///
    /// Registries that are [put together](crate::compose) refuse names that both have.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether calls of its tools can become [tasks](crate::task), as far as it is known without asking: clients are told.
    /// Default: no.
    fn has_tasks(&self) -> bool {
        false
    }

    /// Has the listener told of every [change of the list](Change::Tools). Says whether it ever will be: clients are told
    /// whether it is worth listening. Default: never.
    fn watch(&self, listener: &ChangeListener) -> bool {
        let _ = listener;
        false
    }
}

macro_rules! behind_a_pointer {
    ($($pointer:ident),*) => {$(
        impl<R: ToolRegistry + ?Sized> ToolRegistry for $pointer<R> {
            fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
                (**self).list(cx)
            }

            fn find<'a>(
                &'a self,
                name: &'a str,
                cx: &'a CallContext,
            ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
                (**self).find(name, cx)
            }

            fn names(&self) -> Vec<String> {
                (**self).names()
            }

            fn has_tasks(&self) -> bool {
                (**self).has_tasks()
            }

            fn watch(&self, listener: &ChangeListener) -> bool {
                (**self).watch(listener)
            }
        }
    )*};
}
behind_a_pointer!(Arc, Box);

impl Listing {
    /// The tools with this [capability](super::ToolBuilder::capability).
    pub fn with_capability<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Arc<Tool>> {
        self.iter().filter(move |tool| tool.capability() == Some(key))
    }
}

impl Entry for Tool {
    type Builder = ToolBuilder;
    type Error = RegisterError;
    const CHANGE: Change = Change::Tools;

    fn build(builder: ToolBuilder) -> Result<Self, RegisterError> {
        builder.build()
    }

    fn key(&self) -> &str {
        self.name()
    }

    fn taken(name: String) -> RegisterError {
        RegisterError::DuplicateName(name)
    }
}

impl ToolSet {
    /// A set of these tools, in this order.
    ///
    /// # Errors
    /// When a tool cannot be published as it is, or a name is taken. The error names the tool.
    pub fn try_from_tools(tools: impl IntoIterator<Item = ToolBuilder>) -> Result<Self, RegisterError> {
        let set = Self::new();
        set.replace(tools)?;
        Ok(set)
    }

    /// What in the tools hurts a model or a client, and how large they are: for a test, or to be printed at start.
    #[must_use]
    pub fn lint(&self) -> Lint {
        Lint::of(self.snapshot().iter().map(AsRef::as_ref))
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
        Reply::Now(Ok(self.get(name)))
    }

    fn names(&self) -> Vec<String> {
        self.snapshot().iter().map(|tool| tool.name().to_owned()).collect()
    }

    fn has_tasks(&self) -> bool {
        self.snapshot().iter().any(|tool| tool.task_support().is_some())
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.on_change(listener.clone());
        true
    }
}
