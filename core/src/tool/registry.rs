use std::fmt;
use std::sync::Arc;

use super::set::ToolList;
use super::{Arguments, Tool, ToolResult};
use crate::context::CallContext;
use crate::runtime::BoxFuture;

/// The tools of an application, wherever they are kept.
///
/// [`ToolSet`](super::ToolSet) keeps them in memory. Implement this to serve tools from a database or from
/// elsewhere: every method may wait. Whatever the registry, arguments are checked against the schema that the tool
/// publishes before [`call`](Self::call) sees them.
///
/// ```
/// use std::sync::Arc;
/// use mcp_http::{CallContext, Listing, RegistryError, Reply, Tool, ToolCall, ToolOutput, ToolRegistry, ToolResult};
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
///     fn call<'a>(&'a self, _: ToolCall, cx: &'a CallContext) -> Reply<'a, ToolResult> {
///         Reply::later(async move { ToolOutput::structured(&cx.principal().map(|who| who.as_str())) })
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

    /// Runs a tool that was found, with arguments that were checked.
    ///
    /// # Errors
    /// When the tool failed.
    fn call<'a>(&'a self, call: ToolCall, cx: &'a CallContext) -> Reply<'a, ToolResult>;
}

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

/// A call that passed all checks. Only this crate can make one.
///
/// It carries the tool that was checked, even if the registry has replaced it since.
#[derive(Debug)]
pub struct ToolCall {
    tool: Arc<Tool>,
    arguments: Arguments,
}

impl ToolCall {
    pub(crate) fn new(tool: Arc<Tool>, arguments: Arguments) -> Self {
        Self { tool, arguments }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// The arguments, which conform to the tool's input schema.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// Takes the call apart.
    #[must_use]
    pub fn into_parts(self) -> (Arc<Tool>, Arguments) {
        (self.tool, self.arguments)
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
