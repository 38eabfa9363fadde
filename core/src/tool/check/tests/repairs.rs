//! What is mended, and what is not.

use serde_json::{Value, json};

use super::{Repairs, compiled, sent};

/// `property` gets `value`, and the handler sees `expected`; not so when the setting is off.
#[track_caller]
fn mended(property: Value, value: Value, expected: Value, off: Repairs) {
    assert_eq!(sent(&property, &value, Repairs::ALL), Ok(expected.clone()), "{property} {value}");
    assert_ne!(sent(&property, &value, off), Ok(expected), "{property} {value} without the repair");
}

#[track_caller]
fn refused(property: Value, value: Value) {
    sent(&property, &value, Repairs::ALL).expect_err(&format!("{property} {value}"));
}

/// Valid as it is, and not touched.
#[track_caller]
fn kept(property: Value, value: Value) {
    for repairs in [Repairs::ALL, Repairs::NONE] {
        assert_eq!(sent(&property, &value, repairs), Ok(value.clone()), "{property}");
    }
}

fn integer() -> Value {
    json!({ "type": "integer" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn strings() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn any_of(branches: &[Value]) -> Value {
    json!({ "anyOf": branches })
}

const NO_DIGITS: Repairs = Repairs { numeric_strings: false, ..Repairs::ALL };
const NO_FLOATS: Repairs = Repairs { integral_floats: false, ..Repairs::ALL };
const NO_JSON: Repairs = Repairs { json_strings: false, ..Repairs::ALL };
const NO_NULL: Repairs = Repairs { null_as_absent: false, ..Repairs::ALL };

// Strings of digits

#[test]
fn a_string_of_digits_is_a_number_where_no_string_is_valid() {
    mended(integer(), json!("25"), json!(25), NO_DIGITS);
    mended(integer(), json!("-3"), json!(-3), NO_DIGITS);
    mended(number(), json!("25"), json!(25), NO_DIGITS);
    mended(number(), json!("-2.5"), json!(-2.5), NO_DIGITS);
    mended(integer(), json!("18446744073709551615"), json!(u64::MAX), NO_DIGITS);
    mended(integer(), json!("-9223372036854775808"), json!(i64::MIN), NO_DIGITS);
    mended(integer(), json!("9007199254740993"), json!(9_007_199_254_740_993_u64), NO_DIGITS);
    mended(json!({ "type": ["integer", "null"] }), json!("7"), json!(7), NO_DIGITS);
    mended(json!({ "type": "integer", "enum": [1, 2] }), json!("2"), json!(2), NO_DIGITS);
}

#[test]
fn a_string_that_is_not_plainly_a_number_stays_one() {
    for text in
        ["1e3", "0x10", " 25 ", "", "+5", "025", "25.5", "25.0", "NaN", "-", "1_000", "1,5", "true", "null"]
    {
        refused(integer(), json!(text));
    }
    for text in ["1e3", "0x10", " 2.5 ", "", "+5", "025", ".5", "5.", "NaN", "inf", "18446744073709551617"] {
        refused(number(), json!(text));
    }
    refused(integer(), json!("18446744073709551616"));
    refused(integer(), json!("100000000000000000000"));
}

#[test]
fn a_mended_number_obeys_the_other_keywords() {
    refused(json!({ "type": "integer", "minimum": 1, "maximum": 100 }), json!("0"));
    refused(json!({ "type": "integer", "enum": [1, 2] }), json!("3"));
    refused(json!({ "minimum": 1, "allOf": [{ "type": "integer" }] }), json!("0"));
    mended(json!({ "minimum": 1, "allOf": [{ "type": "integer" }] }), json!("1"), json!(1), NO_DIGITS);
}

#[test]
fn a_string_stays_one_where_strings_are_valid() {
    for property in
        [json!({}), json!(true), json!({ "type": ["string", "integer"] }), json!({ "minimum": 5 })]
    {
        kept(property, json!("25"));
    }
    kept(any_of(&[integer(), json!({ "type": "string" })]), json!("25"));
    kept(any_of(&[json!({ "type": "string" }), strings()]), json!("[\"a\"]"));
    refused(json!({ "type": ["string", "integer"], "maxLength": 1 }), json!("25"));
}

// Floats

#[test]
fn a_float_without_a_fraction_is_an_integer() {
    mended(integer(), json!(25.0), json!(25), NO_FLOATS);
    mended(integer(), json!(-1e3), json!(-1000), NO_FLOATS);
    mended(integer(), json!(-0.0), json!(0), NO_FLOATS);
    mended(integer(), json!(9_007_199_254_740_991.0), json!(9_007_199_254_740_991_i64), NO_FLOATS);
    mended(
        json!({ "$ref": "#/properties/p/$defs/n", "$defs": { "n": { "type": "integer" } } }),
        json!(1.0),
        json!(1),
        NO_FLOATS,
    );
    let off = sent(&integer(), &json!(25.0), NO_FLOATS);
    assert_eq!(off, Ok(json!(25.0)), "JSON Schema calls it an integer all the same");
}

#[test]
fn a_float_stays_one_where_floats_are_valid() {
    kept(number(), json!(25.0));
    kept(json!({}), json!(25.0));
    kept(json!({ "enum": [25] }), json!(25.0));
    kept(any_of(&[integer(), number()]), json!(25.0));
    refused(integer(), json!(25.5));
}

#[test]
fn an_integer_arrives_unchanged_or_not_at_all() {
    for value in [i64::MIN, i64::MAX, 9_007_199_254_740_993, -9_007_199_254_740_993] {
        kept(integer(), json!(value));
    }
    kept(integer(), json!(u64::MAX));
    for text in
        ["18446744073709551616", "-9223372036854775809", "1e20", "1e300", "9007199254740993.0", "1e18"]
    {
        let wide: Value = serde_json::from_str(text).unwrap();
        refused(integer(), wide.clone());
        refused(json!({ "type": ["integer", "string"] }), wide.clone());
        refused(json!({ "type": "array", "items": { "type": "integer" } }), json!([1, wide]));
        refused(any_of(&[integer(), json!({ "type": "integer", "minimum": 0 })]), wide.clone());
        kept(number(), wide.clone());
        kept(any_of(&[integer(), number()]), wide.clone());
        kept(json!({}), wide);
    }
}

// JSON in strings

#[test]
fn json_in_a_string_is_decoded_where_an_array_or_object_is_wanted() {
    let object = || json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    mended(strings(), json!(r#"["x","y"]"#), json!(["x", "y"]), NO_JSON);
    mended(strings(), json!(" [ ]\n"), json!([]), NO_JSON);
    mended(object(), json!(r#"{"n":1,"more":[]}"#), json!({ "n": 1, "more": [] }), NO_JSON);
    mended(object(), json!(r#"{"n":"1"}"#), json!({ "n": 1 }), NO_JSON);
    mended(json!({ "type": ["array", "object", "null"] }), json!("{}"), json!({}), NO_JSON);
    mended(json!({ "type": ["array", "integer"] }), json!("[5]"), json!([5]), NO_JSON);
    mended(json!({ "type": ["array", "integer"] }), json!("5"), json!(5), NO_DIGITS);
}

#[test]
fn json_in_a_string_is_decoded_once() {
    refused(strings(), json!(json!(r#"["x"]"#).to_string()));
    refused(json!({ "type": "array", "items": strings() }), json!(r#"["[\"x\"]"]"#));
    mended(json!({ "type": "array", "items": strings() }), json!([r#"["x"]"#]), json!([["x"]]), NO_JSON);
}

#[test]
fn what_was_decoded_is_checked() {
    refused(strings(), json!("[1]"));
    refused(strings(), json!("{}"));
    refused(strings(), json!("[\"x\""));
    refused(strings(), json!("[\"x\"] and more"));
    refused(strings(), json!("x"));
    refused(strings(), json!("x, y"));
    refused(strings(), json!(r#"["\ud800"]"#));
    refused(json!({ "type": "object", "required": ["n"] }), json!("{}"));
}

#[test]
fn what_was_decoded_nests_as_deep_as_bodies_may() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let array = json!({ "type": "array" });
    // Around it: the message, its params, the arguments.
    assert!(sent(&array, &json!(nested(125)), Repairs::ALL).is_ok());
    refused(array.clone(), json!(nested(126)));
    refused(array, json!(nested(100_000)));
}

// Null

#[test]
fn null_for_an_optional_property_is_no_property() {
    mended(json!({ "type": "string" }), json!(null), json!("ABSENT"), NO_NULL);
    mended(json!({ "enum": ["a"] }), json!(null), json!("ABSENT"), NO_NULL);
    mended(any_of(&[integer(), strings()]), json!(null), json!("ABSENT"), NO_NULL);
    let deep = json!({ "type": "object", "properties": { "a": { "type": "object", "properties": { "b": integer() } } } });
    mended(deep, json!({ "a": { "b": null } }), json!({ "a": {} }), NO_NULL);
    let list = json!({ "type": "array", "items": { "properties": { "a": integer() } } });
    mended(list, json!([{ "a": null }, { "a": 1 }]), json!([{}, { "a": 1 }]), NO_NULL);
}

#[test]
fn null_stays_where_null_is_valid() {
    for property in [
        json!({}),
        json!({ "type": "null" }),
        json!({ "type": ["string", "null"] }),
        json!({ "enum": ["a", null] }),
        any_of(&[integer(), json!({ "type": "null" })]),
    ] {
        kept(property, json!(null));
    }
    kept(json!({ "type": "object" }), json!({ "undeclared": null }));
}

#[test]
fn null_for_anything_else_is_refused() {
    refused(
        json!({ "type": "object", "properties": { "a": integer() }, "required": ["a"] }),
        json!({ "a": null }),
    );
    refused(json!({ "type": "object", "additionalProperties": integer() }), json!({ "a": null }));
    refused(json!({ "type": "object", "additionalProperties": false }), json!({ "a": null }));
    refused(strings(), json!([null]));
}

#[test]
fn the_order_of_the_other_arguments_stays() {
    let schema = compiled(&json!({ "type": "object", "properties": {
        "a": integer(), "b": integer(), "c": integer(), "d": integer(),
    } }));
    let Value::Object(arguments) = json!({ "d": 1, "b": null, "a": "2", "x": 0, "c": 3 }) else {
        unreachable!()
    };
    let arguments = schema.check_arguments(arguments, Repairs::ALL).unwrap();
    assert_eq!(serde_json::to_string(arguments.as_json()).unwrap(), r#"{"d":1,"a":2,"x":0,"c":3}"#);
}

// Nothing else

#[test]
fn nothing_is_made_of_another_type() {
    refused(json!({ "type": "boolean" }), json!("true"));
    refused(json!({ "type": "boolean" }), json!(1));
    refused(json!({ "type": "string" }), json!(5));
    refused(json!({ "type": "string" }), json!(true));
    refused(json!({ "type": "string" }), json!(["a"]));
    refused(strings(), json!({ "0": "a" }));
    refused(strings(), json!("a"));
    refused(json!({ "type": "array", "items": integer() }), json!(5));
    refused(integer(), json!(true));
    refused(integer(), json!([5]));
    refused(json!({ "type": "null" }), json!("null"));
    refused(json!({ "type": "object" }), json!([]));
}

// Alternatives

#[test]
fn a_value_is_mended_for_the_one_branch_that_would_take_it() {
    let object = |name: &str, schema: Value| json!({ "type": "object", "properties": { name: schema }, "required": [name] });
    let either = any_of(&[object("a", integer()), object("b", integer())]);
    mended(either.clone(), json!({ "b": "5" }), json!({ "b": 5 }), NO_DIGITS);
    mended(either.clone(), json!(r#"{"b":5}"#), json!({ "b": 5 }), NO_JSON);
    mended(any_of(&[integer(), json!({ "enum": ["all"] })]), json!("25"), json!(25), NO_DIGITS);
    mended(
        any_of(&[object("a", integer()), json!({ "type": "null" })]),
        json!({ "a": 5.0 }),
        json!({ "a": 5 }),
        NO_FLOATS,
    );
    let one = json!({ "oneOf": [object("a", integer()), object("b", integer())] });
    mended(one.clone(), json!({ "b": "5" }), json!({ "b": 5 }), NO_DIGITS);
    kept(one, json!({ "a": 1, "b": "5" }));
    refused(either, json!({ "c": "5" }));
}

#[test]
fn a_value_that_could_be_mended_in_two_ways_is_refused() {
    let with = |schema: Value| json!({ "properties": { "a": schema }, "required": ["a"], "type": "object" });
    let two = any_of(&[with(json!({ "type": "integer" })), with(json!({ "type": "array" }))]);
    refused(two, json!({ "a": "x" }));
    let optional =
        json!({ "type": "object", "properties": { "a": integer(), "n": integer() }, "required": ["a"] });
    let two = any_of(&[optional, with(json!({ "type": ["integer", "array"] }))]);
    // Without `n`, or with it.
    refused(two.clone(), json!({ "a": "1", "n": null }));
    mended(two, json!({ "a": "1", "n": 1 }), json!({ "a": 1, "n": 1 }), NO_DIGITS);
}

#[test]
fn recursive_arguments_are_mended_at_every_level() {
    let tree = json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/node" } },
        "$defs": { "node": {
            "type": "object",
            "properties": {
                "value": { "type": "integer" },
                "next": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] },
            },
            "required": ["value", "next"],
        } },
    });
    let nested =
        |value: Value| json!({ "root": { "value": value, "next": { "value": value, "next": null } } });
    let Value::Object(arguments) = nested(json!("7")) else { unreachable!() };
    let arguments = compiled(&tree).check_arguments(arguments, Repairs::ALL).unwrap();
    assert_eq!(Value::Object(arguments.as_json().clone()), nested(json!(7)));
}

// Schemas that are not walked whole

#[cfg(feature = "json-schema")]
#[test]
fn arguments_are_mended_before_another_keyword_has_its_say() {
    let even = json!({ "type": "integer", "multipleOf": 2 });
    mended(even.clone(), json!("4"), json!(4), NO_DIGITS);
    mended(even.clone(), json!(4.0), json!(4), NO_FLOATS);
    refused(even, json!("5"));
    let lower = json!({ "type": "string", "pattern": "^[a-z]+$" });
    mended(lower.clone(), json!(null), json!("ABSENT"), NO_NULL);
    refused(lower, json!("A"));
    let list = json!({ "type": "array", "contains": { "const": 1 }, "items": { "type": "integer" } });
    mended(list.clone(), json!("[1]"), json!([1]), NO_JSON);
    mended(list.clone(), json!(["1", "2"]), json!([1, 2]), NO_DIGITS);
    refused(list, json!(["2"]));
}

#[cfg(feature = "json-schema")]
#[test]
fn alternatives_with_another_keyword_are_not_mended() {
    let either = any_of(&[
        json!({ "type": "integer", "multipleOf": 2 }),
        json!({ "type": "integer", "multipleOf": 3 }),
    ]);
    // All branches want integers.
    mended(either, json!("3"), json!(3), NO_DIGITS);
    let object = |multiple: u8| json!({ "type": "object", "properties": { "n": { "type": "integer", "multipleOf": multiple } } });
    refused(any_of(&[object(2), object(3)]), json!({ "n": "3" }));
}

#[cfg(feature = "json-schema")]
#[test]
fn names_that_match_a_pattern_are_not_additional() {
    let schema = json!({
        "type": "object",
        "patternProperties": { "^x-": { "type": "string" } },
        "additionalProperties": { "type": "integer" },
    });
    kept(schema.clone(), json!({ "x-a": "25", "n": 1 }));
    refused(schema, json!({ "n": "25" }));
}
