#![allow(unused)]

use mcp_http::{prompt, tool};

/// Has settings of a tool.
#[prompt(read_only, tittle = "A", arguments = [])]
fn settings() -> String {
    String::new()
}

/// Has no name.
#[prompt(name = "")]
fn nameless() -> String {
    String::new()
}

/// Takes what no text is.
#[prompt]
fn texts(#[param(nullable)] a: Option<String>, #[param(header = "B")] b: String, c: &str) -> String {
    String::new()
}

/// Has wrong values.
#[prompt]
fn values(#[param(default = 10, max = 9)] a: u8, #[param(one_of = ["x", 1])] b: String) -> String {
    String::new()
}

/// Is generic, and makes promises.
#[prompt]
unsafe fn generic<T>() -> String {
    String::new()
}

/// Is two things.
#[prompt]
#[tool]
fn twice() -> String {
    String::new()
}

struct Lonely;

impl Lonely {
    /// Has no `#[tools]` around it.
    #[prompt]
    fn method(&self) -> String {
        String::new()
    }
}

#[prompt]
struct NotAFunction;

fn main() {
    // What uses a prompt is no error of its own.
    let _ = (settings::prompt(), texts::prompt());
}
