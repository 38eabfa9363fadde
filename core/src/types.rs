//! The data of the protocol, in the shape of its newest revision.
//!
//! Older revisions get a projection of it when an answer is encoded.

mod capabilities;
mod content;
mod implementation;
mod log;
mod tool;

pub use capabilities::{Capability, ClientCapabilities};
pub use content::{Annotations, Content, ContentBlock, ResourceContents, Role};
pub use implementation::{Icon, Implementation};
pub use log::LogLevel;
pub use tool::ToolAnnotations;
pub(crate) use tool::{NamedTool, ToolDefinition};
