//! The schemas of Rust types, in the form that all clients take.
//!
//! schemars knows how serde reads and writes a type. What it makes of that is valid, but clients trip over it: this is
//! where references, formats of Rust, unions at the root and the like become what they understand, in keywords that
//! are checked without the feature `json-schema`.
//!
//! ```text
//! schemars ─ references: inline what can be ─ root: one object ─ simplify: each schema by itself
//! ```

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::references::References;
use super::simplify::{self, simplify};
use super::{choice, no_arguments, root, transform, transform_up};

/// The input schema of an argument type. What may be left out has a plain type: null is taken for it all the same.
pub(in crate::tool) fn derive<T: JsonSchema>() -> Value {
    input(generate::<T>(SchemaSettings::draft2020_12()))
}

/// The output schema of a type. What may be null says so: results are not repaired.
pub(in crate::tool) fn derive_output<T: JsonSchema>() -> Value {
    output(generate::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

fn generate<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.meta_schema = None;
    let root: fn(SchemaSettings) -> Value =
        |settings| Schema::to_value(settings.into_generator().into_root_schema_for::<T>());
    inlined(root, settings, &T::schema_name())
}

/// References are inlined by schemars where that ends well: it also applies the bounds that a field has beyond its
/// type's, which it cannot where it leaves a reference.
fn inlined(root: fn(SchemaSettings) -> Value, mut settings: SchemaSettings, name: &str) -> Value {
    settings.inline_subschemas = false;
    let mut by_name = root(settings.clone());
    simplify::untitle(&mut by_name, name);
    let mut references = References::new(by_name, name);
    if let Some(schema) = references.alone() {
        return schema;
    }
    if references.are_few() {
        settings.inline_subschemas = true;
        let mut schema = root(settings);
        simplify::untitle(&mut schema, name);
        return schema;
    }
    references.inline()
}

fn input(mut schema: Value) -> Value {
    transform(&mut schema, &mut |subschema| {
        simplify::prepare(subschema);
        true
    });
    root::merge(&mut schema);
    transform_up(&mut schema, &mut |subschema| {
        simplify(subschema);
        simplify::publish_absence(subschema);
    });
    root::make_object(&mut schema);
    if root::takes_nothing(&schema) { no_arguments() } else { schema }
}

fn output(mut schema: Value) -> Value {
    transform(&mut schema, &mut |subschema| {
        simplify::prepare(subschema);
        true
    });
    transform_up(&mut schema, &mut simplify);
    if choice::gives_objects(&schema)
        && let Some(members) = schema.as_object_mut()
    {
        members.shift_insert(0, "type".to_owned(), json!("object"));
    }
    schema
}
