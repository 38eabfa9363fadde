//! The public API, both ends in one process: requests go into a server, and what comes out is looked at closely.
//!
//! No sockets, no threads, no waiting. With `MCP_SPEC_DIR` set every answer is also checked against the published
//! schema of its revision (see `published`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test stops at what it did not expect"
)]

mod access;
mod answer;
mod answers;
mod arguments;
mod arrows;
mod auth;
mod completion;
mod compose;
mod failures;
mod functions;
mod headers;
mod input;
mod listen;
mod lists;
mod order;
mod prompts;
mod properties;
mod published;
mod registration;
mod registries;
mod request;
mod resources;
mod revisions;
mod rows;
mod rules;
mod schemas;
mod service;
mod sessions;
mod streams;
mod support;
mod tasks;
mod testing;
mod tools;
#[path = "../types/mod.rs"]
mod types;
