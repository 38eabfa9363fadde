//! Which arguments need no value, but their text.

use serde_json::{Value, json};

use super::compiled;

#[track_caller]
fn takes(property: &Value, value: &str, expected: bool) {
    let schema = json!({ "type": "object", "properties": { "p": property }, "required": ["p"] });
    assert_eq!(compiled(&schema).takes_text(&format!(r#"{{"p":{value}}}"#)), expected, "{property}: {value}");
}

#[test]
fn what_most_arguments_are_is_taken_as_text() {
    takes(&json!({ "type": "string" }), r#""a \\ b""#, true);
    takes(&json!({ "type": "string", "maxLength": 3, "minLength": 1 }), r#""aaaa""#, false);
    takes(&json!({ "type": "string", "maxLength": 4, "minLength": 1 }), r#""aaaa""#, true);
    takes(&json!({ "type": "string", "minLength": 1 }), r#""a""#, true);
    takes(&json!({ "type": "string", "minLength": 1 }), r#""""#, false);
    takes(&json!({ "enum": ["a", "b"] }), r#""b""#, true);
    takes(&json!({ "enum": ["a", "b"] }), r#""c""#, false);
    takes(&json!({ "type": "integer", "minimum": 0, "maximum": 255 }), "255", true);
    takes(&json!({ "type": "integer", "minimum": 0, "maximum": 255 }), "256", false);
    takes(&json!({ "type": "integer" }), "-9223372036854775808", true);
    takes(&json!({ "type": "integer" }), "18446744073709551615", true);
    takes(&json!({ "type": "number" }), "2.5", true);
    takes(&json!({ "type": "number" }), "-7", true);
    takes(&json!({ "type": "boolean" }), "true", true);
    takes(&json!({ "type": ["string", "null"] }), "null", true);
    takes(&json!({ "type": "array", "items": { "type": "string" }, "maxItems": 2 }), r#"["a", "b"]"#, true);
    takes(
        &json!({ "type": "array", "items": { "type": "string" }, "maxItems": 2 }),
        r#"["a", "b", "c"]"#,
        false,
    );
    takes(&json!({ "type": "object", "additionalProperties": { "type": "integer" } }), r#"{"a":1}"#, true);
    takes(&json!({}), r#"[{"a":[null,{}]}]"#, true);
}

#[test]
fn what_may_need_mending_is_not_taken_as_text() {
    takes(&json!({ "type": "integer" }), r#""7""#, false);
    takes(&json!({ "type": "integer" }), "7.0", false);
    takes(&json!({ "type": "integer" }), "-0", false);
    takes(&json!({ "type": "integer" }), "18446744073709551616", false);
    takes(&json!({ "type": "number" }), "1e999", false);
    takes(&json!({ "type": "array" }), r#""[]""#, false);
    takes(&json!({ "type": "string" }), "null", false);
    takes(&json!({ "type": "integer", "enum": ["a"] }), r#""a""#, false);
}

#[test]
fn a_number_that_no_value_holds_is_not_taken_as_text_wherever_it_is() {
    for number in ["1e999", "-1E400", "1e309"] {
        for value in [number.to_owned(), format!("[{number}]"), format!(r#"{{"a":[{{"b":{number}}}]}}"#)] {
            takes(&json!({}), &value, false);
            takes(&json!({ "type": ["array", "object", "number"] }), &value, false);
        }
        assert!(!compiled(&json!({ "type": "object" })).takes_text(&format!(r#"{{"undeclared":{number}}}"#)));
    }
    takes(&json!({}), r#"[1e300,"1e999",{"1e999":-2.5e-400}]"#, true);
}

#[test]
fn properties_come_in_any_order_but_once() {
    let schema = compiled(&json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" }, "c": {} },
        "required": ["b", "a"],
    }));
    for (text, expected) in [
        (r#"{"a":1,"b":2}"#, true),
        (r#" { "c" : [] , "b" : 2 , "x" : 0 , "a" : 1 } "#, true),
        (r#"{"a":1}"#, false),
        (r#"{"a":1,"a":1,"b":2}"#, false),
        (r#"{"a":1,"\u0061":1,"b":2}"#, false),
        (r#"{"a":1,"a":1}"#, false),
    ] {
        assert_eq!(schema.takes_text(text), expected, "{text}");
    }
    let closed = compiled(&json!({ "type": "object", "additionalProperties": false }));
    assert!(closed.takes_text("{}") && !closed.takes_text(r#"{"a":1}"#));
}
