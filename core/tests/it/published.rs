//! The published JSON Schema of each revision, to hold every answer against.
//!
//! The schemas are not part of this project. With `MCP_SPEC_DIR=folder`, where `folder/<revision>/schema.json` are
//! the files of the specification, every answer that any test receives is checked; without it none is. To see how
//! many answers of all kinds were:
//!
//! ```text
//! MCP_SPEC_DIR=folder cargo test -p mcp-http --test it schema -- --nocapture
//! ```

use std::cell::Cell;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use jsonschema::Validator;
use mcp_http::{Change, HeaderMode, Revision, Server};
use serde_json::{Value, json};

use crate::answers::described;
use crate::input::able;
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, Timer};
use crate::streams::{Got, Stage};
use crate::tools::{Failing, NAMES, Slow, builder};
use crate::{completion, listen, lists, order, prompts, resources, tasks};

struct Published {
    schemas: Vec<(Revision, Value)>,
    compiled: Mutex<HashMap<(Revision, String), &'static Validator>>,
}

thread_local! {
    /// How many answers were checked for this test.
    static CHECKED: Cell<usize> = const { Cell::new(0) };
}

/// The schemas, when there are any. A folder that was named must have them all.
fn published() -> Option<&'static Published> {
    static PUBLISHED: OnceLock<Option<Published>> = OnceLock::new();
    let published = PUBLISHED.get_or_init(|| {
        let folder = std::env::var_os("MCP_SPEC_DIR").map(PathBuf::from)?;
        let read = |revision: Revision| {
            let file = folder.join(revision.as_str()).join("schema.json");
            let text =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            (revision, serde_json::from_str(&text).unwrap())
        };
        let schemas = Revision::ALL.into_iter().map(read).collect();
        Some(Published { schemas, compiled: Mutex::default() })
    });
    published.as_ref()
}

