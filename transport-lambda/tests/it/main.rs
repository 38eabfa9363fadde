//! The examples, run as functions by an emulator of the platform.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops at what it did not expect"
)]

#[path = "../../../transport-actix/tests/it/wire.rs"]
#[expect(dead_code, reason = "the tests of mcp-actix use the rest")]
mod wire;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use mcp_lambda_emulator::{Emulator, Front, Function};
use serde_json::{Value, json};

use crate::wire::{Client, PATIENCE, Request, Response};

/// An example, beside this test.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    assert!(example.exists(), "build the function first: cargo build -p mcp-lambda --example {name}");
    example
}

/// The server of the test suites, answering at once or streaming.
fn function(streams: bool) -> Function {
    let function = Function::new(example("everything_lambda")).quiet();
    if streams { function.env("MCP_STREAMING", "1") } else { function }
}

fn start(function: Function) -> Emulator {
    function.start().unwrap()
}

/// The function in both modes.
fn functions() -> [Emulator; 2] {
    [false, true].map(|streams| start(function(streams)))
}

/// The function in both modes behind every front, and whether bodies are told in Base64.
fn behind_every_front(check: impl Fn(Front, &Emulator) + Sync) {
    std::thread::scope(|scope| {
        for front in Front::ALL {
            let check = &check;
            scope.spawn(move || {
                for streams in [false, true] {
                    for base64 in [false, true] {
                        check(front, &start(function(streams).front(front).base64(base64)));
                    }
                }
            });
        }
    });
}

#[track_caller]
fn send(function: &Emulator, request: &Request) -> Response {
    Client::connect(function.address()).send(request)
}

fn call(tool: &str, arguments: Value) -> Request {
    Request::call(1, tool, arguments)
}

/// Of a tool that tells that it began, and then waits for longer than any test.
fn never_ending() -> Value {
    json!({ "ms": 3_600_000 })
}

/// A call that wants to hear of progress.
fn told(tool: &str, arguments: Value) -> Request {
    let mut request = call(tool, arguments);
    let mut body: Value = serde_json::from_slice(&request.body).unwrap();
    body["params"]["_meta"]["progressToken"] = json!(1);
    request.body = body.to_string().into_bytes();
    request
}

#[test]
fn every_kind_of_event_is_answered_in_both_modes_with_text_and_base64() {
    behind_every_front(|front, function| {
        let response = send(function, &Request::echo(1, "crème"));
        assert_eq!(
            (&*response.text(), response.all("content-type")),
            ("crème", vec!["application/json"]),
            "{front:?}"
        );
        let notification =
            Request::post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        let response = send(function, &notification);
        assert_eq!((response.status, &*response.body), (202, &b""[..]), "{front:?}");
        let refused = send(function, &Request::echo(1, "").by("PUT"));
        assert_eq!((refused.status, refused.all("allow")), (405, vec!["POST"]), "{front:?}");
    });
}

#[test]
fn all_values_of_a_repeated_header_count() {
    for front in [Front::RestApi, Front::HttpApi, Front::FunctionUrl, Front::LoadBalancerMulti] {
        for streams in [false, true] {
            let function = start(function(streams).front(front));
            let request =
                Request::echo(1, "a").with("Accept", "application/json").header("Accept", "text/html");
            assert_eq!(send(&function, &request).text(), "a", "{front:?}");
        }
    }
}

#[test]
fn nobody_can_listen_and_no_older_client_gets_a_session() {
    for function in functions() {
        let opening = send(&function, &Request::modern(1, "server/discover", json!({}))).json();
        let capabilities = &opening["result"]["capabilities"];
        assert_eq!((&capabilities["tools"], &capabilities["resources"]), (&json!({}), &json!({})));
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        let listen = send(&function, &Request::modern(1, "subscriptions/listen", wanted));
        assert_eq!((listen.status, &listen.json()["error"]["code"]), (404, &json!(-32601)));
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "tests", "version": "1" },
        });
        let opened = send(&function, &Request::legacy(1, "initialize", &params));
        assert_eq!((opened.status, opened.all("mcp-session-id").len()), (200, 0));
    }
}

#[test]
fn progress_is_heard_before_the_result_where_the_function_streams() {
    let [buffers, streams] = functions();
    let request = told("test_tool_with_progress", json!({}));
    assert_eq!(send(&buffers, &request).text(), "all steps done");
    let mut client = Client::connect(streams.address());
    client.write(&request.bytes());
    let (status, headers) = client.read_head();
    assert_eq!(status, 200);
    assert!(headers.contains(&("content-type".to_owned(), b"text/event-stream".to_vec())), "{headers:?}");
    // The function sleeps between its steps: what comes one by one was not kept back.
    let mut events = Vec::new();
    loop {
        let chunk = String::from_utf8(client.read_chunk()).unwrap();
        if chunk.is_empty() {
            break;
        }
        assert_eq!(chunk.matches("data: ").count(), 1, "{chunk}");
        events.push(serde_json::from_str::<Value>(chunk.strip_prefix("data: ").unwrap()).unwrap());
    }
    assert_eq!(events.len(), 4, "{events:?}");
    assert_eq!(events[3]["result"]["content"][0]["text"], "all steps done");
}

