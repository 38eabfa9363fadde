//! What a tool may publish, and what is refused before anybody sees it.

use std::borrow::Cow;

use mcp_http::{Revision, Server, Tool, ToolBuilder, ToolSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::request::{LEGACY, Request};
use crate::tools::{mirror, serving};

#[track_caller]
fn refused(tool: ToolBuilder, name: &str, reason: &str) {
    let error = ToolSet::new().add(tool).unwrap_err().to_string();
    assert!(error.contains(&format!("{name:?}")), "names the tool: {error}");
    assert!(error.to_lowercase().contains(&reason.to_lowercase()), "{reason:?} in: {error}");
}

#[track_caller]
fn input_refused(schema: Value, reason: &str) {
    refused(mirror("culprit", schema.clone()), "culprit", reason);
    // Other registries build their tools themselves.
    let error = mirror("culprit", schema).build().unwrap_err().to_string();
    assert!(error.contains("culprit"), "{error}");
}

#[track_caller]
fn input_taken(schema: Value) {
    let server = serving([mirror("good", schema)]).build().unwrap();
    for revision in Revision::ALL {
        Request::list(revision).send(&server).result();
    }
}

#[track_caller]
fn output_refused(schema: Value, reason: &str) {
    refused(Tool::builder("culprit").output_schema(schema).handler(|| "x"), "culprit", reason);
}

// Names

#[test]
fn a_name_is_1_to_128_letters_digits_and_three_marks() {
    let named = |name: &str| Tool::builder(name).handler(|| "x");
    let longest = "x".repeat(128);
    for good in ["a", "A-1", "_", "get.user_2", ".", &longest] {
        ToolSet::new().add(named(good)).unwrap();
    }
    let long = "x".repeat(129);
    for bad in ["", "a b", "a/b", "é", "a:b", "a,b", "a\n", "a\u{200b}", "名", &long] {
        refused(named(bad), bad, "name");
    }
}

#[test]
fn any_name_will_do_when_that_was_said() {
    let set = ToolSet::new();
    set.add(Tool::builder("get user / é").allow_any_name().handler(|| "x")).unwrap();
    refused(Tool::builder("").allow_any_name().handler(|| "x"), "", "name");
}

#[test]
fn names_are_unique_and_case_counts() {
    let set = ToolSet::new();
    set.add(Tool::builder("a").handler(|| "first")).unwrap();
    set.add(Tool::builder("A").handler(|| "other")).unwrap();
    let error = set.add(Tool::builder("a").handler(|| "second")).unwrap_err().to_string();
    assert!(error.contains("\"a\""), "{error}");
    let server = Server::builder("tests", "1").tools(set.clone()).build().unwrap();
    for revision in Revision::ALL {
        let call = |name| Request::call(revision, name, json!({})).send(&server);
        assert_eq!(call("a").tool_result()["content"][0]["text"], "first");
        assert_eq!(call("A").tool_result()["content"][0]["text"], "other");
    }
    assert!(set.remove("a") && !set.remove("a"));
    for revision in Revision::ALL {
        Request::call(revision, "a", json!({})).send(&server).is_error(200, -32602);
        assert_eq!(Request::list(revision).send(&server).result()["tools"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_tool_needs_something_that_runs_it() {
    refused(Tool::builder("idle"), "idle", "handler");
}

// Roots

#[test]
fn the_root_of_an_input_schema_is_of_type_object() {
    for root in [
        json!({}),
        json!(true),
        json!(null),
        json!("object"),
        json!([]),
        json!({ "type": "array" }),
        json!({ "type": ["object"] }),
        json!({ "type": ["object", "null"] }),
        json!({ "type": null }),
        json!({ "properties": { "a": {} } }),
        json!({ "anyOf": [{ "type": "object" }] }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } }),
    ] {
        input_refused(root, "");
    }
    input_refused(json!({ "type": "string" }), "object");
}

#[test]
fn an_output_schema_may_have_any_root() {
    for root in
        [json!({}), json!({ "type": "null" }), json!({ "enum": [1] }), json!({ "type": ["string", "null"] })]
    {
        ToolSet::new().add(Tool::builder("a").output_schema(root).handler(|| "x")).unwrap();
    }
    output_refused(json!({ "type": "strnig" }), "");
    output_refused(json!("string"), "");
    output_refused(json!([]), "");
}

// Validity

#[test]
fn a_schema_is_valid_by_its_dialect() {
    for property in [
        json!({ "type": "objekt" }),
        json!({ "type": 5 }),
        json!({ "minimum": "1" }),
        json!({ "required": "a" }),
        json!({ "enum": 5 }),
        json!({ "pattern": "(" }),
        json!({ "properties": [] }),
        json!({ "items": [{}] }),
        json!({ "maxLength": -1 }),
        json!({ "anyOf": [] }),
        json!("string"),
        json!(5),
        json!(null),
    ] {
        input_refused(json!({ "type": "object", "properties": { "p": property.clone() } }), "");
        output_refused(json!({ "type": "object", "properties": { "p": property } }), "");
    }
    input_refused(json!({ "type": "object", "required": ["a", 5] }), "");
}

#[cfg(feature = "json-schema")]
#[test]
fn each_dialect_has_its_own_rules() {
    let tuple = |dialect: &str| {
        json!({
            "$schema": dialect,
            "type": "object",
            "properties": { "p": { "type": "array", "items": [{ "type": "integer" }] } },
        })
    };
    for older in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
    ] {
        input_taken(tuple(older));
        // And it is checked by them.
        let server = serving([mirror("t", tuple(older))]).build().unwrap();
        for revision in Revision::ALL {
            Request::call(revision, "t", json!({ "p": [1, "x"] })).send(&server).tool_result();
            Request::call(revision, "t", json!({ "p": ["x"] })).send(&server).tool_error();
        }
    }
    input_refused(tuple("https://json-schema.org/draft/2020-12/schema"), "");
    input_taken(json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object" }));
}

#[test]
fn a_dialect_that_is_not_served_is_named() {
    for dialect in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-03/schema#",
        "http://json-schema.org/schema#",
        "https://example.com/my-dialect",
        "https://json-schema.org/draft/2020-12/schema/x",
        "2020-12",
        "",
    ] {
        let schema = json!({ "$schema": dialect, "type": "object" });
        input_refused(schema.clone(), dialect);
        output_refused(schema, dialect);
    }
    for dialect in [json!(null), json!(2020), json!({})] {
        input_refused(json!({ "$schema": dialect, "type": "object" }), "dialect");
    }
}

// References

#[test]
fn nothing_outside_of_the_schema_is_referred_to() {
    for uri in [
        "https://example.com/schema.json",
        "http://127.0.0.1:1/schema.json",
        "HTTP://example.com/schema.json",
        "https://example.com/schema.json#/definitions/a",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "//example.com/schema.json",
        "schema.json",
        "../schema.json",
        "/schema.json",
        "other.json#/a",
        "urn:example:a",
        "ftp://example.com/a",
        "data:application/json,{}",
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            input_refused(json!({ "type": "object", "properties": { "p": { keyword: uri } } }), "");
            input_refused(json!({ "type": "object", "allOf": [{ "not": { keyword: uri } }] }), "");
            output_refused(json!({ "items": { keyword: uri } }), "");
        }
    }
    input_refused(
        json!({ "type": "object", "properties": { "p": { "$ref": "https://example.com/s.json" } } }),
        "https://example.com/s.json",
    );
}

#[test]
fn a_reference_that_leads_nowhere_is_refused() {
    for uri in ["#/$defs/none", "#none", "#/properties/q"] {
        input_refused(json!({ "type": "object", "properties": { "p": { "$ref": uri } } }), "");
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn references_inside_of_the_schema_stay() {
    input_taken(json!({
        "type": "object",
        "properties": { "tree": { "$ref": "#/$defs/node" }, "self": { "$ref": "#" }, "by": { "$ref": "#name" } },
        "$defs": {
            "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } },
            "named": { "$anchor": "name", "type": "string" },
        },
    }));
}

#[test]
fn a_name_that_looks_like_a_keyword_is_just_a_name() {
    input_taken(json!({
        "type": "object",
        "properties": {
            "$ref": { "type": "string" },
            "$schema": { "type": "string" },
            "type": { "type": "integer" },
            "x-mcp-header": { "type": "string" },
        },
        "default": { "$ref": "https://example.com/a" },
        "examples": [{ "$ref": "https://example.com/a", "x-mcp-header": "A" }],
    }));
}

#[cfg(not(feature = "json-schema"))]
#[test]
fn a_keyword_that_would_not_be_checked_is_refused_without_the_feature() {
    for (keyword, value) in [
        ("pattern", json!("^a")),
        ("patternProperties", json!({ "^a": { "type": "string" } })),
        ("propertyNames", json!({ "maxLength": 3 })),
        ("multipleOf", json!(2)),
        ("not", json!({ "type": "string" })),
        ("if", json!({ "required": ["a"] })),
        ("then", json!({ "required": ["a"] })),
        ("else", json!({ "required": ["a"] })),
        ("contains", json!({ "type": "string" })),
        ("minContains", json!(1)),
        ("maxContains", json!(1)),
        ("dependentRequired", json!({ "a": ["b"] })),
        ("dependentSchemas", json!({ "a": { "minProperties": 2 } })),
        ("unevaluatedProperties", json!(false)),
        ("unevaluatedItems", json!(false)),
        ("$dynamicRef", json!("#")),
        ("$id", json!("https://example.com/a")),
        ("$anchor", json!("a")),
        ("no-keyword", json!(true)),
    ] {
        let reason =
            format!("the keyword {keyword:?} at \"/properties/p/items\" needs the feature \"json-schema\"");
        let schema = json!({ "type": "object", "properties": { "p": { "items": { keyword: value } } } });
        input_refused(schema.clone(), &reason);
        output_refused(schema, &reason);
    }
}

// Bounds

fn nested(levels: usize) -> Value {
    // The root is no level below itself.
    (0..levels).fold(json!({}), |inner, _| json!({ "properties": { "p": inner } }))
}

#[test]
fn a_schema_nests_64_levels_at_most() {
    let rooted = |mut schema: Value| {
        schema["type"] = json!("object");
        schema
    };
    assert!(mirror("a", rooted(nested(64))).build().is_ok());
    input_refused(rooted(nested(65)), "64");
    input_refused(rooted(nested(500)), "");
    output_refused(nested(65), "64");
    let mut items = json!({});
    let mut anything = json!({});
    for _ in 0..500 {
        items = json!({ "items": items });
        anything = json!([anything]);
    }
    output_refused(items, "");
    // Not a schema, but a library might walk it.
    input_refused(json!({ "type": "object", "default": anything }), "");
}

#[test]
fn a_schema_has_10000_subschemas_at_most() {
    let wide = |count: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|n| (format!("p{n}"), json!({}))).collect();
        json!({ "type": "object", "properties": properties })
    };
    // The root is one.
    assert!(mirror("a", wide(9_999)).build().is_ok());
    input_refused(wide(10_000), "10000");
    input_refused(json!({ "type": "object", "anyOf": vec![json!({}); 10_000] }), "10000");
}

// x-mcp-header

#[track_caller]
fn header_refused(property: Value) {
    input_refused(json!({ "type": "object", "properties": { "p": property } }), "x-mcp-header");
}

#[test]
fn only_strings_integers_and_booleans_are_mirrored() {
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string"]),
        json!(["string", "null"]),
    ] {
        header_refused(json!({ "type": kind, "x-mcp-header": "P" }));
    }
    header_refused(json!({ "x-mcp-header": "P" }));
    header_refused(json!({ "enum": ["a"], "x-mcp-header": "P" }));
    header_refused(json!({ "anyOf": [{ "type": "string" }], "x-mcp-header": "P" }));
    for kind in ["string", "integer", "boolean"] {
        input_taken(
            json!({ "type": "object", "properties": { "p": { "type": kind, "x-mcp-header": "P" } } }),
        );
    }
}

