//! Messages, ids, notifications.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::http::READ_LISTS;
use super::layer::{Sent, answer};
use super::{ALL, LEGACY, MODERN, Mutant};

const HARMLESS: &str = r#"{"ok":true}"#;

fn unknown(sent: &Sent) -> bool {
    sent.method() == "conformance/unknown"
}

/// A result of anything.
fn result(id: &Value) -> Value {
    let result = json!({ "text": HARMLESS, "resultType": "complete" });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("number ids become strings", "id-number-echoed", ALL).message(|_, message| {
        if message["id"] == 4711 {
            message["id"] = json!("4711");
        }
    }),
    Mutant::new("id 0 is lost", "id-zero-echoed", ALL).message(|sent, message| {
        if sent.json()["id"] == 0 && sent.method() != "initialize" && message.get("result").is_some() {
            message["id"] = Value::Null;
        }
    }),
    Mutant::new("ids have no sign", "id-negative-echoed", ALL).message(|_, message| {
        if message["id"].as_i64().is_some_and(|id| id < 0) {
            message["id"] = json!(message["id"].as_i64().unwrap().wrapping_neg());
        }
    }),
    Mutant::new("ids of 32 bits", "id-large-echoed", ALL).also(&["id-beyond-doubles-echoed"]).message(
        |_, message| {
            if message["id"].as_u64().is_some_and(|id| id > u64::from(u32::MAX)) {
                message["id"] = json!(7);
            }
        },
    ),
    Mutant::new("ids are doubles", "id-beyond-doubles-echoed", ALL).message(|_, message| {
        if message["id"] == 9_007_199_254_740_993_u64 {
            message["id"] = json!(9_007_199_254_740_992_u64);
        }
    }),
    Mutant::new("string ids are shortened", "id-string-echoed", ALL).message(|_, message| {
        if message["id"] == "b6c1-conformance" {
            message["id"] = json!("b6c1");
        }
    }),
    Mutant::new("digits become numbers", "id-digits-stay-a-string", ALL).message(|_, message| {
        if message["id"] == "12" {
            message["id"] = json!(12);
        }
    }),
    Mutant::new("the empty id is lost", "id-empty-echoed", ALL).message(|_, message| {
        if message["id"] == "" {
            message.as_object_mut().unwrap().remove("id");
        }
    }),
    Mutant::new("ids are ASCII", "id-unicode-echoed", ALL).message(|_, message| {
        if message["id"].as_str().is_some_and(|id| !id.is_ascii()) {
            message["id"] = json!("?");
        }
    }),
    Mutant::new("errors have no id", "error-id-echoed", ALL).message(|sent, message| {
        if unknown(sent) && message["id"].is_string() {
            message.as_object_mut().unwrap().remove("id");
        }
    }),
    Mutant::new("errors lose the id 0", "error-id-zero-echoed", ALL).message(|sent, message| {
        if unknown(sent) && message["id"] == 0 {
            message.as_object_mut().unwrap().remove("id");
        }
    }),
    Mutant::new("codes are strings", "error-code-is-integer", ALL)
        .also(&["unknown-method", "error-media-type"])
        .message(|sent, message| {
            if unknown(sent) {
                message["error"]["code"] = json!("-32601");
            }
        }),
    Mutant::new("errors say nothing", "error-has-message", ALL).message(|sent, message| {
        if unknown(sent) {
            message["error"].as_object_mut().unwrap().remove("message");
        }
    }),
    Mutant::new("errors are of no JSON-RPC", "error-is-json-rpc-2", ALL).message(|sent, message| {
        if unknown(sent) {
            message.as_object_mut().unwrap().remove("jsonrpc");
        }
    }),
    Mutant::new("results are of JSON-RPC 1.0", "result-is-json-rpc-2", ALL).message(|sent, message| {
        if sent.is_listing() {
            message["jsonrpc"] = json!("1.0");
        }
    }),
    Mutant::new("results have an error, null", "result-without-error", ALL).message(|sent, message| {
        if sent.is_listing() && message.get("result").is_some() {
            message["error"] = Value::Null;
        }
    }),
    Mutant::new("errors have a result, null", "error-without-result", ALL).message(|sent, message| {
        if unknown(sent) {
            message["result"] = Value::Null;
        }
    }),
    Mutant::new("results are arrays", "result-is-object", ALL).also(READ_LISTS).message(|sent, message| {
        if sent.is_listing() && message.get("result").is_some() {
            message["result"] = json!([]);
        }
    }),
    Mutant::new("unknown methods are internal errors", "unknown-method", ALL).message(|sent, message| {
        if unknown(sent) {
            message["error"]["code"] = json!(-32603);
        }
    }),
    Mutant::new("unknown methods are 200", "unknown-method-404", MODERN).after(|sent, response| {
        if unknown(sent) {
            *response.status_mut() = StatusCode::OK;
        }
    }),
    Mutant::new("half a request is repaired", "invalid-json-refused", ALL)
        .before(|sent| {
            let text = String::from_utf8_lossy(&sent.body).into_owned();
            (text.starts_with("{\"jsonrpc\"") && sent.json().is_null() && !text.contains('\u{fffd}'))
                .then(|| answer(200, &result(&json!(1))))
        })
        .also(&["truncated-json-answered"]),
    Mutant::new("no JSON is an invalid request", "invalid-json-code", ALL).message(|_, message| {
        if message["error"]["code"] == -32700 {
            message["error"]["code"] = json!(-32600);
        }
    }),
    Mutant::new("id null is an id", "id-null-refused", ALL).before(|sent| {
        let json = sent.json();
        (json.get("id").is_some_and(Value::is_null)).then(|| answer(200, &result(&Value::Null)))
    }),
    Mutant::new("any id will do", "id-of-wrong-type-refused", ALL).before(|sent| {
        let id = sent.json()["id"].clone();
        id.is_boolean().then(|| answer(200, &result(&id)))
    }),
    Mutant::new("any JSON-RPC will do", "json-rpc-version-checked", ALL).before(|sent| {
        if sent.json()["jsonrpc"] == "1.0" {
            sent.edit(|json| json["jsonrpc"] = json!("2.0"));
        }
        None
    }),
    Mutant::new("no JSON-RPC will do", "json-rpc-member-required", ALL).before(|sent| {
        if sent.json().is_object() && sent.json().get("jsonrpc").is_none() {
            sent.edit(|json| json["jsonrpc"] = json!("2.0"));
        }
        None
    }),
    Mutant::new("any method will do", "method-of-wrong-type-refused", ALL).before(|sent| {
        let json = sent.json();
        json["method"].is_number().then(|| answer(200, &result(&json["id"])))
    }),
    Mutant::new("a number is a request", "scalar-refused", ALL)
        .before(|sent| sent.json().is_number().then(|| answer(200, &result(&json!(1))))),
    Mutant::new("an empty batch is fine", "empty-batch-refused", ALL)
        .before(|sent| (*sent.json() == json!([])).then(|| answer(200, &json!([])))),
    Mutant::new("batches are served", "batch-not-answered-by-batch", ALL).before(|sent| {
        let json = sent.json();
        let requests = json.as_array().filter(|requests| !requests.is_empty())?;
        Some(answer(200, &requests.iter().map(|request| result(&request["id"])).collect()))
    }),
    Mutant::new("notifications are answered", "notification-not-answered", ALL)
        .also(&["notification-accepted-or-refused"])
        .before(|sent| {
            (sent.method() == "notifications/conformance/unknown").then(|| answer(202, &result(&json!(1))))
        }),
    Mutant::new("no unknown params", "unknown-params-ignored", ALL).before(|sent| {
        let json = sent.json();
        let unknown = json["params"].get("conformance").is_some();
        let error = json!({ "code": -32602, "message": "unknown" });
        unknown.then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": json["id"], "error": error })))
    }),
    Mutant::new("no unknown _meta", "unknown-meta-ignored", ALL).before(|sent| {
        let json = sent.json();
        let unknown = json["params"]["_meta"].get("com.example/conformance").is_some();
        let error = json!({ "code": -32602, "message": "unknown" });
        unknown.then(|| answer(400, &json!({ "jsonrpc": "2.0", "id": json["id"], "error": error })))
    }),
    Mutant::new("no trace context", "trace-context-taken", MODERN).before(|sent| {
        let json = sent.json();
        let unknown = json["params"]["_meta"].get("traceparent").is_some();
        let error = json!({ "code": -32602, "message": "unknown" });
        unknown.then(|| answer(400, &json!({ "jsonrpc": "2.0", "id": json["id"], "error": error })))
    }),
    Mutant::new("params are required", "params-optional", LEGACY).also(&["list-params-optional"]).before(
        |sent| {
            let json = sent.json();
            let absent =
                json.get("params").is_none() && json.get("id").is_some() && json["method"].is_string();
            let error = json!({ "code": -32602, "message": "no params" });
            absent.then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": json["id"], "error": error })))
        },
    ),
    Mutant::new("members in one order only", "members-in-any-order", ALL)
        .before(|sent| sent.body.starts_with(b"{\"params\"").then(|| answer(400, &json!({})))),
    Mutant::new("requests begin at once", "white-space-around", ALL).before(|sent| {
        (sent.body.starts_with(b"\r\n\t ") && sent.body.len() > 20).then(|| answer(400, &json!({})))
    }),
    Mutant::new("names have no escapes", "escapes-read", ALL).before(|sent| {
        String::from_utf8_lossy(&sent.body).contains("m\\u0065thod").then(|| answer(400, &json!({})))
    }),
    Mutant::new("one request of an id ever", "same-id-two-clients", ALL).before(|sent| {
        let json = sent.json();
        let id = json["id"].clone();
        let used = sent.memory.lock().unwrap().insert(id.to_string(), id.clone());
        let error = json!({ "code": -32600, "message": "the id is in use" });
        (id == "same-id" && used == Some(id.clone()))
            .then(|| answer(200, &json!({ "jsonrpc": "2.0", "id": id, "error": error })))
    }),
    Mutant::new("unknown tools are -32002", "retired-codes-unused", MODERN)
        .also(&["unknown-tool-code"])
        .message(|sent, message| {
            if sent.json()["params"]["name"] == "conformance_unknown" && sent.method() == "tools/call" {
                message["error"]["code"] = json!(-32002);
            }
        }),
    Mutant::new("results have no type", "result-has-type", MODERN).message(|sent, message| {
        if sent.is_listing() && message.get("result").is_some() {
            message["result"].as_object_mut().unwrap().remove("resultType");
        }
    }),
    Mutant::new("results name nobody", "result-names-server", MODERN).message(|sent, message| {
        if sent.is_listing() && message.get("result").is_some() {
            message["result"].as_object_mut().unwrap().remove("_meta");
        }
    }),
    Mutant::new("ping says pong", "ping", LEGACY).message(|sent, message| {
        if sent.method() == "ping" && message.get("result").is_some() {
            message["result"] = json!({ "pong": true });
        }
    }),
];
