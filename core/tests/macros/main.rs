//! The attributes `#[tools]`, `#[tool]`, `#[prompt]` and `#[resource]`: what they publish, how they run, and what they refuse.
#![cfg(test)]

mod calls;
mod client;
mod forms;
mod offers;
mod params;
mod published;
mod refused;
