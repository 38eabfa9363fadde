//! The data of the protocol, in the shape of its newest revision.
//!
//! Older revisions get a projection of it when an answer is encoded.

mod caching;
mod capabilities;
mod content;
mod elicitation;
mod implementation;
mod input;
mod log;
mod prompt;
mod resource;
mod sampling;
mod tool;

pub use caching::CacheScope;
pub(crate) use caching::Caching;
pub(crate) use capabilities::TASKS;
pub use capabilities::{Capability, ClientCapabilities};
pub use content::{Annotations, Content, ContentBlock, ResourceContents, Role};
pub use elicitation::{Elicited, Field, Form, TextFormat};
pub use implementation::{Icon, Implementation};
pub(crate) use input::{InputRequest, InputRequired};
pub use log::LogLevel;
pub(crate) use prompt::PromptDefinition;
pub use prompt::{PromptArgument, PromptMessage};
pub(crate) use resource::{Place, ResourceDefinition};
pub use sampling::{Root, Sampled, Sampling};
pub use tool::ToolAnnotations;
pub(crate) use tool::{NamedTool, ToolDefinition};
