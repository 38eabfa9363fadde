//! Who may connect: `Origin` and `Host`.

use mcp_http::{HostPolicy, Revision, ServerBuilder};

use crate::request::Request;
use crate::tools::builder;

const LOOPBACK: Option<&str> = Some("127.0.0.1:8000");
const ELSEWHERE: Option<&str> = Some("192.0.2.7:8000");

/// How a request with these headers that arrived there fares.
#[track_caller]
fn check(settings: ServerBuilder, arrived_at: Option<&str>, host: &str, origin: Option<&str>, allowed: bool) {
    let server = settings.build().unwrap();
    for revision in Revision::ALL {
        let mut request = Request::list(revision).arrived_at(arrived_at).header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let answer = request.send(&server);
        if allowed {
            answer.result();
        } else {
            answer.is_error(403, -32600);
            assert_eq!(answer.id(), None);
        }
    }
}

#[track_caller]
fn host(arrived_at: Option<&str>, host: &str, allowed: bool) {
    check(builder(), arrived_at, host, None, allowed);
}

#[test]
fn on_loopback_the_host_is_a_loopback_name() {
    for name in [
        "localhost",
        "localhost:8000",
        "LocalHost:1",
        "127.0.0.1",
        "127.0.0.1:65535",
        "127.9.8.7",
        "[::1]",
        "[::1]:8000",
    ] {
        host(LOOPBACK, name, true);
        host(Some("[::1]:8000"), name, true);
        host(Some("127.44.0.1:8000"), name, true);
        host(Some("[::ffff:127.0.0.1]:8000"), name, true);
    }
}

#[test]
fn on_loopback_any_other_host_is_forbidden() {
    for name in [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "evil-localhost",
        "127.0.0.1.evil.example",
        "127.0.0.1.nip.io:8000",
        "0.0.0.0:8000",
        "192.168.0.1",
        "128.0.0.1",
        "126.255.255.255",
        "[::2]",
        "[fe80::1]:8000",
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost evil.example",
        "localhost,evil.example",
        "localhost:8000:8000",
        "",
        ":8000",
    ] {
        host(LOOPBACK, name, false);
        host(Some("[::1]:8000"), name, false);
        host(Some("[::ffff:127.0.0.1]:8000"), name, false);
    }
}

#[test]
fn elsewhere_any_host_is_served() {
    for name in ["mcp.example", "mcp.example:8443", "localhost", "192.0.2.7:8000"] {
        host(ELSEWHERE, name, true);
        host(None, name, true);
        host(Some("[2001:db8::1]:443"), name, true);
    }
}

#[test]
fn two_hosts_are_one_too_many() {
    for revision in Revision::ALL {
        let request = Request::list(revision).header("host", "localhost:8000").also("host", "evil.example");
        request.send(&builder().build().unwrap()).is_error(403, -32600);
    }
}

#[test]
fn the_host_may_come_in_the_uri() {
    // As of an HTTP/2 request.
    for revision in Revision::ALL {
        let server = builder().build().unwrap();
        let request = Request::list(revision).without("host");
        request.clone().uri("http://localhost:8000/mcp").send(&server).result();
        request.clone().uri("http://127.0.0.1/mcp").send(&server).result();
        request.uri("http://evil.example/mcp").send(&server).is_error(403, -32600);
    }
}

#[test]
fn a_policy_of_any_serves_any_host() {
    check(builder().host_policy(HostPolicy::Any), LOOPBACK, "evil.example", None, true);
}

#[test]
fn a_listed_host_is_served_and_no_other() {
    let list = || builder().allowed_hosts(["mcp.example", "other.example:8443"]);
    for arrived_at in [LOOPBACK, ELSEWHERE, None] {
        check(list(), arrived_at, "mcp.example", None, true);
        check(list(), arrived_at, "MCP.example:9", None, true);
        check(list(), arrived_at, "other.example:8443", None, true);
        check(list(), arrived_at, "other.example:8444", None, false);
        check(list(), arrived_at, "other.example", None, false);
        check(list(), arrived_at, "evil.example", None, false);
        check(list(), arrived_at, "mcp.example.evil.example", None, false);
    }
}

#[track_caller]
fn origin(settings: ServerBuilder, origin: &str, allowed: bool) {
    check(settings, LOOPBACK, "localhost:8000", Some(origin), allowed);
}

