//! What the measured servers have in common: the tools they serve, and the answers that the bare ones prepared.

#[cfg(feature = "ours")]
pub mod ours;
pub mod prepared;
pub mod tools;
