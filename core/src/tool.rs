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
//! #[derive(Serialize)]
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

mod arguments;
mod builder;
mod check;
mod handler;
mod output;
mod param_header;
mod registry;
pub(crate) mod schema;
mod set;

pub use arguments::Arguments;
pub use builder::{RegisterError, Tool, ToolBuilder};
pub use check::Repairs;
pub use handler::{Handler, ToolHandler};
pub use output::{IntoToolResult, Json, ToolError, ToolOutput, ToolResult};
pub use registry::{Listing, RegistryError, Reply, ToolCall, ToolRegistry};
pub use schema::SchemaError;
pub use set::{ToolList, ToolSet};
