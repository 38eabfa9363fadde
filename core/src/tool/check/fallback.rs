//! Keywords that the tree does not walk: the `jsonschema` crate knows all of them.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::types::{JsonType, JsonTypeSet};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::pattern;
use super::types::Types;
use super::violation::{Violations, escape, shorten};
use super::words::expected_types;
use crate::tool::schema::{Dialect, Holds, SchemaError, holds};

#[derive(Debug)]
pub(super) struct Fallback(Validator);

impl Fallback {
    /// Compiles a schema whose depth and size were bounded before.
    pub(super) fn new(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        let mut schema = schema.clone();
        prepare(&mut schema, "")?;
        // What builds from options is generic: with it, all keywords would be compiled a second time into a binary.
        let validator = match dialect {
            Dialect::Draft202012 => jsonschema::draft202012::new(&schema),
            Dialect::Draft201909 => jsonschema::draft201909::new(&schema),
            Dialect::Draft07 => jsonschema::draft7::new(&schema),
        };
        validator.map(Self).map_err(|error| invalid(&error))
    }

    /// Compiles a schema whose formats are checked as well. This is the generic way: see [`new`](Self::new).
    #[cfg(feature = "formats")]
    pub(super) fn with_formats(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        let draft = match dialect {
            Dialect::Draft202012 => jsonschema::Draft::Draft202012,
            Dialect::Draft201909 => jsonschema::Draft::Draft201909,
            Dialect::Draft07 => jsonschema::Draft::Draft7,
        };
        let options = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(true)
            .with_pattern_options(jsonschema::PatternOptions::regex()); // linear time, whatever the text
        options.build(schema).map(Self).map_err(|error| invalid(&error))
    }

    pub(super) fn takes(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Adds what was not said yet.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are told with one text")]
    pub(super) fn explain(&self, value: &Value, violations: &mut Violations) {
        for error in self.0.iter_errors(value) {
            let at = location(&error);
            match error.kind() {
                ValidationErrorKind::Required { property } => {
                    let name = property.as_str().unwrap_or_default();
                    add(violations, below(&at, name), || "missing, but required".to_owned());
                }
                ValidationErrorKind::AdditionalProperties { unexpected }
                | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                    for name in unexpected {
                        add(violations, below(&at, name), || "unexpected".to_owned());
                    }
                }
                _ => add(violations, at, || problem(&error)),
            }
        }
    }
}

fn invalid(error: &ValidationError<'_>) -> SchemaError {
    SchemaError::Invalid { at: error.instance_path().to_string(), reason: error.to_string() }
}

/// Takes out `format`, an annotation here as in schemas that have no need of the crate, and refuses patterns that are
/// not matched in linear time. Looks into unknown keywords as well: a reference may lead there.
fn prepare(schema: &mut Value, at: &str) -> Result<(), SchemaError> {
    let linear = |pattern: &str, at: &str| {
        let invalid = |reason: &str| SchemaError::Invalid { at: at.to_owned(), reason: reason.to_owned() };
        pattern::check(pattern).map_err(invalid)
    };
    match schema {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                prepare(item, &format!("{at}/{index}"))?;
            }
        }
        Value::Object(members) => {
            members.retain(|keyword, value| keyword != "format" || !value.is_string());
            for (keyword, value) in members {
                let at = format!("{at}/{}", escape(keyword));
                match (keyword.as_str(), value) {
                    ("const" | "enum" | "default" | "examples", _) => {}
                    ("pattern", Value::String(pattern)) => linear(pattern, &at)?,
                    (_, Value::Object(named)) if holds(keyword) == Some(Holds::Named) => {
                        for (name, schema) in named {
                            let at = format!("{at}/{}", escape(name));
                            if keyword == "patternProperties" {
                                linear(name, &at)?;
                            }
                            prepare(schema, &at)?;
                        }
                    }
                    (_, other) => prepare(other, &at)?,
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(())
}

/// A JSON Pointer with long names cut.
fn location(error: &ValidationError<'_>) -> String {
    let pointer = error.instance_path().to_string();
    pointer.split('/').map(shorten).collect::<Vec<_>>().join("/")
}

fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", escape(&shorten(name)))
}

fn add(violations: &mut Violations, at: String, problem: impl FnOnce() -> String) {
    if !violations.tell_of(&at) {
        violations.add(at, problem);
    }
}

/// What is wrong, without the value. The text may repeat a part of the schema: not more than fits a line.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others have a text that does not repeat the value")]
fn problem(error: &ValidationError<'_>) -> String {
    const MAX_TEXT: usize = 200;
    let text = match error.kind() {
        ValidationErrorKind::Type { kind } => expected_types(types(kind), error.instance()),
        ValidationErrorKind::PropertyNames { error } => {
            format!("has a name that is not allowed: {}", error.masked())
        }
        ValidationErrorKind::Format { format } => format!("expected a string in the format {format}"),
        ValidationErrorKind::UnevaluatedItems { .. } => "has items that are not allowed".to_owned(),
        _ => error.masked().to_string(),
    };
    text.chars().take(MAX_TEXT).collect()
}

fn types(kind: &TypeKind) -> Types {
    let of = |types: JsonTypeSet| {
        types.iter().fold(Types::NONE, |all, kind| {
            all.union(match kind {
                JsonType::Array => Types::ARRAY,
                JsonType::Boolean => Types::BOOLEAN,
                JsonType::Integer => Types::INTEGER,
                JsonType::Null => Types::NULL,
                JsonType::Number => Types::NUMBER,
                JsonType::Object => Types::OBJECT,
                JsonType::String => Types::STRING,
            })
        })
    };
    match kind {
        TypeKind::Single(kind) => of(JsonTypeSet::empty().insert(*kind)),
        TypeKind::Multiple(kinds) => of(*kinds),
    }
}
