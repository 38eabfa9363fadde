//! Choices between schemas: enums with data, documented enums, what may be null.

use serde_json::{Map, Value, json};

use super::simplify::{describe, is_annotation, rename};

pub(super) const CHOICES: [&str; 2] = ["anyOf", "oneOf"];

pub(super) fn branches<'a>(members: &'a Map<String, Value>, keyword: &str) -> Option<&'a Vec<Value>> {
    members.get(keyword)?.as_array()
}

pub(super) fn is_null(schema: &Value) -> bool {
    *schema == json!({ "type": "null" })
}

pub(super) fn text<'a>(schema: &'a Value, keyword: &str) -> Option<&'a str> {
    schema.get(keyword)?.as_str()
}

/// The values of a string that may have only a few.
pub(super) fn strings(schema: &Value) -> Option<Vec<&str>> {
    if text(schema, "type") != Some("string") {
        return None;
    }
    let values = schema.get("enum")?.as_array()?;
    values.iter().map(Value::as_str).collect()
}

/// A choice between null and a choice is one choice, described by what is outside.
pub(super) fn splice(members: &mut Map<String, Value>) {
    let Some([first, second]) = branches(members, "anyOf").map(Vec::as_slice) else { return };
    if !is_null(second) {
        return;
    }
    let Some(inner) = first.as_object() else { return };
    let choices: Vec<&str> = CHOICES.into_iter().filter(|keyword| inner.contains_key(*keyword)).collect();
    let [keyword] = choices.as_slice() else { return };
    if !inner.keys().all(|other| other == keyword || is_annotation(other)) {
        return;
    }
    let (mut inner, keyword) = (inner.clone(), (*keyword).to_owned());
    if let Some(Value::Array(list)) = inner.get_mut(&keyword)
        && !list.iter().any(is_null)
    {
        list.push(json!({ "type": "null" }));
    }
    members.shift_remove("anyOf");
    for (keyword, value) in inner {
        members.entry(keyword).or_insert(value);
    }
}

/// Says a choice in the plainest way.
pub(super) fn simplify(members: &mut Map<String, Value>) {
    for keyword in CHOICES {
        let Some(Value::Array(list)) = members.get_mut(keyword) else { continue };
        let mut list = std::mem::take(list);
        let documented = one_enum(&mut list);
        let lone = match list.as_slice() {
            [one] => Some(one.clone()),
            [one, null] if is_null(null) => or_null(one),
            _ => None,
        };
        if let Some(lone) = lone {
            members.shift_remove(keyword);
            absorb(members, lone);
            if let Some(lines) = lines(&documented) {
                describe(members, &lines);
            }
            continue;
        }
        document(&mut list, &documented);
        match only_types(&list).filter(|_| !members.contains_key("type")) {
            Some(types) => {
                rename(members, keyword, "type");
                members.extend(types);
            }
            None => {
                // Where at most one fits, this is the same, and known to more clients.
                let any = !members.contains_key("anyOf") && are_disjoint(&list);
                members.insert(keyword.to_owned(), Value::Array(list));
                if keyword == "oneOf" && any {
                    rename(members, "oneOf", "anyOf");
                }
            }
        }
    }
}