impl Published {
    /// A definition of a revision, ready to check with.
    fn definition(&self, revision: Revision, name: &str) -> &'static Validator {
        let mut compiled = self.compiled.lock().unwrap();
        compiled.entry((revision, name.to_owned())).or_insert_with(|| {
            let (_, schema) = self.schemas.iter().find(|(known, _)| *known == revision).unwrap();
            let holder = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
            assert!(schema[holder].get(name).is_some(), "{revision} defines no {name}");
            let one = json!({
                "$schema": schema["$schema"],
                "allOf": [{ "$ref": format!("#/{holder}/{name}") }],
                holder: schema[holder],
            });
            let validator = jsonschema::options().should_validate_formats(true).build(&one).unwrap();
            Box::leak(Box::new(validator))
        })
    }

    fn problem(&self, revision: Revision, definition: &str, value: &Value) -> Option<String> {
        let problem = self.definition(revision, definition).iter_errors(value).next()?;
        Some(format!("not a {definition} of {revision}: {problem}, at {}: {value}", problem.instance_path()))
    }

    /// What is wrong with an answer to a method.
    fn problem_of(&self, revision: Revision, method: Option<&str>, message: &Value) -> Option<String> {
        let method: Option<String> = method.and_then(|json| serde_json::from_str(json).ok());
        let legacy = revision != MODERN;
        let mut checks: Vec<(&str, &Value)> = Vec::new();
        let mut whole = message.clone();
        if let Some(result) = message.get("result") {
            checks.push((
                if revision == Revision::V2025_06_18 { "JSONRPCResponse" } else { "JSONRPCResultResponse" },
                message,
            ));
            match method.as_deref() {
                Some("tools/list") => checks.push(("ListToolsResult", result)),
                Some("prompts/list") => checks.push(("ListPromptsResult", result)),
                Some("resources/list") => checks.push(("ListResourcesResult", result)),
                Some("resources/templates/list") => checks.push(("ListResourceTemplatesResult", result)),
                Some("completion/complete") => checks.push(("CompleteResult", result)),
                Some("subscriptions/listen") if !legacy => {
                    checks.push(("SubscriptionsListenResult", result));
                }
                Some("tools/call" | "prompts/get" | "resources/read")
                    if !legacy && result["resultType"] == "input_required" =>
                {
                    checks.push(("InputRequiredResult", result));
                    // Which any object is, so what is in it is looked at one by one.
                    let requests = result["inputRequests"].as_object();
                    checks
                        .extend(requests.into_iter().flatten().map(|(_, request)| ("InputRequest", request)));
                }
                // An extension, which the schema of a revision leaves open.
                Some("tasks/get" | "tools/call") if !legacy && result.get("taskId").is_some() => {
                    tasks::check_form(result);
                    checks.push(("Result", result));
                    checks.extend(result.get("result").map(|result| ("CallToolResult", result)));
                    checks.extend(result.get("error").map(|error| ("Error", error)));
                    let requests = result.get("inputRequests").and_then(Value::as_object);
                    checks
                        .extend(requests.into_iter().flatten().map(|(_, request)| ("InputRequest", request)));
                }
                Some("tasks/update" | "tasks/cancel") if !legacy => checks.push(("EmptyResult", result)),
                Some("tools/call") => checks.push(("CallToolResult", result)),
                Some("prompts/get") => checks.push(("GetPromptResult", result)),
                Some("resources/read") => checks.push(("ReadResourceResult", result)),
                Some("initialize") if legacy => checks.push(("InitializeResult", result)),
                Some("ping" | "logging/setLevel") if legacy => checks.push(("EmptyResult", result)),
                Some("server/discover") if !legacy => checks.push(("DiscoverResult", result)),
                other => return Some(format!("a result for {other:?} in {revision}: {message}")),
            }
        } else {
            if revision == Revision::V2025_06_18 && message.get("id").is_none() {
                // This schema wants an id, and the transport's text does without one.
                whole["id"] = json!(0);
            }
            let error = &message["error"];
            match error["code"].as_i64() {
                Some(-32020) if !legacy => checks.push(("HeaderMismatchError", message)),
                Some(-32021) if !legacy => checks.push(("MissingRequiredClientCapabilityError", message)),
                Some(-32022) if !legacy => checks.push(("UnsupportedProtocolVersionError", message)),
                Some(-32700) if !legacy => checks.push(("ParseError", error)),
                Some(-32600) if !legacy => checks.push(("InvalidRequestError", error)),
                Some(-32601) if !legacy => checks.push(("MethodNotFoundError", error)),
                Some(-32602) if !legacy => checks.push(("InvalidParamsError", error)),
                Some(-32603) if !legacy => checks.push(("InternalError", error)),
                _ => {}
            }
            checks.push((
                if revision == Revision::V2025_06_18 { "JSONRPCError" } else { "JSONRPCErrorResponse" },
                &whole,
            ));
        }
        checks.push(("JSONRPCMessage", &whole));
        checks.into_iter().find_map(|(definition, value)| self.problem(revision, definition, value))
    }
}

/// Checks an answer to a method (its JSON text). A revision that nobody knows may be any.
#[track_caller]
pub(crate) fn check(revision: Option<Revision>, method: Option<&str>, message: &Value) {
    let Some(published) = published() else { return };
    let problem = match revision {
        Some(revision) => published.problem_of(revision, method, message),
        None => {
            let problems = Revision::ALL.map(|revision| published.problem_of(revision, method, message));
            if problems.iter().any(Option::is_none) { None } else { problems.into_iter().flatten().next() }
        }
    };
    if let Some(problem) = problem {
        panic!("{problem}");
    }
    CHECKED.set(CHECKED.get() + 1);
}

/// Checks a question to a client.
#[track_caller]
pub(crate) fn check_question(revision: Revision, message: &Value) {
    let definition = match message["method"].as_str() {
        Some("elicitation/create") => "ElicitRequest",
        Some("sampling/createMessage") => "CreateMessageRequest",
        Some("roots/list") => "ListRootsRequest",
        other => panic!("a question for {other:?}"),
    };
    check_as(revision, message, [definition, "ServerRequest", "JSONRPCRequest"]);
}

