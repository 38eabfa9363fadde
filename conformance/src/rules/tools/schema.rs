//! JSON Schemas that a server sent: bounded before they are looked at, and nothing is fetched.

use serde_json::Value;

use crate::answer::shown;
use crate::json::At as _;
use crate::rules::{Check, fail, not_applicable};

/// How deep a schema may be.
const DEEPEST: usize = 64;

/// How many values a schema may have.
const MOST: usize = 10_000;

/// Expects a schema that is valid in its dialect.
pub(super) fn is_schema(schema: &Value) -> Check {
    if !(schema.is_object() || schema.is_boolean()) {
        return fail(format!("the schema is {schema}"));
    }
    if !is_bounded(schema) {
        return not_applicable("a schema is too large to be checked");
    }
    if let Some(dialect) = schema.at("$schema").as_str()
        && !dialect.contains("json-schema.org/")
    {
        return not_applicable(format!("the dialect {dialect} is not known here"));
    }
    match jsonschema::meta::validate(schema) {
        Ok(()) => Ok(()),
        Err(error) => fail(format!("the schema is not valid: {error}, at \"{}\"", error.instance_path())),
    }
}

/// Expects a value that conforms to a schema.
pub(super) fn conforms(schema: &Value, value: &Value) -> Check {
    if !is_bounded(schema) || !is_bounded(value) {
        return not_applicable("it is too large to be checked");
    }
    let Ok(validator) = jsonschema::validator_for(schema) else {
        return not_applicable("the schema cannot be used");
    };
    match validator.validate(value) {
        Ok(()) => Ok(()),
        Err(error) => fail(shown(&format!("{error}, at \"{}\"", error.instance_path()))),
    }
}

fn is_bounded(value: &Value) -> bool {
    let mut left = MOST;
    fits(value, DEEPEST, &mut left)
}

fn fits(value: &Value, depth: usize, left: &mut usize) -> bool {
    let (Some(depth), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return false };
    *left = rest;
    match value {
        Value::Object(members) => members.values().all(|member| fits(member, depth, left)),
        Value::Array(items) => items.iter().all(|item| fits(item, depth, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_too_deep_is_not_looked_at() {
        let deep = (0..100).fold(json!({}), |inner, _| json!({ "not": inner }));
        assert!(!is_bounded(&deep));
        assert!(!is_bounded(&json!(vec![0; MOST])));
        assert!(is_bounded(&json!({ "type": "object" })));
    }

    #[test]
    fn schemas_are_checked_by_their_dialect() {
        assert!(is_schema(&json!({ "type": "object" })).is_ok());
        assert!(is_schema(&json!({ "type": "objekt" })).is_err());
        let draft_7 = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{}] });
        assert!(is_schema(&draft_7).is_ok());
        assert!(is_schema(&json!({ "items": [{}] })).is_err());
        assert!(conforms(&json!({ "type": "integer" }), &json!("1")).is_err());
    }
}
