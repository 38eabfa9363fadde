//! Subscriptions and changes.

use axum::body::Body;
use axum::http::Response;
use mcp_fixture::Options;
use serde_json::{Value, json};

use super::layer::answer;
use super::streams::never_ending;
use super::{LEGACY, MODERN, Mutant, Sent};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn listens(sent: &Sent) -> bool {
    sent.method() == "subscriptions/listen"
}

fn is_acknowledgment(message: &Value) -> bool {
    message["method"] == "notifications/subscriptions/acknowledged"
}

fn drop_of(event: &mut String, method: &str) {
    if event.contains(method) {
        event.clear();
    }
}

/// Adds a message behind the acknowledgment.
fn add(sent: &Sent, event: &mut String, method: &str, params: Value) {
    if listens(sent) && event.contains("acknowledged") {
        let mut params = params;
        params["_meta"] = json!({ ID: sent.json()["id"] });
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        event.push_str(&format!("data: {message}\n\n"));
    }
}

fn no_streams() -> Options {
    Options { no_streams: true, ..Options::default() }
}

fn held_open(sent: &Sent) -> Response<Body> {
    let params = json!({ "_meta": { ID: sent.json()["id"] }, "notifications": {} });
    let first =
        json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params });
    let mut response = Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from(format!("data: {first}\n\n")))
        .unwrap();
    never_ending(&mut response);
    response
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("a change comes before all", "listen-acknowledged", MODERN).event(|sent, event| {
        if sent.json()["id"] == "mcp-conformance-first" && event.contains("acknowledged") {
            let params = json!({ "_meta": { ID: "mcp-conformance-first" } });
            let first =
                json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": params });
            event.insert_str(0, &format!("data: {first}\n\n"));
        }
    }),
    Mutant::new("all is honoured", "listen-only-asked", MODERN).message(|_, message| {
        if is_acknowledgment(message) {
            message["params"]["notifications"]["promptsListChanged"] = json!(true);
        }
    }),
    Mutant::new("subscriptions are texts", "listen-id", MODERN).message(|_, message| {
        if is_acknowledgment(message) && message["params"]["_meta"][ID].is_number() {
            message["params"]["_meta"][ID] = json!(message["params"]["_meta"][ID].to_string());
        }
    }),
    Mutant::new("a subscription to anything is taken", "listen-no-filter", MODERN).before(|sent| {
        if listens(sent) && sent.json()["params"].get("notifications").is_none() {
            sent.edit(|json| json["params"]["notifications"] = json!({ "toolsListChanged": true }));
        }
        None
    }),
    Mutant::new("nothing is waited for", "listen-undeclared", MODERN)
        .options(no_streams)
        .before(|sent| listens(sent).then(|| held_open(sent))),
    Mutant::new("tools change in silence", "tools-change-heard", MODERN)
        .also(&["change-id", "change-unasked", "two-subscriptions"])
        .event(|_, event| drop_of(event, "notifications/tools/list_changed")),
    Mutant::new("prompts change in silence", "prompts-change-heard", MODERN)
        .event(|_, event| drop_of(event, "notifications/prompts/list_changed")),
    Mutant::new("resources are updated in silence", "resource-update-heard", MODERN)
        .event(|_, event| drop_of(event, "notifications/resources/updated")),
    Mutant::new("another resource is updated", "resource-update-heard", MODERN).message(|_, message| {
        if message["method"] == "notifications/resources/updated" {
            message["params"]["uri"] = json!("test://another");
        }
    }),
    Mutant::new("prompts are told with tools", "change-unasked", MODERN).also(&["listen-only-asked"]).before(
        |sent| {
            if listens(sent) && sent.json()["params"]["notifications"]["toolsListChanged"] == true {
                sent.edit(|json| json["params"]["notifications"]["promptsListChanged"] = json!(true));
            }
            None
        },
    ),
    Mutant::new("one hears at a time", "two-subscriptions", MODERN)
        .before(|sent| {
            let mut memory = sent.memory.lock().unwrap();
            let listening = memory.entry("listening".to_owned()).or_insert(json!(false));
            let first = match &*sent.method() {
                "subscriptions/listen" => !std::mem::replace(listening, json!(true)).as_bool().unwrap(),
                "tools/call" => {
                    *listening = json!(false);
                    true
                }
                _ => true,
            };
            drop(memory);
            if !first {
                sent.set("x-deaf", "1");
            }
            None
        })
        .event(|sent, event| {
            if sent.header("x-deaf").is_some() {
                drop_of(event, "notifications/tools/list_changed");
            }
        }),
    Mutant::new("less is honoured than declared", "listen-declared", MODERN).message(|_, message| {
        if let Some(honoured) = message.pointer_mut("/params/notifications").and_then(Value::as_object_mut) {
            honoured.remove("resourcesListChanged");
        }
    }),
    Mutant::new("more is honoured than declared", "listen-unsupported", MODERN).message(|sent, message| {
        if sent.method() == "server/discover" && message["result"].is_object() {
            message["result"]["capabilities"]["resources"]["subscribe"] = json!(false);
        }
    }),
    Mutant::new("the end is of no subscription", "listen-end", MODERN).message(|sent, message| {
        if listens(sent) && message["result"].is_object() {
            message["result"]["_meta"].as_object_mut().unwrap().remove(ID);
        }
    }),
    Mutant::new("the end is sudden", "listen-end", MODERN).event(|sent, event| {
        if listens(sent) {
            drop_of(event, "\"result\"");
        }
    }),
    Mutant::new("who left may not come back", "listen-left", MODERN).before(|sent| {
        if sent.json()["id"] != "mcp-conformance-left" {
            return None;
        }
        let error = json!({ "code": -32600, "message": "the id is in use" });
        let was = sent.memory.lock().unwrap().insert("left".to_owned(), json!(true));
        was.map(|_| answer(400, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error })))
    }),
    Mutant::new("who listens is given a stream", "listen-accept", MODERN).before(|sent| {
        if listens(sent) {
            sent.set("accept", "application/json, text/event-stream");
        }
        None
    }),
    Mutant::new("changes are of no subscription", "change-id", MODERN).message(|_, message| {
        if message["method"] == "notifications/tools/list_changed" {
            message["params"]["_meta"].as_object_mut().unwrap().remove(ID);
        }
    }),
    Mutant::new("all updates are told", "update-unasked", MODERN).also(&["listen-declared"]).before(|sent| {
        sent.edit(|json| {
            if let Some(uris) =
                json.pointer_mut("/params/notifications/resourceSubscriptions").and_then(Value::as_array_mut)
            {
                uris.push(json!("test://watched-resource"));
            }
        });
        None
    }),
    Mutant::new("who listens hears the log", "listen-no-log", MODERN)
        .also(&["change-unasked", "update-unasked"])
        .event(|sent, event| {
            add(sent, event, "notifications/message", json!({ "level": "info", "data": "a text" }));
        }),
    Mutant::new("who listens hears progress", "listen-no-progress", MODERN)
        .also(&["change-unasked", "update-unasked"])
        .event(|sent, event| {
            add(
                sent,
                event,
                "notifications/progress",
                json!({ "progressToken": "mcp-conformance", "progress": 1 }),
            );
        }),
    Mutant::new("older clients may listen", "listen-legacy", LEGACY).before(|sent| {
        listens(sent)
            .then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "result": {} })))
    }),
];
