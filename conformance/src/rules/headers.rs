//! Headers that mirror the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::profile::{Call, Purpose};
use crate::wire::Request;

const VALIDATION: &[Clause] = &[must(V2026_07_28, "basic/transports/streamable-http#server-validation")];

const STANDARD_HEADERS: &[Clause] =
    &[must(V2026_07_28, "basic/transports/streamable-http#standard-request-headers")];

const ENCODING: &[Clause] = &[must(V2026_07_28, "basic/transports/streamable-http#value-encoding")];

const CASE: &[Clause] = &[must(V2026_07_28, "basic/transports/streamable-http#case-sensitivity")];

const CUSTOM: &[Clause] =
    &[must(V2026_07_28, "basic/transports/streamable-http#server-behavior-for-custom-headers")];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "version-header-missing",
        Area::Headers,
        "a request without MCP-Protocol-Version is refused with 400 and -32020",
        VALIDATION,
        |probe| {
            let versions = probe.opened().opening.at("supportedVersions").items();
            if versions.iter().any(|version| version == "2025-03-26") {
                return not_applicable("the server speaks a version that has no such header");
            }
            refused(probe, probe.harmless().without("MCP-Protocol-Version"))
        },
    ),
    Rule::new(
        "version-header-differs",
        Area::Headers,
        "a request whose MCP-Protocol-Version differs from _meta is refused with 400 and -32020",
        MODERN_VERSION,
        |probe| refused(probe, probe.harmless().with("MCP-Protocol-Version", "2025-11-25")),
    ),
    Rule::new(
        "mismatch-has-id",
        Area::Headers,
        "the error about a header has the id of its request",
        &[must(V2026_07_28, "basic/index#error-responses")],
        |probe| {
            let request = probe.harmless().json(|message| message.put(&["id"], json!("mismatch-id")));
            let answer = probe.send(&request.with("MCP-Protocol-Version", "2025-11-25"))?;
            if answer.has_result() {
                return not_applicable("it is served");
            }
            let response = answer.response()?;
            let id = response.at("id");
            expect(*id == "mismatch-id", format!("the id is {id}, not \"mismatch-id\""))
        },
    ),
    Rule::new(
        "method-header-missing",
        Area::Headers,
        "a request without Mcp-Method is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, probe.harmless().without("Mcp-Method")),
    ),
    Rule::new(
        "method-header-differs",
        Area::Headers,
        "a request whose Mcp-Method differs from the body is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, probe.harmless().with("Mcp-Method", "tools/list")),
    ),
    Rule::new(
        "method-header-empty",
        Area::Headers,
        "a request whose Mcp-Method is empty is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, probe.harmless().with("Mcp-Method", "")),
    ),
    Rule::new(
        "method-header-twice",
        Area::Headers,
        "a request with two different Mcp-Method is refused",
        VALIDATION,
        |probe| probe.send(&probe.harmless().header("Mcp-Method", "tools/list"))?.refused().map(|_| ()),
    ),
    Rule::new(
        "method-header-value-case",
        Area::Headers,
        "the value of Mcp-Method is compared with its case",
        CASE,
        |probe| refused(probe, probe.harmless().with("Mcp-Method", "Server/Discover")),
    ),
    Rule::new(
        "mirror-header-names-any-case",
        Area::Headers,
        "names of headers that mirror the body may be spelled in any case",
        CASE,
        |probe| {
            let request = probe.harmless().without("Mcp-Method").without("MCP-Protocol-Version");
            let request = request.header("mCP-mETHOD", "server/discover");
            served(probe, request.header("mcp-PROTOCOL-version", probe.revision().as_str()))
        },
    ),
    Rule::new(
        "mirror-header-white-space",
        Area::Headers,
        "white space around a value is not part of it",
        &[must(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9110#section-5.5")],
        |probe| served(probe, probe.harmless().with("Mcp-Method", " \t server/discover \t")),
    ),
    Rule::new(
        "name-header-missing-call",
        Area::Headers,
        "a call without Mcp-Name is refused with 400 and -32020",
        STANDARD_HEADERS,
        |probe| refused(probe, plain(probe)?.without("Mcp-Name")),
    ),
    Rule::new(
        "name-header-differs-call",
        Area::Headers,
        "a call whose Mcp-Name differs from the body is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, plain(probe)?.with("Mcp-Name", "conformance_other")),
    ),
    Rule::new(
        "name-header-missing-prompt",
        Area::Headers,
        "prompts/get without Mcp-Name is refused with 400 and -32020",
        STANDARD_HEADERS,
        |probe| refused(probe, prompt(probe)?.without("Mcp-Name")),
    ),
    Rule::new(
        "name-header-differs-prompt",
        Area::Headers,
        "prompts/get whose Mcp-Name differs from the body is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, prompt(probe)?.with("Mcp-Name", "conformance_other")),
    ),
    Rule::new(
        "name-header-missing-resource",
        Area::Headers,
        "resources/read without Mcp-Name is refused with 400 and -32020",
        STANDARD_HEADERS,
        |probe| refused(probe, resource(probe)?.without("Mcp-Name")),
    ),
    Rule::new(
        "name-header-differs-resource",
        Area::Headers,
        "resources/read whose Mcp-Name differs from the body is refused with 400 and -32020",
        VALIDATION,
        |probe| refused(probe, resource(probe)?.with("Mcp-Name", "conformance://other")),
    ),
    Rule::new(
        "name-header-value-case",
        Area::Headers,
        "the value of Mcp-Name is compared with its case",
        CASE,
        |probe| {
            let call = probe.known(Purpose::Plain)?;
            let other: String = call.tool.chars().map(swapped).collect();
            if other == call.tool {
                return not_applicable("the tool's name has no letters");
            }
            refused(probe, probe.call(&call).with("Mcp-Name", other))
        },
    ),
    Rule::new(
        "name-header-base64",
        Area::Headers,
        "an encoded Mcp-Name is decoded before it is compared",
        ENCODING,
        |probe| {
            let call = probe.known(Purpose::Plain)?;
            served(probe, probe.call(&call).with("Mcp-Name", encoded(&call.tool)))
        },
    ),
    Rule::new(
        "name-header-base64-differs",
        Area::Headers,
        "an encoded Mcp-Name that differs from the body is refused with 400 and -32020",
        ENCODING,
        |probe| refused(probe, plain(probe)?.with("Mcp-Name", encoded("conformance_other"))),
    ),
    Rule::new(
        "name-header-base64-invalid",
        Area::Headers,
        "an Mcp-Name that is marked as encoded and is not is refused with 400 and -32020",
        ENCODING,
        |probe| refused(probe, plain(probe)?.with("Mcp-Name", "=?base64?*not base64*?=")),
    ),
    Rule::new(
        "name-header-base64-markers",
        Area::Headers,
        "markers of an encoded value in another case are none",
        ENCODING,
        |probe| {
            let call = probe.known(Purpose::Plain)?;
            refused(
                probe,
                probe.call(&call).with("Mcp-Name", format!("=?BASE64?{}?=", STANDARD.encode(&call.tool))),
            )
        },
    ),
    Rule::new(
        "param-header-missing",
        Area::Headers,
        "a call that lacks the header of an argument is refused with 400 and -32020",
        CUSTOM,
        |probe| {
            let (call, name, _) = mirrored(probe)?;
            refused(probe, probe.call(&call).without(&name))
        },
    ),
    Rule::new(
        "param-header-differs",
        Area::Headers,
        "a call whose header differs from the argument is refused with 400 and -32020",
        CUSTOM,
        |probe| {
            let (call, name, value) = mirrored(probe)?;
            refused(probe, probe.call(&call).with(&name, format!("{value}0")))
        },
    ),
    Rule::new(
        "param-header-base64",
        Area::Headers,
        "an encoded Mcp-Param header is decoded before it is compared",
        ENCODING,
        |probe| {
            let (call, name, value) = mirrored(probe)?;
            served(probe, probe.call(&call).with(&name, encoded(&value)))
        },
    ),
    Rule::new(
        "param-header-base64-differs",
        Area::Headers,
        "an encoded Mcp-Param header that differs from the argument is refused with 400 and -32020",
        ENCODING,
        |probe| {
            let (call, name, value) = mirrored(probe)?;
            refused(probe, probe.call(&call).with(&name, encoded(&format!("{value}0"))))
        },
    ),
    Rule::new(
        "param-header-base64-invalid",
        Area::Headers,
        "an Mcp-Param header that is marked as encoded and is not is refused with 400 and -32020",
        CUSTOM,
        |probe| {
            let (call, name, _) = mirrored(probe)?;
            refused(probe, probe.call(&call).with(&name, "=?base64?*not base64*?="))
        },
    ),
    Rule::new(
        "param-header-name-any-case",
        Area::Headers,
        "names of Mcp-Param headers may be spelled in any case",
        CASE,
        |probe| {
            let (call, name, value) = mirrored(probe)?;
            let spelled: String = name.chars().map(swapped).collect();
            served(probe, probe.call(&call).without(&name).header(spelled, value))
        },
    ),
    Rule::new(
        "param-header-of-absent-argument",
        Area::Headers,
        "no header is expected of an argument that is not there",
        CUSTOM,
        |probe| {
            let (mut call, argument, name) = optional(probe)?;
            call.arguments.remove(&argument);
            not_mismatched(&probe.send(&probe.call(&call).without(&name))?)
        },
    ),
    Rule::new(
        "param-header-of-null",
        Area::Headers,
        "no header is expected of an argument that is null",
        CUSTOM,
        |probe| {
            let (mut call, argument, name) = optional(probe)?;
            call.arguments.insert(argument, Value::Null);
            not_mismatched(&probe.send(&probe.call(&call).without(&name))?)
        },
    ),
    Rule::new(
        "param-header-numeric",
        Area::Headers,
        "a header of an integer is compared as a number",
        &[should(V2026_07_28, "basic/transports/streamable-http#server-validation")],
        |probe| {
            let call = probe.known(Purpose::MirrorsArguments)?;
            let found = probe.mirrored_arguments(&call);
            let integer = found.iter().find(|(_, value)| value.parse::<i64>().is_ok());
            let Some((name, value)) = integer else { return not_applicable("no argument is an integer") };
            served(probe, probe.call(&call).with(&format!("Mcp-Param-{name}"), format!("{value}.0")))
        },
    ),
    Rule::new(
        "param-header-unknown",
        Area::Headers,
        "an Mcp-Param header that no argument has is ignored",
        &[should(V2026_07_28, "basic/transports/streamable-http#server-behavior-for-custom-headers")],
        |probe| served(probe, plain(probe)?.header("Mcp-Param-Conformance-Unknown", "1")),
    ),
    Rule::new(
        "mirror-headers-unknown",
        Area::Headers,
        "headers that mirror the body mean nothing",
        &[
            should(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9110#section-5.1"),
            should(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9110#section-5.1"),
        ],
        |probe| {
            served(
                probe,
                probe.harmless().header("Mcp-Method", "tools/list").header("Mcp-Name", "conformance_other"),
            )
        },
    ),
];

const MODERN_VERSION: &[Clause] =
    &[must(V2026_07_28, "basic/transports/streamable-http#protocol-version-header")];

fn refused(probe: &Probe<'_>, request: Request) -> Check {
    let answer = probe.send(&request)?;
    if answer.has_result() {
        return fail("it is served");
    }
    answer.status(400)?.error(&[-32020]).map(|_| ())
}

fn not_mismatched(answer: &Answer) -> Check {
    let response = answer.response()?;
    expect(*response.at("error").at("code") != -32020, "it is refused as a mismatch")
}

fn plain(probe: &Probe<'_>) -> Result<Request, Outcome> {
    Ok(probe.call(&probe.known(Purpose::Plain)?))
}

fn prompt(probe: &Probe<'_>) -> Result<Request, Outcome> {
    let name = match &probe.target().profile.prompt {
        Some(prompt) => prompt.name.clone(),
        None => String::new(),
    };
    let listed = &probe.opened().prompts;
    let found = listed.iter().find(|prompt| *prompt.at("name") == *name).or_else(|| listed.first());
    let Some(found) = found else { return not_applicable("no prompt is listed") };
    let arguments = match &probe.target().profile.prompt {
        Some(prompt) if *found.at("name") == *prompt.name => Value::Object(prompt.arguments.clone()),
        _ => json!({}),
    };
    Ok(probe.request("prompts/get", json!({ "name": found.at("name"), "arguments": arguments })))
}

fn resource(probe: &Probe<'_>) -> Result<Request, Outcome> {
    let Some(found) = probe.opened().resources.first() else {
        return not_applicable("no resource is listed");
    };
    Ok(probe.request("resources/read", json!({ "uri": found.at("uri") })))
}

/// A call, and the name and the value of a header that repeats one of its arguments.
fn mirrored(probe: &Probe<'_>) -> Result<(Call, String, String), Outcome> {
    let call = probe.known(Purpose::MirrorsArguments)?;
    match probe.mirrored_arguments(&call).into_iter().next() {
        Some((name, value)) => Ok((call, format!("Mcp-Param-{name}"), value)),
        None => not_applicable(format!("{} has no argument that is mirrored", call.tool)),
    }
}

/// A call, an argument of it that it can do without, and the header that repeats it.
fn optional(probe: &Probe<'_>) -> Result<(Call, String, String), Outcome> {
    let call = probe.known(Purpose::MirrorsArguments)?;
    let tool = probe.opened().tools.iter().find(|tool| *tool.at("name") == *call.tool);
    let Some(schema) = tool.map(|tool| tool.at("inputSchema")) else {
        return not_applicable("the tool is not listed");
    };
    let required = schema.at("required").items();
    for (name, property) in schema.at("properties").as_object().into_iter().flatten() {
        let Some(header) = property.at("x-mcp-header").as_str() else { continue };
        if !required.iter().any(|required| required == name) {
            return Ok((call, name.clone(), format!("Mcp-Param-{header}")));
        }
    }
    not_applicable("no mirrored argument is optional")
}

fn encoded(value: &str) -> String {
    format!("=?base64?{}?=", STANDARD.encode(value))
}

fn swapped(letter: char) -> char {
    if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}
