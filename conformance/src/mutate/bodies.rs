//! Bodies that are cut, of the wrong types, or with more in them than is known.

use serde_json::{Map, Value, json};

use super::{Asked, Demand, Mutation};
use crate::json::At as _;

const RFC_8259: &str = "https://www.rfc-editor.org/rfc/rfc8259";

/// Whether a refusal may be a JSON-RPC error in a good answer.
fn refused(asked: &Asked<'_>) -> Demand {
    if asked.revision.is_legacy() { Demand::Refused(&[200, 400]) } else { Demand::Refused(&[400]) }
}

pub(super) fn mutations(asked: &Asked<'_>) -> Vec<Mutation> {
    let mut all = no_json(asked);
    all.extend(written_otherwise(asked));
    all.extend(envelope(asked));
    all.extend(more(asked));
    all.extend(params(asked));
    if !asked.revision.is_legacy() {
        all.extend(meta(asked));
    }
    all
}

fn no_json(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = asked.page("sending-messages");
    let body = &asked.request.body;
    let half = body.get(..body.len() / 2).unwrap_or_default().to_vec();
    let mut broken = body.clone();
    broken.extend_from_slice(b"}");
    let mut invalid = body.clone();
    if let Some(position) = invalid.iter().position(|byte| *byte == b':') {
        invalid.insert(position, 0xff);
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    [
        ("half of the body", half),
        ("no body", Vec::new()),
        ("a brace behind the body", broken),
        ("a byte that is no UTF-8", invalid),
        ("a body of 10 000 arrays", deep.into_bytes()),
        ("a batch of the request", [b"[", &**body, b"]"].concat()),
        ("a string for a body", b"\"text\"".to_vec()),
    ]
    .into_iter()
    .map(|(name, body)| asked.mutation(name, asked.with_body(body), refused(asked), &page))
    .collect()
}

/// The same in other bytes.
fn written_otherwise(asked: &Asked<'_>) -> Vec<Mutation> {
    let spaced = serde_json::to_vec_pretty(&asked.message).unwrap_or_default();
    let spaced = [b"\r\n\t ", &*spaced, b" \n"].concat();
    let mut turned: Vec<_> = asked.message.as_object().into_iter().flatten().collect();
    turned.reverse();
    let turned: Map<String, Value> =
        turned.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    [
        ("white space in the body", spaced),
        ("letters as escapes in the body", escaped(&asked.message).into_bytes()),
        ("members in the other order", Value::Object(turned).to_string().into_bytes()),
    ]
    .into_iter()
    .map(|(name, body)| asked.mutation(name, asked.with_body(body), Demand::Same, RFC_8259))
    .collect()
}

/// JSON with every letter of its strings as an escape.
fn escaped(json: &Value) -> String {
    let quoted = |text: &str| {
        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        format!("\"{}\"", units.collect::<String>())
    };
    match json {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(escaped).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{}:{}", quoted(name), escaped(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => json.to_string(),
    }
}

fn envelope(asked: &Asked<'_>) -> Vec<Mutation> {
    let mut all = Vec::new();
    let page = "basic#messages";
    // What becomes of a request with a bad id is not said: some servers take it for a notification.
    let demand = |name: &str| if name == "id" { Demand::NoFault } else { refused(asked) };
    let mut set = |name: &str, value: Option<Value>| {
        let mut message = asked.message.clone();
        let what = match (&value, message.as_object_mut()) {
            (Some(value), Some(members)) => {
                members.insert(name.to_owned(), value.clone());
                format!("\"{name}\": {value}")
            }
            (None, Some(members)) => {
                members.shift_remove(name);
                format!("no \"{name}\"")
            }
            _ => return,
        };
        all.push(asked.mutation(what, asked.with_body(message.to_string()), demand(name), page));
    };
    for value in [json!("1.0"), json!(2.0), json!(null), json!({})] {
        set("jsonrpc", Some(value));
    }
    set("jsonrpc", None);
    for value in [json!(null), json!(1.5), json!(true), json!([1]), json!({})] {
        set("id", Some(value));
    }
    for value in [json!(1), json!(null), json!([]), json!({})] {
        set("method", Some(value));
    }
    set("method", None);
    for value in [json!("text"), json!(1), json!([]), json!(true)] {
        set("params", Some(value));
    }
    all
}

/// What a server does not know, it ignores; what occurs twice, it may refuse.
fn more(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = "basic#messages";
    let mut all = Vec::new();
    for (place, pointer) in [("the request", ""), ("params", "/params"), ("_meta", "/params/_meta")] {
        let mut message = asked.message.clone();
        if let Some(members) = message.pointer_mut(pointer).and_then(Value::as_object_mut) {
            members.insert("unknown-to-all".to_owned(), json!({ "a": [1] }));
            let request = asked.with_body(message.to_string());
            all.push(asked.mutation(format!("an unknown member of {place}"), request, Demand::Same, page));
        }
    }
    let text = asked.message.to_string();
    let inside = text.strip_prefix('{').unwrap_or(&text);
    let method = asked.message.at("method");
    for (name, first) in [("both the same", method.clone()), ("the first another", json!("ping"))] {
        let body = format!("{{\"method\":{first},{inside}");
        let name = format!("\"method\" twice, {name}");
        let demand = Demand::NoFault;
        all.push(asked.mutation(name, asked.with_body(body), demand, &format!("{RFC_8259}#section-4")));
    }
    all
}

/// Each field of the method's params with a value of the wrong type.
fn params(asked: &Asked<'_>) -> Vec<Mutation> {
    let fields: &[&str] = match &*asked.method {
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => &["cursor"],
        "prompts/get" => &["name", "arguments"],
        "resources/read" => &["uri"],
        "completion/complete" => &["ref", "argument"],
        "initialize" => &["protocolVersion", "capabilities", "clientInfo"],
        _ => &[],
    };
    // A server may do without what it does not need to know of a client.
    let demand = |field: &str| match field {
        "capabilities" | "clientInfo" => Demand::NoFault,
        _ => Demand::Refused(&[200, 400]),
    };
    let mut all = Vec::new();
    for field in fields {
        for value in [json!(7), json!([]), json!(true)] {
            let mut message = asked.message.clone();
            let Some(members) = message.as_object_mut() else { continue };
            let params = members.entry("params").or_insert_with(|| json!({}));
            let Some(params) = params.as_object_mut() else { continue };
            let what = format!("\"{field}\": {value}");
            params.insert((*field).to_owned(), value);
            all.push(asked.mutation(what, asked.with_body(message.to_string()), demand(field), "schema"));
        }
    }
    // Without what is required.
    for field in fields.iter().filter(|field| !matches!(**field, "cursor" | "arguments" | "clientInfo")) {
        let mut message = asked.message.clone();
        if let Some(params) = message.pointer_mut("/params").and_then(Value::as_object_mut) {
            params.shift_remove(*field);
            let request = asked.with_body(message.to_string());
            all.push(asked.mutation(format!("no \"{field}\""), request, demand(field), "schema"));
        }
    }
    all
}

/// What each modern request says of its client.
fn meta(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = "basic#general-fields";
    let demand = Demand::Refused(&[400]);
    let mut all = Vec::new();
    let mut change = |what: String, change: &dyn Fn(&mut Map<String, Value>)| {
        let mut message = asked.message.clone();
        if let Some(meta) = message.pointer_mut("/params/_meta").and_then(Value::as_object_mut) {
            change(meta);
            all.push(asked.mutation(what, asked.with_body(message.to_string()), demand, page));
        }
    };
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for name in [version, capabilities] {
        change(format!("no \"{name}\""), &|meta| drop(meta.shift_remove(name)));
        for value in [json!(1), json!([]), json!(null)] {
            change(format!("\"{name}\": {value}"), &|meta| drop(meta.insert(name.to_owned(), value.clone())));
        }
    }
    change(format!("another \"{version}\" than in the header"), &|meta| {
        drop(meta.insert(version.to_owned(), json!("2025-11-25")));
    });
    let mut message = asked.message.clone();
    if let Some(params) = message.pointer_mut("/params").and_then(Value::as_object_mut) {
        params.shift_remove("_meta");
        let request = asked.with_body(message.to_string());
        all.push(asked.mutation("no \"_meta\"", request, demand, page));
    }
    all
}
