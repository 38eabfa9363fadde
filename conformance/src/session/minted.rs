//! Finds what a server minted and a client sent again.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Place, Session};
use crate::json::At as _;

/// Declares what was minted where it came, and puts its name where it was sent again.
pub(super) fn name_all(session: &mut Session) {
    let mut sent = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for index in 0..session.exchanges.len() {
        let (before, after) = session.exchanges.split_at_mut(index.saturating_add(1));
        let Some(exchange) = before.last_mut() else { continue };
        strings_of(exchange, &mut sent);
        let Some(response) = &mut exchange.response else { continue };
        for (kind, place) in places(response) {
            let Some(value) = response.at(&place) else { continue };
            let known = |text: &str| sent.contains(text);
            if kind == "value" && value.as_str().is_none_or(|text| known(text) || !looks_minted(text)) {
                continue;
            }
            let name = free_name(kind, &taken);
            let mut found = false;
            for exchange in &mut *after {
                found |= put(exchange, kind, &value, &name);
            }
            if found {
                taken.insert(name.clone());
                response.captures.insert(name, place);
            }
        }
    }
}

fn free_name(kind: &str, taken: &BTreeSet<String>) -> String {
    let mut name = kind.to_owned();
    let mut number = 2_u32;
    while taken.contains(&name) {
        name = format!("{kind}-{number}");
        number = number.saturating_add(1);
    }
    name
}

/// Where something may have been minted, and what it would be called.
fn places(response: &super::Response) -> Vec<(&'static str, Place)> {
    let mut found = Vec::new();
    for (name, _) in &response.headers {
        if name.eq_ignore_ascii_case("mcp-session-id") {
            found.push(("session", Place { header: Some(name.clone()), ..Place::default() }));
        }
    }
    let mut look = |event: Option<usize>, message: &Value| {
        let at = |pointer: String| Place { header: None, event, pointer: Some(pointer) };
        if event.is_some() && message.get("method").is_some() && message.get("id").is_some() {
            found.push(("question", at("/id".to_owned())));
        }
        for (kind, pointer) in [("cursor", "/result/nextCursor"), ("state", "/result/requestState")] {
            if message.pointer(pointer).is_some_and(Value::is_string) {
                found.push((kind, at(pointer.to_owned())));
            }
        }
        let mut strings = Vec::new();
        leaves(message, &mut String::new(), &mut strings);
        let known = ["/id", "/result/nextCursor", "/result/requestState"];
        strings.retain(|pointer| !known.contains(&&**pointer));
        found.extend(strings.into_iter().map(|pointer| ("value", at(pointer))));
    };
    if let Some(body) = &response.body {
        look(None, body);
    }
    for (index, event) in response.events.iter().flatten().enumerate() {
        if let Some(data) = &event.data {
            look(Some(index), data);
        }
    }
    found
}

/// The pointers to all strings.
fn leaves(json: &Value, path: &mut String, found: &mut Vec<String>) {
    let mut below = |step: &str, value: &Value| {
        let length = path.len();
        path.push('/');
        path.push_str(&step.replace('~', "~0").replace('/', "~1"));
        leaves(value, path, found);
        path.truncate(length);
    };
    match json {
        Value::String(_) => found.push(path.clone()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| below(&index.to_string(), item));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| below(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text looks as if it was drawn: long, of letters in both cases and digits, or of hexadecimal digits.
fn looks_minted(text: &str) -> bool {
    let is_one_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.=+/~".contains(&byte));
    if text.len() < 16 || !is_one_word {
        return false;
    }
    let has = |kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
    let has_digit = has(u8::is_ascii_digit);
    let is_hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    has_digit && (is_hexadecimal || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// Puts the name where the value was sent; whether it was.
fn put(exchange: &mut super::Exchange, kind: &str, value: &Value, name: &str) -> bool {
    let placeholder = format!("${{{name}}}");
    let mut found = false;
    if let Some(body) = &mut exchange.body {
        let at = match kind {
            // Only an answer to it: numbers of questions and of requests may be the same.
            "question" if body.get("method").is_none() => body.pointer_mut("/id"),
            "question" | "session" => None,
            _ => Some(body),
        };
        if let Some(at) = at {
            found |= put_in(at, value, &placeholder);
        }
    }
    let Some(text) = value.as_str().filter(|_| kind != "question") else { return found };
    for (_, header) in &mut exchange.headers {
        if header == text {
            header.clone_from(&placeholder);
            found = true;
        }
    }
    if kind == "value" && exchange.path.contains(text) {
        exchange.path = exchange.path.replace(text, &placeholder);
        found = true;
    }
    found
}

fn put_in(json: &mut Value, value: &Value, placeholder: &str) -> bool {
    if json == value {
        *json = placeholder.into();
        return true;
    }
    let mut found = false;
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| found |= put_in(item, value, placeholder)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| found |= put_in(member, value, placeholder));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

/// All that a client has sent by itself.
fn strings_of(exchange: &super::Exchange, all: &mut BTreeSet<String>) {
    all.extend(exchange.headers.iter().map(|(_, value)| value.clone()));
    if let Some(body) = &exchange.body {
        let mut pointers = Vec::new();
        leaves(body, &mut String::new(), &mut pointers);
        let texts = pointers.iter().filter_map(|pointer| body.pointer(pointer)?.as_str());
        all.extend(texts.map(str::to_owned));
    }
}

/// Who asked and who answered, and in which revision, as they say themselves.
pub(super) fn name_parties(session: &mut Session) {
    for exchange in &session.exchanges {
        let Some(body) = &exchange.body else { continue };
        let params = body.at("params");
        let meta = params.at("_meta");
        let info = match params.get("clientInfo") {
            Some(info) => info,
            None => meta.at("io.modelcontextprotocol/clientInfo"),
        };
        let answer = exchange.response.as_ref().and_then(|response| {
            let last = response.events.as_ref().and_then(|events| events.last()?.data.as_ref());
            response.body.as_ref().or(last)
        });
        let result = answer.map(|answer| answer.at("result"));
        if session.client.is_none() {
            session.client = party(info);
        }
        if let (None, Some(result)) = (&session.server, result) {
            session.server = party(result.at("serverInfo"))
                .or_else(|| party(result.at("_meta").at("io.modelcontextprotocol/serverInfo")));
        }
        if session.revision.is_none() {
            let negotiated = result.and_then(|result| result.at("protocolVersion").as_str());
            let sent = meta.at("io.modelcontextprotocol/protocolVersion").as_str();
            let sent = sent.filter(|_| result.is_some_and(|result| !result.is_null()));
            session.revision = negotiated.or(sent).and_then(crate::Revision::parse);
        }
    }
}

fn party(info: &Value) -> Option<super::Party> {
    let name = info.at("name").as_str()?.to_owned();
    Some(super::Party { name, version: info.at("version").as_str().map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_and_uris_do_not_look_minted() {
        for text in [
            "test_elicitation_sep1034_defaults",
            "test://watched-resource",
            "json_schema_2020_12_tool",
            "short1A",
        ] {
            assert!(!looks_minted(text), "{text}");
        }
        for text in ["c1a6f6b0-7f4e-4a49-9f5e-0f8c1f2d3e4f", "Zm9vYmFyMTIzNDU2Nzg5MA==", "0123456789abcdef"] {
            assert!(looks_minted(text), "{text}");
        }
    }
}