/// Checks a notification.
#[track_caller]
pub(crate) fn check_notification(revision: Revision, message: &Value) {
    let definition = match message["method"].as_str() {
        Some("notifications/progress") => "ProgressNotification",
        Some("notifications/message") => "LoggingMessageNotification",
        Some("notifications/subscriptions/acknowledged") => "SubscriptionsAcknowledgedNotification",
        Some("notifications/tools/list_changed") => "ToolListChangedNotification",
        Some("notifications/prompts/list_changed") => "PromptListChangedNotification",
        Some("notifications/resources/list_changed") => "ResourceListChangedNotification",
        Some("notifications/resources/updated") => "ResourceUpdatedNotification",
        Some("notifications/tasks") => {
            tasks::check_form(&message["params"]);
            return check_as(revision, message, ["JSONRPCNotification"]);
        }
        other => panic!("a notification of {other:?}"),
    };
    check_as(revision, message, [definition, "ServerNotification", "JSONRPCNotification"]);
}

#[track_caller]
fn check_as<const N: usize>(revision: Revision, message: &Value, definitions: [&str; N]) {
    let Some(published) = published() else { return };
    for definition in definitions {
        if let Some(problem) = published.problem(revision, definition, message) {
            panic!("{problem}");
        }
    }
    CHECKED.set(CHECKED.get() + 1);
}

#[test]
#[expect(clippy::print_stdout, reason = "the number is what the test is run for")]
fn every_kind_of_answer_conforms_to_its_schema() {
    let full = described().prompts(prompts::prompts()).resources(resources::resources()).build().unwrap();
    let lenient = builder().header_mode(HeaderMode::Lenient).page_size(std::num::NonZeroUsize::MIN);
    let servers = [
        full,
        lenient.invalid_arguments_are_errors(true).build().unwrap(),
        Server::builder("bare", "1").build().unwrap(),
        Server::builder("own", "1").tools(Slow::new(&["mirror", "ann.own"])).build().unwrap(),
        Server::builder("failing", "1").tools(Failing { finds: false }).build().unwrap(),
        Server::builder("failing", "1").tools(Failing { finds: true }).build().unwrap(),
        Server::builder("broken", "1").prompts(lists::Broken).resources(lists::Broken).build().unwrap(),
        Server::builder("completes", "1")
            .prompts(completion::prompts())
            .resources(completion::resources())
            .page_size(std::num::NonZeroUsize::MIN)
            .build()
            .unwrap(),
    ];
    for revision in Revision::ALL {
        let mut requests = vec![
            Request::open(revision),
            Request::list(revision),
            Request::list(revision).principal("ann"),
            Request::list(revision).set_param("cursor", "YWRk"),
            Request::list(revision).set_param("cursor", ""),
            Request::notification(revision, "notifications/initialized", json!({})),
            Request::call(revision, "nobody", json!({})),
        ];
        if LEGACY.contains(&revision) {
            requests.push(Request::new(revision, "ping", json!({})));
        }
        requests.extend(offered(revision));
        for name in NAMES {
            requests.push(Request::call(revision, name, json!({})));
            requests.push(Request::call(
                revision,
                name,
                json!({ "a": 1, "b": 2, "region": "eu", "count": 0 }),
            ));
        }
        for server in &servers {
            if revision == MODERN {
                listen_to(server);
            }
            for request in &requests {
                for accept in ["application/json", "text/event-stream"] {
                    request.clone().header("accept", accept).send_to_service(server, Timer::Never);
                }
            }
        }
        order::the_earlier_answers(revision);
    }
    match published() {
        Some(_) => println!("\nschema check: {} answers", CHECKED.get()),
        None => println!("\nSCHEMA CHECK: NOT RUN, MCP_SPEC_DIR IS NOT SET"),
    }
}

/// Subscriptions to what there is, and to what is not.
fn listen_to(server: &Server) {
    let some = |uri: &str| json!({ "resourceSubscriptions": [uri] });
    for asked in [listen::lists(), some("test://str"), some("nobody:1"), json!({}), json!(5)] {
        let mut open = Stage::of(server).open(&Request::listen(asked));
        if let Got::Said(..) = open.next() {
            for change in [Change::Tools, Change::Prompts, Change::Resources] {
                server.announce(change);
            }
            server.resource_updated("test://str");
            while !matches!(open.next(), Got::Nothing | Got::End) {}
        }
    }
}

