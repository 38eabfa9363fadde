//! Methods, targets and headers, among them those that nobody should send.

use mcp_fixture::Options;
use mcp_http::{CallContext, Server, Tool, ToolSet};
use serde_json::json;

use crate::core::assert_answers_as_core;
use crate::site::{Site, fixture};
use crate::wire::Request;

#[test]
fn answers_of_every_kind_have_cores_status_headers_and_bytes() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let initialize = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "wire", "version": "1.0.0" },
    });
    let requests = [
        (Request::echo(1, "text"), 200),
        (Request::call(1, "test_structured_content", json!({ "city": "Rome" })), 200),
        (Request::call(1, "test_image_content", json!({})), 200),
        (Request::call(1, "add", json!({ "a": "x" })), 200),
        (Request::call(1, "fail", json!({})), 200),
        (Request::call(1, "nothing_of_this_name", json!({})), 200),
        (Request::call(1, "test_missing_capability", json!({})), 400),
        (Request::echo(1, "text").with("Mcp-Name", "other"), 400),
        (Request::modern(1, "tools/list", json!({})), 200),
        (Request::modern(1, "server/discover", json!({})), 200),
        (Request::modern(1, "ping", json!({})), 404),
        (Request::legacy(1, "initialize", &initialize).without("MCP-Protocol-Version"), 200),
        (Request::legacy(1, "tools/list", &json!({})), 200),
        (Request::legacy(1, "tools/call", &json!({ "name": "add", "arguments": { "a": 1, "b": 2 } })), 200),
        (Request::legacy(1, "no/such/method", &json!({})), 200),
        (Request::legacy(1, "ping", &json!({})).with("MCP-Protocol-Version", "2024-11-05"), 400),
        (Request::post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), 202),
        (Request::post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), 202),
        (Request::post("{"), 400),
        (Request::echo(1, "text").with("Origin", "https://evil.example"), 403),
        (Request::echo(1, "text").with("Accept", "text/plain"), 406),
        (Request::echo(1, "text").with("Content-Type", "text/plain"), 415),
    ];
    for (request, status) in &requests {
        assert_eq!(assert_answers_as_core(&site, &server, request).status, *status, "{request:?}");
    }
}

#[test]
fn methods_other_than_post_are_answered_405_with_the_one_to_use() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PURGE"] {
        let response = assert_answers_as_core(&site, &server, &Request::new(method, "/mcp"));
        assert_eq!((response.status, response.all("allow")), (405, vec!["POST"]), "{method}");
    }
    let stream = Request::new("GET", "/mcp").header("Accept", "text/event-stream");
    assert_eq!(assert_answers_as_core(&site, &server, &stream).status, 405);
    let put = Request::echo(1, "text").by("PUT");
    assert_eq!(assert_answers_as_core(&site, &server, &put).status, 405);
}

#[test]
fn a_preflight_of_a_listed_origin_is_answered_and_its_requests_may_be_read() {
    let options = Options { cors: vec!["https://app.example".to_owned()], ..Options::default() };
    let server = mcp_fixture::server(&options).unwrap();
    let site = Site::of(server.clone());
    let preflight = Request::new("OPTIONS", "/mcp")
        .header("Origin", "https://app.example")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "mcp-param-region, x-other")
        .header("Access-Control-Request-Headers", "mcp-name");
    assert_eq!(assert_answers_as_core(&site, &server, &preflight).status, 204);
    let request = Request::echo(1, "text").header("Origin", "https://app.example");
    let response = assert_answers_as_core(&site, &server, &request);
    assert_eq!(response.all("access-control-allow-origin"), ["https://app.example"]);
    let other = Request::new("OPTIONS", "/mcp").header("Origin", "https://evil.example");
    assert_eq!(assert_answers_as_core(&site, &server, &other).status, 403);
}

#[test]
fn a_client_that_takes_only_streams_gets_a_stream_of_one_event() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let request = Request::echo(1, "text").with("Accept", "text/event-stream");
    let response = assert_answers_as_core(&site, &server, &request);
    assert_eq!(response.all("content-type"), ["text/event-stream"]);
    assert!(response.body.starts_with(b"data: {") && response.body.ends_with(b"}\n\n"));
}

#[test]
fn a_slash_at_the_end_and_a_query_change_nothing() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for target in ["/mcp/", "/mcp?a=b&c=%FF", "/mcp/?", "/mcp?next=/other%20path"] {
        let request = Request::echo(1, "text").to(target);
        let mut client = site.connect();
        assert_eq!(client.send(&request).text(), "text", "{target}");
        client.assert_usable();
    }
    let get = Request::new("GET", "/mcp/");
    assert_eq!(assert_answers_as_core(&site, &server, &get).status, 405);
}

