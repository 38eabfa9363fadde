//! Tools: schemas, calls, results.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::layer::{Sent, answer};
use super::{ALL, LEGACY, MODERN, Mutant};
use mcp_conformance::Revision;

const SINCE_2025_11_25: &[Revision] = &[Revision::V2025_11_25, Revision::V2026_07_28];

/// Lists one more tool.
fn add(sent: &Sent, message: &mut Value, tool: Value) {
    if sent.method() == "tools/list" && message.get("result").is_some() {
        message["result"]["tools"].as_array_mut().unwrap().push(tool);
    }
}

fn with_property(property: Value) -> Value {
    let properties = json!({ "a": property, "b": { "type": "string", "x-mcp-header": "B" } });
    json!({ "name": "more", "description": "x", "inputSchema": { "type": "object", "properties": properties } })
}

fn calls(sent: &Sent, tool: &str) -> bool {
    sent.method() == "tools/call" && sent.json()["params"]["name"] == *tool
}

fn result(sent: &Sent, text: &str) -> Value {
    let result = json!({ "content": [{ "type": "text", "text": text }], "resultType": "complete" });
    json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "result": result })
}

/// Whether it is the call that shows how results are, with arguments that are right.
fn plain(sent: &Sent) -> bool {
    calls(sent, "echo") && sent.json()["params"]["arguments"]["text"].is_string()
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("input of an array", "input-schema-is-of-an-object", ALL).message(|sent, message| {
        add(sent, message, json!({ "name": "more", "description": "x", "inputSchema": { "type": "array" } }));
    }),
    Mutant::new("an invalid input schema", "input-schema-valid", SINCE_2025_11_25).message(
        |sent, message| {
            let schema = json!({ "type": "object", "properties": { "a": { "type": "text" } } });
            add(sent, message, json!({ "name": "more", "description": "x", "inputSchema": schema }));
        },
    ),
    Mutant::new("an invalid output schema", "output-schema-valid", SINCE_2025_11_25).message(
        |sent, message| {
            let (input, output) = (json!({ "type": "object" }), json!({ "type": "object", "required": "a" }));
            let tool =
                json!({ "name": "more", "description": "x", "inputSchema": input, "outputSchema": output });
            add(sent, message, tool);
        },
    ),
    Mutant::new("output of an array", "output-schema-is-of-an-object", LEGACY).message(|sent, message| {
        let (input, output) = (json!({ "type": "object" }), json!({ "type": "array" }));
        let tool =
            json!({ "name": "more", "description": "x", "inputSchema": input, "outputSchema": output });
        add(sent, message, tool);
    }),
    Mutant::new("a very long name", "tool-name-length", SINCE_2025_11_25).message(|sent, message| {
        let tool =
            json!({ "name": "m".repeat(129), "description": "x", "inputSchema": { "type": "object" } });
        add(sent, message, tool);
    }),
    Mutant::new("a name with blanks", "tool-name-characters", SINCE_2025_11_25).message(|sent, message| {
        add(sent, message, json!({ "name": "a b", "description": "x", "inputSchema": { "type": "object" } }));
    }),
    Mutant::new("unknown tools succeed", "unknown-tool-error", ALL)
        .before(|sent| calls(sent, "conformance_unknown").then(|| answer(200, &result(sent, "unknown")))),
    Mutant::new("unknown tools are unknown methods", "unknown-tool-code", ALL).message(|sent, message| {
        if calls(sent, "conformance_unknown") {
            message["error"]["code"] = json!(-32601);
        }
    }),
    Mutant::new("results without content", "call-result-has-content", ALL)
        .also(&["task-param-ignored"])
        .message(|sent, message| {
            if plain(sent) && message.get("result").is_some() {
                message["result"].as_object_mut().unwrap().remove("content");
            }
        }),
    Mutant::new("content of a new type", "content-is-known", ALL).message(|sent, message| {
        if plain(sent) && message.get("result").is_some() {
            message["result"]["content"] = json!([{ "type": "markdown", "text": "x" }]);
        }
    }),
    Mutant::new("text that is none", "text-is-text", ALL).message(|sent, message| {
        if plain(sent) && message.get("result").is_some() {
            message["result"]["content"] = json!([{ "type": "text", "text": 7 }]);
        }
    }),
    Mutant::new("isError is text", "is-error-is-a-boolean", ALL).message(|sent, message| {
        if plain(sent) && message.get("result").is_some() {
            message["result"]["isError"] = json!("false");
        }
    }),
    Mutant::new("no structured content", "structured-content-there", ALL).message(|sent, message| {
        if calls(sent, "test_structured_content") && message.get("result").is_some() {
            message["result"].as_object_mut().unwrap().remove("structuredContent");
        }
    }),
    Mutant::new("structured content of another shape", "structured-content-conforms", ALL)
        .also(&["structured-content-as-text"])
        .message(|sent, message| {
            if calls(sent, "test_structured_content") && message.get("result").is_some() {
                message["result"]["structuredContent"]["humidity"] = json!("wet");
            }
        }),
    Mutant::new("structured content without text", "structured-content-as-text", ALL).message(
        |sent, message| {
            if calls(sent, "test_structured_content") && message.get("result").is_some() {
                message["result"]["content"] = json!([]);
            }
        },
    ),
    Mutant::new("structured content in an array", "structured-content-is-object", LEGACY)
        .also(&["structured-content-as-text", "structured-content-conforms"])
        .message(|sent, message| {
            if calls(sent, "test_structured_content") && message.get("result").is_some() {
                message["result"]["structuredContent"] = json!([1]);
            }
        }),
    Mutant::new("failures are successes", "tool-error-is-a-result", ALL).message(|sent, message| {
        if calls(sent, "test_error_handling") && message.get("result").is_some() {
            message["result"]["isError"] = json!(false);
        }
    }),
    Mutant::new("nothing is required", "missing-argument-refused", ALL)
        .also(&["invalid-arguments-are-a-result"])
        .before(|sent| {
            let json = sent.json();
            let missing = json["params"]["arguments"].as_object().is_some_and(serde_json::Map::is_empty);
            (calls(sent, "echo") && missing).then(|| answer(200, &result(sent, "")))
        }),
    Mutant::new("anything is a string", "wrong-argument-refused", ALL).before(|sent| {
        let wrong = sent.json()["params"]["arguments"]["text"].is_object();
        (calls(sent, "echo") && wrong).then(|| answer(200, &result(sent, "[object Object]")))
    }),
    Mutant::new("invalid arguments are a protocol error", "invalid-arguments-are-a-result", SINCE_2025_11_25)
        .before(|sent| {
            let json = sent.json();
            let missing = json["params"]["arguments"].as_object().is_some_and(serde_json::Map::is_empty);
            let error = json!({ "code": -32602, "message": "text is missing" });
            let body = json!({ "jsonrpc": "2.0", "id": json["id"], "error": error });
            (calls(sent, "echo") && missing).then(|| answer(200, &body))
        }),
    Mutant::new("arguments are required", "arguments-optional", ALL).before(|sent| {
        let json = sent.json();
        let error = json!({ "code": -32602, "message": "no arguments" });
        let body = json!({ "jsonrpc": "2.0", "id": json["id"], "error": error });
        (calls(sent, "test_error_handling") && json["params"].get("arguments").is_none())
            .then(|| answer(200, &body))
    }),
    Mutant::new("a call of nothing succeeds", "call-without-name", ALL).before(|sent| {
        let nameless = sent.method() == "tools/call" && sent.json()["params"].get("name").is_none();
        nameless.then(|| answer(200, &result(sent, "")))
    }),
    Mutant::new("arguments in an array", "arguments-are-an-object", ALL).before(|sent| {
        let array = sent.json()["params"]["arguments"].is_array();
        (calls(sent, "echo") && array).then(|| answer(200, &result(sent, "a")))
    }),
    Mutant::new("calls are mixed up", "parallel-calls-apart", ALL)
        .message(|sent, message| {
            if !plain(sent) {
                return;
            }
            // More calls at a time than any other rule makes.
            let now = u64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
            let mut memory = sent.memory.lock().unwrap();
            let calls = memory.entry("calls".to_owned()).or_insert_with(|| json!([])).as_array_mut().unwrap();
            calls.retain(|call| call.as_u64().unwrap() + 100 > now);
            calls.push(json!(now));
            if calls.len() > 9 {
                message["id"] = json!("mixed-up");
            }
        })
        .delay(|sent| Duration::from_millis(if plain(sent) { 100 } else { 0 })),
    Mutant::new("a header of two words", "mirror-name-is-a-token", MODERN).message(|sent, message| {
        add(sent, message, with_property(json!({ "type": "string", "x-mcp-header": "Two Words" })));
    }),
    Mutant::new("a number in a header", "mirror-on-primitives", MODERN).message(|sent, message| {
        add(sent, message, with_property(json!({ "type": "number", "x-mcp-header": "A" })));
    }),
    Mutant::new("two arguments in a header", "mirror-names-unique", MODERN).message(|sent, message| {
        add(sent, message, with_property(json!({ "type": "string", "x-mcp-header": "b" })));
    }),
    Mutant::new("items in a header", "mirror-reachable", MODERN).message(|sent, message| {
        let items = json!({ "type": "string", "x-mcp-header": "A" });
        add(sent, message, with_property(json!({ "type": "array", "items": items })));
    }),
];
