//! Types of the standard library, and of crates whose schemas schemars knows.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::{NonZeroI8, NonZeroI64, NonZeroU16, NonZeroU64, Wrapping};
use std::ops::{Bound, Range, RangeInclusive};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc, Weekday};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};
use url::Url;
use uuid::Uuid;

use super::{Case, argument, input, optional};

/// Numbers publish the range of their type where it is narrower than 64 bits with a sign.
pub(crate) fn numbers() -> Vec<Case> {
    let integer = json!({ "type": "integer" });
    let unsigned = json!({ "type": "integer", "minimum": 0 });
    vec![
        argument::<i8>("i8", json!({ "type": "integer", "minimum": -128, "maximum": 127 }), json!(-128)),
        argument::<i16>(
            "i16",
            json!({ "type": "integer", "minimum": -32768, "maximum": 32767 }),
            json!(32767),
        ),
        argument::<i32>(
            "i32",
            json!({ "type": "integer", "minimum": -2147483648, "maximum": 2147483647 }),
            json!(-2_147_483_648_i64),
        ),
        argument::<i64>("i64", integer.clone(), json!(-9_007_199_254_740_991_i64)),
        argument::<i128>("i128", integer.clone(), json!(7)),
        argument::<isize>("isize", integer, json!(-7)),
        argument::<u8>("u8", json!({ "type": "integer", "minimum": 0, "maximum": 255 }), json!(255)),
        argument::<u16>("u16", json!({ "type": "integer", "minimum": 0, "maximum": 65535 }), json!(65535)),
        argument::<u32>(
            "u32",
            json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 }),
            json!(4_294_967_295_u32),
        ),
        argument::<u64>("u64", unsigned.clone(), json!(9_007_199_254_740_991_u64)),
        argument::<u128>("u128", unsigned.clone(), json!(7)),
        argument::<usize>("usize", unsigned, json!(7)),
        argument::<f32>("f32", json!({ "type": "number" }), json!(0.5)),
        argument::<f64>("f64", json!({ "type": "number" }), json!(-2.5e-3)),
        argument::<bool>("bool", json!({ "type": "boolean" }), json!(true)),
        argument::<Number>("number", json!({ "type": "number" }), json!(7)),
        argument::<Wrapping<u8>>(
            "wrapping",
            json!({ "type": "integer", "minimum": 0, "maximum": 255 }),
            json!(7),
        ),
        argument::<NonZeroU16>(
            "non_zero_u16",
            json!({ "type": "integer", "minimum": 1, "maximum": 65535 }),
            json!(1),
        ),
        argument::<NonZeroU64>("non_zero_u64", json!({ "type": "integer", "minimum": 1 }), json!(1)),
        argument::<NonZeroI8>(
            "non_zero_i8",
            json!({ "type": "integer", "minimum": -128, "maximum": 127, "description": "Not 0." }),
            json!(-1),
        ),
        optional::<Option<NonZeroI64>>(
            "optional_non_zero",
            json!({ "type": "integer", "description": "Not 0." }),
            json!(1),
        ),
    ]
}

/// Texts have the formats that JSON Schema knows, and others in words.
pub(crate) fn texts() -> Vec<Case> {
    let string = json!({ "type": "string" });
    let of = |format: &str| json!({ "type": "string", "format": format });
    let described = |words: &str| json!({ "type": "string", "description": words });
    let uuid = json!("67e55044-10b1-426f-9247-bb680e5fe0c8");
    let nanos = json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 });
    vec![
        argument::<String>("string", string.clone(), json!("Zürich ☕")),
        argument::<Box<str>>("boxed_str", string.clone(), json!("")),
        argument::<Cow<'static, str>>("cow", string.clone(), json!("a")),
        argument::<Arc<str>>("arc_str", string.clone(), json!("a")),
        argument::<PathBuf>("path", string.clone(), json!("/tmp/a")),
        argument::<char>("char", json!({ "type": "string", "minLength": 1, "maxLength": 1 }), json!("☕")),
        argument::<Ipv4Addr>("ipv4", of("ipv4"), json!("192.0.2.1")),
        argument::<Ipv6Addr>("ipv6", of("ipv6"), json!("2001:db8::1")),
        argument::<IpAddr>("ip", described("An IPv4 or IPv6 address."), json!("192.0.2.1")),
        argument::<SocketAddr>("socket", string, json!("192.0.2.1:80")),
        argument::<Uuid>("uuid", of("uuid"), uuid),
        argument::<Url>("url", of("uri"), json!("https://example.com/a?b=c")),
        argument::<DateTime<Utc>>("date_time", of("date-time"), json!("2026-07-28T09:30:00Z")),
        argument::<NaiveDate>("date", of("date"), json!("2026-07-28")),
        argument::<NaiveTime>("time", described("A time of day, such as 09:30:00."), json!("09:30:00")),
        argument::<NaiveDateTime>(
            "date_time_without_zone",
            described("A date and time without time zone, such as 2026-07-28T09:30:00."),
            json!("2026-07-28T09:30:00"),
        ),
        argument::<Weekday>(
            "weekday",
            json!({ "type": "string", "enum": ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] }),
            json!("Tue"),
        ),
        argument::<TimeDelta>(
            "time_delta",
            json!({
                "type": "array",
                "prefixItems": [
                    { "type": "integer" },
                    { "type": "integer", "minimum": 0, "exclusiveMaximum": 1_000_000_000 },
                ],
                "minItems": 2,
                "maxItems": 2,
            }),
            json!([1, 500]),
        ),
        argument::<Duration>(
            "duration",
            json!({
                "type": "object",
                "required": ["secs", "nanos"],
                "properties": { "secs": { "type": "integer", "minimum": 0 }, "nanos": nanos },
            }),
            json!({ "secs": 1, "nanos": 500 }),
        ),
        argument::<SystemTime>(
            "system_time",
            json!({
                "type": "object",
                "required": ["secs_since_epoch", "nanos_since_epoch"],
                "properties": {
                    "secs_since_epoch": { "type": "integer", "minimum": 0 },
                    "nanos_since_epoch": nanos,
                },
            }),
            json!({ "secs_since_epoch": 1, "nanos_since_epoch": 500 }),
        ),
    ]
}

