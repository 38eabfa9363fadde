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
            let error = and(error, json!({ "allOf": with_data(revision) }));
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
            let versions = json!({ "type": "array", "items": string() });
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
        Kind::Empty if legacy => object(&[], json!({})),
        // Of what has nothing to say, only a subscription is left.
        Kind::Empty => {
            let id = object(&["io.modelcontextprotocol/subscriptionId"], json!({}));
            object(&["_meta"], json!({ "_meta": id }))
        }
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

/// The errors of a revision that have to say more.
fn with_data(revision: Revision) -> Vec<Value> {
    let said = |code: i64, data: Value| {
        let is_code = json!({ "properties": { "code": { "const": code } } });
        json!({ "if": is_code, "then": object(&["data"], json!({ "data": data })) })
    };
    match revision {
        // A list of conditions may not be empty.
        Revision::V2025_06_18 => vec![json!(true)],
        Revision::V2025_11_25 => {
            let url = json!({ "mode": { "const": "url" }, "message": string(), "url": string(), "elicitationId": string() });
            let url = object(&["mode", "message", "url", "elicitationId"], url);
            let elicitations = json!({ "elicitations": { "type": "array", "items": url } });
            vec![said(-32042, object(&["elicitations"], elicitations))]
        }
        Revision::V2026_07_28 => {
            let capability = json!({ "type": "object" });
            let parts = |names: [&str; 2]| {
                let members: Map<String, Value> =
                    names.iter().map(|name| ((*name).to_owned(), capability.clone())).collect();
                object(&[], Value::Object(members))
            };
            let capabilities = json!({
                "elicitation": parts(["form", "url"]),
                "sampling": parts(["context", "tools"]),
                "roots": capability,
            });
            let required = json!({ "requiredCapabilities": object(&[], capabilities) });
            let supported = json!({ "type": "array", "items": string() });
            let versions = json!({ "requested": string(), "supported": supported });
            vec![
                said(-32021, object(&["requiredCapabilities"], required)),
                said(-32022, object(&["requested", "supported"], versions)),
            ]
        }
    }
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
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": reference("id"), "progressToken": reference("id") });
    let params = object(&[], json!({ "_meta": object(&[], meta) }));
    let common = json!({ "jsonrpc": { "const": "2.0" }, "method": { "enum": names }, "params": params });
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
    let cancelled: &[&str] = match revision {
        Revision::V2025_06_18 => &["requestId"],
        Revision::V2025_11_25 | Revision::V2026_07_28 => &[],
    };
    let mut all = vec![
        ("notifications/progress", with_params(object(&["progressToken", "progress"], progress))),
        ("notifications/message", with_params(object(&["level", "data"], log))),
        ("notifications/resources/updated", with_params(object(&["uri"], json!({ "uri": string() })))),
        ("notifications/tools/list_changed", json!({})),
        ("notifications/prompts/list_changed", json!({})),
        ("notifications/resources/list_changed", json!({})),
        (
            "notifications/cancelled",
            with_params(object(cancelled, json!({ "requestId": reference("id"), "reason": string() }))),
        ),
    ];
    match revision {
        Revision::V2025_06_18 => {}
        Revision::V2025_11_25 => {
            let id = object(&["elicitationId"], json!({ "elicitationId": string() }));
            all.push(("notifications/elicitation/complete", with_params(id)));
            all.push(("notifications/tasks/status", with_params(object(&["taskId", "status"], json!({})))));
        }
        Revision::V2026_07_28 => {
            let boolean = json!({ "type": "boolean" });
            let filter = json!({
                "toolsListChanged": boolean,
                "promptsListChanged": boolean,
                "resourcesListChanged": boolean,
                "resourceSubscriptions": { "type": "array", "items": string() },
            });
            let honoured = json!({ "notifications": object(&[], filter) });
            let acknowledged = with_params(object(&["notifications"], honoured));
            all.push(("notifications/subscriptions/acknowledged", acknowledged));
            all.push(("notifications/tasks", with_params(object(&["taskId", "status"], json!({})))));
        }
    }
    all
}

