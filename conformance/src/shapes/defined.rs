//! The schemas.

use serde_json::{Map, Value, json};

use super::Kind;
use crate::Revision;

/// An object that has these members at least.
fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": properties })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn list(name: &str) -> Value {
    json!({ "type": "array", "items": reference(name) })
}

/// The members of several objects.
fn and(mut one: Value, other: Value) -> Value {
    if let (Some(one), Value::Object(other)) = (one.as_object_mut(), other) {
        one.extend(other);
    }
    one
}

/// A whole message; none where the revision has none of the kind.
pub(super) fn message(revision: Revision, kind: Kind) -> Option<Value> {
    let legacy = revision.is_legacy();
    let result = match kind {
        Kind::Error => {
            let error =
                object(&["code", "message"], json!({ "code": { "type": "integer" }, "message": string() }));
            let members = json!({ "jsonrpc": { "const": "2.0" }, "id": reference("id"), "error": error, "result": false });
            return Some(object(&["jsonrpc", "error"], members));
        }
        Kind::Notification => {
            return Some(called(&notifications(revision), &["jsonrpc", "method"], json!({ "id": false })));
        }
        Kind::Request if legacy => {
            return Some(called(
                &requests(revision),
                &["jsonrpc", "id", "method"],
                json!({ "id": reference("id") }),
            ));
        }
        Kind::Request => return None,
        Kind::Initialize if legacy => {
            let members = json!({
                "protocolVersion": string(),
                "capabilities": reference("capabilities"),
                "serverInfo": reference("implementation"),
                "instructions": string(),
            });
            object(&["protocolVersion", "capabilities", "serverInfo"], members)
        }
        Kind::Discover if !legacy => {
            let versions = json!({ "type": "array", "items": string(), "minItems": 1 });
            let members = json!({
                "supportedVersions": versions,
                "capabilities": reference("capabilities"),
                "instructions": string(),
            });
            cached(revision, &["supportedVersions", "capabilities"], members)
        }
        Kind::Initialize | Kind::Discover => return None,
        Kind::ToolsList => page(revision, "tools", "tool"),
        Kind::PromptsList => page(revision, "prompts", "prompt"),
        Kind::ResourcesList => page(revision, "resources", "resource"),
        Kind::TemplatesList => page(revision, "resourceTemplates", "template"),
        Kind::ToolsCall => {
            let structured = if legacy { json!({ "type": "object" }) } else { json!(true) };
            let members = json!({
                "content": list("content"),
                "structuredContent": structured,
                "isError": { "type": "boolean" },
            });
            or_input(revision, object(&["content"], members))
        }
        Kind::PromptsGet => {
            let members = json!({ "description": string(), "messages": list("promptMessage") });
            or_input(revision, object(&["messages"], members))
        }
        Kind::ResourcesRead => {
            let members = json!({ "contents": list("contents") });
            or_input(revision, cached(revision, &["contents"], members))
        }
        Kind::Complete => {
            let values = json!({ "type": "array", "items": string(), "maxItems": 100 });
            let members =
                json!({ "values": values, "total": { "type": "integer" }, "hasMore": { "type": "boolean" } });
            object(&["completion"], json!({ "completion": object(&["values"], members) }))
        }
        Kind::Empty => object(&[], json!({})),
    };
    let result = json!({ "allOf": [reference("result"), result] });
    let members = json!({
        "jsonrpc": { "const": "2.0" },
        "id": reference("id"),
        "result": result,
        "error": false,
    });
    Some(object(&["jsonrpc", "id", "result"], members))
}

fn string() -> Value {
    json!({ "type": "string" })
}

/// What may be kept for a while, where the revision says so.
fn cached(revision: Revision, required: &[&str], members: Value) -> Value {
    if revision.is_legacy() {
        return object(required, members);
    }
    let hints = json!({ "ttlMs": { "type": "integer", "minimum": 0 }, "cacheScope": { "enum": ["public", "private"] } });
    object(&[required, &["ttlMs", "cacheScope"]].concat(), and(members, hints))
}

fn page(revision: Revision, member: &str, item: &str) -> Value {
    let members = json!({ member: list(item), "nextCursor": string() });
    cached(revision, &[member], members)
}

/// A result, or questions in its place where the revision has them.
fn or_input(revision: Revision, complete: Value) -> Value {
    if revision.is_legacy() {
        return complete;
    }
    let is_input =
        json!({ "properties": { "resultType": { "const": "input_required" } }, "required": ["resultType"] });
    json!({ "if": is_input, "then": reference("inputRequired"), "else": complete })
}

