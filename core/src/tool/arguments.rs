use std::borrow::Cow;
use std::sync::OnceLock;

use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::check::Violations;
use super::output::ToolError;

/// The arguments of a call. They conform to the input schema of the tool.
#[derive(Debug, Clone)]
pub struct Arguments(Form);

#[derive(Debug, Clone)]
enum Form {
    /// As they were sent: the text of an object. It becomes members when somebody looks at it.
    Text {
        json: Bytes,
        members: OnceLock<Map<String, Value>>,
    },
    Members(Map<String, Value>),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::new(Map::new())
    }
}

impl<'de> serde::Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::new)
    }
}

/// Takes any object: for tools whose schema is [handed in](super::ToolBuilder::input_schema).
impl JsonSchema for Arguments {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Arguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Arguments {
    pub(crate) fn new(arguments: Map<String, Value>) -> Self {
        Self(Form::Members(arguments))
    }

    /// Arguments whose text was checked.
    pub(crate) fn from_text(json: Bytes) -> Self {
        Self(Form::Text { json, members: OnceLock::new() })
    }

    /// The same arguments with bytes of their own: a body that lies in a larger buffer can go.
    pub(crate) fn into_own(self) -> Self {
        match self.0 {
            Form::Text { json, .. } => Self::from_text(Bytes::copy_from_slice(&json)),
            Form::Members(_) => self,
        }
    }

    /// One argument.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_json().get(name)
    }

    /// The arguments as a JSON object.
    #[must_use]
    pub fn as_json(&self) -> &Map<String, Value> {
        match &self.0 {
            Form::Members(members) => members,
            Form::Text { json, members } => members.get_or_init(|| parse(json)),
        }
    }

    /// The arguments as a JSON object, to keep.
    #[must_use]
    pub fn into_json(self) -> Map<String, Value> {
        match self.0 {
            Form::Members(members) => members,
            Form::Text { json, members } => members.into_inner().unwrap_or_else(|| parse(&json)),
        }
    }

    /// Reads the arguments as a Rust type.
    ///
    /// # Errors
    /// When they conform to the schema, but not to the type, say because they are out of its range. The error names
    /// the argument and tells the model what was expected, without the value. A text that the type made itself
    /// ([`Error::custom`](serde::de::Error::custom)) is passed on, shortened.
    pub fn bind<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        let arguments = match self.0 {
            Form::Members(members) => members,
            Form::Text { json, .. } => match std::str::from_utf8(&json).map(serde_json::from_str) {
                Ok(Ok(bound)) => return Ok(bound),
                // Once more, to name the argument that failed.
                Ok(Err(_)) | Err(_) => parse(&json),
            },
        };
        let mut failed = None;
        let bound = T::deserialize(Named { arguments, failed: &mut failed });
        bound.map_err(|error| {
            let mut violations = Violations::default();
            violations.add_at(failed.as_deref(), || expectation(&error.to_string()));
            ToolError::of_arguments(violations.report("Invalid arguments:"))
        })
    }
}

fn parse(json: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(json).unwrap_or_default()
}

/// What an error of serde says, without the value that it repeats.
///
/// Of numbers, `serde_json/arbitrary_precision` tells less.
fn expectation(error: &str) -> String {
    /// How much of a text that is not serde's own is passed on, in characters.
    const MAX_TEXT: usize = 200;
    let repeats = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    match error.rsplit_once(", expected ").filter(|_| repeats.iter().any(|start| error.starts_with(start))) {
        Some((_, expected)) => format!("expected {expected}"),
        None => error.chars().take(MAX_TEXT).collect(),
    }
}

/// Arguments that note which of them failed.
///
/// `serde_path_to_error` would tell the path inside of the argument too, but it allocates a string for each key of
/// each object that it reads, errors or not.
struct Named<'a> {
    arguments: Map<String, Value>,
    failed: &'a mut Option<String>,
}

