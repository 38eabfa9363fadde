//! The attributes `#[tools]` and `#[tool]`: what they publish, how the tools run, and what they refuse.
#![cfg(test)]

mod calls;
mod client;
mod forms;
mod params;
mod published;
mod refused;
