//! Which schemas are refused at registration, and which are walked whole.

use serde_json::{Value, json};

use super::super::compile::compile;
use super::{compiled, try_compiled};
use crate::tool::schema::{Dialect, SchemaError, inspect};

#[path = "../../../../tests/types/mod.rs"]
#[allow(
    dead_code,
    clippy::arithmetic_side_effects,
    reason = "the schemas themselves are looked at elsewhere"
)]
mod types;

#[track_caller]
fn refused(schema: Value) -> SchemaError {
    try_compiled(&schema).expect_err(&schema.to_string())
}

#[track_caller]
fn invalid(schema: Value, at: &str) {
    for (schema, at) in [
        (schema.clone(), at.to_owned()),
        // Deep inside, under keywords that are not walked, and where nothing refers to.
        (json!({ "properties": { "a/b": { "items": schema } } }), format!("/properties/a~1b/items{at}")),
        (json!({ "not": { "if": schema } }), format!("/not/if{at}")),
        (json!({ "$defs": { "unused": schema } }), format!("/$defs/unused{at}")),
    ] {
        let error = refused(schema);
        let SchemaError::Invalid { at: found, .. } = &error else { panic!("{error}") };
        assert_eq!(*found, at, "{error}");
    }
}

#[test]
fn a_keyword_has_a_value_of_its_kind() {
    for kind in
        [json!("objekt"), json!(5), json!(null), json!([]), json!(["string", 5]), json!(["null", "null"])]
    {
        invalid(json!({ "type": kind }), "/type");
    }
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        invalid(json!({ keyword: "1" }), &format!("/{keyword}"));
        invalid(json!({ keyword: true }), &format!("/{keyword}"));
    }
    for keyword in ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] {
        for size in [json!(-1), json!(1.5), json!("1"), json!(null), json!(-1.0)] {
            invalid(json!({ keyword: size }), &format!("/{keyword}"));
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        for list in [json!([]), json!({}), json!(true)] {
            invalid(json!({ keyword: list }), &format!("/{keyword}"));
        }
        invalid(json!({ keyword: [true, 5] }), &format!("/{keyword}/1"));
    }
    for keyword in ["properties", "$defs"] {
        invalid(json!({ keyword: [] }), &format!("/{keyword}"));
        invalid(json!({ keyword: { "a": "string" } }), &format!("/{keyword}/a"));
    }
    for names in [json!("a"), json!(["a", 5]), json!(["a", "a"]), json!({}), json!(true)] {
        invalid(json!({ "required": names }), "/required");
    }
    invalid(json!({ "enum": 5 }), "/enum");
    invalid(json!({ "items": [{}] }), "/items");
    invalid(json!({ "items": 5 }), "/items");
    invalid(json!({ "additionalProperties": "no" }), "/additionalProperties");
    invalid(json!({ "uniqueItems": 1 }), "/uniqueItems");
    invalid(json!({ "$ref": 5 }), "/$ref");
    for keyword in ["title", "description", "$comment", "format"] {
        invalid(json!({ keyword: 5 }), &format!("/{keyword}"));
    }
    invalid(json!({ "deprecated": "yes" }), "/deprecated");
    invalid(json!({ "examples": 5 }), "/examples");
}

#[test]
fn sizes_may_be_written_as_floats_and_be_vast() {
    compiled(
        &json!({ "minLength": 3.0, "maxLength": 1e300, "maxItems": u64::MAX, "required": [], "enum": [] }),
    );
}

#[test]
fn a_reference_leads_somewhere() {
    for uri in ["#/$defs/none", "#/properties/q", "#/"] {
        let error = refused(json!({ "properties": { "p": { "$ref": uri } } }));
        assert!(matches!(&error, SchemaError::Invalid { at, .. } if at == "/properties/p/$ref"), "{error}");
    }
}

#[test]
fn a_reference_without_progress_is_refused() {
    #[track_caller]
    fn endless(schema: Value) {
        let error = refused(schema);
        assert!(matches!(error, SchemaError::Endless(_)), "{error}");
    }
    endless(json!({ "$ref": "#" }));
    endless(json!({ "$defs": { "a": { "$ref": "#/$defs/a" } } }));
    endless(json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }));
    endless(json!({ "$defs": { "a": { "minimum": 1, "$ref": "#/$defs/a" } } }));
    for keyword in ["anyOf", "oneOf", "allOf"] {
        endless(json!({ "$defs": { "a": { keyword: [true, { "$ref": "#/$defs/a" }] } } }));
    }
    for keyword in ["not", "if", "then", "else"] {
        endless(json!({ "$defs": { "a": { keyword: { "$ref": "#/$defs/a" } } } }));
    }
    endless(json!({ "$defs": { "a": { "dependentSchemas": { "x": { "$ref": "#/$defs/a" } } } } }));
}

#[test]
fn a_reference_with_progress_is_taken() {
    for schema in [
        json!({ "properties": { "self": { "$ref": "#" } } }),
        json!({ "items": { "$ref": "#" }, "prefixItems": [{ "$ref": "#" }] }),
        json!({ "additionalProperties": { "$ref": "#" } }),
        json!({ "anyOf": [{ "type": "string" }, { "items": { "$ref": "#" } }] }),
        json!({ "$ref": "#/$defs/a~1b~0%C3%A9%20", "$defs": { "a/b~é ": true } }),
        json!({ "$ref": "#/properties/p/items", "properties": { "p": { "items": true } } }),
    ] {
        compiled(&schema);
    }
}

