//! The root of an input schema: an object, without a choice.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::choice::{CHOICES, branches, is_null, one_line, required, strings, text};
use super::simplify::{describe, is_annotation};

/// Arguments are always an object: neither null, nor whatever any other type of `Value` may be.
pub(super) fn make_object(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    match members.get("type") {
        Some(kinds) if *kinds == json!(["object", "null"]) => {
            members.insert("type".to_owned(), json!("object"));
        }
        Some(_) => {}
        None if members.keys().all(|keyword| is_annotation(keyword)) => {
            members.shift_insert(0, "type".to_owned(), json!("object"));
            members.insert("additionalProperties".to_owned(), json!({}));
        }
        None => {}
    }
}

/// Whether a tool with this schema takes no arguments.
pub(super) fn takes_nothing(schema: &Value) -> bool {
    let Some(root) = schema.as_object() else { return false };
    let nothing_more = |keyword: &String| {
        matches!(keyword.as_str(), "type" | "properties" | "additionalProperties" | "description")
    };
    root.get("type") == Some(&json!("object"))
        && root.get("properties").is_none_or(|properties| *properties == json!({}))
        && !root.get("additionalProperties").is_some_and(Value::is_object)
        && root.keys().all(nothing_more)
}

/// Makes a choice at the root of an input schema one object.
///
/// Clients refuse all tools of a server for one that has `oneOf`, `anyOf` or `allOf` there. What goes with what is said
/// in words instead, and found out when the arguments are read.
pub(super) fn merge(root: &mut Value) {
    let types = root.get("$defs").cloned().unwrap_or_default();
    let Some(members) = root.as_object_mut() else { return };
    for keyword in CHOICES {
        if let Some(Value::Array(list)) = members.get_mut(keyword) {
            list.retain(|branch| !is_null(branch));
        }
    }
    let chooses = CHOICES.into_iter().chain(["allOf"]).any(|keyword| members.contains_key(keyword));
    // An enum of nothing but names is no object.
    let only_names = CHOICES
        .iter()
        .filter_map(|keyword| branches(members, keyword))
        .any(|list| list.iter().all(|branch| strings(branch).is_some()));
    if !chooses || only_names {
        return;
    }
    let Some(shape) = Shape::of(&Value::Object(members.clone()), &types, 0) else { return };
    for keyword in
        CHOICES.into_iter().chain(["allOf", "type", "properties", "required", "additionalProperties"])
    {
        members.shift_remove(keyword);
    }
    let rest = std::mem::take(members);
    members.insert("type".to_owned(), json!("object"));
    if shape.closed {
        members.insert("additionalProperties".to_owned(), json!(false));
    }
    let names: Vec<&String> = shape.required.iter().collect();
    let required = json!(names);
    members.insert("properties".to_owned(), Value::Object(shape.properties));
    if !shape.required.is_empty() {
        members.insert("required".to_owned(), required);
    }
    if shape.one {
        members.insert("minProperties".to_owned(), json!(1));
        members.insert("maxProperties".to_owned(), json!(1));
    }
    members.extend(rest);
    for remark in shape.remarks {
        describe(members, &remark);
    }
}

/// The properties of an object that may be one of several.
#[derive(Default)]
struct Shape {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// There are no others.
    closed: bool,
    /// There is exactly one of them.
    one: bool,
    description: Option<String>,
    /// What cannot be said in a schema of one object.
    remarks: Vec<String>,
}

impl Shape {
    /// `None` where something else than an object would be valid, or an object whose properties have no names.
    fn of(schema: &Value, types: &Value, depth: usize) -> Option<Self> {
        /// No enum is made of enums that often; one that refers to itself would be.
        const MAX_DEPTH: usize = 6;
        let members = schema.as_object().filter(|_| depth < MAX_DEPTH)?;
        let below = depth.saturating_add(1);
        let is_object = |kinds: &Value| kinds == "object" || *kinds == json!(["object", "null"]);
        if !members.get("type").is_none_or(is_object) {
            return None;
        }
        let properties = members.get("properties").and_then(Value::as_object).cloned();
        let mut shape = Self {
            properties: properties.unwrap_or_default(),
            required: required(schema).into_iter().map(str::to_owned).collect(),
            closed: ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .any(|keyword| members.get(*keyword) == Some(&Value::Bool(false))),
            description: text(schema, "description").map(str::to_owned),
            ..Self::default()
        };
        if let Some(target) = text(schema, "$ref").and_then(|uri| uri.strip_prefix("#/$defs/")) {
            shape.and(Self::of(types.get(target)?, types, below)?);
        }
        if let Some(list) = branches(members, "oneOf") {
            let list = list.iter().map(|branch| Self::of_variant(branch, types, below));
            let list: Option<Vec<Vec<Self>>> = list.collect();
            shape.and(Self::any(list?.into_iter().flatten().collect()));
        }
        if let Some(list) = branches(members, "anyOf") {
            // Of what is not tagged, only objects can be meant.
            let can_be = |branch: &&Value| text(branch, "type").is_none_or(|kind| kind == "object");
            let list: Option<Vec<Self>> =
                list.iter().filter(can_be).map(|branch| Self::of(branch, types, below)).collect();
            shape.and(Self::any(list.filter(|list| !list.is_empty())?));
        }
        for all in branches(members, "allOf").into_iter().flatten() {
            shape.and(Self::of(all, types, below)?);
        }
        Some(shape)
    }

