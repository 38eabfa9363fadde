//! Several requests on one connection, several connections at once, and their ends.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::json;

use crate::failures::gate;
use crate::site::{Site, fixture};
use crate::wire::{PATIENCE, Request};

#[test]
fn one_connection_serves_many_requests() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    for id in 0..300 {
        let text = format!("number {id}");
        let response = client.send(&Request::echo(id, &text));
        assert_eq!((response.text(), response.id()), (text, json!(id)));
        assert!(response.all("connection").is_empty(), "{response:?}");
    }
}

#[test]
fn answers_of_every_kind_leave_the_connection_usable() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let requests = [
        (Request::echo(1, "text"), 200),
        (Request::post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), 202),
        (Request::post("{"), 400),
        (Request::echo(1, "text").with("Host", "evil.example"), 403),
        (Request::modern(1, "ping", json!({})), 404),
        (Request::new("GET", "/mcp"), 405),
        (Request::new("HEAD", "/mcp"), 405),
        (Request::echo(1, "text").with("Accept", "text/plain"), 406),
        (Request::echo(1, "text").with("Content-Type", "text/plain"), 415),
    ];
    for (request, status) in &requests {
        assert_eq!(client.send(request).status, *status, "{request:?}");
        client.assert_usable();
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let (first, second) = (Request::echo(1, "first"), Request::echo(2, "second").chunked());
    client.write(&[first.bytes(), second.bytes(), first.bytes()].concat());
    for (id, text) in [(1, "first"), (2, "second"), (1, "first")] {
        let response = client.read();
        assert_eq!((response.text(), response.id()), (text.to_owned(), json!(id)));
    }
    client.assert_usable();
}

#[test]
fn a_pipelined_request_waits_for_the_slow_one_before_it() {
    let (server, gate) = gate();
    let site = Site::of(server);
    let mut client = site.connect();
    client.write(&[gate.call(1).bytes(), Request::echo(2, "quick").bytes()].concat());
    gate.wait_for_a_call();
    // On another connection nothing waits.
    site.assert_alive();
    gate.open();
    assert_eq!(client.read().id(), json!(1));
    assert_eq!(client.read().text(), "quick");
    client.assert_usable();
}

#[test]
fn a_request_that_is_cut_between_any_two_bytes_is_the_same_request() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let request = Request::echo(1, "péché").bytes();
    for cut in (0..request.len()).step_by(7) {
        let (start, end) = request.split_at(cut);
        client.write(start);
        site.assert_alive();
        client.write(end);
        assert_eq!(client.read().text(), "péché");
    }
}

#[test]
fn sixteen_clients_are_served_while_a_slow_call_runs() {
    let (server, gate) = gate();
    let site = Site::of(server);
    let mut slow = site.connect();
    slow.write(&gate.call(1).bytes());
    gate.wait_for_a_call();
    std::thread::scope(|scope| {
        let site = &site;
        for number in 0..16 {
            scope.spawn(move || {
                let mut client = site.connect();
                for round in 0..8 {
                    let text = format!("client {number}, round {round}");
                    // Ids are a client's own: all use the same ones.
                    let response = client.send(&Request::echo(round, &text));
                    assert_eq!((response.text(), response.id()), (text, json!(round)));
                }
            });
        }
    });
    gate.open();
    assert_eq!(slow.read().text(), "the gate is open");
}

#[test]
fn sixteen_calls_wait_at_once_and_each_gets_its_own_answer() {
    let (server, gate) = gate();
    let site = Site::of(server);
    let mut clients: Vec<_> = (0..16).map(|_| site.connect()).collect();
    for (id, client) in (0..).zip(&mut clients) {
        client.write(&gate.call(id).bytes());
        gate.wait_for_a_call();
    }
    site.assert_alive();
    gate.open();
    for (id, client) in (0..16).zip(&mut clients) {
        let response = client.read();
        assert_eq!((response.text(), response.id()), ("the gate is open".to_owned(), json!(id)));
    }
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_call_harms_nobody() {
    let (server, gate) = gate();
    let site = Site::of(server);
    for id in 0..20 {
        let mut client = site.connect();
        client.write(&gate.call(id).bytes());
        gate.wait_for_a_call();
        drop(client);
        site.assert_alive();
    }
    gate.open();
    site.assert_alive();
    assert_eq!(site.send(&gate.call(1)).text(), "the gate is open");
}

#[test]
fn a_client_that_leaves_in_the_middle_of_slow_harms_nobody() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    client.write(&Request::call(1, "slow", json!({ "ms": 50 })).bytes());
    drop(client);
    assert_eq!(site.send(&Request::call(2, "slow", json!({ "ms": 100 }))).text(), "slept 100 ms");
}

#[test]
fn a_client_that_leaves_without_reading_its_answer_harms_nobody() {
    let site = Site::of(fixture());
    for _ in 0..20 {
        let mut client = site.connect();
        client.write(&Request::of_length(1 << 20).bytes());
        drop(client);
    }
    site.assert_alive();
}

#[test]
fn connection_close_is_honoured() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let response = client.send(&Request::echo(1, "bye").header("Connection", "close"));
    assert_eq!((response.text(), response.all("connection")), ("bye".to_owned(), vec!["close"]));
    client.assert_closed();
}

#[test]
fn a_client_of_http_1_0_is_served_and_its_connection_closed() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    assert_eq!(client.send_as_http_1_0(&Request::echo(1, "old")).text(), "old");
    client.assert_closed();
}

#[test]
fn a_connection_that_never_sends_anything_harms_nobody() {
    let site = Site::of(fixture());
    let silent: Vec<_> = (0..16).map(|_| TcpStream::connect(site.address).unwrap()).collect();
    let mut half = TcpStream::connect(site.address).unwrap();
    half.set_write_timeout(Some(PATIENCE)).unwrap();
    half.write_all(b"POST /mcp HT").unwrap();
    site.assert_alive();
    drop(silent);
    drop(half);
    site.assert_alive();
}
