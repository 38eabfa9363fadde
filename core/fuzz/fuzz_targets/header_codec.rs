//! A mirrored header is accepted exactly when it says what the body says, by a second reading of the rule.
//!
//! The first byte is the length of the header's value; the value follows, and then the text in the body.

#![no_main]

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use libfuzzer_sys::fuzz_target;
use mcp_http::{Connection, Server};
use mcp_http_fuzz::{answer, request, server};
use serde_json::{Value, json};

static SERVER: LazyLock<Server> = LazyLock::new(server);

/// Whether a header of this value repeats this text.
///
/// Encoding the text, rather than decoding the value, leaves no room for two readings of sloppy Base64.
fn repeats(value: &[u8], text: &str) -> bool {
    let spaces = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().take_while(spaces).count();
    let value = &value[start..];
    let value = &value[..value.len() - value.iter().rev().take_while(spaces).count()];
    if value.iter().any(|byte| !matches!(byte, b'\t' | b' '..=b'~')) {
        return false;
    }
    match value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?=")) {
        Some(payload) => payload == STANDARD.encode(text).as_bytes(),
        None => value == text.as_bytes(),
    }
}

/// The code of the error that a call of a tool is answered with.
fn code_of(tool: &str, arguments: Value, headers: &[(&str, &[u8])]) -> Option<i64> {
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": tool,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let mut all: Vec<(&str, &[u8])> = vec![
        ("content-type", b"application/json"),
        ("mcp-protocol-version", b"2026-07-28"),
        ("mcp-method", b"tools/call"),
    ];
    all.extend_from_slice(headers);
    let request = request(Method::POST, &all, body.to_string().into_bytes());
    let response = answer(&SERVER, request, Connection::default());
    let message: Value = serde_json::from_slice(response.body()).expect("JSON");
    message["error"]["code"].as_i64()
}

fuzz_target!(|data: &[u8]| {
    let Some((length, rest)) = data.split_first() else { return };
    let (value, text) = rest.split_at(usize::from(*length).min(rest.len()));
    let Ok(text) = std::str::from_utf8(text) else { return };
    if http::HeaderValue::from_bytes(value).is_err() {
        return;
    }
    let expected = repeats(value, text);

    let by_name = code_of(text, json!({}), &[("mcp-name", value)]);
    assert_eq!(by_name != Some(-32020), expected, "Mcp-Name {value:?} for {text:?}");

    let by_param =
        code_of("route", json!({ "region": text }), &[("mcp-name", b"route"), ("mcp-param-region", value)]);
    assert_eq!(
        by_param,
        if expected { None } else { Some(-32020) },
        "Mcp-Param-Region {value:?} for {text:?}"
    );

    // What anybody encodes is understood, and what is not there may not be sent.
    let encoded = format!("=?base64?{}?=", STANDARD.encode(text));
    assert_ne!(code_of(text, json!({}), &[("mcp-name", encoded.as_bytes())]), Some(-32020), "{encoded}");
    let absent = code_of("route", json!({}), &[("mcp-name", b"route"), ("mcp-param-region", value)]);
    assert_eq!(absent, Some(-32020));
});
