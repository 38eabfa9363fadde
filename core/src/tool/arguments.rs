use std::fmt::Write as _;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::output::ToolError;
use super::schema::{Dialect, SchemaError};

/// How many violations are told at once: enough to mend a call, and no lever to make a small request a large answer.
const MAX_VIOLATIONS: usize = 50;

/// The arguments of a call. They conform to the input schema of the tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments(Value);

impl Arguments {
    pub(super) fn new(arguments: Map<String, Value>) -> Self {
        Self(Value::Object(arguments))
    }

    /// One argument.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The arguments as a JSON object.
    #[must_use]
    pub fn as_json(&self) -> &Value {
        &self.0
    }

    /// Reads the arguments as a Rust type.
    ///
    /// # Errors
    /// When they conform to the schema, but not to the type: the error tells the model why.
    pub fn bind<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        T::deserialize(self.0).map_err(|error| ToolError::new(format!("Invalid arguments: {error}")))
    }
}

/// A schema that values are checked against.
#[derive(Debug)]
pub(crate) struct CompiledSchema {
    validator: Validator,
    /// Properties of the root that may be left out, and for which null means that they were.
    optional: Vec<String>,
}

impl CompiledSchema {
    /// Compiles a schema whose size was bounded before.
    pub(super) fn new(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        let validator = jsonschema::options()
            .with_draft(dialect.draft())
            .with_pattern_options(PatternOptions::regex()) // linear time, whatever the text
            .build(schema)
            .map_err(|error| SchemaError::Invalid {
                at: error.instance_path().to_string(),
                reason: error.to_string(),
            })?;
        Ok(Self { validator, optional: optional_properties(schema) })
    }

    /// Checks arguments; null for an optional one that cannot be null is taken for an absent one.
    pub(crate) fn check_arguments(&self, mut arguments: Map<String, Value>) -> Result<Arguments, Violations> {
        for name in &self.optional {
            if arguments.get(name).is_some_and(Value::is_null) {
                arguments.shift_remove(name);
            }
        }
        let arguments = Arguments::new(arguments);
        self.check(&arguments.0)?;
        Ok(arguments)
    }

    /// Checks a value; all violations are told at once.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Violations> {
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let mut violations = Violations::default();
        for error in self.validator.iter_errors(value) {
            violations.add(&error);
        }
        Err(violations)
    }
}

fn optional_properties(schema: &Value) -> Vec<String> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    };
    let takes_no_null =
        |property: &Value| property.get("type").is_some_and(|kind| kind.is_string() && kind != "null");
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter(|(name, property)| !required(name) && takes_no_null(property))
        .map(|(name, _)| name.clone())
        .collect()
}

/// What is wrong with a value, for a model to read. Values are not repeated: they may be long, or secret.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    lines: Vec<String>,
    more: usize,
}

impl Violations {
    pub(super) fn single(pointer: &str, problem: &str) -> Self {
        Self { lines: vec![format!("{pointer}: {problem}")], more: 0 }
    }

    fn add(&mut self, error: &ValidationError<'_>) {
        if self.lines.len() >= MAX_VIOLATIONS {
            self.more = self.more.saturating_add(1);
            return;
        }
        let at = error.instance_path();
        self.lines.push(if let ValidationErrorKind::Required { property } = error.kind() {
            format!("{at}/{}: missing, but required", property.as_str().unwrap_or_default())
        } else if at.as_str().is_empty() {
            error.masked().to_string()
        } else {
            format!("{at}: {}", error.masked())
        });
    }

    /// The violations, a line each, under a title.
    pub(crate) fn report(&self, title: &str) -> String {
        let mut text = title.to_owned();
        for line in &self.lines {
            text.push_str("\n- ");
            text.push_str(line);
        }
        if self.more > 0 {
            let _infallible = write!(text, "\n- and {} more", self.more);
        }
        text
    }
}
