//! Lists and their pages.

use std::num::NonZeroUsize;

use mcp_fixture::Options;
use serde_json::{Value, json};

use super::layer::{Sent, answer};
use super::{ALL, LEGACY, MODERN, Mutant};

fn listing(sent: &Sent, method: &str) -> bool {
    sent.is_listing() && sent.method() == method
}

/// Turns a list around every other time.
fn turn(sent: &Sent, message: &mut Value, method: &str, member: &str) {
    if listing(sent, method) && message.get("result").is_some() {
        let mut memory = sent.memory.lock().unwrap();
        let before = memory.insert("turned".to_owned(), json!(true));
        if before.is_some() {
            memory.remove("turned");
            message["result"][member].as_array_mut().unwrap().reverse();
        }
    }
}

/// Lists something twice, to whoever opens.
fn double(sent: &Sent, message: &mut Value, method: &str, member: &str) {
    if sent.method() == method && message.get("result").is_some() {
        let items = message["result"][member].as_array_mut().unwrap();
        items.push(items[0].clone());
    }
}

fn any_cursor(sent: &mut Sent, method: &str) {
    if sent.method() == method && sent.json()["params"]["cursor"] == "conformance-not-issued" {
        sent.edit(|json| drop(json["params"].as_object_mut().unwrap().remove("cursor")));
    }
}

fn paged() -> Options {
    Options { page_size: NonZeroUsize::new(3), ..Options::default() }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("tools in any order", "tools-listed-alike", MODERN)
        .message(|sent, message| turn(sent, message, "tools/list", "tools")),
    Mutant::new("prompts in any order", "prompts-listed-alike", MODERN)
        .message(|sent, message| turn(sent, message, "prompts/list", "prompts")),
    Mutant::new("resources in any order", "resources-listed-alike", MODERN)
        .message(|sent, message| turn(sent, message, "resources/list", "resources")),
    Mutant::new("a tool twice", "tool-names-unique", ALL)
        .message(|sent, message| double(sent, message, "tools/list", "tools")),
    Mutant::new("a prompt twice", "prompt-names-unique", ALL)
        .message(|sent, message| double(sent, message, "prompts/list", "prompts")),
    Mutant::new("a resource twice", "resource-uris-unique", ALL)
        .message(|sent, message| double(sent, message, "resources/list", "resources")),
    Mutant::new("any cursor of tools", "tools-cursor-checked", ALL).before(|sent| {
        any_cursor(sent, "tools/list");
        None
    }),
    Mutant::new("any cursor of prompts", "prompts-cursor-checked", ALL).before(|sent| {
        any_cursor(sent, "prompts/list");
        None
    }),
    Mutant::new("any cursor of resources", "resources-cursor-checked", ALL).before(|sent| {
        any_cursor(sent, "resources/list");
        None
    }),
    Mutant::new("the last page has a cursor, null", "cursor-is-text", ALL).message(|sent, message| {
        if sent.is_listing()
            && message["result"].get("nextCursor").is_none()
            && message.get("result").is_some()
        {
            message["result"]["nextCursor"] = Value::Null;
        }
    }),
    Mutant::new("pages go round", "pages-end", ALL).also(&["pages-do-not-overlap"]).options(paged).message(
        |sent, message| {
            if listing(sent, "prompts/list") && message.get("result").is_some() {
                let mut memory = sent.memory.lock().unwrap();
                if let Some(cursor) = message["result"].get("nextCursor") {
                    memory.entry("first".to_owned()).or_insert_with(|| cursor.clone());
                } else if let Some(first) = memory.get("first") {
                    message["result"]["nextCursor"] = first.clone();
                }
            }
        },
    ),
    Mutant::new("pages overlap", "pages-do-not-overlap", ALL).options(paged).message(|sent, message| {
        if listing(sent, "tools/list") && message.get("result").is_some() {
            let tool = json!({ "name": "twice", "inputSchema": { "type": "object" } });
            message["result"]["tools"].as_array_mut().unwrap().push(tool);
        }
    }),
    Mutant::new("a cursor is a lottery", "cursor-is-stable", ALL).options(paged).message(|sent, message| {
        if listing(sent, "tools/list") && sent.json()["params"].get("cursor").is_some() {
            message["result"]["tools"].as_array_mut().unwrap()[0]["title"] = json!(sent.nth.to_string());
        }
    }),
    Mutant::new("lists want params", "list-params-optional", LEGACY).before(|sent| {
        let absent = sent.method() == "tools/list" && sent.json().get("params").is_none();
        let error = json!({ "code": -32602, "message": "no params" });
        absent.then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error })))
    }),
];
