//! The session file: what is one, and what is said of what is none.

use std::path::{Path, PathBuf};

use mcp_conformance::session::Session;
use serde_json::{Value, json};

/// All files of committed sessions.
pub(crate) fn committed() -> Vec<PathBuf> {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions"), &mut found);
    found.sort();
    found
}

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../session.schema.json")).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// A session with a bit of everything.
fn session() -> Value {
    json!({
        "$schema": "session.schema.json",
        "format": 1,
        "client": { "name": "hand", "version": "1" },
        "recorded": "2026-12-01",
        "revision": "2025-11-25",
        "notes": "written by hand",
        "exchanges": [
            {
                "name": "call", "at": 3, "method": "POST", "path": "/mcp",
                "headers": [["Content-Type", "application/json"], ["X-A", "1"], ["x-a", "1"]],
                "body": { "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": { "name": "ask" } },
                "response": {
                    "at": 5, "status": 200, "headers": [["Mcp-Session-Id", "abc"]],
                    "events": [{ "at": 6, "data": { "jsonrpc": "2.0", "id": "q", "method": "roots/list" } }, { "at": 7, "text": "" }],
                    "captures": { "session": { "header": "mcp-session-id" }, "question": { "event": 0, "pointer": "/id" } },
                },
                "end": "client",
            },
            {
                "at": 9, "while": { "call": 1 }, "method": "POST", "path": "/mcp",
                "headers": [["Mcp-Session-Id", "${session}"]],
                "body": { "jsonrpc": "2.0", "id": "${question}", "result": {} },
                "match": "shape", "ignore": ["/result/content/0"],
                "response": { "status": 202 },
            },
            { "method": "DELETE", "path": "/mcp?a=b", "base64": "AAE=", "response": { "status": 405, "text": "no" } },
        ],
    })
}

/// Changes the session, and wants both the schema and the program to refuse it; the latter with these words.
#[track_caller]
fn refused(change: impl FnOnce(&mut Value), words: &[&str]) {
    let mut changed = session();
    change(&mut changed);
    let message = Session::parse(&changed.to_string(), "a/b.json").unwrap_err().to_string();
    for word in ["a/b.json"].iter().chain(words) {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
}

#[track_caller]
fn refused_by_both(change: impl Fn(&mut Value), words: &[&str]) {
    let mut changed = session();
    change(&mut changed);
    assert!(!schema().is_valid(&changed), "the schema takes {changed}");
    refused(change, words);
}

#[test]
fn a_session_written_by_hand_is_read_and_comes_out_the_same() {
    let text = session().to_string();
    assert!(schema().is_valid(&session()));
    let read = Session::parse(&text, "x").unwrap();
    let again = Session::parse(&read.text(), "x").unwrap();
    assert_eq!(read, again);
    let written: Value = serde_json::from_str(&read.text()).unwrap();
    assert!(schema().is_valid(&written), "{written}");
    assert_eq!(written["exchanges"][0], session()["exchanges"][0]);
}

#[test]
fn typing_errors_are_named_with_their_place() {
    refused_by_both(
        |s| s["exchanges"][0]["respones"] = json!({}),
        &["exchanges[0]", "respones", "expected one of"],
    );
    refused_by_both(
        |s| s["exchanges"][1]["response"]["status"] = json!("202"),
        &["exchanges[1].response.status", "u16"],
    );
    refused_by_both(|s| s["exchanges"][0]["headers"][0] = json!("Accept: x"), &["exchanges[0].headers[0]"]);
    refused_by_both(|s| s["exchanges"][0]["headers"][0] = json!(["Accept"]), &["exchanges[0].headers[0]"]);
    refused_by_both(|s| s["exchanges"][2]["text"] = json!("x"), &["exchanges[2].body", "only one of"]);
    refused_by_both(|s| s["exchanges"][0]["response"]["events"][0] = json!({}), &["events[0]", "either"]);
    refused_by_both(|s| s["exchanges"][1]["match"] = json!("exactly"), &["exchanges[1].match", "`shape`"]);
    refused_by_both(|s| s["exchanges"][0]["end"] = json!("cut"), &["exchanges[0].end", "`client`"]);
    refused_by_both(|s| s["exchanges"][0]["path"] = json!("mcp"), &["exchanges[0].path", "/mcp"]);
    refused_by_both(
        |s| s["exchanges"][0]["response"]["captures"]["session"] = json!({ "pointer": "id" }),
        &["captures.session", "/result/nextCursor"],
    );
    refused_by_both(
        |s| s["exchanges"][0]["response"]["captures"]["session"] = json!({}),
        &["captures.session", "header"],
    );
    refused_by_both(|s| s["revision"] = json!("2025-03-26"), &["revision", "`2025-11-25`"]);
    refused_by_both(|s| s["format"] = json!(2), &["format", "reads format 1"]);
    refused_by_both(|s| drop(s.as_object_mut().unwrap().remove("exchanges")), &["exchanges"]);
    refused_by_both(
        |s| s["exchanges"][0]["response"]["status"] = json!(100),
        &["exchanges[0].response.status"],
    );
}

#[test]
fn what_no_schema_can_see_is_named_too() {
    refused(|s| s["exchanges"][1]["while"] = json!({ "cal": 1 }), &["exchanges[1].while", "\"cal\""]);
    refused(
        |s| s["exchanges"][1]["body"]["id"] = json!("${qestion}"),
        &["exchanges[1]", "${qestion}", "captures"],
    );
    refused(|s| s["exchanges"][1]["name"] = json!("call"), &["exchanges[1].name"]);
    refused(
        |s| s["exchanges"][0]["response"]["captures"]["question"]["event"] = json!(7),
        &["captures.question", "nothing"],
    );
    refused(|s| s["exchanges"][0]["headers"][0][1] = json!("a\r\nb"), &["headers[0]"]);
    refused(|s| s["exchanges"][2]["base64"] = json!("%"), &["base64"]);
}

#[test]
fn text_that_is_no_json_is_told_with_its_line() {
    let message = Session::parse("{\n  \"format\": 1,,\n}", "x.json").unwrap_err().to_string();
    assert!(message.contains("line 2"), "{message}");
    let message = Session::load("no/such/file.json").unwrap_err().to_string();
    assert!(message.starts_with("no/such/file.json cannot be read"), "{message}");
}

#[test]
fn committed_sessions_keep_to_the_schema() {
    let schema = schema();
    for path in committed() {
        let text = std::fs::read_to_string(&path).unwrap();
        let errors: Vec<String> = schema
            .iter_errors(&serde_json::from_str(&text).unwrap())
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
        assert!(text.len() < 60 << 10, "{} has {} bytes", path.display(), text.len());
        let session = Session::parse(&text, &path.display().to_string()).unwrap();
        assert_eq!(session.text(), text, "{} is not laid out as it would be written", path.display());
    }
}
