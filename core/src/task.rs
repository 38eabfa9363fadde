//! Calls that go on without a connection: tasks, and where they are kept.
//!
//! A tool that says so ([`ToolBuilder::task`](crate::ToolBuilder::task)) becomes a task where its client declared the
//! extension `io.modelcontextprotocol/tasks` and the tool is not ready at once. The client is answered with a handle then,
//! and the tool goes on in the background. The client asks how it stands (`tasks/get`), answers what the tool
//! [asks](crate::input) (`tasks/update`), has it stopped (`tasks/cancel`), or listens for its changes. The tool is written as
//! any other:
//!
//! ```
//! use std::time::Duration;
//! use mcp_http::testing::Client;
//! use mcp_http::{CallContext, Server, ToolSet, tool};
//! use serde_json::json;
//!
//! /// Write the yearly report, which takes a while.
//! #[tool(task = "optional")]
//! async fn write_report(year: u32, cx: &CallContext) -> String {
//!     cx.sleep(Duration::from_millis(20)).await;
//!     format!("all was well in {year}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([write_report::tool()])?;
//! let server = Server::builder("reports", "1.0.0").tools(tools).build()?;
//!
//! let client = Client::new(&server).capabilities(json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }));
//! let handle = client.call("write_report", json!({ "year": 2026 })).await?;
//! assert!(handle.task.is_some());
//! let report = client.follow(&handle).await?;
//! assert_eq!(report.text(), "all was well in 2026");
//!
//! // Others wait for their answer as ever.
//! let report = Client::new(&server).call("write_report", json!({ "year": 2025 })).await?;
//! assert_eq!(report.text(), "all was well in 2025");
//! # Ok(())
//! # }
//! ```
//!
//! # What becomes of a call
//!
//! | the tool | the client gets |
//! |---|---|
//! | is ready at once | its result |
//! | asks before it waits for anything | its questions, as ever, and the task after the answers |
//! | has to be waited for | a handle |
//! | asks later | the task's questions, in `tasks/get`, and goes on when all are answered |
//! | gives back a result, with `isError` or without | `completed`, with the result that the call would have had |
//! | asks what the client did not declare | `failed`, with the error that the call would have had |
//! | panics | `failed`; a call would have had a result with `isError` |
//!
//! So a tool does before its first wait what must be done before the client gets a handle. Its
//! [progress](crate::CallContext::progress) is the status that clients see, written down at most once in a
//! [poll interval](crate::ServerBuilder::task_poll_interval). Log messages of a task are not sent: the protocol has none.
//!
//! # How long
//!
//! A [`deadline`](crate::ServerBuilder::deadline) is for calls, and ends where the task begins. A task has a time to live,
//! from its beginning ([`task_ttl`](crate::ServerBuilder::task_ttl)): when that has passed it is gone, and its tool with it if
//! it still runs. A task that is cancelled drops the tool at its next `await`, and
//! [`CallContext::cancelled`](crate::CallContext::cancelled) tells what the tool started. What is over stays as it is: a
//! cancelled task has no result, whatever its tool still does.
//!
//! # Whose
//!
//! A task is its [`Principal`](crate::Principal)'s. To others, and to those who guess, there is none. An anonymous caller's is
//! anybody's who knows the id, which has 192 random bits.
//!
//! # Where they are kept
//!
//! [`LocalTasks`] keeps them in this process, with bounds on their number and bytes. Where there is no room, an optional task
//! is a call, and a required one is refused before its tool runs. For several processes, implement [`TaskStore`] on
//! something that they share, such as a database: any of them then answers for a task, and the one that began it runs it.
//! They need a shared [`ChangeSource`](crate::ChangeSource) too: it tells that process of answers and of being stopped. A
//! process that ends takes the tools that run in it with it; their tasks are as they last were until their time is over.
//!
//! The [`Runtime`](crate::Runtime) has to [detach](crate::Runtime::detach) what goes on. On a host that is a function, such as
//! AWS Lambda, nothing goes on after the answer: there are no tasks, an optional one is a call, and a required one fails.
//!
//! Source: <https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md>

mod local;
mod record;
mod store;
mod time;

pub use local::LocalTasks;
pub(crate) use record::State;
pub use record::Task;
pub use store::{TaskStore, TaskStoreError};
pub(crate) use time::iso_8601;
