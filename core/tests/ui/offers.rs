#![allow(unused)]

use mcp_http::tools;
use std::sync::Arc;

struct Mixed;

#[tools]
impl Mixed {
    /// Adds.
    #[tool]
    fn add(&self) {}

    /// May be called as the tool is, but not as the other prompt.
    #[prompt(name = "add")]
    fn ask(&self) -> String {
        String::new()
    }

    /// Has a name that is taken.
    #[prompt(name = "add")]
    fn ask_again(&self) -> String {
        String::new()
    }

    /// Is somewhere.
    #[resource("shop://terms")]
    fn terms(&self) -> String {
        String::new()
    }

    /// Is at the same place.
    #[resource("shop://terms")]
    fn conditions(&self) -> String {
        String::new()
    }

    /// Is two things.
    #[tool]
    #[prompt]
    fn both(&self) -> String {
        String::new()
    }

    /// Changes.
    #[resource("shop://changing")]
    fn changing(&mut self) -> String {
        String::new()
    }

    /// Is no function.
    #[resource("shop://limit")]
    const LIMIT: u32 = 1;
}

fn main() {
    // What uses them is no error of its own.
    let mixed = Arc::new(Mixed);
    let _ = (mixed.tools(), mixed.prompts(), mixed.resources());
}