/// Lists say what is in them: sets that it differs, arrays and tuples how many there are.
pub(crate) fn lists() -> Vec<Case> {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let set = json!({ "type": "array", "uniqueItems": true, "items": { "type": "string" } });
    vec![
        argument::<Vec<u8>>("bytes", json!({ "type": "array", "items": byte }), json!([0, 255])),
        argument::<Vec<String>>("vec", strings.clone(), json!(["a", "a"])),
        argument::<VecDeque<String>>("deque", strings.clone(), json!([])),
        argument::<LinkedList<String>>("linked_list", strings.clone(), json!(["a"])),
        argument::<Box<[String]>>("boxed_slice", strings.clone(), json!(["a"])),
        argument::<Vec<Vec<String>>>(
            "vec_of_vec",
            json!({ "type": "array", "items": strings }),
            json!([["a"], []]),
        ),
        argument::<Vec<Option<String>>>(
            "vec_of_option",
            json!({ "type": "array", "items": { "type": ["string", "null"] } }),
            json!(["a", null]),
        ),
        argument::<BTreeSet<String>>("tree_set", set.clone(), json!(["a", "b"])),
        argument::<HashSet<String>>("hash_set", set, json!(["a"])),
        argument::<[u8; 3]>(
            "array",
            json!({ "type": "array", "items": byte, "minItems": 3, "maxItems": 3 }),
            json!([1, 2, 3]),
        ),
        argument::<[String; 0]>("empty_array", json!({ "type": "array", "maxItems": 0 }), json!([])),
        argument::<(u8, String)>(
            "tuple",
            json!({ "type": "array", "prefixItems": [byte, { "type": "string" }], "minItems": 2, "maxItems": 2 }),
            json!([1, "a"]),
        ),
        argument::<(f64, f64)>(
            "tuple_of_one_type",
            json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }),
            json!([59.9, 10.7]),
        ),
        argument::<(String,)>(
            "tuple_of_one",
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 1 }),
            json!(["a"]),
        ),
        argument::<Vec<(String, Option<i64>)>>(
            "vec_of_tuple",
            json!({
                "type": "array",
                "items": {
                    "type": "array",
                    "prefixItems": [{ "type": "string" }, { "type": ["integer", "null"] }],
                    "minItems": 2,
                    "maxItems": 2,
                },
            }),
            json!([["a", 1], ["b", null]]),
        ),
    ]
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Key {
    Low,
    High,
}

