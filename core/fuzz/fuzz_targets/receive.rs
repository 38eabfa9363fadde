//! Any body under any headers is answered once: with JSON, and with the id that could be read. What is JSON, another
//! parser says too.
//!
//! The first eight bytes choose the method and the headers, the others are the body.

#![no_main]

use std::sync::LazyLock;

use http::{Method, StatusCode};
use libfuzzer_sys::fuzz_target;
use mcp_http::{Connection, Server};
use mcp_http_fuzz::{answer, request, server};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

static SERVER: LazyLock<Server> = LazyLock::new(server);

fn pick<'a>(byte: u8, choices: &[Option<&'a str>]) -> Option<&'a str> {
    choices[usize::from(byte) % choices.len()]
}

fuzz_target!(|data: &[u8]| {
    let Some((choices, body)) = data.split_first_chunk::<8>() else { return };
    let [method, content_type, accept, version, mcp_method, name, param, origin] = *choices;
    let http_method = match method {
        255 => Method::GET,
        254 => Method::OPTIONS,
        _ => Method::POST,
    };
    let some = Some::<&str>;
    let headers = [
        (
            "content-type",
            pick(
                content_type,
                &[some("application/json"), some("Application/JSON;x=y"), None, some("text/plain")],
            ),
        ),
        (
            "accept",
            pick(accept, &[None, some("text/event-stream"), some("*/*"), some("application/json;q=0")]),
        ),
        (
            "mcp-protocol-version",
            pick(
                version,
                &[
                    some("2026-07-28"),
                    some("2025-11-25"),
                    some("2025-06-18"),
                    None,
                    some("2024-11-05"),
                    some("x"),
                ],
            ),
        ),
        (
            "mcp-method",
            pick(
                mcp_method,
                &[
                    some("tools/call"),
                    some("tools/list"),
                    some("server/discover"),
                    None,
                    some("initialize"),
                    some("ping"),
                ],
            ),
        ),
        (
            "mcp-name",
            pick(
                name,
                &[
                    some("mirror"),
                    some("route"),
                    some("ask"),
                    some("list"),
                    None,
                    some("=?base64?bWlycm9y?="),
                ],
            ),
        ),
        ("mcp-param-region", pick(param, &[None, some("eu"), some("=?base64?ZXU=?=")])),
        ("mcp-param-count", pick(param >> 4, &[None, some("1"), some("42.0")])),
        ("origin", pick(origin, &[None, some("https://a.example"), some("null"), some("http://localhost")])),
        ("host", Some("localhost")),
    ];
    let headers: Vec<(&str, &[u8])> =
        headers.into_iter().filter_map(|(name, value)| Some((name, value?.as_bytes()))).collect();

    let response = answer(&SERVER, request(http_method, &headers, body.to_vec()), Connection::default());
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        assert!(response.body().is_empty());
        return;
    }
    let stream = response.headers()["content-type"] == "text/event-stream";
    let message = match stream {
        true => response
            .body()
            .strip_prefix(b"data: ")
            .and_then(|rest| rest.strip_suffix(b"\n\n"))
            .expect("an event"),
        false => &response.body()[..],
    };
    let message: std::collections::HashMap<String, Box<RawValue>> =
        serde_json::from_slice(message).expect("JSON");
    let error: Option<Value> =
        message.get("error").map(|error| serde_json::from_str(error.get()).expect("JSON"));
    assert_ne!(error.is_some(), message.contains_key("result"), "one of both");
    let code = error.as_ref().map(|error| error["code"].clone());
    let refused_early = matches!(status.as_u16(), 403 | 405 | 406 | 413 | 415);
    if !refused_early {
        // Of what the one parser knows, more is JSON than what the other can hold: half surrogates, huge numbers.
        if serde_json::from_slice::<IgnoredAny>(body).is_err() {
            assert_eq!(code, Some(json!(-32700)), "it is not JSON");
        } else if serde_json::from_slice::<Value>(body).is_ok() {
            assert_ne!(code, Some(json!(-32700)), "it is JSON");
        }
    }
    if let Some(id) = message.get("id") {
        let sent = body.windows(id.get().len()).any(|part| part == id.get().as_bytes());
        assert!(sent, "the id {id} was never sent");
        return;
    }
    assert!(error.is_some(), "a result without an id");
    let not_json = code == Some(json!(-32700));
    assert!(refused_early || not_json || readable_id(body).is_none(), "the id was not echoed");
});

/// The id that anybody could read: of a message that names a method and has no member twice at the top.
fn readable_id(body: &[u8]) -> Option<String> {
    // A map forgets repeated members, so the keys are counted in the text.
    let message: std::collections::HashMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
    let text = std::str::from_utf8(body).ok()?;
    message.get("method")?;
    let id = message.get("id")?.get();
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_id = id.starts_with('"') || digits.bytes().all(|byte| byte.is_ascii_digit());
    let once = text.matches("id").count() == 1 && !text.contains('\\') && !text.contains("serde_json");
    (is_id && once).then(|| id.to_owned())
}
