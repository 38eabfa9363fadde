//! The same verdict as `jsonschema`, for random schemas and values.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p mcp-http differential` looks further than a usual run.

#![expect(clippy::arithmetic_side_effects, reason = "a test stops when it overflows")]

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::Config;
use serde_json::{Map, Number, Value, json};

use super::super::compile::compile;
use super::super::effort::Effort;
use super::super::evaluate::Marks;
use super::super::tree::Tree;
use super::super::{equality, number};
use super::{CompiledSchema, Repairs, try_compiled};
use crate::tool::schema::inspect;

/// Few names and values, so that schemas and values meet.
const NAMES: [&str; 5] = ["a", "b", "c", "A", "a/b"];

fn scalar() -> impl Strategy<Value = Value> {
    let texts =
        ["", "a", "b", "né", "🦀🦀🦀", "1", "-3", "2.5", "1e3", "025", "[1,\"a\"]", "{\"a\":\"1\"}", "null"];
    let numbers = [
        json!(0),
        json!(1),
        json!(2),
        json!(-3),
        json!(1.0),
        json!(-0.0),
        json!(2.5),
        json!(1e20),
        json!(1e18),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992.0),
    ];
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        4 => select(numbers.to_vec()),
        3 => select(texts.to_vec()).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            members(inner).prop_map(Value::Object),
        ]
    })
}

fn members(of: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((select(&NAMES[..]), of), 0..5)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn types() -> impl Strategy<Value = Value> {
    let names = ["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        3 => select(names.to_vec()).prop_map(Value::from),
        1 => subsequence(names.to_vec(), 1..4).prop_map(Value::from),
    ]
}

/// One keyword with its value.
fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (&'static str, Value)> {
    fn pair(name: &'static str) -> impl Fn(Value) -> (&'static str, Value) {
        move |value| (name, value)
    }
    let limits =
        select(vec![json!(0), json!(1), json!(1.0), json!(-2), json!(2.5), json!(u64::MAX), json!(1e18)]);
    let sizes = select(vec![json!(0), json!(1), json!(2.0), json!(3)]);
    let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
    let limit = select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
    let size =
        select(vec!["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]);
    prop_oneof![
        6 => types().prop_map(pair("type")),
        1 => (limit, limits),
        1 => (size, sizes),
        1 => prop::collection::vec(value(), 0..3).prop_map(Value::from).prop_map(pair("enum")),
        1 => scalar().prop_map(pair("const")),
        3 => members(inner.clone()).prop_map(Value::Object).prop_map(pair("properties")),
        2 => subsequence(NAMES.to_vec(), 0..3).prop_map(Value::from).prop_map(pair("required")),
        2 => prop_oneof![any::<bool>().prop_map(Value::Bool), inner.clone()].prop_map(pair("additionalProperties")),
        2 => inner.clone().prop_map(pair("items")),
        1 => list.clone().prop_map(pair("prefixItems")),
        1 => any::<bool>().prop_map(Value::Bool).prop_map(pair("uniqueItems")),
        2 => (select(vec!["anyOf", "oneOf"]), list.clone()),
        1 => list.prop_map(pair("allOf")),
        1 => select(vec!["#", "#/$defs/x", "#/$defs/y"]).prop_map(Value::from).prop_map(pair("$ref")),
        1 => Just(("description", json!("d"))),
    ]
}

/// A schema, and now and then one with a keyword that is not walked.
fn schema(others: bool) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::Bool),
        8 => types().prop_map(|types| json!({ "type": types })),
    ];
    let other = select(vec![
        ("multipleOf", json!(2)),
        ("pattern", json!("^[a-z]")),
        ("not", json!({ "type": "string" })),
        ("contains", json!({ "type": "integer" })),
        ("propertyNames", json!({ "maxLength": 1 })),
        ("patternProperties", json!({ "^[a-b]": { "type": "integer" } })),
        ("unevaluatedProperties", json!(false)),
        ("if", json!({ "required": ["a"] })),
        ("then", json!({ "required": ["b"] })),
        ("dependentRequired", json!({ "a": ["b"] })),
    ]);
    let nested = leaf.prop_recursive(4, 24, 4, move |inner| {
        let others = prop::collection::vec(other.clone(), 0..=usize::from(others));
        (prop::collection::vec(keyword(inner), 1..5), others).prop_map(|(keywords, others)| {
            let members = keywords.into_iter().chain(others);
            Value::Object(members.map(|(keyword, value)| (keyword.to_owned(), value)).collect())
        })
    });
    (nested.clone(), nested.clone(), nested).prop_map(|(root, x, y)| {
        let mut root = if let Value::Object(members) = root { members } else { Map::new() };
        root.insert("$defs".to_owned(), json!({ "x": x, "y": y }));
        Value::Object(root)
    })
}