/// The params of what a client may be asked.
fn questions(revision: Revision) -> Vec<(&'static str, Value)> {
    let common = json!({
        "messages": list("samplingMessage"),
        "maxTokens": { "type": "integer" },
        "systemPrompt": string(),
        "temperature": { "type": "number" },
        "stopSequences": { "type": "array", "items": string() },
        "includeContext": { "enum": ["none", "thisServer", "allServers"] },
        "modelPreferences": object(&[], json!({
            "hints": { "type": "array", "items": object(&[], json!({ "name": string() })) },
            "costPriority": reference("share"),
            "speedPriority": reference("share"),
            "intelligencePriority": reference("share"),
        })),
        "metadata": { "type": "object" },
    });
    let choice = json!({ "mode": { "enum": ["auto", "required", "none"] } });
    let form = json!({
        "message": string(),
        "requestedSchema": object(&["type", "properties"], json!({
            "type": { "const": "object" },
            "properties": { "type": "object", "additionalProperties": reference("field") },
            "required": { "type": "array", "items": string() },
        })),
    });
    let mode = json!({ "mode": { "const": "form" } });
    let url = json!({ "mode": { "const": "url" }, "message": string(), "url": string(), "elicitationId": string() });
    let by_mode = |url: Value| {
        let is_url = json!({ "properties": { "mode": { "const": "url" } }, "required": ["mode"] });
        let form = object(&["message", "requestedSchema"], and(form.clone(), mode.clone()));
        json!({ "if": is_url, "then": url, "else": form })
    };
    let elicitation = match revision {
        Revision::V2025_06_18 => object(&["message", "requestedSchema"], form.clone()),
        Revision::V2025_11_25 => by_mode(object(&["mode", "message", "url", "elicitationId"], url)),
        Revision::V2026_07_28 => by_mode(object(&["mode", "message", "url"], url)),
    };
    let sampling = match revision {
        Revision::V2025_06_18 => common,
        Revision::V2025_11_25 | Revision::V2026_07_28 => {
            and(common, json!({ "tools": list("tool"), "toolChoice": object(&[], choice) }))
        }
    };
    vec![
        ("elicitation/create", with_params(elicitation)),
        ("sampling/createMessage", with_params(object(&["messages", "maxTokens"], sampling))),
        ("roots/list", object(&[], json!({ "params": { "type": "object" } }))),
    ]
}

/// A field of a form.
fn field(revision: Revision) -> Value {
    let choices = object(&["const", "title"], json!({ "const": string(), "title": string() }));
    let strings = json!({ "type": "array", "items": string() });
    let integer = json!({ "type": "integer" });
    let common = json!({ "title": string(), "description": string() });
    let text = json!({
        "minLength": integer,
        "maxLength": integer,
        "format": { "enum": ["email", "uri", "date", "date-time"] },
    });
    let several = json!({
        "minItems": integer,
        "maxItems": integer,
        "items": { "type": "object", "anyOf": [{ "required": ["enum", "type"] }, { "required": ["anyOf"] }], "properties": {
            "type": { "const": "string" }, "enum": strings, "anyOf": { "type": "array", "items": choices },
        } },
    });
    let number = json!({ "minimum": { "type": "number" }, "maximum": { "type": "number" } });
    let mut kinds = vec![
        ("string", object(&[], text)),
        ("number", object(&[], number.clone())),
        ("integer", object(&[], number)),
        ("boolean", object(&[], json!({ "default": { "type": "boolean" } }))),
    ];
    let mut names = vec!["string", "number", "integer", "boolean"];
    match revision {
        Revision::V2025_06_18 => {}
        Revision::V2025_11_25 | Revision::V2026_07_28 => {
            names.push("array");
            kinds.push(("array", object(&["items"], several)));
        }
    }
    let by_type: Vec<Value> = kinds
        .iter()
        .map(|(name, members)| json!({ "if": { "properties": { "type": { "const": name } } }, "then": members }))
        .collect();
    and(object(&["type"], and(common, json!({ "type": { "enum": names } }))), json!({ "allOf": by_type }))
}

