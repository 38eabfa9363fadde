use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments::Arguments;
use super::output::{IntoOutput, ToolError, ToolOutput, ToolResult};
use super::schema;
use crate::context::CallContext;
use crate::registry::Reply;

/// What runs a tool.
///
/// Functions and closures get here through [`ToolBuilder::handler`](super::ToolBuilder::handler); implement it for
/// tools whose arguments have no Rust type.
pub trait ToolHandler: Send + Sync {
    /// Runs the tool with arguments that conform to its input schema.
    ///
    /// # Errors
    /// When the tool failed.
    fn call(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, ToolResult>;
}

/// Functions that can be tools: `Fn()`, `Fn(Args)`, `Fn(CallContext)` and `Fn(Args, CallContext)`, sync or async,
/// where `Args` is `Deserialize + JsonSchema` and the result [`IntoToolResult`](super::IntoToolResult).
///
/// The same shapes can be prompts and read resources: `Output` is what they make then, of a result that is
/// [`IntoPromptOutput`](crate::IntoPromptOutput) or [`IntoResourceOutput`](crate::IntoResourceOutput).
///
/// A sync function runs on the thread that serves the request: one that blocks belongs on a thread pool.
/// `Marker` only tells the shapes apart; it is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool",
    label = "not a tool",
    note = "a tool takes nothing, arguments that are `Deserialize + JsonSchema`, a `CallContext`, or both in this order",
    note = "and gives a type that is `IntoToolResult`, or a `Send` future of one; the `T` of a `Json<T>` is `Serialize + JsonSchema`"
)]
pub trait Handler<Marker, Output = ToolOutput>: Send + Sync + 'static {
    /// The schema of the arguments.
    fn input_schema() -> Value;

    /// The schema of what it gives back as structured content, if it always does.
    fn output_schema() -> Option<Value>;

    /// Runs the function.
    ///
    /// # Errors
    /// When the arguments do not fit its type, or it failed.
    fn run(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, Result<Output, ToolError>>;
}

/// A [`Handler`] of which only its output is still known.
pub(crate) trait Runs<Output>: Send + Sync {
    fn run(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, Result<Output, ToolError>>;
}

impl<Output, Marker: 'static, F: Handler<Marker, Output>> Runs<Output> for Function<F, Marker> {
    fn run(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, Result<Output, ToolError>> {
        self.function.run(arguments, cx)
    }
}

/// A [`Handler`] whose shape is settled.
pub(crate) struct Function<F, Marker> {
    function: F,
    shape: std::marker::PhantomData<fn() -> Marker>,
}

impl<F, Marker> Function<F, Marker> {
    pub(crate) fn new(function: F) -> Self {
        Self { function, shape: std::marker::PhantomData }
    }
}

impl<Marker: 'static, F: Handler<Marker>> ToolHandler for Function<F, Marker> {
    fn call(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, ToolResult> {
        self.function.run(arguments, cx)
    }
}

fn no_arguments() -> Value {
    schema::no_arguments()
}

fn bind<A: DeserializeOwned>(arguments: Arguments) -> Result<A, ToolError> {
    arguments.bind()
}

#[doc(hidden)]
#[derive(Debug)]
pub struct Direct;
#[doc(hidden)]
#[derive(Debug)]
pub struct Awaited;
#[doc(hidden)]
#[derive(Debug)]
pub struct Context;

/// One shape of function, sync and async: its marker, its parameters, its schema, and how a call becomes parameters.
macro_rules! shape {
    ($marker:ty, [$($generic:ident)?], ($($parameter:ty),*), $schema:expr, |$arguments:ident, $cx:ident| $call:expr) => {
        impl<F, R, O, $($generic)?> Handler<(Direct, $marker), O> for F
        where
            F: Fn($($parameter),*) -> R + Send + Sync + 'static,
            R: IntoOutput<O>,
            $($generic: DeserializeOwned + JsonSchema + 'static,)?
        {
            fn input_schema() -> Value {
                $schema
            }
            fn output_schema() -> Option<Value> {
                R::output_schema()
            }
            fn run(&self, $arguments: Arguments, $cx: &CallContext) -> Reply<'static, Result<O, ToolError>> {
                let call = $call;
                Reply::Now(call(self).and_then(IntoOutput::into_output))
            }
        }

        impl<F, Fut, O, $($generic)?> Handler<(Awaited, $marker), O> for F
        where
            F: Fn($($parameter),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output: IntoOutput<O>> + Send + 'static,
            $($generic: DeserializeOwned + JsonSchema + 'static,)?
        {
            fn input_schema() -> Value {
                $schema
            }
            fn output_schema() -> Option<Value> {
                Fut::Output::output_schema()
            }
            fn run(&self, $arguments: Arguments, $cx: &CallContext) -> Reply<'static, Result<O, ToolError>> {
                let call = $call;
                match call(self) {
                    Ok(future) => Reply::later(async move { future.await.into_output() }),
                    Err(error) => Reply::Now(Err(error)),
                }
            }
        }
    };
}

shape!((), [], (), no_arguments(), |_arguments, _cx| |function: &F| Ok(function()));
shape!((Context,), [], (CallContext), no_arguments(), |_arguments, cx| |function: &F| Ok(function(
    cx.clone()
)));
shape!((A,), [A], (A), schema::derive::<A>(), |arguments, _cx| |function: &F| bind(arguments).map(function));
shape!((A, Context), [A], (A, CallContext), schema::derive::<A>(), |arguments, cx| |function: &F| {
    bind(arguments).map(|arguments| function(arguments, cx.clone()))
});