#[test]
fn the_name_of_a_mirrored_header_is_a_token() {
    let long = "x".repeat(70_000);
    for name in ["", " ", "a b", "a:b", "é", "a\r\nb", "a\tb", "a/b", "\"a\"", "a,b", "(a)", "a\u{0}", &long]
    {
        header_refused(json!({ "type": "string", "x-mcp-header": name }));
    }
    for name in [json!(5), json!(null), json!(["P"]), json!({}), json!(true)] {
        header_refused(json!({ "type": "string", "x-mcp-header": name }));
    }
    for name in ["Region", "a", "X-1_2.3", "!#$%&'*+-.^_`|~"] {
        input_taken(
            json!({ "type": "object", "properties": { "p": { "type": "string", "x-mcp-header": name } } }),
        );
    }
}

#[test]
fn the_name_of_a_mirrored_header_is_unique_without_regard_to_case() {
    let leaf = |name: &str| json!({ "type": "string", "x-mcp-header": name });
    input_refused(
        json!({ "type": "object", "properties": { "a": leaf("Region"), "b": leaf("rEGION") } }),
        "x-mcp-header",
    );
    input_refused(
        json!({ "type": "object", "properties": {
            "a": leaf("Region"),
            "b": { "type": "object", "properties": { "c": leaf("Region") } },
        } }),
        "x-mcp-header",
    );
    input_taken(json!({ "type": "object", "properties": { "a": leaf("Region"), "b": leaf("Region2") } }));
}

