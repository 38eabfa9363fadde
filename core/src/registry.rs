//! What is common to all registries, whatever they hold: how they answer, and the set in memory.

mod listing;
mod reply;
mod set;

pub use listing::List;
pub(crate) use listing::Listing;
pub use reply::{RegistryError, Reply};
pub use set::{Entry, Set};
