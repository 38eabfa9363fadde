//! Which revision is spoken.

use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::wire::Request;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

const NEGOTIATION: &[Clause] = &[
    must(V2025_06_18, "basic/lifecycle#version-negotiation"),
    must(V2025_11_25, "basic/lifecycle#version-negotiation"),
];

const LEGACY_HEADER: &[Clause] = &[
    must(V2025_06_18, "basic/transports#protocol-version-header"),
    must(V2025_11_25, "basic/transports#protocol-version-header"),
];

const MODERN_HEADER: &[Clause] =
    &[must(V2026_07_28, "basic/transports/streamable-http#protocol-version-header")];

const MODERN_NEGOTIATION: &[Clause] = &[must(V2026_07_28, "basic/versioning#protocol-version-negotiation")];

const META: &[Clause] = &[must(V2026_07_28, "basic/index#meta")];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "initialize-unknown-version",
        Area::Versions,
        "initialize with a version that is unknown is not answered with that version",
        NEGOTIATION,
        |probe| not_granted(probe, "1999-01-01"),
    ),
    Rule::new(
        "initialize-future-version",
        Area::Versions,
        "initialize with a version of the future is not answered with that version",
        NEGOTIATION,
        |probe| not_granted(probe, "2999-12-31"),
    ),
    Rule::new(
        "initialize-modern-version",
        Area::Versions,
        "initialize is not answered with a revision that has no initialize",
        &[
            should(V2025_06_18, "basic/lifecycle#version-negotiation"),
            should(V2025_11_25, "basic/lifecycle#version-negotiation"),
        ],
        |probe| not_granted(probe, V2026_07_28.as_str()),
    ),
    Rule::new(
        "initialize-version-of-wrong-type",
        Area::Versions,
        "initialize with a version that is no string gets no result",
        &[
            should(V2025_06_18, "basic/lifecycle#initialization"),
            should(V2025_11_25, "basic/lifecycle#initialization"),
        ],
        |probe| {
            let request =
                probe.opening().json(|message| message.put(&["params", "protocolVersion"], json!(7)));
            expect(!probe.send(&request)?.has_result(), "there is a result")
        },
    ),
    Rule::new(
        "unknown-version-header-400",
        Area::Versions,
        "a version in the header that is not supported is answered with 400",
        LEGACY_HEADER,
        |probe| header_400(probe, "1999-01-01"),
    ),
    Rule::new(
        "invalid-version-header-400",
        Area::Versions,
        "a version in the header that is none is answered with 400",
        LEGACY_HEADER,
        |probe| header_400(probe, "conformance"),
    ),
    Rule::new(
        "version-header-optional",
        Area::Versions,
        "a request without the header is served as of an older version",
        &[
            should(V2025_06_18, "basic/transports#protocol-version-header"),
            should(V2025_11_25, "basic/transports#protocol-version-header"),
        ],
        |probe| served(probe, probe.harmless().without("MCP-Protocol-Version")),
    ),
    Rule::new(
        "unsupported-version-400",
        Area::Versions,
        "a version that is not supported is answered with 400",
        MODERN_HEADER,
        |probe| probe.send(&of_version(probe, "1999-01-01"))?.status(400).map(|_| ()),
    ),
    Rule::new(
        "unsupported-version-code",
        Area::Versions,
        "a version that is not supported is answered with -32022",
        MODERN_NEGOTIATION,
        |probe| probe.send(&of_version(probe, "1999-01-01"))?.error(&[-32022]).map(|_| ()),
    ),
    Rule::new(
        "future-version-code",
        Area::Versions,
        "a version of the future is answered with -32022",
        MODERN_NEGOTIATION,
        |probe| probe.send(&of_version(probe, "2999-12-31"))?.error(&[-32022]).map(|_| ()),
    ),
    Rule::new(
        "unsupported-version-lists-supported",
        Area::Versions,
        "the error about a version lists those that are supported",
        MODERN_NEGOTIATION,
        |probe| {
            let error = unsupported(probe)?;
            let supported = error.at("data").at("supported");
            let is_listed = supported.items().iter().any(|version| version == probe.revision().as_str());
            expect(is_listed, format!("what is supported is {supported}"))
        },
    ),
    Rule::new(
        "unsupported-version-names-requested",
        Area::Versions,
        "the error about a version names the one that was asked for",
        &[must(V2026_07_28, "schema#unsupportedprotocolversionerror")],
        |probe| {
            let error = unsupported(probe)?;
            let requested = error.at("data").at("requested");
            expect(*requested == "1999-01-01", format!("what was requested is {requested}"))
        },
    ),
    Rule::new(
        "supported-versions-agree",
        Area::Versions,
        "the error about a version and server/discover list the same versions",
        MODERN_NEGOTIATION,
        |probe| {
            let error = unsupported(probe)?;
            let here = sorted(error.at("data").at("supported"));
            let there = sorted(probe.opened().opening.at("supportedVersions"));
            expect(here == there, format!("{here:?} here, {there:?} there"))
        },
    ),
    Rule::new(
        "version-in-meta-required",
        Area::Versions,
        "a request without a version in _meta is refused with -32602",
        META,
        |probe| probe.send(&without(probe, VERSION))?.error(&[-32602]).map(|_| ()),
    ),
    Rule::new(
        "version-in-meta-required-400",
        Area::Versions,
        "a request without a version in _meta is answered with 400",
        META,
        |probe| probe.send(&without(probe, VERSION))?.status(400).map(|_| ()),
    ),
    Rule::new(
        "capabilities-in-meta-required",
        Area::Versions,
        "a request without the client's capabilities is refused with -32602",
        META,
        |probe| probe.send(&without(probe, CAPABILITIES))?.error(&[-32602]).map(|_| ()),
    ),
    Rule::new(
        "capabilities-in-meta-required-400",
        Area::Versions,
        "a request without the client's capabilities is answered with 400",
        META,
        |probe| probe.send(&without(probe, CAPABILITIES))?.status(400).map(|_| ()),
    ),
    Rule::new(
        "capabilities-of-wrong-type",
        Area::Versions,
        "capabilities of the client that are no object are refused",
        META,
        |probe| {
            let path = ["params", "_meta", CAPABILITIES];
            let request = probe.harmless().json(|message| message.put(&path, json!("all")));
            probe.send(&request)?.refused().map(|_| ())
        },
    ),
    Rule::new(
        "meta-required",
        Area::Versions,
        "a request without _meta is refused with 400 and -32602",
        META,
        |probe| malformed(&probe.send(&probe.harmless().json(|message| message.cut(&["params", "_meta"])))?),
    ),
    Rule::new(
        "params-required",
        Area::Versions,
        "a request without params is refused with 400 and -32602",
        META,
        |probe| malformed(&probe.send(&probe.harmless().json(|message| message.cut(&["params"])))?),
    ),
    Rule::new("client-info-optional", Area::Versions, "a client need not say who it is", META, |probe| {
        served(probe, without(probe, CLIENT))
    }),
    Rule::new(
        "unknown-capabilities-ignored",
        Area::Versions,
        "capabilities of the client that nobody knows change nothing",
        &[
            must(V2025_06_18, "schema#clientcapabilities"),
            must(V2025_11_25, "schema#clientcapabilities"),
            must(V2026_07_28, "schema#clientcapabilities"),
        ],
        |probe| {
            let path: &[&str] = if probe.revision().is_legacy() {
                &["params", "capabilities", "conformance"]
            } else {
                &["params", "_meta", CAPABILITIES, "conformance"]
            };
            served(probe, probe.opening().json(|message| message.put(path, json!({ "deep": [1] }))))
        },
    ),
    Rule::new(
        "experimental-capabilities-ignored",
        Area::Versions,
        "experimental capabilities of the client change nothing",
        &[
            must(V2025_06_18, "schema#clientcapabilities"),
            must(V2025_11_25, "schema#clientcapabilities"),
            must(V2026_07_28, "schema#clientcapabilities"),
        ],
        |probe| {
            let path: &[&str] = if probe.revision().is_legacy() {
                &["params", "capabilities", "experimental"]
            } else {
                &["params", "_meta", CAPABILITIES, "experimental"]
            };
            served(probe, probe.opening().json(|message| message.put(path, json!({ "conformance": {} }))))
        },
    ),
    Rule::new(
        "removed-methods-404",
        Area::Versions,
        "methods of older revisions are answered with 404 and -32601",
        &[should(V2026_07_28, "changelog#major-changes")],
        |probe| {
            for (method, params) in [
                ("ping", json!({})),
                ("logging/setLevel", json!({ "level": "error" })),
                ("resources/subscribe", json!({ "uri": "conformance://unknown" })),
            ] {
                let answer = probe.ask(method, params)?;
                if answer.has_result() {
                    return fail(format!("{method} is served"));
                }
                answer.status(404)?.error(&[-32601])?;
            }
            Ok(())
        },
    ),
    Rule::new(
        "session-not-minted",
        Area::Versions,
        "no session id is issued",
        &[should(V2026_07_28, "basic/transports/streamable-http#earlier-streamable-http-revisions")],
        |probe| {
            let answer = probe.send(&probe.harmless())?;
            expect(!answer.http().headers.has("mcp-session-id"), "the answer has a session id")
        },
    ),
    Rule::new(
        "stray-session-ignored",
        Area::Versions,
        "a session id is ignored",
        &[should(V2026_07_28, "basic/transports/streamable-http#earlier-streamable-http-revisions")],
        |probe| served(probe, probe.harmless().header("Mcp-Session-Id", "conformance-unknown")),
    ),
    Rule::new(
        "stray-last-event-id-ignored",
        Area::Versions,
        "the id of a last event is ignored",
        &[should(V2026_07_28, "basic/transports/streamable-http#earlier-streamable-http-revisions")],
        |probe| served(probe, probe.harmless().header("Last-Event-ID", "conformance-7")),
    ),
];

