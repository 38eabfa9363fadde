//! Tools: schemas, calls, results.

mod schema;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::schema::{conforms, is_schema};
use super::{Area, Check, Clause, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::profile::Purpose;

const TOOL_NAMES: &[Clause] =
    &[should(V2025_11_25, "server/tools#tool-names"), should(V2026_07_28, "server/tools#tool-names")];

const SCHEMAS: &[Clause] =
    &[must(V2025_11_25, "basic/index#schema-validation"), must(V2026_07_28, "basic/index#schema-validation")];

const OUTPUT: &[Clause] = &[
    must(V2025_06_18, "server/tools#output-schema"),
    must(V2025_11_25, "server/tools#output-schema"),
    must(V2026_07_28, "server/tools#output-schema"),
];

const ERRORS: &[Clause] = &[
    should(V2025_06_18, "server/tools#error-handling"),
    should(V2025_11_25, "server/tools#error-handling"),
    should(V2026_07_28, "server/tools#error-handling"),
];

const INPUT: &[Clause] = &[
    must(V2025_06_18, "server/tools#security-considerations"),
    must(V2025_11_25, "server/tools#security-considerations"),
    must(V2026_07_28, "server/tools#security-considerations"),
];

const CALL: &[Clause] = &[
    must(V2025_06_18, "schema#calltoolrequest"),
    must(V2025_11_25, "schema#calltoolrequest"),
    must(V2026_07_28, "schema#calltoolrequest"),
];

const RESULT: &[Clause] = &[
    must(V2025_06_18, "schema#calltoolresult"),
    must(V2025_11_25, "schema#calltoolresult"),
    must(V2026_07_28, "schema#calltoolresult"),
];

const MIRRORS: &[Clause] = &[must(V2026_07_28, "server/tools#x-mcp-header")];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "input-schema-is-of-an-object",
        Area::Tools,
        "the input schema of a tool has the type object at its root",
        &[
            must(V2025_06_18, "schema#tool"),
            must(V2025_11_25, "schema#tool"),
            must(V2026_07_28, "schema#tool"),
        ],
        |probe| {
            each(probe, |tool| {
                let kind = tool.at("inputSchema").at("type");
                expect(*kind == "object", format!("the type of its input is {kind}"))
            })
        },
    ),
    Rule::new(
        "input-schema-valid",
        Area::Tools,
        "the input schema of a tool is valid in its dialect",
        SCHEMAS,
        |probe| each(probe, |tool| is_schema(tool.at("inputSchema"))),
    ),
    Rule::new(
        "output-schema-valid",
        Area::Tools,
        "the output schema of a tool is valid in its dialect",
        SCHEMAS,
        |probe| each(probe, |tool| tool.get("outputSchema").map_or(Ok(()), is_schema)),
    ),
    Rule::new(
        "output-schema-is-of-an-object",
        Area::Tools,
        "the output schema of a tool has the type object at its root",
        &[must(V2025_06_18, "schema#tool"), must(V2025_11_25, "schema#tool")],
        |probe| {
            each(probe, |tool| match tool.get("outputSchema") {
                Some(schema) if *schema.at("type") != "object" => {
                    fail(format!("the type of its output is {}", schema.at("type")))
                }
                _ => Ok(()),
            })
        },
    ),
    Rule::new(
        "tool-name-length",
        Area::Tools,
        "a tool's name has 1 to 128 characters",
        TOOL_NAMES,
        |probe| {
            each(probe, |tool| {
                let length = tool.at("name").as_str().map_or(0, |name| name.chars().count());
                expect((1..=128).contains(&length), format!("its name has {length} characters"))
            })
        },
    ),
    Rule::new(
        "tool-name-characters",
        Area::Tools,
        "a tool's name is of letters, digits, \"_\", \"-\" and \".\"",
        TOOL_NAMES,
        |probe| {
            each(probe, |tool| {
                let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
                let name = tool.at("name").as_str().unwrap_or_default();
                expect(name.bytes().all(allowed), "its name has other characters")
            })
        },
    ),
    Rule::new(
        "unknown-tool-error",
        Area::Tools,
        "a call of an unknown tool is answered with an error",
        ERRORS,
        |probe| unknown_tool(probe)?.error(&[]).map(|_| ()),
    ),
    Rule::new(
        "unknown-tool-code",
        Area::Tools,
        "the code of the error about an unknown tool is -32602",
        ERRORS,
        |probe| {
            let answer = unknown_tool(probe)?;
            if answer.has_result() {
                return not_applicable("there is no error");
            }
            answer.error(&[-32602]).map(|_| ())
        },
    ),
    Rule::new("call-result-has-content", Area::Tools, "the result of a call has content", RESULT, |probe| {
        let result = plain(probe)?;
        expect(result.at("content").is_array(), format!("the content is {}", result.at("content")))
    }),
    Rule::new("content-is-known", Area::Tools, "each block of content is of a known type", RESULT, |probe| {
        let kinds = ["text", "image", "audio", "resource_link", "resource"];
        let result = plain(probe)?;
        let mut found = result.at("content").items().iter().map(|block| block.at("type"));
        match found.find(|kind| !kind.as_str().is_some_and(|kind| kinds.contains(&kind))) {
            Some(kind) => fail(format!("a block is of the type {kind}")),
            None => Ok(()),
        }
    }),
    Rule::new("text-is-text", Area::Tools, "a block of text has a text", RESULT, |probe| {
        let result = plain(probe)?;
        let mut blocks = result.at("content").items().iter().filter(|block| *block.at("type") == "text");
        match blocks.find(|block| !block.at("text").is_string()) {
            Some(block) => fail(format!("the text is {}", block.at("text"))),
            None => Ok(()),
        }
    }),
    Rule::new(
        "is-error-is-a-boolean",
        Area::Tools,
        "isError, where it is there, is true or false",
        RESULT,
        |probe| {
            let result = plain(probe)?;
            let flag = result.get("isError");
            expect(flag.is_none_or(Value::is_boolean), format!("isError is {}", result.at("isError")))
        },
    ),
    Rule::new(
        "structured-content-there",
        Area::Tools,
        "a tool with an output schema gives structured content",
        OUTPUT,
        |probe| {
            let (_, result) = structured(probe)?;
            expect(result.get("structuredContent").is_some(), "there is no structured content")
        },
    ),
    Rule::new(
        "structured-content-conforms",
        Area::Tools,
        "structured content conforms to the output schema",
        OUTPUT,
        |probe| {
            let (schema, result) = structured(probe)?;
            match result.get("structuredContent") {
                Some(content) => conforms(&schema, content),
                None => not_applicable("there is no structured content"),
            }
        },
    ),
    Rule::new(
        "structured-content-as-text",
        Area::Tools,
        "structured content comes as text too",
        &[
            should(V2025_06_18, "server/tools#structured-content"),
            should(V2025_11_25, "server/tools#structured-content"),
            should(V2026_07_28, "server/tools#structured-content"),
        ],
        |probe| {
            let (_, result) = structured(probe)?;
            let Some(content) = result.get("structuredContent") else {
                return not_applicable("there is no structured content");
            };
            let texts = result.at("content").items().iter().filter_map(|block| block.at("text").as_str());
            let same = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|value| value == *content);
            expect(texts.into_iter().any(same), "no block of text is the structured content")
        },
    ),
    Rule::new(
        "structured-content-is-object",
        Area::Tools,
        "structured content is an object",
        &[
            must(V2025_06_18, "server/tools#structured-content"),
            must(V2025_11_25, "server/tools#structured-content"),
        ],
        |probe| {
            let (_, result) = structured(probe)?;
            match result.get("structuredContent") {
                Some(content) => expect(content.is_object(), format!("it is {content}")),
                None => not_applicable("there is no structured content"),
            }
        },
    ),
    Rule::new(
        "tool-error-is-a-result",
        Area::Tools,
        "a tool that fails gives a result with isError",
        ERRORS,
        |probe| {
            let result = probe.send(&probe.call(&probe.known(Purpose::Fails)?))?.result()?;
            expect(*result.at("isError") == true, format!("isError is {}", result.at("isError")))
        },
    ),
    Rule::new(
        "missing-argument-refused",
        Area::Tools,
        "a call that lacks a required argument does not succeed",
        INPUT,
        |probe| {
            let mut call = probe.known(Purpose::Plain)?;
            let required = required(probe, &call.tool);
            if required.is_empty() {
                return not_applicable("nothing is required");
            }
            call.arguments.retain(|name, _| !required.contains(name));
            failed(&probe.send(&probe.call(&call))?)
        },
    ),
    Rule::new(
        "wrong-argument-refused",
        Area::Tools,
        "a call with an object for an argument that is none does not succeed",
        INPUT,
        |probe| {
            let mut call = probe.known(Purpose::Plain)?;
            let tool = probe.opened().tools.iter().find(|tool| *tool.at("name") == *call.tool);
            let properties = tool.map(|tool| tool.at("inputSchema").at("properties").clone());
            let scalar = ["string", "integer", "number", "boolean"];
            let takes_no_object = |name: &&String| {
                let kind = properties.as_ref().map(|properties| properties.at(name).at("type").clone());
                kind.is_some_and(|kind| kind.as_str().is_some_and(|kind| scalar.contains(&kind)))
            };
            let Some(name) = call.arguments.keys().find(takes_no_object).cloned() else {
                return not_applicable("no argument is known to be no object");
            };
            call.arguments.insert(name, json!({ "conformance": [1] }));
            let request = probe.call(&call);
            failed(&probe.send(&request)?)
        },
    ),
    Rule::new(
        "invalid-arguments-are-a-result",
        Area::Tools,
        "invalid arguments are told in a result with isError",
        &[
            should(V2025_11_25, "server/tools#error-handling"),
            should(V2026_07_28, "server/tools#error-handling"),
        ],
        |probe| {
            let mut call = probe.known(Purpose::Plain)?;
            if required(probe, &call.tool).is_empty() {
                return not_applicable("nothing is required");
            }
            call.arguments.clear();
            let result = probe.send(&probe.call(&call))?.result()?;
            expect(*result.at("isError") == true, "isError is not true")
        },
    ),
    Rule::new(
        "arguments-optional",
        Area::Tools,
        "a tool that needs no arguments is called without",
        CALL,
        |probe| {
            let call = probe.known(Purpose::Fails)?;
            if !call.arguments.is_empty() {
                return not_applicable("no tool is known that needs none");
            }
            let request = probe.call(&call).json(|message| message.cut(&["params", "arguments"]));
            probe.send(&request)?.result().map(|_| ())
        },
    ),
    Rule::new(
        "call-without-name",
        Area::Tools,
        "a call without a name is answered with an error",
        CALL,
        |probe| {
            probe.declared("tools")?;
            let request = probe.request("tools/call", json!({ "arguments": {} }));
            probe.send(&request)?.refused().map(|_| ())
        },
    ),
    Rule::new(
        "arguments-are-an-object",
        Area::Tools,
        "a call whose arguments are an array does not succeed",
        CALL,
        |probe| {
            let call = probe.known(Purpose::Plain)?;
            let request =
                probe.call(&call).json(|message| message.put(&["params", "arguments"], json!(["a"])));
            failed(&probe.send(&request)?)
        },
    ),
    Rule::new(
        "parallel-calls-apart",
        Area::Tools,
        "calls at the same time are answered each by itself",
        &[
            must(V2025_06_18, "basic/index#responses"),
            must(V2025_11_25, "basic/index#result-responses"),
            must(V2026_07_28, "basic/index#result-responses"),
        ],
        parallel_calls_apart,
    )
    .alone(),
    Rule::new(
        "mirror-name-is-a-token",
        Area::Tools,
        "the name of a mirrored argument's header is a token",
        MIRRORS,
        |probe| {
            each_mirror(probe, |name, _| {
                let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
                let right = name.as_str().is_some_and(|name| !name.is_empty() && name.bytes().all(token));
                expect(right, format!("the name is {name}"))
            })
        },
    ),
    Rule::new(
        "mirror-on-primitives",
        Area::Tools,
        "a mirrored argument is a string, an integer or a boolean",
        MIRRORS,
        |probe| {
            each_mirror(probe, |name, schema| {
                let kind = schema.at("type");
                let right =
                    kind.as_str().is_some_and(|kind| matches!(kind, "string" | "integer" | "boolean"));
                expect(right, format!("the type of {name} is {kind}"))
            })
        },
    ),
    Rule::new(
        "mirror-names-unique",
        Area::Tools,
        "no two arguments of a tool are mirrored in one header",
        MIRRORS,
        |probe| {
            each(probe, |tool| {
                let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
                mirrors(tool.at("inputSchema"), &mut found);
                let names = found.iter().filter_map(|(name, _)| name.as_str()).map(str::to_ascii_lowercase);
                match names.into_iter().find(|name| !seen.insert(name.clone())) {
                    Some(twice) => fail(format!("\"{twice}\" is there twice")),
                    None => Ok(()),
                }
            })
        },
    ),
    Rule::new(
        "mirror-reachable",
        Area::Tools,
        "a mirrored argument is reached through properties alone",
        MIRRORS,
        |probe| {
            each(probe, |tool| {
                let mut reached = Vec::new();
                mirrors(tool.at("inputSchema"), &mut reached);
                let all = annotations(tool.at("inputSchema"), 0);
                expect(all == reached.len(), "an annotation is elsewhere")
            })
        },
    ),
];

