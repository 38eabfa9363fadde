//! What a server does not declare.

use serde_json::json;

use super::{Area, Check, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::json::At as _;

const TASKS: &str = "io.modelcontextprotocol/tasks";

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "tasks-undeclared",
        Area::Opening,
        "a server that declares no tasks has none",
        &[
            should(V2025_06_18, "basic/lifecycle#operation"),
            should(V2025_11_25, "basic/utilities/tasks#capability-negotiation"),
            should(V2026_07_28, "basic/transports/streamable-http#protocol-version-header"),
        ],
        tasks,
    ),
    Rule::new(
        "task-param-ignored",
        Area::Opening,
        "a call that wants to be a task is an ordinary call where there are none",
        &[must(V2025_11_25, "basic/utilities/tasks#task-support-and-handling")],
        task_param,
    ),
];

fn declares_tasks(probe: &Probe<'_>) -> bool {
    let capabilities = &probe.opened().capabilities;
    let extension = capabilities.get("extensions").is_some_and(|it| it.get(TASKS).is_some());
    capabilities.contains_key("tasks") || extension
}

fn tasks(probe: &Probe<'_>) -> Check {
    if declares_tasks(probe) {
        return not_applicable("the server declares tasks");
    }
    for (method, params) in [
        ("tasks/get", json!({ "taskId": "mcp-conformance" })),
        ("tasks/cancel", json!({ "taskId": "mcp-conformance" })),
        ("tasks/list", json!({})),
    ] {
        let answer = probe.ask(method, params)?;
        if answer.http().status < 400 && answer.response()?.get("result").is_some() {
            return fail(format!("{method} has a result"));
        }
    }
    Ok(())
}

fn task_param(probe: &Probe<'_>) -> Check {
    if declares_tasks(probe) {
        return not_applicable("the server declares tasks");
    }
    let call = probe.known(crate::profile::Purpose::Plain)?;
    let params = json!({ "name": call.tool, "arguments": call.arguments, "task": { "ttl": 60_000 } });
    let response = probe.ask("tools/call", params)?.response()?;
    // One clause says that it is ignored, another that it may be refused.
    if *response.at("error").at("code") == -32601 || response.at("result").at("content").is_array() {
        return Ok(());
    }
    fail(format!("it is answered with {response}"))
}
