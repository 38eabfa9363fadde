//! A recorder between a client and a server.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mcp_conformance::event::Decoder;
use mcp_conformance::record::{Options, Recorder};
use mcp_conformance::session::{End, REDACTED, Redaction, Session};
use mcp_conformance::wire::{Connection, Endpoint, Framing, Request, Response};
use serde_json::{Value, json};

use crate::site;

pub(crate) fn recorder(upstream: Endpoint, options: Options) -> (Recorder, Endpoint) {
    let recorder = Recorder::start(upstream, "127.0.0.1:0", options).unwrap();
    let endpoint = Endpoint::parse(&recorder.url()).unwrap();
    (recorder, endpoint)
}

pub(crate) fn post(message: &Value) -> Request {
    Request::new("POST", "/mcp")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .body(message.to_string())
}

/// A call on 2025-11-25, in the session that there is.
pub(crate) fn call(session: Option<&str>, tool: &str, arguments: Value) -> Request {
    let request = post(&json!({
        "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": tool, "arguments": arguments },
    }))
    .header("MCP-Protocol-Version", "2025-11-25");
    match session {
        Some(session) => request.header("Mcp-Session-Id", session),
        None => request,
    }
}

pub(crate) fn initialize(endpoint: &Endpoint) -> Response {
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "clientInfo": { "name": "hand", "version": "1" },
            "capabilities": { "elicitation": {} },
        },
    });
    endpoint.send(&post(&initialize)).unwrap()
}

/// Opens, calls a tool that asks for a name, answers it, and calls another.
pub(crate) fn talk(endpoint: &Endpoint) -> Vec<Value> {
    let opened = initialize(endpoint);
    let session = opened.headers.text("mcp-session-id").unwrap();
    let mut connection = endpoint.connect().unwrap();
    connection.write(&call(Some(session), "need_name", json!({})).bytes(endpoint.host())).unwrap();
    assert_eq!(connection.read_head("POST").unwrap().status, 200);
    let mut messages = Vec::new();
    let mut decoder = Decoder::default();
    while let Some(some) = connection.read_some().unwrap() {
        for event in decoder.push(&some).into_iter().filter(|event| !event.data.is_empty()) {
            let message: Value = serde_json::from_str(&event.data).unwrap();
            if message.get("method").is_some_and(|method| method == "elicitation/create") {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "action": "accept", "content": { "name": "Zoë" } } });
                let answer = post(&answer)
                    .header("MCP-Protocol-Version", "2025-11-25")
                    .header("Mcp-Session-Id", session);
                assert_eq!(endpoint.send(&answer).unwrap().status, 202);
            }
            messages.push(message);
        }
    }
    let echo = endpoint.send(&call(Some(session), "echo", json!({ "text": "hello" }))).unwrap();
    messages.push(serde_json::from_slice(&echo.body).unwrap());
    messages
}

#[test]
fn a_session_is_recorded_with_what_overlaps_and_what_was_minted() {
    let (recorder, endpoint) = recorder(site::everything(), Options::default());
    let messages = talk(&endpoint);
    assert_eq!(messages[1]["result"]["content"][0]["text"], "Hello, Zoë!", "{messages:?}");
    let session = recorder.finish();
    assert_eq!(session.exchanges.len(), 4, "{}", session.text());
    assert_eq!(session.client.as_ref().unwrap().name, "hand");
    assert_eq!(session.server.as_ref().unwrap().name, "everything");
    assert_eq!(session.revision.unwrap().as_str(), "2025-11-25");
    let [opening, asking, answer, echo] = &*session.exchanges else { panic!() };
    assert_eq!(opening.response.as_ref().unwrap().captures.keys().collect::<Vec<_>>(), ["session"]);
    assert_eq!(asking.response.as_ref().unwrap().captures.keys().collect::<Vec<_>>(), ["question"]);
    assert_eq!(answer.body.as_ref().unwrap()["id"], "${question}");
    assert_eq!(answer.meanwhile, [(asking.name.clone().unwrap(), 1)].into());
    assert!(echo.headers.iter().any(|(name, value)| name == "Mcp-Session-Id" && value == "${session}"));
    assert!(echo.meanwhile.is_empty());
    assert!(session.exchanges.iter().all(|exchange| exchange.end == End::Complete));
    Session::parse(&session.text(), "recorded").unwrap();
}