/// A message of a model, or to it.
fn sampling_message(revision: Revision) -> Value {
    let block = reference("sampled");
    let content = match revision {
        Revision::V2025_06_18 => block,
        Revision::V2025_11_25 | Revision::V2026_07_28 => {
            json!({ "if": { "type": "array" }, "then": { "items": block }, "else": block })
        }
    };
    object(&["role", "content"], json!({ "role": reference("role"), "content": content }))
}

/// A block of such a message.
fn sampled(revision: Revision) -> Value {
    let mut kinds = media();
    match revision {
        Revision::V2025_06_18 => {}
        Revision::V2025_11_25 | Revision::V2026_07_28 => {
            let used = json!({ "id": string(), "name": string(), "input": { "type": "object" } });
            let gave = json!({ "toolUseId": string(), "content": list("content"), "isError": { "type": "boolean" } });
            kinds.push(("tool_use", object(&["id", "name", "input"], used)));
            kinds.push(("tool_result", object(&["toolUseId", "content"], gave)));
        }
    }
    block_of(&kinds)
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
    let members = json!({
        "type": { "const": "object" },
        "properties": { "type": "object", "additionalProperties": { "type": "object" } },
        "required": { "type": "array", "items": string() },
    });
    let root = if legacy { object(&["type"], members) } else { root };
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
    let capabilities = if legacy {
        capabilities
    } else {
        and(
            capabilities,
            json!({ "extensions": { "type": "object", "additionalProperties": { "type": "object" } } }),
        )
    };
    let implementation = if has_icons {
        named(json!({ "version": string(), "websiteUrl": string() }))
    } else {
        json!({ "name": string(), "title": string(), "version": string() })
    };
    let levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let mut all = Map::new();
    for (name, schema) in [
        ("id", json!({ "type": ["string", "integer"] })),
        ("role", json!({ "enum": ["user", "assistant"] })),
        ("level", json!({ "enum": levels })),
        ("icon", object(&["src"], icon)),
        ("annotations", object(&[], annotations)),
        ("implementation", object(&["name", "version"], implementation)),
        ("capabilities", object(&[], capabilities)),
        ("tool", object(&["name", "inputSchema"], tool)),
        ("prompt", object(&["name"], prompt)),
        ("resource", object(&["name", "uri"], resource)),
        ("template", object(&["name", "uriTemplate"], template)),
        ("contents", contents()),
        ("content", content()),
        ("sampled", sampled(revision)),
        ("samplingMessage", sampling_message(revision)),
        ("field", field(revision)),
        ("share", json!({ "type": "number", "minimum": 0, "maximum": 1 })),
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
    if legacy {
        return object(&[], json!({ "_meta": { "type": "object" } }));
    }
    let meta = json!({
        "io.modelcontextprotocol/serverInfo": reference("implementation"),
        "io.modelcontextprotocol/subscriptionId": reference("id"),
    });
    object(&["resultType"], json!({ "_meta": object(&[], meta), "resultType": string() }))
}

fn contents() -> Value {
    let members = json!({ "uri": string(), "mimeType": string(), "text": string(), "blob": string() });
    let either = json!({ "anyOf": [{ "required": ["text"] }, { "required": ["blob"] }] });
    and(object(&["uri"], members), either)
}

fn media() -> Vec<(&'static str, Value)> {
    let media = json!({ "data": string(), "mimeType": string() });
    vec![
        ("text", object(&["text"], json!({ "text": string() }))),
        ("image", object(&["data", "mimeType"], media.clone())),
        ("audio", object(&["data", "mimeType"], media)),
    ]
}

fn content() -> Value {
    let mut kinds = media();
    kinds.push(("resource_link", reference("resource")));
    kinds.push(("resource", object(&["resource"], json!({ "resource": reference("contents") }))));
    block_of(&kinds)
}

/// One block. What is wrong is told of the kind that the block says it is.
fn block_of(kinds: &[(&str, Value)]) -> Value {
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
