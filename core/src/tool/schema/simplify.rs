//! Rules for each schema by itself.

use serde_json::{Map, Value, json};

use super::choice;

/// Drops the title that schemars gives to the root: the name of the type.
pub(super) fn untitle(root: &mut Value, name: &str) {
    if let Some(members) = root.as_object_mut()
        && members.get("title").and_then(Value::as_str) == Some(name)
    {
        members.shift_remove("title");
    }
}

/// Keywords that say nothing about which values are valid.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(keyword, "title" | "description" | "default" | "examples" | "deprecated" | "$defs")
}

/// What has to be so before choices are looked at. Parents come before their children.
pub(super) fn prepare(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Some(members) = schema.as_object_mut() else { return };
    choice::splice(members);
    // `enum` is what all clients understand.
    if let Some(value) = members.get("const").cloned() {
        rename(members, "const", "enum");
        members.insert("enum".to_owned(), json!([value]));
    }
}

/// Brings a schema, whose children are, into the form that is published.
pub(super) fn simplify(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    numbers(members);
    if let Some(words) = members.get("format").and_then(Value::as_str).and_then(words_for_format) {
        members.shift_remove("format");
        describe(members, words);
    }
    // Each schema is for one direction.
    members.shift_remove("readOnly");
    members.shift_remove("writeOnly");
    // Found out when it is read. It is there only where structs are flattened into each other.
    members.shift_remove("unevaluatedProperties");
    integer_keys(members);
    same_items(members);
    if members.get("required") == Some(&json!([])) {
        members.shift_remove("required");
    }
    if members.get("default").is_some_and(Value::is_null) {
        members.shift_remove("default");
    }
    choice::simplify(members);
}

/// Numbers say their range in numbers.
fn numbers(members: &mut Map<String, Value>) {
    let format = members.get("format").and_then(Value::as_str);
    // The others say it already, or hold what a JSON number does.
    let range: Option<(i64, i64)> = match format {
        Some("int32") => Some((i32::MIN.into(), i32::MAX.into())),
        Some("uint32") => Some((0, u32::MAX.into())),
        Some(
            "int8" | "int16" | "int64" | "int128" | "int" | "uint8" | "uint16" | "uint64" | "uint128"
            | "uint" | "float" | "double",
        ) => None,
        _ => return,
    };
    members.shift_remove("format");
    if let Some((min, max)) = range {
        members.entry("minimum").or_insert(min.into());
        members.entry("maximum").or_insert(max.into());
    }
    if members.get("not") == Some(&json!({ "const": 0 }))
        || members.get("not") == Some(&json!({ "enum": [0] }))
    {
        members.shift_remove("not");
        describe(members, "Not 0.");
    }
}

/// What a format is that no dialect of JSON Schema knows. Some clients refuse a schema with one.
fn words_for_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "ip" => "An IPv4 or IPv6 address.",
        "partial-date-time" => "A date and time without time zone, such as 2026-07-28T09:30:00.",
        "partial-time" => "A time of day, such as 09:30:00.",
        "zoned-date-time" => {
            "A date and time with time zone, such as 2026-07-28T09:30:00+02:00[Europe/Oslo]."
        }
        _ => return None,
    })
}

/// Adds to the description.
pub(super) fn describe(members: &mut Map<String, Value>, words: &str) {
    match members.get_mut("description") {
        Some(Value::String(description)) if !description.is_empty() => {
            description.push_str("\n\n");
            description.push_str(words);
        }
        _ => {
            members.insert("description".to_owned(), json!(words));
        }
    }
}

/// A map whose keys are integers: that they are is found out when it is read.
fn integer_keys(members: &mut Map<String, Value>) {
    let Some(Value::Object(patterns)) = members.get("patternProperties") else { return };
    let mut patterns = patterns.iter();
    if let (Some((pattern, values)), None) = (patterns.next(), patterns.next())
        && matches!(pattern.as_str(), r"^\d+$" | r"^-?\d+$")
        && members.get("additionalProperties") == Some(&Value::Bool(false))
    {
        let values = values.clone();
        members.shift_remove("patternProperties");
        members.insert("additionalProperties".to_owned(), values);
    }
}

/// A tuple of one type is an array of it.
fn same_items(members: &mut Map<String, Value>) {
    let Some(Value::Array(items)) = members.get("prefixItems") else { return };
    let length = json!(items.len());
    if let Some(first) = items.first()
        && items.iter().all(|item| item == first)
        && ["minItems", "maxItems"].iter().all(|keyword| members.get(*keyword) == Some(&length))
    {
        let item = first.clone();
        rename(members, "prefixItems", "items");
        members.insert("items".to_owned(), item);
    }
}

/// Gives a keyword another name in its place.
pub(super) fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    let renamed = std::mem::take(members).into_iter();
    let renamed =
        renamed.map(|(keyword, value)| (if keyword == from { to.to_owned() } else { keyword }, value));
    *members = renamed.collect();
}

/// Takes null out of the properties that may be left out.
pub(super) fn publish_absence(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    let required: Vec<String> = members
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    for (name, property) in members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
    {
        if !required.contains(name) {
            without_null(property);
        }
    }
}

/// The schema of an optional property, which takes null for "absent" all the same.
fn without_null(property: &mut Value) {
    let Some(members) = property.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [one] = kinds.as_slice() {
            let one = one.clone();
            members.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = members.get_mut(keyword) {
            choices.retain(|choice| *choice != json!({ "type": "null" }));
        }
    }
    choice::simplify(members);
}
