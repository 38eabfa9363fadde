//! Our schemas beside the published ones: what one refuses and the other takes has a reason.
//!
//! The schemas are not part of this project. With `MCP_SPEC_DIR=folder`, where `folder/<revision>/schema.json` are the files
//! of the specification, every message that the server `everything` sends during a check is taken apart: each member is left
//! out, and given other types, and both schemas are asked. Without it nothing is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jsonschema::Validator;
use mcp_conformance::event::Decoder;
use mcp_conformance::shapes::{Kind, violations};
use mcp_conformance::{Exchange, Profile, Revision, Target, check};
use serde_json::{Value, json};

use crate::site;

/// Messages of one kind that are taken apart, where they differ in what they have.
const OF_A_KIND: usize = 8;

/// A difference that there is for a reason: where, and whether ours takes what the published one refuses.
struct Explained {
    revisions: &'static [Revision],
    /// The end of the place, without positions in lists.
    place: &'static str,
    ours_takes: bool,
    #[expect(dead_code, reason = "for the reader")]
    why: &'static str,
}

const LEGACY: &[Revision] = &[Revision::V2025_06_18, Revision::V2025_11_25];
const MODERN: &[Revision] = &[Revision::V2026_07_28];
const ALL: &[Revision] = &Revision::ALL;

const EXPLAINED: &[Explained] = &[
    Explained {
        revisions: &[Revision::V2025_06_18],
        place: "/uri",
        ours_takes: true,
        why: "whether a URI is one is for rules of their own",
    },
    Explained {
        revisions: MODERN,
        place: "/inputRequests",
        ours_takes: false,
        why: "by the text, there are questions or a state; by the schema, both may be missing",
    },
];

struct Published {
    holder: &'static str,
    schema: Value,
    compiled: BTreeMap<&'static str, Validator>,
}

impl Published {
    fn read(folder: &Path, revision: Revision) -> Self {
        let file = folder.join(revision.as_str()).join("schema.json");
        let text = std::fs::read_to_string(&file).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        let holder = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        Self { holder, schema, compiled: BTreeMap::new() }
    }

    fn takes(&mut self, name: &'static str, value: &Value) -> bool {
        let (holder, schema) = (self.holder, &self.schema);
        let validator = self.compiled.entry(name).or_insert_with(|| {
            let one = json!({
                "$schema": schema["$schema"],
                "allOf": [{ "$ref": format!("#/{holder}/{name}") }],
                holder: schema[holder],
            });
            jsonschema::validator_for(&one).unwrap()
        });
        validator.is_valid(value)
    }

    fn takes_message(&mut self, revision: Revision, kind: Kind, message: &Value) -> bool {
        let oldest = revision == Revision::V2025_06_18;
        let legacy = revision.is_legacy();
        let result = &message["result"];
        let definition = match kind {
            Kind::Error => {
                let mut message = message.clone();
                // Its text lets an error without an id be, and its schema does not.
                if oldest && message.get("id").is_none() {
                    message["id"] = json!(0);
                }
                let code = match (revision, message["error"]["code"].as_i64()) {
                    (Revision::V2025_11_25, Some(-32042)) => Some("URLElicitationRequiredError"),
                    (Revision::V2026_07_28, Some(-32021)) => Some("MissingRequiredClientCapabilityError"),
                    (Revision::V2026_07_28, Some(-32022)) => Some("UnsupportedProtocolVersionError"),
                    _ => None,
                };
                return self.takes(if oldest { "JSONRPCError" } else { "JSONRPCErrorResponse" }, &message)
                    && code.is_none_or(|code| self.takes(code, &message));
            }
            Kind::Notification => {
                return self.takes("JSONRPCNotification", message)
                    && self.takes("ServerNotification", message);
            }
            Kind::Request => {
                return self.takes("JSONRPCRequest", message) && self.takes("ServerRequest", message);
            }
            Kind::ToolsCall | Kind::PromptsGet | Kind::ResourcesRead
                if !legacy && result["resultType"] == "input_required" =>
            {
                let requests = result["inputRequests"].as_object().cloned().unwrap_or_default();
                let asks = requests.values().all(|request| self.takes("InputRequest", request));
                return asks
                    && self.takes("InputRequiredResult", result)
                    && self.takes("JSONRPCResultResponse", message);
            }
            Kind::Initialize => "InitializeResult",
            Kind::Discover => "DiscoverResult",
            Kind::ToolsList => "ListToolsResult",
            Kind::ToolsCall => "CallToolResult",
            Kind::PromptsList => "ListPromptsResult",
            Kind::PromptsGet => "GetPromptResult",
            Kind::ResourcesList => "ListResourcesResult",
            Kind::TemplatesList => "ListResourceTemplatesResult",
            Kind::ResourcesRead => "ReadResourceResult",
            Kind::Complete => "CompleteResult",
            Kind::Empty if !legacy => "SubscriptionsListenResult",
            Kind::Empty => "EmptyResult",
            other => panic!("{other:?} has no definition"),
        };
        let whole = if oldest { "JSONRPCResponse" } else { "JSONRPCResultResponse" };
        self.takes(whole, message) && self.takes(definition, result)
    }
}

