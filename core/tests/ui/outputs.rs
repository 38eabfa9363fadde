#![allow(unused)]

use mcp_http::{prompt, resource};

struct Opaque;

/// Gives back what is no message.
#[prompt]
fn number() -> u32 {
    1
}

/// Gives back what has no contents.
#[resource("shop://opaque")]
async fn contents() -> Opaque {
    Opaque
}

/// Takes something from the call that is not there.
#[resource("shop://call")]
fn call(#[param(from_call)] what: Opaque) -> String {
    String::new()
}

fn main() {}
