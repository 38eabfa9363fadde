#![allow(unused)]

use mcp_http::tool;

/// Cannot decide.
#[tool]
fn presence(
    #[param(nullable)] a: String,
    #[param(nullable, default = Some(1))] b: Option<u32>,
    #[param(default = Some(1))] c: Option<u32>,
    #[param(default)] d: Option<u32>,
) {
}

/// Gives two arguments one name.
#[tool]
fn names(a: u32, #[param(name = "a")] b: u32, #[param(name = "")] c: u32) {}

fn main() {}
