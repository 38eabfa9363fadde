//! Questions to the client.

use mcp_conformance::Revision;
use serde_json::{Value, json};

use super::layer::{answer, empty};
use super::{LEGACY, MODERN, Mutant, Sent};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const ELICITS: &str = "test_input_required_result_elicitation";
const SAMPLES: &str = "test_input_required_result_sampling";
const ROOTS: &str = "test_input_required_result_list_roots";
const STATE: &str = "test_input_required_result_request_state";

fn calls(sent: &Sent, tool: &str) -> bool {
    sent.method() == "tools/call" && sent.json()["params"]["name"] == tool
}

fn responses(sent: &Sent) -> Value {
    sent.json()["params"]["inputResponses"].clone()
}

fn capabilities(sent: &Sent) -> Value {
    sent.json()["params"]["_meta"][CAPABILITIES].clone()
}

fn fail(message: &mut Value, code: i64) {
    *message =
        json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": code, "message": "failed" } });
}

/// Makes an answer of a client with an action one that can be told from others.
fn mark(sent: &mut Sent, action: &str) {
    if sent.json()["result"]["action"] == action {
        sent.edit(|json| json["result"] = json!({ "action": "accept", "content": { "name": "marked" } }));
    }
}

fn fail_where_marked(message: &mut Value) {
    if message["result"].to_string().contains("marked") {
        fail(message, -32603);
    }
}

fn is_answer(sent: &Sent) -> bool {
    let json = sent.json();
    json.get("method").is_none() && (json.get("result").is_some() || json.get("error").is_some())
}

/// Changes each question, in whatever way it is asked.
fn questions(message: &mut Value, change: impl Fn(&mut Value)) {
    for (_, request) in
        message.pointer_mut("/result/inputRequests").and_then(Value::as_object_mut).into_iter().flatten()
    {
        change(request);
    }
    if message.get("method").is_some() && message.get("id").is_some() {
        change(message);
    }
}

fn nest(request: &mut Value) {
    if request["params"]["requestedSchema"]["properties"].is_object() {
        request["params"]["requestedSchema"]["properties"]["address"] =
            json!({ "type": "object", "properties": {} });
    }
}

/// Gives the tool's own state back in place of another that looks so.
fn replace_state(sent: &mut Sent, looks: fn(&str, &str) -> bool) {
    if !calls(sent, STATE) {
        return;
    }
    let given = sent.memory.lock().unwrap().get("state").cloned();
    if let (Some(Value::String(given)), Value::String(got)) =
        (given, sent.json()["params"]["requestState"].clone())
        && looks(&given, &got)
    {
        sent.edit(|json| json["params"]["requestState"] = json!(given));
    }
}

