#![allow(unused)]

use mcp_http::tool;

/// Has a space in its name.
#[tool(name = "two words")]
fn words() {}

/// Has no name at all.
#[tool(name = "")]
fn empty() {}

/// Has a name that no client can send.
#[tool]
fn größe() {}

/// Has a name that is no string.
#[tool(name = 5)]
fn number() {}

fn main() {}
