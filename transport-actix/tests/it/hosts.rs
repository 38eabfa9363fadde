//! The name that the server was called by, on connections whose addresses are real.

use mcp_fixture::Options;
use mcp_http::Connection;

use crate::core::{answer, assert_answers_as_core, assert_same, at};
use crate::site::{Site, fixture};
use crate::wire::Request;

#[test]
fn on_a_loopback_address_only_loopback_names_are_served() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let own = site.address.to_string();
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8080", &own] {
        let request = Request::echo(1, "text").with("Host", host);
        assert_eq!(assert_answers_as_core(&site, &server, &request).status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "10.0.0.1", "", "a@localhost", "localhost:x"] {
        let request = Request::echo(1, "text").with("Host", host);
        let response = assert_answers_as_core(&site, &server, &request);
        assert_eq!(response.status, 403, "{host}");
        assert!(response.json()["error"]["message"].as_str().unwrap().contains(host), "{response:?}");
    }
}

#[test]
fn the_name_is_looked_at_before_the_method() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for method in ["GET", "HEAD", "OPTIONS", "DELETE"] {
        let request = Request::new(method, "/mcp").with("Host", "evil.example");
        assert_eq!(assert_answers_as_core(&site, &server, &request).status, 403, "{method}");
    }
}

/// In HTTP/1.1 actix-web refuses it itself; only HTTP/1.0 allows it.
#[test]
fn a_request_without_a_host_is_refused_on_loopback() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let request = Request::echo(1, "text").without("Host");
    assert_eq!(site.send(&request).status, 400);
    let mut client = site.connect();
    let response = client.send_as_http_1_0(&request);
    assert_eq!(response.status, 403);
    assert_same(&response, answer(&server, &request, at(&site)), &request);
    client.assert_closed();
}

#[test]
fn two_hosts_are_refused() {
    let site = Site::of(fixture());
    for other in ["localhost", "evil.example"] {
        let mut client = site.connect();
        let status = client.send(&Request::echo(1, "text").header("Host", other)).status;
        assert!(matches!(status, 400 | 403), "{status}");
    }
}

#[test]
fn a_target_in_absolute_form_does_not_hide_the_host() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for (target, host) in
        [("http://localhost/mcp", "evil.example"), ("http://evil.example/mcp", "evil.example")]
    {
        let request = Request::echo(1, "text").to(target).with("Host", host);
        assert_eq!(assert_answers_as_core(&site, &server, &request).status, 403, "{target}");
    }
}

/// Such a socket does not tell which address was called: a client on this machine gives it away.
#[test]
fn a_server_on_every_address_is_on_loopback_for_clients_of_this_machine() {
    use actix_web::{App, HttpServer};

    let server = fixture();
    let mounted = server.clone();
    let site = Site::start("0.0.0.0:0", move |listener| {
        HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", mounted.clone())))
            .workers(1)
            .disable_signals()
            .listen(listener)
            .map(HttpServer::run)
    });
    let local_addr = Some(([0, 0, 0, 0], site.address.port()).into());
    let connection = Connection { local_addr, ..at(&site) };
    for (host, status) in [("evil.example", 403), ("localhost", 200), ("0.0.0.0", 403)] {
        let request = Request::echo(1, "text").with("Host", host);
        let response = site.send(&request);
        assert_eq!(response.status, status, "{host}");
        assert_same(&response, answer(&server, &request, connection), &request);
    }
}

#[test]
fn a_host_behind_a_proxy_on_this_machine_is_served_when_listed() {
    let options = Options { allowed_hosts: vec!["mcp.example".to_owned()], ..Options::default() };
    let server = mcp_fixture::server(&options).unwrap();
    let site = Site::of(server.clone());
    for (host, status) in [("mcp.example", 200), ("localhost", 200), ("evil.example", 403)] {
        let request = Request::echo(1, "text").with("Host", host);
        assert_eq!(assert_answers_as_core(&site, &server, &request).status, status, "{host}");
    }
}
