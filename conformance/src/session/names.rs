//! `${name}`: what stands for a value that a server mints.

use std::collections::BTreeMap;

use serde_json::Value;

/// Values by the names that stand for them.
pub type Captured = BTreeMap<String, Value>;

/// Puts values in the place of their names.
///
/// # Errors
/// The first name that has no value.
pub fn fill(text: &str, captured: &Captured) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next_name(rest) {
        filled.push_str(before);
        match captured.get(name) {
            Some(Value::String(value)) => filled.push_str(value),
            Some(other) => filled.push_str(&other.to_string()),
            None => return Err(name.to_owned()),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// [`fill`] for the strings of JSON. A string that is one name becomes the value, of whatever type.
///
/// # Errors
/// The first name that has no value.
pub fn fill_json(json: &mut Value, captured: &Captured) -> Result<(), String> {
    match json {
        Value::String(text) => {
            if let Some(("", name, "")) = next_name(text) {
                *json = captured.get(name).cloned().ok_or_else(|| name.to_owned())?;
            } else {
                *text = fill(text, captured)?;
            }
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill_json(item, captured)),
        Value::Object(members) => members.values_mut().try_for_each(|value| fill_json(value, captured)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// The names in a text.
pub(super) fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, name, after)) = next_name(rest) {
        names.push(name.to_owned());
        rest = after;
    }
    names
}

/// The names in the strings of JSON.
pub(super) fn names_in_json(json: &Value) -> Vec<String> {
    match json {
        Value::String(text) => names_in(text),
        Value::Array(items) => items.iter().flat_map(names_in_json).collect(),
        Value::Object(members) => members.values().flat_map(names_in_json).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// What is before the first name, the name, and what is behind it.
fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    for (start, _) in text.match_indices("${") {
        let (before, opened) = text.split_at_checked(start)?;
        let (name, after) = opened.strip_prefix("${")?.split_once('}')?;
        if is_name(name) {
            return Some((before, name, after));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_become_values() {
        let captured = Captured::from([("a".to_owned(), json!("x")), ("b-1".to_owned(), json!(7))]);
        assert_eq!(fill("${a}/${b-1}, ${}, ${ a }, $a", &captured).unwrap(), "x/7, ${}, ${ a }, $a");
        assert_eq!(fill("${c}", &captured), Err("c".to_owned()));
        let mut json = json!({ "id": "${b-1}", "s": ["${a}", "<${b-1}>"] });
        fill_json(&mut json, &captured).unwrap();
        assert_eq!(json, json!({ "id": 7, "s": ["x", "<7>"] }));
    }
}
