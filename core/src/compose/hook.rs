use std::future::ready;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::change::ChangeListener;
use crate::context::CallContext;
use crate::tool::{
    Arguments, Listing, RegistryError, Repairs, Reply, Tool, ToolError, ToolHandler, ToolRegistry, ToolResult,
};

/// Sees every call of a registry: to log it, to change it, to answer it itself.
///
/// All three methods do nothing unless they are written. Put around a registry with
/// [`Compose::hook`](super::Compose::hook); of several hooks the outermost is the first before a call and the last
/// after it.
///
/// ```
/// use std::ops::ControlFlow;
/// use mcp_http::compose::{Compose, Hook, ToolCall};
/// use mcp_http::{CallContext, IntoToolResult, Tool, ToolResult, ToolSet};
///
/// /// Answers one tool itself, and logs the others.
/// struct Mock;
///
/// impl Hook for Mock {
///     async fn before(&self, call: &mut ToolCall, _: &CallContext) -> ControlFlow<ToolResult> {
///         if call.tool().name() == "book_flight" {
///             return ControlFlow::Break("booked, but not really".into_tool_result());
///         }
///         ControlFlow::Continue(())
///     }
///
///     async fn after(&self, tool: &Tool, result: ToolResult, _: &CallContext) -> ToolResult {
///         println!("{} {}", tool.name(), if result.is_ok() { "succeeded" } else { "failed" });
///         result
///     }
/// }
///
/// let tools = ToolSet::new()
///     .with(Tool::builder("book_flight").description("Book a flight").handler(|| "booked"))?
///     .hook(Mock);
/// # drop(tools);
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
pub trait Hook: Send + Sync + 'static {
    /// Before a call whose arguments were checked. What is returned in `Break` is the result, and the tool does not run.
    fn before(
        &self,
        call: &mut ToolCall,
        cx: &CallContext,
    ) -> impl Future<Output = ControlFlow<ToolResult>> + Send {
        let _ = (call, cx);
        ready(ControlFlow::Continue(()))
    }

    /// After a call, whoever answered it. What is returned is the result.
    fn after(
        &self,
        tool: &Tool,
        result: ToolResult,
        cx: &CallContext,
    ) -> impl Future<Output = ToolResult> + Send {
        let _ = (tool, cx);
        ready(result)
    }

    /// A name was looked up: which tool it is, or that there is none.
    ///
    /// The arguments of the call are not checked yet, and the caller may have no business here.
    fn resolved(&self, name: &str, tool: Option<&Tool>, cx: &CallContext) {
        let _ = (name, tool, cx);
    }
}

/// A call that passed all checks, on its way to the tool.
#[derive(Debug)]
pub struct ToolCall {
    tool: Arc<Tool>,
    arguments: Arguments,
    changed: bool,
}

impl ToolCall {
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

    /// Gives the tool other arguments. They are checked once more: if they do not conform, the call fails, and the log
    /// tells why.
    pub fn set_arguments(&mut self, arguments: Map<String, Value>) {
        self.arguments = Arguments::new(arguments);
        self.changed = true;
    }

    /// Sets one argument, as [`set_arguments`](Self::set_arguments) does.
    pub fn set_argument(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let mut arguments = self.arguments.as_json().clone();
        arguments.insert(name.into(), value.into());
        self.set_arguments(arguments);
    }

    async fn run(self, cx: &CallContext) -> ToolResult {
        let Self { tool, mut arguments, changed } = self;
        if changed {
            let checked = tool.check_arguments(arguments.into_json(), Repairs::ALL);
            arguments = checked.map_err(|violations| {
                ToolError::internal(violations.report("a hook made arguments that do not conform:"))
            })?;
        }
        tool.run(arguments, cx).wait().await
    }
}

/// The tools of a registry, with a hook around them. Made by [`Compose::hook`](super::Compose::hook).
#[derive(Debug)]
pub struct Hooked<R, H> {
    inner: R,
    hook: Arc<H>,
}

impl<R, H> Hooked<R, H> {
    pub(super) fn new(inner: R, hook: H) -> Self {
        Self { inner, hook: Arc::new(hook) }
    }
}

impl<R: ToolRegistry, H: Hook> ToolRegistry for Hooked<R, H> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        self.inner.list(cx)
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        self.inner.find(name, cx).map(move |found| {
            let found = found?;
            self.hook.resolved(name, found.as_deref(), cx);
            Ok(found.map(|tool| {
                Arc::new(tool.run_by(HookedTool { tool: tool.clone(), hook: self.hook.clone() }))
            }))
        })
    }

    fn names(&self) -> Vec<String> {
        self.inner.names()
    }

    fn has_tasks(&self) -> bool {
        self.inner.has_tasks()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.inner.watch(listener)
    }
}

struct HookedTool<H> {
    tool: Arc<Tool>,
    hook: Arc<H>,
}

impl<H: Hook> ToolHandler for HookedTool<H> {
    fn call(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, ToolResult> {
        let (tool, hook, cx) = (self.tool.clone(), self.hook.clone(), cx.clone());
        Reply::later(async move {
            let mut call = ToolCall { tool: tool.clone(), arguments, changed: false };
            let result = match hook.before(&mut call, &cx).await {
                ControlFlow::Continue(()) => call.run(&cx).await,
                ControlFlow::Break(result) => result,
            };
            hook.after(&tool, result, &cx).await
        })
    }
}
