#![allow(unused)]

use mcp_http::{CallContext, resource};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: u64,
}

/// Takes what is not in the URI.
#[resource("shop://orders/{id}{?page,size}")]
fn order(id: u64, pages: u32, #[param(name = "Size")] size: u32, cx: &CallContext) -> String {
    String::new()
}

/// Takes something, although there are no variables.
#[resource("shop://terms")]
fn terms(language: String) -> String {
    String::new()
}

/// Takes a struct, although there are no variables.
#[resource("shop://terms")]
fn terms_of_a_struct(#[param(args)] which: Which) -> String {
    String::new()
}

/// Takes what no text is.
#[resource("shop://{a}/{b}/{c}")]
fn texts(#[param(nullable)] a: Option<String>, #[param(header = "B")] b: String, c: &[u8]) -> String {
    String::new()
}

fn main() {}
