//! The shape of every message.

use serde_json::{Value, json};

use super::{ALL, LEGACY, MODERN, Mutant, Sent};

/// Changes a member of the results of a method.
fn change(sent: &Sent, message: &mut Value, method: &str, at: &str, value: Value) {
    if sent.method() == method
        && let Some(member) = message.pointer_mut(at)
    {
        *member = value;
    }
}

macro_rules! misshapen {
    ($name:literal, $rule:literal, $revisions:expr, $method:literal, $at:literal, $value:expr) => {
        Mutant::new($name, $rule, $revisions)
            .message(|sent, message| change(sent, message, $method, $at, $value))
    };
}

pub(super) const MUTANTS: &[Mutant] = &[
    misshapen!(
        "a title is a number",
        "shape-initialize",
        LEGACY,
        "initialize",
        "/result/serverInfo/title",
        json!(1)
    ),
    misshapen!(
        "a title is a list",
        "shape-discover",
        MODERN,
        "server/discover",
        "/result/_meta/io.modelcontextprotocol~1serverInfo/title",
        json!([])
    ),
    misshapen!(
        "a description is a number",
        "shape-tools-list",
        ALL,
        "tools/list",
        "/result/tools/0/description",
        json!(5)
    ),
    Mutant::new("annotations are a word", "shape-tools-call", ALL).message(|sent, message| {
        if sent.method() == "tools/call"
            && let Some(block) = message.pointer_mut("/result/content/0")
        {
            block["annotations"] = json!("words");
        }
    }),
    misshapen!(
        "an argument is a number",
        "shape-prompts-list",
        ALL,
        "prompts/list",
        "/result/prompts/0/description",
        json!(5)
    ),
    misshapen!(
        "the system speaks",
        "shape-prompts-get",
        ALL,
        "prompts/get",
        "/result/messages/0/role",
        json!("system")
    ),
    misshapen!(
        "a resource's type is a number",
        "shape-resources-list",
        ALL,
        "resources/list",
        "/result/resources/0/mimeType",
        json!(5)
    ),
    misshapen!(
        "a template's type is a number",
        "shape-templates-list",
        ALL,
        "resources/templates/list",
        "/result/resourceTemplates/0/mimeType",
        json!(5)
    ),
    misshapen!(
        "the contents' type is a number",
        "shape-resources-read",
        ALL,
        "resources/read",
        "/result/contents/0/mimeType",
        json!(5)
    ),
    misshapen!(
        "more is a word",
        "shape-complete",
        ALL,
        "completion/complete",
        "/result/completion/hasMore",
        json!("no")
    ),
    Mutant::new("nothing has a number of meanings", "shape-empty", LEGACY).message(|sent, message| {
        if sent.method() == "logging/setLevel" && message["result"].is_object() {
            message["result"]["_meta"] = json!(5);
        }
    }),
    misshapen!(
        "an error's message is a number",
        "shape-error",
        ALL,
        "prompts/get",
        "/error/message",
        json!(5)
    ),
    Mutant::new("a total is a text", "shape-notification", ALL).message(|_, message| {
        if message["method"] == "notifications/progress" {
            message["params"]["total"] = json!("100");
        }
    }),
    Mutant::new("a question is a number", "shape-request", LEGACY).message(|_, message| {
        if message["method"] == "elicitation/create" {
            message["params"]["message"] = json!(5);
        }
    }),
];
