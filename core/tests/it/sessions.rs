//! Clients of older revisions: they say once what they can be asked, and answer in messages of their own.

use std::time::Duration;

use http::HeaderValue;
use mcp_http::{Revision, SealingKey, Server};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::input::{accept, asking_for, builder, fields};
use crate::request::{LEGACY, MODERN, Request, Timer};
use crate::streams::{Got, Open, Stage};

fn server() -> Server {
    builder().legacy_questions(true).build().unwrap()
}

fn able() -> Value {
    json!({ "elicitation": { "url": {}, "form": {} }, "sampling": {}, "roots": { "listChanged": true }, "x": {} })
}

fn opening(revision: Revision, capabilities: &Value) -> Request {
    Request::open(revision).set_param("capabilities", capabilities.clone())
}

fn session_of(answer: &Answer) -> Option<String> {
    answer.header("mcp-session-id").map(str::to_owned)
}

/// A client that opened its session.
pub(crate) struct Client {
    revision: Revision,
    session: String,
    principal: Option<&'static str>,
}

impl Client {
    pub(crate) fn new(server: &Server, revision: Revision) -> Self {
        let session = session_of(&opening(revision, &able()).send(server)).expect("a session");
        Self { revision, session, principal: None }
    }

    pub(crate) fn with_session(&self, request: Request) -> Request {
        let request = request.header("mcp-session-id", &self.session);
        match self.principal {
            Some(name) => request.principal(name),
            None => request,
        }
    }

    fn call(&self, tool: &str) -> Request {
        self.with_session(Request::call(self.revision, tool, json!({})))
    }

    /// A message that answers a question.
    pub(crate) fn reply(&self, question: &Value, answer: (&str, Value)) -> Request {
        let mut request = self.with_session(Request::new(self.revision, "x", json!({})));
        let body = json!({ "jsonrpc": "2.0", "id": question["id"], answer.0: answer.1 });
        request.body = Some(body.to_string().into_bytes());
        request
    }
}

#[track_caller]
pub(crate) fn asked(open: &mut Open) -> Value {
    match open.next() {
        Got::Asked(question) => question,
        other => panic!("no question: {other:?}"),
    }
}

#[track_caller]
fn text(open: &mut Open) -> String {
    let Got::Answer(text) = open.next() else { panic!("no answer") };
    assert_eq!(open.next(), Got::End);
    text
}

fn sampled() -> Value {
    json!({ "role": "assistant", "content": { "type": "text", "text": "fjord" }, "model": "m" })
}

#[test]
fn the_same_tool_asks_older_clients_over_its_stream() {
    for revision in LEGACY {
        let (server, stage) = {
            let server = server();
            (server.clone(), Stage::of(&server))
        };
        let client = Client::new(&server, revision);
        let mut open = stage.open(&client.call("in_turn"));
        let trip = asked(&mut open);
        assert_eq!(trip["params"].get("mode").is_some(), revision == Revision::V2025_11_25);
        assert_eq!(open.next(), Got::Nothing);
        let answers = [
            ("result", accept(json!({ "city": "Oslo" }))),
            ("result", sampled()),
            ("result", json!({ "roots": [{ "uri": "file:///a" }] })),
        ];
        let mut question = trip;
        for (at, answer) in answers.into_iter().enumerate() {
            client.reply(&question, answer).send(&server).is_accepted();
            if at < 2 {
                question = asked(&mut open);
            }
        }
        assert_eq!(text(&mut open), "Oslo, fjord, 1 roots, round 4");
        assert_eq!(server.running_calls(), 0);
    }
}

#[test]
fn an_error_is_a_refusal_and_silence_no_decision() {
    for revision in LEGACY {
        let (server, client) = {
            let server = server();
            (server.clone(), Client::new(&server, revision))
        };
        let stage = Stage::of(&server);
        let mut open = stage.open(&client.call("book"));
        let question = asked(&mut open);
        let error = json!({ "code": -1, "message": "no" });
        client.reply(&question, ("error", error.clone())).send(&server).is_accepted();
        assert_eq!(text(&mut open), "declined");

        let mut open = stage.open(&client.call("book"));
        asked(&mut open);
        stage.host.pass(Duration::from_secs(59));
        while open.next() != Got::Nothing {}
        stage.host.pass(Duration::from_secs(1));
        assert_eq!(text(&mut open), "cancelled");

        // Without an answer of the model there is nothing that the tool could go on with.
        let mut open = stage.open(&client.call("in_turn"));
        let question = asked(&mut open);
        client.reply(&question, ("result", accept(json!({ "city": "Oslo" })))).send(&server).is_accepted();
        let question = asked(&mut open);
        client.reply(&question, ("error", error)).send(&server).is_accepted();
        assert!(text(&mut open).contains("did not answer"));
    }
}

