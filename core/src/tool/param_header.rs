use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName};
use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::check::Violations;
use super::schema::{SchemaError, annotated};
use crate::header::{MCP_PARAM_PREFIX, Sent, decode_mirrored, encode_mirrored};

/// The largest integer that every JavaScript gateway can hold exactly.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// An argument that clients repeat in a header, so that gateways can route on it.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header>
#[derive(Debug)]
pub(crate) struct ParamHeader {
    name: HeaderName,
    /// Property names from the root of the arguments.
    path: Vec<String>,
    integer: bool,
}

/// A header and the argument it repeats disagree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeaderMismatch {
    pub(crate) header: HeaderName,
    pub(crate) problem: &'static str,
}

impl ParamHeader {
    /// The annotations of an input schema.
    pub(super) fn read_all(schema: &Value) -> Result<Vec<Self>, SchemaError> {
        let mut headers = Vec::new();
        let mut names = BTreeSet::new();
        for (path, property) in annotated(schema) {
            let at = path.iter().flatten().fold(String::new(), |at, name| at + "/properties/" + name);
            let refuse = |reason| SchemaError::ParamHeader { at: at.clone(), reason };
            let path = path.filter(|path| !path.is_empty()).ok_or_else(|| {
                refuse("only properties that are reached from the root through properties alone can have one")
            })?;
            let integer = match property.get("type").and_then(Value::as_str) {
                Some("string" | "boolean") => false,
                Some("integer") => true,
                _ => return Err(refuse("the type must be exactly string, integer or boolean")),
            };
            let token = property.get("x-mcp-header").and_then(Value::as_str).unwrap_or_default();
            if token.is_empty() {
                return Err(refuse("the name must be a string that is not empty"));
            }
            let name = HeaderName::from_bytes(format!("{MCP_PARAM_PREFIX}{token}").as_bytes())
                .map_err(|_| refuse("the name must be a token: letters, digits and !#$%&'*+-.^_`|~"))?;
            if !names.insert(name.as_str().to_owned()) {
                return Err(refuse("the name is taken by another property (case does not count)"));
            }
            headers.push(Self { name, path, integer });
        }
        Ok(headers)
    }

    /// The headers that a client sends with these arguments, for a tool that it was told about.
    pub(crate) fn mirrored(schema: &Value, arguments: &Map<String, Value>) -> Vec<(HeaderName, String)> {
        let headers = Self::read_all(schema).unwrap_or_default();
        let values = headers.into_iter().filter_map(|header| {
            let text = match header.argument(arguments)? {
                Value::String(text) => text.clone(),
                other @ (Value::Bool(_) | Value::Number(_)) => other.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            Some((header.name, encode_mirrored(&text).into_owned()))
        });
        values.collect()
    }

    /// Compares the header with the argument, which must have one where headers are `required`.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        arguments: &Map<String, Value>,
        required: bool,
    ) -> Result<(), HeaderMismatch> {
        let mismatch = |problem| HeaderMismatch { header: self.name.clone(), problem };
        let sent = match Sent::read(headers, &self.name) {
            Sent::Unusable => return Err(mismatch("has invalid characters or several values")),
            Sent::Nothing => None,
            Sent::Value(text) => {
                Some(decode_mirrored(text).ok_or_else(|| mismatch("is not valid Base64 of UTF-8"))?)
            }
        };
        match (sent, self.argument(arguments)) {
            (None, None | Some(Value::Null)) => Ok(()),
            // An argument that no header can hold is of the wrong type: the schema will say so.
            (None, Some(Value::Array(_) | Value::Object(_))) => Ok(()),
            (None, Some(_)) if !required => Ok(()),
            (None, Some(_)) => Err(mismatch("is missing, but the argument is there")),
            (Some(_), None | Some(Value::Null)) => Err(mismatch("was sent, but the argument is not there")),
            (Some(text), Some(argument)) if self.says(&text, argument) => Ok(()),
            (Some(_), Some(_)) => Err(mismatch("differs from the argument")),
        }
    }

    fn says(&self, text: &str, argument: &Value) -> bool {
        match argument {
            Value::String(value) if !self.integer => text == value,
            Value::String(value) => integer(text).is_some_and(|sent| integer(value) == Some(sent)),
            Value::Bool(value) => text == if *value { "true" } else { "false" },
            Value::Number(value) => {
                // However it was written, `1e2` too: an integer that may be mirrored is exact as a float.
                let spelt = match (value.as_i64(), value.as_f64()) {
                    (None, Some(float)) if float.abs() <= MAX_SAFE_INTEGER as f64 => float.to_string(),
                    _ => value.to_string(),
                };
                integer(text).is_some_and(|sent| integer(&spelt) == Some(sent))
            }
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        }
    }

