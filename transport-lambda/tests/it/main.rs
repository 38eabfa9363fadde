//! The example, run as a function by an emulator of the platform.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::zombie_processes,
    reason = "a test stops at what it did not expect"
)]

mod emulator;

use std::time::Duration;

use serde_json::{Value, json};

use crate::emulator::{Front, Lambda, Request, Response};

const MODERN: &str = "2026-07-28";

fn request(headers: &[(&str, &str)], body: &Value) -> Request {
    let common = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let headers = common.iter().chain(headers);
    Request {
        method: "POST",
        headers: headers.map(|(name, value)| (String::from(*name), String::from(*value))).collect(),
        body: body.to_string(),
        base64: false,
        time: Duration::from_secs(30),
    }
}

fn legacy(method: &str, params: Value) -> Request {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    request(&[("mcp-protocol-version", "2025-11-25")], &body)
}

fn modern(method: &str, mut params: Value) -> Request {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": 1,
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    request(&[("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", &name)], &body)
}

fn call(tool: &str, arguments: Value) -> Request {
    modern("tools/call", json!({ "name": tool, "arguments": arguments }))
}

#[track_caller]
fn text(response: &Response) -> String {
    assert_eq!(response.status, 200, "{response:?}");
    response.json()["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The function in both modes.
fn functions() -> [Lambda; 2] {
    [Lambda::start(false), Lambda::start(true)]
}

#[test]
fn every_kind_of_event_is_answered_in_both_modes_with_text_and_base64() {
    for function in functions() {
        for front in Front::ALL {
            for base64 in [false, true] {
                let request = Request { base64, ..call("echo", json!({ "text": "crème" })) };
                let response = function.send(front, &request);
                assert_eq!(text(&response), "crème", "{front:?}");
                assert_eq!(response.headers["content-type"], "application/json", "{front:?}");
            }
        }
    }
}

#[test]
fn a_notification_has_an_empty_answer_and_other_methods_are_refused() {
    let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let notification = request(&[("mcp-protocol-version", "2025-11-25")], &body);
    for function in functions() {
        for front in Front::ALL {
            let response = function.send(front, &notification);
            assert_eq!((response.status, response.body.as_str()), (202, ""), "{front:?}");
            let get = Request { method: "GET", ..call("echo", json!({})) };
            let refused = function.send(front, &get);
            assert_eq!((refused.status, &refused.headers["allow"]), (405, &json!("POST")), "{front:?}");
        }
    }
}

#[test]
fn all_values_of_a_repeated_header_count() {
    for function in functions() {
        for front in [Front::RestApi, Front::HttpApi, Front::FunctionUrl] {
            let mut request = call("echo", json!({ "text": "a" }));
            request.headers.retain(|(name, _)| name != "accept");
            for value in ["application/json", "text/html"] {
                request.headers.push(("accept".to_owned(), value.to_owned()));
            }
            assert_eq!(text(&function.send(front, &request)), "a", "{front:?}");
        }
    }
}

#[test]
fn nobody_can_listen_and_no_older_client_gets_a_session() {
    for function in functions() {
        let opening = function.send(Front::FunctionUrl, &modern("server/discover", json!({})));
        let capabilities = &opening.json()["result"]["capabilities"];
        assert_eq!(capabilities["tools"], json!({}));
        assert_eq!(capabilities["resources"], json!({}));
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        let listen = function.send(Front::FunctionUrl, &modern("subscriptions/listen", wanted));
        assert_eq!((listen.status, &listen.json()["error"]["code"]), (404, &json!(-32601)));
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "tests", "version": "1" },
        });
        let opened = function.send(Front::FunctionUrl, &legacy("initialize", params));
        assert_eq!(opened.status, 200);
        assert!(!opened.headers.contains_key("mcp-session-id"), "{opened:?}");
    }
}

#[test]
fn progress_is_heard_where_the_function_streams() {
    let [buffers, streams] = functions();
    let request = call("test_tool_with_progress", json!({}));
    assert_eq!(text(&buffers.send(Front::FunctionUrl, &request)), "all steps done");
    let response = streams.send(Front::FunctionUrl, &request);
    assert_eq!(response.headers["content-type"], "text/event-stream");
    let events: Vec<Value> = response
        .body
        .split("\n\n")
        .filter_map(|event| event.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    assert_eq!(events.len(), 4, "{}", response.body);
    assert_eq!(events[3]["result"]["content"][0]["text"], "all steps done");
}

#[test]
fn a_slow_tool_is_answered_before_the_platform_stops_it_and_the_next_call_works() {
    for function in functions() {
        let slow = Request { time: Duration::from_millis(1500), ..call("slow", json!({ "ms": 60_000 })) };
        let response = function.send(Front::FunctionUrl, &slow);
        assert_eq!(response.status, 200);
        assert!(response.body.contains("did not answer in time"), "{response:?}");
        assert_eq!(text(&function.send(Front::FunctionUrl, &call("echo", json!({ "text": "a" })))), "a");
    }
}

#[test]
fn a_tool_that_panics_is_answered_and_the_process_lives() {
    for function in functions() {
        let response = function.send(Front::HttpApi, &call("panic", json!({})));
        assert_eq!(response.json()["result"]["isError"], true, "{response:?}");
        assert!(!response.body.contains("/etc/x"), "{response:?}");
        assert_eq!(text(&function.send(Front::HttpApi, &call("echo", json!({ "text": "a" })))), "a");
    }
}