/// One keyword, most often with a value that it cannot have.
fn malformed() -> impl Strategy<Value = Value> {
    let keywords = [
        "type",
        "enum",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "uniqueItems",
        "anyOf",
        "oneOf",
        "allOf",
        "title",
        "description",
        "default",
        "examples",
        "format",
        "readOnly",
        "writeOnly",
        "$comment",
        "definitions",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "x-other",
    ];
    let some = prop_oneof![value(), types(), types().prop_map(|types| json!([types]))];
    (select(keywords.to_vec()), some).prop_map(|(keyword, value)| json!({ keyword: value }))
}

/// A value that may well be valid: made of the schema, with faults put in.
fn instance(schema: &Value, root: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
    let Some(members) = schema.as_object().filter(|_| depth < 6) else { return choices.any() };
    if choices.one_in(12) {
        return choices.any();
    }
    for keyword in ["const", "enum", "$ref", "anyOf", "oneOf", "allOf"] {
        match members.get(keyword) {
            Some(value) if keyword == "const" => return value.clone(),
            Some(Value::Array(list)) if !list.is_empty() && choices.one_in(2) => {
                let one = &list[choices.below(list.len())];
                return if keyword == "enum" { one.clone() } else { instance(one, root, choices, depth + 1) };
            }
            Some(Value::String(uri)) if choices.one_in(2) => {
                let target = root.pointer(uri.trim_start_matches('#')).unwrap();
                return instance(target, root, choices, depth + 1);
            }
            _ => {}
        }
    }
    let kinds: Vec<&str> = match &members.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ if members.contains_key("properties") || members.contains_key("required") => vec!["object"],
        _ if members.contains_key("items") || members.contains_key("prefixItems") => vec!["array"],
        _ => return choices.any(),
    };
    let value = match kinds[choices.below(kinds.len())] {
        "null" => Value::Null,
        "boolean" => json!(choices.one_in(2)),
        "integer" => [json!(1), json!(2), json!(0.0), json!("2"), json!(-3)][choices.below(5)].clone(),
        "number" => [json!(1), json!(2.5), json!("2.5"), json!(1e20)][choices.below(4)].clone(),
        "string" => json!(["", "a", "né", "1"][choices.below(4)]),
        "array" => {
            let schema_of =
                |index: usize| match members.get("prefixItems").and_then(|prefix| prefix.get(index)) {
                    None => members.get("items").unwrap_or(&Value::Null),
                    Some(schema) => schema,
                };
            let length = choices.below(4);
            (0..length).map(|index| instance(schema_of(index), root, choices, depth + 1)).collect()
        }
        _ => {
            let mut object = Map::new();
            for (name, schema) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
                match choices.below(5) {
                    0 => {}
                    1 => drop(object.insert(name.clone(), Value::Null)),
                    _ => drop(object.insert(name.clone(), instance(schema, root, choices, depth + 1))),
                }
            }
            if choices.one_in(3) {
                let additional = members.get("additionalProperties").unwrap_or(&Value::Null);
                let value = instance(additional, root, choices, depth + 1);
                object.insert(NAMES[choices.below(NAMES.len())].to_owned(), value);
            }
            Value::Object(object)
        }
    };
    if choices.one_in(10) { json!(value.to_string()) } else { value }
}

/// Numbers to choose by, and values to fall back on.
struct Choices<'a> {
    numbers: std::iter::Cycle<std::slice::Iter<'a, u16>>,
    values: std::iter::Cycle<std::slice::Iter<'a, Value>>,
}

impl Choices<'_> {
    fn below(&mut self, limit: usize) -> usize {
        usize::from(*self.numbers.next().unwrap()) % limit
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn any(&mut self) -> Value {
        self.values.next().unwrap().clone()
    }
}

/// A schema, and values for it, some by chance and some made for it.
fn pair(others: bool) -> impl Strategy<Value = (Value, Value)> {
    let chance = (prop::collection::vec(any::<u16>(), 40), prop::collection::vec(value(), 4), any::<bool>());
    (schema(others), value(), chance).prop_map(|(schema, random, (numbers, values, made))| {
        if made {
            let mut choices = Choices { numbers: numbers.iter().cycle(), values: values.iter().cycle() };
            let value = instance(&schema, &schema, &mut choices, 0);
            (schema, value)
        } else {
            (schema, random)
        }
    })
}

fn reference(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(false).build(schema).unwrap()
}

/// The arguments that a tool whose argument `p` has this schema would see.
fn repaired(schema: &CompiledSchema, value: &Value, repairs: Repairs) -> Option<Value> {
    let arguments = Map::from_iter([("p".to_owned(), value.clone())]);
    let arguments = schema.check_arguments(arguments, repairs).ok()?;
    Some(Value::Object(arguments.as_json().clone()))
}