impl<'de> Deserializer<'de> for Named<'_> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let mut members = Members { rest: self.arguments.into_iter(), value: None, failed: self.failed };
        let value = visitor.visit_map(&mut members)?;
        match members.rest.next() {
            None => Ok(value),
            Some(_) => Err(Self::Error::custom("there are more arguments than the type has fields")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        Value::Object(self.arguments).deserialize_enum(name, variants, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        // `RawValue` is one, and serde_json's own affair.
        Value::Object(self.arguments).deserialize_newtype_struct(name, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

struct Members<'a> {
    rest: serde_json::map::IntoIter,
    /// The member whose name was read.
    value: Option<(String, Value)>,
    failed: &'a mut Option<String>,
}

impl<'de> MapAccess<'de> for &mut Members<'_> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        self.value = self.rest.next();
        self.value.as_ref().map(|(name, _)| seed.deserialize(name.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Self::Error> {
        let (name, value) = self.value.take().ok_or_else(|| Self::Error::custom("a value without a name"))?;
        seed.deserialize(value).inspect_err(|_| *self.failed = Some(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Args {
        #[serde(default)]
        count: u8,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        even: Even,
        #[serde(default)]
        list: Vec<u8>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Small,
        Large,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(try_from = "u64")]
    struct Even;

    impl TryFrom<u64> for Even {
        type Error = &'static str;

        fn try_from(value: u64) -> Result<Self, Self::Error> {
            if value.is_multiple_of(2) { Ok(Self) } else { Err("the number must be even") }
        }
    }

    fn bind<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
        let Value::Object(arguments) = arguments else { panic!("no arguments: {arguments}") };
        Arguments::new(arguments).bind()
    }

    #[track_caller]
    fn fails<T: DeserializeOwned>(arguments: Value, expected: &str) {
        let error = bind::<T>(arguments).map(|_| "bound").unwrap_err();
        assert_eq!(error.message(), format!("Invalid arguments:\n- {expected}"));
    }

    #[test]
    fn an_argument_that_its_type_does_not_take_is_named_but_not_repeated() {
        let arbitrary_precision = serde_json::from_str::<Value>("1e400").is_ok();
        let range = if arbitrary_precision { "invalid number" } else { "expected u8" };
        fails::<Args>(json!({ "count": 300 }), &format!("/count: {range}"));
        fails::<Args>(json!({ "list": [1, 256] }), &format!("/list: {range}"));
        fails::<Args>(json!({ "count": "secret, expected x" }), "/count: expected u8");
        fails::<Args>(json!({ "kind": "secret" }), "/kind: expected `small` or `large`");
        fails::<Args>(json!({ "even": 3 }), "/even: the number must be even");
        fails::<Option<Args>>(json!({ "even": 3 }), "/even: the number must be even");
    }

    #[test]
    fn what_belongs_to_no_argument_is_told_without_a_name() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code, reason = "only the errors matter")]
        struct Needs {
            a: u8,
        }
        fails::<Needs>(json!({}), "missing field `a`");
        fails::<Vec<u8>>(json!({ "a": 1 }), "expected a sequence");
    }

    #[test]
    fn arguments_bind_to_whatever_an_object_deserializes_to() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct New(Map<String, Value>);
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(tag = "kind")]
        enum Tagged {
            A { a: i64 },
        }
        #[derive(Debug, PartialEq, Deserialize)]
        enum Variant {
            A { a: i64 },
        }
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(untagged)]
        enum Untagged {
            A { a: i64 },
        }
        #[derive(Debug, PartialEq, Deserialize)]
        struct Flat {
            #[serde(flatten)]
            rest: std::collections::BTreeMap<String, i64>,
        }
        let object = json!({ "a": i64::MIN });
        assert_eq!(bind::<Value>(object.clone()).unwrap(), object);
        assert_eq!(Value::Object(bind::<New>(object.clone()).unwrap().0), object);
        assert_eq!(bind::<Tagged>(json!({ "kind": "A", "a": 1 })).unwrap(), Tagged::A { a: 1 });
        assert_eq!(bind::<Variant>(json!({ "A": { "a": 1 } })).unwrap(), Variant::A { a: 1 });
        assert_eq!(bind::<Untagged>(object.clone()).unwrap(), Untagged::A { a: i64::MIN });
        assert_eq!(bind::<Flat>(object.clone()).unwrap().rest["a"], i64::MIN);
        let raw: Box<serde_json::value::RawValue> = bind(object.clone()).unwrap();
        assert_eq!(raw.get(), object.to_string());
    }
}
