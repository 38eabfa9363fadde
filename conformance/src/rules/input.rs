//! Questions to the client.

use serde_json::{Map, Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::profile::{Call, Purpose};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "input-undeclared",
        Area::Input,
        "a client is asked for nothing that it did not declare",
        &[must(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
        undeclared,
    ),
    Rule::new(
        "input-undeclared-error",
        Area::Input,
        "a call that needs what the client did not declare is an error that says what",
        &[must(V2026_07_28, "basic#error-codes")],
        undeclared_error,
    ),
    Rule::new(
        "input-undeclared-status",
        Area::Input,
        "a call that needs what the client did not declare is answered with 400",
        &[must(V2026_07_28, "basic/transports/streamable-http#receiving-messages")],
        undeclared_status,
    ),
    Rule::new(
        "input-or-state",
        Area::Input,
        "a result that asks for input has questions, a state, or both",
        &[must(V2026_07_28, "basic/patterns/mrtr#inputrequiredresult")],
        or_state,
    ),
    Rule::new(
        "input-supported",
        Area::Input,
        "nothing is asked but for elicitation, sampling and roots",
        &[must(V2026_07_28, "basic/patterns/mrtr#inputrequests")],
        supported,
    ),
    Rule::new(
        "input-answered",
        Area::Input,
        "a call that is sent again with the answers is completed",
        &[must(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
        answered,
    ),
    Rule::new(
        "input-declined",
        Area::Input,
        "a question that the user declines is answered",
        &[must(V2026_07_28, "client/elicitation#response-actions")],
        declined,
    ),
    Rule::new(
        "input-missing",
        Area::Input,
        "a call that is sent again without an answer is asked again, and not an error",
        &[should(V2026_07_28, "basic/patterns/mrtr#error-handling")],
        missing,
    ),
    Rule::new(
        "input-unknown-keys",
        Area::Input,
        "answers that nobody asked for are ignored",
        &[should(V2026_07_28, "basic/patterns/mrtr#error-handling")],
        unknown_keys,
    ),
    Rule::new(
        "input-malformed",
        Area::Input,
        "an answer of the wrong shape completes nothing",
        &[must(V2026_07_28, "basic/patterns/mrtr#error-handling")],
        malformed,
    ),
    Rule::new(
        "input-state-tampered",
        Area::Input,
        "a state that was tampered with completes nothing",
        &[must(V2026_07_28, "basic/patterns/mrtr#security-considerations")],
        tampered,
    ),
    Rule::new(
        "input-state-text",
        Area::Input,
        "a state is a text",
        &[must(V2026_07_28, "basic/patterns/mrtr#inputrequiredresult")],
        state_text,
    ),
    Rule::new(
        "question-asked",
        Area::Input,
        "a client that declared it is asked on the stream of its call, and its answer completes the call",
        &[
            must(V2025_06_18, "client/elicitation#message-flow"),
            must(V2025_11_25, "client/elicitation#form-mode-flow"),
        ],
        asked,
    ),
    Rule::new(
        "question-declined",
        Area::Input,
        "a call whose question is declined is answered",
        &[
            must(V2025_06_18, "client/elicitation#response-actions"),
            must(V2025_11_25, "client/elicitation#response-actions"),
        ],
        legacy_declined,
    ),
    Rule::new(
        "question-error",
        Area::Input,
        "a call whose question the client answers with an error is answered",
        &[must(V2025_06_18, "basic#responses"), must(V2025_11_25, "basic#responses")],
        legacy_error,
    ),
    Rule::new(
        "answer-accepted",
        Area::Input,
        "an answer to a question is taken with 202 and no body",
        &[
            must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
        ],
        answer_accepted,
    ),
];

/// Capabilities, and a call that asks for them.
const ASKS: [(&str, Purpose); 3] =
    [("elicitation", Purpose::Elicits), ("sampling", Purpose::Samples), ("roots", Purpose::ListsRoots)];

fn all() -> Value {
    json!({ "elicitation": {}, "sampling": {}, "roots": {} })
}

/// A call of a client with some capabilities.
fn call(probe: &Probe<'_>, call: &Call, capabilities: Value) -> Result<Answer, Outcome> {
    probe.send(&probe.call_with(call, json!({ CAPABILITIES: capabilities })))
}

/// The same call again, with answers and the state.
fn again(probe: &Probe<'_>, call: &Call, answers: Value, state: Option<&Value>) -> Result<Answer, Outcome> {
    let mut params = json!({
        "name": call.tool,
        "arguments": call.arguments,
        "_meta": { CAPABILITIES: all() },
        "inputResponses": answers,
    });
    if let (Some(params), Some(state)) = (params.as_object_mut(), state) {
        params.insert("requestState".to_owned(), state.clone());
    }
    probe.ask("tools/call", params)
}

/// The result of a call that asks.
fn question(probe: &Probe<'_>, purpose: Purpose) -> Result<(Call, Value), Outcome> {
    let tool = probe.known(purpose)?;
    let result = call(probe, &tool, all())?.result()?;
    if *result.at("resultType") != "input_required" {
        return not_applicable("the tool asks nothing");
    }
    Ok((tool, result))
}

/// What a willing client says.
fn answers(result: &Value) -> Value {
    let mut all = Map::new();
    for (key, request) in result.at("inputRequests").as_object().into_iter().flatten() {
        all.insert(key.clone(), answer(request.at("method"), request.at("params")));
    }
    Value::Object(all)
}

fn answer(method: &Value, params: &Value) -> Value {
    match method.as_str() {
        Some("elicitation/create") => {
            let properties = params.at("requestedSchema").at("properties").as_object();
            let fields = properties.into_iter().flatten();
            let content: Map<String, Value> =
                fields.map(|(name, schema)| (name.clone(), field(schema))).collect();
            json!({ "action": "accept", "content": content })
        }
        Some("sampling/createMessage") => {
            let content = json!({ "type": "text", "text": "a text" });
            json!({ "role": "assistant", "content": content, "model": "mcp-conformance", "stopReason": "endTurn" })
        }
        _ => json!({ "roots": [{ "uri": "file:///mcp-conformance" }] }),
    }
}

/// What the user fills in.
fn field(schema: &Value) -> Value {
    let first = |list: &Value| list.items().first().cloned();
    if let Some(given) = schema.get("default").cloned().or_else(|| first(schema.at("enum"))) {
        return given;
    }
    if let Some(choice) = schema.at("oneOf").items().first() {
        return choice.at("const").clone();
    }
    match schema.at("type").as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("array") => {
            let items = schema.at("items");
            let choice = items.at("anyOf").items().first().map(|choice| choice.at("const").clone());
            json!([first(items.at("enum")).or(choice).unwrap_or_else(|| json!("a"))])
        }
        _ => match schema.at("format").as_str() {
            Some("email") => json!("a@example.com"),
            Some("uri") => json!("https://example.com"),
            Some("date") => json!("2026-07-28"),
            Some("date-time") => json!("2026-07-28T00:00:00Z"),
            _ => json!("mcp-conformance"),
        },
    }
}

fn undeclared(probe: &Probe<'_>) -> Check {
    let mut seen = false;
    for (_, purpose) in ASKS {
        let Ok(tool) = probe.known(purpose) else { continue };
        seen = true;
        let response = call(probe, &tool, json!({}))?.response()?;
        let asked = response.at("result").at("inputRequests").as_object();
        if let Some((_, request)) = asked.into_iter().flatten().next() {
            return fail(format!("{} was asked of a client that declared nothing", request.at("method")));
        }
    }
    if seen { Ok(()) } else { not_applicable("no tool is known that asks") }
}

/// The answer to a call of which the server says that it cannot be without a capability.
fn refused(probe: &Probe<'_>) -> Result<Answer, Outcome> {
    let tool = probe.known(Purpose::NeedsSampling)?;
    call(probe, &tool, json!({}))
}

fn undeclared_error(probe: &Probe<'_>) -> Check {
    let error = refused(probe)?.error(&[-32021])?;
    let required = error.at("data").at("requiredCapabilities");
    expect(required.is_object(), format!("data.requiredCapabilities is {required}, no object"))?;
    expect(required.get("sampling").is_some(), format!("data.requiredCapabilities is {required}"))
}

fn undeclared_status(probe: &Probe<'_>) -> Check {
    refused(probe)?.status(400).map(drop)
}

fn or_state(probe: &Probe<'_>) -> Check {
    let (_, result) = question(probe, Purpose::Elicits)?;
    let has = result.get("inputRequests").is_some() || result.get("requestState").is_some();
    expect(has, "it has neither")
}

fn supported(probe: &Probe<'_>) -> Check {
    let mut seen = false;
    for (_, purpose) in ASKS {
        let Ok((_, result)) = question(probe, purpose) else { continue };
        for (_, request) in result.at("inputRequests").as_object().into_iter().flatten() {
            seen = true;
            let method = request.at("method");
            let known =
                ["elicitation/create", "sampling/createMessage", "roots/list"].iter().any(|it| method == it);
            expect(known, format!("{method} is asked"))?;
        }
    }
    if seen { Ok(()) } else { not_applicable("no tool is known that asks") }
}

fn answered(probe: &Probe<'_>) -> Check {
    let mut seen = false;
    for (_, purpose) in ASKS {
        let Ok((tool, mut result)) = question(probe, purpose) else { continue };
        seen = true;
        // A tool may ask again.
        for _ in 0..5 {
            result = again(probe, &tool, answers(&result), result.get("requestState"))?.result()?;
            if *result.at("resultType") != "input_required" {
                break;
            }
        }
        expect(*result.at("resultType") == "complete", format!("{} asks for ever", tool.tool))?;
    }
    if seen { Ok(()) } else { not_applicable("no tool is known that asks") }
}

fn declined(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    for action in ["decline", "cancel"] {
        let mut answers = answers(&result);
        for answer in answers.as_object_mut().into_iter().flat_map(Map::values_mut) {
            *answer = json!({ "action": action });
        }
        let response = again(probe, &tool, answers, result.get("requestState"))?.response()?;
        expect(*response.at("error").at("code") != -32603, format!("\"{action}\" is an internal error"))?;
    }
    Ok(())
}

fn missing(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    let result = again(probe, &tool, json!({}), result.get("requestState"))?.result()?;
    expect(*result.at("resultType") == "input_required", format!("it is {}", result.at("resultType")))
}

fn unknown_keys(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    let mut answers = answers(&result);
    if let Some(answers) = answers.as_object_mut() {
        answers.insert("mcp-conformance".to_owned(), json!({ "action": "accept", "content": {} }));
    }
    again(probe, &tool, answers, result.get("requestState"))?.result().map(drop)
}

fn malformed(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    let keys = result.at("inputRequests").as_object().into_iter().flatten().map(|(key, _)| key.clone());
    let wrong: Map<String, Value> = keys.map(|key| (key, json!(5))).collect();
    for answers in [Value::Object(wrong), json!(null), json!([])] {
        let response = again(probe, &tool, answers.clone(), result.get("requestState"))?.response()?;
        let result = response.at("result");
        let completes = *result.at("resultType") == "complete" && *result.at("isError") != true;
        expect(!completes, format!("{answers} completes it"))?;
    }
    Ok(())
}

fn tampered(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::KeepsState)?;
    let Some(state) = result.at("requestState").as_str() else {
        return not_applicable("the tool keeps no state");
    };
    // Another letter in the midst of it.
    let middle = state.chars().count() / 2;
    let other = |letter| if letter == 'A' { 'B' } else { 'A' };
    let changed: String = state
        .chars()
        .enumerate()
        .map(|(at, letter)| if at == middle { other(letter) } else { letter })
        .collect();
    let response = again(probe, &tool, answers(&result), Some(&json!(changed)))?.response()?;
    let result = response.at("result");
    let completes = *result.at("resultType") == "complete" && *result.at("isError") != true;
    expect(!completes, "it completes the call")
}

fn state_text(probe: &Probe<'_>) -> Check {
    let (_, result) = question(probe, Purpose::KeepsState)?;
    match result.get("requestState") {
        Some(Value::String(_)) => Ok(()),
        Some(other) => fail(format!("it is {other}")),
        None => not_applicable("the tool keeps no state"),
    }
}

/// What comes after a question on the stream of a legacy call: what the client's answer was answered with, and the response.
fn asked_on_stream(
    probe: &Probe<'_>,
    reply: impl Fn(&Value) -> (&'static str, Value),
) -> Result<(Value, Answer, Value), Outcome> {
    let tool = probe.known(Purpose::Elicits)?;
    let mut stream = probe.open(&probe.call(&tool))?;
    if !stream.is_events() {
        return not_applicable("the server asks no client of this revision");
    }
    loop {
        let Some(message) = stream.message()? else { return fail("the stream ended without a response") };
        match (message.get("method"), message.get("id")) {
            (Some(_), Some(id)) => {
                let (member, value) = reply(&message);
                let message_back = json!({ "jsonrpc": "2.0", "id": id, member: value });
                let taken = probe.send(&probe.opened().post(probe.target(), &message_back))?;
                loop {
                    match stream.message()? {
                        Some(response) if response.get("method").is_none() => {
                            return Ok((message, taken, response));
                        }
                        Some(_) => {}
                        None => return fail("the stream ended without a response"),
                    }
                }
            }
            (None, _) => return not_applicable("the server asks no client of this revision"),
            _ => {}
        }
    }
}

fn accept(question: &Value) -> (&'static str, Value) {
    ("result", answer(question.at("method"), question.at("params")))
}

fn asked(probe: &Probe<'_>) -> Check {
    let (question, _, response) = asked_on_stream(probe, accept)?;
    expect(*question.at("method") == "elicitation/create", format!("{} is asked", question.at("method")))?;
    expect(response.get("result").is_some(), format!("the call ends with {}", response.at("error")))?;
    expect(*response.at("result").at("isError") != true, "the call fails")
}

fn legacy_declined(probe: &Probe<'_>) -> Check {
    let (_, _, response) = asked_on_stream(probe, |_| ("result", json!({ "action": "decline" })))?;
    expect(*response.at("error").at("code") != -32603, "it is an internal error")
}

fn legacy_error(probe: &Probe<'_>) -> Check {
    let error = json!({ "code": -32603, "message": "the client cannot" });
    asked_on_stream(probe, move |_| ("error", error.clone())).map(drop)
}

fn answer_accepted(probe: &Probe<'_>) -> Check {
    let (_, taken, _) = asked_on_stream(probe, accept)?;
    taken.status(202)?;
    expect(taken.http().body.is_empty(), "there is a body")
}
