//! Event streams, and the clients that take none or nothing else.

use serde_json::{Value, json};

use super::Table;
use crate::host::Needs;
use crate::row::{MODERN, REVISIONS, Row, call, edit, meta, request};
use crate::setting::Setting;
use crate::wire::Request;

/// What a client accepts, and whether that can be told something before the result.
const ACCEPTED: [(&str, &str, bool); 3] = [
    ("both", "application/json, text/event-stream", true),
    ("JSON", "application/json", false),
    ("events", "text/event-stream", true),
];

/// A call, and whether the tool has something to tell before its result.
type Told = (String, bool, Request);

pub(crate) fn tables() -> Vec<Table> {
    let (mut plain, mut own) = (Vec::new(), Vec::new());
    for revision in REVISIONS {
        for (accepted, accept, streams) in ACCEPTED {
            let named = |(name, tells, request): Told| {
                let name = format!("{revision}, {accepted}: {name}");
                let needs = if streams && tells { Needs::Streams } else { Needs::Nothing };
                Row::new(name, 200, request.with("Accept", accept)).needs(needs)
            };
            plain.extend(fixture(revision).into_iter().map(named));
            own.extend(others(revision).into_iter().map(named));
        }
    }
    plain.extend(refusals());
    own.extend(asking());
    vec![
        Table { name: "streams", setting: Setting::Plain, rows: plain },
        Table { name: "streams, own", setting: Setting::Own, rows: own },
    ]
}

fn with_token(request: Request, token: Value) -> Request {
    edit(request, |message| message["params"]["_meta"]["progressToken"] = token)
}

fn fixture(revision: &str) -> Vec<Told> {
    let progress = || call(revision, "test_tool_with_progress", json!({}));
    let logging = || call(revision, "test_tool_with_logging", json!({}));
    let mut rows = vec![
        ("no progress".to_owned(), false, progress()),
        ("progress by a word".to_owned(), true, with_token(progress(), json!("t"))),
        ("progress by zero".to_owned(), true, with_token(progress(), json!(0))),
        ("nothing to say".to_owned(), false, call(revision, "echo", json!({ "text": "text" }))),
        ("a list".to_owned(), false, request(revision, "prompts/list", json!({}))),
        ("logging".to_owned(), revision != MODERN, logging()),
    ];
    if revision == MODERN {
        // What it says is less than a warning.
        for (level, tells) in [("debug", true), ("warning", false)] {
            let level = json!({ "io.modelcontextprotocol/logLevel": level });
            rows.push((format!("logging {level}"), tells, meta(logging(), level)));
        }
    }
    rows
}

fn others(revision: &str) -> Vec<Told> {
    let tell = |tool| with_token(call(revision, tool, json!({})), json!("t"));
    vec![
        ("a failure is the last event".to_owned(), true, tell("tell_and_fail")),
        ("long".to_owned(), false, tell("long")),
        ("long events".to_owned(), true, tell("long_stream")),
    ]
}

/// To clients of the modern revision that can answer, and to those that cannot: the status is gone then.
fn asking() -> Vec<Row> {
    let tell = || with_token(call(MODERN, "tell_and_ask", json!({})), json!("t"));
    let able = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    vec![
        Row::new("a question is the last event", 200, meta(tell(), able)).needs(Needs::Streams),
        Row::new("an error is the last event", 200, tell()).needs(Needs::Streams),
        Row::new("an error is the answer", 400, tell().with("Accept", "application/json")),
    ]
}

fn refusals() -> Vec<Row> {
    let listen = |wanted| request(MODERN, "subscriptions/listen", json!({ "notifications": wanted }));
    let events = |request: Request| request.with("Accept", "text/event-stream");
    let rows = vec![
        Row::new("listen to nothing", 200, listen(json!({}))),
        Row::new(
            "listen to nothing that there is",
            200,
            listen(json!({ "resourceSubscriptions": ["x://y"], "no": 1 })),
        ),
        Row::new("listen to nothing, events", 200, events(listen(json!({ "toolsListChanged": false })))),
        Row::new("listen, JSON", 406, listen(json!({})).with("Accept", "application/json")),
        Row::new("listen, a list", 200, listen(json!([]))),
        Row::new("listen, a wrong kind", 200, listen(json!({ "toolsListChanged": 5 }))),
        Row::new("listen, nothing said", 200, request(MODERN, "subscriptions/listen", json!({}))),
    ];
    let mut rows: Vec<Row> = rows.into_iter().map(|row| row.needs(Needs::Process)).collect();
    rows.extend([
        Row::new("404, events", 404, events(request(MODERN, "no/such", json!({})))),
        Row::new("400, events", 400, events(Request::post("{"))),
        Row::new("403, events", 403, events(Request::post("{").with("Host", "evil.example")))
            .needs(Needs::Process),
        Row::new("202, events", 202, events(Request::post(r#"{"jsonrpc":"2.0","method":"x"}"#))),
    ]);
    rows
}
