//! The schemas that tools publish: derived from types, or handed in and checked.

mod choice;
mod derive;
mod references;
mod root;
mod simplify;

use serde_json::{Map, Value, json};

pub(super) use derive::{derive, derive_output};

/// Bounds on what an application may register, looked at before any library sees the schema: compiling recurses.
pub(super) const MAX_DEPTH: usize = 64;
const MAX_SUBSCHEMAS: usize = 10_000;

/// Why a schema cannot be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Clients drop every tool of a server when one schema is of another type.
    #[error("the root of an input schema must have \"type\": \"object\"")]
    RootIsNotAnObject,
    /// A schema is an object, or at least a boolean.
    #[error("a schema must be a JSON object")]
    NotASchema,
    /// `$schema` names a dialect that is not served.
    #[error("the dialect {0:?} is not supported: use 2020-12 (or no $schema at all), 2019-09 or draft-07")]
    UnsupportedDialect(String),
    /// Something outside of the schema would have to be fetched.
    #[error(
        "{0:?} refers to something outside of the schema; nothing is ever fetched: inline it under $defs"
    )]
    ExternalReference(String),
    /// More than 64 levels of subschemas.
    #[error("the schema nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// More than 10,000 subschemas.
    #[error("the schema has more than {MAX_SUBSCHEMAS} subschemas")]
    TooLarge,
    /// Not a schema by the rules of its dialect.
    #[error("not a valid schema at {at:?}: {reason}")]
    Invalid {
        /// A JSON Pointer into the schema.
        at: String,
        /// What is wrong there.
        reason: String,
    },
    /// A keyword that is not checked without the feature `json-schema`. It is refused rather than ignored.
    #[error("the keyword {keyword:?} at {at:?} needs the feature \"json-schema\" of mcp-http")]
    UnsupportedKeyword {
        /// The keyword.
        keyword: String,
        /// A JSON Pointer to the schema that has it.
        at: String,
    },
    /// A reference that leads back to itself before it leads to any part of a value.
    #[error("the schema at {0:?} refers to itself: no value can be checked against it")]
    Endless(String),
    /// An `x-mcp-header` where clients do not look for one, or with a value that cannot be a header.
    #[error("x-mcp-header at {at:?}: {reason}")]
    ParamHeader {
        /// A JSON Pointer into the schema.
        at: String,
        /// What is wrong there.
        reason: &'static str,
    },
}

/// The dialects that schemas may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Draft202012,
    Draft201909,
    Draft07,
}

impl Dialect {
    /// The dialect that a schema declares; 2020-12 when it is silent.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-dialect>
    fn of(schema: &Map<String, Value>) -> Result<Self, SchemaError> {
        let declared = match schema.get("$schema") {
            None => return Ok(Self::Draft202012),
            Some(Value::String(uri)) => uri,
            Some(other) => return Err(SchemaError::UnsupportedDialect(other.to_string())),
        };
        let bare = declared.trim_end_matches('#');
        match bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare) {
            "json-schema.org/draft/2020-12/schema" => Ok(Self::Draft202012),
            "json-schema.org/draft/2019-09/schema" => Ok(Self::Draft201909),
            "json-schema.org/draft-07/schema" => Ok(Self::Draft07),
            _ => Err(SchemaError::UnsupportedDialect(declared.clone())),
        }
    }
}

/// Checks what can be checked without compiling, and says how to compile.
pub(super) fn inspect(schema: &Value) -> Result<Dialect, SchemaError> {
    let dialect = match schema {
        Value::Object(members) => Dialect::of(members)?,
        Value::Bool(_) => return Ok(Dialect::Draft202012),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(SchemaError::NotASchema);
        }
    };
    // Depth of the JSON first: a subschema sits at most three levels below its parent, and values nest too.
    if nests_deeper(schema, MAX_DEPTH.saturating_mul(3)) {
        return Err(SchemaError::TooDeep);
    }
    let mut own = Vec::new();
    visit(schema, 0, &mut |subschema, depth| {
        own.extend(subschema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#')));
        depth <= MAX_DEPTH
    });
    let mut count = 0_usize;
    let mut problem = None;
    visit(schema, 0, &mut |subschema, depth| {
        count = count.saturating_add(1);
        if depth > MAX_DEPTH {
            problem = Some(SchemaError::TooDeep);
        } else if count > MAX_SUBSCHEMAS {
            problem = Some(SchemaError::TooLarge);
        } else if let Some(uri) = external_reference(subschema, &own) {
            problem = Some(SchemaError::ExternalReference(uri.to_owned()));
        }
        problem.is_none()
    });
    problem.map_or(Ok(dialect), Err)
}

