//! Questions to the client.

use serde_json::{Map, Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::profile::{Call, Purpose};
use crate::{Opened, Probe};

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
        &[must(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
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
        &[should(V2026_07_28, "basic/patterns/mrtr#basic-workflow")],
        answered,
    ),
    Rule::new(
        "input-declined",
        Area::Input,
        "a question that the user declines is answered",
        &[must(V2026_07_28, "client/elicitation#error-handling")],
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
        &[should(V2026_07_28, "basic/patterns/mrtr#error-handling")],
        malformed,
    ),
    Rule::new(
        "input-state-tampered",
        Area::Input,
        "a state that was tampered with completes nothing",
        &[must(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
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
    Rule::new(
        "input-only-where-supported",
        Area::Input,
        "nothing but a call, a prompt and a resource asks for input",
        &[must(V2026_07_28, "basic/patterns/mrtr#supported-requests")],
        only_where_supported,
    ),
    Rule::new(
        "input-mode-undeclared",
        Area::Input,
        "a client that takes URLs only is not sent a form",
        &[must(V2026_07_28, "client/elicitation#capabilities")],
        mode_undeclared,
    ),
    Rule::new(
        "input-sampling-tools",
        Area::Input,
        "a client that did not declare tools in sampling is not given any",
        &[must(V2026_07_28, "client/sampling#tools-in-sampling")],
        sampling_tools,
    ),
    Rule::new(
        "input-form-flat",
        Area::Input,
        "a form has fields of simple types only",
        &[must(V2026_07_28, "client/elicitation#requested-schema")],
        form_flat,
    ),
    Rule::new(
        "input-cancelled",
        Area::Input,
        "a question that the user dismisses is answered",
        &[must(V2026_07_28, "client/elicitation#response-actions")],
        cancelled,
    ),
    Rule::new(
        "input-state-made-up",
        Area::Input,
        "a state that the server never gave completes nothing",
        &[must(V2026_07_28, "basic/patterns/mrtr#security-considerations")],
        made_up,
    ),
    Rule::new(
        "input-state-elsewhere",
        Area::Input,
        "a state of another request completes nothing",
        &[should(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
        elsewhere,
    ),
    Rule::new(
        "input-prompt-undeclared",
        Area::Input,
        "a prompt asks a client for nothing that it did not declare",
        &[must(V2026_07_28, "basic/patterns/mrtr#server-requirements-basic-workflow")],
        prompt_undeclared,
    ),
    Rule::new(
        "input-prompt-answered",
        Area::Input,
        "a prompt that is got again with the answers is completed",
        &[should(V2026_07_28, "server/prompts#getting-a-prompt")],
        prompt_answered,
    ),
    Rule::new(
        "question-sampling",
        Area::Input,
        "a client that declared sampling is asked on the stream of its call, and its answer completes the call",
        &[
            must(V2025_06_18, "client/sampling#creating-messages"),
            must(V2025_11_25, "client/sampling#creating-messages"),
        ],
        asked_model,
    ),
    Rule::new(
        "question-roots",
        Area::Input,
        "a client that declared roots is asked on the stream of its call, and its answer completes the call",
        &[must(V2025_06_18, "client/roots#listing-roots"), must(V2025_11_25, "client/roots#listing-roots")],
        asked_roots,
    ),
    Rule::new(
        "question-cancelled",
        Area::Input,
        "a call whose question is dismissed is answered",
        &[
            must(V2025_06_18, "client/elicitation#response-actions"),
            must(V2025_11_25, "client/elicitation#response-actions"),
        ],
        legacy_cancelled,
    ),
    Rule::new(
        "question-ids-differ",
        Area::Input,
        "no two questions of a session have one id",
        &[must(V2025_06_18, "basic#requests"), must(V2025_11_25, "basic#requests")],
        ids_differ,
    ),
    Rule::new(
        "question-undeclared",
        Area::Input,
        "a client is asked for nothing that it did not declare",
        &[must(V2025_06_18, "basic/lifecycle#operation"), must(V2025_11_25, "basic/lifecycle#operation")],
        legacy_undeclared,
    ),
    Rule::new(
        "question-mode-undeclared",
        Area::Input,
        "a client that takes URLs only is not sent a form",
        &[must(V2025_11_25, "client/elicitation#capabilities")],
        legacy_mode_undeclared,
    ),
    Rule::new(
        "question-sampling-tools",
        Area::Input,
        "a client that did not declare tools in sampling is not given any",
        &[must(V2025_11_25, "client/sampling#tools-in-sampling")],
        legacy_sampling_tools,
    ),
    Rule::new(
        "question-form-flat",
        Area::Input,
        "a form has fields of simple types only",
        &[
            must(V2025_06_18, "client/elicitation#supported-schema-types"),
            must(V2025_11_25, "client/elicitation#requested-schema"),
        ],
        legacy_form_flat,
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

fn unwilling(probe: &Probe<'_>, action: &str) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    let mut answers = answers(&result);
    for answer in answers.as_object_mut().into_iter().flat_map(Map::values_mut) {
        *answer = json!({ "action": action });
    }
    let response = again(probe, &tool, answers, result.get("requestState"))?.response()?;
    expect(*response.at("error").at("code") != -32603, "it is an internal error")
}

fn declined(probe: &Probe<'_>) -> Check {
    unwilling(probe, "decline")
}

fn cancelled(probe: &Probe<'_>) -> Check {
    unwilling(probe, "cancel")
}

fn missing(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::Elicits)?;
    let result = again(probe, &tool, json!({}), result.get("requestState"))?.result()?;
    if *result.at("resultType") == "complete" && *result.at("isError") != true {
        return not_applicable("the tool can do without the answer");
    }
    expect(*result.at("resultType") == "input_required", "it fails, and does not ask again")
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
        expect(!completes(&response), format!("{answers} completes it"))?;
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
    expect(!completes(&response), "it completes the call")
}

/// Whether a call is done, as it was meant to be.
fn completes(response: &Value) -> bool {
    let result = response.at("result");
    *result.at("resultType") == "complete" && *result.at("isError") != true
}

fn made_up(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::KeepsState)?;
    if !result.at("requestState").is_string() {
        return not_applicable("the tool keeps no state");
    }
    for state in ["", "mcp-conformance", "eyJyb3VuZCI6MX0="] {
        let response = again(probe, &tool, answers(&result), Some(&json!(state)))?.response()?;
        expect(!completes(&response), format!("\"{state}\" completes the call"))?;
    }
    Ok(())
}

fn elsewhere(probe: &Probe<'_>) -> Check {
    let (tool, result) = question(probe, Purpose::KeepsState)?;
    let (other, asked) = question(probe, Purpose::Elicits)?;
    if tool == other || !result.at("requestState").is_string() {
        return not_applicable("the tool keeps no state");
    }
    let response = again(probe, &other, answers(&asked), result.get("requestState"))?.response()?;
    expect(!completes(&response), format!("a state of {} completes {}", tool.tool, other.tool))
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
    purpose: Purpose,
    reply: impl Fn(&Value) -> (&'static str, Value),
) -> Result<(Value, Answer, Value), Outcome> {
    let tool = probe.known(purpose)?;
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

fn asked_for(probe: &Probe<'_>, purpose: Purpose, method: &str) -> Check {
    let (question, _, response) = asked_on_stream(probe, purpose, accept)?;
    expect(*question.at("method") == method, format!("{} is asked", question.at("method")))?;
    expect(response.get("result").is_some(), format!("the call ends with {}", response.at("error")))?;
    expect(*response.at("result").at("isError") != true, "the call fails")
}

fn asked(probe: &Probe<'_>) -> Check {
    asked_for(probe, Purpose::Elicits, "elicitation/create")
}

fn asked_model(probe: &Probe<'_>) -> Check {
    asked_for(probe, Purpose::Samples, "sampling/createMessage")
}

fn asked_roots(probe: &Probe<'_>) -> Check {
    asked_for(probe, Purpose::ListsRoots, "roots/list")
}

fn legacy_unwilling(probe: &Probe<'_>, action: &str) -> Check {
    let reply = |_: &Value| ("result", json!({ "action": action }));
    let (_, _, response) = asked_on_stream(probe, Purpose::Elicits, reply)?;
    expect(*response.at("error").at("code") != -32603, "it is an internal error")
}

fn legacy_declined(probe: &Probe<'_>) -> Check {
    legacy_unwilling(probe, "decline")
}

fn legacy_cancelled(probe: &Probe<'_>) -> Check {
    legacy_unwilling(probe, "cancel")
}

fn legacy_error(probe: &Probe<'_>) -> Check {
    let error = json!({ "code": -32603, "message": "the client cannot" });
    asked_on_stream(probe, Purpose::Elicits, move |_| ("error", error.clone())).map(drop)
}

fn answer_accepted(probe: &Probe<'_>) -> Check {
    let (_, taken, _) = asked_on_stream(probe, Purpose::Elicits, accept)?;
    taken.status(202)?;
    expect(taken.http().body.is_empty(), "there is a body")
}

fn only_where_supported(probe: &Probe<'_>) -> Check {
    let mut asked = vec![("server/discover", json!({}))];
    for (capability, method) in
        [("tools", "tools/list"), ("prompts", "prompts/list"), ("resources", "resources/list")]
    {
        if probe.declared(capability).is_ok() {
            asked.push((method, json!({})));
        }
    }
    if let Some(completion) = &probe.target().profile.completion
        && probe.declared("completions").is_ok()
    {
        let argument = json!({ "name": completion.argument, "value": "" });
        asked.push(("completion/complete", json!({ "ref": completion.reference, "argument": argument })));
    }
    for (method, mut params) in asked {
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".to_owned(), json!({ CAPABILITIES: all() }));
        }
        let response = probe.ask(method, params)?.response()?;
        let asks = *response.at("result").at("resultType") == "input_required";
        expect(!asks, format!("{method} asks for input"))?;
    }
    Ok(())
}

/// What is asked, of whatever answers a call.
fn requests_of(result: &Value) -> impl Iterator<Item = &Value> {
    result.at("inputRequests").as_object().into_iter().flatten().map(|(_, request)| request)
}

fn mode_undeclared(probe: &Probe<'_>) -> Check {
    let tool = probe.known(Purpose::Elicits)?;
    let response = call(probe, &tool, json!({ "elicitation": { "url": {} } }))?.response()?;
    expect(!requests_of(response.at("result")).any(is_form), "a form is sent")
}

fn is_form(request: &Value) -> bool {
    *request.at("method") == "elicitation/create" && *request.at("params").at("mode") != "url"
}

fn uses_tools(request: &Value) -> bool {
    let params = request.at("params");
    params.get("tools").is_some() || params.get("toolChoice").is_some()
}

fn sampling_tools(probe: &Probe<'_>) -> Check {
    let tool = probe.known(Purpose::Samples)?;
    let response = call(probe, &tool, json!({ "sampling": {} }))?.response()?;
    expect(!requests_of(response.at("result")).any(uses_tools), "tools are given")
}

/// That the fields of a form are of the types that the revision has.
fn flat(probe: &Probe<'_>, request: &Value) -> Check {
    let lists = match probe.revision() {
        V2025_06_18 => false,
        V2025_11_25 | V2026_07_28 => true,
    };
    let schema = request.at("params").at("requestedSchema");
    expect(*schema.at("type") == "object", format!("the type of the form is {}", schema.at("type")))?;
    for (name, field) in schema.at("properties").as_object().into_iter().flatten() {
        let kind = field.at("type");
        let simple = ["string", "number", "integer", "boolean"].iter().any(|it| kind == it);
        let chooses = field.at("items").get("enum").is_some() || field.at("items").get("anyOf").is_some();
        expect(simple || (lists && *kind == "array" && chooses), format!("the type of {name} is {kind}"))?;
    }
    Ok(())
}

fn form_flat(probe: &Probe<'_>) -> Check {
    let (_, result) = question(probe, Purpose::Elicits)?;
    requests_of(&result).filter(|request| is_form(request)).try_for_each(|form| flat(probe, form))
}

fn get(probe: &Probe<'_>, params: Value) -> Result<Value, Outcome> {
    probe.declared("prompts")?;
    let Some(get) = &probe.target().profile.asking_prompt else {
        return not_applicable("no prompt is known that asks: name one in a profile");
    };
    let get = super::prompts::listed(probe, get)?;
    let mut all = json!({ "name": get.name, "arguments": get.arguments });
    if let (Some(all), Value::Object(params)) = (all.as_object_mut(), params) {
        all.extend(params);
    }
    probe.ask("prompts/get", all)?.response()
}

fn prompt_undeclared(probe: &Probe<'_>) -> Check {
    let response = get(probe, json!({}))?;
    match requests_of(response.at("result")).next() {
        Some(request) => {
            fail(format!("{} was asked of a client that declared nothing", request.at("method")))
        }
        None => Ok(()),
    }
}

fn prompt_answered(probe: &Probe<'_>) -> Check {
    let meta = json!({ CAPABILITIES: all() });
    let response = get(probe, json!({ "_meta": meta }))?;
    let mut result = response.at("result").clone();
    if *result.at("resultType") != "input_required" {
        return not_applicable("the prompt asks nothing");
    }
    for _ in 0..5 {
        let mut params = json!({ "_meta": meta, "inputResponses": answers(&result) });
        if let (Some(params), Some(state)) = (params.as_object_mut(), result.get("requestState")) {
            params.insert("requestState".to_owned(), state.clone());
        }
        let response = get(probe, params)?;
        if let Some(error) = response.get("error") {
            return fail(format!("it ends with {error}"));
        }
        result = response.at("result").clone();
        if *result.at("resultType") != "input_required" {
            return Ok(());
        }
    }
    fail("it asks for ever")
}

/// The first question on the stream of a call; none when there is a response instead.
fn first_question(probe: &Probe<'_>, opened: &Opened, purpose: Purpose) -> Result<Option<Value>, Outcome> {
    let tool = probe.known(purpose)?;
    let params = json!({ "name": tool.tool, "arguments": tool.arguments });
    let mut stream =
        probe.open(&opened.request(probe.target(), json!("mcp-conformance"), "tools/call", params))?;
    if !stream.is_events() {
        return Ok(None);
    }
    while let Some(message) = stream.message()? {
        match (message.get("method"), message.get("id")) {
            (Some(_), Some(_)) => return Ok(Some(message)),
            (None, _) => return Ok(None),
            (Some(_), None) => {}
        }
    }
    Ok(None)
}

/// A client of its own, that declares these capabilities.
fn client(probe: &Probe<'_>, capabilities: Value) -> Result<Opened, Outcome> {
    if probe.opened().session.is_none() {
        return not_applicable("without sessions, the server cannot know what a client declared");
    }
    let params = json!({
        "protocolVersion": probe.revision().as_str(),
        "capabilities": capabilities,
        "clientInfo": { "name": "mcp-conformance", "version": env!("CARGO_PKG_VERSION") },
    });
    let request =
        probe.request("initialize", params).without("MCP-Protocol-Version").without("Mcp-Session-Id");
    let answer = probe.send(&request)?;
    answer.result()?;
    let session = answer.http().headers.text("mcp-session-id").map(str::to_owned);
    let opened = Opened { session, ..probe.opened().clone() };
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    probe.send(&opened.post(probe.target(), &initialized))?;
    Ok(opened)
}

fn legacy_undeclared(probe: &Probe<'_>) -> Check {
    let nobody = client(probe, json!({}))?;
    let mut seen = false;
    for (_, purpose) in ASKS {
        if probe.known(purpose).is_err() {
            continue;
        }
        seen = true;
        if let Some(question) = first_question(probe, &nobody, purpose)? {
            return fail(format!("{} was asked of a client that declared nothing", question.at("method")));
        }
    }
    if seen { Ok(()) } else { not_applicable("no tool is known that asks") }
}

fn legacy_mode_undeclared(probe: &Probe<'_>) -> Check {
    let client = client(probe, json!({ "elicitation": { "url": {} } }))?;
    let question = first_question(probe, &client, Purpose::Elicits)?;
    expect(!question.is_some_and(|question| is_form(&question)), "a form is sent")
}

/// A question of a call, where the server asks clients of this revision.
fn some_question(probe: &Probe<'_>, purpose: Purpose) -> Result<Value, Outcome> {
    match first_question(probe, probe.opened(), purpose)? {
        Some(question) => Ok(question),
        None => not_applicable("the server asks no client of this revision"),
    }
}

fn legacy_sampling_tools(probe: &Probe<'_>) -> Check {
    let question = some_question(probe, Purpose::Samples)?;
    expect(!uses_tools(&question), "tools are given")
}

fn legacy_form_flat(probe: &Probe<'_>) -> Check {
    let question = some_question(probe, Purpose::Elicits)?;
    if !is_form(&question) {
        return not_applicable("the tool sends no form");
    }
    flat(probe, &question)
}

fn ids_differ(probe: &Probe<'_>) -> Check {
    let one = some_question(probe, Purpose::Elicits)?;
    let other = some_question(probe, Purpose::Elicits)?;
    expect(one.at("id") != other.at("id"), format!("both have the id {}", one.at("id")))
}
