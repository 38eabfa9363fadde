//! Event streams on the wire: what comes before the response, and what becomes of calls whose clients leave.

use std::time::{Duration, Instant};

use mcp_fixture::Options;
use mcp_http::Server;
use serde_json::{Value, json};

use crate::site::{Site, fixture};
use crate::wire::{Client, MODERN, PATIENCE, Request, Response};

const KEEP_ALIVE: Duration = Duration::from_millis(100);

fn impatient() -> Server {
    mcp_fixture::server(&Options { keep_alive: Some(KEEP_ALIVE), ..Options::default() }).unwrap()
}

/// The messages of an event stream, and how many comments are among them.
#[track_caller]
fn events(response: &Response) -> (Vec<Value>, usize) {
    assert_eq!(response.all("content-type"), ["text/event-stream"], "{response:?}");
    let text = std::str::from_utf8(&response.body).unwrap();
    let events = text.strip_suffix("\n\n").expect("the last event is whole").split("\n\n");
    let (comments, events): (Vec<&str>, Vec<&str>) = events.partition(|event| *event == ":");
    let messages = events.into_iter().map(|event| {
        serde_json::from_str(event.strip_prefix("data: ").expect("an event of one line")).unwrap()
    });
    (messages.collect(), comments.len())
}

fn with_progress(request: Value, token: &Value) -> Value {
    let mut request = request;
    request["_meta"]["progressToken"] = token.clone();
    request
}

#[test]
fn progress_arrives_before_the_result_on_a_chunked_stream() {
    let site = Site::of(fixture());
    let params = || json!({ "name": "test_tool_with_progress", "arguments": {} });
    for token in [json!("t"), json!(7)] {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": token,
        });
        let mut modern = params();
        modern["_meta"] = meta;
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern });
        let modern = Request::post(body.to_string())
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "test_tool_with_progress");
        let legacy = Request::legacy(1, "tools/call", &with_progress(params(), &token));
        for request in [modern, legacy] {
            let mut client = site.connect();
            let response = client.send(&request);
            assert_eq!(response.all("transfer-encoding"), ["chunked"]);
            let (messages, comments) = events(&response);
            let progress: Vec<_> =
                messages.iter().map(|message| message["params"]["progress"].clone()).collect();
            assert_eq!(progress, [json!(0), json!(50), json!(100), Value::Null]);
            assert!(messages[..3].iter().all(|message| message["params"]["progressToken"] == token));
            assert_eq!((&messages[3]["id"], comments), (&json!(1), 0));
            client.assert_usable();
        }
    }
}

#[test]
fn a_silent_call_keeps_its_connection_with_comments() {
    let site = Site::of(impatient());
    let slow = json!({ "ms": 350 });
    let legacy = Request::legacy(1, "tools/call", &json!({ "name": "slow", "arguments": slow }));
    for request in [Request::call(1, "slow", slow.clone()), legacy] {
        let (messages, comments) = events(&site.send(&request));
        assert!((1..=4).contains(&comments), "{comments} comments");
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["result"]["content"][0]["text"], "slept 350 ms");
    }
    let json_only = Request::call(1, "slow", slow).with("Accept", "application/json");
    assert_eq!(site.send(&json_only).text(), "slept 350 ms");
}

/// Waits until the condition holds.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn leave_when_answered(mut client: Client) {
    assert!(client.is_answered());
    drop(client);
}

#[test]
fn a_call_ends_with_its_modern_client_and_goes_on_without_its_older_one() {
    let server = impatient();
    let site = Site::of(server.clone());
    let hour = json!({ "ms": 3_600_000 });
    for _ in 0..5 {
        let mut client = site.connect();
        client.write(&Request::call(1, "slow", hour.clone()).bytes());
        leave_when_answered(client);
    }
    // The next keep-alive finds nobody there: the hour is not waited for.
    eventually("modern calls are dropped", || server.running_calls() == 0);

    let legacy = json!({ "name": "slow", "arguments": { "ms": 1_000 } });
    let mut client = site.connect();
    client.write(&Request::legacy(1, "tools/call", &legacy).bytes());
    leave_when_answered(client);
    eventually("a legacy call comes to its end", || server.running_calls() == 0);
    let counted = site.send(&Request::call(2, "slow", json!({ "ms": 0 }))).json();
    assert_eq!(counted["result"]["_meta"]["io.github.mcp-http/dropped"], 5, "{counted}");
}

/// How many calls are broken off; more of them with `MCP_DISCONNECTS`.
fn disconnects() -> u64 {
    std::env::var("MCP_DISCONNECTS").map_or(300, |number| number.parse().expect("a number"))
}

#[test]
fn nothing_is_left_of_clients_that_leave_at_any_moment() {
    let server = impatient();
    let site = Site::of(server.clone());
    // Spread evenly, by the fractional parts of multiples of the golden ratio: before, in and after the call.
    let moments = (1..=disconnects()).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32);
    for (n, moment) in moments.enumerate() {
        let arguments = json!({ "ms": moment % 40 });
        let request = match n % 4 {
            0 => Request::legacy(1, "tools/call", &json!({ "name": "slow", "arguments": arguments })),
            1 => Request::call(1, "test_tool_with_progress", json!({})),
            _ => Request::call(1, "slow", arguments),
        };
        let bytes = request.bytes();
        let (sent, wait) = match moment % 5 {
            0 => (usize::try_from(moment).unwrap() % bytes.len(), 0),
            _ => (bytes.len(), moment % 7),
        };
        let mut client = site.connect();
        client.write(&bytes[..sent]);
        std::thread::sleep(Duration::from_millis(wait));
        drop(client);
    }
    eventually("no call is left", || server.running_calls() == 0);
    site.assert_alive();
}

fn listen() -> Request {
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["test://watched-resource"] });
    Request::modern(7, "subscriptions/listen", json!({ "notifications": wanted }))
}

#[test]
fn a_client_that_listens_hears_of_changes_until_the_server_is_closed() {
    let server = fixture();
    let site = Site::of(server.clone());
    let mut client = site.connect();
    client.write(&listen().bytes());
    assert!(client.is_answered());
    eventually("the client listens", || server.running_calls() == 1);
    for tool in ["test_trigger_tool_change", "test_trigger_prompt_change", "test_trigger_resource_update"] {
        site.send(&Request::call(1, tool, json!({}))).text();
    }
    server.close();
    let response = client.read();
    assert_eq!(response.all("transfer-encoding"), ["chunked"]);
    let (messages, _) = events(&response);
    let methods: Vec<&str> =
        messages.iter().map(|message| message["method"].as_str().unwrap_or("response")).collect();
    let expected = [
        "notifications/subscriptions/acknowledged",
        "notifications/tools/list_changed",
        "notifications/resources/updated",
        "response",
    ];
    assert_eq!(methods, expected);
    assert_eq!(messages[3]["id"], 7);
    eventually("nothing is left", || server.running_calls() == 0);
}

#[test]
fn a_client_that_listened_and_left_is_forgotten_with_the_next_keep_alive() {
    let server = impatient();
    let site = Site::of(server.clone());
    for _ in 0..5 {
        let mut client = site.connect();
        client.write(&listen().bytes());
        leave_when_answered(client);
    }
    eventually("they are forgotten", || server.running_calls() == 0);
    site.send(&Request::call(1, "test_trigger_tool_change", json!({}))).text();
}

#[test]
fn who_takes_no_event_stream_cannot_listen() {
    let site = Site::of(fixture());
    let response = site.send(&listen().with("Accept", "application/json"));
    assert_eq!((response.status, response.id()), (406, json!(7)));
}
