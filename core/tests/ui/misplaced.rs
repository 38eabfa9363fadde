#![allow(unused)]

use mcp_http::{tool, tools};

struct Lonely;

impl Lonely {
    /// Has no `#[tools]` around it.
    #[tool]
    fn method(&self) {}
}

#[tool]
struct NotAFunction;

#[tools]
fn not_an_impl() {}

/// Is in a trait.
trait Interface {
    /// Has no body.
    #[tool]
    fn method(&self);
}

fn main() {}
