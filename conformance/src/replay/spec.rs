//! Whether an answer is one of the protocol, whatever was recorded.

use serde_json::{Value, json};

use super::Outcome;
use super::compare::short;
use crate::Revision;
use crate::json::At as _;
use crate::session::{Content, Exchange, Response, Session};
use crate::shapes::{self, Kind};

pub(super) fn differences(
    session: &Session,
    exchange: &Exchange,
    recorded: &Response,
    came: &Outcome,
    found: &mut Vec<String>,
) {
    let Some(response) = &came.response else { return };
    // A server may serve streams and ends of sessions, or not; and it need not have each method.
    let may_be_refused = matches!(&*exchange.method, "GET" | "DELETE");
    let is_either = |status: u16| status == 405 || (200..300).contains(&status);
    let is_free = may_be_refused && is_either(recorded.status) && is_either(response.status);
    let is_unknown = came.messages().iter().any(|message| *message.at("error").at("code") == -32601);
    if !is_free && !is_unknown && recorded.status / 100 != response.status / 100 {
        found.push(format!("the status is {}, recorded {}", response.status, recorded.status));
    }
    let Content::Json(sent) = exchange.content() else { return };
    let (method, id) = (sent.at("method").as_str(), sent.get("id"));
    let (Some(method), Some(id), 200) = (method, id, response.status) else { return };
    let messages = came.messages();
    let (responses, others): (Vec<&Value>, Vec<&Value>) =
        messages.iter().partition(|message| message.get("method").is_none());
    let is_2_0 = |message: &&Value| *message.at("jsonrpc") == "2.0";
    if !messages.iter().all(|message| is_2_0(&message)) {
        found.push("a message lacks \"jsonrpc\": \"2.0\"".to_owned());
    }
    if let Some(other) = others.iter().find(|other| !other.at("method").is_string()) {
        found.push(format!("a message has no method: {}", short(other)));
    }
    match &*responses {
        [response] => {
            if response.get("id") != Some(id) {
                found.push(format!("the id is {}, sent {id}", response.at("id")));
            }
            answer(method, session.revision, response, found);
        }
        // A client that left saw none.
        [] if came.left => {}
        other => found.push(format!("{} responses came to one request", other.len())),
    }
}

fn answer(method: &str, revision: Option<Revision>, response: &Value, found: &mut Vec<String>) {
    match (response.get("result"), response.get("error")) {
        (Some(result), None) => {
            if let Some(reason) = revision.and_then(|revision| conforms(method, revision, result).err()) {
                found.push(reason);
            }
        }
        (None, Some(error)) => {
            if !error.at("code").is_i64() || !error.at("message").is_string() {
                found.push(format!("an error has an integer and a text, not {}", short(error)));
            }
        }
        _ => found.push(format!("a response has a result or an error: {}", short(response))),
    }
}

/// Whether a result has the shape that the method's has in a revision.
fn conforms(method: &str, revision: Revision, result: &Value) -> Result<(), String> {
    let message = json!({ "jsonrpc": "2.0", "id": 0, "result": result });
    let Some(kind) = Kind::of(method, &message) else { return Ok(()) };
    let violations = shapes::violations(revision, kind, &message);
    if violations.is_empty() { Ok(()) } else { Err(violations.join("; ")) }
}
