//! What is published for a Rust type: the schemas that `types` has, written by hand, to the byte but for the order of keywords; and that a value of
//! the type is taken, read, and given back.

use std::collections::HashSet;

use mcp_http::{Revision, Tool};
use serde_json::{Value, json};

use crate::request::{LEGACY, Request};
use crate::tools::serving;
use crate::types::{self, Case};

/// The keywords that are checked without the feature `json-schema`, and those that only tell something.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "anyOf",
    "oneOf",
    "$ref",
    "$defs",
    "description",
    "default",
    "format",
    "deprecated",
    "title",
    "examples",
];

/// The formats that a dialect knows, and one that was asked for.
const FORMATS: &[&str] = &["date", "date-time", "ipv4", "ipv6", "uri", "uuid", "word"];

#[track_caller]
fn check(cases: &[Case]) {
    let server = serving(cases.iter().map(Case::tool)).build().unwrap();
    for case in cases {
        let tool = case.tool().build().unwrap();
        let (input, output) = (tool.input_schema(), tool.output_schema());
        for (derived, expected) in [(Some(input), &case.input), (output, &case.output)] {
            if let (Some(derived), Some(expected)) = (derived, expected) {
                assert_eq!(in_order(derived).to_string(), in_order(expected).to_string(), "{}", case.name);
            }
        }
        assert_eq!(input["type"], "object", "{}", case.name);
        for keyword in ["anyOf", "oneOf", "allOf", "$ref"] {
            assert!(input.get(keyword).is_none(), "{}: {keyword} at the root", case.name);
        }
        for schema in [Some(input), output].into_iter().flatten() {
            assert!(jsonschema::draft202012::meta::is_valid(schema), "{}: {schema}", case.name);
            look_at(schema, case.name);
        }
        // Somebody else's checker agrees, but for null in place of what is left out.
        let takes = |schema, value| jsonschema::validator_for(schema).unwrap().is_valid(value);
        assert!(has_null(&case.arguments) || takes(input, &case.arguments), "{}: {input}", case.name);
        assert!(output.is_none_or(|output| takes(output, &case.gives)), "{}: {output:?}", case.name);
    }
    for revision in Revision::ALL {
        let mut names = HashSet::new();
        let answer = Request::list(revision).send(&server);
        for tool in answer.result()["tools"].as_array().unwrap() {
            names.insert(tool["name"].as_str().unwrap().to_owned());
        }
        for case in cases {
            assert!(names.contains(case.name), "{}", case.name);
            let answer = Request::call(revision, case.name, case.arguments.clone()).send(&server);
            let result = answer.tool_result();
            let wrapped = LEGACY.contains(&revision)
                && result["structuredContent"] == json!({ "result": case.gives.clone() });
            assert!(wrapped || result["structuredContent"] == case.gives, "{}: {result}", case.name);
        }
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        other => other.is_null(),
    }
}

/// The schema with its keywords sorted: only names have an order that means something.
fn in_order(schema: &Value) -> Value {
    let mut members: Vec<(String, Value)> = schema.as_object().unwrap().clone().into_iter().collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (keyword, value) in &mut members {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(|one| *one = in_order(one));
            }
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(|one| *one = in_order(one));
            }
            ("items" | "additionalProperties", one) if one.is_object() => *one = in_order(one),
            _ => {}
        }
    }
    Value::Object(members.into_iter().collect())
}

/// Looks at every schema within a schema.
fn look_at(schema: &Value, name: &str) {
    let members = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema} is no object"));
    for (keyword, value) in members {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{name}: {keyword}");
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values().for_each(|one| look_at(one, name))
            }
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter().for_each(|one| look_at(one, name))
            }
            ("items", one) => look_at(one, name),
            ("additionalProperties", one) => {
                assert!(*one == json!(false) || one.is_object(), "{name}: {one}")
            }
            ("required", list) => assert_ne!(*list, json!([]), "{name}"),
            ("default", value) => assert_ne!(*value, json!(null), "{name}"),
            ("format", format) => assert!(FORMATS.iter().any(|known| known == format), "{name}: {format}"),
            ("$ref", uri) => assert!(uri.as_str().unwrap().starts_with("#/$defs/"), "{name}: {uri}"),
            _ => {}
        }
    }
}

#[test]
fn numbers_publish_the_range_of_their_type() {
    check(&types::numbers());
}

#[test]
fn texts_have_a_format_that_json_schema_knows_or_words() {
    check(&types::texts());
}

#[test]
fn lists_say_what_is_in_them_and_how_much() {
    check(&types::lists());
}

#[test]
fn maps_are_objects_of_any_names() {
    check(&types::maps());
}

#[test]
fn anything_is_the_empty_schema() {
    check(&types::anything());
}

#[test]
fn what_may_be_left_out_has_a_plain_type() {
    check(&types::absence());
}

#[test]
fn enums_of_names_are_strings_in_order_of_declaration() {
    check(&types::enums());
}

#[test]
fn enums_with_data_are_told_apart_by_a_tag() {
    check(&types::unions());
}

#[test]
fn enums_as_all_the_arguments_are_one_object() {
    check(&types::roots());
}

