//! Values that are made to keep a checker busy.

use serde_json::{Map, Value, json};

use super::{Repairs, compiled};

/// The work is linear: in a debug build these take milliseconds, and minutes if it were not.
fn many() -> usize {
    100_000
}

#[test]
fn unknown_names_are_looked_up_in_no_time() {
    let properties: Map<String, Value> =
        (0..50).map(|n| (format!("p{n}"), json!({ "type": "integer" }))).collect();
    let unknown: Map<String, Value> = (0..many()).map(|n| (format!("p{n}x"), Value::Null)).collect();
    let open = compiled(&json!({ "type": "object", "properties": properties }));
    assert_eq!(open.check_arguments(unknown.clone(), Repairs::ALL).unwrap().as_json().len(), many());
    let closed =
        compiled(&json!({ "type": "object", "properties": properties, "additionalProperties": false }));
    let report = closed.check_arguments(unknown, Repairs::ALL).unwrap_err().report("");
    assert!(report.ends_with(&format!("and {} more", many() - 50)), "{report}");
}

#[test]
fn many_missing_and_misspelt_names_are_told_in_no_time() {
    let name = |n: usize| format!("{:060}", n);
    let required: Vec<String> = (0..1000).map(name).collect();
    let sent: Map<String, Value> = (2000..4000).map(|n| (name(n), Value::Null)).collect();
    for open in [true, false] {
        let schema = compiled(&json!({
            "type": "object", "required": required, "additionalProperties": open,
            "properties": required.iter().map(|name| (name.clone(), json!({}))).collect::<Map<_, _>>(),
        }));
        schema.check_arguments(sent.clone(), Repairs::ALL).unwrap_err();
    }
}

#[test]
fn many_items_are_told_apart_in_no_time() {
    let schema = compiled(&json!({ "uniqueItems": true }));
    let mut items: Vec<Value> = (0..many()).map(|n| json!({ "a": [n], "b": "x" })).collect();
    schema.check(&json!(items)).unwrap();
    items.push(json!({ "b": "x", "a": [many() - 1] }));
    schema.check(&json!(items)).unwrap_err();
}

#[test]
fn many_nulls_are_dropped_in_no_time() {
    let names: Map<String, Value> =
        (0..5_000).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
    let nulls: Map<String, Value> = names.keys().map(|name| (name.clone(), Value::Null)).collect();
    let schema = compiled(&json!({ "type": "object", "properties": names }));
    assert!(schema.check_arguments(nulls, Repairs::ALL).unwrap().as_json().is_empty());
}

fn nested(levels: usize, leaf: Value) -> Value {
    (0..levels).fold(leaf, |inner, _| json!({ "next": inner }))
}

#[test]
fn choices_within_choices_are_given_up_in_time() {
    // Each level doubles the work, until a branch fits.
    let node = |extra: &str| json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/tree" }, extra: {} } });
    let schema = compiled(&json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/tree" } },
        "$defs": { "tree": { "anyOf": [node("a"), node("b"), { "type": "integer" }] } },
    }));
    let call = |tree: Value| {
        let arguments = Map::from_iter([("tree".to_owned(), tree)]);
        schema.check_arguments(arguments, Repairs::ALL).map_err(|violations| violations.report(""))
    };
    assert!(call(nested(100, json!(5))).is_ok());
    // Wrong, or to be mended, at the bottom.
    for leaf in [json!(true), json!("5"), json!(null)] {
        let report = call(nested(100, leaf)).unwrap_err();
        assert!(report.contains("too complex"), "{report}");
    }
    assert!(call(nested(5, json!("5"))).is_ok());
}

#[test]
fn deep_values_fit_the_stack() {
    let schema = compiled(&json!({
        "type": "object",
        "properties": { "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } },
        "additionalProperties": false,
    }));
    let deep = |leaf: Value| {
        let Value::Object(arguments) = nested(125, leaf) else { unreachable!() };
        schema.check_arguments(arguments, Repairs::ALL)
    };
    deep(Value::Null).unwrap();
    deep(json!("{}")).unwrap();
    let report = deep(json!(5)).unwrap_err().report("");
    assert!(report.contains(&format!("{}: expected an object or null", "/next".repeat(125))), "{report}");
}

#[test]
fn a_long_chain_of_references_at_every_level_fits_the_stack() {
    // As long as a chain may be, and the value as deep as a body.
    let link =
        |n: usize| (format!("d{n}"), json!({ "minProperties": 0, "$ref": format!("#/$defs/d{}", n + 1) }));
    let mut links: Map<String, Value> = (0..60).map(link).collect();
    links.insert("d60".to_owned(), json!({ "properties": { "next": { "$ref": "#/$defs/d0" } } }));
    let schema = compiled(&json!({ "$ref": "#/$defs/d0", "$defs": links }));
    assert!(schema.check(&nested(5, Value::Null)).is_ok());
    let report = schema.check(&nested(125, Value::Null)).unwrap_err().report("");
    assert!(report.contains("too complex"), "{report}");
}
