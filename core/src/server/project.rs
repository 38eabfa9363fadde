//! From the newest shape to what the caller's revision has. Every difference is a row of `Rules`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::builder::Settings;
use super::offers::Offers;
use crate::jsonrpc::{ObjectWriter, write_json};
use crate::origin::Host;
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::revision::{Era, Revision, Rules};
use crate::tool::{Tool, schema};
use crate::types::{CacheScope, Caching, Icon, Implementation, InputRequest, NamedTool};

pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// What a server says in every answer of one revision, encoded when it is built.
pub(super) struct Prepared {
    /// The whole result of `initialize` or `server/discover`.
    pub(super) opening: Box<[u8]>,
    /// The same where nobody can listen for changes.
    pub(super) opening_of_function: Box<[u8]>,
    /// The member `resultType`, where the revision has it.
    pub(super) result_type: Box<[u8]>,
    /// The member `_meta` of a result that has nothing else to say there.
    pub(super) meta: Box<[u8]>,
    /// The member of `_meta` that says who answers.
    pub(super) server_info: Box<[u8]>,
}

impl Prepared {
    pub(super) fn new(settings: &Settings, offers: &Offers, revision: Revision) -> Self {
        let rules = revision.rules();
        let info = implementation(&settings.info, rules);
        let (result_type, server_info, meta) = if rules.framed_results {
            let server_info = member(SERVER_INFO, &info);
            let meta = [br#""_meta":{"#, &*server_info, b"}"].concat().into_boxed_slice();
            (br#""resultType":"complete""#.as_slice().into(), server_info, meta)
        } else {
            <(Box<[u8]>, Box<[u8]>, Box<[u8]>)>::default()
        };
        let opening = |host: Host| {
            let capabilities = offers.capabilities(settings, rules, host);
            let mut opening = Vec::new();
            let mut result = ObjectWriter::new(&mut opening);
            match rules.era {
                Era::Modern => {
                    result
                        .json("supportedVersions", &settings.supported())
                        .json("capabilities", &capabilities);
                }
                Era::Legacy => {
                    result.json("protocolVersion", revision.as_str()).json("capabilities", &capabilities);
                    result.json("serverInfo", &info);
                }
            }
            if let Some(instructions) = &settings.instructions {
                result.json("instructions", instructions);
            }
            if rules.cache_hints {
                let caching = Caching { ttl: settings.list_ttl, scope: settings.cache_scope };
                write_cache_hints(&mut result, caching);
            }
            result.encoded(&result_type).encoded(&meta);
            result.end();
            opening.into_boxed_slice()
        };
        Self {
            opening: opening(Host::Process),
            opening_of_function: opening(Host::Function { streams: false }),
            result_type,
            meta,
            server_info,
        }
    }
}

fn implementation(info: &Implementation, rules: &Rules) -> Value {
    let mut info = json!(info);
    if !rules.icons {
        for newer in ["icons", "description", "websiteUrl"] {
            remove(&mut info, newer);
        }
    }
    info
}

fn remove(object: &mut Value, member: &str) {
    if let Some(members) = object.as_object_mut() {
        members.shift_remove(member);
    }
}

/// One encoded member of an object.
pub(super) fn member(key: &str, value: &Value) -> Box<[u8]> {
    let mut out = Vec::new();
    write_json(&mut out, key);
    out.push(b':');
    write_json(&mut out, value);
    out.into_boxed_slice()
}

/// How long an answer may be kept, and by whom.
pub(super) fn write_cache_hints(result: &mut ObjectWriter<'_>, caching: Caching) {
    let millis = u64::try_from(caching.ttl.as_millis()).unwrap_or(u64::MAX);
    let scope = match caching.scope {
        CacheScope::Public => "public",
        CacheScope::Private => "private",
    };
    result.json("ttlMs", &millis.min(MAX_SAFE_INTEGER)).json("cacheScope", scope);
}

/// The largest integer that every client reads exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// What lists have.
pub(super) trait Publish {
    /// The member of a list's result.
    const MEMBER: &'static str;

    /// Writes it as the revision has it.
    fn publish(&self, out: &mut Vec<u8>, rules: &Rules);
}

impl Publish for Tool {
    const MEMBER: &'static str = "tools";

    fn publish(&self, out: &mut Vec<u8>, rules: &Rules) {
        write_tool(out, self, rules);
    }
}

impl Publish for Prompt {
    const MEMBER: &'static str = "prompts";

    fn publish(&self, out: &mut Vec<u8>, rules: &Rules) {
        write_definition(out, self.definition(), &self.definition().icons, rules);
    }
}

impl Publish for Resource {
    const MEMBER: &'static str = "resources";

    fn publish(&self, out: &mut Vec<u8>, rules: &Rules) {
        write_definition(out, self.definition(), &self.definition().icons, rules);
    }
}

impl Publish for ResourceTemplate {
    const MEMBER: &'static str = "resourceTemplates";

    fn publish(&self, out: &mut Vec<u8>, rules: &Rules) {
        write_definition(out, self.definition(), &self.definition().icons, rules);
    }
}

fn write_definition(out: &mut Vec<u8>, definition: &impl Serialize, icons: &[Icon], rules: &Rules) {
    if rules.icons || icons.is_empty() {
        write_json(out, definition);
    } else {
        let mut definition = json!(definition);
        remove(&mut definition, "icons");
        write_json(out, &definition);
    }
}

fn write_tool(out: &mut Vec<u8>, tool: &Tool, rules: &Rules) {
    let definition = tool.definition();
    let wrapped = definition.output_schema.as_ref().is_some_and(|schema| wraps_schema(schema, rules));
    let booleans = rules.no_boolean_properties
        && [Some(tool.input_schema()), tool.output_schema()]
            .into_iter()
            .flatten()
            .any(has_boolean_properties);
    if (rules.icons || definition.icons.is_empty()) && !wrapped && !booleans {
        write_json(out, tool);
        return;
    }
    let mut definition = definition.clone();
    if !rules.icons {
        definition.icons.clear();
    }
    if rules.no_boolean_properties {
        without_boolean_properties(&mut definition.input_schema);
        definition.output_schema.iter_mut().for_each(without_boolean_properties);
    }
    if wrapped {
        definition.output_schema = definition.output_schema.map(wrap_schema);
    }
    write_json(out, &NamedTool { name: tool.name(), definition: &definition });
}

/// A question as the revision asks it, or why it cannot. `id` is one that nobody can guess.
pub(super) fn question_for(request: &InputRequest, rules: &Rules, id: &str) -> Result<Value, &'static str> {
    let mut question = request.to_json();
    let Some(params) = question.get_mut("params").and_then(Value::as_object_mut) else { return Ok(question) };
    match request {
        InputRequest::Url { .. } if rules.plain_questions => return Err("pages to visit"),
        InputRequest::Sampling(_) if rules.plain_questions && params.contains_key("tools") => {
            return Err("sampling with tools");
        }
        InputRequest::Url { .. } if rules.elicitation_ids => {
            params.insert("elicitationId".to_owned(), json!(format!("page-{id}")));
        }
        InputRequest::Form(_) if rules.plain_questions => {
            params.shift_remove("mode");
            let fields = params.get_mut("requestedSchema").and_then(|schema| schema.get_mut("properties"));
            for (_, field) in fields.and_then(Value::as_object_mut).into_iter().flatten() {
                plain_field(field)?;
            }
        }
        InputRequest::Form(_)
        | InputRequest::Url { .. }
        | InputRequest::Sampling(_)
        | InputRequest::Roots => {}
    }
    Ok(question)
}

/// A field of a form with the titles of its options beside them, and without a default unless it is yes or no.
fn plain_field(field: &mut Value) -> Result<(), &'static str> {
    let kind = field.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(members) = field.as_object_mut() else { return Ok(()) };
    match kind.as_str() {
        "array" => return Err("a choice of several"),
        "boolean" => {}
        _ => {
            members.shift_remove("default");
        }
    }
    if let Some(Value::Array(options)) = members.shift_remove("oneOf") {
        for (listed, member) in [("enum", "const"), ("enumNames", "title")] {
            let values: Vec<Value> =
                options.iter().filter_map(|option| option.get(member).cloned()).collect();
            members.insert(listed.to_owned(), values.into());
        }
    }
    Ok(())
}