/// Checks each tool that is listed.
fn each(probe: &Probe<'_>, check: impl Fn(&Value) -> Check) -> Check {
    if probe.opened().tools.is_empty() {
        return not_applicable("no tool is listed");
    }
    for tool in &probe.opened().tools {
        check(tool).map_err(|outcome| match outcome {
            Outcome::Fail(reason) => Outcome::Fail(format!("{}: {reason}", tool.at("name"))),
            other @ (Outcome::Pass | Outcome::Warn(_) | Outcome::NotApplicable(_)) => other,
        })?;
    }
    Ok(())
}

fn each_mirror(probe: &Probe<'_>, check: impl Fn(&Value, &Value) -> Check) -> Check {
    each(probe, |tool| {
        let mut found = Vec::new();
        mirrors(tool.at("inputSchema"), &mut found);
        found.into_iter().try_for_each(|(name, schema)| check(name, schema))
    })
}

/// The annotated properties that can be reached, with their annotations.
fn mirrors<'a>(schema: &'a Value, found: &mut Vec<(&'a Value, &'a Value)>) {
    for property in schema.at("properties").as_object().into_iter().flatten().map(|(_, property)| property) {
        if let Some(name) = property.get("x-mcp-header") {
            found.push((name, property));
        }
        mirrors(property, found);
    }
}

