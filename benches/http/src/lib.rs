//! What the measured servers have in common: the tools they serve, and the answers that the bare ones prepared.

pub mod prepared;
pub mod tools;
