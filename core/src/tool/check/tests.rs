#![expect(clippy::arithmetic_side_effects, reason = "a test stops when it overflows")]

mod compile;
#[cfg(feature = "json-schema")]
mod differential;
mod hostile;
mod repairs;
mod violations;

use serde_json::{Value, json};

use super::{CompiledSchema, Effort, Repairs, Tree};
use crate::tool::schema::{SchemaError, inspect};

fn try_compiled(schema: &Value) -> Result<CompiledSchema, SchemaError> {
    CompiledSchema::new(schema, inspect(schema)?)
}

#[track_caller]
fn compiled(schema: &Value) -> CompiledSchema {
    try_compiled(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// What a tool whose one argument `p` has this schema sees when this is sent, or what the caller is told.
#[track_caller]
fn sent(property: &Value, value: &Value, repairs: Repairs) -> Result<Value, String> {
    let schema = compiled(&json!({ "type": "object", "properties": { "p": property } }));
    let Value::Object(arguments) = json!({ "p": value }) else { unreachable!() };
    match schema.check_arguments(arguments, repairs) {
        Ok(arguments) => Ok(arguments.get("p").cloned().unwrap_or_else(|| json!("ABSENT"))),
        Err(violations) => Err(violations.report("")),
    }
}