    /// An integer that is mirrored must be one that no intermediary rounds.
    pub(super) fn check_range(&self, arguments: &Arguments) -> Result<(), Violations> {
        let safe = |value: &Value| {
            value.as_i64().is_some_and(|value| (-MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER).contains(&value))
                || value.as_f64().is_some_and(|value| value.abs() < 9_007_199_254_740_992.0)
        };
        match self.argument(arguments.as_json()) {
            Some(value @ Value::Number(_)) if self.integer && !safe(value) => {
                let pointer = self.path.iter().fold(String::new(), |at, name| at + "/" + name);
                Err(Violations::single(&pointer, "must lie within ±(2^53 − 1), since a header repeats it"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the argument is a part of an object that was sent as a string.
    pub(super) fn is_in_text(&self, arguments: &Map<String, Value>) -> bool {
        let Some(([first, parents @ ..], _)) = self.path.split_last().map(|(last, parents)| (parents, last))
        else {
            return false;
        };
        let mut parent = arguments.get(first);
        for name in parents {
            if parent.is_some_and(Value::is_string) {
                break;
            }
            parent = parent.and_then(|value| value.get(name));
        }
        parent.is_some_and(Value::is_string)
    }

    fn argument<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        rest.iter().try_fold(arguments.get(first)?, |value, name| value.get(name))
    }
}

/// An integer as sign and digits, so that no value goes through a float: `42`, `-7`, `42.0`.
fn integer(text: &str) -> Option<(bool, &str)> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |part: &str, allowed: fn(&u8) -> bool| !part.is_empty() && part.as_bytes().iter().all(allowed);
    if !all(whole, u8::is_ascii_digit) || !all(fraction, |byte| *byte == b'0') {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    Some((negative && !whole.is_empty(), whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use serde_json::json;

    fn schema(property: &Value) -> Value {
        json!({ "type": "object", "properties": { "p": property } })
    }

    #[track_caller]
    fn refused(schema: &Value) {
        assert!(matches!(ParamHeader::read_all(schema), Err(SchemaError::ParamHeader { .. })), "{schema}");
    }

    #[test]
    fn only_strings_integers_and_booleans_can_be_mirrored() {
        for kind in [
            json!("number"),
            json!("object"),
            json!("array"),
            json!("null"),
            json!(["string", "null"]),
            json!(null),
        ] {
            refused(&schema(&json!({ "type": kind, "x-mcp-header": "P" })));
        }
        refused(&schema(&json!({ "x-mcp-header": "P" })));
        for kind in ["string", "integer", "boolean"] {
            assert_eq!(
                ParamHeader::read_all(&schema(&json!({ "type": kind, "x-mcp-header": "P" }))).unwrap().len(),
                1
            );
        }
    }

    #[test]
    fn the_name_must_be_a_token_and_unique_without_regard_to_case() {
        for name in
            [json!(""), json!("a b"), json!("é"), json!("a:b"), json!("a\r\nb"), json!(5), json!(null)]
        {
            refused(&schema(&json!({ "type": "string", "x-mcp-header": name })));
        }
        refused(&json!({ "type": "object", "properties": {
            "a": { "type": "string", "x-mcp-header": "Region" },
            "b": { "type": "object", "properties": { "c": { "type": "string", "x-mcp-header": "region" } } },
        } }));
    }

    #[test]
    fn an_annotation_counts_only_where_properties_alone_lead() {
        let leaf = json!({ "type": "string", "x-mcp-header": "P" });
        refused(&json!({ "type": "object", "x-mcp-header": "P" }));
        for keyword in
            ["items", "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames"]
        {
            refused(&schema(&json!({ keyword: leaf })));
            refused(&json!({ "type": "object", keyword: { "properties": { "q": leaf } } }));
        }
        for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            refused(&schema(&json!({ keyword: [leaf] })));
        }
        for keyword in ["$defs", "patternProperties", "dependentSchemas"] {
            refused(&json!({ "type": "object", keyword: { "x": leaf } }));
        }
    }

    #[track_caller]
    fn check(kind: &str, argument: Option<Value>, header: Option<&[u8]>, expected: bool) {
        let schema = json!({ "type": "object", "properties": { "o": { "type": "object", "properties": {
            "p": { "type": kind, "x-mcp-header": "P" },
        } } } });
        let [param] = ParamHeader::read_all(&schema).unwrap().try_into().unwrap();
        let arguments = json!({ "o": argument.as_ref().map(|value| json!({ "p": value })) });
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert("mcp-param-p", HeaderValue::from_bytes(header).unwrap());
        }
        let verdict = param.check(&headers, arguments.as_object().unwrap(), true);
        assert_eq!(verdict.is_ok(), expected, "{kind} {argument:?} {header:?}");
    }

    #[test]
    fn a_header_says_what_the_argument_says() {
        check("string", Some(json!("us")), Some(b"us"), true);
        check("string", Some(json!("us")), Some(b" us "), true);
        check("string", Some(json!("us")), Some(b"US"), false);
        check("string", Some(json!("us")), Some(b"=?base64?dXM=?="), true);
        check("string", Some(json!("us")), Some(b"=?base64?dXM?="), false);
        check("string", Some(json!("é")), Some("é".as_bytes()), false);
        check("string", Some(json!("é")), Some(b"=?base64?w6k=?="), true);
        check("boolean", Some(json!(true)), Some(b"true"), true);
        check("boolean", Some(json!(true)), Some(b"True"), false);
        check("integer", Some(json!(42)), Some(b"42"), true);
        check("integer", Some(json!(42)), Some(b"42.0"), true);
        check("integer", Some(json!(42.0)), Some(b"042"), true);
        check("integer", Some(json!("42")), Some(b"42"), true);
        check("integer", Some(json!(0)), Some(b"-0"), true);
        check("integer", Some(json!(42)), Some(b"43"), false);
        check("integer", Some(json!(9_007_199_254_740_993_i64)), Some(b"9007199254740992"), false);
    }

    #[test]
    fn a_header_is_there_exactly_when_the_argument_is() {
        check("string", None, None, true);
        check("string", Some(json!(null)), None, true);
        check("string", None, Some(b"us"), false);
        check("string", Some(json!(null)), Some(b"us"), false);
        check("string", Some(json!("")), None, false);
        check("string", Some(json!("")), Some(b""), true);
    }
}