/// Whether arrays and objects nest deeper than this.
pub(super) fn nests_deeper(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else {
        return value.is_object() || value.is_array();
    };
    match value {
        Value::Array(items) => items.iter().any(|item| nests_deeper(item, below)),
        Value::Object(members) => members.values().any(|member| nests_deeper(member, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A reference with an authority or a file path: it can only be resolved by fetching.
///
/// References to an `$id` inside the schema, one of `own`, stay; one that leads nowhere fails to compile.
fn external_reference<'a>(subschema: &'a Value, own: &[&str]) -> Option<&'a str> {
    ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().find_map(|keyword| {
        let uri = subschema.get(keyword)?.as_str()?;
        let resource = uri.split('#').next().unwrap_or_default();
        let remote = uri.contains("://") && !uri.contains("://json-schema.org/") && !own.contains(&resource);
        (remote || uri.starts_with("file:")).then_some(uri)
    })
}

/// Where a keyword has schemas in its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A schema, or a list of schemas.
    Schemas,
    /// Names with a schema each.
    Named,
}

pub(super) fn holds(keyword: &str) -> Option<Holds> {
    match keyword {
        "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "contentSchema" => Some(Holds::Schemas),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Some(Holds::Named),
        _ => None,
    }
}

pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Undoes the percent-encoding of a URI's fragment.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (hex, rest) = part.split_at_checked(2).filter(|(hex, _)| !hex.starts_with('+'))?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Visits a schema and all schemas in it, parents first, until `visitor` says to stop.
pub(crate) fn visit<'a>(
    schema: &'a Value,
    depth: usize,
    visitor: &mut impl FnMut(&'a Value, usize) -> bool,
) -> bool {
    if !visitor(schema, depth) {
        return false;
    }
    let below = depth.saturating_add(1);
    schema.as_object().into_iter().flatten().all(|(keyword, value)| match (holds(keyword), value) {
        (None, _) => true,
        (Some(Holds::Schemas), Value::Array(list)) => {
            list.iter().filter(|item| is_schema(item)).all(|item| visit(item, below, visitor))
        }
        (Some(Holds::Schemas), one) => !is_schema(one) || visit(one, below, visitor),
        (Some(Holds::Named), named) => {
            let named = named.as_object().into_iter().flatten();
            named.map(|(_, item)| item).filter(|item| is_schema(item)).all(|item| visit(item, below, visitor))
        }
    })
}

/// Changes a schema and all schemas in it, parents first. Those below one for which `change` says no stay.
pub(crate) fn transform(schema: &mut Value, change: &mut impl FnMut(&mut Value) -> bool) {
    if change(schema) {
        each_child(schema, &mut |child| transform(child, change));
    }
}

/// Changes a schema and all schemas in it, children first.
fn transform_up(schema: &mut Value, change: &mut impl FnMut(&mut Value)) {
    each_child(schema, &mut |child| transform_up(child, change));
    change(schema);
}

fn each_child(schema: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    for (keyword, value) in schema.as_object_mut().into_iter().flatten() {
        match (holds(keyword), value) {
            (None, _) => {}
            (Some(Holds::Schemas), Value::Array(list)) => {
                list.iter_mut().filter(|item| is_schema(item)).for_each(&mut *change);
            }
            (Some(Holds::Schemas), one) if is_schema(one) => change(one),
            (Some(Holds::Schemas), _) => {}
            (Some(Holds::Named), named) => {
                let named = named.as_object_mut().into_iter().flatten();
                named.map(|(_, item)| item).filter(|item| is_schema(item)).for_each(&mut *change);
            }
        }
    }
}

/// Every `x-mcp-header` in a schema, with the path of property names that leads to it; `None` where it was reached
/// through anything but `properties`.
pub(super) fn annotated(schema: &Value) -> Vec<(Option<Vec<String>>, &Value)> {
    fn walk<'a>(
        schema: &'a Value,
        path: Option<Vec<String>>,
        found: &mut Vec<(Option<Vec<String>>, &'a Value)>,
    ) {
        if schema.get("x-mcp-header").is_some() {
            found.push((path.clone(), schema));
        }
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (holds(keyword), value) {
                (None, _) => {}
                (Some(Holds::Schemas), Value::Array(list)) => {
                    list.iter().for_each(|item| walk(item, None, found));
                }
                (Some(Holds::Schemas), one) => walk(one, None, found),
                (Some(Holds::Named), named) => {
                    for (name, item) in named.as_object().into_iter().flatten() {
                        let path = path.clone().filter(|_| keyword == "properties").map(|mut path| {
                            path.push(name.clone());
                            path
                        });
                        walk(item, path, found);
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    walk(schema, Some(Vec::new()), &mut found);
    found
}

/// What a tool without parameters publishes.
pub(super) fn no_arguments() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}
