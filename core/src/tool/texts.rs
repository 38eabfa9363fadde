use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::check::{CompiledSchema, Repairs, Violations};
use super::schema::{self, SchemaError};
use crate::types::PromptArgument;

/// Arguments that are sent as texts, whatever type a function takes them as: those of prompts and of URI templates.
#[derive(Debug)]
pub(crate) struct Texts {
    schema: Value,
    compiled: CompiledSchema,
}

impl Texts {
    /// Arguments of this schema, and these beside them or instead.
    pub(crate) fn new(mut schema: Value, declared: &[PromptArgument]) -> Result<Self, SchemaError> {
        let members = schema.as_object_mut().ok_or(SchemaError::NotASchema)?;
        for argument in declared {
            let properties = members.entry("properties").or_insert_with(|| json!({}));
            let properties = properties.as_object_mut().ok_or(SchemaError::NotASchema)?;
            properties.entry(argument.name.clone()).or_insert_with(|| json!({ "type": "string" }));
            let required = members.entry("required").or_insert_with(|| json!([]));
            let required = required.as_array_mut().ok_or(SchemaError::NotASchema)?;
            required.retain(|name| *name != argument.name);
            if argument.required {
                required.push(argument.name.clone().into());
            }
        }
        let dialect = schema::inspect(&schema)?;
        let compiled = CompiledSchema::new(&schema, dialect)?;
        Ok(Self { schema, compiled })
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// What people are told of each argument.
    pub(crate) fn told(&self) -> Vec<PromptArgument> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let text =
            |property: &Value, keyword| property.get(keyword).and_then(Value::as_str).map(str::to_owned);
        let told = |(name, property): (&String, &Value)| PromptArgument {
            title: text(property, "title"),
            description: text(property, "description"),
            required: self.is_required(name),
            ..PromptArgument::new(name)
        };
        properties.into_iter().flatten().map(told).collect()
    }

    /// The arguments that must be there.
    pub(crate) fn required(&self) -> impl Iterator<Item = &str> {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str)
    }

    fn is_required(&self, name: &str) -> bool {
        self.required().any(|required| required == name)
    }

    /// The texts as the arguments that a function takes: `"7"` is a number where one is wanted, `"true"` a truth value.
    pub(crate) fn read(&self, mut texts: Map<String, Value>) -> Result<Arguments, Violations> {
        for (name, text) in &mut texts {
            // Not a repair that goes for tools: their clients can send one.
            if self.is_boolean(name)
                && let Some(truth) = text.as_str().and_then(|text| text.parse::<bool>().ok())
            {
                *text = truth.into();
            }
        }
        self.compiled.check_arguments(texts, Repairs::ALL)
    }

    fn is_boolean(&self, name: &str) -> bool {
        let property = self.schema.get("properties").and_then(|properties| properties.get(name));
        property.and_then(|property| property.get("type")).is_some_and(|types| types == "boolean")
    }
}
