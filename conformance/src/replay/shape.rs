//! Whether messages have the same members and types, whatever their values are.

use serde_json::Value;

use super::compare::short;
use crate::json::At as _;

/// Members whose values say what kind of answer it is.
const KINDS: [&str; 2] = ["isError", "resultType"];

/// Tells where the messages that came have another shape than those that were recorded.
///
/// How many notifications come before a response may differ, and a stream of one message is as good as the message.
pub(super) fn differences(recorded: &[Value], came: &[Value], found: &mut Vec<String>) {
    let (was, is) = (kinds(recorded), kinds(came));
    if was != is {
        found.push(format!("what came is {}, recorded {}", listed(&is), listed(&was)));
        return;
    }
    for message in came {
        let kind = kind(message);
        let like = recorded.iter().filter(|other| self::kind(other) == kind);
        let fewest = like.map(|other| {
            let mut found = Vec::new();
            unlike(other, message, "", &mut found);
            found
        });
        found.extend(fewest.min_by_key(Vec::len).into_iter().flatten());
    }
}

fn listed(kinds: &[String]) -> String {
    if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
}

/// What comes, one behind the other; what comes several times is told once.
fn kinds(messages: &[Value]) -> Vec<String> {
    let mut kinds: Vec<String> = messages.iter().map(kind).collect();
    kinds.dedup();
    kinds
}

fn kind(message: &Value) -> String {
    if let Some(method) = message.at("method").as_str() {
        return method.to_owned();
    }
    match (message.get("error"), message.get("result")) {
        (Some(error), _) => format!("error {}", error.at("code")),
        (None, Some(_)) => "a result".to_owned(),
        (None, None) => "no message of JSON-RPC".to_owned(),
    }
}

fn unlike(was: &Value, is: &Value, path: &str, found: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            for (name, value) in was {
                let path = format!("{path}/{name}");
                match is.get(name) {
                    None => found.push(format!("{path} is missing, recorded {}", short(value))),
                    Some(other) if KINDS.contains(&&**name) && value != other => {
                        found.push(format!("{path} is {other}, recorded {value}"));
                    }
                    Some(other) => unlike(value, other, &path, found),
                }
            }
            for (name, value) in is.iter().filter(|(name, _)| !was.contains_key(*name)) {
                found.push(format!("{path}/{name} is {}, recorded nothing", short(value)));
            }
        }
        (Value::Array(was), Value::Array(is)) => {
            if was.is_empty() != is.is_empty() {
                found.push(format!("{path} has {} items, recorded {}", is.len(), was.len()));
            }
            for (index, item) in is.iter().enumerate() {
                let fewest = was.iter().map(|other| {
                    let mut found = Vec::new();
                    unlike(other, item, &format!("{path}/{index}"), &mut found);
                    found
                });
                found.extend(fewest.min_by_key(Vec::len).into_iter().flatten());
            }
        }
        _ if std::mem::discriminant(was) == std::mem::discriminant(is) => {}
        _ => found.push(format!("{path} is {}, recorded {}", short(is), short(was))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(was: &[Value], is: &[Value], expected: &[&str]) {
        let mut found = Vec::new();
        differences(was, is, &mut found);
        assert_eq!(found, expected);
    }

    #[test]
    fn values_may_differ() {
        check(
            &[json!({ "id": 1, "result": { "a": ["x"], "b": 1 } })],
            &[json!({ "id": 2, "result": { "a": ["y", "z"], "b": 2.5 } })],
            &[],
        );
        let progress = json!({ "method": "notifications/progress", "params": { "progress": 1 } });
        let result = json!({ "id": 1, "result": {} });
        check(&[progress.clone(), result.clone()], &[progress.clone(), progress, result], &[]);
    }

    #[test]
    fn members_and_types_and_kinds_may_not() {
        let result = |result: Value| [json!({ "id": 1, "result": result })];
        check(&result(json!({ "a": 1 })), &result(json!({ "a": "1" })), &["/result/a is \"1\", recorded 1"]);
        check(&result(json!({ "a": 1 })), &result(json!({})), &["/result/a is missing, recorded 1"]);
        check(&result(json!({})), &result(json!({ "a": null })), &["/result/a is null, recorded nothing"]);
        check(
            &result(json!({ "a": [] })),
            &result(json!({ "a": [1] })),
            &["/result/a has 1 items, recorded 0"],
        );
        check(
            &result(json!({ "isError": false })),
            &result(json!({ "isError": true })),
            &["/result/isError is true, recorded false"],
        );
        check(
            &result(json!({})),
            &[json!({ "error": { "code": -32602 } })],
            &["what came is error -32602, recorded a result"],
        );
    }
}
