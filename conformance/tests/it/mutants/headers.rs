//! Headers that mirror the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::layer::{Sent, empty};
use super::{Front, LEGACY, MODERN, Mutant};

/// Makes a mirrored header right.
fn repair(sent: &mut Sent, name: &'static str) {
    let json = sent.json();
    let value = match name {
        "mcp-method" => json["method"].clone(),
        "mcp-name" => json["params"].get("name").unwrap_or_else(|| &json["params"]["uri"]).clone(),
        "mcp-param-region" => json["params"]["arguments"]["region"].clone(),
        _ => sent.meta("protocolVersion"),
    };
    if let Some(value) = value.as_str() {
        sent.set(name, value);
    }
}

fn decoded(value: &str) -> Option<String> {
    let inner = value.strip_prefix("=?base64?")?.strip_suffix("?=")?;
    String::from_utf8(STANDARD.decode(inner).ok()?).ok()
}

fn is(sent: &Sent, method: &str) -> bool {
    sent.is_modern() && sent.method() == method
}

fn method_header(sent: &Sent) -> Option<&str> {
    (sent.parts.headers.get_all("mcp-method").iter().count() == 1).then(|| sent.header("mcp-method"))?
}

macro_rules! repairs {
    ($name:literal, $rule:literal, $header:literal, $when:expr) => {
        Mutant::new($name, $rule, MODERN).before(|sent| {
            let when: fn(&Sent) -> bool = $when;
            if sent.is_modern() && when(sent) {
                repair(sent, $header);
            }
            None
        })
    };
}

fn region(sent: &Sent) -> Option<&str> {
    (sent.json()["params"]["name"] == "test_x_mcp_header").then(|| sent.header("mcp-param-region"))?
}

