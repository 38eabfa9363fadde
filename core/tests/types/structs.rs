//! Structs: serde's attributes, descriptions, types within types, and results.

use std::collections::BTreeMap;

use mcp_http::{Json, Tool};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Case, argument, input, optional, output, outputs};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Renamed {
    first_name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(alias = "old")]
    r#new: String,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct Skipped {
    kept: u8,
    #[serde(skip)]
    #[allow(dead_code, reason = "it is neither read nor written")]
    cache: u8,
    #[serde(skip_deserializing)]
    computed: u8,
    #[serde(skip_serializing)]
    #[allow(dead_code, reason = "it is only read")]
    secret: u8,
}

fn three() -> u8 {
    3
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Defaults {
    #[serde(default)]
    zero: i64,
    #[serde(default = "three")]
    three: u8,
    #[serde(default)]
    none: Option<String>,
    #[serde(default)]
    list: Vec<String>,
    #[serde(default)]
    any: Value,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct AllDefault {
    width: u8,
    name: String,
}

impl Default for AllDefault {
    fn default() -> Self {
        Self { width: 80, name: "a".to_owned() }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Meters(f64);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Name {
    inner: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Pair(u8, bool);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Empty {}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wrapper(Closed);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Serialize + DeserializeOwned")]
struct Page<T> {
    items: Vec<T>,
    next: Option<T>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Bounds {
    #[schemars(range(min = 1, max = 9))]
    digit: u32,
    #[schemars(range(max = 100))]
    distance: Meters,
    #[schemars(length(min = 1, max = 9))]
    word: String,
    #[schemars(length(max = 2))]
    few: Vec<String>,
    #[deprecated]
    old: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct More {
    /// How many there are
    count: u8,
    note: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u64", into = "u64")]
struct Even(u64);

impl TryFrom<u64> for Even {
    type Error = &'static str;

    fn try_from(value: u64) -> Result<Self, Self::Error> {
        if value.is_multiple_of(2) { Ok(Self(value)) } else { Err("the number must be even") }
    }
}

impl From<Even> for u64 {
    fn from(even: Even) -> Self {
        even.0
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Told {
    /// # A word
    ///
    /// What it is.
    #[schemars(example = &"hello", extend("format" = "word"))]
    word: String,
    #[schemars(schema_with = "hand_written")]
    by_hand: Value,
    #[serde(with = "mcp_http::Nullable::<String>")]
    nullable: Option<String>,
}

fn hand_written(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "oneOf": [{ "type": "number" }, { "type": "integer", "minimum": 5 }] })
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    before: u8,
    #[serde(flatten)]
    more: More,
    after: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Rest {
    named: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

/// Serde's attributes: what is advertised is what is read.
pub(crate) fn attributes() -> Vec<Case> {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    vec![
        input::<Renamed>(
            "renamed",
            json!({
                "type": "object",
                "properties": {
                    "firstName": { "type": "string" },
                    "type": { "type": "string" },
                    "new": { "type": "string" },
                },
                "required": ["firstName", "type", "new"],
            }),
            json!({ "firstName": "a", "type": "b", "new": "c" }),
        ),
        input::<Skipped>(
            "skipped",
            json!({
                "type": "object",
                "properties": {
                    "kept": byte,
                    "secret": byte,
                },
                "required": ["kept", "secret"],
            }),
            json!({ "kept": 1, "secret": 2 }),
        )
        .gives(json!({ "kept": 1, "computed": 0 })),
        input::<Defaults>(
            "defaults",
            json!({
                "type": "object",
                "properties": {
                    "zero": { "type": "integer", "default": 0 },
                    "three": { "type": "integer", "minimum": 0, "maximum": 255, "default": 3 },
                    "none": { "type": "string" },
                    "list": { "type": "array", "items": { "type": "string" }, "default": [] },
                    "any": {},
                },
            }),
            json!({}),
        )
        .gives(json!({ "zero": 0, "three": 3, "none": null, "list": [], "any": null })),
        input::<AllDefault>(
            "all_default",
            json!({
                "type": "object",
                "properties": {
                    "width": { "type": "integer", "minimum": 0, "maximum": 255, "default": 80 },
                    "name": { "type": "string", "default": "a" },
                },
            }),
            json!({ "width": 1 }),
        )
        .gives(json!({ "width": 1, "name": "a" })),
        input::<Closed>(
            "closed",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": { "a": byte },
                "required": ["a"],
            }),
            json!({ "a": 1 }),
        ),
        input::<Wrapper>(
            "wrapper",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": { "a": byte },
                "required": ["a"],
            }),
            json!({ "a": 1 }),
        ),
        input::<Empty>("empty", json!({ "type": "object", "additionalProperties": false }), json!({})),
        argument::<Empty>("empty_within", json!({ "type": "object" }), json!({})),
        argument::<Meters>("newtype", json!({ "type": "number" }), json!(0.5)),
        argument::<Name>("transparent", json!({ "type": "string" }), json!("a")),
        argument::<Pair>(
            "tuple_struct",
            json!({ "type": "array", "prefixItems": [byte, { "type": "boolean" }], "minItems": 2, "maxItems": 2 }),
            json!([1, true]),
        ),
        argument::<Unit>("unit_struct", json!({ "type": "null" }), json!(null)),
        input::<Page<Name>>(
            "generic",
            json!({
                "type": "object",
                "properties": {
                    "items": { "type": "array", "items": { "type": "string" } },
                    "next": { "type": "string" },
                },
                "required": ["items"],
            }),
            json!({ "items": ["a"], "next": "b" }),
        ),
        input::<Bounds>(
            "bounds",
            json!({
                "type": "object",
                "properties": {
                    "digit": { "type": "integer", "minimum": 1, "maximum": 9 },
                    "distance": { "type": "number", "maximum": 100 },
                    "word": { "type": "string", "minLength": 1, "maxLength": 9 },
                    "few": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
                    "old": { "type": "string", "deprecated": true },
                },
                "required": ["digit", "distance", "word", "few"],
            }),
            json!({ "digit": 1, "distance": 0.5, "word": "a", "few": [], "old": "b" }),
        ),
        argument::<Even>("converted", json!({ "type": "integer", "minimum": 0 }), json!(2)),
        input::<Told>(
            "told",
            json!({
                "type": "object",
                "properties": {
                    "word": {
                        "type": "string",
                        "title": "A word",
                        "description": "What it is.",
                        "examples": ["hello"],
                        "format": "word",
                    },
                    "by_hand": { "oneOf": [{ "type": "number" }, { "type": "integer", "minimum": 5 }] },
                    "nullable": { "type": ["string", "null"] },
                },
                "required": ["word", "by_hand", "nullable"],
            }),
            json!({ "word": "a", "by_hand": 1.5, "nullable": null }),
        ),
        input::<Flat>(
            "flattened",
            json!({
                "type": "object",
                "properties": {
                    "before": byte,
                    "count": {
                        "type": "integer", "minimum": 0, "maximum": 255, "description": "How many there are",
                    },
                    "note": { "type": "string" },
                    "after": byte,
                },
                "required": ["before", "count", "after"],
            }),
            json!({ "before": 1, "count": 2, "note": "a", "after": 3 }),
        ),
        input::<Rest>(
            "flattened_map",
            json!({
                "type": "object",
                "properties": { "named": byte },
                "required": ["named"],
                "additionalProperties": { "type": "integer" },
            }),
            json!({ "named": 1, "other": -1 }),
        ),
    ]
}

fn one() -> f64 {
    1.0
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Around {
    /// Radius in metres.
    /// Must be positive.
    #[serde(rename = "radiusM", default = "one")]
    radius: f64,
    #[serde(skip)]
    #[allow(dead_code, reason = "it is neither read nor written")]
    cache: u8,
    #[serde(flatten)]
    more: More,
    #[schemars(description = "Where it is")]
    place: String,
}

/// A page of a book
#[derive(Serialize, Deserialize, JsonSchema)]
struct Leaf {
    /// Its number
    no: u32,
}

/// Looks something up
#[derive(Serialize, Deserialize, JsonSchema)]
struct Lookup {
    /// Which page
    at: Leaf,
    /// Where to stop
    until: Option<Leaf>,
    plain: Leaf,
    maybe: Option<Leaf>,
}

/// Descriptions of fields and types are kept, and a field's says more than its type's.
pub(crate) fn descriptions() -> Vec<Case> {
    let leaf = |description: &str| {
        json!({
            "type": "object",
            "properties": { "no": {
                "type": "integer", "minimum": 0, "description": "Its number", "maximum": 4_294_967_295_u32,
            } },
            "required": ["no"],
            "description": description,
        })
    };
    vec![
        input::<Around>(
            "around",
            json!({
                "type": "object",
                "properties": {
                    "radiusM": {
                        "type": "number", "description": "Radius in metres.\nMust be positive.", "default": 1.0,
                    },
                    "count": {
                        "type": "integer", "minimum": 0, "maximum": 255, "description": "How many there are",
                    },
                    "note": { "type": "string" },
                    "place": { "type": "string", "description": "Where it is" },
                },
                "required": ["count", "place"],
            }),
            json!({ "radiusM": 0.5, "count": 1, "note": "a", "place": "b" }),
        ),
        input::<Lookup>(
            "lookup",
            json!({
                "type": "object",
                "properties": {
                    "at": leaf("Which page"),
                    "until": leaf("Where to stop"),
                    "plain": leaf("A page of a book"),
                    "maybe": leaf("A page of a book"),
                },
                "required": ["at", "plain"],
                "description": "Looks something up",
            }),
            json!({ "at": { "no": 1 }, "until": { "no": 2 }, "plain": { "no": 3 }, "maybe": { "no": 4 } }),
        ),
    ]
}

macro_rules! chain {
    ($($outer:ident of $inner:ident),+) => {
        $(
            #[derive(Serialize, Deserialize, JsonSchema)]
            struct $outer {
                a: Option<Box<$inner>>,
                b: Option<Box<$inner>>,
                c: Option<Box<$inner>>,
            }
        )+
    };
}

chain!(C1 of Meters, C2 of C1, C3 of C2, C4 of C3, C5 of C4, C6 of C5, C7 of C6, C8 of C7, C9 of C8, C10 of C9);
chain!(C11 of C10, C12 of C11, C13 of C12, C14 of C13, C15 of C14, C16 of C15, C17 of C16, C18 of C17, C19 of C18);
chain!(C20 of C19, C21 of C20, C22 of C21, C23 of C22, C24 of C23, C25 of C24);

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct HugeNode {
    children: Vec<HugeNode>,
    more: C25,
    twice: C25,
}

/// Types within types are inlined, until the schema would grow out of all proportion.
pub(crate) fn nesting() -> Vec<Case> {
    let three =
        |inner: &Value| json!({ "type": "object", "properties": { "a": inner, "b": inner, "c": inner } });
    let number = json!({ "type": "number" });
    let small = three(&three(&three(&number)));
    let refers = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let mut huge = three(&refers("C24"));
    let mut types = serde_json::Map::new();
    // Every second one is small enough to be inlined.
    for level in (2..=22).rev().step_by(2) {
        types.insert(format!("C{}", level + 2), three(&three(&refers(&format!("C{level}")))));
    }
    types.insert("C2".to_owned(), three(&three(&number)));
    huge["$defs"] = Value::Object(types);
    let mut value = json!({ "a": 0.5, "b": null, "c": null });
    for _ in 1..25 {
        value = json!({ "a": value, "b": null, "c": null });
    }
    vec![
        input::<C3>(
            "nested_3",
            small,
            json!({ "a": null, "b": { "a": null, "b": { "a": 0.5, "b": null, "c": null }, "c": null }, "c": null }),
        ),
        input::<C25>("nested_25", huge, value),
    ]
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    children: Vec<Node>,
}

/// A list
#[derive(Serialize, Deserialize, JsonSchema)]
struct Cons {
    head: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tail: Option<Box<Cons>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Folder {
    files: Vec<File>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct File {
    at: Leaf,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpacked: Option<Box<Folder>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Expression {
    Value { value: i64 },
    Add { left: Box<Expression>, right: Box<Expression> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Mixed {
    /// Which page
    at: Leaf,
    tree: Node,
    /// More of them
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Cons>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Serialize + DeserializeOwned")]
struct Tree<T> {
    leaf: T,
    branches: Vec<Tree<T>>,
}

mod other {
    use super::*;

    // The same name, another type.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Node {
        left: Option<Box<Node>>,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Namesakes {
    one: Node,
    two: other::Node,
    three: Tree<Option<i64>>,
    four: Odd,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Odd/~1 %41 <é>")]
struct Odd {
    more: Vec<Odd>,
}

/// Types that hold themselves keep their name, and nothing else does.
pub(crate) fn recursion() -> Vec<Case> {
    let node = json!({
        "type": "object",
        "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
        "required": ["children"],
    });
    let cons = json!({
        "type": "object",
        "properties": { "head": { "type": "integer" }, "tail": { "$ref": "#/$defs/Cons" } },
        "required": ["head"],
        "description": "A list",
    });
    let leaf = |description: &str| {
        json!({
            "type": "object",
            "properties": { "no": {
                "type": "integer", "minimum": 0, "description": "Its number", "maximum": 4_294_967_295_u32,
            } },
            "required": ["no"],
            "description": description,
        })
    };
    let with = |mut schema: Value, types: Value| {
        schema["$defs"] = types;
        schema
    };
    let list = json!({ "head": 1, "tail": { "head": 2 } });
    let folder = json!({
        "type": "object",
        "properties": { "files": { "type": "array", "items": { "$ref": "#/$defs/File" } } },
        "required": ["files"],
    });
    let file = json!({
        "type": "object",
        "properties": { "at": leaf("A page of a book"), "unpacked": { "$ref": "#/$defs/Folder" } },
        "required": ["at"],
    });
    let expression = json!({ "anyOf": [
        {
            "type": "object",
            "properties": { "op": { "type": "string", "enum": ["value"] }, "value": { "type": "integer" } },
            "required": ["op", "value"],
        },
        {
            "type": "object",
            "properties": {
                "op": { "type": "string", "enum": ["add"] },
                "left": { "$ref": "#/$defs/Expression" },
                "right": { "$ref": "#/$defs/Expression" },
            },
            "required": ["op", "left", "right"],
        },
    ] });
    let one = json!({ "op": "value", "value": 1 });
    vec![
        input::<Node>(
            "recursive",
            with(node.clone(), json!({ "Node": node })),
            json!({ "children": [{ "children": [] }] }),
        ),
        argument::<Vec<Option<Cons>>>("recursive_items", json!(null), json!([null, list])).with_input(with(
            json!({
                "type": "object",
                "properties": { "value": {
                    "type": "array",
                    "items": { "anyOf": [{ "$ref": "#/$defs/Cons" }, { "type": "null" }] },
                } },
                "required": ["value"],
            }),
            json!({ "Cons": cons }),
        )),
        input::<Folder>(
            "mutually_recursive",
            with(folder.clone(), json!({ "File": file, "Folder": folder })),
            json!({ "files": [{ "at": { "no": 1 }, "unpacked": { "files": [] } }] }),
        ),
        argument::<Expression>(
            "recursive_enum",
            json!(null),
            json!({ "op": "add", "left": one, "right": one }),
        )
        .with_input(with(
            json!({
                "type": "object",
                "properties": { "value": { "$ref": "#/$defs/Expression" } },
                "required": ["value"],
            }),
            json!({ "Expression": expression }),
        )),
        input::<Expression>(
            "recursive_enum_arguments",
            with(
                json!({
                    "type": "object",
                    "properties": {
                        "op": {
                            "type": "string",
                            "enum": ["value", "add"],
                            "description": "- `value` with `value`\n- `add` with `left`, `right`",
                        },
                        "value": { "type": "integer" },
                        "left": { "$ref": "#/$defs/Expression" },
                        "right": { "$ref": "#/$defs/Expression" },
                    },
                    "required": ["op"],
                }),
                json!({ "Expression": expression }),
            ),
            json!({ "op": "add", "left": one, "right": one }),
        ),
        input::<Mixed>(
            "recursive_in_part",
            with(
                json!({
                    "type": "object",
                    "properties": {
                        "at": leaf("Which page"),
                        "tree": { "$ref": "#/$defs/Node" },
                        "list": { "description": "More of them", "$ref": "#/$defs/Cons" },
                    },
                    "required": ["at", "tree"],
                }),
                json!({ "Node": node, "Cons": cons }),
            ),
            json!({ "at": { "no": 1 }, "tree": { "children": [] }, "list": list }),
        ),
        input::<Namesakes>(
            "recursive_namesakes",
            with(
                json!({
                    "type": "object",
                    "properties": {
                        "one": { "$ref": "#/$defs/Node" },
                        "two": { "$ref": "#/$defs/Node2" },
                        "three": { "$ref": "#/$defs/Tree" },
                        "four": { "$ref": "#/$defs/Odd__1__41____" },
                    },
                    "required": ["one", "two", "three", "four"],
                }),
                json!({
                    "Node": node,
                    "Node2": { "type": "object", "properties": { "left": { "$ref": "#/$defs/Node2" } } },
                    "Tree": {
                        "type": "object",
                        "properties": {
                            "leaf": { "type": "integer" },
                            "branches": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                        },
                        "required": ["branches"],
                    },
                    "Odd__1__41____": {
                        "type": "object",
                        "properties": { "more": { "type": "array", "items": { "$ref": "#/$defs/Odd__1__41____" } } },
                        "required": ["more"],
                    },
                }),
            ),
            json!({
                "four": { "more": [{ "more": [] }] },
                "one": { "children": [] },
                "two": { "left": { "left": null } },
                "three": { "leaf": null, "branches": [{ "leaf": 1, "branches": [] }] },
            }),
        ),
        input::<Odd>(
            "recursive_and_oddly_named",
            with(
                json!({
                    "type": "object",
                    "properties": { "more": { "type": "array", "items": { "$ref": "#/$defs/Odd__1__41____" } } },
                    "required": ["more"],
                }),
                json!({ "Odd__1__41____": {
                    "type": "object",
                    "properties": { "more": { "type": "array", "items": { "$ref": "#/$defs/Odd__1__41____" } } },
                    "required": ["more"],
                } }),
            ),
            json!({ "more": [] }),
        ),
        optional::<Option<Box<Cons>>>("optional_recursive", json!(null), list).with_input(with(
            json!({ "type": "object", "properties": { "value": { "$ref": "#/$defs/Cons" } } }),
            json!({ "Cons": cons }),
        )),
    ]
}

impl Case {
    fn with_input(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }
}

#[derive(Serialize, JsonSchema)]
struct Answer {
    count: u32,
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    leaf: Option<Leaf>,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase")]
enum Outcome {
    Found { id: u64 },
    Missing,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Number(i64),
    Answer(Leaf),
}

/// Results say what may be null; a choice between objects says that it is an object.
pub(crate) fn results() -> Vec<Case> {
    let leaf = json!({
        "type": ["object", "null"],
        "properties": { "no": {
            "type": "integer", "minimum": 0, "description": "Its number", "maximum": 4_294_967_295_u32,
        } },
        "required": ["no"],
        "description": "A page of a book",
    });
    let mut rows = outputs! {
        "gives_internally_tagged": Outcome = Outcome::Found { id: 1 },
            {
                "type": "object",
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "outcome": { "type": "string", "enum": ["found"] },
                            "id": { "type": "integer", "minimum": 0 },
                        },
                        "required": ["outcome", "id"],
                    },
                    {
                        "type": "object",
                        "properties": { "outcome": { "type": "string", "enum": ["missing"] } },
                        "required": ["outcome"],
                    },
                ],
            },
            { "outcome": "found", "id": 1 };
        "gives_unit_variant": Outcome = Outcome::Missing,
            {
                "type": "object",
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "outcome": { "type": "string", "enum": ["found"] },
                            "id": { "type": "integer", "minimum": 0 },
                        },
                        "required": ["outcome", "id"],
                    },
                    {
                        "type": "object",
                        "properties": { "outcome": { "type": "string", "enum": ["missing"] } },
                        "required": ["outcome"],
                    },
                ],
            },
            { "outcome": "missing" };
        "gives_untagged": Loose = Loose::Answer(Leaf { no: 1 }),
            {
                "anyOf": [
                    { "type": "integer" },
                    {
                        "type": "object",
                        "properties": { "no": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "Its number",
                            "maximum": 4_294_967_295_u32,
                        } },
                        "required": ["no"],
                        "description": "A page of a book",
                    },
                ],
            },
            { "no": 1 };
        "gives_number": Loose = Loose::Number(7),
            {
                "anyOf": [
                    { "type": "integer" },
                    {
                        "type": "object",
                        "properties": { "no": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "Its number",
                            "maximum": 4_294_967_295_u32,
                        } },
                        "required": ["no"],
                        "description": "A page of a book",
                    },
                ],
            },
            7;
        "gives_list": Vec<u64> = vec![1, 2],
            { "type": "array", "items": { "type": "integer", "minimum": 0 } },
            [1, 2];
        "gives_nothing": Option<String> = None,
            { "type": ["string", "null"] },
            null;
        "gives_tree": Node = Node { children: vec![] },
            {
                "type": "object",
                "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
                "required": ["children"],
                "$defs": { "Node": {
                    "type": "object",
                    "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
                    "required": ["children"],
                } },
            },
            { "children": [] };
        "gives_trees": Vec<Node> = vec![Node { children: vec![Node { children: vec![] }] }],
            {
                "type": "array",
                "items": { "$ref": "#/$defs/Node" },
                "$defs": { "Node": {
                    "type": "object",
                    "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
                    "required": ["children"],
                } },
            },
            [{ "children": [{ "children": [] }] }];
    };
    rows.push(output::<Answer>(
        "gives_struct",
        json!({
            "type": "object",
            "properties": {
                "count": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
                "next": { "type": ["string", "null"] },
                "hint": { "type": ["string", "null"] },
                "leaf": leaf,
            },
            "required": ["count", "next", "leaf"],
        }),
        |name| {
            let answer = || Json(Answer { count: 1, next: None, hint: None, leaf: Some(Leaf { no: 1 }) });
            Tool::builder(name).handler(answer)
        },
        json!({ "count": 1, "next": null, "leaf": { "no": 1 } }),
    ));
    rows
}
