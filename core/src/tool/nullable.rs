use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Makes an `Option<T>` of an argument struct one that must be there and may be null.
///
/// A plain `Option<T>` may be left out, and is published without null. Parameters of a tool are marked with
/// `#[param(nullable)]` instead.
///
/// ```
/// use mcp_http::{Nullable, Tool};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Assign {
///     /// Who takes care of it; null for nobody
///     #[serde(with = "Nullable::<String>")]
///     owner: Option<String>,
/// }
///
/// let tool = Tool::builder("assign").handler(|args: Assign| args.owner.unwrap_or_default()).build()?;
/// assert_eq!(tool.input_schema()["properties"]["owner"]["type"], json!(["string", "null"]));
/// assert_eq!(tool.input_schema()["required"], json!(["owner"]));
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
#[derive(Debug)]
pub struct Nullable<T>(PhantomData<T>);

impl<T> Nullable<T> {
    /// Reads a value, or null.
    ///
    /// # Errors
    /// When it is neither.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        Option::deserialize(deserializer)
    }

    /// Writes the value, or null.
    ///
    /// # Errors
    /// When the value does not serialise.
    pub fn serialize<S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize,
    {
        value.serialize(serializer)
    }
}

/// The schema of `Option<T>`, of a type that is not one: schemars takes an option for something to leave out.
impl<T: JsonSchema> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        <Option<T>>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        <Option<T>>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        <Option<T>>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <Option<T>>::json_schema(generator)
    }
}
