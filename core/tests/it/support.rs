//! The table of methods in the README, held to what a server answers.

use mcp_http::{
    Completing, Prompt, PromptSet, Resource, ResourceSet, ResourceTemplate, Revision, Server, Tool, ToolSet,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::request::{MODERN, Request};

const README: &str = include_str!("../../../README.md");

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

/// A server that has everything.
fn server() -> Server {
    let greet = Prompt::builder("greet").handler(|args: Named| args.name);
    let prompts = PromptSet::new().with(greet.complete("name", |_: Completing| vec!["Ann"])).unwrap();
    let resources = ResourceSet::new().with(Resource::builder("a:b", "b").text("c")).unwrap();
    let template = ResourceTemplate::builder("a:c/{name}", "c").reader(|args: Named| args.name);
    Server::builder("everything", "1")
        .tools(ToolSet::new().with(Tool::builder("hello").handler(|| "Hello!")).unwrap())
        .prompts(prompts)
        .resources(resources.with_template(template).unwrap())
        .logging(true)
        .build()
        .unwrap()
}

/// The requests of clients in all revisions, but for the extension of tasks, which has tests of its own, with params that are right where the method is served.
fn methods() -> Vec<(&'static str, Value)> {
    let argument = json!({ "name": "name", "value": "A" });
    vec![
        ("initialize", Value::Null),
        ("server/discover", json!({})),
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "hello" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "greet", "arguments": { "name": "Ann" } })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "a:b" })),
        ("resources/subscribe", json!({ "uri": "a:b" })),
        ("resources/unsubscribe", json!({ "uri": "a:b" })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": argument }),
        ),
        ("subscriptions/listen", json!({ "notifications": {} })),
        ("logging/setLevel", json!({ "level": "info" })),
    ]
}

/// In which revisions the protocol has a method, as a request to a server.
fn is_in(revision: Revision, method: &str) -> bool {
    let modern = revision == MODERN;
    match method {
        "server/discover" | "subscriptions/listen" => modern,
        "initialize" | "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
            !modern
        }
        _ => true,
    }
}

#[test]
fn the_readme_lists_the_methods_that_are_served() {
    let server = server();
    let mut missing = Vec::new();
    for (method, params) in methods() {
        let mut row = format!("| `{method}` |");
        for revision in [Revision::V2025_06_18, Revision::V2025_11_25, MODERN] {
            let request = match method {
                "initialize" if revision == MODERN => Request::new(revision, method, json!({})),
                "initialize" => Request::open(revision),
                _ => Request::new(revision, method, params.clone()),
            };
            let answer = request.send(&server);
            let served = answer.code() != Some(-32601);
            assert!(!served || answer.code().is_none(), "{method} in {revision}: {answer}");
            row += match (served, is_in(revision, method)) {
                (true, true) => " yes |",
                (false, true) => " no |",
                (false, false) => " not in it |",
                (true, false) => panic!("{method} is served in {revision}, which has no such method"),
            };
        }
        if !README.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "the README lacks these rows:\n{}", missing.join("\n"));
}
