//! `initialize`, `server/discover`, capabilities.

use serde_json::{Value, json};

use super::layer::{Sent, answer, empty};
use super::{ALL, LEGACY, MODERN, Mutant};

fn opens(sent: &Sent) -> bool {
    matches!(&*sent.method(), "initialize" | "server/discover")
}

/// Changes what is declared.
fn declare(sent: &Sent, message: &mut Value, change: impl FnOnce(&mut Value)) {
    if opens(sent)
        && let Some(result) = message.get_mut("result")
    {
        change(&mut result["capabilities"]);
    }
}

fn hide(sent: &Sent, message: &mut Value, name: &str) {
    declare(sent, message, |declared| drop(declared.as_object_mut().unwrap().remove(name)));
}

/// A list has no items.
fn fails(sent: &Sent, message: &mut Value, method: &str, member: &str) {
    if sent.method() == method && message.get("result").is_some() {
        message["result"][member] = Value::Null;
    }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("the server has no version", "initialize-names-server", LEGACY).message(|sent, message| {
        if sent.method() == "initialize" && message.get("result").is_some() {
            message["result"]["serverInfo"].as_object_mut().unwrap().remove("version");
        }
    }),
    Mutant::new("nothing is declared", "capabilities-declared", ALL)
        .also(&[
            "tools-declared",
            "prompts-declared",
            "resources-declared",
            "completions-declared",
            "logging-declared",
            "listen-undeclared",
        ])
        .message(|sent, message| {
            declare(sent, message, |declared| *declared = Value::Null);
        }),
    Mutant::new("tools are true", "capabilities-are-objects", ALL).also(&["listen-unsupported"]).message(
        |sent, message| {
            declare(sent, message, |declared| declared["tools"] = json!(true));
        },
    ),
    Mutant::new("changes are \"yes\"", "capability-flags-are-booleans", ALL)
        .also(&["listen-unsupported"])
        .message(|sent, message| {
            declare(sent, message, |declared| declared["tools"]["listChanged"] = json!("yes"));
        }),
    Mutant::new("instructions are a list", "instructions-are-text", ALL).message(|sent, message| {
        if opens(sent) && message.get("result").is_some() {
            message["result"]["instructions"] = json!(["a"]);
        }
    }),
    Mutant::new("capabilities come and go", "opening-alike", MODERN).message(|sent, message| {
        declare(sent, message, |declared| declared["experimental"] = json!({ "now": { "nth": sent.nth } }));
    }),
    Mutant::new("tools are null", "tools-listed", ALL)
        .message(|sent, message| fails(sent, message, "tools/list", "tools")),
    Mutant::new("prompts are null", "prompts-listed", ALL)
        .message(|sent, message| fails(sent, message, "prompts/list", "prompts")),
    Mutant::new("resources are null", "resources-listed", ALL)
        .message(|sent, message| fails(sent, message, "resources/list", "resources")),
    Mutant::new("templates are null", "templates-listed", ALL)
        .message(|sent, message| fails(sent, message, "resources/templates/list", "resourceTemplates")),
    Mutant::new("tools are not declared", "tools-declared", ALL)
        .also(&["listen-unsupported"])
        .message(|sent, message| hide(sent, message, "tools")),
    Mutant::new("prompts are not declared", "prompts-declared", ALL)
        .also(&["listen-unsupported"])
        .message(|sent, message| hide(sent, message, "prompts")),
    Mutant::new("resources are not declared", "resources-declared", ALL)
        .also(&["listen-unsupported"])
        .message(|sent, message| hide(sent, message, "resources")),
    Mutant::new("completions are not declared", "completions-declared", ALL)
        .message(|sent, message| hide(sent, message, "completions")),
    Mutant::new("logging is not declared", "logging-declared", LEGACY)
        .also(&["log-undeclared"])
        .message(|sent, message| hide(sent, message, "logging"))
        .before(|sent| {
            let result = json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "result": {} });
            (sent.method() == "logging/setLevel").then(|| answer(200, &result))
        }),
    Mutant::new("ping waits until the client is ready", "ping-before-initialized", LEGACY).before(|sent| {
        let session = sent.header("mcp-session-id").unwrap_or("none").to_owned();
        let mut memory = sent.memory.lock().unwrap();
        if sent.method() == "notifications/initialized" {
            memory.insert(session, json!(true));
            return None;
        }
        let known = sent.header("mcp-session-id").is_none_or(|session| session.len() < 30);
        (sent.method() == "ping" && !known && !memory.contains_key(&session)).then(|| empty(400))
    }),
    Mutant::new("versions are listed twice", "discover-versions-are-unique", MODERN)
        .also(&["supported-versions-agree"])
        .message(|sent, message| {
            if sent.method() == "server/discover" && message.get("result").is_some() {
                message["result"]["supportedVersions"].as_array_mut().unwrap().push(json!("2026-07-28"));
            }
        }),
    Mutant::new("discover names nobody", "discover-names-server", MODERN).message(|sent, message| {
        if sent.method() == "server/discover" && message.get("result").is_some() {
            message["result"].as_object_mut().unwrap().remove("_meta");
        }
    }),
];
