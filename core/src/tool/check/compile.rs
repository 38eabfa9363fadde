//! Reads a schema into a [`Tree`], and refuses what is no schema.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::number::{self, Numeric};
use super::settle::settle;
use super::tree::{
    Additional, ArrayRules, Limit, LimitKeyword, ObjectRules, Property, SchemaId, Subschema, Tree,
};
use super::types::Types;
use super::violation::escape;
use crate::tool::schema::{Dialect, Holds, SchemaError, holds, is_schema, percent_decode};

/// A schema that was read.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) tree: Tree,
    /// The first keyword that the tree says nothing about, and a JSON Pointer to its schema.
    pub(super) unread: Option<(String, String)>,
}

/// Reads a schema whose depth and size were bounded before.
pub(super) fn compile(schema: &Value, dialect: Dialect) -> Result<Compiled, SchemaError> {
    let mut found = IndexMap::new();
    collect(schema, String::new(), &mut found)?;
    let embeds = found.values().skip(1).any(|subschema| subschema.get("$id").is_some());
    let mut reader = Reader { root: schema, dialect, found: &found, embeds, unread: None };
    let subschemas = found.iter().map(|(at, schema)| reader.read(at, schema)).collect::<Result<_, _>>()?;
    let unread = reader.unread;
    let mut tree = Tree { subschemas };
    settle(&mut tree, |id| found.get_index(id.0).map(|(at, _)| at.clone()).unwrap_or_default())?;
    Ok(Compiled { tree, unread })
}

/// All subschemas by their JSON Pointers, parents first. The index of each is its id.
type Found<'a> = IndexMap<String, &'a Value>;

fn collect<'a>(schema: &'a Value, at: String, found: &mut Found<'a>) -> Result<(), SchemaError> {
    if !is_schema(schema) {
        return Err(SchemaError::Invalid { at, reason: "a schema is an object or a boolean".to_owned() });
    }
    found.insert(at.clone(), schema);
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        // Most keywords hold none: only the others need a pointer.
        let Some(holds) = holds(keyword) else { continue };
        let at = format!("{at}/{}", escape(keyword));
        match (holds, value) {
            (Holds::Schemas, Value::Array(list)) if takes_a_list(keyword) => {
                for (index, item) in list.iter().enumerate() {
                    collect(item, format!("{at}/{index}"), found)?;
                }
            }
            (Holds::Schemas, one) => collect(one, at, found)?,
            (Holds::Named, Value::Object(named)) => {
                for (name, item) in named {
                    // `dependencies` may list names.
                    if keyword != "dependencies" || !item.is_array() {
                        collect(item, format!("{at}/{}", escape(name)), found)?;
                    }
                }
            }
            (Holds::Named, _) => return Err(invalid(|| at, "an object of schemas")),
        }
    }
    Ok(())
}

fn takes_a_list(keyword: &str) -> bool {
    matches!(keyword, "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items")
}

fn invalid(at: impl FnOnce() -> String, expected: &str) -> SchemaError {
    SchemaError::Invalid { at: at(), reason: format!("expected {expected}") }
}

struct Reader<'a> {
    root: &'a Value,
    dialect: Dialect,
    found: &'a Found<'a>,
    /// There are resources of their own inside, whose references do not count from the root.
    embeds: bool,
    unread: Option<(String, String)>,
}