fn keep_state(sent: &Sent, message: &Value) {
    if calls(sent, STATE) && message["result"]["requestState"].is_string() {
        let state = message["result"]["requestState"].clone();
        sent.memory.lock().unwrap().insert("state".to_owned(), state);
    }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("everybody is taken to have a user", "input-undeclared", MODERN).before(|sent| {
        if calls(sent, ELICITS) && capabilities(sent) == json!({}) {
            sent.edit(|json| json["params"]["_meta"][CAPABILITIES] = json!({ "elicitation": {} }));
        }
        None
    }),
    Mutant::new("what is required is a list", "input-undeclared-error", MODERN).message(|_, message| {
        if message["error"]["code"] == -32021 {
            message["error"]["data"]["requiredCapabilities"] = json!(["sampling"]);
        }
    }),
    Mutant::new("a missing capability is a result", "input-undeclared-status", MODERN).after(
        |sent, response| {
            if calls(sent, "test_missing_capability") {
                *response.status_mut() = axum::http::StatusCode::OK;
            }
        },
    ),
    Mutant::new("it asks for nothing", "input-or-state", MODERN)
        .also(&[
            "input-answered",
            "input-unknown-keys",
            "input-malformed",
            "input-declined",
            "input-cancelled",
        ])
        .message(|sent, message| {
            if calls(sent, ELICITS) && message["result"]["resultType"] == "input_required" {
                let result = message.pointer_mut("/result").and_then(Value::as_object_mut).unwrap();
                result.remove("inputRequests");
                result.remove("requestState");
            }
        }),
    Mutant::new("it asks for a ping", "input-supported", MODERN).also(&["input-answered"]).message(
        |sent, message| {
            if calls(sent, SAMPLES) {
                questions(message, |request| request["method"] = json!("ping"));
            }
        },
    ),
    Mutant::new("answers are not heard", "input-answered", MODERN).before(|sent| {
        if calls(sent, SAMPLES) {
            sent.edit(|json| {
                json.pointer_mut("/params").and_then(Value::as_object_mut).unwrap().remove("inputResponses");
            });
        }
        None
    }),
    Mutant::new("who declines breaks it", "input-declined", MODERN).message(|sent, message| {
        if responses(sent).to_string().contains("decline") {
            fail(message, -32603);
        }
    }),
    Mutant::new("who cancels breaks it", "input-cancelled", MODERN).message(|sent, message| {
        if responses(sent).to_string().contains("cancel") {
            fail(message, -32603);
        }
    }),
    Mutant::new("a missing answer is an error", "input-missing", MODERN).message(|sent, message| {
        if responses(sent) == json!({}) {
            fail(message, -32602);
        }
    }),
    Mutant::new("answers that nobody asked for are an error", "input-unknown-keys", MODERN).message(
        |sent, message| {
            if responses(sent).get("mcp-conformance").is_some() {
                fail(message, -32602);
            }
        },
    ),
    Mutant::new("anything is an answer", "input-malformed", MODERN).before(|sent| {
        sent.edit(|json| {
            for (_, response) in json
                .pointer_mut("/params/inputResponses")
                .and_then(Value::as_object_mut)
                .into_iter()
                .flatten()
            {
                if *response == json!(5) {
                    *response = json!({ "action": "accept", "content": { "name": "5" } });
                }
            }
        });
        None
    }),
    Mutant::new("a changed state is taken", "input-state-tampered", MODERN)
        .before(|sent| {
            replace_state(sent, |given, got| given.len() == got.len());
            None
        })
        .message(|sent, message| keep_state(sent, message)),
    Mutant::new("any state is taken", "input-state-made-up", MODERN)
        .before(|sent| {
            replace_state(sent, |given, got| given.len() != got.len());
            None
        })
        .message(|sent, message| keep_state(sent, message)),
    Mutant::new("a state of another call is taken", "input-state-elsewhere", MODERN).before(|sent| {
        if calls(sent, ELICITS) {
            sent.edit(|json| {
                json.pointer_mut("/params").and_then(Value::as_object_mut).unwrap().remove("requestState");
            });
        }
        None
    }),
    Mutant::new("a state is an object", "input-state-text", MODERN)
        .before(|sent| {
            sent.edit(|json| {
                if let Some(state) = json["params"]["requestState"].get("state").cloned() {
                    json["params"]["requestState"] = state;
                }
            });
            None
        })
        .message(|sent, message| {
            if calls(sent, STATE) && message["result"]["requestState"].is_string() {
                message["result"]["requestState"] = json!({ "state": message["result"]["requestState"] });
            }
        }),
    Mutant::new("a list asks for input", "input-only-where-supported", MODERN).message(|sent, message| {
        if sent.method() == "prompts/list" && message["result"].is_object() && capabilities(sent) != json!({})
        {
            message["result"]["resultType"] = json!("input_required");
        }
    }),
    Mutant::new("every client is taken to show forms", "input-mode-undeclared", MODERN).before(|sent| {
        if capabilities(sent) == json!({ "elicitation": { "url": {} } }) {
            sent.edit(|json| json["params"]["_meta"][CAPABILITIES] = json!({ "elicitation": {} }));
        }
        None
    }),
    Mutant::new("every model is given tools", "input-sampling-tools", MODERN).message(|sent, message| {
        if calls(sent, SAMPLES) {
            questions(message, |request| request["params"]["tools"] = json!([]));
        }
    }),
    Mutant::new("a form has a form in it", "input-form-flat", MODERN).message(|sent, message| {
        if calls(sent, ELICITS) {
            questions(message, nest);
        }
    }),
    Mutant::new("prompts ask everybody", "input-prompt-undeclared", MODERN).before(|sent| {
        if sent.method() == "prompts/get" && capabilities(sent) == json!({}) {
            sent.edit(|json| json["params"]["_meta"][CAPABILITIES] = json!({ "elicitation": {} }));
        }
        None
    }),
    Mutant::new("prompts do not hear answers", "input-prompt-answered", MODERN).before(|sent| {
        if sent.method() == "prompts/get" {
            sent.edit(|json| {
                json.pointer_mut("/params").and_then(Value::as_object_mut).unwrap().remove("inputResponses");
            });
        }
        None
    }),
    Mutant::new("an answered form is a failure", "question-asked", LEGACY).message(|sent, message| {
        if calls(sent, ELICITS) && message["result"].is_object() {
            message["result"]["isError"] = json!(true);
        }
    }),
    Mutant::new("an answered model is a failure", "question-sampling", LEGACY).message(|sent, message| {
        if calls(sent, SAMPLES) && message["result"].is_object() {
            message["result"]["isError"] = json!(true);
        }
    }),
    Mutant::new("told folders are a failure", "question-roots", LEGACY).message(|sent, message| {
        if calls(sent, ROOTS) && message["result"].is_object() {
            fail(message, -32603);
        }
    }),
    Mutant::new("who declines breaks the call", "question-declined", LEGACY)
        .before(|sent| {
            mark(sent, "decline");
            None
        })
        .message(|_, message| fail_where_marked(message)),
    Mutant::new("who cancels breaks the call", "question-cancelled", LEGACY)
        .before(|sent| {
            mark(sent, "cancel");
            None
        })
        .message(|_, message| fail_where_marked(message)),
    Mutant::new("errors of clients are not heard", "question-error", LEGACY).before(|sent| {
        if is_answer(sent) && sent.json().get("error").is_some() { Some(empty(202)) } else { None }
    }),
    Mutant::new("answers are answered", "answer-accepted", LEGACY)
        .also(&["response-accepted-or-refused", "accepted-without-body"])
        .after(|sent, response| {
            if is_answer(sent) {
                *response = answer(200, &json!({}));
            }
        }),
    Mutant::new("all questions have one id", "question-ids-differ", LEGACY).message(|sent, message| {
        if sent.json()["id"] == "mcp-conformance" && message.get("method").is_some() {
            questions(message, |request| request["id"] = json!(1));
        }
    }),
    Mutant::new("every client is taken to have a user", "question-undeclared", LEGACY).before(|sent| {
        if sent.method() == "initialize" && sent.json()["params"]["capabilities"] == json!({}) {
            sent.edit(|json| json["params"]["capabilities"] = json!({ "elicitation": {} }));
        }
        None
    }),
    Mutant::new(
        "every older client is taken to show forms",
        "question-mode-undeclared",
        &[Revision::V2025_11_25],
    )
    .before(|sent| {
        if sent.method() == "initialize"
            && sent.json()["params"]["capabilities"]["elicitation"].get("url").is_some()
        {
            sent.edit(|json| json["params"]["capabilities"]["elicitation"] = json!({}));
        }
        None
    }),
    Mutant::new("every older model is given tools", "question-sampling-tools", &[Revision::V2025_11_25])
        .message(|sent, message| {
            if calls(sent, SAMPLES) {
                questions(message, |request| request["params"]["tools"] = json!([]));
            }
        }),
    Mutant::new("an older form has a form in it", "question-form-flat", LEGACY).message(|sent, message| {
        if calls(sent, ELICITS) {
            questions(message, nest);
        }
    }),
];
