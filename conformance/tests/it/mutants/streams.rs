//! Event streams, progress, logging.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::Response;
use serde_json::{Value, json};

use super::layer::{answer, empty};
use super::{ALL, LEGACY, MODERN, Mutant, Sent};

const LEVEL: &str = "io.modelcontextprotocol/logLevel";
const PROGRESS: &str = "test_tool_with_progress";
const LOGGING: &str = "test_tool_with_logging";

fn calls(sent: &Sent, tool: &str) -> bool {
    sent.method() == "tools/call" && sent.json()["params"]["name"] == tool
}

fn token(sent: &Sent) -> Value {
    sent.json()["params"]["_meta"]["progressToken"].clone()
}

fn is_progress(message: &Value) -> bool {
    message["method"] == "notifications/progress"
}

fn event_of(message: &Value) -> String {
    format!("data: {message}\n\n")
}

fn is_response(event: &str) -> bool {
    event.contains("\"result\"")
}

/// A body that goes on without an end.
struct OpenEnd(Option<Body>);

impl futures_core::Stream for OpenEnd {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(body) = &mut self.0 else { return Poll::Pending };
        match ready!(Pin::new(body).poll_frame(cx)) {
            Some(frame) => Poll::Ready(Some(frame.map(|frame| frame.into_data().unwrap_or_default()))),
            None => {
                self.0 = None;
                Poll::Pending
            }
        }
    }
}

pub(super) fn never_ending(response: &mut Response<Body>) {
    let body = std::mem::take(response.body_mut());
    *response.body_mut() = Body::from_stream(OpenEnd(Some(body)));
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("tokens become texts", "progress-token", ALL).message(|_, message| {
        if is_progress(message) && message["params"]["progressToken"].is_number() {
            message["params"]["progressToken"] = json!(message["params"]["progressToken"].to_string());
        }
    }),
    Mutant::new("there is progress unasked", "progress-unasked", ALL).before(|sent| {
        if calls(sent, PROGRESS) && token(sent).is_null() {
            sent.edit(|json| json["params"]["_meta"]["progressToken"] = json!("x"));
        }
        None
    }),
    Mutant::new("progress falls", "progress-grows", ALL).message(|_, message| {
        if is_progress(message) {
            let now = message["params"]["progress"].as_f64().unwrap();
            message["params"]["progress"] = json!(100.0 - now);
        }
    }),
    Mutant::new("progress stands still", "progress-grows", ALL).message(|_, message| {
        if is_progress(message) {
            message["params"]["progress"] = json!(1);
        }
    }),
    Mutant::new("progress goes on after the response", "progress-before-response", ALL)
        .also(&["stream-response-last"])
        .event(|sent, event| {
            if is_response(event) && calls(sent, PROGRESS) {
                let params = json!({ "progressToken": token(sent), "progress": 101 });
                let late = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
                event.push_str(&event_of(&late));
            }
        }),
    Mutant::new("something comes after the response", "stream-response-last", ALL).event(|sent, event| {
        if is_response(event) && calls(sent, PROGRESS) {
            let late = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
            event.push_str(&event_of(&late));
        }
    }),
    Mutant::new("streams stay open", "stream-ends", ALL).after(|sent, response| {
        if token(sent) == "mcp-conformance-ends" {
            never_ending(response);
        }
    }),
    Mutant::new("streams end early", "stream-ends", ALL).event(|sent, event| {
        if is_response(event) && token(sent) == "mcp-conformance-ends" {
            event.clear();
        }
    }),
    Mutant::new("there are two responses", "stream-one-response", ALL).event(|sent, event| {
        if is_response(event) && token(sent) == "mcp-conformance-one" {
            *event = event.repeat(2);
        }
    }),
    Mutant::new("the response is to another request", "stream-one-response", ALL).message(|sent, message| {
        if message.get("result").is_some() && token(sent) == "mcp-conformance-one" {
            message["id"] = json!("another");
        }
    }),
    Mutant::new("questions are requests", "stream-own-messages", MODERN).event(|sent, event| {
        if is_response(event) && token(sent) == json!(1) {
            event.insert_str(0, &event_of(&json!({ "jsonrpc": "2.0", "id": "q", "method": "roots/list" })));
        }
    }),
    Mutant::new("proxies may hold it back", "stream-unbuffered", MODERN).after(|_, response| {
        response.headers_mut().remove("x-accel-buffering");
    }),
    Mutant::new("progress goes to another call", "streams-apart", ALL).message(|_, message| {
        if is_progress(message) && message["params"]["progressToken"] == "mcp-conformance-b" {
            message["params"]["progressToken"] = json!("mcp-conformance-a");
        }
    }),
    Mutant::new("who left is not served", "client-left", ALL).before(|sent| {
        let mut memory = sent.memory.lock().unwrap();
        if token(sent) == "mcp-conformance-left" {
            memory.insert("left".to_owned(), json!(true));
            return None;
        }
        if calls(sent, "echo") && memory.remove("left").is_some() { Some(empty(503)) } else { None }
    }),
    Mutant::new("a stray cancellation is an error", "cancel-unknown", ALL)
        .before(|sent| if sent.method() == "notifications/cancelled" { Some(empty(500)) } else { None }),
    Mutant::new("it logs unasked", "log-unasked", MODERN).before(|sent| {
        if calls(sent, LOGGING) {
            sent.edit(|json| {
                let meta = &mut json["params"]["_meta"];
                if meta.get(LEVEL).is_none() {
                    meta[LEVEL] = json!("debug");
                }
            });
        }
        None
    }),
    Mutant::new("it logs below the level", "log-level", MODERN).before(|sent| {
        if calls(sent, LOGGING) {
            sent.edit(|json| {
                let meta = &mut json["params"]["_meta"];
                if meta.get(LEVEL).is_some() {
                    meta[LEVEL] = json!("debug");
                }
            });
        }
        None
    }),
    Mutant::new("any level will do", "log-level-unknown", ALL).before(|sent| {
        sent.edit(|json| {
            if json["params"]["level"] == "loud" {
                json["params"]["level"] = json!("info");
            }
            if json["params"]["_meta"][LEVEL] == "loud" {
                json["params"]["_meta"][LEVEL] = json!("info");
            }
        });
        None
    }),
    Mutant::new("a level is missing", "log-set-level", LEGACY).before(|sent| {
        if sent.json()["params"]["level"] != "notice" {
            return None;
        }
        let error = json!({ "code": -32602, "message": "no such level" });
        Some(answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error })))
    }),
    Mutant::new("it logs undeclared", "log-undeclared", ALL).also(&["logging-declared"]).message(
        |_, message| {
            if let Some(capabilities) =
                message.pointer_mut("/result/capabilities").and_then(Value::as_object_mut)
            {
                capabilities.remove("logging");
            }
        },
    ),
];