fn messages(exchange: &Exchange) -> Vec<Value> {
    let Ok(response) = &exchange.answer else { return Vec::new() };
    match response.media_type().as_deref() {
        Some("application/json") => serde_json::from_slice(&response.body).into_iter().collect(),
        Some("text/event-stream") => {
            let events = Decoder::default().push(&response.body);
            events.iter().filter_map(|event| serde_json::from_str(&event.data).ok()).collect()
        }
        _ => Vec::new(),
    }
}

/// Where something is in a value, and what is there. Of each list, the first two items.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    if !at.is_empty() {
        all.push(at.to_owned());
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                places(member, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().take(2).enumerate() {
                places(item, &format!("{at}/{index}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without(message: &Value, place: &str) -> Option<Value> {
    let (parent, name) = place.rsplit_once('/')?;
    let mut message = message.clone();
    let name = name.replace("~1", "/").replace("~0", "~");
    message.pointer_mut(parent)?.as_object_mut()?.remove(&name)?;
    Some(message)
}

fn mutations(message: &Value) -> Vec<(String, String, Value)> {
    let mut all_places = Vec::new();
    places(message, "", &mut all_places);
    let others =
        [json!(null), json!(5), json!(-1.5), json!("x"), json!(true), json!([]), json!({}), json!([5])];
    let mut all = Vec::new();
    for place in all_places {
        all.extend(without(message, &place).map(|changed| (place.clone(), "left out".to_owned(), changed)));
        for other in &others {
            let mut changed = message.clone();
            let there = changed.pointer_mut(&place).unwrap();
            if there != other {
                *there = other.clone();
                all.push((place.clone(), other.to_string(), changed));
            }
        }
    }
    all
}

fn general(place: &str) -> String {
    let parts = place.split('/').map(|part| if part.parse::<usize>().is_ok() { "*" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// What is said during a check, by kind; of each kind, messages that differ in what they have.
fn corpus() -> BTreeMap<(Revision, Kind), Vec<Value>> {
    let url = site::everything().url().to_string();
    let report = check(&Target::parse(&url).unwrap().profile(Profile::everything()));
    let mut all: BTreeMap<(Revision, Kind), Vec<Value>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for exchange in report.results.iter().flat_map(|result| &result.exchanges) {
        let request: Value = serde_json::from_slice(&exchange.request.body).unwrap_or_default();
        let method = request["method"].as_str().unwrap_or_default();
        for message in messages(exchange) {
            let Some(kind) = Kind::of(method, &message) else { continue };
            let mut has = Vec::new();
            places(&message, "", &mut has);
            let has: BTreeSet<String> = has.iter().map(|place| general(place)).collect();
            let of_kind = all.entry((exchange.revision, kind)).or_default();
            if of_kind.len() < OF_A_KIND && seen.insert((exchange.revision, kind, has)) {
                of_kind.push(message);
            }
        }
    }
    for (revisions, method, message) in others() {
        for revision in revisions {
            let kind = Kind::of(method, &message).unwrap();
            all.entry((*revision, kind)).or_default().push(message.clone());
        }
    }
    all
}

/// What the server does not send, but others do.
fn others() -> Vec<(&'static [Revision], &'static str, Value)> {
    let result = |mut result: Value, modern: bool| {
        if modern {
            result["resultType"] = json!("complete");
        }
        json!({ "jsonrpc": "2.0", "id": "a", "result": result })
    };
    let asked = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let told = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let icons = json!([{ "src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["any"], "theme": "dark" }]);
    let annotations =
        json!({ "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-01T00:00:00Z" });
    let hints = json!({ "title": "A", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false });
    let tool = json!({
        "name": "a", "title": "A", "description": "an a", "annotations": hints,
        "inputSchema": { "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] },
        "outputSchema": { "type": "object", "properties": { "c": {} }, "required": ["c"] },
        "_meta": { "d": 1 },
    });
    let mut with_icons = tool.clone();
    with_icons["icons"] = icons.clone();
    let prompt = json!({ "name": "a", "title": "A", "arguments": [{ "name": "b", "title": "B", "description": "a b", "required": true }] });
    let resource = json!({ "uri": "a:b", "name": "a", "title": "A", "description": "an a", "mimeType": "a/b", "size": 4, "annotations": annotations });
    let template = json!({ "uriTemplate": "a:{b}", "name": "a", "title": "A", "mimeType": "a/b", "annotations": annotations });
    let content = json!([
        { "type": "text", "text": "a", "annotations": annotations },
        { "type": "image", "data": "AA==", "mimeType": "image/png" },
    ]);
    let links = json!([
        { "type": "resource_link", "uri": "a:b", "name": "a", "size": 1 },
        { "type": "resource", "resource": { "uri": "a:b", "blob": "AA==", "mimeType": "a/b" } },
    ]);
    let form = json!({ "message": "a", "requestedSchema": { "type": "object", "required": ["a"], "properties": {
        "a": { "type": "string", "title": "A", "description": "an a", "minLength": 1, "maxLength": 2, "format": "email" },
        "b": { "type": "integer", "minimum": 1, "maximum": 2 },
        "c": { "type": "boolean", "default": true },
        "d": { "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] },
    } } });
    let choices = json!({ "mode": "form", "message": "a", "requestedSchema": { "type": "object", "properties": {
        "a": { "type": "string", "oneOf": [{ "const": "a", "title": "A" }] },
        "b": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "string", "enum": ["a", "b"] } },
        "c": { "type": "array", "items": { "anyOf": [{ "const": "a", "title": "A" }] } },
    } } });
    let sampling = json!({
        "messages": [{ "role": "user", "content": { "type": "image", "data": "AA==", "mimeType": "image/png" } }],
        "maxTokens": 10, "systemPrompt": "a", "temperature": 0.5, "stopSequences": ["a"], "includeContext": "none",
        "modelPreferences": { "hints": [{ "name": "a" }], "costPriority": 0.1, "speedPriority": 0, "intelligencePriority": 1 },
        "metadata": {},
    });
    let mut with_tools = sampling.clone();
    with_tools["messages"] = json!([
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "a", "input": {} }] },
        { "role": "user", "content": { "type": "tool_result", "toolUseId": "1", "content": [{ "type": "text", "text": "a" }] } },
    ]);
    with_tools["tools"] = json!([tool]);
    with_tools["toolChoice"] = json!({ "mode": "auto" });
    let capabilities = json!({
        "tools": { "listChanged": true }, "prompts": { "listChanged": true }, "completions": {}, "logging": {},
        "resources": { "listChanged": true, "subscribe": true }, "experimental": { "a": {} },
    });
    let mut info = json!({ "name": "a", "version": "1", "title": "A" });
    let opening = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info, "instructions": "a" });
    info["websiteUrl"] = json!("https://example.com/");
    info["icons"] = icons;
    let opening_with_icons =
        json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info });
    let newer = &[Revision::V2025_11_25];
    let log = json!({ "level": "emergency", "logger": "a", "data": { "b": 1 } });
    let progress = json!({ "progressToken": 1, "progress": 0.5, "total": 1, "message": "a" });
    let mut all = vec![
        (&[Revision::V2025_06_18][..], "initialize", result(opening, false)),
        (&newer[..], "initialize", result(opening_with_icons, false)),
        (&newer[..], "tools/list", result(json!({ "tools": [with_icons] }), false)),
        (LEGACY, "", asked("elicitation/create", form)),
        (&newer[..], "", asked("elicitation/create", choices.clone())),
        (
            &newer[..],
            "",
            asked(
                "elicitation/create",
                json!({ "mode": "url", "message": "a", "url": "https://example.com", "elicitationId": "a" }),
            ),
        ),
        (LEGACY, "", asked("sampling/createMessage", sampling)),
        (&newer[..], "", asked("sampling/createMessage", with_tools.clone())),
        (LEGACY, "", asked("ping", json!({}))),
        (ALL, "", told("notifications/message", log)),
        (ALL, "", told("notifications/progress", progress)),
        (ALL, "", told("notifications/resources/updated", json!({ "uri": "a:b" }))),
        (LEGACY, "", told("notifications/cancelled", json!({ "requestId": 1, "reason": "a" }))),
        (
            ALL,
            "",
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -1, "message": "a", "data": { "b": 1 } } }),
        ),
        (
            &newer[..],
            "",
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32042, "message": "a", "data": { "elicitations": [
            { "mode": "url", "message": "a", "url": "https://example.com", "elicitationId": "a" },
        ] } } }),
        ),
        (
            MODERN,
            "",
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32022, "message": "a", "data": { "requested": "a", "supported": ["b"] } } }),
        ),
        (
            MODERN,
            "",
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32021, "message": "a", "data": { "requiredCapabilities": { "sampling": {} } } } }),
        ),
        (
            LEGACY,
            "completion/complete",
            result(json!({ "completion": { "values": ["a"], "total": 1, "hasMore": false } }), false),
        ),
    ];
    let requests = json!({
        "a": { "method": "elicitation/create", "params": choices },
        "b": { "method": "elicitation/create", "params": { "mode": "url", "message": "a", "url": "https://example.com" } },
        "c": { "method": "sampling/createMessage", "params": with_tools },
        "d": { "method": "roots/list" },
    });
    let mut asks = result(json!({ "inputRequests": requests, "requestState": "a" }), true);
    asks["result"]["resultType"] = json!("input_required");
    all.push((MODERN, "tools/call", asks));
    for modern in [false, true] {
        let kept = |mut page: Value| {
            if modern {
                page["ttlMs"] = json!(1000);
                page["cacheScope"] = json!("public");
            }
            result(page, modern)
        };
        let revisions = if modern { MODERN } else { LEGACY };
        all.push((revisions, "tools/list", kept(json!({ "tools": [tool], "nextCursor": "a" }))));
        all.push((revisions, "prompts/list", kept(json!({ "prompts": [prompt], "nextCursor": "a" }))));
        all.push((revisions, "resources/list", kept(json!({ "resources": [resource], "nextCursor": "a" }))));
        all.push((revisions, "resources/templates/list", kept(json!({ "resourceTemplates": [template] }))));
        for blocks in [&content, &links] {
            all.push((
                revisions,
                "tools/call",
                result(
                    json!({ "content": blocks, "structuredContent": { "a": 1 }, "isError": false }),
                    modern,
                ),
            ));
        }
        let messages = json!([{ "role": "assistant", "content": links[1] }]);
        all.push((
            revisions,
            "prompts/get",
            result(json!({ "messages": messages, "description": "a" }), modern),
        ));
    }
    all
}

