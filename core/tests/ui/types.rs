#![allow(unused)]

use mcp_http::{Json, tool, tools};

struct Opaque;

#[derive(serde::Serialize)]
struct Shapeless;

struct Shop;

#[tools]
impl Shop {
    /// Gives back what no client understands.
    #[tool]
    async fn opaque(&self) -> Opaque {
        Opaque
    }
}

/// Gives back what has no schema.
#[tool]
fn shapeless() -> Json<Shapeless> {
    Json(Shapeless)
}

/// Takes from the call what is not there.
#[tool]
fn from_call(#[param(from_call)] opaque: Opaque) {}

fn main() {}