#[test]
fn a_mirrored_property_is_reached_through_properties_alone() {
    let leaf = json!({ "type": "string", "x-mcp-header": "P" });
    let object = json!({ "type": "object", "properties": { "q": leaf } });
    input_refused(json!({ "type": "object", "x-mcp-header": "P" }), "x-mcp-header");
    for keyword in [
        "items",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
        "propertyNames",
        "contains",
        "not",
        "if",
        "then",
        "else",
    ] {
        for below in [&leaf, &object] {
            header_refused(json!({ keyword: below }));
            input_refused(json!({ "type": "object", keyword: below }), "x-mcp-header");
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        input_refused(json!({ "type": "object", keyword: [object] }), "x-mcp-header");
    }
    header_refused(json!({ "prefixItems": [leaf] }));
    for keyword in ["$defs", "patternProperties", "dependentSchemas"] {
        input_refused(json!({ "type": "object", keyword: { "x": object } }), "x-mcp-header");
    }
    let older = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "definitions": { "x": object },
    });
    input_refused(older, "x-mcp-header");
    input_taken(
        json!({ "type": "object", "properties": { "a": { "type": "object", "properties": { "b": object } } } }),
    );
}

// Schemas of types

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Small,
    Large,
}

/// A node, and maybe the next.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Node {
    value: u8,
    next: Option<Box<Node>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Inner {
    size: usize,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Everything {
    /// How many.
    zebra: u32,
    ant: i64,
    ratio: f32,
    /// A nickname.
    nick: Option<String>,
    maybe: Option<u16>,
    kind: Kind,
    other_kind: Option<Kind>,
    inner: Inner,
    other_inner: Option<Inner>,
    tags: Vec<u64>,
    any: Value,
    #[serde(default)]
    page: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct AllOptional {
    a: Option<bool>,
}

fn published(tool: ToolBuilder, revision: Revision) -> (String, Value) {
    let server = serving([tool]).build().unwrap();
    let answer = Request::list(revision).send(&server);
    let schema = answer.result()["tools"][0]["inputSchema"].clone();
    (schema.to_string(), schema)
}

#[test]
fn a_derived_schema_has_only_what_every_client_takes() {
    for revision in Revision::ALL {
        let tool = Tool::builder("t").handler(|args: Everything| args.ant);
        let (text, schema) = published(tool, revision);
        for unwanted in
            ["$schema", "$ref", "$defs", "uint", "\"int", "float", "double", "null", "anyOf", "true"]
        {
            let unwanted = if unwanted == "\"int" { "\"int64" } else { unwanted };
            assert!(!text.contains(unwanted), "{unwanted} in {text}");
        }
        assert_eq!(schema["type"], "object");
        let properties = &schema["properties"];
        assert_eq!(properties["zebra"]["description"], "How many.");
        assert_eq!(properties["nick"], json!({ "description": "A nickname.", "type": "string" }));
        assert_eq!(properties["maybe"]["type"], "integer");
        assert_eq!(properties["other_kind"], json!({ "type": "string", "enum": ["small", "large"] }));
        assert_eq!(properties["other_inner"]["type"], "object");
        assert_eq!(properties["any"], json!({}));
        let required = ["zebra", "ant", "ratio", "kind", "inner", "tags", "any"];
        assert_eq!(schema["required"], json!(required));
    }
}

#[test]
fn properties_are_published_as_declared() {
    let set = ToolSet::new().with(Tool::builder("t").handler(|args: Everything| args.ant)).unwrap();
    let server = Server::builder("tests", "1").tools(set).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::list(revision).send(&server);
        let text = answer.to_string();
        let names = ["zebra", "ant", "ratio", "nick", "maybe", "kind", "inner", "tags", "any", "page"];
        let at = names.map(|name| text.find(&format!("\"{name}\":")).unwrap());
        assert!(at.is_sorted(), "{text}");
    }
}

#[test]
fn recursion_keeps_its_definitions() {
    for revision in Revision::ALL {
        let tool = Tool::builder("t").handler(|node: Node| u32::from(node.value));
        let (text, schema) = published(tool, revision);
        assert!(text.contains("\"$ref\""), "{text}");
        assert_eq!(schema["type"], "object");
        assert_eq!(schema.get("required"), Some(&json!(["value"])));
    }
}

#[test]
fn no_parameters_are_published_exactly_so() {
    for revision in Revision::ALL {
        let expected = r#"{"type":"object","additionalProperties":false}"#;
        for tool in [
            Tool::builder("t").handler(|| "x"),
            Tool::builder("t").handler(|_: Nothing| "x"),
            Tool::builder("t").handler(async || "x"),
            Tool::builder("t").handler(|_: mcp_http::CallContext| "x"),
        ] {
            let server = serving([tool]).build().unwrap();
            let answer = Request::list(revision).send(&server);
            assert!(answer.to_string().contains(&format!("\"inputSchema\":{expected}")), "{answer}");
            Request::call(revision, "t", json!({})).send(&server).tool_result();
            Request::call(revision, "t", json!({ "x": 1 })).send(&server).tool_error();
        }
    }
}

#[test]
fn required_is_left_out_when_nothing_is() {
    for revision in Revision::ALL {
        let (_, schema) =
            published(Tool::builder("t").handler(|args: AllOptional| args.a.is_some()), revision);
        assert_eq!(schema, json!({ "type": "object", "properties": { "a": { "type": "boolean" } } }));
    }
}

#[test]
fn null_for_an_optional_argument_means_absent() {
    let tool = Tool::builder("t").handler(|args: Everything| {
        let absent = [args.nick.is_none(), args.maybe.is_none(), args.other_kind.is_none(), args.page == 0];
        Cow::from(format!("{absent:?}"))
    });
    let server = serving([tool]).build().unwrap();
    let base = json!({
        "zebra": 1, "ant": 2, "ratio": 0.5, "kind": "small", "inner": { "size": 3 }, "tags": [], "any": null,
    });
    for revision in Revision::ALL {
        let mut arguments = base.clone();
        for optional in ["nick", "maybe", "other_kind", "other_inner", "page"] {
            arguments[optional] = Value::Null;
        }
        for arguments in [base.clone(), arguments] {
            let answer = Request::call(revision, "t", arguments).send(&server);
            assert_eq!(answer.tool_result()["content"][0]["text"], "[true, true, true, true]");
        }
        let mut arguments = base.clone();
        arguments["zebra"] = Value::Null;
        Request::call(revision, "t", arguments).send(&server).tool_error();
    }
}

#[test]
fn a_type_that_is_no_object_takes_no_arguments() {
    refused(Tool::builder("t").handler(|text: String| text), "t", "object");
    refused(Tool::builder("t").handler(|list: Vec<String>| list.len()), "t", "object");
    refused(Tool::builder("t").handler(|kind: Kind| kind as i32), "t", "object");
}

#[test]
fn a_schema_that_was_handed_in_wins_over_the_type() {
    let own = json!({ "type": "object", "properties": { "a": { "type": "boolean", "description": "own" } } });
    for revision in LEGACY {
        for tool in [
            Tool::builder("t").input_schema(own.clone()).handler(|args: AllOptional| args.a.is_some()),
            Tool::builder("t").handler(|args: AllOptional| args.a.is_some()).input_schema(own.clone()),
        ] {
            assert_eq!(published(tool, revision).1, own);
        }
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn a_reference_to_a_resource_inside_of_the_schema_is_not_external() {
    input_taken(json!({
        "$id": "https://example.com/root",
        "type": "object",
        "properties": { "p": { "$ref": "https://example.com/root#/$defs/a" }, "q": { "$ref": "item" } },
        "$defs": { "a": { "type": "integer" }, "b": { "$id": "https://example.com/item", "type": "string" } },
    }));
}