#[test]
fn a_slow_tool_is_answered_before_the_platform_stops_it_and_the_next_call_works() {
    for streams in [false, true] {
        let function = start(function(streams).timeout(Duration::from_millis(1500)));
        let response = send(&function, &call("slow", json!({ "ms": 60_000 })));
        assert!(response.text().contains("did not answer in time"), "{response:?}");
        assert_eq!(send(&function, &Request::echo(1, "a")).text(), "a");
    }
}

#[test]
fn a_tool_that_panics_is_answered_and_the_process_lives() {
    for function in functions() {
        let response = send(&function, &call("panic", json!({})));
        assert_eq!(response.json()["result"]["isError"], true, "{response:?}");
        assert!(!String::from_utf8_lossy(&response.body).contains("/etc/x"), "{response:?}");
        assert_eq!(send(&function, &Request::echo(1, "a")).text(), "a");
    }
}

#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < until, "not so: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn progress_arrives_while_the_tool_still_waits() {
    let function = start(function(true).timeout(PATIENCE * 10));
    let mut client = Client::connect(function.address());
    client.write(&told("slow", never_ending()).bytes());
    assert_eq!(client.read_head().0, 200);
    let event = String::from_utf8(client.read_chunk()).unwrap();
    let event: Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(
        (&event["method"], &event["params"]["message"]),
        (&json!("notifications/progress"), &json!("asleep"))
    );
}

/// A call that never ends by itself holds the process, unless it is handed several at once.
#[test]
fn several_invocations_are_answered_at_once() {
    for streams in [false, true] {
        // An event stream that opens, with a keep-alive, would be an answer that began.
        let silent = function(streams).env("MCP_FIXTURE_ARGS", "--keep-alive 3600000");
        let function = start(silent.concurrency(4).timeout(PATIENCE * 10));
        let start = |arguments| {
            let mut client = Client::connect(function.address());
            client.write(&call("slow", arguments).bytes());
            client
        };
        let never: Vec<Client> = (0..3).map(|_| start(never_ending())).collect();
        eventually("three calls are held", || function.unanswered() == 3);
        for _ in 0..3 {
            assert_eq!(send(&function, &Request::echo(1, "a")).text(), "a");
        }
        let fourth = start(never_ending());
        eventually("four calls are held", || function.unanswered() == 4);
        drop((never, fourth));
    }
}

#[test]
fn what_the_platform_knows_reaches_the_tools() {
    for front in [Front::RestApi, Front::HttpApi, Front::FunctionUrl] {
        let function = start(Function::new(example("authorized")).quiet().front(front).principal("ann"));
        assert_eq!(send(&function, &call("whoami", json!({}))).text(), "ann", "{front:?}");
        let arn = send(&function, &call("which_function", json!({}))).text();
        assert!(arn.starts_with("arn:aws:lambda:"), "{arn}");
    }
}

#[test]
fn what_was_there_before_stays_as_it_was() {
    let function = start(Function::new(example("existing_app_lambda")).quiet());
    let orders = "two chairs\na lamp";
    let of_ada = |request: Request| request.header("Authorization", "Bearer ada");
    assert_eq!(send(&function, &of_ada(call("list_orders", json!({})))).text(), orders);
    let page = send(&function, &of_ada(Request::new("GET", "/orders")));
    assert_eq!((page.status, &*page.body), (200, orders.as_bytes()));
    let refused = send(&function, &call("list_orders", json!({})));
    assert_eq!((refused.status, refused.all("www-authenticate")), (401, vec!["Bearer"]));
    let preflight = Request::new("OPTIONS", "/mcp").header("Access-Control-Request-Method", "POST");
    let answer = send(&function, &preflight.header("Origin", "https://app.example.com"));
    assert_eq!(
        (answer.status, answer.all("access-control-allow-origin")),
        (204, vec!["https://app.example.com"])
    );
}

#[test]
fn a_function_that_is_asked_to_end_ends_well() {
    for function in [function(false), function(true), function(true).concurrency(4)] {
        let function = start(function);
        assert_eq!(send(&function, &Request::echo(1, "a")).text(), "a");
        let asked = Command::new("kill").args(["-TERM", &function.pid().to_string()]).status().unwrap();
        assert!(asked.success());
        eventually("the process has ended", || function.ended().is_some());
        assert_eq!(function.ended().as_deref(), Some("exit status: 0"));
        let refused = send(&function, &Request::echo(1, "a"));
        assert_eq!(refused.status, 502, "{refused:?}");
    }
}