/// A request that says it is of another version, in both places.
fn of_version(probe: &Probe<'_>, version: &str) -> Request {
    let request = probe.harmless().json(|message| message.put(&["params", "_meta", VERSION], json!(version)));
    request.with("MCP-Protocol-Version", version)
}

fn without(probe: &Probe<'_>, member: &str) -> Request {
    probe.harmless().json(|message| message.cut(&["params", "_meta", member]))
}

fn unsupported(probe: &Probe<'_>) -> Result<Value, super::Outcome> {
    let answer = probe.send(&of_version(probe, "1999-01-01"))?;
    let error = answer.error(&[])?;
    if *error.at("code") != -32022 {
        return not_applicable("the error is another one");
    }
    Ok(error)
}

fn malformed(answer: &Answer) -> Check {
    answer.status(400)?.error(&[-32602]).map(|_| ())
}

fn sorted(versions: &Value) -> Vec<String> {
    let mut versions: Vec<String> = versions.items().iter().map(ToString::to_string).collect();
    versions.sort();
    versions
}

fn header_400(probe: &Probe<'_>, version: &str) -> Check {
    probe.send(&probe.harmless().with("MCP-Protocol-Version", version))?.status(400).map(|_| ())
}

/// Asks to speak a version that cannot be granted. An error is fine: the specification has an example of one.
fn not_granted(probe: &Probe<'_>, version: &str) -> Check {
    let request = probe.opening().json(|message| message.put(&["params", "protocolVersion"], json!(version)));
    let answer = probe.send(&request)?;
    if !answer.has_result() {
        answer.refused()?;
        return Ok(());
    }
    let result = answer.result()?;
    let granted = result.at("protocolVersion");
    expect(granted.is_string(), format!("the version is {granted}"))?;
    expect(*granted != *version, format!("{version} is granted"))
}
