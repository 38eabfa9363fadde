//! Each kind of content, in each revision.

use serde_json::{Value, json};

use super::Table;
use crate::row::{REVISIONS, Row, call, request};
use crate::setting::Setting;

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = Vec::new();
    for revision in REVISIONS {
        for (tool, arguments) in tools() {
            let request = call(revision, tool, arguments);
            rows.push(Row::new(format!("{revision}: {tool} ({})", rows.len()), 200, request));
        }
        for (prompt, arguments) in prompts() {
            let params = json!({ "name": prompt, "arguments": arguments });
            rows.push(Row::new(
                format!("{revision}: {prompt}"),
                200,
                request(revision, "prompts/get", params),
            ));
        }
        for uri in RESOURCES {
            let request = request(revision, "resources/read", json!({ "uri": uri }));
            rows.push(Row::new(format!("{revision}: {uri}"), 200, request));
        }
        for params in completions() {
            let name = format!("{revision}: complete {params}");
            rows.push(Row::new(name, 200, request(revision, "completion/complete", params)));
        }
    }
    vec![Table { name: "content", setting: Setting::Plain, rows }]
}

fn tools() -> Vec<(&'static str, Value)> {
    vec![
        ("test_simple_text", json!({})),
        ("test_image_content", json!({})),
        ("test_audio_content", json!({})),
        ("test_embedded_resource", json!({})),
        ("test_multiple_content_types", json!({})),
        ("test_structured_content", json!({ "city": "Rome" })),
        ("weather", json!({ "city": "Rome" })),
        ("weather", json!({ "city": "__fail__" })),
        ("list_ids", json!({})),
        ("outcome", json!({})),
        ("meta_tool", json!({})),
        ("whoami", json!({})),
        ("admin_only", json!({})),
        ("echo", json!({ "text": "" })),
        ("echo", json!({ "text": "péché \u{2028}\u{1f980}\r\n\t\"\\\u{0}" })),
        ("echo", json!({ "text": "0123456789".repeat(20_000) })),
        ("add", json!({ "a": 9_007_199_254_740_993_i64, "b": 1 })),
        ("big_id", json!({ "id": i64::MAX })),
        ("configure", json!({ "name": "n", "limit": "7", "tags": ["a"], "options": { "depth": 2 } })),
        ("test_typed_arguments", json!({ "count": "5", "unit": "kelvin" })),
        ("test_typed_arguments", json!({ "count": 3.5, "unit": "K", "other": 1 })),
        ("json_schema_2020_12_tool", json!({ "contactMethod": "phone", "phone": "1" })),
        ("test_error_handling", json!({})),
        ("fail", json!({})),
        ("panic", json!({})),
        ("slow", json!({ "ms": 20 })),
    ]
}

fn prompts() -> Vec<(&'static str, Value)> {
    vec![
        ("test_simple_prompt", json!({})),
        ("test_prompt_with_arguments", json!({ "arg1": "é", "arg2": "" })),
        ("test_prompt_with_embedded_resource", json!({ "resourceUri": "test://x" })),
        ("test_prompt_with_image", json!({})),
    ]
}

const RESOURCES: [&str; 8] = [
    "test://static-text",
    "test://static-binary",
    "test://watched-resource",
    "test://template/a%20b/data",
    "note://hello",
    "note://caf%C3%A9/1",
    "note://day/4",
    "note://day/x",
];

fn completions() -> Vec<Value> {
    let prompt = |name: &str| json!({ "type": "ref/prompt", "name": name });
    let argument = |name: &str| json!({ "name": name, "value": "" });
    vec![
        json!({ "ref": prompt("test_prompt_with_arguments"), "argument": argument("arg1") }),
        json!({ "ref": prompt("test_prompt_with_arguments"), "argument": argument("arg2") }),
        json!({ "ref": prompt("nobody"), "argument": argument("arg1") }),
        json!({ "ref": { "type": "ref/resource", "uri": "test://no" }, "argument": argument("id") }),
    ]
}