/// Whether structured content of this shape is wrapped in an object, as its schema is.
pub(super) fn wraps(schema: Option<&Value>, structured: &str, rules: &Rules) -> bool {
    match schema {
        Some(schema) => wraps_schema(schema, rules),
        None => rules.structured_objects_only && !structured.starts_with('{'),
    }
}

fn wraps_schema(schema: &Value, rules: &Rules) -> bool {
    rules.structured_objects_only && schema.get("type").and_then(Value::as_str) != Some("object")
}

/// `{"result": …}` around a schema whose root is not an object. References into it are moved along.
fn wrap_schema(mut schema: Value) -> Value {
    let dialect = schema.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    // A schema with an `$id` of its own resolves references against that, wherever it stands.
    if schema.get("$id").is_none() {
        schema::transform(&mut schema, &mut |subschema| {
            if subschema.get("$id").is_some() {
                return false; // and so does one within it
            }
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                if let Some(Value::String(uri)) = subschema.get_mut(keyword)
                    && let Some(pointer) = uri.strip_prefix('#')
                    && (pointer.is_empty() || pointer.starts_with('/'))
                {
                    *uri = format!("#/properties/result{pointer}");
                }
            }
            true
        });
    }
    let mut wrapper = Map::new();
    if let Some(dialect) = dialect {
        wrapper.insert("$schema".to_owned(), dialect);
    }
    wrapper.insert("type".to_owned(), json!("object"));
    wrapper.insert("properties".to_owned(), json!({ "result": schema }));
    wrapper.insert("required".to_owned(), json!(["result"]));
    Value::Object(wrapper)
}

