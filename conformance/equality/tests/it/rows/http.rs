//! Methods other than POST, targets, preflights, and who may connect.

use serde_json::json;

use super::Table;
use crate::host::Needs;
use crate::row::{MODERN, Row, call, request};
use crate::setting::{NAME, PAGE, Setting};
use crate::wire::Request;

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = methods();
    rows.extend(targets());
    rows.extend(hosts());
    vec![
        Table { name: "HTTP", setting: Setting::Plain, rows },
        Table { name: "CORS", setting: Setting::Cors, rows: cors() },
        Table { name: "listed hosts", setting: Setting::Listed, rows: listed() },
    ]
}

fn echo() -> Request {
    call(MODERN, "echo", json!({ "text": "text" }))
}

fn methods() -> Vec<Row> {
    let mut rows = Vec::new();
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PURGE"] {
        rows.push(Row::new(format!("{method} of nothing"), 405, Request::new(method, "/mcp")));
        rows.push(Row::new(format!("{method} of a call"), 405, echo().by(method)));
        let elsewhere = Request::new(method, "/mcp").with("Host", "evil.example");
        rows.push(Row::new(format!("{method} elsewhere"), 403, elsewhere).needs(Needs::Process));
    }
    let stream = Request::new("GET", "/mcp").header("Accept", "text/event-stream");
    rows.push(Row::new("GET of a stream", 405, stream.clone()));
    rows.push(Row::new("GET of a session's stream", 405, stream.header("Mcp-Session-Id", "x")));
    let upgrade = Request::new("GET", "/mcp")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    rows.push(Row::new("an upgrade", 405, upgrade));
    rows
}

fn targets() -> Vec<Row> {
    let targets = [
        ("/mcp?a=b&c=%FF", 200),
        ("/mcp?", 200),
        ("/mcp?next=/other%20path", 200),
        ("http://localhost/mcp", 200),
        ("http://localhost:1/mcp?a=b", 200),
        // The header counts.
        ("http://evil.example/mcp", 200),
    ];
    targets.map(|(target, status)| Row::new(target, status, echo().to(target))).into()
}

fn hosts() -> Vec<Row> {
    let mut rows = Vec::new();
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:80", "[::1]:8080"] {
        rows.push(Row::new(format!("Host: {host}"), 200, echo().with("Host", host)));
    }
    for host in
        ["evil.example", "localhost.evil.example", "10.0.0.1", "0.0.0.0", "", "a@localhost", "localhost:x"]
    {
        rows.push(Row::new(format!("Host: {host}"), 403, echo().with("Host", host)).needs(Needs::Process));
    }
    for (origin, status) in [
        ("http://localhost", 200),
        ("http://localhost:5173", 200),
        ("https://evil.example", 403),
        ("http://127.0.0.1", 403),
        ("null", 403),
        ("", 403),
        ("localhost", 403),
    ] {
        rows.push(Row::new(format!("Origin: {origin}"), status, echo().header("Origin", origin)));
    }
    for (target, status) in [
        ("/mcp", 403),
        ("http://localhost/mcp", 200),
        ("http://localhost:80/mcp?a=b", 200),
        ("http://evil.example/mcp", 403),
    ] {
        // Before a function stands something with a name.
        let request = echo().without("Host").to(target);
        rows.push(
            Row::new(format!("no Host, {target}"), status, request).in_http_1_0().needs(Needs::Process),
        );
    }
    let elsewhere = echo().to("http://localhost/mcp").with("Host", "evil.example");
    rows.push(Row::new("a target elsewhere", 403, elsewhere).needs(Needs::Process));
    rows
}

fn cors() -> Vec<Row> {
    let preflight = |origin: &str| Request::new("OPTIONS", "/mcp").header("Origin", origin);
    let asking = || preflight(PAGE).header("Access-Control-Request-Method", "POST");
    let names = "Access-Control-Request-Headers";
    let from = |request: Request| request.header("Origin", PAGE);
    let rows = [
        ("preflight", 204, preflight(PAGE)),
        ("preflight of a method", 204, asking()),
        ("preflight of headers", 204, asking().header(names, "content-type, mcp-param-region, x-other")),
        (
            "preflight of headers, twice",
            204,
            asking().header(names, "Mcp-Param-A").header(names, "mcp-param-b,"),
        ),
        ("preflight of what is no name", 204, asking().header(names, "mcp-\u{e9}, mcp-(, mcp")),
        ("preflight of another page", 403, preflight("https://evil.example")),
        ("preflight of the same host", 405, preflight("http://localhost")),
        ("preflight of nobody", 405, Request::new("OPTIONS", "/mcp")),
        ("preflight elsewhere", 403, asking().with("Host", "evil.example")),
        ("a call", 200, from(echo())),
        ("a call from the same host", 200, echo().header("Origin", "http://localhost")),
        ("a call from another page", 403, echo().header("Origin", "https://evil.example")),
        ("a call from nobody", 200, echo()),
        ("a list", 200, from(request(MODERN, "tools/list", json!({})))),
        ("a notification", 202, from(Request::post(r#"{"jsonrpc":"2.0","method":"x"}"#))),
        ("GET", 405, from(Request::new("GET", "/mcp"))),
        ("HEAD", 405, from(Request::new("HEAD", "/mcp"))),
        ("no content type", 415, from(echo().without("Content-Type"))),
        ("not acceptable", 406, from(echo().with("Accept", "text/html"))),
        ("no JSON", 400, from(Request::post("{"))),
        ("no such method", 404, from(request(MODERN, "no/such", json!({})))),
        ("a mismatch", 400, from(echo().with("Mcp-Name", "other"))),
        ("events", 200, from(echo().with("Accept", "text/event-stream"))),
    ];
    let needs = |name| if name == "preflight elsewhere" { Needs::Process } else { Needs::Nothing };
    rows.map(|(name, status, request)| Row::new(name, status, request).needs(needs(name))).into()
}

fn listed() -> Vec<Row> {
    let mut rows = Vec::new();
    for (host, status) in [(NAME, 200), ("MCP.Example:444", 200), ("localhost", 200), ("evil.example", 403)] {
        // Loopback names need no listing where the client connected to one.
        let needs = if host == "localhost" { Needs::Process } else { Needs::Nothing };
        rows.push(Row::new(host, status, echo().with("Host", host)).needs(needs));
        let page = echo().with("Host", host).header("Origin", "https://mcp.example");
        let status = if host == "localhost" { 403 } else { status };
        rows.push(Row::new(format!("{host} of a page"), status, page).needs(needs));
    }
    rows
}
