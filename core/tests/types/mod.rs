//! Rust types, the schemas that are published for them, written by hand, and a value of each.
//!
//! Every type is a tool which gives back the arguments that it read, so whoever calls it sees what was advertised and
//! what was read. The tests in `it/schemas.rs` hold the library to the schemas; `examples/schemas_axum.rs` serves the
//! same tools to real clients.

use mcp_http::{Json, Tool, ToolBuilder, ToolOutput};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

mod choices;
mod plain;
mod structs;

pub(crate) use choices::*;
pub(crate) use plain::*;
pub(crate) use structs::*;

/// A type as a tool.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The schemas as they are published, by hand. Only one of them is looked at, the other is derived all the same.
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
    /// A value to call the tool with, and the one that it gives back.
    pub(crate) arguments: Value,
    pub(crate) gives: Value,
    builder: fn(&'static str) -> ToolBuilder,
}

impl Case {
    pub(crate) fn tool(&self) -> ToolBuilder {
        (self.builder)(self.name)
            .description("Gives back what it was given")
            .meta("com.example/arguments", self.arguments.clone())
            .meta("com.example/gives", self.gives.clone())
    }

    /// What it gives back, where that is not what it was given.
    fn gives(mut self, value: Value) -> Self {
        self.gives = value;
        self
    }
}

/// A type of arguments.
fn input<T>(name: &'static str, schema: Value, arguments: Value) -> Case
where
    T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    let builder = |name| Tool::builder(name).handler(|arguments: T| Json(arguments));
    let gives = arguments.clone();
    Case { name, input: Some(schema), output: None, arguments, gives, builder }
}

/// A type of arguments which is not given back: its output schema would not hold.
fn one_way<T>(name: &'static str, schema: Value, arguments: Value) -> Case
where
    T: DeserializeOwned + JsonSchema + Serialize + Send + Sync + 'static,
{
    let builder = |name| Tool::builder(name).handler(|arguments: T| ToolOutput::structured(&arguments));
    let gives = arguments.clone();
    Case { name, input: Some(schema), output: None, arguments, gives, builder }
}

// A type of one argument. A doc comment would be published.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Serialize + DeserializeOwned")]
struct Of<T> {
    value: T,
}

/// A type of one argument that has to be there.
fn argument<T>(name: &'static str, schema: Value, value: Value) -> Case
where
    T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    let schema = json!({ "type": "object", "properties": { "value": schema }, "required": ["value"] });
    input::<Of<T>>(name, schema, json!({ "value": value }))
}

/// A type of one argument that may be left out.
fn optional<T>(name: &'static str, schema: Value, value: Value) -> Case
where
    T: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    let schema = json!({ "type": "object", "properties": { "value": schema } });
    input::<Of<T>>(name, schema, json!({ "value": value }))
}

/// A type of results, and a value of it.
fn output<T>(
    name: &'static str,
    schema: Value,
    builder: fn(&'static str) -> ToolBuilder,
    gives: Value,
) -> Case {
    let _of: std::marker::PhantomData<T>;
    Case { name, input: None, output: Some(schema), arguments: json!({}), gives, builder }
}

/// Rows of [`output`]: a name, a type, an expression that is a value of it, its schema, the JSON of the value.
macro_rules! outputs {
    ($($name:literal: $type:ty = $value:expr, $schema:tt, $gives:tt;)+) => {
        vec![$(output::<$type>(
            $name,
            json!($schema),
            |name| Tool::builder(name).handler(|| { let value: $type = $value; Json(value) }),
            json!($gives),
        ),)+]
    };
}
use outputs;

/// All types.
#[allow(dead_code, reason = "the tests look at them in groups")]
pub(crate) fn all() -> Vec<Case> {
    [
        numbers(),
        texts(),
        lists(),
        maps(),
        anything(),
        absence(),
        enums(),
        unions(),
        roots(),
        attributes(),
        descriptions(),
        nesting(),
        recursion(),
        results(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
