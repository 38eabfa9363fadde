//! Methods, media types, statuses.

use axum::body::Body;
use axum::http::{StatusCode, header};
use serde_json::json;

use super::layer::{answer, empty};
use super::{ALL, Front, LEGACY, Mutant};

/// The rules that read a list, and so cannot where it is none.
pub(super) const READ_LISTS: &[&str] = &[
    "result-media-type",
    "answer-is-one-object",
    "result-is-json-rpc-2",
    "result-without-error",
    "result-is-object",
    "result-has-type",
    "result-names-server",
    "tools-listed",
    "prompts-listed",
    "resources-listed",
    "templates-listed",
    "tools-listed-alike",
    "prompts-listed-alike",
    "resources-listed-alike",
    "list-params-optional",
    "cursor-is-stable",
    "cursor-is-text",
    "pages-do-not-overlap",
    "pages-end",
    "prompts-cursor-checked",
    "resources-cursor-checked",
    "tools-cursor-checked",
    "cache-every-page",
    "cache-one-scope",
    "cache-prompts-list",
    "cache-resources-list",
    "cache-templates-list",
    "cache-tools-list",
    "input-only-where-supported",
    "input-schema-is-of-an-object",
    "input-schema-valid",
    "log-level-unknown",
    "tasks-undeclared",
    "tool-name-length",
];

fn contains(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

fn refuse_if(refuse: bool) -> Front {
    if refuse { Front::Refuse } else { Front::Through }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("lists are text/plain", "result-media-type", ALL).also(READ_LISTS).after(|sent, response| {
        if sent.is_listing() {
            response.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
        }
    }),
    Mutant::new("errors are text/plain", "error-media-type", ALL)
        .also(&[
            "error-id-echoed",
            "error-id-zero-echoed",
            "error-code-is-integer",
            "error-has-message",
            "error-is-json-rpc-2",
            "error-without-result",
            "unknown-method",
            "retired-codes-unused",
        ])
        .after(|sent, response| {
            if sent.method() == "conformance/unknown" {
                response.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
            }
        }),
    Mutant::new("lists come in an array", "answer-is-one-object", ALL).also(READ_LISTS).message(
        |sent, message| {
            if sent.is_listing() {
                *message = json!([message]);
            }
        },
    ),
    Mutant::new("initialized is answered with 200", "notification-accepted", LEGACY).after(
        |sent, response| {
            if sent.method() == "notifications/initialized" {
                *response.status_mut() = StatusCode::OK;
            }
        },
    ),
    Mutant::new("202 has a body", "accepted-without-body", ALL).also(&["answer-accepted"]).after(
        |_, response| {
            if response.status() == StatusCode::ACCEPTED {
                *response.body_mut() = Body::from("{}");
            }
        },
    ),
    Mutant::new("unknown notifications are answered with 204", "notification-accepted-or-refused", ALL)
        .before(|sent| (sent.method() == "notifications/conformance/unknown").then(|| empty(204))),
    Mutant::new("responses are answered with 200", "response-accepted-or-refused", LEGACY)
        .also(&[
            "answer-accepted",
            "question-asked",
            "question-cancelled",
            "question-declined",
            "question-roots",
            "question-sampling",
        ])
        .before(|sent| sent.json().get("result").map(|_| answer(200, &json!({})))),
    Mutant::new("GET gives a page", "get-opens-a-stream-or-405", LEGACY)
        .before(|sent| (sent.parts.method == "GET" && sent.header("origin").is_none()).then(|| empty(200))),
    Mutant::new("405 without Allow", "allow-names-methods", ALL).after(|_, response| {
        response.headers_mut().remove(header::ALLOW);
    }),
    Mutant::new("no parameters of types", "content-type-parameters", ALL).before(|sent| {
        sent.header("content-type").is_some_and(|kind| kind.contains(';')).then(|| empty(415))
    }),
    Mutant::new("types in lower case only", "content-type-case", ALL).before(|sent| {
        sent.header("content-type").is_some_and(|kind| kind.contains('J')).then(|| empty(415))
    }),
    Mutant::new("Accept in one order only", "accept-order", ALL).before(|sent| {
        (sent.header("accept") == Some("text/event-stream, application/json")).then(|| empty(406))
    }),
    Mutant::new("no weights in Accept", "accept-weights", ALL).before(|sent| {
        sent.header("accept").is_some_and(|accept| accept.contains(";q=")).then(|| empty(406))
    }),
    Mutant::new("one line of Accept", "accept-lines", ALL)
        .before(|sent| (sent.parts.headers.get_all("accept").iter().count() > 1).then(|| empty(406))),
    Mutant::new("names of headers in one spelling", "header-names-any-case", ALL)
        .front(|begin| refuse_if(contains(begin, "CONTENT-TYPE:"))),
    Mutant::new("no unknown headers", "unknown-headers-ignored", ALL)
        .before(|sent| sent.header("x-conformance-unknown").map(|_| empty(400))),
    Mutant::new("no chunks", "chunked-request", ALL)
        .before(|sent| sent.header("transfer-encoding").map(|_| empty(411))),
    Mutant::new("a connection serves twice", "connection-serves-on", ALL).also(&["pipelined"]).before(
        |sent| {
            if !sent.is_harmless() {
                return None; // ports of closed connections come back
            }
            let mut memory = sent.memory.lock().unwrap();
            let peer = sent.parts.extensions.get::<mcp_http::Connection>()?.peer_addr?;
            let count = memory.entry(peer.to_string()).or_insert_with(|| json!(0));
            *count = json!(count.as_u64()? + 1);
            (*count == 3).then(|| empty(503))
        },
    ),
    Mutant::new("lists are Latin-1", "answer-is-utf-8", ALL).also(READ_LISTS).after(|sent, response| {
        if sent.method() == "tools/list" && sent.is_listing() {
            *response.body_mut() =
                Body::from(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[\"\xfc\"]}}"[..]);
        }
    }),
];
