//! Each method, in each revision: where it is none, that is the answer.

use serde_json::{Value, json};

use super::Table;
use crate::host::Needs;
use crate::row::{LEGACY, MODERN, OLDEST, REVISIONS, Row, call, meta, request};
use crate::setting::Setting;
use crate::wire::Request;

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = Vec::new();
    for revision in REVISIONS {
        rows.extend(requests(revision));
        rows.extend(messages(revision));
    }
    rows.extend(handshakes());
    rows.extend(questions());
    vec![
        Table { name: "methods", setting: Setting::Plain, rows },
        Table { name: "methods, stateless", setting: Setting::Stateless, rows: openings(200, 200) },
        Table { name: "methods, no streams", setting: Setting::NoStreams, rows: openings(404, 404) },
    ]
}

/// Methods, their params, and the statuses in legacy and modern revisions.
fn methods() -> Vec<(&'static str, Value, [u16; 2])> {
    let prompt = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
    let template = json!({ "type": "ref/resource", "uri": "test://template/{id}/data" });
    vec![
        ("ping", json!({}), [200, 404]),
        ("tools/list", json!({}), [200, 200]),
        ("tools/call", json!({ "name": "echo", "arguments": { "text": "text" } }), [200, 200]),
        ("tools/call", json!({ "name": "test_simple_text" }), [200, 200]),
        ("tools/call", json!({ "arguments": {} }), [200, 400]),
        ("prompts/list", json!({}), [200, 200]),
        ("prompts/get", json!({ "name": "greet", "arguments": { "name": "Ann" } }), [200, 200]),
        ("prompts/get", json!({ "name": "greet" }), [200, 200]),
        ("resources/list", json!({}), [200, 200]),
        ("resources/templates/list", json!({}), [200, 200]),
        ("resources/read", json!({ "uri": "note://hello" }), [200, 200]),
        ("resources/subscribe", json!({ "uri": "note://hello" }), [200, 404]),
        ("resources/unsubscribe", json!({ "uri": "note://hello" }), [200, 404]),
        ("logging/setLevel", json!({ "level": "debug" }), [200, 404]),
        ("logging/setLevel", json!({ "level": "loud" }), [200, 404]),
        (
            "completion/complete",
            json!({ "ref": prompt, "argument": { "name": "arg1", "value": "par" } }),
            [200, 200],
        ),
        (
            "completion/complete",
            json!({ "ref": template, "argument": { "name": "id", "value": "1" } }),
            [200, 200],
        ),
        ("completion/complete", json!({ "ref": 5 }), [200, 200]),
        ("tasks/list", json!({}), [200, 404]),
        ("roots/list", json!({}), [200, 404]),
        ("sampling/createMessage", json!({}), [200, 404]),
    ]
}

fn requests(revision: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = methods()
        .into_iter()
        .enumerate()
        .map(|(number, (method, params, [legacy, modern]))| {
            let status = if revision == MODERN { modern } else { legacy };
            Row::new(format!("{revision}: {method} ({number})"), status, request(revision, method, params))
        })
        .collect();
    let discover =
        Row::new(format!("{revision}: discover"), 200, request(revision, "server/discover", json!({})));
    let listen = request(revision, "subscriptions/listen", json!({ "notifications": {} }));
    let listen = Row::new(format!("{revision}: listen"), 200, listen);
    // What they tell of listening depends on whether anybody can; older revisions have neither.
    let needs = if revision == MODERN { Needs::Process } else { Needs::Nothing };
    rows.extend([discover, listen].map(|row| row.needs(needs)));
    rows
}

