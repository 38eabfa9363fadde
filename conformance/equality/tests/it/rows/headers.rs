//! Headers: repeated, encoded, in other cases, and those that nobody should send.

use serde_json::json;

use super::Table;
use crate::host::Needs;
use crate::row::{LEGACY, MODERN, Row, call, request};
use crate::setting::Setting;
use crate::wire::Request;

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = accepts();
    rows.extend(content_types());
    rows.extend(repeated());
    rows.extend(names());
    rows.extend(not_utf_8());
    vec![
        Table { name: "headers", setting: Setting::Plain, rows },
        Table { name: "headers, own", setting: Setting::Own, rows: to_a_tool() },
    ]
}

fn echo() -> Request {
    call(MODERN, "echo", json!({ "text": "text" }))
}

fn accepts() -> Vec<Row> {
    let forms = [
        ("*/*", 200),
        ("application/*", 200),
        ("text/*", 200),
        ("APPLICATION/JSON", 200),
        ("application/json;q=0.5, text/event-stream;q=0.1", 200),
        ("application/json;q=0", 406),
        ("application/json;q=0, text/event-stream", 200),
        ("*/*;q=0", 406),
        ("text/event-stream;q=0, */*", 200),
        ("text/html, application/xhtml+xml", 406),
        ("application/json; charset=utf-8", 200),
        ("", 406),
        (",", 406),
        ("text", 406),
    ];
    let mut rows: Vec<Row> = forms
        .into_iter()
        .map(|(accept, status)| Row::new(format!("Accept: {accept}"), status, echo().with("Accept", accept)))
        .collect();
    rows.push(Row::new("no Accept", 200, echo().without("Accept")));
    let several = echo().with("Accept", "text/html").header("Accept", "application/json");
    rows.push(Row::new("several Accept", 200, several));
    rows
}

fn content_types() -> Vec<Row> {
    let forms = [
        ("application/json; charset=utf-8", 200),
        ("APPLICATION/Json;charset=\"utf-8\"", 200),
        (" application/json ", 200),
        ("application/json-rpc", 415),
        ("application/json, application/json", 415),
        ("", 415),
        ("json", 415),
    ];
    forms
        .into_iter()
        .map(|(form, status)| {
            Row::new(format!("Content-Type: {form}"), status, echo().with("Content-Type", form))
        })
        .collect()
}

fn repeated() -> Vec<Row> {
    let list = || request(MODERN, "tools/list", json!({}));
    let rows = [
        ("the same name twice", 200, echo().header("Mcp-Name", "echo")),
        ("two names", 400, echo().header("Mcp-Name", "other")),
        ("two names in one", 400, echo().with("Mcp-Name", "echo, echo")),
        ("the same method twice", 200, echo().header("mcp-method", "tools/call")),
        ("two methods", 400, echo().header("Mcp-Method", "tools/list")),
        ("two versions", 400, echo().header("MCP-Protocol-Version", LEGACY)),
        ("two content types", 415, echo().header("Content-Type", "text/plain")),
        (
            "two origins",
            403,
            echo().header("Origin", "http://localhost").header("Origin", "http://localhost"),
        ),
        ("a name where none is expected", 200, list().header("Mcp-Name", "x")),
        ("a session that is ignored", 200, echo().header("Mcp-Session-Id", "a").header("Last-Event-ID", "1")),
        ("cookies", 200, echo().header("Cookie", "a=b").header("Cookie", "c=d")),
    ];
    let mut rows: Vec<Row> = rows.map(|(name, status, request)| Row::new(name, status, request)).into();
    let two = call(LEGACY, "echo", json!({ "text": "" }))
        .header("Mcp-Session-Id", "a")
        .header("Mcp-Session-Id", "b");
    rows.push(Row::new("two sessions", 404, two).needs(Needs::Process));
    rows
}

fn names() -> Vec<Row> {
    let forms = [
        ("=?base64?ZWNobw==?=", 200),
        ("=?base64?ZWNobw?=", 400),
        ("=?BASE64?ZWNobw==?=", 400),
        ("=?base64?w7bDtg==?=", 400),
        ("=?base64?/w==?=", 400),
        ("=?base64??=", 400),
        ("=?base64?ZWNobw==", 400),
        ("Echo", 400),
        ("", 400),
        ("  echo\t", 200),
    ];
    let mut rows: Vec<Row> = forms
        .into_iter()
        .map(|(name, status)| Row::new(format!("Mcp-Name: {name:?}"), status, echo().with("Mcp-Name", name)))
        .collect();
    let spelled = |spell: fn(&str) -> String| {
        let mut request = echo();
        for (name, _) in &mut request.headers {
            *name = spell(name);
        }
        request
    };
    rows.push(Row::new("names in lower case", 200, spelled(str::to_lowercase)));
    rows.push(Row::new("names in upper case", 200, spelled(str::to_uppercase)));
    let params = json!({ "name": "test_x_mcp_header", "arguments": { "region": "日本" } });
    let call = request(MODERN, "tools/call", params);
    rows.push(Row::new(
        "an argument in Base64",
        200,
        call.clone().header("Mcp-Param-Region", "=?base64?5pel5pys?="),
    ));
    rows.push(Row::new("an argument as it is", 400, call.header("Mcp-Param-Region", "日本")));
    rows
}

fn not_utf_8() -> Vec<Row> {
    let mut rows = Vec::new();
    let names = [
        ("Accept", 406),
        ("Authorization", 200),
        ("Content-Type", 415),
        ("Mcp-Method", 400),
        ("Mcp-Name", 400),
        ("MCP-Protocol-Version", 400),
        ("Origin", 403),
        ("User-Agent", 200),
        ("X-Other", 200),
    ];
    for (name, status) in names {
        rows.push(Row::new(format!("{name} is not UTF-8"), status, echo().with(name, b"x\xff\xfe")));
        rows.push(Row::new(format!("{name} is not ASCII"), status, echo().with(name, "é")));
    }
    rows
}

fn to_a_tool() -> Vec<Row> {
    let call = || call(MODERN, "headers", json!({}));
    let many = (0..60).fold(call(), |request, n| request.header("X-Many", format!("value {n}")));
    let rows = [
        ("none", 200, call()),
        (
            "repeated",
            200,
            call()
                .header("X-Many", "one")
                .header("X-Other", "x")
                .header("x-many", "two, three")
                .header("X-MANY", "")
                .header("X-Many", "one"),
        ),
        ("sixty", 200, many),
        ("long", 200, call().header("X-Many", "x".repeat(5000))),
        ("bytes", 200, call().header("X-Many", b"\x80\xff\t!")),
    ];
    rows.map(|(name, status, request)| Row::new(name, status, request)).into()
}
