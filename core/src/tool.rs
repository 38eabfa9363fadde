//! Tools: what they are called and take ([`Tool`]), where they are kept ([`ToolRegistry`], [`ToolSet`]), and what
//! they give back ([`IntoToolResult`], [`ToolError`]).
//!
//! ```
//! use mcp_http::{Json, Tool, ToolError, ToolSet};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Divide {
//!     /// What is divided.
//!     dividend: i64,
//!     /// What it is divided by.
//!     divisor: i64,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Quotient {
//!     quotient: i64,
//!     remainder: i64,
//! }
//!
//! let tools = ToolSet::new();
//! tools.add(Tool::builder("divide").description("Divides two integers").handler(|args: Divide| {
//!     let quotient = args.dividend.checked_div(args.divisor).ok_or(ToolError::new("divide by something but 0"))?;
//!     let remainder = args.dividend % args.divisor;
//!     Ok::<_, ToolError>(Json(Quotient { quotient, remainder }))
//! }))?;
//! # Ok::<_, mcp_http::RegisterError>(())
//! ```
//!
//! # Functions as tools
//!
//! The attributes [`#[tools]`](macro@crate::tools) on an `impl` and [`#[tool]`](macro@crate::tool) on a function write
//! the struct and the builder's calls themselves:
//!
//! ```
//! use mcp_http::{Principal, ToolSet, tool};
//!
//! /// Adds two integers.
//! #[tool(read_only)]
//! async fn add(
//!     /// The first number
//!     a: i64,
//!     /// The second number
//!     #[param(default = 1, min = 0)]
//!     b: i64,
//! ) -> i64 {
//!     a.saturating_add(b)
//! }
//!
//! /// Says who is calling.
//! #[tool]
//! fn whoami(caller: Principal) -> String {
//!     caller.to_string()
//! }
//!
//! let tools = ToolSet::try_from_tools([add::tool(), whoami::tool()])?;
//! # drop(tools);
//! # Ok::<_, mcp_http::RegisterError>(())
//! ```
//!
//! A tool can be written in three forms: a function with a parameter for each argument, one that takes a struct of them
//! (`#[param(args)]`), and a closure that takes that struct, given to [`ToolBuilder::handler`] at run time. Clients see
//! the same bytes. The attributes of the first have these counterparts on the fields of the struct:
//!
//! | `#[param(…)]` | field of a struct |
//! |---|---|
//! | `"text"` | doc comment, or `#[schemars(description = "text")]` |
//! | `name = "type"` | `#[serde(rename = "type")]` |
//! | `default = 10` | `#[serde(default = "path::to::function")]` |
//! | `min = 1, max = 9` | `#[schemars(range(min = 1, max = 9))]` |
//! | `one_of = ["a", "b"]` | `#[schemars(extend("enum" = ["a", "b"]))]`, or an enum as its type |
//! | `format = "email"` | `#[schemars(extend("format" = "email"))]` |
//! | `items = { … }` | `#[schemars(extend("items" = { … }))]` |
//! | `schema = …` | `#[schemars(schema_with = "path::to::function")]` |
//! | `header = "Region"` | `#[schemars(extend("x-mcp-header" = "Region"))]` |
//! | `nullable` | `#[serde(with = "Nullable::<T>")]`, see [`Nullable`] |
//! | `#[tool(deny_unknown)]` | `#[serde(deny_unknown_fields)]` on the struct |
//!
//! What is published for which type is [listed with `#[tool]`](macro@crate::tool#schemas-of-types).

mod arguments;
mod builder;
mod check;
mod from_call;
mod handler;
mod lazy;
mod lint;
mod nullable;
mod output;
pub(crate) mod param_header;
mod questions;
mod registry;
pub(crate) mod schema;
mod texts;

pub use crate::registry::{RegistryError, Reply};
pub use arguments::Arguments;
pub(crate) use builder::is_name;
pub use builder::{RegisterError, TaskSupport, Tool, ToolBuilder};
pub use check::Repairs;
pub(crate) use check::Violations;
pub use from_call::{Extension, FromCall};
pub(crate) use handler::{Function, Runs};
pub use handler::{Handler, ToolHandler};
pub use lazy::LazyTools;
pub use lint::{Finding, Lint, ToolSize};
pub use nullable::Nullable;
pub use output::{IntoOutput, IntoToolResult, Json, ToolError, ToolOutput, ToolResult};
pub use questions::{NotAForm, Questions};
pub use registry::{Listing, ToolList, ToolRegistry, ToolSet};
pub use schema::SchemaError;
pub(crate) use texts::Texts;
