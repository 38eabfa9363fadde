#![allow(unused)]

use mcp_http::tool;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Search {
    query: String,
}

/// Mixes the forms.
#[tool(deny_unknown)]
fn mixed(#[param(args, min = 1)] search: Search, limit: u32, #[param(args)] more: Search) {}

fn main() {}
