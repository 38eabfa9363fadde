//! The same bodies, sent in every way; and bodies about as long as may be.

use serde_json::json;

use super::Table;
use crate::row::{LEGACY, MODERN, Row, call, request};
use crate::setting::{LIMIT, Setting};
use crate::wire::Request;

pub(crate) fn tables() -> Vec<Table> {
    vec![
        Table { name: "bodies", setting: Setting::Plain, rows: sent_in_every_way() },
        Table { name: "bodies, limited", setting: Setting::Own, rows: limited() },
    ]
}

/// A request, with its length and in chunks, each at once and in pieces.
fn every_way(name: &str, status: u16, request: &Request) -> Vec<Row> {
    let mut rows = Vec::new();
    for (framing, request) in [("length", request.clone()), ("chunked", request.clone().chunked())] {
        let row = |how: &str| Row::new(format!("{name}, {framing}, {how}"), status, request.clone());
        rows.push(row("at once"));
        rows.push(row("in pieces of 100").in_pieces(100));
        if request.body.len() < 1000 {
            rows.push(row("byte by byte").in_pieces(1));
        }
    }
    rows
}

fn sent_in_every_way() -> Vec<Row> {
    let text = "péché \u{2028}\r\n".repeat(500);
    let mut rows = Vec::new();
    for revision in [LEGACY, MODERN] {
        rows.extend(every_way(
            &format!("{revision}: short"),
            200,
            &call(revision, "echo", json!({ "text": "é" })),
        ));
        rows.extend(every_way(
            &format!("{revision}: long"),
            200,
            &call(revision, "echo", json!({ "text": text })),
        ));
    }
    rows.extend(every_way("empty", 400, &Request::post("")));
    rows.extend(every_way("white space", 400, &Request::post(" \r\n\t")));
    rows.extend(every_way("not UTF-8", 400, &Request::post(b"{\"jsonrpc\":\"\xff\"}".as_slice())));
    rows.extend(every_way("notification", 202, &Request::post(r#"{"jsonrpc":"2.0","method":"x"}"#)));
    let mut spaced = call(MODERN, "echo", json!({ "text": "text" }));
    spaced.body = [b"\r\n ", &*spaced.body, b"\n"].concat();
    rows.extend(every_way("white space around", 200, &spaced));
    rows.push(Row::new("a megabyte", 200, call(MODERN, "echo", json!({ "text": "x".repeat(1 << 20) }))));
    rows.push(Row::new(
        "a megabyte, chunked",
        200,
        call(MODERN, "echo", json!({ "text": "x".repeat(1 << 20) })).chunked(),
    ));
    let without_length = Request::new("POST", "/mcp").header("Content-Type", "application/json");
    rows.push(Row::new("no length", 400, without_length));
    rows.push(Row::new("a body of PUT", 405, request(MODERN, "tools/list", json!({})).by("PUT").chunked()));
    rows
}

fn limited() -> Vec<Row> {
    let mut rows = Vec::new();
    for (length, status) in [(LIMIT - 1, 200), (LIMIT, 200), (LIMIT + 1, 413)] {
        rows.extend(every_way(&format!("{length} bytes"), status, &Request::of_length(length)));
        let no_json = Request::post(" ".repeat(length));
        let status = if status == 200 { 400 } else { status };
        rows.extend(every_way(&format!("{length} spaces"), status, &no_json));
    }
    rows.push(Row::new("far too long", 413, Request::of_length(20 * LIMIT)));
    rows.push(Row::new("far too long, chunked", 413, Request::of_length(20 * LIMIT).chunked()));
    rows.push(Row::new(
        "too long, and other content",
        415,
        Request::of_length(LIMIT + 1).with("Content-Type", "text/plain"),
    ));
    rows
}
