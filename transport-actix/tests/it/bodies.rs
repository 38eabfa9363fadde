//! Bodies in every shape that HTTP allows, and in some that it does not.

use serde_json::json;

use crate::core::{answer, assert_answers_as_core, assert_same, at};
use crate::site::{Site, fixture};
use crate::wire::{Client, Request, chunk};

/// The longest body that is accepted.
const LIMIT: usize = 4 << 20;

#[test]
fn a_chunked_body_is_the_same_request() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let plain = Request::echo(1, &"péché \u{2028}\r\n".repeat(2000));
    let chunked = plain.clone().chunked();
    assert_answers_as_core(&site, &server, &plain);
    assert_eq!(
        assert_answers_as_core(&site, &server, &chunked).body,
        assert_answers_as_core(&site, &server, &plain).body
    );
}

#[test]
fn chunks_of_one_byte_and_chunk_extensions_are_read() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let request = Request::echo(1, "in crumbs").chunked();
    client.write(&request.head());
    for byte in &request.body {
        client.write(&chunk(&[*byte]));
    }
    client.write(b"0\r\n\r\n");
    assert_eq!(client.read().text(), "in crumbs");
    client.write(&request.head());
    client.write(format!("{:X};name=value\r\n", request.body.len()).as_bytes());
    client.write(&request.body);
    client.write(b"\r\n0\r\n\r\n");
    assert_eq!(client.read().text(), "in crumbs");
    client.assert_usable();
}

#[test]
fn a_body_in_many_small_writes_is_the_same_request() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    let request = Request::echo(1, &"0123456789".repeat(100));
    client.write(&request.head());
    for piece in request.body.chunks(3) {
        client.write(piece);
    }
    assert_eq!(client.read().text(), "0123456789".repeat(100));
    client.assert_usable();
}

/// The time-out of actix-web for a slow head does not hold for a slow body.
#[test]
fn a_pause_in_the_middle_of_a_body_is_waited_for() {
    use actix_web::{App, HttpServer};
    use std::time::Duration;

    let server = fixture();
    let site = Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", server.clone())))
            .workers(1)
            .client_request_timeout(Duration::from_secs(2))
            .disable_signals()
            .listen(listener)
            .map(HttpServer::run)
    });
    let requests = [Request::echo(1, "slowly"), Request::echo(1, "slowly").chunked()];
    let bytes = requests.map(|request| request.bytes());
    let halves = bytes.each_ref().map(|bytes| bytes.split_at(bytes.len() - 40));
    let mut clients = halves.map(|(start, _)| {
        let mut client = site.connect();
        client.write(start);
        client
    });
    std::thread::sleep(Duration::from_secs(3));
    // Nobody else waits for them.
    site.assert_alive();
    for (client, (_, end)) in clients.iter_mut().zip(halves) {
        client.write(end);
        assert_eq!(client.read().text(), "slowly");
        client.assert_usable();
    }
}

#[test]
fn a_body_that_breaks_off_is_not_a_request() {
    let site = Site::of(fixture());
    for request in [Request::echo(1, "broken"), Request::echo(1, "broken").chunked()] {
        let bytes = request.bytes();
        let start = bytes.len() - request.body.len() / 2;
        let mut client = site.connect();
        client.write(&bytes[..start]);
        client.finish_writing();
        client.assert_refused_or_closed();
        site.assert_alive();
    }
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_body_harms_nobody() {
    let site = Site::of(fixture());
    for request in [Request::of_length(1 << 20), Request::of_length(1 << 20).chunked()] {
        for _ in 0..10 {
            let mut client = site.connect();
            client.write(&request.bytes()[..1 << 19]);
            drop(client);
            site.assert_alive();
        }
    }
}

#[test]
fn a_client_that_expects_it_is_told_to_continue() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    for request in [Request::echo(1, "expected"), Request::echo(1, "expected").chunked()] {
        let request = request.header("Expect", "100-continue");
        let (head, bytes) = (request.head(), request.bytes());
        client.write(&head);
        client.read_continue();
        client.write(&bytes[head.len()..]);
        assert_eq!(client.read().text(), "expected");
        client.assert_usable();
    }
}

#[test]
fn a_body_up_to_the_limit_is_accepted() {
    let site = Site::of(fixture());
    let mut client = site.connect();
    for length in [LIMIT - 1, LIMIT] {
        for request in [Request::of_length(length), Request::of_length(length).chunked()] {
            let response = client.send(&request);
            assert_eq!(response.status, 200);
            assert!(response.text().bytes().all(|byte| byte == b'x'));
            assert!(response.body.len() > length - 300, "{}", response.body.len());
            client.assert_usable();
        }
    }
}