/// The schema of one argument `p`, with references that still lead to where they did.
fn as_argument(schema: &Value) -> Value {
    let text = schema.to_string().replace(r##""$ref":"#"##, r##""$ref":"#/properties/p"##);
    json!({ "type": "object", "properties": { "p": serde_json::from_str::<Value>(&text).unwrap() } })
}

/// Whether nothing but the spelling of integers differs.
fn same(left: &Value, right: &Value) -> bool {
    equality::equal(left, right)
}

fn has_wide_integer(value: &Value) -> bool {
    let wide = |number: &Number| {
        !number::is_64_bit(number)
            && number::is_integral(number)
            && number::as_exact_integer(number).is_none()
    };
    match value {
        Value::Number(number) => wide(number),
        Value::Array(items) => items.iter().any(has_wide_integer),
        Value::Object(members) => members.values().any(has_wide_integer),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn compare(schema: &Value, value: &Value) {
    let Ok(ours) = try_compiled(schema) else {
        // It may refer to itself without progress, and nothing else.
        assert!(schema.to_string().contains("$ref"), "{schema}");
        return;
    };
    let theirs = reference(schema).is_valid(value);
    assert_eq!(ours.check(value).is_ok(), theirs, "{schema}\n{value}");

    let schema = as_argument(schema);
    let ours = try_compiled(&schema).unwrap();
    let reference = reference(&schema);
    let strict = repaired(&ours, value, Repairs::NONE);
    match &strict {
        Some(seen) => assert!(theirs && seen["p"] == *value, "{schema}\n{value}"),
        None => assert!(!theirs || has_wide_integer(value), "{schema}\n{value}"),
    }
    let seen = repaired(&ours, value, Repairs::ALL);
    if let Some(seen) = &seen {
        assert!(reference.is_valid(seen), "{schema}\n{value}\nmended: {seen}");
        // What was mended needs no mending.
        if let Some(argument) = seen.get("p") {
            let again = repaired(&ours, argument, Repairs::ALL).unwrap();
            assert!(same(&again, seen), "{schema}\n{value}\nmended: {seen}\nagain: {again}");
        }
    }
    if strict.is_some() {
        let seen = seen.unwrap_or_else(|| panic!("valid, but refused with repairs: {schema}\n{value}"));
        assert!(same(&seen["p"], value), "valid, but changed: {schema}\n{value}\nmended: {seen}");
    }
}

pub(super) fn config() -> Config {
    // Set by hand, `PROPTEST_CASES` wins.
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 700 };
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_verdict_is_that_of_jsonschema((schema, value) in pair(false)) {
        compare(&schema, &value);
    }

    #[test]
    fn with_other_keywords_the_verdict_is_that_of_jsonschema((schema, value) in pair(true)) {
        compare(&schema, &value);
    }

    #[test]
    fn a_verdict_is_the_absence_of_violations((schema, value) in pair(false)) {
        if let Ok(ours) = try_compiled(&schema) {
            let verdict = ours.tree.verdict(Tree::ROOT, &value, &mut Effort::new());
            let told = |arguments| !ours.tree.explain(&value, arguments, &mut Effort::new()).is_empty();
            prop_assert_eq!(verdict.is_none(), told(false));
            prop_assert_eq!(verdict.is_none_or(|Marks { wide_integer, .. }| wide_integer), told(true));
        }
    }

    #[test]
    fn what_is_taken_as_text_is_valid_as_it_is((schema, value) in pair(false)) {
        if let Ok(ours) = try_compiled(&schema)
            && ours.takes_text(&value.to_string())
        {
            let verdict = ours.tree.verdict(Tree::ROOT, &value, &mut Effort::new());
            prop_assert_eq!(verdict, Some(Marks::default()), "{} {}", schema, value);
        }
    }

    #[test]
    fn a_keyword_has_a_value_that_the_dialect_allows((schema, older) in (malformed(), any::<bool>())) {
        let Value::Object(mut schema) = schema else { unreachable!() };
        if older {
            // What is no keyword there may be anything, but need not be taken.
            if ["prefixItems", "contentSchema"].iter().any(|newer| schema.contains_key(*newer)) {
                return Ok(());
            }
            schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
        }
        let schema = Value::Object(schema);
        let ours = compile(&schema, inspect(&schema).unwrap());
        if ours.as_ref().is_ok_and(|compiled| compiled.unread.is_some()) {
            return Ok(());
        }
        prop_assert_eq!(ours.is_ok(), jsonschema::meta::is_valid(&schema), "{}", schema);
    }
}