impl Reader<'_> {
    fn read(&mut self, at: &str, schema: &Value) -> Result<Subschema, SchemaError> {
        let Some(members) = schema.as_object() else {
            return Ok(Subschema::new(if *schema == Value::Bool(false) { Types::NONE } else { Types::ANY }));
        };
        let mut subschema = Subschema::new(Types::ANY);
        if self.dialect == Dialect::Draft07 && members.contains_key("$ref") && members.len() > 1 {
            // There `$ref` replaces what stands beside it.
            self.leave(&mut subschema, at, "$ref");
            return Ok(subschema);
        }
        let mut properties = Vec::new();
        for (keyword, value) in members {
            let here = || format!("{at}/{}", escape(keyword));
            match keyword.as_str() {
                "type" => {
                    subschema.types =
                        types(value).ok_or_else(|| invalid(here, "a type, or a list of types"))?
                }
                "enum" => {
                    let values = value.as_array().ok_or_else(|| invalid(here, "a list of values"))?;
                    subschema.allowed = Some(values.clone().into());
                }
                "const" => subschema.constant = Some(value.clone().into()),
                "minLength" => subschema.length.min = size(value, here)?,
                "maxLength" => subschema.length.max = size(value, here)?,
                "minItems" => array(&mut subschema).size.min = size(value, here)?,
                "maxItems" => array(&mut subschema).size.max = size(value, here)?,
                "minProperties" => object(&mut subschema).size.min = size(value, here)?,
                "maxProperties" => object(&mut subschema).size.max = size(value, here)?,
                "uniqueItems" => {
                    array(&mut subschema).unique =
                        value.as_bool().ok_or_else(|| invalid(here, "true or false"))?;
                }
                "items" if value.is_array() && self.dialect != Dialect::Draft202012 => {
                    self.leave(&mut subschema, at, keyword);
                }
                "items" if !value.is_array() => array(&mut subschema).items = self.schema_at(&here()),
                "prefixItems" if self.dialect == Dialect::Draft202012 => {
                    array(&mut subschema).prefix = self.schemas(value, here)?;
                }
                "items" => return Err(invalid(here, "a schema; a list of them belongs under prefixItems")),
                "additionalProperties" => {
                    let schema = self.schema_at(&here()).map_or(Additional::Anything, Additional::Schema);
                    object(&mut subschema).additional = match value.as_bool() {
                        Some(true) => Additional::Anything,
                        Some(false) => Additional::Nothing,
                        None => schema,
                    };
                }
                "properties" => {
                    let here = here();
                    for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
                        let schema = self.schema_at(&format!("{here}/{}", escape(name)));
                        properties.push(Property { name: name.clone(), schema, required: false });
                    }
                }
                "required" => drop(required(value, here)?),
                "allOf" => subschema.all_of.extend(self.schemas(value, here)?),
                "anyOf" => subschema.any_of = self.schemas(value, here)?,
                "oneOf" => subschema.one_of = self.schemas(value, here)?,
                "$ref" => {
                    let uri = value.as_str().ok_or_else(|| invalid(here, "a reference"))?;
                    match self.resolve(uri, here)? {
                        Some(target) => subschema.all_of.push(target),
                        None => self.leave(&mut subschema, at, keyword),
                    }
                }
                _ if LimitKeyword::parse(keyword).is_some() => {
                    let keyword = LimitKeyword::parse(keyword);
                    let limit = keyword.and_then(|keyword| limit(keyword, value));
                    subschema.limits.push(limit.ok_or_else(|| invalid(here, "a number"))?);
                }
                _ => match annotation(keyword, at, self.dialect) {
                    Some(Annotation::Any) => {}
                    Some(Annotation::Text) if value.is_string() => {}
                    Some(Annotation::Flag) if value.is_boolean() => {}
                    Some(Annotation::List) if value.is_array() => {}
                    Some(Annotation::Text) => return Err(invalid(here, "a string")),
                    Some(Annotation::Flag) => return Err(invalid(here, "true or false")),
                    Some(Annotation::List) => return Err(invalid(here, "a list")),
                    None => {
                        subschema.in_place.extend(self.in_place(keyword, value, &here()));
                        self.leave(&mut subschema, at, keyword);
                    }
                },
            }
        }
        self.finish(&mut subschema, members, properties);
        Ok(subschema)
    }

    /// What depends on more than one keyword.
    fn finish(&self, subschema: &mut Subschema, members: &Map<String, Value>, mut properties: Vec<Property>) {
        let names: Vec<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let required: HashSet<&str> = names.iter().copied().collect();
        let declared: HashSet<String> = properties.iter().map(|property| property.name.clone()).collect();
        for property in &mut properties {
            property.required = required.contains(&*property.name);
        }
        let undeclared = names.into_iter().filter(|name| !declared.contains(*name));
        properties.extend(undeclared.map(|name| Property {
            name: name.to_owned(),
            schema: None,
            required: true,
        }));
        if !properties.is_empty() {
            object(subschema).set_properties(properties);
        }
        if members.contains_key("patternProperties")
            && let Some(object) = &mut subschema.object
        {
            // What is additional depends on names that are not looked at here.
            object.additional = Additional::Anything;
        }
    }

    /// Notes a keyword that is not walked.
    fn leave(&mut self, subschema: &mut Subschema, at: &str, keyword: &str) {
        subschema.opaque = true;
        self.unread.get_or_insert_with(|| (keyword.to_owned(), at.to_owned()));
    }

    fn schema_at(&self, pointer: &str) -> Option<SchemaId> {
        self.found.get_index_of(pointer).map(SchemaId)
    }

    fn schemas(&self, value: &Value, at: impl Fn() -> String) -> Result<Vec<SchemaId>, SchemaError> {
        let list = value.as_array().filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| invalid(&at, "a list of schemas, at least one"))?;
        let at = at();
        Ok((0..list.len()).filter_map(|index| self.schema_at(&format!("{at}/{index}"))).collect())
    }

    /// The schemas under a keyword that is not walked, if they apply to the same value.
    fn in_place(&self, keyword: &str, value: &Value, at: &str) -> Vec<SchemaId> {
        match keyword {
            "not" | "if" | "then" | "else" => self.schema_at(at).into_iter().collect(),
            "dependentSchemas" | "dependencies" => {
                let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                names.filter_map(|name| self.schema_at(&format!("{at}/{}", escape(name)))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where a reference leads. `None` where it leads to something that is not under a keyword for schemas, or is no
    /// JSON Pointer.
    fn resolve(&self, uri: &str, at: impl FnOnce() -> String) -> Result<Option<SchemaId>, SchemaError> {
        let pointer = uri.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'));
        let Some(pointer) = pointer.filter(|_| !self.embeds).and_then(percent_decode) else {
            return Ok(None);
        };
        match self.schema_at(&pointer) {
            Some(id) => Ok(Some(id)),
            None if self.root.pointer(&pointer).is_some() => Ok(None),
            None => Err(SchemaError::Invalid { at: at(), reason: format!("{uri:?} leads nowhere") }),
        }
    }
}

fn array(subschema: &mut Subschema) -> &mut ArrayRules {
    subschema.array.get_or_insert_default()
}

fn object(subschema: &mut Subschema) -> &mut ObjectRules {
    subschema.object.get_or_insert_default()
}

fn types(value: &Value) -> Option<Types> {
    match (value.as_str(), value.as_array()) {
        (Some(name), _) => Types::parse(name),
        (None, Some(names)) if !names.is_empty() => {
            let distinct: HashSet<&str> = names.iter().filter_map(Value::as_str).collect();
            let all = names
                .iter()
                .try_fold(Types::NONE, |all, name| Some(all.union(Types::parse(name.as_str()?)?)));
            all.filter(|_| distinct.len() == names.len())
        }
        (None, _) => None,
    }
}

fn size(value: &Value, at: impl FnOnce() -> String) -> Result<u64, SchemaError> {
    let size = value.as_number().and_then(|number| match (number.as_u64(), number.as_f64()) {
        (Some(size), _) => Some(size),
        // 3.0 is an integer; what 64 bits cannot hold, nothing reaches.
        (None, Some(float)) if number::is_integral(number) && float >= 0.0 => Some(float as u64),
        (None, _) => None,
    });
    size.ok_or_else(|| invalid(at, "an integer that is not negative"))
}

fn limit(keyword: LimitKeyword, value: &Value) -> Option<Limit> {
    let number = value.as_number()?;
    let value = Numeric::of(number);
    let finite = !matches!(value, Numeric::Beyond { .. });
    finite.then(|| Limit { keyword, value, text: number.to_string() })
}

fn required(value: &Value, at: impl FnOnce() -> String) -> Result<HashSet<&str>, SchemaError> {
    let all = value.as_array().and_then(|names| {
        let distinct = names.iter().map(Value::as_str).collect::<Option<HashSet<&str>>>()?;
        (distinct.len() == names.len()).then_some(distinct)
    });
    all.ok_or_else(|| invalid(at, "a list of different names"))
}

/// What the value of an annotation must be.
enum Annotation {
    Any,
    Text,
    Flag,
    List,
}

/// Keywords that say nothing about which values are valid.
fn annotation(keyword: &str, at: &str, dialect: Dialect) -> Option<Annotation> {
    match keyword {
        "title" | "description" | "format" | "$comment" => Some(Annotation::Text),
        "contentEncoding" | "contentMediaType" if dialect != Dialect::Draft07 => Some(Annotation::Text),
        "deprecated" if dialect == Dialect::Draft07 => Some(Annotation::Any),
        "readOnly" | "writeOnly" | "deprecated" => Some(Annotation::Flag),
        "examples" => Some(Annotation::List),
        "$defs" | "definitions" | "default" => Some(Annotation::Any),
        "contentSchema" if dialect != Dialect::Draft07 => Some(Annotation::Any),
        // Which dialect it is was found out before. Deeper down it would start another document.
        "$schema" if at.is_empty() => Some(Annotation::Any),
        _ if keyword.starts_with("x-") => Some(Annotation::Any),
        _ => None,
    }
}
