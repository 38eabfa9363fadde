//! Prompts.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;
use crate::profile::Get;

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "prompt-got",
        Area::Prompts,
        "a listed prompt can be got, with its arguments",
        &[
            must(V2025_06_18, "server/prompts#getting-a-prompt"),
            must(V2025_11_25, "server/prompts#getting-a-prompt"),
            must(V2026_07_28, "server/prompts#getting-a-prompt"),
        ],
        got,
    ),
    Rule::new(
        "prompt-unknown",
        Area::Prompts,
        "a prompt that there is not is an error with the code -32602",
        &[
            should(V2025_06_18, "server/prompts#error-handling"),
            should(V2025_11_25, "server/prompts#error-handling"),
            should(V2026_07_28, "server/prompts#error-handling"),
        ],
        unknown,
    ),
    Rule::new(
        "prompt-argument-missing",
        Area::Prompts,
        "a prompt without an argument that it requires is an error with the code -32602",
        &[
            should(V2025_06_18, "server/prompts#error-handling"),
            should(V2025_11_25, "server/prompts#error-handling"),
            should(V2026_07_28, "server/prompts#error-handling"),
        ],
        argument_missing,
    ),
];

/// A prompt that can be got: the profile's, or the first that requires nothing.
fn known(probe: &Probe<'_>) -> Result<Get, Outcome> {
    probe.declared("prompts")?;
    if let Some(get) = &probe.target().profile.prompt {
        return Ok(get.clone());
    }
    let requires =
        |prompt: &&Value| prompt.at("arguments").items().iter().any(|it| *it.at("required") == true);
    let first = probe.opened().prompts.iter().find(|prompt| !requires(prompt));
    match first.and_then(|prompt| prompt.at("name").as_str()) {
        Some(name) => Ok(Get { name: name.to_owned(), arguments: serde_json::Map::new() }),
        None => not_applicable("no prompt is known that can be got: name one in a profile"),
    }
}

fn got(probe: &Probe<'_>) -> Check {
    let get = known(probe)?;
    let result =
        probe.ask("prompts/get", json!({ "name": get.name, "arguments": get.arguments }))?.result()?;
    expect(!result.at("messages").items().is_empty(), "it has no messages")
}

fn unknown(probe: &Probe<'_>) -> Check {
    probe.declared("prompts")?;
    let answer = probe.ask("prompts/get", json!({ "name": "mcp-conformance-no-such-prompt" }))?;
    answer.error(&[-32602]).map(drop)
}

fn argument_missing(probe: &Probe<'_>) -> Check {
    probe.declared("prompts")?;
    let required =
        |prompt: &Value| prompt.at("arguments").items().iter().any(|it| *it.at("required") == true);
    let Some(prompt) = probe.opened().prompts.iter().find(|prompt| required(prompt)) else {
        return not_applicable("no prompt requires an argument");
    };
    let answer = probe.ask("prompts/get", json!({ "name": prompt.at("name"), "arguments": {} }))?;
    if answer.response()?.get("result").is_some() {
        return fail(format!("{} was got without what it requires", prompt.at("name")));
    }
    answer.error(&[-32602]).map(drop)
}