/// How many annotations there are anywhere in a schema, but in values that are only data.
fn annotations(schema: &Value, depth: usize) -> usize {
    const DATA: [&str; 5] = ["default", "examples", "const", "enum", "required"];
    const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    if depth > 64 {
        return 0;
    }
    let deeper = depth.saturating_add(1);
    match schema {
        Value::Object(members) => members.iter().fold(0, |sum: usize, (name, value)| {
            let here = match &**name {
                "x-mcp-header" => 1,
                name if DATA.contains(&name) => 0,
                name if MAPS.contains(&name) => {
                    let schemas = value.as_object().into_iter().flatten();
                    schemas.map(|(_, schema)| annotations(schema, deeper)).sum()
                }
                _ => annotations(value, deeper),
            };
            sum.saturating_add(here)
        }),
        Value::Array(items) => items.iter().map(|item| annotations(item, deeper)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn unknown_tool(probe: &Probe<'_>) -> Result<Answer, Outcome> {
    probe.declared("tools")?;
    probe.ask("tools/call", json!({ "name": "conformance_unknown", "arguments": {} }))
}

fn plain(probe: &Probe<'_>) -> Result<Value, Outcome> {
    probe.send(&probe.call(&probe.known(Purpose::Plain)?))?.result()
}

/// The output schema of a tool, and a result of it that is no error.
fn structured(probe: &Probe<'_>) -> Result<(Value, Value), Outcome> {
    let call = probe.known(Purpose::Structured)?;
    let tool = probe.opened().tools.iter().find(|tool| *tool.at("name") == *call.tool);
    let Some(schema) = tool.and_then(|tool| tool.get("outputSchema")) else {
        return not_applicable(format!("{} has no output schema", call.tool));
    };
    let result = probe.send(&probe.call(&call))?.result()?;
    if *result.at("isError") == true {
        return not_applicable(format!("{} fails", call.tool));
    }
    Ok((schema.clone(), result))
}

fn required(probe: &Probe<'_>, tool: &str) -> Vec<String> {
    let tool = probe.opened().tools.iter().find(|other| *other.at("name") == *tool);
    let required = tool.map(|tool| tool.at("inputSchema").at("required").items()).unwrap_or_default();
    required.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Expects an error, of either kind.
fn failed(answer: &Answer) -> Check {
    if !answer.has_result() {
        return answer.refused().map(|_| ());
    }
    let result = answer.result()?;
    expect(*result.at("isError") == true, "the call succeeded")
}

fn parallel_calls_apart(probe: &Probe<'_>) -> Check {
    let call = probe.known(Purpose::Plain)?;
    let target = probe.target();
    let requests: Vec<_> = (0..16).map(|_| probe.call(&call)).collect();
    let answers: Vec<_> = std::thread::scope(|scope| {
        let sent: Vec<_> =
            requests.iter().map(|request| scope.spawn(|| target.endpoint.send(request))).collect();
        sent.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for (request, answer) in requests.iter().zip(answers) {
        let Ok(Ok(response)) = answer else { return fail("a call was not answered") };
        let id = serde_json::from_slice::<Value>(&request.body).ok().map(|message| message.at("id").clone());
        Answer::new(response, id).result()?;
    }
    Ok(())
}