#[test]
fn secrets_are_not_in_the_file() {
    let folder = std::env::temp_dir().join(format!("mcp-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("secrets.json");
    let redaction = Redaction::and(["X-Who".to_owned()]);
    let (recorder, endpoint) =
        recorder(site::everything(), Options { file: Some(file.clone()), redaction, ..Options::default() });
    let mut request = call(None, "echo", json!({ "text": "hi" }));
    request.target = "/mcp?access_token=sesame".to_owned();
    for name in ["authorization", "Cookie", "X-Api-Key", "X-Who"] {
        request = request.header(name, "sesame");
    }
    endpoint.send(&request).unwrap();
    // Before the recording ends, too.
    let by = Instant::now() + Duration::from_secs(10);
    while Session::load(&file).unwrap().exchanges.iter().all(|exchange| exchange.end != End::Complete) {
        assert!(Instant::now() < by, "the file is not kept current");
    }
    drop(recorder);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("sesame"), "{text}");
    assert_eq!(text.matches(REDACTED).count(), 5, "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn events_arrive_as_they_come_and_a_client_that_leaves_is_noticed() {
    let (gone, is_gone) = std::sync::mpsc::channel();
    let upstream = site::raw(move |mut stream, _| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n";
        stream.write_all(head.as_bytes()).unwrap();
        // No more comes until the other side leaves.
        while stream.read(&mut [0; 1024]).is_ok_and(|count| count > 0) {}
        gone.send(()).unwrap();
    });
    let (recorder, endpoint) = recorder(upstream, Options::default());
    let mut connection = endpoint.connect().unwrap();
    connection.write(&Request::new("GET", "/mcp").bytes(endpoint.host())).unwrap();
    connection.read_head("GET").unwrap();
    assert_eq!(connection.read_some().unwrap().unwrap(), b"data: {}\n\n");
    drop(connection);
    is_gone.recv_timeout(Duration::from_secs(10)).unwrap();
    let by = Instant::now() + Duration::from_secs(10);
    while recorder.session().exchanges[0].end != End::Client {
        assert!(Instant::now() < by);
    }
    assert_eq!(recorder.finish().exchanges[0].response.as_ref().unwrap().events.as_ref().unwrap().len(), 1);
}

#[test]
fn an_upstream_that_is_not_there_is_told() {
    let upstream = Endpoint::parse("http://127.0.0.1:1/mcp").unwrap();
    let (recorder, endpoint) = recorder(upstream, Options::default());
    let answer = endpoint.send(&call(None, "echo", json!({}))).unwrap();
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("127.0.0.1:1"), "{}", answer.text());
    let session = recorder.finish();
    assert_eq!((session.exchanges[0].end, &session.exchanges[0].response), (End::Server, &None));
}

#[test]
fn long_bodies_go_through_and_are_not_kept() {
    let options = Options { max_body: 500, ..Options::default() };
    let (recorder, endpoint) = recorder(site::everything(), options);
    let text = "x".repeat(100_000);
    let mut request = call(None, "echo", json!({ "text": text }));
    request.framing = Framing::Chunked;
    let answer = endpoint.send(&request).unwrap();
    assert!(answer.text().contains(&text));
    let session = recorder.finish();
    assert!(session.exchanges[0].omitted.unwrap() > 100_000);
    assert!(session.exchanges[0].response.as_ref().unwrap().omitted.unwrap() > 100_000);
}

#[test]
fn a_connection_is_kept_and_a_client_may_wait_for_100() {
    let (recorder, endpoint) = recorder(site::everything(), Options::default());
    let mut connection = endpoint.connect().unwrap();
    for _ in 0..2 {
        connection.write(&call(None, "echo", json!({ "text": "x" })).bytes(endpoint.host())).unwrap();
        assert_eq!(connection.read_response("POST", Instant::now()).unwrap().status, 200);
    }
    let mut stream = TcpStream::connect(recorder.address()).unwrap();
    let request = call(None, "echo", json!({ "text": "x" })).header("Expect", "100-continue");
    stream.write_all(&request.head(endpoint.host())).unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(&request.body).unwrap();
    let mut connection = Connection::accepted(stream, endpoint.read_limits()).unwrap();
    assert_eq!(connection.read_head("POST").unwrap().status, 200);
    connection.read_rest().unwrap();
    assert_eq!(recorder.finish().exchanges.len(), 3);
}

#[test]
fn a_body_goes_through_as_it_comes() {
    let (sender, first) = std::sync::mpsc::channel();
    let upstream = site::raw(move |mut stream, _| {
        let mut chunk = [0; 8];
        stream.read_exact(&mut chunk).unwrap();
        sender.send(chunk).unwrap();
        stream.read_exact(&mut [0; 13]).unwrap();
        stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    let (recorder, endpoint) = recorder(upstream, Options::default());
    let mut connection = endpoint.connect().unwrap();
    let mut request = Request::new("POST", "/mcp");
    request.framing = Framing::Chunked;
    connection.write(&request.head(endpoint.host())).unwrap();
    connection.write(b"3\r\nabc\r\n").unwrap();
    assert_eq!(&first.recv_timeout(Duration::from_secs(10)).unwrap(), b"3\r\nabc\r\n");
    connection.write(b"3\r\ndef\r\n0\r\n\r\n").unwrap();
    assert_eq!(connection.read_head("POST").unwrap().status, 202);
    assert_eq!(recorder.finish().exchanges[0].text.as_deref(), Some("abcdef"));
}

#[test]
fn origin_is_rewritten_where_it_names_the_recorder() {
    let upstream = site::raw(|mut stream, head| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{head}", head.len());
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let address = upstream.host().to_owned();
    let (_recorder, endpoint) = recorder(upstream, Options::default());
    let ours = format!("http://{}", endpoint.host());
    let head = |origin: &str| endpoint.send(&Request::new("GET", "/mcp").header("oRIGIN", origin)).unwrap();
    let answer = head(&ours);
    assert!(
        answer.text().contains(&format!("Host: {address}\r\noRIGIN: http://{address}\r\n")),
        "{}",
        answer.text()
    );
    assert!(head("http://evil.example").text().contains("oRIGIN: http://evil.example\r\n"));
}
