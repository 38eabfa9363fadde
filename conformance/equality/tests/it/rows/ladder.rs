//! Each check that can fail, in each revision that has it.

use serde_json::json;

use super::Table;
use crate::host::Needs;
use crate::row::{MODERN, REVISIONS, Row, call, edit, meta, request};
use crate::setting::Setting;
use crate::wire::Request;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = Vec::new();
    for revision in REVISIONS {
        rows.extend(shared(revision));
    }
    rows.extend(legacy());
    rows.extend(modern());
    vec![Table { name: "ladder", setting: Setting::Plain, rows }]
}

/// A call that passes every check.
fn good(revision: &str) -> Request {
    let arguments = json!({ "region": "eu", "shard": 3, "query": "x" });
    let call = call(revision, "region_query", arguments);
    if revision == MODERN {
        call.header("Mcp-Param-Region", "eu").header("Mcp-Param-Shard", "3")
    } else {
        call
    }
}

fn body(mut request: Request, change: impl FnOnce(&str) -> String) -> Request {
    request.body = change(std::str::from_utf8(&request.body).unwrap()).into_bytes();
    request
}

/// What holds in every revision.
fn shared(revision: &str) -> Vec<Row> {
    let good = || good(revision);
    let row = |name: &str, status, request| Row::new(format!("{revision}: {name}"), status, request);
    let more = |member: &str| {
        let member = format!(",{member}}}");
        body(good(), |text| text.strip_suffix('}').unwrap().to_owned() + &member)
    };
    let modern_or = |modern, legacy| if revision == MODERN { modern } else { legacy };
    vec![
        row("nothing is wrong", 200, good()),
        row("1, origin", 403, good().header("Origin", "https://evil.example")),
        row("1, host", 403, good().with("Host", "evil.example")).needs(Needs::Process),
        row("1, before 2", 403, good().by("PUT").with("Host", "evil.example")).needs(Needs::Process),
        row("2, GET", 405, good().by("GET")),
        row("2, DELETE", 405, good().by("DELETE")),
        row("2, before 3", 405, good().by("PUT").without("Content-Type")),
        row("3, other content", 415, good().with("Content-Type", "text/plain")),
        row("3, no content type", 415, good().without("Content-Type")),
        row(
            "4, too long",
            413,
            body(good(), |text| format!("{text}{}", " ".repeat((4 << 20) + 1 - text.len()))),
        ),
        row("5, not acceptable", 406, good().with("Accept", "text/html")),
        row("5, before 6", 406, body(good().with("Accept", "text/html"), |_| "{".to_owned())),
        row("6, no JSON", 400, body(good(), |text| text.replacen('{', "", 1))),
        row("6, something behind", 400, body(good(), |text| format!("{text}}}"))),
        row("6, empty", 400, body(good(), |_| String::new())),
        row("6, too deep", 400, more(&format!("\"x\":{}{}", "[".repeat(128), "]".repeat(128)))),
        row("6, half a surrogate", 400, more(r#""x":"\udc00""#)),
        row("7, a batch", 400, body(good(), |text| format!("[{text}]"))),
        row("7, an empty batch", 400, body(good(), |_| "[]".to_owned())),
        row("7, a string", 400, body(good(), |_| "\"text\"".to_owned())),
        row("7, other JSON-RPC", 400, edit(good(), |message| message["jsonrpc"] = json!("1.0"))),
        row("7, null as an id", 400, edit(good(), |message| message["id"] = json!(null))),
        row("7, half an id", 400, edit(good(), |message| message["id"] = json!(1.5))),
        row("7, method is no string", 400, edit(good(), |message| message["method"] = json!(5))),
        row("7, params are a list", 400, edit(good(), |message| message["params"] = json!([]))),
        row("7, a member twice", 400, more(r#""params":{}"#)),
        row("13, no such method", modern_or(404, 200), request(revision, "no/such", json!({}))),
        row("14, no such tool", 200, call(revision, "nobody", json!({}))),
        row("14, arguments are a list", 200, edit(good(), |it| it["params"]["arguments"] = json!([]))),
        row("14, no such prompt", 200, request(revision, "prompts/get", json!({ "name": "nobody" }))),
        row("14, no such resource", 200, request(revision, "resources/read", json!({ "uri": "test://no" }))),
        row("14, no such cursor", 200, request(revision, "tools/list", json!({ "cursor": "no" }))),
        row("17, invalid arguments", 200, call(revision, "add", json!({ "a": "x", "c": [] }))),
        row(
            "an id of many digits",
            200,
            body(good(), |it| it.replacen("\"id\":1", "\"id\":18446744073709551617", 1)),
        ),
        row("an empty id", 200, edit(good(), |message| message["id"] = json!(""))),
    ]
}

fn legacy() -> Vec<Row> {
    let mut rows = Vec::new();
    for revision in &REVISIONS[..2] {
        let row = |name: &str, status, request| Row::new(format!("{revision}: {name}"), status, request);
        let header = "MCP-Protocol-Version";
        rows.extend([
            row("10, a date that is not served", 400, good(revision).with(header, "2024-11-05")),
            row("13, a modern method", 200, request(revision, "server/discover", json!({}))),
            row("18, a question without a session", 200, call(revision, "need_name", json!({}))),
            row("a session that is none", 404, good(revision).header("Mcp-Session-Id", "none"))
                .needs(Needs::Process),
        ]);
    }
    rows.push(Row::new("no version", 200, good(REVISIONS[0]).without("MCP-Protocol-Version")));
    rows
}

fn modern() -> Vec<Row> {
    let good = || good(MODERN);
    let version =
        |version: &str| meta(good(), json!({ VERSION: version })).with("MCP-Protocol-Version", version);
    let without = |member: &str| {
        edit(good(), |message| {
            message["params"]["_meta"].as_object_mut().unwrap().remove(member);
        })
    };
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let rows = [
        ("9, no version header", 400, good().without("MCP-Protocol-Version")),
        ("9, other version header", 400, good().with("MCP-Protocol-Version", "2025-11-25")),
        ("10, unknown version", 400, version("2099-01-01")),
        ("10, legacy version", 400, version("2025-11-25")),
        ("10, long version", 400, version(&"9".repeat(300))),
        ("11, no _meta", 400, edit(good(), |it| drop(it["params"].as_object_mut().unwrap().remove("_meta")))),
        ("11, no version", 400, without(VERSION)),
        ("11, no capabilities", 400, without(capabilities)),
        ("11, a list of capabilities", 400, meta(good(), json!({ capabilities: [] }))),
        ("11, level", 400, meta(good(), json!({ "io.modelcontextprotocol/logLevel": "loud" }))),
        ("12, no Mcp-Method", 400, good().without("Mcp-Method")),
        ("12, other Mcp-Method", 400, good().with("Mcp-Method", "tools/list")),
        ("12, no Mcp-Name", 400, good().without("Mcp-Name")),
        ("12, other Mcp-Name", 400, good().with("Mcp-Name", "echo")),
        ("12, broken Mcp-Name", 400, good().with("Mcp-Name", "=?base64?!?=")),
        ("13, legacy handshake", 404, request(MODERN, "initialize", json!({}))),
        ("15, no Mcp-Param", 400, good().without("Mcp-Param-Region")),
        ("15, other Mcp-Param", 400, good().with("Mcp-Param-Region", "us")),
        ("15, Mcp-Param of what is not there", 400, good().with("Mcp-Param-Shard", "4")),
        ("15, another way to write a number", 200, good().with("Mcp-Param-Shard", "3.0")),
        ("15, Mcp-Param in Base64", 200, good().with("Mcp-Param-Region", "=?base64?ZXU=?=")),
        ("15, Mcp-Param that nobody asked for", 200, good().header("Mcp-Param-Other", "x")),
        ("16, capability", 400, call(MODERN, "test_missing_capability", json!({}))),
        ("18, question", 400, call(MODERN, "need_name", json!({}))),
    ];
    rows.map(|(name, status, request)| Row::new(format!("{MODERN}: {name}"), status, request)).into()
}
