//! What a caller is told.

use serde_json::{Value, json};

use super::{Repairs, compiled, sent};

/// The lines about the argument `p`.
#[track_caller]
fn told(property: Value, value: Value, expected: &[&str]) {
    let report = sent(&property, &value, Repairs::ALL).expect_err(&format!("{property} {value}"));
    let lines: Vec<&str> = report.lines().skip(1).map(|line| line.strip_prefix("- ").unwrap()).collect();
    assert_eq!(lines, expected, "{property} {value}");
}

/// The lines about all arguments.
#[track_caller]
fn told_of_all(schema: Value, arguments: Value, expected: &[&str]) {
    let Value::Object(arguments) = arguments else { panic!("no arguments: {arguments}") };
    let report = compiled(&schema).check_arguments(arguments, Repairs::ALL).unwrap_err().report("");
    let lines: Vec<&str> = report.lines().skip(1).map(|line| line.strip_prefix("- ").unwrap()).collect();
    assert_eq!(lines, expected);
}

#[test]
fn a_wrong_type_is_told_with_what_was_expected_and_received() {
    told(json!({ "type": "integer" }), json!("secret"), &["/p: expected an integer, got a string"]);
    told(
        json!({ "type": "integer" }),
        json!(2.5),
        &["/p: expected an integer, got a number with a fraction"],
    );
    told(json!({ "type": "string" }), json!(5), &["/p: expected a string, got an integer"]);
    told(json!({ "type": "string" }), json!(true), &["/p: expected a string, got a boolean"]);
    told(json!({ "type": "boolean" }), json!("true"), &["/p: expected a boolean, got a string"]);
    told(json!({ "type": "array" }), json!({}), &["/p: expected an array, got an object"]);
    told(json!({ "type": "object" }), json!([]), &["/p: expected an object, got an array"]);
    told(json!({ "type": ["string", "null"] }), json!(5), &["/p: expected a string or null, got an integer"]);
    told(json!({ "type": ["number", "integer"] }), json!([]), &["/p: expected a number, got an array"]);
    told(json!(false), json!([]), &["/p: nothing is allowed here"]);
}

#[test]
fn a_required_null_is_told_as_null() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
    told_of_all(schema, json!({ "a": null }), &["/a: expected a string, got null"]);
}

#[test]
fn a_limit_is_told_as_it_was_declared() {
    told(json!({ "type": "integer", "minimum": 1 }), json!(0), &["/p: must be at least 1"]);
    told(json!({ "type": "number", "maximum": 1.5 }), json!(2), &["/p: must be at most 1.5"]);
    told(json!({ "exclusiveMinimum": 0 }), json!(0), &["/p: must be more than 0"]);
    told(json!({ "exclusiveMaximum": 10 }), json!(10.0), &["/p: must be less than 10"]);
    told(json!({ "minLength": 2 }), json!("é"), &["/p: must have at least 2 characters, got 1"]);
    told(json!({ "maxLength": 1 }), json!("né"), &["/p: must have at most 1 character, got 2"]);
    told(json!({ "minItems": 1 }), json!([]), &["/p: must have at least 1 item, got 0"]);
    told(json!({ "maxItems": 1 }), json!([1, 2]), &["/p: must have at most 1 item, got 2"]);
    told(json!({ "minProperties": 2 }), json!({}), &["/p: must have at least 2 properties, got 0"]);
    told(json!({ "maxProperties": 0 }), json!({ "a": 1 }), &["/p: must have at most 0 properties, got 1"]);
    told(
        json!({ "uniqueItems": true }),
        json!([1, 2, 1.0]),
        &["/p/2: repeats an item before it, but items must differ"],
    );
    told(
        json!({ "type": "integer" }),
        serde_json::from_str("18446744073709551616").unwrap(),
        &["/p: expected an integer of at most 64 bits, in plain digits"],
    );
}

