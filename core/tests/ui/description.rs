#![deny(deprecated)]

use mcp_http::{tool, tools};

struct Silent;

#[tools]
impl Silent {
    #[tool]
    fn method(&self) {}
}

#[tool(title = "A title is no description")]
fn function() {}

#[tool("Is described")]
fn described() {}

fn main() {}