/// Maps are objects of any names, ranges of two; whether a name is a number is found out when it is read.
pub(crate) fn maps() -> Vec<Case> {
    let of = |values: Value| json!({ "type": "object", "additionalProperties": values });
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    let range = json!({
        "type": "object", "properties": { "start": byte, "end": byte }, "required": ["start", "end"],
    });
    let numbers = of(json!({ "type": "integer" }));
    let strings = of(json!({ "type": "string" }));
    vec![
        argument::<BTreeMap<String, i64>>("tree_map", numbers.clone(), json!({ "a b": 1, "": -1 })),
        argument::<HashMap<String, i64>>("hash_map", numbers, json!({ "a": 1 })),
        argument::<BTreeMap<u16, String>>("map_by_unsigned", strings.clone(), json!({ "7": "a" })),
        argument::<HashMap<i32, String>>("map_by_integer", strings, json!({ "-7": "a" })),
        argument::<BTreeMap<char, Option<bool>>>(
            "map_to_option",
            of(json!({ "type": ["boolean", "null"] })),
            json!({ "a": null, "b": true }),
        ),
        argument::<BTreeMap<Key, bool>>(
            "map_by_enum",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": { "high": { "type": "boolean" }, "low": { "type": "boolean" } },
            }),
            json!({ "low": true }),
        ),
        argument::<BTreeMap<String, BTreeMap<String, Vec<String>>>>(
            "map_of_map",
            of(of(json!({ "type": "array", "items": { "type": "string" } }))),
            json!({ "a": { "b": ["c"] } }),
        ),
        argument::<Range<u8>>("range", range.clone(), json!({ "start": 1, "end": 2 })),
        argument::<RangeInclusive<u8>>("range_inclusive", range, json!({ "start": 1, "end": 2 })),
        argument::<Bound<bool>>(
            "bound",
            json!({ "oneOf": [
                { "type": "object", "properties": { "Included": { "type": "boolean" } }, "required": ["Included"] },
                { "type": "object", "properties": { "Excluded": { "type": "boolean" } }, "required": ["Excluded"] },
                { "type": "string", "enum": ["Unbounded"] },
            ] }),
            json!({ "Excluded": true }),
        ),
        input::<BTreeMap<String, i64>>(
            "map_as_arguments",
            of(json!({ "type": "integer" })),
            json!({ "a": 1 }),
        ),
    ]
}

/// Anything at all is the empty schema, never `true`; nothing at all is null.
pub(crate) fn anything() -> Vec<Case> {
    vec![
        argument::<Value>("value", json!({}), json!({ "a": [1, null, "b"] })),
        argument::<Vec<Value>>("values", json!({ "type": "array", "items": {} }), json!([1, "a", null])),
        argument::<Map<String, Value>>(
            "map",
            json!({ "type": "object", "additionalProperties": {} }),
            json!({ "a": [1] }),
        ),
        input::<Value>(
            "value_as_arguments",
            json!({ "type": "object", "additionalProperties": {} }),
            json!({ "a": 1 }),
        ),
        input::<Map<String, Value>>(
            "any_arguments",
            json!({ "type": "object", "additionalProperties": {} }),
            json!({ "a": 1 }),
        ),
        argument::<()>("unit", json!({ "type": "null" }), json!(null)),
        argument::<PhantomData<u8>>("phantom", json!({ "type": "null" }), json!(null)),
        argument::<Box<Arc<Vec<u8>>>>(
            "wrapped",
            json!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } }),
            json!([7]),
        ),
    ]
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Filter {
    #[serde(skip_serializing_if = "Option::is_none")]
    deep: Option<bool>,
    name: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Query {
    tables: Option<Vec<String>>,
    limit: Option<u32>,
    filter: Option<Filter>,
    items: Vec<Option<String>>,
    #[serde(default)]
    page: Option<u8>,
}

/// What may be left out has a plain type, at any depth, and null where it is data.
pub(crate) fn absence() -> Vec<Case> {
    let filter = json!({
        "type": "object",
        "properties": { "deep": { "type": "boolean" }, "name": { "type": "string" } },
    });
    vec![
        optional::<Option<String>>("option", json!({ "type": "string" }), json!("a")),
        optional::<Option<Vec<String>>>(
            "optional_vec",
            json!({ "type": "array", "items": { "type": "string" } }),
            json!(["a"]),
        ),
        optional::<Option<Option<bool>>>("option_of_option", json!({ "type": "boolean" }), json!(true)),
        optional::<Option<Value>>("optional_value", json!({}), json!([1])),
        optional::<Option<Key>>(
            "optional_enum",
            json!({ "type": "string", "enum": ["low", "high"] }),
            json!("low"),
        ),
        optional::<Option<Filter>>("optional_struct", filter.clone(), json!({ "deep": true, "name": "a" })),
        argument::<Vec<Option<Filter>>>(
            "vec_of_optional_struct",
            json!({
                "type": "array",
                "items": {
                    "type": ["object", "null"],
                    "properties": { "deep": { "type": "boolean" }, "name": { "type": "string" } },
                },
            }),
            json!([null, { "name": "a" }]),
        ),
        argument::<Vec<Option<Key>>>(
            "vec_of_optional_enum",
            json!({ "type": "array", "items": { "type": ["string", "null"], "enum": ["low", "high", null] } }),
            json!(["low", null]),
        ),
        input::<Query>(
            "query",
            json!({
                "type": "object",
                "properties": {
                    "tables": { "type": "array", "items": { "type": "string" } },
                    "limit": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 },
                    "filter": filter,
                    "items": { "type": "array", "items": { "type": ["string", "null"] } },
                    "page": { "type": "integer", "minimum": 0, "maximum": 255 },
                },
                "required": ["items"],
            }),
            json!({ "tables": null, "limit": null, "filter": { "deep": null }, "items": ["a", null] }),
        )
        .gives(json!({
            "tables": null, "limit": null, "filter": { "name": null }, "items": ["a", null], "page": null,
        })),
    ]
}
