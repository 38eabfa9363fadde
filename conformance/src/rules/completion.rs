//! Completion of arguments.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "completion-values",
        Area::Completion,
        "an argument is completed with 100 values at most",
        &[
            must(V2025_06_18, "server/utilities/completion#completion-results"),
            must(V2025_11_25, "server/utilities/completion#completion-results"),
            must(V2026_07_28, "server/utilities/completion#completion-results"),
        ],
        values,
    ),
    Rule::new(
        "completion-unknown-reference",
        Area::Completion,
        "a prompt that there is not is an error with the code -32602",
        &[
            should(V2025_06_18, "server/utilities/completion#error-handling"),
            should(V2025_11_25, "server/utilities/completion#error-handling"),
            should(V2026_07_28, "server/utilities/completion#error-handling"),
        ],
        unknown_reference,
    ),
    Rule::new(
        "completion-no-argument",
        Area::Completion,
        "a completion without an argument is an error with the code -32602",
        &[
            should(V2025_06_18, "server/utilities/completion#error-handling"),
            should(V2025_11_25, "server/utilities/completion#error-handling"),
            should(V2026_07_28, "server/utilities/completion#error-handling"),
        ],
        no_argument,
    ),
];

/// What can be completed: the profile's, or an argument of the first prompt that has one.
fn known(probe: &Probe<'_>) -> Result<(Value, String), Outcome> {
    probe.declared("completions")?;
    if let Some(completion) = &probe.target().profile.completion {
        return Ok((completion.reference.clone(), completion.argument.clone()));
    }
    let arguments =
        |prompt: &Value| prompt.at("arguments").items().first()?.at("name").as_str().map(str::to_owned);
    let first =
        probe.opened().prompts.iter().find_map(|prompt| Some((prompt.at("name"), arguments(prompt)?)));
    match first {
        Some((name, argument)) => Ok((json!({ "type": "ref/prompt", "name": name }), argument)),
        None => not_applicable("no argument is known that can be completed: name one in a profile"),
    }
}

fn values(probe: &Probe<'_>) -> Check {
    let (reference, argument) = known(probe)?;
    let params = json!({ "ref": reference, "argument": { "name": argument, "value": "" } });
    let result = probe.ask("completion/complete", params)?.result()?;
    let values = result.at("completion").at("values");
    expect(values.is_array(), "there are no values")?;
    expect(values.items().len() <= 100, format!("there are {} values", values.items().len()))
}

fn unknown_reference(probe: &Probe<'_>) -> Check {
    probe.declared("completions")?;
    let reference = json!({ "type": "ref/prompt", "name": "mcp-conformance-no-such-prompt" });
    let params = json!({ "ref": reference, "argument": { "name": "a", "value": "" } });
    probe.ask("completion/complete", params)?.error(&[-32602]).map(drop)
}

fn no_argument(probe: &Probe<'_>) -> Check {
    let (reference, _) = known(probe)?;
    probe.ask("completion/complete", json!({ "ref": reference }))?.error(&[-32602]).map(drop)
}
