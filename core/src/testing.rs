//! A client in the same process, for the tests of an application: no socket, no port, and every check that a real client
//! meets.
//!
//! ```
//! use mcp_http::testing::Client;
//! use mcp_http::{Principal, Server, ToolError, ToolSet, tool};
//! use serde_json::json;
//!
//! /// Add two integers.
//! #[tool]
//! fn add(a: i64, #[param(default = 1)] b: i64) -> i64 {
//!     a + b
//! }
//!
//! /// Say who is calling.
//! #[tool]
//! fn whoami(caller: Principal) -> String {
//!     caller.to_string()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([add::tool(), whoami::tool()])?;
//! let server = Server::builder("calculator", "1.0.0").tools(tools).build()?;
//!
//! let client = Client::new(&server);
//! assert_eq!(client.list().await?[0].name, "add");
//! assert_eq!(client.call("add", json!({ "a": 2, "b": 3 })).await?.text(), "5");
//!
//! let refused = client.call("add", json!({ "a": "two" })).await?;
//! assert!(refused.is_error);
//! assert_eq!(refused.text(), "Invalid arguments for tool add:\n- /a: expected an integer, got a string");
//!
//! let ann = Client::new(&server).principal("ann");
//! assert_eq!(ann.call("whoami", json!({})).await?.text(), "ann");
//! # Ok(())
//! # }
//! ```
//!
//! A client speaks the newest revision unless it is told [another](Client::revision). To see what all of them see:
//!
//! ```
//! # use mcp_http::testing::Client;
//! # use mcp_http::{Revision, Server, Tool, ToolSet};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let tools = ToolSet::new().with(Tool::builder("hello").handler(|| "Hello!"))?;
//! # let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
//! for revision in Revision::ALL {
//!     let client = Client::new(&server).revision(revision);
//!     assert_eq!(client.call("hello", ()).await?.text(), "Hello!");
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod results;
mod runtime;

pub use client::{Client, Error};
pub use results::{CallResult, ListedTool};
