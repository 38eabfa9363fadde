//! What a tool or a shutdown does to the server: as little as possible.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use mcp_http::{Server, Tool, ToolSet};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::core::{answer, assert_answers_as_core, assert_same, at};
use crate::site::{Site, fixture};
use crate::wire::{PATIENCE, Request};

/// A call that runs until it is told to end.
#[derive(Debug)]
pub(crate) struct Gate {
    calls: Receiver<()>,
    open: Arc<Semaphore>,
}

/// A server with the tools `gate` and `echo`.
pub(crate) fn gate() -> (Server, Gate) {
    let (sender, calls) = channel();
    let (sender, open) = (Mutex::new(sender), Arc::new(Semaphore::new(0)));
    let waits = open.clone();
    let gate = Tool::builder("gate").description("Answers once the gate is open").handler(move || {
        sender.lock().unwrap().send(()).unwrap();
        let waits = waits.clone();
        async move { waits.acquire().await.map(|_| "the gate is open") }
    });
    let echo = Tool::builder("echo").handler(|arguments: Echo| arguments.text);
    let tools = ToolSet::new().with(gate).unwrap().with(echo).unwrap();
    (Server::builder("gate", "1.0.0").tools(tools).build().unwrap(), Gate { calls, open })
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

impl Gate {
    pub(crate) fn call(&self, id: u32) -> Request {
        Request::call(id, "gate", json!({}))
    }

    /// Returns once one more call runs.
    #[track_caller]
    pub(crate) fn wait_for_a_call(&self) {
        self.calls.recv_timeout(PATIENCE).unwrap();
    }

    /// Lets all calls end, those to come too.
    pub(crate) fn open(&self) {
        self.open.add_permits(1);
    }
}

#[test]
fn a_tool_that_panics_fails_alone() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let request = Request::call(7, "panic", json!({}));
    let mut client = site.connect();
    for _ in 0..3 {
        let response = client.send(&request);
        assert_eq!((response.status, response.id()), (200, json!(7)));
        assert_eq!(response.json()["result"]["isError"], json!(true));
        assert!(!response.text().contains("secret"), "{response:?}");
        client.assert_usable();
    }
    assert_answers_as_core(&site, &server, &Request::echo(1, "after it"));
}

#[test]
fn a_tool_that_poisons_its_lock_fails_alone() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    for _ in 0..3 {
        let response = client.send(&Request::call(1, "lock_then_panic", json!({})));
        assert_eq!(response.json()["result"]["isError"], json!(true));
        client.assert_usable();
        site.assert_alive();
    }
}

#[test]
fn a_call_that_misses_the_deadline_is_answered() {
    let options = mcp_fixture::Options {
        deadline: Some(std::time::Duration::from_millis(50)),
        ..mcp_fixture::Options::default()
    };
    let site = Site::of(mcp_fixture::server(&options).unwrap());
    let mut client = site.connect();
    let response = client.send(&Request::call(1, "slow", json!({ "ms": 3_600_000 })));
    assert_eq!(response.json()["result"]["isError"], json!(true));
    client.assert_usable();
}

#[test]
fn a_closed_server_refuses_new_requests_and_finishes_the_running_one() {
    let (server, gate) = gate();
    let site = Site::of(server.clone());
    let mut running = site.connect();
    running.write(&gate.call(1).bytes());
    gate.wait_for_a_call();
    let mut client = site.connect();
    client.assert_usable();

    server.close();
    let request = Request::echo(2, "too late");
    for _ in 0..2 {
        let refused = client.send(&request);
        assert_eq!((refused.status, refused.all("retry-after")), (503, vec!["1"]));
        assert_same(&refused, answer(&server, &request, at(&site)), &request);
    }
    gate.open();
    assert_eq!(running.read().text(), "the gate is open");
}