/// The only branch that is left. What is said outside says more than what is said inside.
fn absorb(members: &mut Map<String, Value>, branch: Value) {
    match branch {
        Value::Object(inner) => {
            for (keyword, value) in inner {
                members.entry(keyword).or_insert(value);
            }
        }
        Value::Bool(false) => {
            members.insert("not".to_owned(), json!({}));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
}

/// Makes branches that are strings of one value each, as documented variants are, one branch. Gives what is said of
/// the values.
fn one_enum(list: &mut Vec<Value>) -> Vec<(String, String)> {
    fn plain(branch: &Value) -> Option<Vec<&str>> {
        let values = strings(branch)?;
        let known = |keyword: &String| match keyword.as_str() {
            "type" | "enum" => true,
            "description" => values.len() == 1,
            _ => false,
        };
        branch.as_object()?.keys().all(known).then_some(values)
    }
    if list.iter().filter(|branch| plain(branch).is_some()).count() < 2 {
        return Vec::new();
    }
    let mut values: Vec<Value> = Vec::new();
    let mut documented = Vec::new();
    for branch in list.iter() {
        for value in plain(branch).into_iter().flatten() {
            values.push(json!(value));
            if let Some(description) = text(branch, "description") {
                documented.push((value.to_owned(), description.to_owned()));
            }
        }
    }
    let mut merged = Some(json!({ "type": "string", "enum": values }));
    let merge = |branch| if plain(&branch).is_some() { merged.take() } else { Some(branch) };
    *list = std::mem::take(list).into_iter().filter_map(merge).collect();
    documented
}

fn lines(documented: &[(String, String)]) -> Option<String> {
    let line = |(value, description): &(String, String)| format!("- `{value}`: {}", one_line(description));
    let lines: Vec<String> = documented.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Says it of the branch that has the values.
fn document(list: &mut [Value], documented: &[(String, String)]) {
    let values = list.iter_mut().find(|branch| strings(branch).is_some());
    if let (Some(Value::Object(values)), Some(lines)) = (values, lines(documented)) {
        describe(values, &lines);
    }
}

/// The schema that takes null too, of one that has a plain type.
fn or_null(schema: &Value) -> Option<Value> {
    let mut members = schema.as_object()?.clone();
    if ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| members.contains_key(*keyword)) {
        return None;
    }
    let kinds = json!([members.get("type")?.as_str()?, "null"]);
    members.insert("type".to_owned(), kinds);
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Some(Value::Object(members))
}

/// Branches that are different types and little more are a list of types.
fn only_types(list: &[Value]) -> Option<Map<String, Value>> {
    let mut kinds = Vec::new();
    let mut bounds = Map::new();
    for branch in list {
        for (keyword, value) in branch.as_object()? {
            match keyword.as_str() {
                "type" if value.is_string() && !kinds.contains(value) => kinds.push(value.clone()),
                "minimum" | "maximum" | "minLength" | "maxLength" => {
                    bounds.insert(keyword.clone(), value.clone());
                }
                _ => return None,
            }
        }
    }
    let both_numbers = [json!("integer"), json!("number")].iter().all(|kind| kinds.contains(kind));
    if kinds.len() != list.len() || (both_numbers && !bounds.is_empty()) {
        return None;
    }
    Some([("type".to_owned(), Value::Array(kinds))].into_iter().chain(bounds).collect())
}

fn are_disjoint(list: &[Value]) -> bool {
    let mut rest = list.iter();
    while let Some(one) = rest.next() {
        if !rest.clone().all(|other| differ(one, other)) {
            return false;
        }
    }
    true
}

/// Whether no value fits both schemas, for all that is seen at a glance.
fn differ(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (text(one, "type"), text(other, "type"))
        && one != other
        && ![one, other].iter().all(|kind| matches!(*kind, "integer" | "number"))
    {
        return true;
    }
    let values = |schema: &Value| schema.get("enum").and_then(Value::as_array).cloned();
    if let (Some(one), Some(other)) = (values(one), values(other))
        && !one.iter().any(|value| other.contains(value))
    {
        return true;
    }
    let lacks = |one: &Value, other: &Value| {
        one.get("additionalProperties") == Some(&Value::Bool(false))
            && required(other).iter().any(|name| property(one, name).is_none())
    };
    let is_object = |schema: &Value| text(schema, "type") == Some("object");
    is_object(one)
        && is_object(other)
        && (lacks(one, other)
            || lacks(other, one)
            || required(one).iter().filter(|name| required(other).contains(name)).any(|name| {
                property(one, name)
                    .zip(property(other, name))
                    .is_some_and(|(one, other)| strings(one).is_some() && differ(one, other))
            }))
}

pub(super) fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

/// Whether a schema is a choice between objects and does not say so.
pub(super) fn gives_objects(schema: &Value) -> bool {
    let is_object = |branch: &Value| text(branch, "type") == Some("object");
    schema.get("type").is_none()
        && CHOICES
            .iter()
            .filter_map(|keyword| schema.get(*keyword)?.as_array())
            .any(|list| list.iter().all(is_object))
}
