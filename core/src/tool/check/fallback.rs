//! Keywords that the tree does not walk: the `jsonschema` crate knows all of them.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::types::{JsonType, JsonTypeSet};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::types::Types;
use super::violation::{Violations, escape, shorten};
use super::words::expected_types;
use crate::tool::schema::{Dialect, SchemaError};

#[derive(Debug)]
pub(super) struct Fallback(Validator);

/// What `format` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formats {
    /// An annotation, as in schemas that have no need of this crate.
    Told,
    Checked,
}

impl Fallback {
    /// Compiles a schema whose depth and size were bounded before.
    pub(super) fn new(schema: &Value, dialect: Dialect, formats: Formats) -> Result<Self, SchemaError> {
        let draft = match dialect {
            Dialect::Draft202012 => Draft::Draft202012,
            Dialect::Draft201909 => Draft::Draft201909,
            Dialect::Draft07 => Draft::Draft7,
        };
        let validator = jsonschema::options()
            .with_draft(draft)
            .should_validate_formats(formats == Formats::Checked)
            .with_pattern_options(PatternOptions::regex()) // linear time, whatever the text
            .build(schema);
        validator.map(Self).map_err(|error| SchemaError::Invalid {
            at: error.instance_path().to_string(),
            reason: error.to_string(),
        })
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
