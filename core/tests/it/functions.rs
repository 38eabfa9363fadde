//! Servers that run as a function: each request may meet another process.

use std::time::Duration;

use mcp_http::{Connection, Host, Server};
use serde_json::json;

use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, Timer};
use crate::tools::{Slow, builder};

const BUFFERED: Host = Host::Function { streams: false };
const STREAMING: Host = Host::Function { streams: true };

fn at(host: Host, request: Request) -> Request {
    let connection = Connection { host, ..Connection::default() };
    Request { connection, ..request }
}

fn server() -> Server {
    builder().legacy_questions(true).build().unwrap()
}

#[test]
fn nobody_is_told_that_they_could_listen() {
    for host in [BUFFERED, STREAMING] {
        let answer = at(host, Request::open(MODERN)).send(&server());
        assert_eq!(answer.result()["capabilities"], json!({ "tools": {} }));
        let listen = Request::new(MODERN, "subscriptions/listen", json!({ "notifications": {} }));
        at(host, listen).send(&server()).is_error(404, -32601);
    }
    let answer = at(Host::Process, Request::open(MODERN)).send(&server());
    assert_eq!(answer.result()["capabilities"], json!({ "tools": { "listChanged": true } }));
}

#[test]
fn older_clients_get_no_session_and_those_that_have_one_need_none() {
    for revision in LEGACY {
        let mut open = Request::open(revision);
        open.params.as_mut().unwrap()["capabilities"] = json!({ "elicitation": {} });
        let with_session = at(Host::Process, open.clone()).send(&server());
        assert!(with_session.header("mcp-session-id").is_some());
        for host in [BUFFERED, STREAMING] {
            assert_eq!(at(host, open.clone()).send(&server()).header("mcp-session-id"), None);
            let stray = Request::list(revision).header("mcp-session-id", "stray");
            at(host, stray).send(&server()).result();
        }
    }
}

#[test]
fn a_call_is_answered_before_the_host_stops_the_process() {
    let slow = || Request::call(MODERN, "a", json!({}));
    let server = Server::builder("tests", "1").tools(Slow::new(&["a"])).keep_alive(None).build().unwrap();
    let time_left = Some(Duration::from_secs(1));
    let hurried = Request { connection: Connection { time_left, ..Connection::default() }, ..slow() };
    hurried.send_to_service(&server, Timer::Ready).tool_error();
    slow().send_to_service(&server, Timer::Ready).tool_result();
}

#[test]
fn what_a_client_can_be_asked_in_a_result_it_still_is() {
    let ask = Request::call(MODERN, "asks", json!({})).meta(CAPABILITIES, json!({ "elicitation": {} }));
    let tool = mcp_http::Tool::builder("asks").handler(|cx: mcp_http::CallContext| {
        let mut questions = cx.questions();
        let form = mcp_http::input::Form::new("Sure?").field("sure", mcp_http::input::Field::boolean());
        match questions.elicit::<serde_json::Value>("sure", form) {
            None => Err(questions.ask()),
            Some(_) => Ok("done"),
        }
    });
    let server = crate::tools::serving([tool]).build().unwrap();
    let answer = at(BUFFERED, ask).send(&server);
    assert_eq!(answer.result()["resultType"], "input_required");
}
