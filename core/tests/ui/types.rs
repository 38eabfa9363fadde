#![allow(unused)]

use mcp_http::{Json, tool, tools};

struct Opaque;

struct Shop;

#[tools]
impl Shop {
    /// Gives back what no client understands.
    #[tool]
    async fn opaque(&self) -> Opaque {
        Opaque
    }
}

/// Gives back text.
#[tool(output_schema)]
fn text() -> Result<String, std::fmt::Error> {
    Ok(String::new())
}

/// Takes from the call what is not there.
#[tool]
fn from_call(#[param(from_call)] opaque: Opaque) {}

fn main() {}