#[test]
fn a_client_that_never_answers_what_was_asked_is_not_asked_for_ever() {
    let (server, stage) = {
        let server = server();
        (server.clone(), Stage::of(&server))
    };
    let client = Client::new(&server, LEGACY[1]);
    let mut open = stage.open(&client.call("book"));
    for _ in 0..16 {
        let question = asked(&mut open);
        client.reply(&question, ("result", json!({ "action": "agree" }))).send(&server).is_accepted();
    }
    assert!(text(&mut open).contains("again and again"));
}

#[test]
fn an_answer_counts_from_the_session_that_was_asked_and_once() {
    let server = server();
    let client = Client::new(&server, LEGACY[1]);
    // The chance of the tests is none, so two sessions differ only when their clients do.
    let other = opening(LEGACY[1], &json!({ "elicitation": {} })).send(&server);
    let other = Client { session: session_of(&other).unwrap(), ..Client::new(&server, LEGACY[1]) };
    let stage = Stage::of(&server);
    let mut open = stage.open(&client.call("book"));
    let question = asked(&mut open);
    let forged = ("result", accept(json!({ "city": "Forged" })));
    other.reply(&question, forged.clone()).send(&server).is_accepted();
    let guessed = json!({ "id": "ask-0" });
    client.reply(&guessed, forged.clone()).send(&server).is_accepted();
    client.reply(&json!({ "id": 1 }), forged.clone()).send(&server).is_accepted();
    let mut without = client.reply(&question, forged.clone());
    without.headers.remove("mcp-session-id");
    without.send(&server).is_accepted();
    assert_eq!(open.next(), Got::Nothing);
    client.reply(&question, ("result", accept(json!({ "city": "Oslo" })))).send(&server).is_accepted();
    client.reply(&question, forged).send(&server).is_accepted();
    assert_eq!(text(&mut open), "Oslo with None bags");
    let id = question["id"].as_str().unwrap();
    assert!(id.len() >= 32, "{id} can be guessed");
}

#[test]
fn a_session_is_only_for_clients_that_can_be_asked_and_servers_that_ask() {
    for revision in LEGACY {
        assert!(session_of(&opening(revision, &able()).send(&server())).is_some());
        for none in [json!({}), json!({ "experimental": {} })] {
            assert_eq!(session_of(&opening(revision, &none).send(&server())), None);
        }
        let silent = builder().build().unwrap();
        assert_eq!(session_of(&opening(revision, &able()).send(&silent)), None);
        // A server that issues none does not look at them.
        let stray = Request::call(revision, "can", json!({})).header("mcp-session-id", "stray");
        stray.send(&silent).tool_result();
    }
    let modern = Request::call(MODERN, "can", json!({})).header("mcp-session-id", "stray").send(&server());
    assert_eq!(session_of(&modern), None);
    modern.tool_result();
}

#[test]
fn a_session_says_what_its_client_can_do() {
    for revision in LEGACY {
        let server = server();
        let client = Client::new(&server, revision);
        let answer = client.call("can").send(&server);
        assert_eq!(answer.result()["content"][0]["text"], "[true, true, true, false, true]");
        let unable = opening(revision, &json!({ "roots": {} })).send(&server);
        let unable = Client { session: session_of(&unable).unwrap(), ..client };
        let mut open = Stage::of(&server).open(&unable.call("book"));
        let Got::Answer(text) = open.next() else { panic!() };
        assert!(text.contains("cannot be asked"), "{text}");
    }
}