#[test]
fn an_origin_on_the_host_of_the_request_is_allowed() {
    for own in
        ["http://localhost:8000", "http://localhost", "https://localhost:5173", "http://LOCALHOST:8000"]
    {
        origin(builder(), own, true);
    }
    check(builder(), ELSEWHERE, "mcp.example", Some("https://mcp.example"), true);
    check(builder(), LOOPBACK, "[::1]:8000", Some("http://[::1]:3000"), true);
}

#[test]
fn any_other_origin_is_forbidden() {
    for foreign in [
        "http://evil.example",
        "http://localhost.evil.example",
        "http://evil.example:8000",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "null",
        "",
        "localhost:8000",
        "localhost",
        "//localhost:8000",
        "http://",
        "file://",
        "http://localhost:8000@evil.example",
        "http://evil.example@localhost:8000",
        "http://localhost:8000, http://evil.example",
        "http://localhost:8000 http://evil.example",
        "*",
    ] {
        origin(builder(), foreign, false);
    }
    check(builder(), ELSEWHERE, "mcp.example", Some("https://mcp.example.evil"), false);
    check(builder(), None, "mcp.example", Some("https://www.mcp.example"), false);
}

#[test]
fn a_rebound_name_is_forbidden_though_origin_and_host_agree() {
    check(builder(), LOOPBACK, "evil.example:8000", Some("http://evil.example:8000"), false);
}

#[test]
fn two_origins_are_one_too_many() {
    for revision in Revision::ALL {
        let request = Request::list(revision)
            .header("origin", "http://localhost:8000")
            .also("origin", "http://evil.example");
        request.send(&builder().build().unwrap()).is_error(403, -32600);
    }
}

#[test]
fn a_listed_origin_is_allowed_by_scheme_host_and_port() {
    let listed = || builder().allowed_origin("https://app.example").allowed_origin("http://dev.example:3000");
    for allowed in
        ["https://app.example", "https://app.example:443", "HTTPS://APP.example", "http://dev.example:3000"]
    {
        origin(listed(), allowed, true);
    }
    for other in [
        "http://app.example",
        "https://app.example:8443",
        "https://app.example.evil",
        "https://sub.app.example",
        "http://dev.example",
        "http://dev.example:3001",
        "https://dev.example:3000",
        "null",
    ] {
        origin(listed(), other, false);
    }
}

#[test]
fn null_is_allowed_only_when_it_is_listed() {
    origin(builder(), "null", false);
    origin(builder().allowed_origin("null"), "null", true);
    origin(builder().allowed_origin("null"), "http://evil.example", false);
}

#[test]
fn a_cors_origin_is_allowed() {
    origin(builder().cors_origin("https://app.example"), "https://app.example", true);
    origin(builder().cors_origin("https://app.example"), "https://evil.example", false);
}

#[test]
fn a_refusal_names_the_value_and_the_setting() {
    let server = builder().build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::list(revision).header("origin", "https://evil.example").send(&server);
        assert!(answer.error_text().contains("https://evil.example"), "{answer}");
        assert!(answer.error_text().contains("allowed_origin"), "{answer}");
        let answer = Request::list(revision).header("host", "evil.example").send(&server);
        assert!(answer.error_text().contains("evil.example"), "{answer}");
        assert!(answer.error_text().contains("allowed_hosts"), "{answer}");
    }
}

#[test]
fn a_refused_value_that_is_no_text_or_endless_does_no_harm() {
    let server = builder().build().unwrap();
    for revision in Revision::ALL {
        for value in [b"caf\xe9".to_vec(), b"\xff\xfe".to_vec(), b"http://".repeat(1000), b"a\"b\\".to_vec()]
        {
            let answer = Request::list(revision).header("origin", &value).send(&server);
            answer.is_error(403, -32600);
            Request::list(revision).header("host", &value).send(&server).is_error(403, -32600);
        }
    }
}

#[test]
fn a_setting_that_is_no_origin_does_not_build() {
    for wrong in ["", "app.example", "*", "https://", "https://app.example/path", "https://u@app.example"] {
        assert!(builder().allowed_origin(wrong).build().is_err(), "{wrong}");
        assert!(builder().cors_origin(wrong).build().is_err(), "{wrong}");
    }
}
