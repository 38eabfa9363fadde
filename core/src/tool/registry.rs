use std::fmt;
use std::sync::Arc;

use super::Tool;
use super::set::ToolList;
use crate::context::CallContext;
use crate::runtime::BoxFuture;

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
        }
    )*};
}
behind_a_pointer!(Arc, Box);

/// An answer that is there, or one to wait for.
pub enum Reply<'a, T> {
    /// The answer.
    Now(T),
    /// The answer, once it is ready.
    Later(BoxFuture<'a, T>),
}

impl<'a, T> Reply<'a, T> {
    /// The answer of a future.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }

    /// Makes another answer of it.
    pub fn map<U>(self, map: impl FnOnce(T) -> U + Send + 'a) -> Reply<'a, U>
    where
        T: 'a,
    {
        match self {
            Self::Now(answer) => Reply::Now(map(answer)),
            Self::Later(future) => Reply::later(async move { map(future.await) }),
        }
    }

    /// Waits for the answer.
    pub async fn wait(self) -> T {
        match self {
            Self::Now(answer) => answer,
            Self::Later(future) => future.await,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Reply<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(_) => f.debug_tuple("Later").finish_non_exhaustive(),
        }
    }
}

/// What a registry lists.
#[derive(Debug, Clone)]
pub enum Listing {
    /// The same for every caller: encoded once, and clients may share it.
    Shared(Arc<ToolList>),
    /// This caller's own: encoded for each request, and nobody else may be given a cached copy.
    Own(Vec<Arc<Tool>>),
}

impl Listing {
    /// The tools, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        let (shared, own) = match self {
            Self::Shared(list) => (Some(list.iter()), None),
            Self::Own(tools) => (None, Some(tools.iter())),
        };
        shared.into_iter().flatten().chain(own.into_iter().flatten())
    }

    /// The tools with this [capability](super::ToolBuilder::capability).
    pub fn with_capability<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Arc<Tool>> {
        self.iter().filter(move |tool| tool.capability() == Some(key))
    }
}

/// A registry could not answer. The reason is logged; the client learns only that the server failed.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub struct RegistryError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl RegistryError {
    /// A failure with its reason: an error, or a text.
    pub fn new(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(reason.into())
    }
}
