#![allow(unused)]

use mcp_http::tool;

/// Has values of another type.
#[tool]
fn values(
    #[param(one_of = [1, 2])] a: String,
    #[param(one_of = ["one"])] b: Option<u32>,
    #[param(one_of = [])] c: String,
    #[param(one_of = ["x", "y", "x"])] d: String,
    #[param(one_of = ["x"])] e: Vec<String>,
) {
}

/// Has defaults that are not allowed.
#[tool]
fn defaults(
    #[param(default = "z", one_of = ["x", "y"])] a: String,
    #[param(default = "5")] b: u32,
    #[param(default = 5)] c: String,
    #[param(default = "true")] d: bool,
) {
}

/// Describes the elements of what has none.
#[tool]
fn items(#[param(items = { "type": "string" })] a: String) {}

/// Says the same in two places.
#[tool]
fn schemas(#[param(schema = { "type": "integer" }, min = 1, format = "x")] a: i64) {}

fn main() {}
