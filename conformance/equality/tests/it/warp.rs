//! What is warp's own: filters beside and before, and clients that leave.

use std::time::{Duration, Instant};

use mcp_fixture::Options;
use mcp_http::{Principal, Server};
use serde_json::json;
use warp::Filter as _;
use warp::http::StatusCode;

use crate::row::{LEGACY, MODERN, call, request};
use crate::setting::{Setting, server};
use crate::site::Site;
use crate::wire::{Client, PATIENCE, Request};

fn plain() -> Server {
    server(Setting::Plain)
}

/// The endpoint among other routes, the address of the socket untold.
fn among_others(server: Server) -> Site {
    Site::on_tokio(async move |listener| {
        let mcp = warp::path("mcp").and(warp::path::end()).and(mcp_warp::endpoint(server).filter());
        let health = warp::path("health").and(warp::path::end()).and(warp::get()).map(|| "ok");
        let number = warp::path("number").and(warp::path::param::<u8>()).map(|number| format!("{number}!"));
        warp::serve(health.or(mcp).or(number)).incoming(listener).run().await;
    })
}

#[test]
fn other_routes_answer_and_reject_as_before() {
    let site = among_others(plain());
    let body = |response: crate::wire::Response| String::from_utf8(response.body).unwrap();
    assert_eq!(body(site.send(&Request::new("GET", "/health"))), "ok");
    assert_eq!(body(site.send(&Request::new("GET", "/number/7"))), "7!");
    for target in ["/", "/mcp/more", "/other", "/number/x", "/number/256"] {
        let response = site.send(&Request::new("GET", target));
        assert_eq!((response.status, response.all("allow").len()), (404, 0), "{target}");
        assert!(response.body.is_empty(), "{response:?}");
    }
    let response = site.send(&Request::new("DELETE", "/health"));
    assert_eq!((response.status, body(response)), (405, "HTTP method not allowed".to_owned()));
    // The endpoint is none of their hosts, but the others are served under any name.
    assert_eq!(body(site.send(&Request::new("GET", "/health").with("Host", "evil.example"))), "ok");
}

#[test]
fn a_method_that_is_not_post_is_answered_here_and_not_by_warp() {
    let site = among_others(plain());
    for method in ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let response = site.send(&Request::new(method, "/mcp"));
        assert_eq!((response.status, response.all("allow")), (405, vec!["POST"]), "{method}");
        assert_eq!(response.json()["error"]["code"], -32600, "{method}");
    }
}

#[test]
fn without_a_local_address_a_client_of_this_machine_uses_a_loopback_name() {
    let site = among_others(plain());
    for (host, status) in [("localhost", 200), ("127.0.0.1:80", 200), ("evil.example", 403), ("0.0.0.0", 403)]
    {
        assert_eq!(site.send(&Request::echo(1, "text").with("Host", host)).status, status, "{host}");
    }
    // Old clients send no `Host`, and may name the server in the target.
    for (target, status) in [("http://localhost/mcp?x", 200), ("http://evil.example/mcp", 403), ("/mcp", 403)]
    {
        let request = Request::echo(1, "text").without("Host").to(target);
        assert_eq!(site.connect().send_as_http_1_0(&request).status, status, "{target}");
    }
}

/// Who is calling, by a header; nobody without it, and no answer of ours to who may not.
fn behind_a_filter() -> Site {
    Site::on_tokio(async |listener| {
        let caller = warp::header::optional::<String>("x-user").and_then(async |user: Option<String>| {
            match user.as_deref() {
                Some("mallory") => Err(warp::reject::custom(NotWelcome)),
                _ => Ok(user.map(Principal::new)),
            }
        });
        let endpoint = mcp_warp::endpoint(plain()).filter_with(caller, |caller, extensions| {
            if let Some(caller) = caller {
                extensions.insert(caller);
            }
        });
        let mcp = warp::path("mcp").and(warp::path::end()).and(endpoint).recover(
            async |rejection: warp::Rejection| match rejection.find::<NotWelcome>() {
                Some(NotWelcome) => Ok(warp::reply::with_status("not welcome", StatusCode::UNAUTHORIZED)),
                None => Err(rejection),
            },
        );
        warp::serve(mcp).incoming(listener).run().await;
    })
}

#[derive(Debug)]
struct NotWelcome;

impl warp::reject::Reject for NotWelcome {}

