//! What is common to all registries, whether of [tools](crate::ToolRegistry), [prompts](crate::PromptRegistry) or
//! [resources](crate::ResourceRegistry): how they [answer](Reply), what they [list](Listing), and the [set](Set) in memory.

mod listing;
mod reply;
mod set;

pub use listing::{List, Listing};
pub use reply::{RegistryError, Reply};
pub use set::{Entry, Set};