#[test]
fn a_session_that_does_not_open_is_gone() {
    let key = SealingKey::new([5; 32]);
    let server = builder().legacy_questions(true).sealing_key(key.clone()).build().unwrap();
    for revision in LEGACY {
        let ann = session_of(&opening(revision, &able()).principal("ann").send(&server)).unwrap();
        let client = Client { revision, session: ann.clone(), principal: Some("ann") };
        client.call("can").send(&server).tool_result();
        // Every process that has the key opens it.
        let other = builder().legacy_questions(true).sealing_key(key.clone()).build().unwrap();
        client.call("can").send(&other).tool_result();
        let month = client.call("can").send_to_service(&other, Timer::At(30 * 24 * 3600));
        month.is_gone();

        let forged = format!("{}A", &ann[..ann.len() - 1]);
        for (session, principal) in
            [("stray", Some("ann")), (&*forged, Some("ann")), (&ann, Some("eve")), (&ann, None)]
        {
            let client = Client { revision, session: session.to_owned(), principal };
            for request in [
                client.call("can"),
                client.with_session(Request::list(revision)),
                client.with_session(Request::new(revision, "ping", json!({}))),
                client.with_session(Request::new(revision, "no/such", json!({}))),
                client.with_session(Request::notification(revision, "notifications/initialized", json!({}))),
                client.reply(&json!({ "id": "x" }), ("result", json!({}))),
            ] {
                request.send(&server).is_gone();
            }
            // Upon which the client starts over.
            let again = client.with_session(opening(revision, &able())).send(&server);
            assert!(session_of(&again).is_some());
        }
        let client = Client { session: ann.clone(), ..client };
        client
            .with_session(Request::notification(revision, "notifications/initialized", json!({})))
            .send(&server)
            .is_accepted();
        assert_eq!(
            *client.with_session(Request::new(revision, "ping", json!({}))).send(&server).result(),
            json!({})
        );
    }
}

#[test]
fn a_session_id_is_visible_and_of_bearable_length() {
    let session = Client::new(&server(), LEGACY[1]).session;
    assert!(session.bytes().all(|byte| byte.is_ascii_graphic()) && session.len() < 500, "{session}");
    let huge = json!({ "elicitation": { "x": "y".repeat(10_000) } });
    let answer = opening(LEGACY[1], &huge).send(&server());
    assert!(session_of(&answer).is_none_or(|session| HeaderValue::from_str(&session).unwrap().len() <= 4096));
}

#[test]
fn who_takes_no_event_stream_is_not_asked() {
    let server = server();
    let client = Client::new(&server, LEGACY[0]);
    for accept in ["application/json", "*/*"] {
        let answer = client.call("book").header("accept", accept).send_to_service(&server, Timer::Never);
        assert!(answer.tool_error().contains("cannot be asked"), "{answer}");
    }
}

#[test]
fn every_field_is_asked_as_its_revision_has_it() {
    for revision in LEGACY {
        for (field, good, _) in fields() {
            let server = asking_for(field.clone()).legacy_questions(true).build().unwrap();
            let client = Client::new(&server, revision);
            let mut open = Stage::of(&server).open(&client.call("ask"));
            match open.next() {
                Got::Asked(question) => {
                    client
                        .reply(&question, ("result", accept(json!({ "it": good }))))
                        .send(&server)
                        .is_accepted();
                    assert_eq!(text(&mut open), good.to_string(), "{field:?}");
                }
                Got::Answer(text) => {
                    assert!(text.contains("choice of several"), "{field:?}: {text}");
                    assert_eq!(revision, Revision::V2025_06_18);
                }
                other => panic!("{other:?}"),
            }
        }
        let server = server();
        let client = Client::new(&server, revision);
        let mut open = Stage::of(&server).open(&client.call("visit"));
        match open.next() {
            Got::Asked(question) => assert!(question["params"]["elicitationId"].is_string()),
            Got::Answer(text) => assert!(text.contains("pages to visit"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_older_client_that_leaves_is_not_waited_for_longer_than_it_may_take() {
    let (server, stage) = {
        let server = server();
        (server.clone(), Stage::of(&server))
    };
    let client = Client::new(&server, LEGACY[1]);
    let mut open = stage.open(&client.call("book"));
    asked(&mut open);
    drop(open);
    assert_eq!((stage.host.run_detached(), server.running_calls()), (1, 1));
    stage.host.pass(Duration::from_secs(60));
    assert_eq!((stage.host.run_detached(), server.running_calls()), (0, 0));
}
