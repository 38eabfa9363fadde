//! Serve an application's tools to AI agents over the Model Context Protocol (MCP), from whichever web framework the
//! application already uses.
//!
//! This crate is the protocol: bytes in, bytes out, no I/O. `mcp-actix` binds it to actix-web; [`McpService`] is a
//! `tower::Service` that axum and hyper serve as it is.
//!
//! ```
//! use mcp_http::{CallContext, Server, Tool, ToolSet};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     /// The first number.
//!     a: i64,
//!     /// The second number.
//!     b: i64,
//! }
//!
//! let tools = ToolSet::new()
//!     .with(Tool::builder("add").description("Adds two integers").handler(|args: Add| args.a.saturating_add(args.b)))?
//!     .with(Tool::builder("whoami").description("Says who is calling").handler(async |cx: CallContext| {
//!         cx.principal().map_or_else(|| "nobody".to_owned(), ToString::to_string)
//!     }))?;
//! let server = Server::builder("calculator", "1.0.0").tools(tools).build()?;
//! # drop(server);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! * [Defining tools](guide), prompts and resources: the guide, from the first function to state and permissions.
//! * [Running a server for others](guide::deployment): proxies, several processes, shutdown, Lambda.
//! * Writing tools: [`#[tools]`](macro@tools) and [`#[tool]`](macro@tool), or [`Tool`] and [`Handler`];
//!   [`IntoToolResult`], [`ToolError`], [`CallContext`], [`FromCall`].
//! * Calls that go on without a connection: [`task`].
//! * What in your tools hurts a model or a client, and how large they are: [`ToolSet::lint`].
//! * Keeping tools elsewhere than in memory: [`ToolRegistry`].
//! * Prompts and resources: [`#[prompt]`](macro@prompt) and [`#[resource]`](macro@resource), or builders:
//!   [`prompt`](mod@prompt), [`resource`](mod@resource); completing what users type:
//!   [`completion`]; telling clients of changes: [`Change`], [`ChangeSource`].
//! * Letting in only who has a token: [`auth`].
//! * Settings of a server: [`ServerBuilder`]; what is made of arguments that are almost right: [`Repairs`].
//! * Putting registries around registries: [`compose`].
//! * Testing tools: [`testing`].
//! * Driving the protocol by hand: [`Server::receive`], [`Step`], [`Exchange`].
//!
//! # How it is built
//!
//! A request is taken by [`Server::receive`], a pure function, which answers it or says what the application has to be
//! asked ([`Step`]). [`McpService`] runs the application's part: while it is silent the answer is one JSON body, and once
//! it says something first, an event stream whose body polls it. Clients of three revisions are served
//! ([`Revision`]), and the application never sees the difference: one place projects an answer to what the caller's
//! revision has.
//!
//! # Features
//!
//! * `json-schema` (default): schemas may have any keyword of JSON Schema, not only those that schemas of types have.
//!   It costs about 4 MB of binary; what the derived schemas say is checked without it. To build without it, set
//!   `default-features = false` on this crate and on its adapter.
//! * `formats`: a tool may have the `format` of its arguments checked ([`ToolBuilder`]'s `check_formats`). About 1 MB
//!   more.
//! * `tokio`: a [`Runtime`] of tokio's timers and tasks.

extern crate self as mcp_http;

pub mod auth;
mod change;
pub mod completion;
pub mod compose;
mod context;
pub mod guide;
mod header;
pub mod input;
mod jsonrpc;
mod media;
mod origin;
pub mod prompt;
pub mod registry;
pub mod resource;
mod revision;
mod runtime;
mod seal;
mod server;
mod service;
mod sse;
pub mod task;
pub mod testing;
pub mod tool;
mod types;
mod uri_template;

pub use change::{Change, ChangeListener, ChangeSource, LocalChanges};
#[doc(inline)]
pub use completion::{Completer, Completing, Completion, IntoCompletion};
pub use context::{CallContext, Notification, Principal, TraceContext};
pub use jsonrpc::{ErrorCode, Id};
#[doc(inline)]
pub use mcp_http_macros::{prompt, resource, tool, tools};
pub use origin::{Connection, Host, HostPolicy, NotAnOrigin};
#[doc(inline)]
pub use prompt::{
    IntoPromptOutput, Prompt, PromptBuilder, PromptOutput, PromptRegistry, PromptResult, PromptSet,
    VisiblePrompts,
};
pub use registry::{Entry, List, RegistryError, Reply, Set};
#[doc(inline)]
pub use resource::{
    IntoResourceOutput, Resource, ResourceBuilder, ResourceOutput, ResourceRegistry, ResourceResult,
    ResourceSet, ResourceTemplate, ResourceTemplateBuilder, VisibleResources,
};
pub use revision::Revision;
#[cfg(feature = "tokio")]
pub use runtime::TokioRuntime;
pub use runtime::{BoxFuture, Runtime};
pub use seal::SealingKey;
pub use server::{
    BuildError, Call, Event, EventStream, Exchange, HeaderMode, LegacyDates, Outcome, Running, Server,
    ServerBuilder, Step, TaskRun,
};
pub use service::{Body, McpService};
#[doc(inline)]
pub use tool::{
    Arguments, Extension, Finding, FromCall, Handler, IntoOutput, IntoToolResult, Json, LazyTools, Lint,
    Listing, Nullable, RegisterError, Repairs, SchemaError, TaskSupport, Tool, ToolBuilder, ToolError,
    ToolHandler, ToolList, ToolOutput, ToolRegistry, ToolResult, ToolSet, ToolSize,
};
pub use types::{
    Annotations, CacheScope, Capability, ClientCapabilities, Content, ContentBlock, Icon, Implementation,
    LogLevel, PromptArgument, PromptMessage, ResourceContents, Role, ToolAnnotations,
};

/// What the macros refer to, so that their users need not depend on it. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use {schemars, serde, serde_json};

    /// The schema of a parameter that brings its own. What is not a schema is refused when the tool is registered.
    #[must_use]
    pub fn schema(value: impl TryInto<schemars::Schema>) -> schemars::Schema {
        value.try_into().unwrap_or_else(|_| schemars::json_schema!({ "not": null }))
    }

    /// A default is published, so its type has to serialise.
    pub const fn published_default<T: serde::Serialize>() {}
}
