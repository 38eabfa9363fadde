#![allow(unused)]

use mcp_http::tool;

/// Knows other libraries.
#[tool(tittle = "Search", readonly, rename = "search", colour = "red")]
fn search(
    #[param(minimum = 1, maximum = 2)] a: u32,
    #[param(enum = ["x"], defualt = "x")] b: String,
    #[param(optional)] c: String,
) {
}

/// Says things twice, or not at all.
#[tool(title = "A", title = "B", name)]
fn twice(#[param(min = , max = 5)] a: u32, #[param(min = 1)] #[param(max = 2)] b: u32, #[param(header)] c: String) {}

/// Is not in parentheses.
#[tool(read_only destructive)]
fn no_comma(#[param = "text"] a: String) {}

/// Contradicts itself.
#[tool(read_only, destructive)]
fn contradiction() {}

/// Has metadata that is not an object.
#[tool(meta = "x")]
fn meta() {}

/// Is a task of no known kind.
#[tool(task = "always")]
fn task() {}

fn main() {}