/// A message with a method, whose params are those of the method.
fn called(methods: &[(&str, Value)], required: &[&str], members: Value) -> Value {
    let names: Vec<&str> = methods.iter().map(|(name, _)| *name).collect();
    let all: Vec<Value> = methods
        .iter()
        .map(|(name, message)| json!({ "if": { "properties": { "method": { "const": name } } }, "then": message }))
        .collect();
    let common =
        json!({ "jsonrpc": { "const": "2.0" }, "method": { "enum": names }, "params": { "type": "object" } });
    and(object(required, and(common, members)), json!({ "allOf": all }))
}

fn with_params(params: Value) -> Value {
    object(&["params"], json!({ "params": params }))
}

fn notifications(revision: Revision) -> Vec<(&'static str, Value)> {
    let progress = json!({
        "progressToken": reference("id"),
        "progress": { "type": "number" },
        "total": { "type": "number" },
        "message": string(),
    });
    let log = json!({ "level": reference("level"), "logger": string(), "data": true });
    let mut all = vec![
        ("notifications/progress", with_params(object(&["progressToken", "progress"], progress))),
        ("notifications/message", with_params(object(&["level", "data"], log))),
        ("notifications/resources/updated", with_params(object(&["uri"], json!({ "uri": string() })))),
        ("notifications/tools/list_changed", json!({})),
        ("notifications/prompts/list_changed", json!({})),
        ("notifications/resources/list_changed", json!({})),
        ("notifications/cancelled", with_params(object(&[], json!({ "requestId": reference("id") })))),
    ];
    match revision {
        Revision::V2025_06_18 => {}
        Revision::V2025_11_25 => {
            let id = object(&["elicitationId"], json!({ "elicitationId": string() }));
            all.push(("notifications/elicitation/complete", with_params(id)));
            all.push(("notifications/tasks/status", with_params(object(&["taskId", "status"], json!({})))));
        }
        Revision::V2026_07_28 => {
            let honoured = json!({ "notifications": { "type": "object" } });
            let acknowledged = with_params(object(&["notifications"], honoured));
            all.push(("notifications/subscriptions/acknowledged", acknowledged));
            all.push(("notifications/tasks", with_params(object(&["taskId", "status"], json!({})))));
        }
    }
    all
}

/// The params of what a client may be asked.
fn questions(revision: Revision) -> Vec<(&'static str, Value)> {
    let sampling = json!({
        "messages": { "type": "array", "items": object(&["role", "content"], json!({ "role": reference("role") })) },
        "maxTokens": { "type": "integer" },
        "systemPrompt": string(),
        "temperature": { "type": "number" },
        "stopSequences": { "type": "array", "items": string() },
        "includeContext": { "enum": ["none", "thisServer", "allServers"] },
    });
    let form = json!({
        "message": string(),
        "requestedSchema": object(
            &["type", "properties"],
            json!({ "type": { "const": "object" }, "properties": { "type": "object" }, "required": { "type": "array" } }),
        ),
    });
    let form = object(&["message", "requestedSchema"], form);
    let url = json!({ "mode": { "const": "url" }, "message": string(), "url": string() });
    let elicitation = match revision {
        Revision::V2025_06_18 => form,
        Revision::V2025_11_25 => {
            let url = object(&["mode", "message", "url", "elicitationId"], url);
            json!({ "if": { "properties": { "mode": { "const": "url" } }, "required": ["mode"] }, "then": url, "else": form })
        }
        Revision::V2026_07_28 => {
            let url = object(&["mode", "message", "url"], url);
            json!({ "if": { "properties": { "mode": { "const": "url" } }, "required": ["mode"] }, "then": url, "else": form })
        }
    };
    vec![
        ("elicitation/create", with_params(elicitation)),
        ("sampling/createMessage", with_params(object(&["messages", "maxTokens"], sampling))),
        ("roots/list", json!({})),
    ]
}

fn requests(revision: Revision) -> Vec<(&'static str, Value)> {
    let mut all = questions(revision);
    all.push(("ping", json!({})));
    all
}