#[test]
fn our_schemas_say_what_the_published_ones_say() {
    let Some(folder) = std::env::var_os("MCP_SPEC_DIR") else { return };
    let mut published: BTreeMap<Revision, Published> = Revision::ALL
        .into_iter()
        .map(|revision| (revision, Published::read(Path::new(&folder), revision)))
        .collect();
    let (mut asked, mut used) = (0, BTreeSet::new());
    let mut unexplained = BTreeMap::new();
    for ((revision, kind), messages) in corpus() {
        let published = published.get_mut(&revision).unwrap();
        for message in messages {
            let unchanged = ("/".to_owned(), "unchanged".to_owned(), message.clone());
            for (place, change, changed) in mutations(&message).into_iter().chain([unchanged]) {
                // A message of another kind is for another schema.
                if changed.get("method").is_some() != message.get("method").is_some()
                    || changed.get("error").is_some() != message.get("error").is_some()
                {
                    continue;
                }
                asked += 1;
                let ours = violations(revision, kind, &changed).is_empty();
                if ours == published.takes_message(revision, kind, &changed) {
                    continue;
                }
                let place = general(&place);
                let explained = EXPLAINED.iter().position(|it| {
                    it.ours_takes == ours && it.revisions.contains(&revision) && place.ends_with(it.place)
                });
                match explained {
                    Some(explained) => _ = used.insert(explained),
                    None => {
                        let who = if ours { "ours takes it" } else { "the published one takes it" };
                        unexplained
                            .entry(format!("{revision} {kind:?} {place}, {who}"))
                            .or_insert_with(BTreeSet::new)
                            .insert(change);
                    }
                }
            }
        }
    }
    assert!(asked > 1000, "{asked} messages");
    let told: Vec<String> =
        unexplained.iter().map(|(place, changes)| format!("{place}: {changes:?}")).collect();
    assert!(told.is_empty(), "of {asked}:\n{}", told.join("\n"));
    assert_eq!(used.len(), EXPLAINED.len(), "an explanation is not needed: {used:?}");
}