#[test]
fn a_long_chain_of_references_is_too_deep() {
    let chain = |length: usize| {
        let link = |n: usize| (format!("d{n}"), json!({ "$ref": format!("#/$defs/d{}", n + 1) }));
        let mut links: serde_json::Map<String, Value> = (0..length).map(link).collect();
        links.insert(format!("d{length}"), json!({ "type": "string" }));
        json!({ "$ref": "#/$defs/d0", "$defs": links })
    };
    compiled(&chain(50)).check(&json!(5)).unwrap_err();
    assert_eq!(refused(chain(9_000)), SchemaError::TooDeep);
}

#[track_caller]
fn walked(schema: Value, expected: Option<&str>) {
    let unread = compile(&schema, inspect(&schema).unwrap()).unwrap().unread;
    assert_eq!(unread.map(|(keyword, _)| keyword).as_deref(), expected, "{schema}");
}

#[test]
fn annotations_need_nothing_else() {
    walked(
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "t", "description": "d", "default": 5, "examples": [1], "format": "date", "$comment": "c",
            "deprecated": true, "readOnly": true, "writeOnly": false, "x-mcp-header": "A", "x-anything": [],
            "contentEncoding": "base64", "contentMediaType": "text/plain", "contentSchema": true,
        }),
        None,
    );
}

#[test]
fn other_keywords_are_not_walked() {
    for (keyword, value) in [
        ("pattern", json!("a")),
        ("patternProperties", json!({})),
        ("propertyNames", json!({})),
        ("not", json!({})),
        ("if", json!({})),
        ("then", json!({})),
        ("else", json!({})),
        ("contains", json!({})),
        ("minContains", json!(1)),
        ("multipleOf", json!(2)),
        ("dependentRequired", json!({})),
        ("dependentSchemas", json!({})),
        ("unevaluatedProperties", json!(false)),
        ("unevaluatedItems", json!(false)),
        ("$dynamicRef", json!("#a")),
        ("$anchor", json!("a")),
        ("$id", json!("https://example.com/a")),
        ("nullable", json!(true)),
    ] {
        walked(json!({ "properties": { "p": { keyword: value } } }), Some(keyword));
    }
    walked(json!({ "$ref": "#a", "$defs": { "a": { "$anchor": "a" } } }), Some("$ref"));
    walked(
        json!({ "properties": { "p": { "$schema": "https://json-schema.org/draft/2020-12/schema" } } }),
        Some("$schema"),
    );
}

#[test]
fn older_dialects_are_walked_where_they_agree() {
    let older = |dialect: &str, rest: Value| {
        let mut schema = rest;
        schema["$schema"] = json!(dialect);
        schema
    };
    for dialect in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"]
    {
        walked(older(dialect, json!({ "properties": { "p": { "items": { "type": "string" } } } })), None);
        walked(
            older(dialect, json!({ "definitions": { "a": {} }, "items": { "$ref": "#/definitions/a" } })),
            None,
        );
        walked(older(dialect, json!({ "items": [{}] })), Some("items"));
        walked(older(dialect, json!({ "prefixItems": [{}] })), Some("prefixItems"));
    }
    let beside = json!({ "properties": { "p": { "$ref": "#/properties/q", "minimum": 5 }, "q": {} } });
    walked(older("http://json-schema.org/draft-07/schema#", beside.clone()), Some("$ref"));
    walked(older("https://json-schema.org/draft/2019-09/schema", beside), None);
}

#[test]
fn what_types_derive_is_walked_whole() {
    use schemars::JsonSchema;
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema matters")]
    struct Everything {
        text: String,
        small: u8,
        wide: Option<i64>,
        ratio: f32,
        list: Vec<Option<String>>,
        set: BTreeSet<u16>,
        map: HashMap<String, Vec<i8>>,
        tuple: (u8, String),
        fixed: [u8; 3],
        unit: (),
        kind: Kind,
        shape: Option<Shape>,
        untagged: Untagged,
        external: External,
        node: Option<Box<Node>>,
        any: Value,
        #[schemars(length(min = 1, max = 5), range(min = 1))]
        bounded: String,
        #[serde(flatten)]
        more: BTreeMap<String, String>,
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema matters")]
    enum Kind {
        /// Documented.
        A,
        B,
    }
    #[derive(JsonSchema)]
    #[serde(tag = "kind", deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema matters")]
    enum Shape {
        Circle { radius: f64 },
        Square { side: f64 },
    }
    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only the schema matters")]
    enum Untagged {
        Number(i64),
        Text(String),
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema matters")]
    enum External {
        Unit,
        New(u8),
        Struct { a: u8 },
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema matters")]
    struct Node {
        children: Vec<Node>,
    }
    walked(crate::tool::schema::derive::<Everything>(), None);
}

#[test]
fn the_schemas_of_all_types_are_walked_whole() {
    for case in types::all() {
        let tool = case.tool().build().unwrap();
        walked(tool.input_schema().clone(), None);
        walked(tool.output_schema().cloned().unwrap_or_else(|| json!({})), None);
    }
}

#[cfg(not(feature = "json-schema"))]
#[test]
fn a_keyword_that_would_be_ignored_is_refused() {
    let error = refused(json!({ "type": "object", "properties": { "a": { "pattern": "x" } } }));
    let expected =
        SchemaError::UnsupportedKeyword { keyword: "pattern".to_owned(), at: "/properties/a".to_owned() };
    assert_eq!(error, expected);
}

#[test]
fn a_dialect_has_its_own_rules() {
    let schema = json!({ "items": [{}] });
    assert!(compile(&schema, Dialect::Draft202012).is_err());
    assert!(compile(&schema, Dialect::Draft201909).is_ok());
}
