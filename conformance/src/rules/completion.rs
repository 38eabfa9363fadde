//! Completion of arguments.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
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
    Rule::new(
        "completion-context",
        Area::Completion,
        "the arguments that were filled in already may be told",
        &[
            must(V2025_06_18, "server/utilities/completion#requesting-completions"),
            must(V2025_11_25, "server/utilities/completion#requesting-completions"),
            must(V2026_07_28, "server/utilities/completion#requesting-completions"),
        ],
        context,
    ),
    Rule::new(
        "completion-template",
        Area::Completion,
        "a listed template of resources can be completed too",
        &[
            should(V2025_06_18, "server/utilities/completion#reference-types"),
            should(V2025_11_25, "server/utilities/completion#reference-types"),
            should(V2026_07_28, "server/utilities/completion#reference-types"),
        ],
        template,
    ),
    Rule::new(
        "completion-total",
        Area::Completion,
        "the total is no less than the values that are there, and more are there only beyond it",
        &[
            should(V2025_06_18, "server/utilities/completion#completeresult"),
            should(V2025_11_25, "server/utilities/completion#completeresult"),
            should(V2026_07_28, "server/utilities/completion#completeresult"),
        ],
        total,
    ),
    Rule::new(
        "completion-undeclared",
        Area::Completion,
        "a server that does not declare completions completes nothing",
        &[
            should(V2025_06_18, "server/utilities/completion#error-handling"),
            should(V2025_11_25, "server/utilities/completion#error-handling"),
            must(V2026_07_28, "server/utilities/completion#capabilities"),
        ],
        undeclared,
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

fn context(probe: &Probe<'_>) -> Check {
    let (reference, argument) = known(probe)?;
    let argument = json!({ "name": argument, "value": "" });
    let context = json!({ "arguments": { "mcp-conformance": "a" } });
    let params = json!({ "ref": reference, "argument": argument, "context": context });
    let result = probe.ask("completion/complete", params)?.result()?;
    expect(result.at("completion").at("values").is_array(), "there are no values")
}

fn template(probe: &Probe<'_>) -> Check {
    probe.declared("completions")?;
    let variable = |template: &Value| {
        let text = template.at("uriTemplate").as_str()?;
        let (_, rest) = text.split_once('{')?;
        let (name, _) = rest.split_once('}')?;
        let plain = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
        plain.then(|| (text.to_owned(), name.to_owned()))
    };
    let Some((uri, name)) = probe.opened().templates.iter().find_map(variable) else {
        return not_applicable("no template is listed");
    };
    let reference = json!({ "type": "ref/resource", "uri": uri });
    let params = json!({ "ref": reference, "argument": { "name": name, "value": "" } });
    probe.ask("completion/complete", params)?.result().map(drop)
}

fn total(probe: &Probe<'_>) -> Check {
    let (reference, argument) = known(probe)?;
    let params = json!({ "ref": reference, "argument": { "name": argument, "value": "" } });
    let result = probe.ask("completion/complete", params)?.result()?;
    let completion = result.at("completion");
    let Some(total) = completion.at("total").as_u64() else {
        return not_applicable("no total is told");
    };
    let values = completion.at("values").items().len() as u64;
    expect(total >= values, format!("there are {values} values of {total}"))?;
    let more = *completion.at("hasMore") == true;
    expect(!more || total > values, format!("there are more than {values} values of {total}"))
}

fn undeclared(probe: &Probe<'_>) -> Check {
    if probe.declared("completions").is_ok() {
        return not_applicable("the server declares completions");
    }
    let reference = json!({ "type": "ref/prompt", "name": "mcp-conformance" });
    let params = json!({ "ref": reference, "argument": { "name": "a", "value": "" } });
    let answer = probe.ask("completion/complete", params)?;
    if answer.http().status < 400 && answer.response()?.get("result").is_some() {
        return fail("there is a result");
    }
    Ok(())
}