/// What the others refer to.
pub(super) fn definitions(revision: Revision) -> Value {
    let legacy = revision.is_legacy();
    let has_icons = match revision {
        Revision::V2025_06_18 => false,
        Revision::V2025_11_25 | Revision::V2026_07_28 => true,
    };
    // What everything with a name has.
    let named = |members: Value| {
        let mut common = json!({ "name": string(), "title": string(), "description": string(), "_meta": { "type": "object" } });
        if has_icons {
            common = and(common, json!({ "icons": list("icon") }));
        }
        and(common, members)
    };
    let icon = json!({
        "src": string(),
        "mimeType": string(),
        "sizes": { "type": "array", "items": string() },
        "theme": { "enum": ["light", "dark"] },
    });
    let boolean = json!({ "type": "boolean" });
    let hints = json!({
        "title": string(),
        "readOnlyHint": boolean,
        "destructiveHint": boolean,
        "idempotentHint": boolean,
        "openWorldHint": boolean,
    });
    let root = object(&["type"], json!({ "type": { "const": "object" } }));
    let tool = named(json!({
        "inputSchema": root.clone(),
        "outputSchema": if legacy { root } else { json!({ "type": "object" }) },
        "annotations": object(&[], hints),
    }));
    let annotations = json!({
        "audience": { "type": "array", "items": reference("role") },
        "priority": { "type": "number", "minimum": 0, "maximum": 1 },
        "lastModified": string(),
    });
    let argument =
        json!({ "name": string(), "title": string(), "description": string(), "required": boolean });
    let described = json!({ "mimeType": string(), "annotations": reference("annotations") });
    let resource = named(and(json!({ "uri": string(), "size": { "type": "integer" } }), described.clone()));
    let template = named(and(json!({ "uriTemplate": string() }), described));
    let prompt = named(json!({ "arguments": { "type": "array", "items": object(&["name"], argument) } }));
    let changes = object(&[], json!({ "listChanged": boolean }));
    let capabilities = json!({
        "tools": changes,
        "prompts": changes,
        "resources": object(&[], json!({ "listChanged": boolean, "subscribe": boolean })),
        "completions": { "type": "object" },
        "logging": { "type": "object" },
        "experimental": { "type": "object", "additionalProperties": { "type": "object" } },
    });
    let capabilities =
        if legacy { capabilities } else { and(capabilities, json!({ "extensions": { "type": "object" } })) };
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let mut all = Map::new();
    for (name, schema) in [
        ("id", json!({ "type": ["string", "integer"] })),
        ("role", json!({ "enum": ["user", "assistant"] })),
        ("level", json!({ "enum": levels })),
        ("icon", object(&["src"], icon)),
        ("annotations", object(&[], annotations)),
        ("implementation", object(&["name", "version"], named(json!({ "version": string() })))),
        ("capabilities", object(&[], capabilities)),
        ("tool", object(&["name", "inputSchema"], tool)),
        ("prompt", object(&["name"], prompt)),
        ("resource", object(&["name", "uri"], resource)),
        ("template", object(&["name", "uriTemplate"], template)),
        ("contents", contents()),
        ("content", content()),
        (
            "promptMessage",
            object(
                &["role", "content"],
                json!({ "role": reference("role"), "content": reference("content") }),
            ),
        ),
        ("result", result(legacy)),
        ("inputRequired", input_required(revision)),
    ] {
        all.insert(name.to_owned(), schema);
    }
    Value::Object(all)
}

/// What every result has.
fn result(legacy: bool) -> Value {
    let meta = json!({ "_meta": { "type": "object" } });
    if legacy {
        return object(&[], meta);
    }
    object(&["resultType"], and(meta, json!({ "resultType": string() })))
}

fn contents() -> Value {
    let members = json!({ "uri": string(), "mimeType": string(), "text": string(), "blob": string() });
    let either = json!({ "anyOf": [{ "required": ["text"] }, { "required": ["blob"] }] });
    and(object(&["uri"], members), either)
}

/// One block. What is wrong is told of the kind that the block says it is.
fn content() -> Value {
    let media = json!({ "data": string(), "mimeType": string() });
    let kinds = [
        ("text", object(&["text"], json!({ "text": string() }))),
        ("image", object(&["data", "mimeType"], media.clone())),
        ("audio", object(&["data", "mimeType"], media)),
        ("resource_link", reference("resource")),
        ("resource", object(&["resource"], json!({ "resource": reference("contents") }))),
    ];
    let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
    let all: Vec<Value> = kinds
        .iter()
        .map(|(name, block)| json!({ "if": { "properties": { "type": { "const": name } } }, "then": block }))
        .collect();
    let members = json!({ "type": { "enum": names }, "annotations": reference("annotations"), "_meta": { "type": "object" } });
    and(object(&["type"], members), json!({ "allOf": all }))
}

fn input_required(revision: Revision) -> Value {
    let asked = questions(revision);
    let names: Vec<&str> = asked.iter().map(|(name, _)| *name).collect();
    let all: Vec<Value> = asked
        .iter()
        .map(|(name, message)| json!({ "if": { "properties": { "method": { "const": name } } }, "then": message }))
        .collect();
    let request = and(object(&["method"], json!({ "method": { "enum": names } })), json!({ "allOf": all }));
    let members = json!({
        "inputRequests": { "type": "object", "additionalProperties": request },
        "requestState": string(),
    });
    let either = json!({ "anyOf": [{ "required": ["inputRequests"] }, { "required": ["requestState"] }] });
    and(object(&[], members), either)
}
