mod compile;
#[cfg(feature = "json-schema")]
mod differential;
#[cfg(feature = "json-schema")]
mod fallback;
mod hostile;
mod repairs;
mod text;
mod violations;

use serde_json::{Value, json};

use super::{CompiledSchema, Repairs};
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
    let text_is_taken = schema.takes_text(&Value::Object(arguments.clone()).to_string());
    let as_sent = arguments.clone();
    match schema.check_arguments(arguments, repairs) {
        // The walk over the text says yes only to what the walk over values takes as it is.
        Ok(arguments) if text_is_taken && *arguments.as_json() != as_sent => {
            panic!("mended, but taken as text")
        }
        Err(violations) if text_is_taken => panic!("taken as text, but refused: {}", violations.report("")),
        Ok(arguments) => Ok(arguments.get("p").cloned().unwrap_or_else(|| json!("ABSENT"))),
        Err(violations) => Err(violations.report("")),
    }
}