fn mirrors(sent: &Sent) -> bool {
    is(sent, "tools/call") && sent.json()["params"]["name"] == "test_x_mcp_header"
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("mismatches have no id", "mismatch-has-id", MODERN).message(|_, message| {
        if message["error"]["code"] == -32020 {
            message["id"] = Value::Null;
        }
    }),
    Mutant::new("the version header is optional", "version-header-missing", MODERN).before(|sent| {
        if sent.header("mcp-protocol-version").is_none() && sent.meta("protocolVersion").is_string() {
            repair(sent, "mcp-protocol-version");
        }
        None
    }),
    Mutant::new("the version header is not compared", "version-header-differs", MODERN).before(|sent| {
        if sent.header("mcp-protocol-version") == Some("2025-11-25")
            && sent.meta("protocolVersion").is_string()
        {
            repair(sent, "mcp-protocol-version");
        }
        None
    }),
    repairs!("Mcp-Method is optional", "method-header-missing", "mcp-method", |sent| {
        sent.header("mcp-method").is_none() && sent.json()["id"].is_u64()
    }),
    repairs!("Mcp-Method is not compared", "method-header-differs", "mcp-method", |sent| {
        method_header(sent)
            .is_some_and(|value| !value.is_empty() && !value.eq_ignore_ascii_case(&sent.method()))
    }),
    repairs!("Mcp-Method may be empty", "method-header-empty", "mcp-method", |sent| {
        method_header(sent) == Some("")
    }),
    repairs!("the first Mcp-Method counts", "method-header-twice", "mcp-method", |sent| {
        method_header(sent).is_none() && sent.header("mcp-method").is_some()
    }),
    repairs!("Mcp-Method in any case", "method-header-value-case", "mcp-method", |sent| {
        method_header(sent).is_some_and(|value| value.eq_ignore_ascii_case(&sent.method()))
    }),
    Mutant::new("Mcp-Method in one spelling", "mirror-header-names-any-case", MODERN).front(|begin| {
        if String::from_utf8_lossy(begin).contains("mCP-mETHOD:") { Front::Refuse } else { Front::Through }
    }),
    Mutant::new("white space counts", "mirror-header-white-space", MODERN).front(|begin| {
        if String::from_utf8_lossy(begin).contains("Mcp-Method:  ") { Front::Refuse } else { Front::Through }
    }),
    repairs!("a call without Mcp-Name", "name-header-missing-call", "mcp-name", |sent| {
        is(sent, "tools/call") && sent.header("mcp-name").is_none() && sent.json()["params"]["name"] == "echo"
    }),
    repairs!("a call with any Mcp-Name", "name-header-differs-call", "mcp-name", |sent| {
        is(sent, "tools/call") && sent.header("mcp-name") == Some("conformance_other")
    }),
    repairs!("a prompt without Mcp-Name", "name-header-missing-prompt", "mcp-name", |sent| {
        is(sent, "prompts/get") && sent.header("mcp-name").is_none()
    }),
    repairs!("a prompt with any Mcp-Name", "name-header-differs-prompt", "mcp-name", |sent| {
        is(sent, "prompts/get") && sent.header("mcp-name") == Some("conformance_other")
    }),
    repairs!("a resource without Mcp-Name", "name-header-missing-resource", "mcp-name", |sent| {
        is(sent, "resources/read") && sent.header("mcp-name").is_none()
    }),
    repairs!("a resource with any Mcp-Name", "name-header-differs-resource", "mcp-name", |sent| {
        is(sent, "resources/read") && sent.header("mcp-name") == Some("conformance://other")
    }),
    repairs!("Mcp-Name in any case", "name-header-value-case", "mcp-name", |sent| {
        sent.header("mcp-name") == Some("ECHO")
    }),
    Mutant::new("Mcp-Name is not decoded", "name-header-base64", MODERN).before(|sent| {
        let name = sent.json()["params"]["name"].clone();
        let same = sent.header("mcp-name").and_then(decoded).is_some_and(|value| name == value);
        same.then(|| empty(400))
    }),
    repairs!("an encoded Mcp-Name is not compared", "name-header-base64-differs", "mcp-name", |sent| {
        sent.header("mcp-name").and_then(decoded).is_some_and(|value| value == "conformance_other")
    }),
    repairs!("a bad Mcp-Name is ignored", "name-header-base64-invalid", "mcp-name", |sent| {
        sent.header("mcp-name") == Some("=?base64?*not base64*?=")
    }),
    repairs!("markers in any case", "name-header-base64-markers", "mcp-name", |sent| {
        sent.header("mcp-name").is_some_and(|value| value.starts_with("=?BASE64?"))
    }),
    repairs!("a call without Mcp-Param", "param-header-missing", "mcp-param-region", |sent| {
        mirrors(sent) && sent.parts.headers.get("mcp-param-region").is_none()
    }),
    repairs!("a call with any Mcp-Param", "param-header-differs", "mcp-param-region", |sent| {
        region(sent) == Some("eu0")
    }),
    Mutant::new("Mcp-Param is not decoded", "param-header-base64", MODERN)
        .before(|sent| (region(sent).and_then(decoded).as_deref() == Some("eu")).then(|| empty(400))),
    repairs!(
        "an encoded Mcp-Param is not compared",
        "param-header-base64-differs",
        "mcp-param-region",
        |sent| { region(sent).and_then(decoded).as_deref() == Some("eu0") }
    ),
    repairs!("a bad Mcp-Param is ignored", "param-header-base64-invalid", "mcp-param-region", |sent| {
        region(sent) == Some("=?base64?*not base64*?=")
    }),
    Mutant::new("Mcp-Param in one spelling", "param-header-name-any-case", MODERN).front(|begin| {
        if String::from_utf8_lossy(begin).contains("mCP-pARAM") { Front::Refuse } else { Front::Through }
    }),
    Mutant::new("every Mcp-Param is expected", "param-header-of-absent-argument", MODERN).before(|sent| {
        let absent = mirrors(sent) && sent.json()["params"]["arguments"].get("priority").is_none();
        absent.then(|| mismatch(sent))
    }),
    Mutant::new("null is expected in Mcp-Param", "param-header-of-null", MODERN).before(|sent| {
        let null =
            mirrors(sent) && sent.json()["params"]["arguments"].get("priority").is_some_and(Value::is_null);
        null.then(|| mismatch(sent))
    }),
    Mutant::new("Mcp-Param numbers are texts", "param-header-numeric", MODERN)
        .before(|sent| (sent.header("mcp-param-priority") == Some("3.0")).then(|| mismatch(sent))),
    Mutant::new("no unknown Mcp-Param", "param-header-unknown", MODERN)
        .before(|sent| sent.header("mcp-param-conformance-unknown").map(|_| mismatch(sent))),
    Mutant::new("mirrors count everywhere", "mirror-headers-unknown", LEGACY).before(|sent| {
        (sent.method() == "ping" && sent.header("mcp-method").is_some_and(|value| value != "ping"))
            .then(|| mismatch(sent))
    }),
];

fn mismatch(sent: &Sent) -> axum::http::Response<axum::body::Body> {
    let error = serde_json::json!({ "code": -32020, "message": "mismatch" });
    let body = serde_json::json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error });
    super::layer::answer(400, &body)
}
