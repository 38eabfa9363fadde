//! Prompts, resources, completion, caching, and what is not declared.

use axum::body::Body;
use axum::http::Response;
use mcp_conformance::Revision;
use mcp_fixture::Options;
use serde_json::{Value, json};

use super::layer::answer;
use super::{ALL, LEGACY, MODERN, Mutant, Sent};

/// Puts a result in place of an error.
fn forgive(message: &mut Value, result: Value) {
    if message.get("error").is_some() {
        let mut result = result;
        result["resultType"] = json!("complete");
        *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    }
}

/// Whether a resource is read that there is not.
fn reads_nothing(sent: &Sent) -> bool {
    sent.json()["params"]["uri"] == "mcp-conformance-none://no-such-resource"
}

fn refuse(sent: &Sent, code: i64) -> Option<Response<Body>> {
    let error = json!({ "code": code, "message": "refused" });
    Some(answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "error": error })))
}

fn grant(sent: &Sent, result: &Value) -> Option<Response<Body>> {
    Some(answer(200, &json!({ "jsonrpc": "2.0", "id": sent.json()["id"], "result": result })))
}

/// Changes each block of the prompts that are got.
fn blocks(sent: &Sent, message: &mut Value, change: impl Fn(&mut Value)) {
    if sent.method() == "prompts/get" {
        for message in
            message.pointer_mut("/result/messages").and_then(Value::as_array_mut).into_iter().flatten()
        {
            change(&mut message["content"]);
        }
    }
}

fn pages() -> Options {
    Options { page_size: std::num::NonZeroUsize::new(2), ..Options::default() }
}

fn few() -> Options {
    Options { tools: Some(3), ..Options::default() }
}