/// What is not answered, and what should not be sent.
fn messages(revision: &str) -> Vec<Row> {
    let send = |message: Value| Request::post(message.to_string()).header("MCP-Protocol-Version", revision);
    let row = |name: &str, status, request| Row::new(format!("{revision}: {name}"), status, request);
    let note = |method: &str| send(json!({ "jsonrpc": "2.0", "method": method }));
    let response = if revision == MODERN { 400 } else { 202 };
    vec![
        row("initialized", 202, note("notifications/initialized")),
        row("cancelled", 202, note("notifications/cancelled")),
        row("an unknown notification", 202, note("notifications/no/such")),
        row("a request's method without an id", 202, note("tools/call")),
        row("a result", response, send(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))),
        row(
            "an error",
            response,
            send(json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "" } })),
        ),
        row(
            "a notification, other Mcp-Method",
            if revision == MODERN { 400 } else { 202 },
            note("notifications/cancelled").header("Mcp-Method", "ping"),
        ),
    ]
}

fn handshakes() -> Vec<Row> {
    let mut rows = Vec::new();
    for version in [OLDEST, LEGACY, MODERN, "2024-11-05", "", "x"] {
        for capabilities in [json!({}), json!({ "roots": { "listChanged": true } })] {
            let name = format!("initialize {version:?} {capabilities}");
            let session = capabilities != json!({});
            let row = Row::new(name, 200, initialize(version, capabilities));
            rows.push(if session { row.needs(Needs::Process) } else { row });
        }
    }
    rows.push(Row::new("initialize without params", 200, request(LEGACY, "initialize", json!({}))));
    rows
}

fn initialize(version: &str, capabilities: Value) -> Request {
    let client = json!({ "name": "equality", "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
    request(LEGACY, "initialize", params).without("MCP-Protocol-Version")
}

/// What asks a client of the modern revision, which answers in another request.
fn questions() -> Vec<Row> {
    let capabilities = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
    let able = |request| meta(request, json!({ "io.modelcontextprotocol/clientCapabilities": capabilities }));
    let tools = [
        ("need_name", json!({})),
        ("test_elicitation", json!({ "message": "Who?" })),
        ("test_sampling", json!({ "prompt": "What?" })),
        ("test_elicitation_sep1034_defaults", json!({})),
        ("test_elicitation_sep1330_enums", json!({})),
        ("test_input_required_result_list_roots", json!({})),
        ("test_input_required_result_request_state", json!({})),
        ("test_input_required_result_multiple_inputs", json!({})),
        ("test_missing_capability", json!({})),
    ];
    let mut rows: Vec<Row> = tools
        .into_iter()
        .map(|(tool, arguments)| Row::new(format!("{tool} asks"), 200, able(call(MODERN, tool, arguments))))
        .collect();
    let answered = json!({ "who": { "action": "accept", "content": { "name": "Ann" } } });
    let again = |params| able(request(MODERN, "tools/call", params));
    rows.extend([
        Row::new(
            "need_name is answered",
            200,
            again(json!({ "name": "need_name", "inputResponses": answered })),
        ),
        Row::new(
            "need_name is answered with nothing",
            200,
            again(json!({ "name": "need_name", "inputResponses": null })),
        ),
        Row::new("a state that is none", 200, again(json!({ "name": "need_name", "requestState": "none" }))),
        Row::new(
            "a prompt asks",
            200,
            able(request(MODERN, "prompts/get", json!({ "name": "test_input_required_result_prompt" }))),
        ),
    ]);
    rows
}

/// What a server tells of itself. A session that is none is ignored where none is issued.
fn openings(session: u16, listen: u16) -> Vec<Row> {
    let needs = |it| if it { Needs::Process } else { Needs::Nothing };
    let (sessions, listening) = (needs(session == 404), needs(listen == 200));
    let nothing = request(MODERN, "subscriptions/listen", json!({ "notifications": {} }));
    let in_a_session = call(LEGACY, "test_simple_text", json!({})).header("Mcp-Session-Id", "x");
    vec![
        // Tasks are offered where a process stays.
        Row::new("discover", 200, request(MODERN, "server/discover", json!({}))).needs(Needs::Process),
        Row::new("listen", listen, nothing).needs(listening),
        Row::new("initialize", 200, initialize(LEGACY, json!({ "elicitation": {} }))).needs(sessions),
        Row::new("a session", session, in_a_session).needs(sessions),
        Row::new("question", 200, call(LEGACY, "need_name", json!({}))),
    ]
}
