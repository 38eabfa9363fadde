//! What is different between two answers.

use serde_json::Value;

use super::{Outcome, messages, shape, spec, was_awaited};
use crate::json::At as _;
use crate::session::{Content, End, Exchange, Matching, Response, Session};

/// Headers that matter where answers are to be equal.
const HEADERS: [&str; 4] = ["Content-Type", "Allow", "WWW-Authenticate", "Mcp-Protocol-Version"];

/// Differences that are told of one answer.
const MOST: usize = 8;

/// What the server minted when it was recorded, and what it minted now.
#[derive(Debug, Default)]
pub(super) struct Minted(Vec<(Value, Value)>);

impl Minted {
    pub(super) fn push(&mut self, was: Value, now: Value) {
        self.0.push((was, now));
    }

    /// Puts what was minted now in the place of what was minted then.
    fn renew(&self, json: &mut Value) {
        if let Some((_, now)) = self.0.iter().find(|(was, _)| was == json && was.is_string()) {
            json.clone_from(now);
            return;
        }
        match json {
            Value::Array(items) => items.iter_mut().for_each(|item| self.renew(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.renew(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

pub(super) fn differences(
    session: &Session,
    exchange: &Exchange,
    came: &Outcome,
    matching: Matching,
    minted: &Minted,
) -> Vec<String> {
    let mut found = ends(exchange, came);
    if let (Some(recorded), Some(response)) = (&exchange.response, &came.response) {
        match matching {
            Matching::Exact => exact(exchange, recorded, response, minted, &mut found),
            Matching::Shape => {
                status(recorded, response, &mut found);
                shape::differences(
                    &kept(exchange, messages(recorded)),
                    &kept(exchange, came.messages()),
                    &mut found,
                );
                if was_awaited(exchange) && is_empty(recorded) != is_empty(response) {
                    found.push(emptiness(response));
                }
            }
            Matching::Spec => spec::differences(session, exchange, recorded, came, &mut found),
        }
        for (name, place) in &recorded.captures {
            if matching != Matching::Spec && response.at(place).is_none() {
                found.push(format!("nothing is where ${{{name}}} comes from: {}", spelled(place)));
            }
        }
    }
    if found.len() > MOST {
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        found.push(format!("and {more} more"));
    }
    found
}

fn spelled(place: &crate::session::Place) -> String {
    match (&place.header, place.event, &place.pointer) {
        (Some(header), ..) => format!("the header {header}"),
        (_, Some(event), Some(pointer)) => format!("{pointer} of event {event}"),
        (_, _, pointer) => pointer.clone().unwrap_or_default(),
    }
}

fn ends(exchange: &Exchange, came: &Outcome) -> Vec<String> {
    match (exchange.end, &came.broke) {
        (End::Complete, Some(reason)) => vec![reason.clone()],
        (End::Client | End::Open, Some(reason)) if exchange.response.is_some() => vec![reason.clone()],
        (End::Server, None) => vec!["there is a whole answer, where the recorded server closed".to_owned()],
        (End::Complete | End::Client | End::Open | End::Server, _) => Vec::new(),
    }
}

pub(super) fn status(recorded: &Response, came: &Response, found: &mut Vec<String>) {
    if recorded.status != came.status {
        found.push(format!("the status is {}, recorded {}", came.status, recorded.status));
    }
}

fn is_empty(response: &Response) -> bool {
    response.events.is_none() && response.content() == Content::Empty
}

fn emptiness(came: &Response) -> String {
    let text = if is_empty(came) {
        "there is no body, where there was one"
    } else {
        "there is a body, where there was none"
    };
    text.to_owned()
}

/// Messages without what is not to be compared.
fn kept(exchange: &Exchange, mut messages: Vec<Value>) -> Vec<Value> {
    for message in &mut messages {
        for pointer in &exchange.ignore {
            if let Some(ignored) = message.pointer_mut(pointer) {
                *ignored = Value::Null;
            }
        }
    }
    messages
}

fn exact(
    exchange: &Exchange,
    recorded: &Response,
    came: &Response,
    minted: &Minted,
    found: &mut Vec<String>,
) {
    status(recorded, came, found);
    for name in HEADERS {
        let value = |response: &Response| {
            let header = response.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
            header.map_or_else(|| "absent".to_owned(), |(_, value)| format!("\"{value}\""))
        };
        let (was, is) = (value(recorded), value(came));
        if was != is {
            found.push(format!("{name} is {is}, recorded {was}"));
        }
    }
    let has_session = |response: &Response| {
        response.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"))
    };
    if has_session(recorded) != has_session(came) {
        let word = if has_session(came) { "there is" } else { "there is no" };
        found.push(format!("{word} Mcp-Session-Id, unlike recorded"));
    }
    if recorded.omitted.is_some() {
        return;
    }
    let canonical = |response: &Response| {
        let mut messages = kept(exchange, messages(response));
        messages.iter_mut().for_each(canonical);
        // Of two changes at once, a client hears once or twice.
        messages.dedup_by(|next, last| says_of_a_list(next) && next == last);
        messages
    };
    let mut renewed = recorded.clone();
    renewed.body.iter_mut().for_each(|body| minted.renew(body));
    let events = renewed.events.iter_mut().flatten();
    events.filter_map(|event| event.data.as_mut()).for_each(|data| minted.renew(data));
    let (was, is) = (canonical(&renewed), canonical(came));
    if recorded.events.is_some() != came.events.is_some() {
        let words = if came.events.is_some() { "an event stream" } else { "no event stream" };
        found.push(format!("the answer is {words}, unlike recorded"));
    }
    // A client that left may have left between two events.
    let is_short = was_awaited(exchange) && was.len() != is.len() || was.len() > is.len();
    if is_short {
        found.push(format!("{} messages came, recorded {}", is.len(), was.len()));
    }
    for (was, is) in was.iter().zip(&is) {
        unequal(was, is, "", found);
    }
    if (&recorded.text, &recorded.base64) != (&came.text, &came.base64) {
        let (was, is) = (recorded.text.as_deref().map(plain), came.text.as_deref().map(plain));
        if recorded.base64.is_some() || came.base64.is_some() || was != is {
            found.push("the body is another text".to_owned());
        }
    }
}

fn says_of_a_list(message: &Value) -> bool {
    message.at("method").as_str().is_some_and(|method| method.ends_with("/list_changed"))
}

/// A message without what is another each time: ids of questions, cursors, states, dates and reference numbers.
fn canonical(message: &mut Value) {
    let is_question = message.get("method").is_some();
    for (pointer, applies) in
        [("/id", is_question), ("/result/nextCursor", true), ("/result/requestState", true)]
    {
        if let Some(value @ (Value::String(_) | Value::Number(_))) = message.pointer_mut(pointer)
            && applies
        {
            *value = Value::from("minted");
        }
    }
    plain_texts(message);
}

fn plain_texts(json: &mut Value) {
    match json {
        Value::String(text) => *text = plain(text),
        Value::Array(items) => items.iter_mut().for_each(plain_texts),
        Value::Object(members) => members.values_mut().for_each(plain_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text with the same word for every moment and every reference number.
fn plain(text: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-:.+".contains(letter);
    let mut out = String::new();
    let mut word = String::new();
    for letter in text.chars().map(Some).chain([None]) {
        match letter {
            Some(letter) if is_word(letter) => word.push(letter),
            other => {
                let bare = word.trim_end_matches('.');
                out.push_str(if is_moment(bare) || is_reference(bare) { "…" } else { &word });
                out.extend(other);
                word.clear();
            }
        }
    }
    out
}

/// Such as `2026-12-01T10:00:00Z`.
fn is_moment(word: &str) -> bool {
    let pattern = "dddd-dd-ddTdd:dd";
    word.len() >= pattern.len()
        && word.bytes().zip(pattern.bytes()).all(|(byte, kind)| match kind {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

/// Hexadecimal digits, eight or more and with a decimal among them, perhaps in groups.
fn is_reference(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
    digits >= 8
        && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn unequal(was: &Value, is: &Value, path: &str, found: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            for (name, value) in was {
                let path = format!("{path}/{name}");
                match is.get(name) {
                    Some(other) => unequal(value, other, &path, found),
                    None => found.push(format!("{path} is missing, recorded {}", short(value))),
                }
            }
            for (name, value) in is.iter().filter(|(name, _)| !was.contains_key(*name)) {
                found.push(format!("{path}/{name} is {}, recorded nothing", short(value)));
            }
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (index, (was, is)) in was.iter().zip(is).enumerate() {
                unequal(was, is, &format!("{path}/{index}"), found);
            }
        }
        _ if was == is => {}
        _ => found.push(format!("{path} is {}, recorded {}", short(is), short(was))),
    }
}

pub(super) fn short(json: &Value) -> String {
    crate::answer::shown(&json.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_references_are_the_same_word() {
        for (text, expected) in [
            ("at 2026-12-01T10:38:55.1Z.", "at …"),
            ("see the log, reference 3fa9c2d1", "see the log, reference …"),
            ("c1a6f6b0-7f4e-4a49-9f5e-0f8c1f2d3e4f", "…"),
            ("2026-07-28", "2026-07-28"),
            ("12345678 deadbeef feed1", "12345678 deadbeef feed1"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