#[test]
fn a_body_that_is_one_byte_too_long_is_refused_by_core() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for request in [Request::of_length(LIMIT + 1), Request::of_length(LIMIT + 1).chunked()] {
        let mut client = site.connect();
        let response = client.send(&request);
        assert_eq!(response.status, 413);
        assert_same(&response, answer(&server, &request, at(&site)), &request);
        client.assert_sane();
        site.assert_alive();
    }
}

#[test]
fn a_body_that_is_far_too_long_is_refused_before_its_end() {
    let site = Site::of(fixture());
    for chunked in [false, true] {
        let mut client = site.connect();
        let request = Request::of_length(4 * LIMIT);
        let request = if chunked { request.chunked() } else { request };
        client.write_beside(&request.bytes(), |client| {
            assert_eq!(client.read().status, 413);
        });
        client.assert_sane();
        site.assert_alive();
    }
}

/// What is left of a body that nobody reads never becomes the next request.
#[test]
fn the_rest_of_a_refused_body_is_not_taken_for_a_request() {
    let site = Site::of(fixture());
    for chunked in [false, true] {
        let mut client = site.connect();
        let smuggled = Request::echo(666, "smuggled").bytes();
        let mut body = vec![b' '; LIMIT + 1];
        body.extend_from_slice(&smuggled);
        let request = Request::post(body);
        let request = if chunked { request.chunked() } else { request };
        client.write_beside(&request.bytes(), |client| {
            assert_eq!(client.read().status, 413);
        });
        client.assert_sane();
    }
}

#[test]
fn the_limit_is_the_servers_own() {
    let server = mcp_http::Server::builder("small", "1.0.0").body_limit(300).build().unwrap();
    let site = Site::of(server.clone());
    let mut client = site.connect();
    for (padding, status) in [(300, 400), (301, 413), (100_000, 413)] {
        for request in [Request::post(" ".repeat(padding)), Request::post(" ".repeat(padding)).chunked()] {
            let response = site.send(&request);
            assert_eq!(response.status, status);
            assert_same(&response, answer(&server, &request, at(&site)), &request);
        }
    }
    assert_eq!(client.send(&Request::legacy(1, "ping", &json!({}))).status, 200);
}

#[test]
fn bodies_that_are_no_message_are_answered_as_core_does() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let deep = "[".repeat(100_000);
    let bodies: [&[u8]; 8] =
        [b"", b"{", b"null", b"[]", b"[{}]", b"\xff\xfe", b"{\"jsonrpc\":\"2.0\"}", deep.as_bytes()];
    for body in bodies {
        assert_answers_as_core(&site, &server, &Request::post(body));
        assert_answers_as_core(&site, &server, &Request::post(body).chunked());
    }
}

#[test]
fn a_body_without_a_length_is_an_empty_one() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let request = Request::new("POST", "/mcp").header("Content-Type", "application/json");
    assert_eq!(assert_answers_as_core(&site, &server, &request).status, 400);
}

impl Client {
    /// After an answer to a body that was not read to its end: closed, or usable; nothing in between.
    #[track_caller]
    fn assert_sane(&mut self) {
        let next = Request::echo(4711, "next");
        self.try_write(&next.bytes());
        if self.is_answered() {
            let response = self.read();
            assert_eq!((response.text(), response.id()), ("next".to_owned(), json!(4711)));
        }
    }

    /// A request that broke off has no answer, or one that refuses it.
    #[track_caller]
    fn assert_refused_or_closed(&mut self) {
        if self.is_answered() {
            let response = self.read();
            assert_eq!(response.status, 400, "{response:?}");
        }
        self.assert_closed();
    }
}

/// That what arrived of it happens to be a whole message does not make it one: it is the client that breaks off.
#[test]
fn a_body_that_breaks_off_after_a_whole_message_is_not_a_request() {
    let site = Site::of(fixture());
    for chunked in [false, true] {
        let mut request = Request::echo(1, "broken");
        request.body.extend_from_slice(&[b' '; 64]);
        let request = if chunked { request.chunked() } else { request };
        let bytes = request.bytes();
        let mut client = site.connect();
        client.write(&bytes[..bytes.len() - 8]);
        client.finish_writing();
        client.assert_refused_or_closed();
        site.assert_alive();
    }
}
