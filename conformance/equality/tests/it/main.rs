//! One table of requests, and every way to serve them: the answers have the same status, headers and bytes.
//!
//! What core answers when it is asked directly is the measure. A new adapter implements [`host::Host`] and is added to
//! [`hosts::all`]; a new request is a row of one of the tables in [`rows`].

#![cfg(test)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test stops at what it did not expect"
)]

mod asking;
mod compare;
mod equality;
mod host;
mod hosts;
mod row;
mod rows;
mod setting;
mod site;
mod warp;
#[path = "../../../../transport-actix/tests/it/wire.rs"]
#[expect(dead_code, reason = "the tests of mcp-actix use the rest")]
mod wire;
