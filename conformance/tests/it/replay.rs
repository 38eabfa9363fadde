//! Sessions that are sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser as _;
use mcp_conformance::Revision;
use mcp_conformance::record::Options as Recording;
use mcp_conformance::replay::{Options, Replay, replay};
use mcp_conformance::session::{Matching, Session};
use mcp_conformance::wire::{Endpoint, Headers, Limits};
use serde_json::json;

use crate::format::committed;
use crate::record::{recorder, talk};
use crate::site;

fn by(matching: Matching) -> Options {
    Options { matching, ..Options::default() }
}

fn recorded() -> Session {
    let (recorder, endpoint) = recorder(site::everything(), Recording::default());
    talk(&endpoint);
    recorder.finish()
}

/// A session of one request, a ping, and its answer.
fn ping() -> Session {
    let session = json!({ "format": 1, "revision": "2025-11-25", "exchanges": [{
        "method": "POST", "path": "/mcp", "headers": [["Content-Type", "application/json"]],
        "body": { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        "response": { "status": 200, "headers": [["content-type", "application/json"]], "body": { "jsonrpc": "2.0", "id": 1, "result": {} } },
    }] });
    Session::parse(&session.to_string(), "ping").unwrap()
}

fn saying(text: &str) -> Endpoint {
    let text = text.to_owned();
    site::raw(move |mut stream, _| drop(stream.write_all(text.as_bytes())))
}

/// Replays with little patience.
fn hurried(session: &Session, endpoint: Endpoint) -> Replay {
    let limits = Limits { answer: Duration::from_millis(300), ..Limits::default() };
    let began = Instant::now();
    let replay = replay(session, &endpoint.limits(limits), &by(Matching::Shape));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    replay
}

#[track_caller]
fn differs(replay: &Replay, words: &str) {
    assert!(!replay.is_same());
    assert!(replay.to_string().contains(words), "{words:?} is not in:\n{replay}");
}

#[test]
fn what_was_recorded_is_the_same_when_it_is_sent_again() {
    let session = recorded();
    let session = Session::parse(&session.text(), "recorded").unwrap();
    for matching in [Matching::Exact, Matching::Shape, Matching::Spec] {
        let replay = replay(&session, &site::everything(), &by(matching));
        assert!(replay.is_same(), "{matching:?}\n{replay}\n{}", session.text());
        assert_eq!(replay.verdicts.len(), 4);
    }
}

#[test]
fn another_text_is_seen_by_exact_and_not_by_shape() {
    let mut session = recorded();
    let text = session.text().replace("Hello, Zoë!", "Hello, Zo!");
    session = Session::parse(&text, "changed").unwrap();
    let site = site::everything();
    differs(&replay(&session, &site, &by(Matching::Exact)), "/result/content/0/text is \"Hello, Zoë!\"");
    assert!(replay(&session, &site, &by(Matching::Shape)).is_same());
    session.exchanges[1].ignore = vec!["/result/content/0/text".to_owned()];
    assert!(replay(&session, &site, &by(Matching::Exact)).is_same());
    session.exchanges[1].ignore.clear();
    session.exchanges[1].matching = Some(Matching::Spec);
    assert!(replay(&session, &site, &by(Matching::Exact)).is_same());
}

#[test]
fn a_broken_server_is_seen() {
    let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let with = |body: &str| format!("{ok}Content-Length: {}\r\n\r\n{body}", body.len());
    let site = |body: &str| saying(&with(body));
    let session = ping();
    assert!(hurried(&session, site(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)).is_same());
    differs(&hurried(&session, site(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#)), "/result/a is 1");
    differs(&hurried(&session, site(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}"#)), "error -32601");
    differs(&hurried(&session, site("")), "what came is nothing, recorded a result");
    differs(&hurried(&session, saying("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")), "404");
    let spec = |body: &str| replay(&session, &site(body), &by(Matching::Spec));
    assert!(spec(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#).is_same());
    differs(&spec(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#), "the id is 2, sent 1");
    differs(&spec(r#"{"id":1,"result":{}}"#), "jsonrpc");
    differs(&spec(r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#), "an error has an integer");
    differs(&spec(r#"{"jsonrpc":"2.0","id":1}"#), "a result or an error");
}

#[test]
fn a_server_that_hangs_closes_or_talks_nonsense_is_told() {
    let session = ping();
    differs(&hurried(&session, saying("")), "closed before an answer");
    differs(&hurried(&session, saying("hello\r\n\r\n")), "not HTTP/1.1");
    differs(
        &hurried(&session, saying("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}")),
        "midst of an answer",
    );
    let silent = site::raw(|_stream, _| std::thread::sleep(Duration::from_secs(3)));
    differs(&hurried(&session, silent), "no answer within 300 ms");
    let endless = site::raw(|mut stream, _| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let mut went = stream.write_all(head.as_bytes());
        while went.is_ok() {
            went = stream.write_all(b": still here\n\n");
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    differs(&hurried(&session, endless), "no answer within 300 ms");
    let flood = site::raw(|mut stream, _| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let mut went = stream.write_all(head.as_bytes());
        while went.is_ok() {
            went = stream.write_all("data: {}\n\n".repeat(100).as_bytes());
        }
    });
    differs(&hurried(&session, flood), "events came");
    let nobody = Endpoint::parse("http://127.0.0.1:1/mcp").unwrap();
    differs(&hurried(&session, nobody), "cannot connect to 127.0.0.1:1");
}

#[test]
fn a_stream_that_was_refused_when_it_was_recorded_is_left() {
    let session = json!({ "format": 1, "exchanges": [{
        "method": "GET", "path": "/mcp", "response": { "status": 405, "headers": [["Allow", "POST"]] },
    }] });
    let session = Session::parse(&session.to_string(), "get").unwrap();
    let site = site::raw(|mut stream, _| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n";
        stream.write_all(head.as_bytes()).unwrap();
        // Until the other side leaves.
        let _ = std::io::Read::read(&mut stream, &mut [0]);
    });
    differs(&replay(&session, &site, &by(Matching::Shape)), "the status is 200, recorded 405");
    let spec = replay(&session, &site, &by(Matching::Spec));
    assert!(spec.is_same(), "{spec}");
}

#[test]
fn a_server_need_not_have_each_method() {
    let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
    let head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: ";
    let site = saying(&format!("{head}{}\r\n\r\n{body}", body.len()));
    assert!(replay(&ping(), &site, &by(Matching::Spec)).is_same());
    differs(&replay(&ping(), &site, &by(Matching::Shape)), "the status is 404");
}

#[test]
fn what_needs_a_value_that_did_not_come_is_not_sent() {
    let session = recorded();
    let body = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let replay = hurried(&session, saying(&answer));
    differs(&replay, "nothing is where ${session} comes from: the header");
    differs(&replay, "not sent: it needs ${question}, which did not come");
}

#[test]
fn headers_can_be_given_and_redacted_ones_are_not_sent() {
    let (sender, sent) = std::sync::mpsc::channel();
    let site = site::raw(move |mut stream, head| {
        sender.send(head).unwrap();
        drop(stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"));
    });
    let text = json!({ "format": 1, "exchanges": [{
        "method": "POST", "path": "/mcp?a=1&access_token=[redacted]",
        "headers": [["authorization", "[redacted]"], ["X-Key", "[redacted]"], ["Accept", "b"]],
        "response": { "status": 202 },
    }] });
    let session = Session::parse(&text.to_string(), "x").unwrap();
    let headers: Headers = [("Authorization", "Bearer x")].into_iter().collect();
    let replay = replay(&session, &site, &Options { headers, ..by(Matching::Exact) });
    assert!(replay.is_same(), "{replay}");
    let head = sent.recv().unwrap();
    assert!(head.starts_with("POST /mcp?a=1 HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("Authorization: Bearer x\r\n") && head.contains("Accept: b\r\n"), "{head}");
    assert!(!head.contains("redacted") && !head.contains("X-Key"), "{head}");
}

#[test]
fn mutations_are_treated_as_the_clauses_say() {
    let session = recorded();
    let options = Options { mutations: usize::MAX, ..by(Matching::Exact) };
    let replay = replay(&session, &site::everything(), &options);
    assert!(replay.is_same(), "{replay}");
    let count: usize = replay.verdicts.iter().map(|verdict| verdict.mutations.len()).sum();
    assert!(count > 50, "{count}");
}

#[test]
fn a_server_that_takes_everything_fails_mutations() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let replay = replay(&ping(), &saying(&answer), &Options { mutations: usize::MAX, ..Options::default() });
    differs(&replay, "half of the body: it is accepted, without an error (https://modelcontextprotocol.io/");
}

/// The options of the server `everything`, which are the rest of the notes.
#[derive(clap::Parser)]
struct Recorded {
    #[command(flatten)]
    options: mcp_fixture::Options,
}

#[test]
fn committed_sessions_are_the_same_on_another_host() {
    let sessions: Vec<(PathBuf, Session)> =
        committed().into_iter().map(|path| (path.clone(), Session::load(&path).unwrap())).collect();
    let mut sites = BTreeMap::new();
    for (path, session) in &sessions {
        sites.entry(&session.notes).or_insert_with(|| {
            let recorded = Recorded::try_parse_from(session.notes.split_whitespace());
            site::everything_with(
                &recorded.unwrap_or_else(|error| panic!("{}: {error}", path.display())).options,
            )
        });
    }
    let check = |(path, session): &(PathBuf, Session)| {
        let replay = replay(session, &sites[&session.notes], &by(Matching::Exact));
        assert!(replay.is_same(), "{}\n{replay}", path.display());
    };
    // Who listens would hear of what others change.
    let listens = |(path, _): &&(PathBuf, Session)| path.display().to_string().ends_with("-changes.json");
    let (listening, others): (Vec<_>, Vec<_>) = sessions.iter().partition(listens);
    // Most of the time is spent with waiting.
    std::thread::scope(|scope| {
        for some in (0..8).map(|first| others.iter().skip(first).step_by(8)) {
            scope.spawn(|| some.for_each(|session| check(session)));
        }
    });
    listening.into_iter().for_each(check);
}

#[test]
fn committed_sessions_are_of_all_clients_and_revisions() {
    let sessions = committed();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let clients: BTreeSet<String> =
        sessions.iter().map(|path| name(path).split('-').next().unwrap().to_owned()).collect();
    let revisions: BTreeSet<Revision> =
        sessions.iter().map(|path| Session::load(path).unwrap().revision.unwrap()).collect();
    assert!(sessions.len() >= 40 && clients.len() >= 7 && revisions.len() == 3, "{clients:?} {revisions:?}");
}
