//! Which revision is spoken.

use axum::http::StatusCode;
use serde_json::json;

use super::layer::{Sent, answer, empty};
use super::{ALL, LEGACY, MODERN, Mutant};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn grants(sent: &Sent, version: &str) -> bool {
    sent.method() == "initialize" && sent.json()["params"]["protocolVersion"] == *version
}

fn old(sent: &Sent) -> bool {
    sent.meta("protocolVersion") == "1999-01-01"
}

fn lacks(sent: &Sent, member: &str) -> bool {
    let json = sent.json();
    let meta = json["params"].get("_meta");
    sent.is_modern() && sent.is_harmless() && meta.is_some_and(|meta| meta.get(member).is_none())
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("unknown versions are granted", "initialize-unknown-version", LEGACY).message(
        |sent, message| {
            if grants(sent, "1999-01-01") {
                message["result"]["protocolVersion"] = json!("1999-01-01");
            }
        },
    ),
    Mutant::new("versions are compared by order", "initialize-future-version", LEGACY).message(
        |sent, message| {
            if grants(sent, "2999-12-31") {
                message["result"]["protocolVersion"] = json!("2999-12-31");
            }
        },
    ),
    Mutant::new("initialize grants the modern revision", "initialize-modern-version", LEGACY).message(
        |sent, message| {
            if grants(sent, "2026-07-28") {
                message["result"]["protocolVersion"] = json!("2026-07-28");
            }
        },
    ),
    Mutant::new("a number is a version", "initialize-version-of-wrong-type", LEGACY).before(|sent| {
        if sent.json()["params"]["protocolVersion"] == 7 {
            sent.edit(|json| json["params"]["protocolVersion"] = json!("2025-11-25"));
        }
        None
    }),
    Mutant::new("unknown dates in the header are taken", "unknown-version-header-400", LEGACY).before(
        |sent| {
            if sent.header("mcp-protocol-version") == Some("1999-01-01") {
                sent.set("mcp-protocol-version", "2025-06-18");
            }
            None
        },
    ),
    Mutant::new("anything in the header is taken", "invalid-version-header-400", LEGACY).before(|sent| {
        if sent.header("mcp-protocol-version") == Some("conformance") {
            sent.set("mcp-protocol-version", "2025-06-18");
        }
        None
    }),
    Mutant::new("the header is required", "version-header-optional", LEGACY).before(|sent| {
        (sent.is_harmless() && sent.header("mcp-protocol-version").is_none()).then(|| empty(400))
    }),
    Mutant::new("an unsupported version is 200", "unsupported-version-400", MODERN).after(
        |sent, response| {
            if old(sent) {
                *response.status_mut() = StatusCode::OK;
            }
        },
    ),
    Mutant::new("an unsupported version is -32600", "unsupported-version-code", MODERN).message(
        |sent, message| {
            if old(sent) {
                message["error"]["code"] = json!(-32600);
            }
        },
    ),
    Mutant::new("the future is supported", "future-version-code", MODERN).before(|sent| {
        if sent.meta("protocolVersion") == "2999-12-31" {
            sent.edit(|json| json["params"]["_meta"][VERSION] = json!("2026-07-28"));
            sent.set("mcp-protocol-version", "2026-07-28");
        }
        None
    }),
    Mutant::new("supported versions are not listed", "unsupported-version-lists-supported", MODERN)
        .also(&["supported-versions-agree"])
        .message(|sent, message| {
            if old(sent) {
                message["error"]["data"].as_object_mut().unwrap().remove("supported");
            }
        }),
    Mutant::new("the requested version is not named", "unsupported-version-names-requested", MODERN).message(
        |sent, message| {
            if old(sent) {
                message["error"]["data"].as_object_mut().unwrap().remove("requested");
            }
        },
    ),
    Mutant::new("discover lists more", "supported-versions-agree", MODERN).message(|sent, message| {
        if sent.method() == "server/discover" && message.get("result").is_some() {
            message["result"]["supportedVersions"].as_array_mut().unwrap().push(json!("2027-01-01"));
        }
    }),
    Mutant::new("no version in _meta is a mismatch", "version-in-meta-required", MODERN).message(
        |sent, message| {
            if lacks(sent, VERSION) {
                message["error"]["code"] = json!(-32020);
            }
        },
    ),
    Mutant::new("no version in _meta is 200", "version-in-meta-required-400", MODERN).after(
        |sent, response| {
            if lacks(sent, VERSION) {
                *response.status_mut() = StatusCode::OK;
            }
        },
    ),
    Mutant::new("capabilities are optional", "capabilities-in-meta-required", MODERN)
        .also(&["capabilities-in-meta-required-400"])
        .before(|sent| {
            if lacks(sent, CAPABILITIES) {
                sent.edit(|json| json["params"]["_meta"][CAPABILITIES] = json!({}));
            }
            None
        }),
    Mutant::new("no capabilities is 200", "capabilities-in-meta-required-400", MODERN).after(
        |sent, response| {
            if lacks(sent, CAPABILITIES) {
                *response.status_mut() = StatusCode::OK;
            }
        },
    ),
    Mutant::new("capabilities are anything", "capabilities-of-wrong-type", MODERN).before(|sent| {
        if sent.meta("clientCapabilities").is_string() {
            sent.edit(|json| json["params"]["_meta"][CAPABILITIES] = json!({}));
        }
        None
    }),
    Mutant::new("no _meta is a mismatch", "meta-required", MODERN).message(|sent, message| {
        let json = sent.json();
        if sent.is_modern() && json["params"].is_object() && json["params"].get("_meta").is_none() {
            message["error"]["code"] = json!(-32020);
        }
    }),
    Mutant::new("no params is 200", "params-required", MODERN).after(|sent, response| {
        if sent.is_modern() && sent.is_harmless() && sent.json().get("params").is_none() {
            *response.status_mut() = StatusCode::OK;
        }
    }),
    Mutant::new("clients say who they are", "client-info-optional", MODERN)
        .before(|sent| lacks(sent, "io.modelcontextprotocol/clientInfo").then(|| empty(400))),
    Mutant::new("no unknown capabilities", "unknown-capabilities-ignored", ALL).before(|sent| {
        let json = sent.json();
        let unknown = json["params"]["capabilities"].get("conformance").is_some()
            || sent.meta("clientCapabilities").get("conformance").is_some();
        unknown.then(|| empty(400))
    }),
    Mutant::new("no experiments", "experimental-capabilities-ignored", ALL).before(|sent| {
        let json = sent.json();
        let unknown = json["params"]["capabilities"].get("experimental").is_some()
            || sent.meta("clientCapabilities").get("experimental").is_some();
        unknown.then(|| empty(400))
    }),
    Mutant::new("ping lives on", "removed-methods-404", MODERN).before(|sent| {
        let result = json!({ "resultType": "complete" });
        (sent.is_modern() && sent.method() == "ping" && sent.json()["id"].is_u64())
            .then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "result": result })))
    }),
    Mutant::new("sessions for everybody", "session-not-minted", MODERN).after(|sent, response| {
        if sent.is_modern() {
            response.headers_mut().insert("mcp-session-id", "abc".parse().unwrap());
        }
    }),
    Mutant::new("sessions are looked up", "stray-session-ignored", MODERN)
        .before(|sent| (sent.is_modern() && sent.header("mcp-session-id").is_some()).then(|| empty(404))),
    Mutant::new("streams are resumed", "stray-last-event-id-ignored", MODERN)
        .before(|sent| sent.header("last-event-id").map(|_| empty(400))),
];
