//! What becomes of a function's faults.
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

#[path = "../../../../transport-actix/tests/it/wire.rs"]
#[expect(dead_code, reason = "the tests of mcp-actix use the rest")]
mod wire;

use std::time::Duration;

use mcp_lambda_emulator::{Emulator, Function};

use crate::wire::{Client, Request, Response};

fn function() -> Function {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().parent().unwrap().join("examples/faulty");
    assert!(program.exists(), "build it first: cargo build -p mcp-lambda-emulator --example faulty");
    Function::new(program).quiet()
}

/// In both modes.
fn functions() -> [Function; 2] {
    [function(), function().env("STREAMING", "1")]
}

#[track_caller]
fn send(function: &Emulator, path: &str) -> Response {
    Client::connect(function.address()).send(&Request::new("GET", path))
}

#[track_caller]
fn check(function: &Emulator, path: &str, status: u16, message: &str) {
    let response = send(function, path);
    let text = response.json()["message"].as_str().unwrap().to_owned();
    assert!(response.status == status && text.contains(message), "{path}: {response:?}");
}

#[track_caller]
fn check_works(function: &Emulator) {
    assert_eq!(send(function, "/works").body, b"/works");
}

#[test]
fn an_invocation_that_fails_is_502_and_the_next_one_works() {
    for function in functions() {
        let function = function.start().unwrap();
        check(&function, "/fails", 502, "it failed");
        check_works(&function);
    }
}

#[test]
fn an_invocation_that_is_not_answered_in_time_is_504() {
    for function in functions() {
        let function = function.timeout(Duration::from_millis(500)).concurrency(2).start().unwrap();
        check(&function, "/hangs", 504, "did not answer in time");
        check_works(&function);
        assert_eq!(function.unanswered(), 0);
    }
}

#[test]
fn a_function_that_ended_is_502_with_its_status() {
    for function in functions() {
        let function = function.start().unwrap();
        check(&function, "/dies", 502, "exit status: 3");
        check(&function, "/works", 502, "exit status: 3");
        assert_eq!(function.ended().as_deref(), Some("exit status: 3"));
    }
}

#[test]
fn bodies_are_no_longer_than_the_platform_allows() {
    for function in functions() {
        let function = function.start().unwrap();
        let mut long = Request::post(vec![b'x'; (6 << 20) + 1]);
        let mut client = Client::connect(function.address());
        let mut response = None;
        client.write_beside(&long.bytes(), |client| response = Some(client.read()));
        assert_eq!(response.unwrap().status, 413);
        long.body.pop();
        assert_eq!(Client::connect(function.address()).send(&long).status, 200);
    }
    check(&function().start().unwrap(), "/is_long", 502, "longer than one may be");
}

#[test]
fn what_is_streamed_may_be_long() {
    let [_, streams] = functions();
    assert_eq!(send(&streams.start().unwrap(), "/is_long").body.len(), (6 << 20) + 1);
}

/// A client that got a whole body could not tell.
#[test]
fn a_stream_that_breaks_off_has_no_end() {
    for path in ["/begins_and_dies", "/begins_and_hangs"] {
        let [_, streams] = functions();
        let function = streams.timeout(Duration::from_secs(3)).start().unwrap();
        let mut client = Client::connect(function.address());
        client.write(&Request::new("GET", path).bytes());
        assert_eq!(client.read_head().0, 200);
        assert_eq!(client.read_chunk(), b"it begins");
        client.assert_closed();
    }
}