macro_rules! unhinted {
    ($name:literal, $rule:literal, $method:literal, $member:literal, $value:expr) => {
        Mutant::new($name, $rule, MODERN).message(|sent, message| {
            if sent.method() == $method && message["result"].is_object() {
                message["result"][$member] = $value;
            }
        })
    };
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("a prompt has no messages", "prompt-got", ALL).message(|sent, message| {
        if sent.method() == "prompts/get" && message["result"]["messages"].is_array() {
            message["result"]["messages"] = json!({});
        }
    }),
    Mutant::new("an unknown prompt is got", "prompt-unknown", ALL).message(|sent, message| {
        if sent.json()["params"]["name"] == "mcp-conformance-no-such-prompt" {
            forgive(message, json!({ "messages": [] }));
        }
    }),
    Mutant::new("an unknown prompt is an internal error", "prompt-unknown", ALL).message(|sent, message| {
        if sent.json()["params"]["name"] == "mcp-conformance-no-such-prompt" {
            message["error"]["code"] = json!(-32603);
        }
    }),
    Mutant::new("arguments of prompts are made up", "prompt-argument-missing", ALL).message(
        |sent, message| {
            if sent.method() == "prompts/get" && sent.json()["params"]["arguments"] == json!({}) {
                forgive(message, json!({ "messages": [] }));
            }
        },
    ),
    Mutant::new("images in prompts are hexadecimal", "prompt-image", ALL).message(|sent, message| {
        blocks(sent, message, |block| {
            if block["type"] == "image" {
                block["data"] = json!("89 50 4e 47");
            }
        });
    }),
    Mutant::new("images in prompts are of no type", "prompt-image", ALL).message(|sent, message| {
        blocks(sent, message, |block| {
            if block["type"] == "image" {
                block["mimeType"] = json!("png");
            }
        });
    }),
    Mutant::new("audio in prompts is hexadecimal", "prompt-audio", ALL).message(|sent, message| {
        blocks(sent, message, |block| {
            if block["type"] == "image" {
                *block = json!({ "type": "audio", "data": "52 49", "mimeType": "audio/wav" });
            }
        });
    }),
    Mutant::new("resources in prompts are of no type", "prompt-embedded", ALL).message(|sent, message| {
        blocks(sent, message, |block| {
            if let Some(resource) = block["resource"].as_object_mut() {
                resource.remove("mimeType");
            }
        });
    }),
    Mutant::new("resources have no contents", "resource-read", ALL).message(|sent, message| {
        if sent.method() == "resources/read" && message["result"].is_object() {
            message["result"]["contents"] = json!({});
        }
    }),
    Mutant::new("contents are of a name", "resource-contents-uri", ALL).message(|_, message| {
        for contents in
            message.pointer_mut("/result/contents").and_then(Value::as_array_mut).into_iter().flatten()
        {
            contents["uri"] = json!("watched");
        }
    }),
    Mutant::new("a resource is at a name", "resource-uri", ALL).message(|sent, message| {
        if sent.method() == "resources/list"
            && let Some(resources) = message.pointer_mut("/result/resources").and_then(Value::as_array_mut)
        {
            resources.push(json!({ "uri": "watched", "name": "watched" }));
        }
    }),
    Mutant::new("blobs are hexadecimal", "resource-blob", ALL).message(|_, message| {
        for contents in
            message.pointer_mut("/result/contents").and_then(Value::as_array_mut).into_iter().flatten()
        {
            if contents.get("blob").is_some() {
                contents["blob"] = json!("89 50 4e 47");
            }
        }
    }),
    Mutant::new("an unknown resource is empty", "resource-unknown", ALL).message(|sent, message| {
        if reads_nothing(sent) {
            forgive(message, json!({ "contents": [], "ttlMs": 0, "cacheScope": "private" }));
        }
    }),
    Mutant::new("an unknown resource is an internal error", "resource-unknown-code", ALL).message(
        |sent, message| {
            if reads_nothing(sent) && message.get("error").is_some() {
                message["error"]["code"] = json!(-32603);
            }
        },
    ),
    Mutant::new("an unknown resource has the code of before", "resource-unknown-code", MODERN)
        .also(&["retired-codes-unused"])
        .message(|sent, message| {
            if reads_nothing(sent) && message.get("error").is_some() {
                message["error"]["code"] = json!(-32002);
            }
        }),
    Mutant::new("a template is not closed", "resource-template-syntax", ALL).message(|sent, message| {
        if sent.method() == "resources/templates/list"
            && let Some(templates) =
                message.pointer_mut("/result/resourceTemplates").and_then(Value::as_array_mut)
        {
            templates.push(json!({ "uriTemplate": "test://{id", "name": "open" }));
        }
    }),
    Mutant::new("subscriptions are declared and refused", "resource-subscribed", LEGACY).message(
        |sent, message| {
            if sent.method() == "initialize" && message["result"].is_object() {
                message["result"]["capabilities"]["resources"]["subscribe"] = json!(true);
            }
        },
    ),
    Mutant::new("subscriptions are taken undeclared", "resource-subscribe-undeclared", LEGACY).message(
        |sent, message| {
            if sent.method() == "resources/subscribe" {
                forgive(message, json!({}));
            }
        },
    ),
    Mutant::new("there are 101 values", "completion-values", ALL).message(|_, message| {
        if message["result"]["completion"].is_object() {
            message["result"]["completion"] = json!({ "values": vec!["a"; 101], "total": 101 });
        }
    }),
    Mutant::new("there are values of none", "completion-total", ALL).message(|_, message| {
        if message["result"]["completion"].is_object() {
            message["result"]["completion"] = json!({ "values": ["a"], "total": 0 });
        }
    }),
    Mutant::new("there are more values than all", "completion-total", ALL).message(|_, message| {
        if message["result"]["completion"].is_object() {
            message["result"]["completion"] = json!({ "values": ["a"], "total": 1, "hasMore": true });
        }
    }),
    Mutant::new("any prompt is completed", "completion-unknown-reference", ALL).message(|sent, message| {
        if sent.json()["params"]["ref"]["name"] == "mcp-conformance-no-such-prompt" {
            forgive(message, json!({ "completion": { "values": [] } }));
        }
    }),
    Mutant::new("no argument is completed", "completion-no-argument", ALL).message(|sent, message| {
        if sent.method() == "completion/complete" && sent.json()["params"].get("argument").is_none() {
            forgive(message, json!({ "completion": { "values": [] } }));
        }
    }),
    Mutant::new("a context is refused", "completion-context", ALL).before(|sent| {
        sent.json()["params"].get("context")?;
        refuse(sent, -32602)
    }),
    Mutant::new("templates are not completed", "completion-template", ALL).before(|sent| {
        if sent.json()["params"]["ref"]["type"] == "ref/resource" { refuse(sent, -32602) } else { None }
    }),
    Mutant::new("it completes undeclared", "completion-undeclared", ALL)
        .also(&["completions-declared"])
        .options(few)
        .before(|sent| {
            let result = json!({ "resultType": "complete", "completion": { "values": [] } });
            if sent.method() == "completion/complete" { grant(sent, &result) } else { None }
        }),
    unhinted!("discovery is kept for ever", "cache-discover", "server/discover", "ttlMs", json!(null)),
    unhinted!("tools are kept for less than no time", "cache-tools-list", "tools/list", "ttlMs", json!(-1)),
    unhinted!(
        "prompts are kept by others",
        "cache-prompts-list",
        "prompts/list",
        "cacheScope",
        json!("shared")
    ),
    unhinted!("resources are kept a fraction", "cache-resources-list", "resources/list", "ttlMs", json!(0.5)),
    unhinted!(
        "templates are kept by nobody",
        "cache-templates-list",
        "resources/templates/list",
        "cacheScope",
        json!(null)
    ),
    unhinted!(
        "a resource is kept for a text",
        "cache-resource-read",
        "resources/read",
        "ttlMs",
        json!("1000")
    ),
    Mutant::new("later pages are for others", "cache-one-scope", MODERN).options(pages).message(
        |sent, message| {
            if sent.method() == "tools/list" && sent.json()["params"].get("cursor").is_some() {
                let other = if message["result"]["cacheScope"] == "private" { "public" } else { "private" };
                message["result"]["cacheScope"] = json!(other);
            }
        },
    ),
    Mutant::new("later pages say nothing", "cache-every-page", MODERN).options(pages).message(
        |sent, message| {
            if sent.method() == "prompts/list"
                && sent.json()["params"].get("cursor").is_some()
                && let Some(result) = message.pointer_mut("/result").and_then(Value::as_object_mut)
            {
                result.remove("ttlMs");
            }
        },
    ),
    Mutant::new("questions are kept", "cache-not-input", MODERN).message(|_, message| {
        if message["result"]["resultType"] == "input_required" {
            message["result"]["ttlMs"] = json!(1000);
        }
    }),
    Mutant::new("there are tasks undeclared", "tasks-undeclared", ALL).options(few).before(|sent| {
        let result = json!({ "resultType": "complete", "tasks": [] });
        if sent.method() == "tasks/list" { grant(sent, &result) } else { None }
    }),
    Mutant::new("a call becomes a task undeclared", "task-param-ignored", &[Revision::V2025_11_25]).before(
        |sent| {
            sent.json()["params"].get("task")?;
            let task =
                json!({ "taskId": "1", "status": "working", "createdAt": "2025-11-25T00:00:00Z", "ttl": 1 });
            grant(sent, &json!({ "task": task }))
        },
    ),
];