/// Good requests for all that is no tool, and some for what is not there.
fn offered(revision: Revision) -> Vec<Request> {
    let mut requests: Vec<Request> =
        lists::LISTS.iter().map(|(method, _)| Request::new(revision, method, json!({}))).collect();
    for name in prompts::NAMES {
        for arguments in [json!({}), json!({ "text": "x", "tone": "kind", "branch": "m" })] {
            requests.push(Request::get(revision, name, arguments.clone()));
            requests.push(Request::get(revision, name, arguments).meta(CAPABILITIES, able()));
        }
    }
    for uri in resources::URIS {
        requests.push(Request::read(revision, uri));
        requests.push(Request::read(revision, uri).meta(CAPABILITIES, able()));
    }
    let (enums, kinds) = (completion::of_prompt("enums"), completion::of_prompt("kinds"));
    for (of, argument, typed) in [
        (&enums, "tone", "k"),
        (&enums, "nobody", ""),
        (&kinds, "count", "200"),
        (&kinds, "more", ""),
        (&kinds, "fails", ""),
        (&completion::of_template(completion::BOOK), "chapter", ""),
        (&completion::of_template("nobody:{x}"), "x", ""),
    ] {
        requests.push(Request::complete(revision, of, argument, typed));
    }
    requests
}

#[track_caller]
fn refused(revision: Revision, method: &str, message: &Value) {
    let Some(published) = published() else { return };
    let method = json!(method).to_string();
    assert!(published.problem_of(revision, Some(&method), message).is_some(), "{message}");
}

#[test]
fn a_result_that_lacks_a_member_does_not_pass() {
    let result = json!({ "tools": [], "ttlMs": 1, "cacheScope": "public", "resultType": "complete" });
    for missing in ["tools", "ttlMs", "cacheScope", "resultType"] {
        let mut broken = result.clone();
        broken.as_object_mut().unwrap().remove(missing);
        refused(MODERN, "tools/list", &json!({ "jsonrpc": "2.0", "id": 1, "result": broken }));
    }
    refused(
        Revision::V2025_06_18,
        "tools/call",
        &json!({ "jsonrpc": "2.0", "id": 1, "result": { "isError": false } }),
    );
}

#[test]
fn a_null_in_place_of_an_absent_member_does_not_pass() {
    for revision in Revision::ALL {
        let tool = json!({ "name": "a", "title": null, "inputSchema": { "type": "object" } });
        let result = json!({ "tools": [tool], "ttlMs": 1, "cacheScope": "public", "resultType": "complete" });
        refused(revision, "tools/list", &json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
        let error = json!({ "code": -32600, "message": "no" });
        refused(revision, "tools/list", &json!({ "jsonrpc": "2.0", "id": null, "error": error }));
    }
}

#[test]
fn what_the_other_methods_answer_with_is_looked_at_too() {
    let hints = json!({ "ttlMs": 1, "cacheScope": "public", "resultType": "complete" });
    let complete = json!({ "resultType": "complete" });
    for (method, lacks) in [
        ("prompts/list", &hints),
        ("resources/list", &hints),
        ("resources/templates/list", &hints),
        ("resources/read", &hints),
        ("prompts/get", &complete),
        ("completion/complete", &complete),
        ("subscriptions/listen", &complete),
    ] {
        refused(MODERN, method, &json!({ "jsonrpc": "2.0", "id": 1, "result": lacks }));
        for revision in LEGACY {
            refused(revision, method, &json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        }
    }
    let values = vec!["x"; 101];
    let result = json!({ "resultType": "complete", "completion": { "values": values } });
    refused(MODERN, "completion/complete", &json!({ "jsonrpc": "2.0", "id": 1, "result": result }));
}

#[test]
fn an_error_without_its_data_does_not_pass() {
    for code in [-32021, -32022] {
        let error = json!({ "code": code, "message": "no" });
        refused(MODERN, "tools/call", &json!({ "jsonrpc": "2.0", "id": 1, "error": error }));
    }
}
