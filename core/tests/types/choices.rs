//! Enums: in an argument, and as all the arguments of a tool.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::{Case, argument, input, optional};

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) enum Kind {
    Small,
    Large,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Renamed {
    FirstOne,
    #[serde(rename = "2nd", alias = "second")]
    Second,
    #[serde(skip)]
    #[allow(dead_code, reason = "it is neither read nor written")]
    Third,
}

/// How it is sorted.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Documented {
    /// The cheapest
    /// comes first.
    Price,
    /// The best comes first.
    Rating,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum PartlyDocumented {
    /// Has a word to it.
    Word,
    Silent,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Only {
    /// There is no other.
    One,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sorted {
    /// The order
    by: Documented,
    /// The other order
    then: Option<Documented>,
    /// All orders
    all: Vec<Option<Documented>>,
    plain: Documented,
}

/// As `serde_repr` does it.
#[derive(Clone, Copy)]
enum Level {
    Low = 1,
    High = 9,
}

impl JsonSchema for Level {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "enum": [1, 9] })
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Self::Low),
            9 => Ok(Self::High),
            _ => Err(serde::de::Error::custom("a level is 1 or 9")),
        }
    }
}

/// Enums of names are strings that have a few values, in the order of the declaration, documented or not.
pub(crate) fn enums() -> Vec<Case> {
    let lines = "- `price`: The cheapest comes first.\n- `rating`: The best comes first.";
    vec![
        argument::<Kind>("enum", json!({ "type": "string", "enum": ["Small", "Large"] }), json!("Large")),
        argument::<Renamed>(
            "renamed_enum",
            json!({ "type": "string", "enum": ["first-one", "2nd"] }),
            json!("2nd"),
        ),
        argument::<Documented>("documented_enum", documented_type(lines), json!("price")),
        argument::<PartlyDocumented>(
            "partly_documented_enum",
            json!({
                "type": "string", "enum": ["Silent", "Word"], "description": "- `Word`: Has a word to it.",
            }),
            json!("Word"),
        ),
        argument::<Only>(
            "enum_of_one",
            json!({ "type": "string", "enum": ["One"], "description": "There is no other." }),
            json!("One"),
        ),
        argument::<Level>("integer_enum", json!({ "type": "integer", "enum": [1, 9] }), json!(9)),
        input::<Sorted>(
            "documented_fields",
            json!({
                "type": "object",
                "properties": {
                    "by": {
                        "description": format!("The order\n\n{lines}"),
                        "type": "string",
                        "enum": ["price", "rating"],
                    },
                    "then": {
                        "description": format!("The other order\n\n{lines}"),
                        "type": "string",
                        "enum": ["price", "rating"],
                    },
                    "all": {
                        "type": "array",
                        "items": {
                            "description": format!("How it is sorted.\n\n{lines}"),
                            "type": ["string", "null"],
                            "enum": ["price", "rating", null],
                        },
                        "description": "All orders",
                    },
                    "plain": documented_type(lines),
                },
                "required": ["by", "all", "plain"],
            }),
            json!({ "by": "price", "then": "rating", "all": [null, "price"], "plain": "price" }),
        ),
        optional::<Option<Level>>(
            "optional_integer_enum",
            json!({ "type": "integer", "enum": [1, 9] }),
            json!(1),
        ),
    ]
}

