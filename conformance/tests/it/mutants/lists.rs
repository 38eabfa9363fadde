//! Lists and their pages.

use std::num::NonZeroUsize;

use mcp_fixture::Options;
use serde_json::{Value, json};

use super::layer::{Sent, answer};
use super::{ALL, LEGACY, MODERN, Mutant};

fn listing(sent: &Sent, method: &str) -> bool {
    sent.is_listing() && sent.method() == method
}

/// Shows the first of a list in a new way each time.
fn renew(sent: &Sent, message: &mut Value, method: &str, first: &str) {
    if sent.method() == method
        && let Some(first) = message.pointer_mut(first)
    {
        first["title"] = json!(sent.nth.to_string());
    }
}

/// Turns a list around in a new way each time.
fn turn(sent: &Sent, message: &mut Value, method: &str, member: &str) {
    if sent.method() == method
        && let Some(items) = message["result"][member].as_array_mut()
    {
        let mut memory = sent.memory.lock().unwrap();
        let turns = memory.get("turns").and_then(Value::as_u64).unwrap_or(0);
        memory.insert("turns".to_owned(), json!(turns.saturating_add(1)));
        let length = u64::try_from(items.len()).unwrap();
        items.rotate_left(usize::try_from(turns.checked_rem(length).unwrap_or(0)).unwrap());
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
    Mutant::new("prompts change", "prompts-listed-alike", MODERN)
        .message(|sent, message| renew(sent, message, "prompts/list", "/result/prompts/0")),
    Mutant::new("resources change", "resources-listed-alike", MODERN)
        .message(|sent, message| renew(sent, message, "resources/list", "/result/resources/0")),
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
    Mutant::new("pages go round", "pages-end", ALL)
        .also(&["pages-do-not-overlap", "prompt-names-unique"])
        .options(paged)
        .message(|sent, message| {
            if listing(sent, "prompts/list") && message.get("result").is_some() {
                let mut memory = sent.memory.lock().unwrap();
                if let Some(cursor) = message["result"].get("nextCursor") {
                    memory.entry("first".to_owned()).or_insert_with(|| cursor.clone());
                } else if let Some(first) = memory.get("first") {
                    message["result"]["nextCursor"] = first.clone();
                }
            }
        }),
    Mutant::new("pages overlap", "pages-do-not-overlap", ALL)
        .also(&["tool-names-unique"])
        .options(paged)
        .message(|sent, message| {
            if listing(sent, "tools/list") && message.get("result").is_some() {
                let tool = json!({ "name": "twice", "inputSchema": { "type": "object" } });
                message["result"]["tools"].as_array_mut().unwrap().push(tool);
            }
        }),
    Mutant::new("a cursor is a lottery", "cursor-is-stable", ALL).options(paged).message(|sent, message| {
        if listing(sent, "tools/list")
            && sent.json()["params"].get("cursor").is_some()
            && let Some(tool) = message.pointer_mut("/result/tools/0")
        {
            tool["title"] = json!(sent.nth.to_string());
        }
    }),
    Mutant::new("lists want params", "list-params-optional", LEGACY).before(|sent| {
        let absent = sent.method() == "tools/list" && sent.json().get("params").is_none();
        let error = json!({ "code": -32602, "message": "no params" });
        absent.then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error })))
    }),
];