    /// A variant without data, which is a string elsewhere, has null for its data here.
    fn of_variant(branch: &Value, types: &Value, depth: usize) -> Option<Vec<Self>> {
        let Some(names) = strings(branch) else { return Some(vec![Self::of(branch, types, depth)?]) };
        let shape = |name: &str| Self {
            properties: [(name.to_owned(), json!({ "type": "null" }))].into_iter().collect(),
            required: vec![name.to_owned()],
            closed: true,
            description: text(branch, "description").map(str::to_owned),
            ..Self::default()
        };
        Some(names.into_iter().map(shape).collect())
    }

    /// What is valid for this and for another.
    fn and(&mut self, other: Self) {
        self.one = (other.one && self.properties.is_empty()) || (self.one && other.properties.is_empty());
        for (name, property) in other.properties {
            self.properties.entry(name).or_insert(property);
        }
        self.required.extend(other.required);
        let mut seen = HashSet::new();
        self.required.retain(|name| seen.insert(name.clone()));
        self.closed |= other.closed;
        self.remarks.extend(other.remarks);
    }

    /// What is valid for one of these.
    fn any(shapes: Vec<Self>) -> Self {
        let mut any = Self { closed: shapes.iter().all(|shape| shape.closed), ..Self::default() };
        let mut names = HashSet::new();
        any.one = shapes.iter().all(|shape| {
            let mut own = shape.properties.keys();
            match (own.next(), own.next(), shape.required.as_slice()) {
                (Some(name), None, [required]) => {
                    shape.closed && name == required && names.insert(name.clone())
                }
                _ => false,
            }
        });
        any.required = match shapes.split_first() {
            Some((first, others)) if !any.one => {
                let by_all = |name: &&String| others.iter().all(|shape| shape.required.contains(name));
                first.required.iter().filter(by_all).cloned().collect()
            }
            _ => Vec::new(),
        };
        let tag = any.required.iter().find(|name| is_tag(name, &shapes)).cloned();
        let ways =
            if shapes.len() > 1 { ways(&shapes, &any.required, tag.as_deref()) } else { String::new() };
        for shape in shapes {
            for (name, mut property) in shape.properties {
                if let (true, Some(description), Some(property)) =
                    (any.one, &shape.description, property.as_object_mut())
                {
                    property.insert("description".to_owned(), json!(description));
                }
                match any.properties.get_mut(&name) {
                    None => drop(any.properties.insert(name, property)),
                    Some(known) => *known = either(known.take(), property),
                }
            }
            any.remarks.extend(shape.remarks);
        }
        match tag.and_then(|tag| any.properties.get_mut(&tag)?.as_object_mut()) {
            _ if ways.is_empty() => {}
            Some(tag) => describe(tag, &ways),
            None if any.one => {}
            None => any.remarks.push(format!("One of these:\n{ways}")),
        }
        any
    }
}

/// Whether a property tells which of the shapes it is.
fn is_tag(name: &str, shapes: &[Shape]) -> bool {
    let mut seen = HashSet::new();
    shapes.iter().all(|shape| match shape.properties.get(name).and_then(strings).as_deref() {
        Some([value]) => seen.insert((*value).to_owned()),
        _ => false,
    })
}

/// A line for each shape, which says what is in it beside what is in all of them.
fn ways(shapes: &[Shape], common: &[String], tag: Option<&str>) -> String {
    let mut lines = Vec::new();
    for shape in shapes {
        let named = |required: bool| {
            let names = shape
                .properties
                .keys()
                .filter(move |name| !common.contains(name) && shape.required.contains(name) == required);
            names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let value =
            tag.and_then(|tag| strings(shape.properties.get(tag)?)?.first().map(|tag| format!("`{tag}`")));
        let needs = match (named(true), named(false)) {
            (needs, may) if needs.is_empty() && may.is_empty() => None,
            (needs, may) if may.is_empty() => Some(needs),
            (needs, may) if needs.is_empty() => Some(format!("optionally {may}")),
            (needs, may) => Some(format!("{needs}, optionally {may}")),
        };
        let head = match (value, needs) {
            (Some(value), Some(needs)) => format!("{value} with {needs}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "nothing else".to_owned(),
        };
        lines.push(match &shape.description {
            Some(description) => format!("- {head}: {}", one_line(description)),
            None => format!("- {head}"),
        });
    }
    lines.join("\n")
}

/// One schema or another.
fn either(one: Value, other: Value) -> Value {
    if one == other {
        return one;
    }
    if let (Some(values), Some(more)) = (strings(&one), strings(&other)) {
        let mut seen = HashSet::new();
        let values: Vec<&str> = values.into_iter().chain(more).filter(|value| seen.insert(*value)).collect();
        return json!({ "type": "string", "enum": values });
    }
    let list = |schema: &Value| match schema.get("anyOf").and_then(Value::as_array) {
        Some(list) if schema.as_object().is_some_and(|members| members.len() == 1) => list.clone(),
        _ => vec![schema.clone()],
    };
    let mut all: Vec<Value> = Vec::new();
    for schema in list(&one).into_iter().chain(list(&other)) {
        if !all.contains(&schema) {
            all.push(schema);
        }
    }
    json!({ "anyOf": all })
}