fn documented_type(lines: &str) -> Value {
    json!({
        "description": format!("How it is sorted.\n\n{lines}"),
        "type": "string",
        "enum": ["price", "rating"],
    })
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// All points at one distance.
    Circle {
        radius: f64,
    },
    Square {
        side: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        color: Option<String>,
    },
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    x: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Number(i64),
    Point(Point),
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    /// Nothing to say.
    Unit,
    Number(i64),
    Pair(i64, String),
    /// Where it is.
    Point {
        x: i64,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
enum Newtype {
    Point(Point),
    Unit,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Scalar {
    Integer(i64),
    Text(String),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Bounded {
    Byte(u8),
    Letter(char),
    Flag(bool),
    Null,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ById {
    /// By its number
    Number { id: u64 },
    /// By what it is called
    Name {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        fuzzy: Option<bool>,
    },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Closed,
    #[serde(untagged)]
    Other(String),
}

fn shape() -> Value {
    json!([
        {
            "type": "object",
            "properties": { "kind": { "type": "string", "enum": ["circle"] }, "radius": { "type": "number" } },
            "required": ["kind", "radius"],
            "description": "All points at one distance.",
        },
        {
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["square"] },
                "side": { "type": "number" },
                "color": { "type": "string" },
            },
            "required": ["kind", "side"],
        },
        {
            "type": "object",
            "properties": { "kind": { "type": "string", "enum": ["nothing"] } },
            "required": ["kind"],
        },
    ])
}

/// Enums with data are a choice, told apart by a tag that has one value; of mere types, a list of types.
pub(crate) fn unions() -> Vec<Case> {
    let point = json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] });
    let tag = |name: &str| json!({ "type": "string", "enum": [name] });
    let nullable_shape = {
        let mut branches = shape();
        if let Some(branches) = branches.as_array_mut() {
            branches.push(json!({ "type": "null" }));
        }
        branches
    };
    let circle = json!({ "kind": "circle", "radius": 0.5 });
    vec![
        argument::<Shape>("internally_tagged", json!({ "anyOf": shape() }), circle.clone()),
        argument::<Vec<Shape>>(
            "vec_of_internally_tagged",
            json!({ "type": "array", "items": { "anyOf": shape() } }),
            json!([{ "kind": "nothing" }, { "kind": "square", "side": 0.5, "color": "red" }]),
        ),
        optional::<Option<Shape>>("optional_internally_tagged", json!({ "anyOf": shape() }), circle.clone()),
        argument::<Vec<Option<Shape>>>(
            "nullable_internally_tagged",
            json!({ "type": "array", "items": { "anyOf": nullable_shape } }),
            json!([null, circle]),
        ),
        argument::<Newtype>(
            "internally_tagged_newtype",
            json!({ "anyOf": [
                {
                    "type": "object",
                    "properties": { "type": tag("Point"), "x": { "type": "integer" } },
                    "required": ["type", "x"],
                },
                { "type": "object", "properties": { "type": tag("Unit") }, "required": ["type"] },
            ] }),
            json!({ "type": "Point", "x": 1 }),
        ),
        argument::<Adjacent>(
            "adjacently_tagged",
            json!({ "anyOf": [
                { "type": "object", "properties": { "t": tag("Unit") }, "required": ["t"] },
                {
                    "type": "object",
                    "properties": { "t": tag("Number"), "c": { "type": "integer" } },
                    "required": ["t", "c"],
                },
                { "type": "object", "properties": { "t": tag("Point"), "c": point }, "required": ["t", "c"] },
            ] }),
            json!({ "t": "Point", "c": { "x": 1 } }),
        ),
        argument::<External>(
            "externally_tagged",
            json!({ "anyOf": [
                { "type": "string", "enum": ["Unit"], "description": "Nothing to say." },
                {
                    "type": "object",
                    "properties": { "Number": { "type": "integer" } },
                    "required": ["Number"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": { "Pair": {
                        "type": "array",
                        "prefixItems": [{ "type": "integer" }, { "type": "string" }],
                        "minItems": 2,
                        "maxItems": 2,
                    } },
                    "required": ["Pair"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": { "Point": point },
                    "required": ["Point"],
                    "additionalProperties": false,
                    "description": "Where it is.",
                },
            ] }),
            json!({ "Pair": [1, "a"] }),
        ),
        argument::<Result<u8, String>>(
            "result",
            json!({ "oneOf": [
                {
                    "type": "object",
                    "properties": { "Ok": { "type": "integer", "minimum": 0, "maximum": 255 } },
                    "required": ["Ok"],
                },
                { "type": "object", "properties": { "Err": { "type": "string" } }, "required": ["Err"] },
            ] }),
            json!({ "Err": "a" }),
        ),
        argument::<Scalar>("untagged_scalar", json!({ "type": ["integer", "string"] }), json!("a")),
        optional::<Option<Scalar>>(
            "optional_untagged_scalar",
            json!({ "type": ["integer", "string"] }),
            json!(1),
        ),
        argument::<Bounded>(
            "untagged_bounded",
            json!({
                "type": ["integer", "string", "boolean", "null"],
                "minimum": 0, "maximum": 255, "minLength": 1, "maxLength": 1,
            }),
            json!("a"),
        ),
        argument::<OneOrMany>(
            "one_or_many",
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
            json!(["a", "b"]),
        ),
        argument::<ById>(
            "untagged_structs",
            json!({ "anyOf": [
                {
                    "type": "object",
                    "properties": { "id": { "type": "integer", "minimum": 0 } },
                    "required": ["id"],
                    "description": "By its number",
                },
                {
                    "type": "object",
                    "properties": { "name": { "type": "string" }, "fuzzy": { "type": "boolean" } },
                    "required": ["name"],
                    "description": "By what it is called",
                },
            ] }),
            json!({ "name": "a", "fuzzy": true }),
        ),
        argument::<Status>(
            "enum_with_any_other",
            json!({ "anyOf": [{ "type": "string", "enum": ["open", "closed"] }, { "type": "string" }] }),
            json!("later"),
        ),
    ]
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Draw {
    id: u64,
    #[serde(flatten)]
    shape: Shape,
    on: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct DrawMaybe {
    id: u64,
    #[serde(flatten)]
    shape: Option<Shape>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct DrawMore {
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten, skip_serializing)]
    #[allow(dead_code, reason = "it is only read")]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ByIdOrAll {
    One { id: u64 },
    All(Vec<u64>),
    Kind(Kind),
}

/// An enum as all the arguments is one object: clients refuse a choice at the root.
pub(crate) fn roots() -> Vec<Case> {
    let kinds = |lines: &str| json!({ "type": "string", "enum": ["circle", "square", "nothing"], "description": lines });
    let lines = "- `circle` with `radius`: All points at one distance.\n- `square` with `side`, optionally `color`\n- `nothing`";
    vec![
        input::<Shape>(
            "internally_tagged_arguments",
            json!({
                "type": "object",
                "properties": {
                    "kind": kinds(lines),
                    "radius": { "type": "number" },
                    "side": { "type": "number" },
                    "color": { "type": "string" },
                },
                "required": ["kind"],
            }),
            json!({ "kind": "square", "side": 0.5, "color": "red" }),
        ),
        input::<Option<Shape>>(
            "optional_arguments",
            json!({
                "type": "object",
                "properties": {
                    "kind": kinds(lines),
                    "radius": { "type": "number" },
                    "side": { "type": "number" },
                    "color": { "type": "string" },
                },
                "required": ["kind"],
            }),
            json!({ "kind": "nothing" }),
        ),
        input::<Draw>(
            "flattened_enum",
            json!({
                "type": "object",
                "properties": {
                    "id": { "type": "integer", "minimum": 0 },
                    "on": { "type": "string" },
                    "kind": kinds(lines),
                    "radius": { "type": "number" },
                    "side": { "type": "number" },
                    "color": { "type": "string" },
                },
                "required": ["id", "on", "kind"],
            }),
            json!({ "id": 1, "on": "paper", "kind": "circle", "radius": 0.5 }),
        ),
        input::<Adjacent>(
            "adjacently_tagged_arguments",
            json!({
                "type": "object",
                "properties": {
                    "t": {
                        "type": "string",
                        "enum": ["Unit", "Number", "Point"],
                        "description": "- `Unit`\n- `Number` with `c`\n- `Point` with `c`",
                    },
                    "c": { "anyOf": [
                        { "type": "integer" },
                        { "type": "object", "properties": { "x": { "type": "integer" } }, "required": ["x"] },
                    ] },
                },
                "required": ["t"],
            }),
            json!({ "t": "Number", "c": 1 }),
        ),
        input::<External>(
            "externally_tagged_arguments",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "Unit": { "type": "null", "description": "Nothing to say." },
                    "Number": { "type": "integer" },
                    "Pair": {
                        "type": "array",
                        "prefixItems": [{ "type": "integer" }, { "type": "string" }],
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "Point": {
                        "type": "object",
                        "properties": { "x": { "type": "integer" } },
                        "required": ["x"],
                        "description": "Where it is.",
                    },
                },
                "minProperties": 1,
                "maxProperties": 1,
            }),
            json!({ "Point": { "x": 1 } }),
        ),
        super::one_way::<External>(
            "unit_variant_arguments",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "Unit": { "type": "null", "description": "Nothing to say." },
                    "Number": { "type": "integer" },
                    "Pair": {
                        "type": "array",
                        "prefixItems": [{ "type": "integer" }, { "type": "string" }],
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "Point": {
                        "type": "object",
                        "properties": { "x": { "type": "integer" } },
                        "required": ["x"],
                        "description": "Where it is.",
                    },
                },
                "minProperties": 1,
                "maxProperties": 1,
            }),
            json!({ "Unit": null }),
        )
        .gives(json!("Unit")),
        input::<DrawMaybe>(
            "flattened_optional_enum",
            json!({
                "type": "object",
                "properties": {
                    "id": { "type": "integer", "minimum": 0 },
                    "kind": kinds(lines),
                    "radius": { "type": "number" },
                    "side": { "type": "number" },
                    "color": { "type": "string" },
                },
                "required": ["id"],
                "description": "One of these:\n- `kind`, optionally `radius`, `side`, `color`\n- nothing else",
            }),
            // Not a float: an optional flattened enum does not read it with serde_json/arbitrary_precision.
            json!({ "id": 1, "kind": "nothing" }),
        ),
        argument::<Draw>(
            "flattened_enum_within",
            json!({
                "type": "object",
                "properties": { "id": { "type": "integer", "minimum": 0 }, "on": { "type": "string" } },
                "required": ["id", "on"],
                "anyOf": shape(),
            }),
            json!({ "id": 1, "on": "paper", "kind": "nothing" }),
        ),
        input::<DrawMore>(
            "flattened_enum_and_map",
            json!({
                "type": "object",
                "properties": {
                    "kind": kinds(lines),
                    "radius": { "type": "number" },
                    "side": { "type": "number" },
                    "color": { "type": "string" },
                },
                "required": ["kind"],
            }),
            json!({ "kind": "circle", "radius": 0.5, "more": true }),
        )
        .gives(json!({ "kind": "circle", "radius": 0.5 })),
        super::one_way::<ByIdOrAll>(
            "untagged_arguments_of_which_one_is_an_object",
            json!({
                "type": "object",
                "properties": { "id": { "type": "integer", "minimum": 0 } },
                "required": ["id"],
            }),
            json!({ "id": 1 }),
        ),
        input::<ById>(
            "untagged_arguments",
            json!({
                "type": "object",
                "properties": {
                    "id": { "type": "integer", "minimum": 0 },
                    "name": { "type": "string" },
                    "fuzzy": { "type": "boolean" },
                },
                "description": "One of these:\n- `id`: By its number\n- `name`, optionally `fuzzy`: By what it is called",
            }),
            json!({ "name": "a" }),
        ),
    ]
}