#[test]
fn what_serde_reads_is_what_is_advertised() {
    check(&types::attributes());
}

#[test]
fn descriptions_are_kept_and_a_fields_wins() {
    check(&types::descriptions());
}

#[test]
fn types_within_types_are_inlined_up_to_a_size() {
    check(&types::nesting());
}

#[test]
fn only_types_that_hold_themselves_keep_their_name() {
    check(&types::recursion());
}

#[test]
fn results_say_what_may_be_null() {
    check(&types::results());
}

#[test]
fn all_types_have_names_of_their_own() {
    let all = types::all();
    let names: HashSet<&str> = all.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), all.len());
    assert!(all.len() >= 80, "{}", all.len());
}

#[test]
fn an_enum_of_mere_names_cannot_be_all_the_arguments() {
    let error = Tool::builder("kind").handler(|_: types::Kind| {}).build().unwrap_err().to_string();
    assert!(error.contains("\"kind\"") && error.contains("object"), "{error}");
}

#[test]
fn a_type_that_is_huge_and_holds_itself_has_a_schema_of_some_size() {
    let tool = Tool::builder("huge").handler(|_: types::HugeNode| {}).build().unwrap();
    look_at(tool.input_schema(), "huge");
    let size = tool.input_schema().to_string().len();
    assert!(size < 20_000, "{size}");
}

/// A value that has everything a schema tells of. Where there is a choice, `pick` says which.
fn sample(schema: &Value, root: &Value, pick: usize, depth: usize) -> Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return sample(root.pointer(name.trim_start_matches('#')).unwrap(), root, pick, depth);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values[pick % values.len()].clone();
    }
    let choices = ["anyOf", "oneOf"].iter().find_map(|keyword| schema.get(*keyword)?.as_array());
    let chosen = choices.map(|list| {
        let index = if depth > 3 { 0 } else { pick % list.len() };
        sample(&list[index], root, pick, depth)
    });
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds[pick % kinds.len()].as_str(),
        Some(kind) => kind.as_str(),
        None => return chosen.unwrap_or(json!(true)),
    };
    match kind.unwrap() {
        "null" => json!(null),
        "boolean" => json!(true),
        "number" => json!(8.5),
        "integer" => json!(schema.get("maximum").and_then(Value::as_i64).unwrap_or(8).min(8)),
        "string" => json!(match schema.get("format").and_then(Value::as_str) {
            Some("date") => "2026-07-28",
            Some("date-time") => "2026-07-28T09:30:00Z",
            Some("ipv4") => "192.0.2.1",
            Some("ipv6") => "2001:db8::1",
            Some("uri") => "https://example.com/",
            Some("uuid") => "67e55044-10b1-426f-9247-bb680e5fe0c8",
            _ => "a",
        }),
        "array" => {
            let below = depth + 1;
            let prefix = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
            let mut items: Vec<Value> = prefix.map(|item| sample(item, root, pick, below)).collect();
            let least =
                schema.get("minItems").and_then(Value::as_u64).unwrap_or_else(|| u64::from(depth < 3));
            if let Some(item) = schema.get("items") {
                while (items.len() as u64) < least {
                    items.push(sample(item, root, pick, below));
                }
            }
            Value::Array(items)
        }
        "object" => {
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let mut members = chosen.and_then(|chosen| chosen.as_object().cloned()).unwrap_or_default();
            for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if depth < 4 || required.contains(&json!(name)) {
                    members.insert(name.clone(), sample(property, root, pick, depth + 1));
                }
            }
            if let Some(property) = schema.get("additionalProperties").filter(|schema| schema.is_object()) {
                members.insert("1".to_owned(), sample(property, root, pick, depth + 1));
            }
            Value::Object(members)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn everything_that_is_advertised_is_read() {
    // What is said in words, or found out when it is read; what is not given back.
    let other =
        ["ip", "socket", "time", "date_time_without_zone", "recursive_enum_arguments", "skipped", "told"];
    let roots: HashSet<&str> = types::roots().iter().map(|case| case.name).collect();
    let cases: Vec<Case> = types::all()
        .into_iter()
        .filter(|case| case.input.is_some() && !other.contains(&case.name) && !roots.contains(case.name))
        .collect();
    let server = serving(cases.iter().map(Case::tool)).build().unwrap();
    for case in &cases {
        let tool = case.tool().build().unwrap();
        for pick in 0..6 {
            let arguments = sample(tool.input_schema(), tool.input_schema(), pick, 0);
            let answer = Request::call(Revision::V2026_07_28, case.name, arguments.clone()).send(&server);
            let given_back = &answer.tool_result()["structuredContent"];
            assert!(holds(given_back, &arguments), "{}: {arguments} was read as {given_back}", case.name);
        }
    }
}

/// Whether a value has all that another has. It may have more: what is absent may be null, or a default.
fn holds(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Object(members), Value::Object(others)) => {
            others.iter().all(|(name, other)| members.get(name).is_some_and(|value| holds(value, other)))
        }
        (Value::Array(items), Value::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(value, other)| holds(value, other))
        }
        (value, other) => value == other,
    }
}