fn has_boolean_properties(schema: &Value) -> bool {
    let none = |subschema: &Value| {
        let properties = subschema.get("properties").and_then(Value::as_object);
        !properties.into_iter().flatten().any(|(_, property)| property.is_boolean())
    };
    !schema::visit(schema, 0, &mut |subschema, _| none(subschema))
}

/// `{}` says what `true` says, and `{"not": {}}` what `false` says.
fn without_boolean_properties(schema: &mut Value) {
    schema::transform(schema, &mut |subschema| {
        let properties = subschema.get_mut("properties").and_then(Value::as_object_mut);
        for (_, property) in properties.into_iter().flatten().filter(|(_, property)| property.is_boolean()) {
            *property = if *property == Value::Bool(true) { json!({}) } else { json!({ "not": {} }) };
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_move_along_when_a_schema_is_wrapped() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "array",
            "items": { "$ref": "#/$defs/id" },
            "prefixItems": [{ "$ref": "#" }, { "$ref": "#anchor" }],
            "$defs": { "id": { "enum": [{ "$ref": "#/data" }] } },
        });
        assert_eq!(
            wrap_schema(schema),
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": { "result": {
                    "type": "array",
                    "items": { "$ref": "#/properties/result/$defs/id" },
                    "prefixItems": [{ "$ref": "#/properties/result" }, { "$ref": "#anchor" }],
                    "$defs": { "id": { "enum": [{ "$ref": "#/data" }] } },
                } },
                "required": ["result"],
            })
        );
    }

    #[test]
    fn content_is_wrapped_exactly_when_its_schema_is() {
        let (legacy, modern) = (Revision::V2025_11_25.rules(), Revision::V2026_07_28.rules());
        let (array, object, open) =
            (json!({ "type": "array" }), json!({ "type": "object" }), json!({ "anyOf": [{}] }));
        assert!(wraps(Some(&array), "[]", legacy));
        assert!(!wraps(Some(&object), "{}", legacy));
        assert!(wraps(Some(&open), "{}", legacy));
        assert!(wraps(None, "[]", legacy) && !wraps(None, "{}", legacy));
        assert!(!wraps(Some(&array), "[]", modern) && !wraps(None, "1", modern));
    }

    #[test]
    fn boolean_properties_become_objects() {
        let mut schema =
            json!({ "properties": { "a": true, "b": false, "c": { "properties": { "d": true } } } });
        assert!(has_boolean_properties(&schema));
        without_boolean_properties(&mut schema);
        let expected =
            json!({ "properties": { "a": {}, "b": { "not": {} }, "c": { "properties": { "d": {} } } } });
        assert_eq!(schema, expected);
        assert!(!has_boolean_properties(&schema));
    }
}
