//! Checks values against the schema that was published, and mends arguments first where nothing is lost.
//!
//! The keywords that schemas of types are made of are walked here. A schema with others is given to the `jsonschema`
//! crate for the verdict, after the same repairs.
//!
//! ```text
//! compile: schema → Tree (settle: references and types) ── and a Fallback, if there are keywords it does not walk
//! text:    is the text of the arguments valid as it is? Then no value is built
//! check:   evaluate: is it valid? ─┬─ yes, nothing to mend
//!                                  └─ no: repair, evaluate again: Arguments or Violations
//! ```

mod compile;
mod effort;
mod equality;
mod evaluate;
#[cfg(feature = "json-schema")]
mod fallback;
mod number;
#[cfg(feature = "json-schema")]
mod pattern;
mod repair;
mod settle;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod types;
mod violation;
mod words;

use serde_json::{Map, Value};

pub use self::repair::Repairs;
pub(crate) use self::violation::Violations;

use self::compile::compile;
use self::effort::Effort;
use self::evaluate::Marks;
#[cfg(feature = "json-schema")]
use self::fallback::Fallback;
use self::tree::Tree;
use super::arguments::Arguments;
use super::schema::{Dialect, SchemaError};

/// A schema that values are checked against.
#[derive(Debug)]
pub(crate) struct CompiledSchema {
    tree: Tree,
    /// Has the verdict, where the tree does not walk all keywords.
    #[cfg(feature = "json-schema")]
    fallback: Option<Fallback>,
}

impl CompiledSchema {
    /// Compiles a schema whose depth and size were bounded before.
    #[cfg(feature = "json-schema")]
    pub(super) fn new(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        let compiled = compile(schema, dialect)?;
        let fallback = compiled.unread.map(|_| Fallback::new(schema, dialect)).transpose()?;
        Ok(Self { tree: compiled.tree, fallback })
    }

    /// Compiles a schema whose depth and size were bounded before, and whose formats are checked.
    #[cfg(feature = "formats")]
    pub(super) fn with_formats(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        Ok(Self { fallback: Some(Fallback::with_formats(schema, dialect)?), ..Self::new(schema, dialect)? })
    }

    /// Compiles a schema whose depth and size were bounded before.
    #[cfg(not(feature = "json-schema"))]
    pub(super) fn new(schema: &Value, dialect: Dialect) -> Result<Self, SchemaError> {
        let compiled = compile(schema, dialect)?;
        match compiled.unread {
            None => Ok(Self { tree: compiled.tree }),
            Some((keyword, at)) => Err(SchemaError::UnsupportedKeyword { keyword, at }),
        }
    }

    /// Whether arguments are right as they were sent, by their text. `false` is "perhaps not".
    pub(crate) fn takes_text(&self, json: &str) -> bool {
        #[cfg(feature = "json-schema")]
        if self.fallback.is_some() {
            return false;
        }
        self.tree.takes_text(json)
    }

    /// Checks arguments, which are mended first where they have to be and can be. All violations are told at once.
    pub(crate) fn check_arguments(
        &self,
        arguments: Map<String, Value>,
        repairs: Repairs,
    ) -> Result<Arguments, Violations> {
        let mut arguments = Value::Object(arguments);
        let mut effort = Effort::new();
        let as_they_are = self.verdict(&arguments, &mut effort);
        let to_mend = |marks: Marks| marks.wide_integer || (marks.integral_float && repairs.integral_floats);
        if as_they_are.is_none_or(to_mend) {
            self.tree.repair(&mut arguments, repairs, &mut effort);
            self.explain(&arguments, true, &mut effort)?;
        }
        Ok(Arguments::new(object(arguments)))
    }

    /// The arguments as a tool would see them, were they valid.
    pub(crate) fn repaired(&self, arguments: &Map<String, Value>, repairs: Repairs) -> Map<String, Value> {
        let mut arguments = Value::Object(arguments.clone());
        self.tree.repair(&mut arguments, repairs, &mut Effort::new());
        object(arguments)
    }

    /// Checks a value as it is; all violations are told at once.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Violations> {
        let mut effort = Effort::new();
        match self.verdict(value, &mut effort) {
            Some(_) => Ok(()),
            None => self.explain(value, false, &mut effort),
        }
    }

    fn verdict(&self, value: &Value, effort: &mut Effort) -> Option<Marks> {
        let marks = self.tree.verdict(Tree::ROOT, value, effort)?;
        #[cfg(feature = "json-schema")]
        if !self.fallback.as_ref().is_none_or(|fallback| fallback.takes(value)) {
            return None;
        }
        Some(marks)
    }

    fn explain(&self, value: &Value, arguments: bool, effort: &mut Effort) -> Result<(), Violations> {
        #[cfg_attr(not(feature = "json-schema"), expect(unused_mut, reason = "the fallback adds to them"))]
        let mut violations = self.tree.explain(value, arguments, effort);
        #[cfg(feature = "json-schema")]
        if let Some(fallback) = &self.fallback {
            fallback.explain(value, &mut violations);
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

/// Repairs make another value of an object's members, never of the object.
fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}