#[test]
fn lengths_are_counted_in_code_points() {
    for (text, length) in [("", 0), ("né", 2), ("🦀🦀", 2), ("e\u{301}", 2)] {
        let exactly = json!({ "minLength": length, "maxLength": length });
        assert!(sent(&exactly, &json!(text), Repairs::NONE).is_ok(), "{text}");
        let other = json!({ "minLength": length + 1 });
        assert!(sent(&other, &json!(text), Repairs::NONE).is_err(), "{text}");
    }
}

#[test]
fn allowed_values_are_told_in_the_declared_order() {
    let modes = json!({ "type": "string", "enum": ["slow", "fast", "auto"] });
    told(modes.clone(), json!("fastest"), &[r#"/p: expected one of "slow", "fast", "auto""#]);
    told(modes, json!(5), &[r#"/p: expected one of "slow", "fast", "auto", got an integer"#]);
    told(json!({ "const": "a" }), json!("b"), &[r#"/p: expected "a""#]);
    let described = json!({ "oneOf": [
        { "type": "string", "const": "slow", "description": "Takes its time" },
        { "type": "string", "const": "fast" },
    ] });
    told(described.clone(), json!("x"), &[r#"/p: expected one of "slow", "fast""#]);
    told(described, json!(5), &[r#"/p: expected one of "slow", "fast", got an integer"#]);
    let many: Vec<u32> = (0..1000).collect();
    let list: Vec<String> = many.iter().take(20).map(ToString::to_string).collect();
    told(
        json!({ "enum": many }),
        json!(-1),
        &[&format!("/p: expected one of {} and 980 more", list.join(", "))],
    );
    let long = json!({ "enum": ["x".repeat(1000)] });
    told(long, json!(""), &[&format!("/p: expected \"{}…", "x".repeat(59))]);
}

#[test]
fn everything_is_told_at_once_by_its_pointer() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": { "type": "integer", "maximum": 100 },
            "o": { "type": "object", "properties": { "a/b": { "type": "array", "items": { "type": "string" } } } },
            "tuple": { "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "boolean" } },
        },
        "required": ["n", "m~"],
    });
    let arguments = json!({ "n": 101, "o": { "a/b": ["x", 1, null] }, "tuple": [1, 2] });
    told_of_all(
        schema,
        arguments,
        &[
            "/n: must be at most 100",
            "/o/a~1b/1: expected a string, got an integer",
            "/o/a~1b/2: expected a string, got null",
            "/tuple/0: expected a string, got an integer",
            "/tuple/1: expected a boolean, got an integer",
            "/m~0: missing, but required",
        ],
    );
}

#[test]
fn a_misspelt_name_is_told_with_the_right_one() {
    let schema = |open: bool| {
        json!({
            "type": "object",
            "properties": { "query": { "type": "string" }, "max_results": { "type": "integer" } },
            "required": ["query"],
            "additionalProperties": open,
        })
    };
    told_of_all(
        schema(false),
        json!({ "qeury": "secret", "maxResults": 5 }),
        &[
            "/qeury: unexpected, did you mean `query`?",
            "/maxResults: unexpected, did you mean `max_results`?",
            "/query: missing, but required",
        ],
    );
    told_of_all(
        schema(true),
        json!({ "qeury": "secret", "maxResults": 5 }),
        &["/query: missing, but required; there is `qeury`, did you mean `query`?"],
    );
    told_of_all(schema(true), json!({ "text": "secret" }), &["/query: missing, but required"]);
}

#[test]
fn an_unexpected_argument_is_named() {
    let none = json!({ "type": "object", "additionalProperties": false });
    told_of_all(none.clone(), json!({ "zone": "UTC" }), &["/zone: unexpected, the tool takes no arguments"]);
    told(none, json!({ "zone": 1 }), &["/p/zone: unexpected, there may be no properties"]);
    let some = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    told_of_all(
        some.clone(),
        json!({ "zone": "UTC" }),
        &["/zone: unexpected, the tool takes no such argument"],
    );
    told(some, json!({ "zone": 1 }), &["/p/zone: unexpected, there may be no such property"]);
    let long = "x".repeat(100_000);
    let expected = format!("/{}…: unexpected, the tool takes no arguments", "x".repeat(60));
    told_of_all(json!({ "type": "object", "additionalProperties": false }), json!({ long: 1 }), &[&expected]);
}

#[test]
fn of_alternatives_the_one_that_was_meant_is_told() {
    let shape = |kind: &str, name: &str| {
        json!({
            "type": "object",
            "properties": { "kind": { "const": kind }, name: { "type": "integer" } },
            "required": ["kind", name],
        })
    };
    let either = json!({ "oneOf": [shape("circle", "radius"), shape("square", "side")] });
    told(either.clone(), json!({ "kind": "square" }), &["/p/side: missing, but required"]);
    told(
        either.clone(),
        json!({ "kind": "cricle", "radius": 1 }),
        &[r#"/p/kind: expected one of "circle", "square""#],
    );
    told(either.clone(), json!([]), &["/p: expected an object, got an array"]);
    told(either, json!({}), &["/p: fits none of the 2 alternatives for an object"]);
    let nullable =
        json!({ "anyOf": [{ "type": "array", "items": { "type": "integer" } }, { "type": "null" }] });
    told(nullable.clone(), json!(["x"]), &["/p/0: expected an integer, got a string"]);
    told(nullable, json!(5), &["/p: expected an array or null, got an integer"]);
    let several = json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] });
    told(several, json!(5), &["/p: fits several of the alternatives, but must fit exactly one"]);
}

#[test]
fn an_output_is_not_held_to_what_arguments_are() {
    let schema = compiled(&json!({ "type": "object", "properties": { "n": { "type": "integer" } } }));
    let check = |text: &str| schema.check(&serde_json::from_str(text).unwrap());
    check(r#"{"n":340282366920938463463374607431768211455}"#).unwrap();
    check(r#"{"n":1.0}"#).unwrap();
    assert_eq!(
        check(r#"{"n":"1"}"#).unwrap_err().report("T:"),
        "T:\n- /n: expected an integer, got a string"
    );
    check(r#"{"n":null}"#).unwrap_err();
    let none = compiled(&json!({ "type": "object", "additionalProperties": false }));
    let report = none.check(&json!({ "a": 1 })).unwrap_err().report("");
    assert_eq!(report, "\n- /a: unexpected, there may be no properties");
}

#[cfg(feature = "json-schema")]
#[test]
fn other_keywords_are_told_without_the_value() {
    let told_once = |property: Value, value: Value, expected: &[&str]| told(property, value, expected);
    told_once(
        json!({ "type": "string", "pattern": "^a$" }),
        json!("secret"),
        &[r#"/p: value does not match "^a$""#],
    );
    told_once(
        json!({ "type": "string", "pattern": "^a$" }),
        json!(5),
        &["/p: expected a string, got an integer"],
    );
    told_once(
        json!({ "if": true, "then": { "required": ["a"] } }),
        json!({}),
        &["/p/a: missing, but required"],
    );
    told_once(
        json!({ "properties": { "a": {} }, "unevaluatedProperties": false }),
        json!({ "secret": 1 }),
        &["/p/secret: unexpected"],
    );
    told_once(
        json!({ "propertyNames": { "maxLength": 3 } }),
        json!({ "secret": 1 }),
        &["/p: has a name that is not allowed: value is longer than 3 characters"],
    );
    told_once(
        json!({ "prefixItems": [{}], "unevaluatedItems": false }),
        json!([1, "secret"]),
        &["/p: has items that are not allowed"],
    );
    told_once(
        json!({ "if": true, "then": { "type": "integer" } }),
        json!("x"),
        &["/p: expected an integer, got a string"],
    );
}