#[test]
fn what_an_earlier_filter_extracted_reaches_the_tool() {
    let site = behind_a_filter();
    for revision in [LEGACY, MODERN] {
        let whoami = call(revision, "whoami", json!({}));
        assert_eq!(site.send(&whoami).text(), "anonymous");
        assert_eq!(site.send(&whoami.clone().header("X-User", "ann")).text(), "ann");
        let hidden = call(revision, "admin_only", json!({}));
        assert_eq!(site.send(&hidden.clone().header("X-User", "a")).text(), "you are the principal a");
        assert_eq!(site.send(&hidden.header("X-User", "b")).json()["error"]["code"], -32602);
    }
}

#[test]
fn what_an_earlier_filter_rejects_is_its_own_to_answer() {
    let site = behind_a_filter();
    for request in [call(MODERN, "whoami", json!({})), Request::new("GET", "/mcp"), Request::post("{")] {
        let response = site.send(&request.header("X-User", "mallory"));
        assert_eq!((response.status, response.body), (401, b"not welcome".to_vec()));
    }
    assert_eq!(site.send(&Request::new("GET", "/other")).status, 404);
}

/// Waits until the condition holds.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a call, and leaves when it runs: on an open event stream, or before there is an answer.
fn start(site: &Site, server: &Server, request: &Request) -> Client {
    let mut client = site.connect();
    client.write(&request.bytes());
    eventually("the call runs", || server.running_calls() == 1);
    client
}

#[test]
fn a_client_that_leaves_ends_a_modern_call_at_once() {
    // No keep-alive helps to notice it within the test's patience.
    let keep_alive = Some(Duration::from_secs(3600));
    let server = mcp_fixture::server(&Options { keep_alive, ..Options::default() }).unwrap();
    let site = among_others(server.clone());
    let hour = json!({ "ms": 3_600_000 });
    let params = json!({ "name": "slow", "arguments": hour });
    let streaming = crate::row::meta(request(MODERN, "tools/call", params), json!({ "progressToken": 1 }));
    let json_only = call(MODERN, "slow", hour.clone()).with("Accept", "application/json");
    for (request, answered) in [(streaming, true), (json_only, false), (call(MODERN, "slow", hour), false)] {
        let mut client = start(&site, &server, &request);
        assert!(!answered || client.is_answered());
        drop(client);
        eventually("the call is dropped", || server.running_calls() == 0);
    }
    let counted = site.send(&call(MODERN, "slow", json!({ "ms": 0 }))).json();
    assert_eq!(counted["result"]["_meta"]["io.github.mcp-http/dropped"], 3, "{counted}");
}

#[test]
fn a_client_that_leaves_does_not_end_a_legacy_call() {
    let server = plain();
    let site = among_others(server.clone());
    let slow = json!({ "name": "slow", "arguments": { "ms": 1000 } });
    let silent = request(LEGACY, "tools/call", slow);
    let streaming = crate::row::meta(silent.clone(), json!({ "progressToken": 1 }));
    for (request, answered) in [(streaming, true), (silent, false)] {
        let mut client = start(&site, &server, &request);
        assert!(!answered || client.is_answered());
        drop(client);
        eventually("the call comes to its end", || server.running_calls() == 0);
    }
    let counted = site.send(&call(MODERN, "slow", json!({ "ms": 0 }))).json();
    assert_eq!(counted["result"]["_meta"]["io.github.mcp-http/dropped"], 0, "{counted}");
}

#[test]
fn closing_the_server_ends_a_client_that_listens_and_with_it_the_web_server() {
    let server = plain();
    let (shut_down, told) = tokio::sync::oneshot::channel();
    let (sender, ended) = std::sync::mpsc::channel();
    let served = server.clone();
    let site = Site::on_tokio(async move |listener| {
        let mcp = warp::path("mcp").and(warp::path::end()).and(mcp_warp::endpoint(served).filter());
        let told = async { drop(told.await) };
        warp::serve(mcp).incoming(listener).graceful(told).run().await;
        sender.send(()).unwrap();
    });
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let listen = request(MODERN, "subscriptions/listen", listen);
    let mut client = start(&site, &server, &listen);
    assert!(client.is_answered());
    site.send(&call(MODERN, "test_trigger_tool_change", json!({}))).text();
    shut_down.send(()).unwrap();
    server.close();
    let body = String::from_utf8(client.read().body).unwrap();
    let events: Vec<&str> = body.split_terminator("\n\n").collect();
    assert!(events[0].contains("notifications/subscriptions/acknowledged"), "{body}");
    assert!(events[1].contains("notifications/tools/list_changed"), "{body}");
    assert!(events.last().unwrap().contains("\"result\""), "{body}");
    ended.recv_timeout(PATIENCE).expect("the web server has nobody to wait for");
    client.assert_closed();
}
