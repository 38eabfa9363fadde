#![allow(unused)]

use mcp_http::{CallContext, resource};

const TERMS: &str = "shop://terms";

/// Is nowhere.
#[resource]
fn nowhere() -> String {
    String::new()
}

/// Is at what no literal says.
#[resource(TERMS)]
fn constant() -> String {
    String::new()
}

/// Is at a number.
#[resource(uri = 5)]
fn number() -> String {
    String::new()
}

/// Is described in the second place.
#[resource("shop://second", "What it is")]
fn second() -> String {
    String::new()
}

/// Has a setting that the builder has, and one by another name.
#[resource("shop://sized", size = 5, mime = "text/plain")]
fn sized() -> String {
    String::new()
}

/// Is a resource at no URI, of no name.
#[resource(title = "A", name = "")]
fn nameless() -> String {
    String::new()
}

fn main() {
    // What uses a resource is no error of its own.
    let _ = (nowhere::resource(), sized::resource());
}
