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
    Rule::new(
        "prompt-image",
        Area::Prompts,
        "an image in a prompt is Base64, and has a MIME type",
        &[
            must(V2025_06_18, "server/prompts#image-content"),
            must(V2025_11_25, "server/prompts#image-content"),
            must(V2026_07_28, "server/prompts#image-content"),
        ],
        image,
    ),
    Rule::new(
        "prompt-audio",
        Area::Prompts,
        "audio in a prompt is Base64, and has a MIME type",
        &[
            must(V2025_06_18, "server/prompts#audio-content"),
            must(V2025_11_25, "server/prompts#audio-content"),
            must(V2026_07_28, "server/prompts#audio-content"),
        ],
        audio,
    ),
    Rule::new(
        "prompt-embedded",
        Area::Prompts,
        "a resource in a prompt has a URI, a MIME type, and a text or Base64",
        &[
            must(V2025_06_18, "server/prompts#embedded-resources"),
            must(V2025_11_25, "server/prompts#embedded-resources"),
            must(V2026_07_28, "server/prompts#embedded-resources"),
        ],
        embedded,
    ),
];

/// A prompt that can be got: the profile's, or the first that requires nothing.
fn known(probe: &Probe<'_>) -> Result<Get, Outcome> {
    probe.declared("prompts")?;
    if let Some(get) = &probe.target().profile.prompt {
        return listed(probe, get);
    }
    let requires =
        |prompt: &&Value| prompt.at("arguments").items().iter().any(|it| *it.at("required") == true);
    let first = probe.opened().prompts.iter().find(|prompt| !requires(prompt));
    match first.and_then(|prompt| prompt.at("name").as_str()) {
        Some(name) => Ok(Get { name: name.to_owned(), arguments: serde_json::Map::new() }),
        None => not_applicable("no prompt is known that can be got: name one in a profile"),
    }
}

/// A prompt of the profile, where the server has it.
pub(super) fn listed(probe: &Probe<'_>, get: &Get) -> Result<Get, Outcome> {
    if probe.opened().prompts.iter().any(|prompt| *prompt.at("name") == *get.name) {
        return Ok(get.clone());
    }
    not_applicable(format!("{} is not listed", get.name))
}

fn got(probe: &Probe<'_>) -> Check {
    let get = known(probe)?;
    let result =
        probe.ask("prompts/get", json!({ "name": get.name, "arguments": get.arguments }))?.result()?;
    expect(result.at("messages").is_array(), "it has no list of messages")
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

/// Prompts that are got to see what is in them.
const MOST_PROMPTS: usize = 20;

/// The blocks of a kind in the prompts that can be got.
fn blocks(probe: &Probe<'_>, kind: &str) -> Result<Vec<Value>, Outcome> {
    probe.declared("prompts")?;
    let requires =
        |prompt: &&Value| prompt.at("arguments").items().iter().any(|it| *it.at("required") == true);
    let plain = probe.opened().prompts.iter().filter(|prompt| !requires(prompt)).take(MOST_PROMPTS);
    let mut asked: Vec<Value> = plain.map(|prompt| json!({ "name": prompt.at("name") })).collect();
    let profile = &probe.target().profile;
    for get in [&profile.prompt, &profile.embedding_prompt].into_iter().flatten() {
        if listed(probe, get).is_ok() {
            asked.push(json!({ "name": get.name, "arguments": get.arguments }));
        }
    }
    let mut found = Vec::new();
    for params in asked {
        // Whether it can be got is for others to judge, and it may ask before it is.
        let Ok(Some(response)) = probe.open(&probe.request("prompts/get", params))?.response() else {
            continue;
        };
        let result = response.at("result");
        let blocks = result.at("messages").items().iter().map(|message| message.at("content"));
        found.extend(blocks.filter(|block| *block.at("type") == kind).cloned());
    }
    if found.is_empty() { not_applicable(format!("no prompt has {kind} content")) } else { Ok(found) }
}

fn is_base64(value: &Value) -> bool {
    use base64::Engine as _;
    value.as_str().is_some_and(|text| base64::engine::general_purpose::STANDARD.decode(text).is_ok())
}

fn is_mime_type(value: &Value) -> bool {
    let parts = value.as_str().and_then(|text| text.split_once('/'));
    parts.is_some_and(|(kind, rest)| {
        !kind.is_empty() && !rest.is_empty() && !kind.contains(char::is_whitespace)
    })
}

fn media(probe: &Probe<'_>, kind: &str) -> Check {
    for block in blocks(probe, kind)? {
        expect(is_base64(block.at("data")), "its data is no Base64")?;
        expect(is_mime_type(block.at("mimeType")), format!("its MIME type is {}", block.at("mimeType")))?;
    }
    Ok(())
}

fn image(probe: &Probe<'_>) -> Check {
    media(probe, "image")
}

fn audio(probe: &Probe<'_>) -> Check {
    media(probe, "audio")
}

fn embedded(probe: &Probe<'_>) -> Check {
    for block in blocks(probe, "resource")? {
        let resource = block.at("resource");
        let uri = resource.at("uri");
        let parsed = uri.as_str().is_some_and(|uri| url::Url::parse(uri).is_ok());
        expect(parsed, format!("its URI is {uri}"))?;
        expect(
            is_mime_type(resource.at("mimeType")),
            format!("its MIME type is {}", resource.at("mimeType")),
        )?;
        let has = resource.at("text").is_string() || is_base64(resource.at("blob"));
        expect(has, "it has neither a text nor Base64")?;
    }
    Ok(())
}
