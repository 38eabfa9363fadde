//! Prompts: messages that a server has ready for its users, made of arguments that they fill in.
//!
//! ```
//! use mcp_http::{Prompt, PromptMessage, PromptSet, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Review {
//!     /// The code to look at
//!     code: String,
//!     /// How many remarks to make
//!     remarks: Option<u8>,
//! }
//!
//! let prompts = PromptSet::new().with(Prompt::builder("review").description("Reviews code").handler(|args: Review| {
//!     let remarks = args.remarks.unwrap_or(3);
//!     [
//!         PromptMessage::assistant("I am a careful reader."),
//!         PromptMessage::user(format!("Make at most {remarks} remarks on this code:\n{}", args.code)),
//!     ]
//! }))?;
//! let server = Server::builder("reviews", "1.0.0").prompts(prompts).build()?;
//! # drop(server);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The attribute [`#[prompt]`](macro@crate::prompt) writes the struct and the builder's calls itself.
//!
//! Clients send every argument as a text. One that is to be a number, a truth value, or one of the names of an enum is read
//! as such, and what cannot be read is refused before the function runs. Clients that support [completion](crate::Completing)
//! offer the names of an enum by themselves.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts>

mod builder;
mod output;
mod registry;

pub use builder::{Prompt, PromptBuilder};
pub use output::{IntoPromptOutput, PromptOutput, PromptResult};
pub use registry::{PromptRegistry, PromptSet, VisiblePrompts};
