#![allow(unused)]

use mcp_http::{tool, tools};

struct Empty;

#[tools]
impl Empty {
    fn helper(&self) {}
}

struct Twice;

#[tools]
impl Twice {
    /// Adds.
    #[tool]
    fn add(&self) {}

    /// Adds, too.
    #[tool(name = "add")]
    fn sum(&self) {}

    /// Is marked twice.
    #[tool]
    #[tool(read_only)]
    fn marked(&self) {}

    /// Is no function.
    #[tool]
    const LIMIT: u32 = 1;

    fn helper(#[param(min = 1)] limit: u32) {}
}

#[tools]
impl Clone for Twice {
    /// Copies.
    #[tool]
    fn clone(&self) -> Self {
        Twice
    }
}

struct Prefixed;

#[tools(prefix = "x")]
impl Prefixed {
    /// Does nothing.
    #[tool]
    fn nothing(&self) {}
}

struct Generic<T>(T);

#[tools]
impl<T: Send> Generic<T> {
    /// Takes whatever.
    #[tool]
    fn take(&self, what: Vec<T>) {}
}

fn main() {
    // What uses the tools is no error of its own.
    let _ = Twice.into_tools();
}