#[test]
fn a_target_in_absolute_form_is_served() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for authority in [format!("localhost:{}", site.address.port()), site.address.to_string()] {
        let request = Request::echo(1, "text").to(&format!("http://{authority}/mcp")).with("Host", authority);
        assert_eq!(assert_answers_as_core(&site, &server, &request).text(), "text");
    }
}

#[test]
fn headers_that_are_not_utf_8_are_answered_as_core_does() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let names = [
        "Accept",
        "Accept-Language",
        "Authorization",
        "Content-Type",
        "Cookie",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Param-Region",
        "MCP-Protocol-Version",
        "Origin",
        "User-Agent",
        "X-Other",
    ];
    for name in names {
        for value in [b"\xff\xfe".as_slice(), b"text\x80", "péché".as_bytes()] {
            assert_answers_as_core(&site, &server, &Request::echo(1, "text").with(name, value));
            assert_answers_as_core(&site, &server, &Request::echo(1, "text").header(name, value));
        }
    }
}

#[test]
fn a_call_with_a_name_outside_ascii_is_made_with_the_encoded_name() {
    let (server, site) = (fixture(), Site::of(fixture()));
    for (header, status) in
        [("=?base64?ZWNobw==?=", 200), ("=?base64?w7bDtg==?=", 400), ("=?base64?!?=", 400)]
    {
        let request = Request::echo(1, "text").with("Mcp-Name", header);
        assert_eq!(assert_answers_as_core(&site, &server, &request).status, status, "{header}");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// Gives back every value of the header `X-Many`, as it came.
fn many() -> Server {
    let many = Tool::builder("many").handler(|cx: CallContext| {
        let values = cx.headers().get_all("x-many").iter();
        values
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect::<Vec<_>>()
            .join("|")
    });
    let echo = Tool::builder("echo").handler(|arguments: Echo| arguments.text);
    let tools = ToolSet::new().with(many).unwrap().with(echo).unwrap();
    Server::builder("many", "1.0.0").tools(tools).build().unwrap()
}

#[test]
fn repeated_headers_reach_a_tool_in_their_order() {
    let (server, site) = (many(), Site::of(many()));
    let request = Request::call(1, "many", json!({}))
        .header("X-Many", "one")
        .header("X-Other", "between")
        .header("x-many", "two, three")
        .header("X-MANY", "")
        .header("X-Many", "one");
    let response = assert_answers_as_core(&site, &server, &request);
    assert_eq!(response.text(), "one|two, three||one");
}

#[test]
fn ninety_headers_reach_a_tool() {
    let site = Site::of(many());
    let values: Vec<String> = (0..80).map(|number| format!("value {number} {}", "x".repeat(100))).collect();
    let request = values
        .iter()
        .fold(Request::call(1, "many", json!({})), |request, value| request.header("X-Many", value));
    assert_eq!(site.send(&request).text(), values.join("|"));
}

#[test]
fn repeated_headers_of_the_protocol_are_judged_by_core() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let echo = || Request::echo(1, "text");
    let requests = [
        (echo().without("Accept").header("Accept", "text/html").header("Accept", "application/json"), 200),
        (echo().header("Mcp-Name", "echo"), 200),
        (echo().header("Mcp-Name", "other"), 400),
        (echo().header("MCP-Protocol-Version", "2025-11-25"), 400),
        (echo().header("Content-Type", "text/plain"), 415),
        (echo().header("Origin", "http://localhost").header("Origin", "http://localhost"), 403),
    ];
    for (request, status) in &requests {
        assert_eq!(assert_answers_as_core(&site, &server, request).status, *status, "{request:?}");
    }
}

/// What actix-web's parser refuses never reaches core; the server lives on.
#[test]
fn heads_that_are_not_http_are_refused_and_harm_nobody() {
    let site = Site::of(fixture());
    let heads: [&[u8]; 8] = [
        b"\r\n\r\n\r\n",
        b"POST\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for head in heads {
        let mut client = site.connect();
        client.write(head);
        client.finish_writing();
        if client.is_answered() {
            assert_eq!(client.read().status, 400, "{:?}", String::from_utf8_lossy(head));
        }
        client.assert_closed();
        site.assert_alive();
    }
}

/// To actix-web the body of such a request is whatever comes until the client closes: nobody may wait for its end.
#[test]
fn a_websocket_handshake_is_answered_405() {
    let (server, site) = (fixture(), Site::of(fixture()));
    let request = Request::new("GET", "/mcp")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    let response = site.send(&request);
    assert_eq!((response.status, response.all("allow")), (405, vec!["POST"]));
    assert_eq!(response.body, crate::core::answer(&server, &request, crate::core::at(&site)).body);
}
