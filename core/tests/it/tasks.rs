//! Calls that become tasks: what clients get and ask, what they cannot get at, and what a server keeps. Time passes when a
//! test says so, and what goes on in the background goes on when it does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_http::compose::{Ceiling, Compose as _, Switches};
use mcp_http::input::{Elicited, Field, Form};
use mcp_http::task::{LocalTasks, Task, TaskStore, TaskStoreError};
use mcp_http::{
    Body, BoxFuture, CallContext, Connection, Host, LocalChanges, McpService, Reply, Revision, Runtime,
    Server, ServerBuilder, TaskSupport, Tool, ToolBuilder, ToolError, ToolSet,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, drive};
use crate::streams::{self, Got, Open};

const TASKS: &str = "io.modelcontextprotocol/tasks";
const SECOND: Duration = Duration::from_secs(1);

/// A host whose clock is moved by hand, whose chance counts, and that polls what was detached when it is told to.
#[derive(Debug, Clone, Default)]
struct Desk(Arc<Kept>);

#[derive(Default)]
struct Kept {
    now: Mutex<Duration>,
    drawn: AtomicU64,
    detached: Mutex<Vec<BoxFuture<'static, ()>>>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Desk {
    fn pass(&self, time: Duration) {
        *self.0.now.lock().unwrap() += time;
        self.work();
    }

    /// Polls what goes on in the background until nothing moves any more, and says how much is left.
    fn work(&self) -> usize {
        for _ in 0..20 {
            let mut detached = std::mem::take(&mut *self.0.detached.lock().unwrap());
            detached
                .retain_mut(|run| run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            self.0.detached.lock().unwrap().extend(detached);
        }
        self.0.detached.lock().unwrap().len()
    }

    /// Drops what goes on, as an executor that ends does.
    fn end(&self) {
        let detached = std::mem::take(&mut *self.0.detached.lock().unwrap());
        drop(detached);
    }
}

impl Runtime for Desk {
    fn now(&self) -> Duration {
        *self.0.now.lock().unwrap()
    }

    fn random(&self, bytes: &mut [u8]) {
        let drawn = self.0.drawn.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().zip(drawn.into_iter().cycle()).for_each(|(byte, drawn)| *byte = drawn);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let (desk, until) = (self.clone(), self.now() + duration);
        // Polled again by hand, so nobody has to be woken.
        Box::pin(std::future::poll_fn(
            move |_| if desk.now() >= until { Poll::Ready(()) } else { Poll::Pending },
        ))
    }

    fn detach(&self, future: BoxFuture<'static, ()>) {
        self.0.detached.lock().unwrap().push(future);
    }
}

/// Counts how often tools ran and were dropped, and lets them go on.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<HashMap<&'static str, usize>>>);

impl Seen {
    fn count(&self, what: &'static str) {
        *self.0.lock().unwrap().entry(what).or_default() += 1;
    }

    fn how_often(&self, what: &str) -> usize {
        self.0.lock().unwrap().get(what).copied().unwrap_or_default()
    }
}

struct Counted(Seen);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count("dropped");
    }
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

fn ask_name(cx: &CallContext, key: &str) -> Result<String, ToolError> {
    let mut questions = cx.questions();
    match questions.elicit::<Name>(key, Form::new("Who?").field("name", Field::text())) {
        None => Err(questions.ask()),
        Some(Elicited::Accepted(Name { name })) => Ok(name),
        Some(Elicited::Declined | Elicited::Cancelled) => Err(ToolError::new("nobody")),
    }
}

fn secret() -> &'static str {
    panic!("secret")
}

fn tools(seen: &Seen) -> Vec<ToolBuilder> {
    let optional = |name: &str| Tool::builder(name).task(TaskSupport::Optional);
    let slow = {
        let seen = seen.clone();
        move |cx: CallContext| {
            let guard = Counted(seen.clone());
            seen.count("started");
            async move {
                cx.sleep(SECOND).await;
                let guard = guard;
                guard.0.count("ended");
                "done"
            }
        }
    };
    vec![
        Tool::builder("plain").handler(|| "plain"),
        optional("quick").handler(|| "quick"),
        optional("ready").handler(async || "ready"),
        optional("slow").handler(slow.clone()),
        Tool::builder("required").task(TaskSupport::Required).handler(slow),
        optional("fails").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            Err::<(), _>(ToolError::new("it did not work"))
        }),
        optional("panics").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            secret()
        }),
        optional("panics_at_once").handler(async || secret()),
        optional("asks").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            ask_name(&cx, "who").map(|name| format!("Hello {name}"))
        }),
        optional("asks_first").handler(async |cx: CallContext| {
            let name = ask_name(&cx, "who")?;
            cx.sleep(SECOND).await;
            Ok::<_, ToolError>(format!("Hello {name}"))
        }),
        optional("asks_two").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            let mut questions = cx.questions();
            let form = |of: &str| Form::new(of).field("name", Field::text());
            let one = questions.elicit::<Name>("one", form("one"));
            let two = questions.elicit::<Name>("two", form("two"));
            let (Some(one), Some(two)) = (one, two) else { return Err(questions.ask()) };
            let name =
                |answer: Elicited<Name>| answer.accepted().map_or_else(String::new, |answer| answer.name);
            Ok(format!("{} and {}", name(one), name(two)))
        }),
        optional("asks_roots").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            let mut questions = cx.questions();
            questions.roots("roots").map(|roots| roots.len()).ok_or_else(|| questions.ask())
        }),
        optional("keeps").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            let mut questions = cx.questions();
            let count = questions.state::<u32>().unwrap_or_default();
            if count == 3 {
                return Ok(count);
            }
            questions.keep(&(count + 1));
            Err(questions.ask())
        }),
        optional("large").handler(async |cx: CallContext| {
            cx.sleep(SECOND).await;
            "x".repeat(100_000)
        }),
        optional("talks").handler(async |cx: CallContext| {
            cx.progress(1.0, None, "before");
            cx.sleep(SECOND).await;
            cx.progress(2.0, None, "after");
            cx.sleep(SECOND).await;
            "talked"
        }),
    ]
}

/// A server, and whoever talks to it.
struct Stage {
    desk: Desk,
    seen: Seen,
    server: Server,
    service: McpService,
}

impl Stage {
    fn new() -> Self {
        Self::with(|builder| builder)
    }

    fn with(settings: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let (desk, seen) = (Desk::default(), Seen::default());
        // 2026-07-28T12:00:00Z
        *desk.0.now.lock().unwrap() = Duration::from_secs(1_785_240_000);
        let tools = ToolSet::try_from_tools(tools(&seen)).unwrap();
        let server = settings(Server::builder("tasks", "1").tools(tools)).build().unwrap();
        Self { service: McpService::new(server.clone(), desk.clone()), desk, seen, server }
    }

    fn send(&self, request: &Request) -> Answer {
        let body = request.to_http().map(Body::from);
        let (head, body) = drive(self.service.respond(body, request.connection)).into_parts();
        let body = body.into_bytes().expect("no event stream");
        Answer::new(request, http::Response::from_parts(head, body))
    }

    /// Calls a tool that has to be waited for, and gives the id of its task.
    #[track_caller]
    fn start(&self, tool: &str) -> String {
        let handle = self.send(&call(tool)).result().clone();
        assert_eq!(handle["resultType"], "task", "{handle}");
        handle["taskId"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn get(&self, id: &str) -> Value {
        self.send(&get(id)).result().clone()
    }

    #[track_caller]
    fn status(&self, id: &str) -> String {
        self.get(id)["status"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn acknowledges(&self, request: &Request) {
        let acknowledged = self.send(request).result().clone();
        let members: Vec<&String> = acknowledged.as_object().unwrap().keys().collect();
        assert_eq!(members, ["resultType", "_meta"], "{acknowledged}");
        assert_eq!(acknowledged["resultType"], "complete");
    }

    #[track_caller]
    fn is_unknown(&self, request: &Request) -> String {
        let answer = self.send(request);
        answer.is_error(200, -32602);
        answer.error_text().to_owned()
    }
}

fn able(request: Request) -> Request {
    request.meta(CAPABILITIES, json!({ "elicitation": {}, "extensions": { TASKS: {} } }))
}

fn call(tool: &str) -> Request {
    able(Request::call(MODERN, tool, json!({})))
}

fn of_task(method: &str, id: &str) -> Request {
    able(Request::new(MODERN, method, json!({ "taskId": id })))
}

fn get(id: &str) -> Request {
    of_task("tasks/get", id)
}

fn cancel(id: &str) -> Request {
    of_task("tasks/cancel", id)
}

fn update(id: &str, responses: Value) -> Request {
    of_task("tasks/update", id).set_param("inputResponses", responses)
}

fn named(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

/// What a client declares who knows no tasks.
fn unable(request: Request) -> Request {
    request.meta(CAPABILITIES, json!({ "elicitation": {} }))
}

#[track_caller]
fn is_missing_capability(answer: &Answer) {
    answer.is_error(400, -32021);
    let data = answer.json().pointer("/error/data").unwrap();
    assert_eq!(*data, json!({ "requiredCapabilities": { "extensions": { TASKS: {} } } }));
}

/// What holds for every task that a client sees.
#[track_caller]
pub(crate) fn check_form(task: &Value) {
    let members: Vec<&str> = task.as_object().unwrap().keys().map(String::as_str).collect();
    let common =
        ["taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"];
    let of_status = match task["status"].as_str().expect("a status") {
        "working" | "cancelled" => None,
        "input_required" => Some("inputRequests"),
        "completed" => Some("result"),
        "failed" => Some("error"),
        other => panic!("a task that is {other}"),
    };
    let is_handle = task["resultType"] == "task";
    assert_eq!(
        of_status.is_none_or(|member| task[member].is_object()),
        !is_handle || of_status.is_none(),
        "{task}"
    );
    let known = |member: &&str| {
        common.contains(member) || ["resultType", "_meta"].contains(member) || of_status == Some(*member)
    };
    assert!(members.iter().all(known), "{task}");
    let text = |member: &str| task[member].as_str().unwrap_or_else(|| panic!("{member} of {task}"));
    assert!(text("taskId").len() >= 32 && text("taskId").bytes().all(|byte| byte.is_ascii_graphic()));
    for member in ["createdAt", "lastUpdatedAt"] {
        assert!(text(member).len() == 24 && text(member).ends_with('Z'), "{task}");
    }
    assert!(text("createdAt") <= text("lastUpdatedAt"), "{task}");
    for member in ["ttlMs", "pollIntervalMs"] {
        assert!(task[member].as_u64().is_some_and(|millis| millis > 0), "{member} of {task}");
    }
    if of_status == Some("error") {
        assert!(task["error"]["code"].is_i64() && !text("statusMessage").is_empty(), "{task}");
    }
}

// What becomes of a call

#[test]
fn a_tool_that_has_to_be_waited_for_is_a_task() {
    let stage = Stage::new();
    let handle = stage.send(&call("slow")).result().clone();
    let id = handle["taskId"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    let expected = json!({
        "taskId": id,
        "status": "working",
        "createdAt": "2026-07-28T12:00:00.000Z",
        "lastUpdatedAt": "2026-07-28T12:00:00.000Z",
        "ttlMs": 3_600_000,
        "pollIntervalMs": 1000,
        "resultType": "task",
        "_meta": handle["_meta"],
    });
    assert_eq!(handle, expected);
    // Right after the handle, before anything went on.
    let mut working = expected;
    working["resultType"] = json!("complete");
    assert_eq!(stage.get(id), working);
    assert_eq!(stage.server.running_calls(), 1);

    stage.desk.pass(SECOND);
    let done = stage.get(id);
    let mut expected = working;
    expected["status"] = json!("completed");
    expected["lastUpdatedAt"] = json!("2026-07-28T12:00:01.000Z");
    expected["result"] = stage.send(&call("quick")).result().clone();
    expected["result"]["content"][0]["text"] = json!("done");
    assert_eq!(done, expected);
    assert_eq!((stage.seen.how_often("started"), stage.seen.how_often("ended")), (1, 1));
    assert_eq!((stage.server.running_calls(), stage.desk.work()), (0, 0));
}

#[test]
fn a_tool_that_is_ready_at_once_is_a_call_and_leaves_nothing() {
    let store = LocalTasks::new();
    let stage = Stage::with(|builder| builder.task_store(store.clone()));
    for tool in ["quick", "ready", "plain"] {
        assert_eq!(stage.send(&call(tool)).tool_result()["content"][0]["text"], tool);
    }
    stage.send(&call("panics_at_once")).tool_error();
    stage.send(&able(Request::call(MODERN, "slow", json!([])))).is_error(200, -32602);
    assert!(store.is_empty());
    assert_eq!(stage.desk.work(), 0);
}

#[test]
fn no_handle_goes_to_who_did_not_declare_the_extension() {
    let declarations = [
        json!({}),
        json!({ "elicitation": {} }),
        json!({ "extensions": {} }),
        json!({ "extensions": { TASKS: null } }),
        json!({ "extensions": { "example.com/tasks": {} } }),
        json!({ "tasks": { "requests": { "tools": { "call": {} } } } }),
        json!({ TASKS: {} }),
    ];
    for declared in declarations {
        let stage = Stage::new();
        let mut request =
            Request::call(MODERN, "slow", json!({})).set_param("task", json!({ "ttl": 60_000 }));
        request = request.meta(CAPABILITIES, declared.clone());
        let http = request.to_http().map(Body::from);
        let mut answer = Box::pin(stage.service.respond(http, request.connection));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(answer.as_mut().poll(&mut cx).is_pending(), "{declared}");
        stage.desk.pass(SECOND);
        let Poll::Ready(response) = answer.as_mut().poll(&mut cx) else { panic!("{declared}") };
        let response = response.map(|body| body.into_bytes().unwrap());
        let result = Answer::new(&request, response).tool_result().clone();
        assert_eq!(result["content"][0]["text"], "done");
        assert!(result.get("taskId").is_none());
        // Nobody remembers what another request declared.
        stage.start("slow");
    }
}

#[test]
fn a_required_task_is_for_who_declared_the_extension() {
    let stage = Stage::new();
    is_missing_capability(&stage.send(&unable(Request::call(MODERN, "required", json!({})))));
    assert_eq!(stage.seen.how_often("started"), 0);
    for revision in LEGACY {
        let answer = stage.send(&Request::call(revision, "required", json!({})));
        answer.tool_error();
    }
    assert_eq!(stage.seen.how_often("started"), 0);
    let id = stage.start("required");
    stage.desk.pass(SECOND);
    assert_eq!(stage.status(&id), "completed");
}

#[test]
fn a_host_that_is_a_function_has_no_tasks() {
    let function = |mut request: Request| {
        request.connection = Connection { host: Host::Function { streams: false }, ..request.connection };
        request
    };
    let stage = Stage::new();
    let opening = Request::open(MODERN);
    let extensions =
        |request: &Request| stage.send(request).result()["capabilities"].get("extensions").cloned();
    assert_eq!(extensions(&opening), Some(json!({ TASKS: {} })));
    assert_eq!(extensions(&function(opening)), None);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        stage.send(&function(of_task(method, "x"))).is_error(404, -32601);
    }
    stage.send(&function(call("quick"))).tool_result();
    stage.send(&function(call("required"))).tool_error();
    is_missing_capability(&stage.send(&function(Request::call(MODERN, "required", json!({})))));
    assert_eq!(stage.seen.how_often("started"), 0);
}

#[test]
fn the_extension_is_declared_where_a_tool_can_be_a_task() {
    let task = || Tool::builder("t").task(TaskSupport::Optional).handler(|| "t");
    let plain = || ToolSet::new().with(Tool::builder("p").handler(|| "p")).unwrap();
    let with_task = || ToolSet::new().with(task()).unwrap();
    let declares = |builder: ServerBuilder| {
        let server = builder.build().unwrap();
        for revision in Revision::ALL {
            let answer = Request::open(revision).send(&server);
            let capabilities = &answer.result()["capabilities"];
            assert_eq!(capabilities.get("tasks"), None);
            if revision != MODERN {
                assert_eq!(capabilities.get("extensions"), None);
            }
        }
        let exists = of_task("tasks/get", "x").send(&server).code() != Some(-32601);
        let answer = Request::open(MODERN).send(&server);
        assert_eq!(answer.result()["capabilities"].get("extensions").is_some(), exists);
        exists
    };
    let builder = || Server::builder("x", "1");
    assert!(!declares(builder()));
    assert!(!declares(builder().tools(plain())));
    assert!(declares(builder().tools(with_task())));
    assert!(declares(builder().tools(plain()).task_store(LocalTasks::new())));
    assert!(declares(builder().tools(plain().merge(with_task()).unwrap())));
    assert!(declares(builder().tools(with_task().merge(plain()).unwrap())));
    let composed = with_task().prefix("x").unwrap().filter(|_, _| true).switched(&Switches::new());
    assert!(declares(builder().tools(Arc::new(composed.hook(Ceiling::per_process(1))))));
}

#[test]
fn tasks_are_no_matter_of_older_revisions_or_of_servers_without() {
    let stage = Stage::new();
    for revision in LEGACY {
        for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result"] {
            let request = Request::new(revision, method, json!({ "taskId": "x", "inputResponses": {} }));
            stage.send(&request).is_error(200, -32601);
        }
    }
    for method in ["tasks/list", "tasks/result"] {
        stage.send(&of_task(method, "x")).is_error(404, -32601);
    }
    let server = Server::builder("none", "1").tools(ToolSet::new()).build().unwrap();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        of_task(method, "x").send(&server).is_error(404, -32601);
    }
}

// How a task ends

#[test]
fn a_failure_of_the_tool_is_a_result_and_a_panic_is_an_error() {
    let stage = Stage::new();
    let (fails, panics) = (stage.start("fails"), stage.start("panics"));
    stage.desk.pass(SECOND);
    let failed = stage.get(&fails);
    assert_eq!((&failed["status"], failed.get("error")), (&json!("completed"), None));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["content"][0]["text"], "it did not work");
    let panicked = stage.get(&panics);
    assert_eq!((&panicked["status"], panicked.get("result")), (&json!("failed"), None));
    assert_eq!(panicked["error"]["code"], -32603);
    assert_eq!(panicked["error"]["message"], panicked["statusMessage"]);
    assert!(!panicked.to_string().contains("secret"), "{panicked}");
    assert_eq!((stage.server.running_calls(), stage.desk.work()), (0, 0));
}

#[test]
fn an_error_that_the_call_would_have_had_is_that_of_the_task() {
    let stage = Stage::new();
    let id = stage.start("asks_roots");
    stage.desk.pass(SECOND);
    let failed = stage.get(&id);
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["error"]["code"], -32021);
    assert_eq!(failed["error"]["data"], json!({ "requiredCapabilities": { "roots": {} } }));
    assert!(failed["statusMessage"].is_string());
}

#[test]
fn a_task_that_is_cancelled_drops_its_tool_and_stays_cancelled() {
    let stage = Stage::new();
    let id = stage.start("slow");
    stage.acknowledges(&cancel(&id));
    assert_eq!(stage.status(&id), "cancelled");
    assert_eq!(stage.desk.work(), 0);
    assert_eq!((stage.seen.how_often("dropped"), stage.seen.how_often("ended")), (1, 0));
    stage.desk.pass(SECOND);
    let cancelled = stage.get(&id);
    stage.acknowledges(&cancel(&id));
    stage.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
    assert_eq!(stage.get(&id), cancelled);
    assert_eq!((cancelled.get("result"), cancelled.get("error")), (None, None));
    assert_eq!(stage.server.running_calls(), 0);
}

#[test]
fn a_tool_that_ends_after_it_was_cancelled_changes_nothing() {
    let stage = Stage::new();
    let id = stage.start("slow");
    // Both before anybody polls it.
    *stage.desk.0.now.lock().unwrap() += SECOND;
    stage.acknowledges(&cancel(&id));
    stage.desk.work();
    assert_eq!((stage.status(&id).as_str(), stage.seen.how_often("ended")), ("cancelled", 1));
}

#[test]
fn a_task_that_is_done_cannot_be_cancelled() {
    let stage = Stage::new();
    let id = stage.start("slow");
    stage.desk.pass(SECOND);
    let done = stage.get(&id);
    stage.acknowledges(&cancel(&id));
    assert_eq!(stage.get(&id), done);
}

#[test]
fn what_a_tool_started_is_told_that_the_task_was_given_up() {
    let stage = Stage::new();
    let given_up = Arc::new(Mutex::new(Vec::new()));
    let contexts = given_up.clone();
    let tool = Tool::builder("spawns").task(TaskSupport::Optional).handler(move |cx: CallContext| {
        contexts.lock().unwrap().push(cx.clone());
        async move { cx.sleep(SECOND).await }
    });
    let server = Server::builder("x", "1").tools(ToolSet::new().with(tool).unwrap()).build().unwrap();
    let stage = Stage { service: McpService::new(server.clone(), stage.desk.clone()), server, ..stage };
    let (cancelled, done) = (stage.start("spawns"), stage.start("spawns"));
    stage.acknowledges(&cancel(&cancelled));
    stage.desk.work();
    let contexts = given_up.lock().unwrap();
    assert_eq!([contexts[0].is_cancelled(), contexts[1].is_cancelled()], [true, false]);
    stage.desk.pass(SECOND);
    assert_eq!((contexts[1].is_cancelled(), stage.status(&done).as_str()), (false, "completed"));
}

#[test]
fn a_deadline_is_for_calls_and_a_time_to_live_for_tasks() {
    let stage = Stage::with(|builder| {
        builder.deadline(SECOND / 2).task_ttl(SECOND * 2).task_poll_interval(SECOND * 3)
    });
    let handle = stage.send(&call("slow")).result().clone();
    assert_eq!((&handle["ttlMs"], &handle["pollIntervalMs"]), (&json!(2000), &json!(3000)));
    let id = handle["taskId"].as_str().unwrap();
    stage.desk.pass(SECOND);
    assert_eq!(stage.status(id), "completed");
    stage.desk.pass(SECOND - Duration::from_millis(1));
    assert_eq!(stage.status(id), "completed");
    stage.desk.pass(Duration::from_millis(1));
    stage.is_unknown(&get(id));
}

#[test]
fn a_tool_that_runs_when_its_time_is_over_is_dropped() {
    let store = LocalTasks::new();
    let stage = Stage::with(|builder| builder.task_store(store.clone()).task_ttl(SECOND / 2));
    let (slow, asks) = (stage.start("slow"), stage.start("asks"));
    stage.desk.pass(SECOND / 2);
    for request in [get(&slow), cancel(&slow), update(&asks, json!({}))] {
        stage.is_unknown(&request);
    }
    assert_eq!((stage.seen.how_often("dropped"), stage.seen.how_often("ended")), (1, 0));
    assert_eq!((stage.desk.work(), stage.server.running_calls(), store.len()), (0, 0, 0));
}

#[test]
fn a_runtime_that_ends_or_detaches_nothing_fails_its_tasks() {
    let stage = Stage::new();
    let id = stage.start("slow");
    stage.desk.end();
    let failed = stage.get(&id);
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(-32603)));
    assert_eq!(stage.seen.how_often("dropped"), 1);
    // One that is polled by hand, by who has no service.
    let answer = call("slow").send(&stage.server);
    assert_eq!(answer.tool_result()["content"][0]["text"], "done");
}

// Input

#[test]
fn a_tool_that_asks_before_it_waits_asks_the_call_and_then_becomes_a_task() {
    let stage = Stage::new();
    let asked = stage.send(&call("asks_first")).result().clone();
    assert_eq!(asked["resultType"], "input_required");
    assert!(asked.get("taskId").is_none() && asked["inputRequests"]["who"].is_object(), "{asked}");
    let handle = stage.send(&call("asks_first").set_param("inputResponses", json!({ "who": named("Ada") })));
    let handle = handle.result();
    assert_eq!(handle["resultType"], "task");
    assert!(handle.get("requestState").is_none() && handle.get("inputRequests").is_none(), "{handle}");
    stage.desk.pass(SECOND);
    let done = stage.get(handle["taskId"].as_str().unwrap());
    assert_eq!(done["result"]["content"][0]["text"], "Hello Ada");
}

#[test]
fn a_task_asks_and_goes_on_with_the_answers() {
    let stage = Stage::new();
    let id = stage.start("asks");
    stage.desk.pass(SECOND);
    let asks = stage.get(&id);
    assert_eq!(asks["status"], "input_required");
    assert!(asks.get("requestState").is_none() && asks.get("result").is_none());
    assert_eq!(asks["inputRequests"]["1:who"]["method"], "elicitation/create");
    assert_eq!(asks["inputRequests"]["1:who"]["params"]["mode"], "form");
    assert_eq!(stage.get(&id), asks, "it stays until it is answered");
    stage.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
    let works = stage.get(&id);
    assert_eq!((&works["status"], works.get("inputRequests")), (&json!("working"), None));
    // The tool starts anew.
    stage.desk.work();
    assert_eq!(stage.status(&id), "working");
    stage.desk.pass(SECOND);
    assert_eq!(stage.get(&id)["result"]["content"][0]["text"], "Hello Ada");
}

#[test]
fn answers_may_come_one_by_one_and_unknown_ones_are_ignored() {
    let stage = Stage::new();
    let id = stage.start("asks_two");
    stage.acknowledges(&update(&id, json!({ "1:one": named("too early") })));
    stage.desk.pass(SECOND);
    let open = || stage.get(&id)["inputRequests"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(open(), ["1:one", "1:two"]);
    for nothing in [json!({}), json!({ "one": named("a"), "2:one": named("a"), "": 7, "x": null })] {
        stage.acknowledges(&update(&id, nothing));
        assert_eq!((open().len(), stage.desk.work()), (2, 1));
    }
    stage.acknowledges(&update(&id, json!({ "1:two": named("Grace"), "3:x": [] })));
    assert_eq!((open(), stage.status(&id).as_str()), (vec!["1:one".to_owned()], "input_required"));
    // A second answer is none.
    stage.acknowledges(&update(&id, json!({ "1:two": named("Eve") })));
    stage.desk.pass(SECOND);
    assert_eq!(open(), ["1:one"]);
    stage.acknowledges(&update(&id, json!({ "1:one": named("Ada"), "1:two": named("Eve") })));
    stage.desk.work();
    stage.desk.pass(SECOND);
    assert_eq!(stage.get(&id)["result"]["content"][0]["text"], "Ada and Grace");
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_under_another_key() {
    let stage = Stage::new();
    let id = stage.start("asks");
    stage.desk.pass(SECOND);
    for round in 1..=16 {
        let asks = stage.get(&id);
        let keys: Vec<&String> = asks["inputRequests"].as_object().unwrap().keys().collect();
        assert_eq!(keys, [&format!("{round}:who")]);
        let answer =
            [json!({ "action": "accept", "content": { "name": 7 } }), json!({}), json!({ "action": 1 })];
        let mut responses = json!({});
        responses[keys[0]] = answer[round % 3].clone();
        stage.acknowledges(&update(&id, responses));
        stage.desk.work();
        stage.desk.pass(SECOND);
    }
    // Not for ever.
    let given_up = stage.get(&id);
    assert_eq!((&given_up["status"], &given_up["result"]["isError"]), (&json!("completed"), &json!(true)));
    assert_eq!(stage.desk.work(), 0);
}

#[test]
fn an_ill_typed_answer_is_refused_with_all_that_came_with_it() {
    let stage = Stage::new();
    let id = stage.start("asks_two");
    stage.desk.pass(SECOND);
    let before = stage.get(&id);
    for ill in [json!(null), json!(7), json!("accept"), json!([{}]), json!(true)] {
        let request = update(&id, json!({ "1:one": named("Ada"), "1:two": ill }));
        stage.send(&request).is_error(200, -32602);
        assert_eq!(stage.get(&id), before);
    }
    for ill in [json!(null), json!(7), json!("x"), json!([])] {
        stage.send(&update(&id, ill)).is_error(200, -32602);
    }
    stage.send(&of_task("tasks/update", &id)).is_error(200, -32602);
    assert_eq!(stage.get(&id), before);
}

#[test]
fn a_state_that_a_tool_keeps_stays_with_the_task() {
    let stage = Stage::new();
    let id = stage.start("keeps");
    for _ in 0..3 {
        stage.desk.pass(SECOND);
        assert_eq!(stage.status(&id), "working");
    }
    stage.desk.pass(SECOND);
    let done = stage.get(&id);
    assert_eq!(done["result"]["content"][0]["text"], "3", "{done}");
}

#[test]
fn a_task_that_asks_can_be_cancelled() {
    let stage = Stage::new();
    let id = stage.start("asks");
    stage.desk.pass(SECOND);
    stage.acknowledges(&cancel(&id));
    let cancelled = stage.get(&id);
    assert_eq!((&cancelled["status"], cancelled.get("inputRequests")), (&json!("cancelled"), None));
    assert_eq!((stage.desk.work(), stage.server.running_calls()), (0, 0));
}

// Who

#[test]
fn the_methods_are_for_who_declared_the_extension() {
    let stage = Stage::new();
    let id = stage.start("slow");
    for id in [id.as_str(), "x"] {
        for request in [get(id), cancel(id), update(id, json!({}))] {
            is_missing_capability(&stage.send(&unable(request.clone())));
            is_missing_capability(&stage.send(&request.meta(CAPABILITIES, json!({}))));
        }
    }
    assert_eq!(stage.status(&id), "working");
}

#[test]
fn the_task_of_another_caller_is_as_unknown_as_one_that_is_not() {
    let stage = Stage::new();
    let start = |owner: Option<&str>| {
        let mut request = call("asks");
        request.principal = owner.map(mcp_http::Principal::new);
        stage.send(&request).result()["taskId"].as_str().unwrap().to_owned()
    };
    let owners = [None, Some("ann"), Some("eve"), Some("")];
    let tasks: Vec<(Option<&str>, String)> = owners.iter().map(|owner| (*owner, start(*owner))).collect();
    stage.desk.pass(SECOND);
    let unknown = stage.is_unknown(&get("nothing"));
    for (owner, id) in &tasks {
        for caller in owners {
            for mut request in [get(id), update(id, json!({})), update(id, json!({ "1:who": 7 })), cancel(id)]
            {
                request.principal = caller.map(mcp_http::Principal::new);
                let answer = stage.send(&request);
                if caller != *owner {
                    answer.is_error(200, -32602);
                    assert_eq!(answer.error_text(), unknown);
                }
            }
        }
        let mut request = get(id);
        request.principal = owner.map(mcp_http::Principal::new);
        assert_eq!(stage.send(&request).result()["status"], "cancelled");
    }
}

#[test]
fn an_id_is_a_whole_one() {
    let stage = Stage::new();
    let id = stage.start("slow");
    let (head, tail) = id.split_at(31);
    for other in ["", head, tail, "../x", &format!("{id}x"), &id.to_lowercase(), &"x".repeat(8000)] {
        for request in [get(other), cancel(other), update(other, json!({}))] {
            stage.is_unknown(&request);
        }
    }
    for ill in [json!(null), json!(7), json!([id]), json!({})] {
        for request in [get(&id), cancel(&id), update(&id, json!({}))] {
            let request = request.set_param("taskId", ill.clone());
            stage.send(&request.clone()).is_error(400, -32020);
            let lenient = Stage::with(|builder| builder.header_mode(mcp_http::HeaderMode::Lenient));
            lenient.send(&request.without("mcp-name")).is_error(200, -32602);
        }
    }
    stage.send(&get(&id).header("mcp-name", "x")).is_error(400, -32020);
    stage.send(&get(&id).without("mcp-name")).is_error(400, -32020);
    assert_eq!(stage.status(&id), "working");
}

#[test]
fn no_two_ids_are_equal_and_none_is_overwritten() {
    let stage = Stage::new();
    let mut ids: Vec<String> = (0..100).map(|_| stage.start("slow")).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 100);
    // Chance that repeats itself is found out.
    stage.desk.0.drawn.store(0, Ordering::Relaxed);
    stage.send(&call("slow")).is_error(200, -32603);
    assert_eq!(stage.status(&ids[0]), "working");
}

// Bounds

#[test]
fn a_flood_of_tasks_is_bounded_for_each_and_for_all() {
    let store = LocalTasks::new().max_tasks(5).max_tasks_per_principal(2);
    let stage = Stage::with(|builder| builder.task_store(store.clone()).task_ttl(SECOND * 10));
    let required = |name: &str| stage.send(&call("required").principal(name));
    for name in ["ann", "ann", "bob"] {
        required(name).result();
    }
    let started = stage.seen.how_often("started");
    for _ in 0..3 {
        required("ann").is_error(200, -32603);
    }
    assert_eq!((stage.seen.how_often("started"), store.len()), (started, 3), "refused before it ran");
    // Done is not gone.
    stage.desk.pass(SECOND);
    required("ann").is_error(200, -32603);
    for name in ["carl", "dora"] {
        required(name).result();
    }
    required("eve").is_error(200, -32603);
    stage.send(&call("required")).is_error(200, -32603);
    // Time makes room.
    stage.desk.pass(SECOND * 9);
    for name in ["ann", "ann", "eve"] {
        required(name).result();
    }
    assert_eq!(store.len(), 5);
}

#[test]
fn where_there_is_no_room_an_optional_task_is_a_call() {
    let stage = Stage::with(|builder| builder.task_store(LocalTasks::new().max_tasks(0)));
    let request = call("slow");
    let mut answer = Box::pin(stage.service.respond(request.to_http().map(Body::from), request.connection));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut cx).is_pending());
    stage.desk.pass(SECOND);
    let Poll::Ready(response) = answer.as_mut().poll(&mut cx) else { panic!() };
    let response = response.map(|body| body.into_bytes().unwrap());
    assert_eq!(Answer::new(&request, response).tool_result()["content"][0]["text"], "done");
}

#[test]
fn bytes_are_bounded_and_a_result_without_room_fails_its_task() {
    let store = LocalTasks::new().max_bytes(150_000).max_bytes_per_principal(110_000);
    let stage = Stage::with(|builder| builder.task_store(store.clone()));
    let start = |name: &str| {
        let answer = stage.send(&call("large").principal(name));
        answer.result()["taskId"].as_str().unwrap().to_owned()
    };
    let status = |name: &str, id: &str| {
        stage.send(&get(id).principal(name)).result()["status"].as_str().unwrap().to_owned()
    };
    let (one, two, other) = (start("ann"), start("ann"), start("bob"));
    stage.desk.pass(SECOND);
    let failed = stage.send(&get(&two).principal("ann")).result().clone();
    assert_eq!((status("ann", &one).as_str(), &failed["status"]), ("completed", &json!("failed")));
    assert_eq!(failed["error"]["code"], -32603);
    assert_eq!(status("bob", &other), "failed", "all together");
}

#[test]
fn large_requests_count_while_their_tools_run() {
    let stage = Stage::with(|builder| builder.task_store(LocalTasks::new().max_bytes(100_000)));
    let large = || call("required").meta("x", "x".repeat(60_000));
    stage.send(&large()).result();
    stage.send(&large()).is_error(200, -32603);
    stage.desk.pass(SECOND);
    assert_eq!(stage.send(&large()).result()["resultType"], "task");
}

#[test]
fn large_answers_are_bounded() {
    let stage = Stage::with(|builder| builder.task_store(LocalTasks::new().max_bytes(100_000)));
    let id = stage.start("asks");
    stage.desk.pass(SECOND);
    stage.send(&update(&id, json!({ "1:who": named(&"x".repeat(200_000)) }))).is_error(200, -32603);
    assert_eq!(stage.status(&id), "input_required");
    stage.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
}

#[test]
fn progress_is_the_status_of_a_task_and_not_sent() {
    let stage = Stage::new();
    // What was said before the wait is dropped.
    let handle = stage.send(&call("talks").meta("progressToken", "t")).result().clone();
    let id = handle["taskId"].as_str().unwrap();
    let status = || stage.get(id).get("statusMessage").cloned();
    assert_eq!((&handle["resultType"], status()), (&json!("task"), None));
    stage.desk.work();
    assert_eq!(status(), None);
    stage.desk.pass(SECOND);
    assert_eq!(status(), Some(json!("after")));
    stage.desk.pass(SECOND);
    assert_eq!(stage.get(id)["result"]["content"][0]["text"], "talked");
    assert_eq!(status(), None);
}

#[test]
fn a_flood_of_progress_is_written_down_as_often_as_clients_look() {
    let far = Far::default();
    let flood = Tool::builder("flood").task(TaskSupport::Optional).handler(async |cx: CallContext| {
        for done in 0..1000 {
            cx.progress(f64::from(done), 1000.0, None);
            cx.progress(f64::from(done), 1000.0, &*"x".repeat(10_000));
            cx.progress(f64::from(done), 1000.0, None);
            cx.sleep(Duration::from_millis(10)).await;
        }
    });
    let stage = Stage::new();
    let tools = ToolSet::new().with(flood).unwrap();
    let server = Server::builder("x", "1").tools(tools).task_store(far.clone()).build().unwrap();
    let stage = Stage { service: McpService::new(server.clone(), stage.desk.clone()), server, ..stage };
    let id = stage.start("flood");
    for _ in 0..500 {
        stage.desk.pass(Duration::from_millis(10));
    }
    let writes = far.0.writes.load(Ordering::Relaxed);
    assert!((4..=6).contains(&writes), "{writes}");
    let status = stage.get(&id)["statusMessage"].clone();
    assert!(status.as_str().unwrap().ends_with("of 1000"), "{status}");
}

// Listening

fn said(task: &Value) -> Got {
    let mut params = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": 1 } });
    let members = task.as_object().unwrap().clone();
    params
        .as_object_mut()
        .unwrap()
        .extend(members.into_iter().filter(|(key, _)| !["_meta", "resultType"].contains(&key.as_str())));
    Got::Said("tasks".to_owned(), params)
}

impl Stage {
    /// A stream that is open, of which these tasks are honoured.
    #[track_caller]
    fn listen(&self, asked: &Request, honoured: &[&str]) -> Open {
        let mut open = streams::Stage::of(&self.server).open(asked);
        // A store that is far away takes a while.
        let first = (0..20).map(|_| open.next()).find(|got| *got != Got::Nothing);
        let Some(Got::Said(method, params)) = first else { panic!("not acknowledged: {first:?}") };
        let honoured = if honoured.is_empty() { json!({}) } else { json!({ "taskIds": honoured }) };
        assert_eq!((method.as_str(), &params["notifications"]), ("subscriptions/acknowledged", &honoured));
        open
    }
}

fn listen(ids: &[&str]) -> Request {
    able(Request::listen(json!({ "taskIds": ids })))
}

#[test]
fn who_listens_hears_how_a_task_stands_whenever_it_moves_on() {
    let stage = Stage::new();
    let id = stage.start("asks");
    let mut open = stage.listen(&listen(&[&id]), &[&id]);
    // It may have moved on since the handle.
    assert_eq!((open.next(), open.next()), (said(&stage.get(&id)), Got::Nothing));
    stage.desk.pass(SECOND);
    assert_eq!(open.woken(), 1);
    let asks = stage.get(&id);
    assert_eq!(asks["status"], "input_required");
    assert_eq!((open.next(), open.next()), (said(&asks), Got::Nothing));
    stage.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
    let works = stage.get(&id);
    assert_eq!((open.next(), open.next()), (said(&works), Got::Nothing));
    stage.desk.work();
    stage.desk.pass(SECOND);
    let done = stage.get(&id);
    assert_eq!(done["status"], "completed");
    assert_eq!((open.next(), open.next()), (said(&done), Got::Nothing));
    stage.server.close();
    assert!(matches!(open.next(), Got::Result(_)));
    assert_eq!(open.next(), Got::End);
}

#[test]
fn who_reads_slowly_hears_the_last_of_several_changes() {
    let stage = Stage::new();
    let (one, two) = (stage.start("slow"), stage.start("slow"));
    let mut open = stage.listen(&listen(&[&two, &one, &two]), &[&two, &one]);
    stage.desk.pass(SECOND);
    let mut said_of = vec![open.next(), open.next()];
    said_of.sort_by_key(|got| *got != said(&stage.get(&one)));
    assert_eq!(said_of, [said(&stage.get(&one)), said(&stage.get(&two))]);
    assert_eq!(open.next(), Got::Nothing);
    assert!(said_of.iter().all(|got| matches!(got, Got::Said(_, params) if params["status"] == "completed")));
}

#[test]
fn only_what_is_the_callers_and_was_asked_for_is_heard_of() {
    let stage = Stage::new();
    let (own, unheard, other) = (stage.start("slow"), stage.start("slow"), {
        let answer = stage.send(&call("slow").principal("eve"));
        answer.result()["taskId"].as_str().unwrap().to_owned()
    });
    let mut open = stage.listen(&listen(&[&other, "nothing", &own, ""]), &[&own]);
    assert_eq!((open.next(), open.next()), (said(&stage.get(&own)), Got::Nothing));
    stage.acknowledges(&cancel(&unheard));
    stage.acknowledges(&cancel(&other).principal("eve"));
    assert_eq!(open.next(), Got::Nothing);
    let mut nothing = stage.listen(&listen(&[&other]), &[]);
    assert!(matches!(nothing.next(), Got::Result(_)));
    // And those of others are not among what is not named.
    let lists = able(Request::listen(json!({ "toolsListChanged": true })));
    let mut open = streams::Stage::of(&stage.server).open(&lists);
    assert!(matches!((open.next(), open.next()), (Got::Said(..), Got::Nothing)));
    stage.acknowledges(&cancel(&own));
    assert_eq!(open.next(), Got::Nothing);
}

#[test]
fn listening_for_tasks_is_for_who_declared_the_extension() {
    let stage = Stage::new();
    let id = stage.start("slow");
    for ids in [&[id.as_str()][..], &["x"]] {
        let request = unable(listen(ids));
        is_missing_capability(&stage.send(&request));
        let mixed = unable(Request::listen(json!({ "toolsListChanged": true, "taskIds": ids })));
        is_missing_capability(&stage.send(&mixed));
    }
    // Where there are no tasks, there is nothing to declare.
    let tools = ToolSet::new().with(Tool::builder("t").handler(|| "t")).unwrap();
    let without = Server::builder("x", "1").tools(tools).build().unwrap();
    let mut open = streams::Stage::of(&without).open(&unable(listen(&[&id])));
    assert!(matches!(open.next(), Got::Said(_, params) if params["notifications"] == json!({})));
}

#[test]
fn what_a_tool_says_is_not_said_on_a_subscription() {
    let stage = Stage::new();
    let request = call("talks").meta("progressToken", "t");
    let id = stage.send(&request).result()["taskId"].as_str().unwrap().to_owned();
    let mut open = stage.listen(&listen(&[&id]), &[&id]);
    assert_eq!(open.next(), said(&stage.get(&id)));
    stage.desk.pass(SECOND);
    let said_now = said(&stage.get(&id));
    assert!(matches!(&said_now, Got::Said(_, params) if params["statusMessage"] == "after"));
    assert_eq!((open.next(), open.next()), (said_now, Got::Nothing));
}

#[test]
fn so_many_tasks_are_listened_for_and_no_more() {
    let stage = Stage::with(|builder| builder.body_limit(1 << 20));
    let ids: Vec<String> = (0..1001).map(|_| stage.start("slow")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    stage.listen(&listen(&ids), &ids[..1000]);
}

// Stores

/// A store that is far away: everything takes a while, other processes use it too, and it may fail.
#[derive(Clone, Default)]
struct Far(Arc<FarAway>);

#[derive(Default)]
struct FarAway {
    /// Records, as a database has them.
    rows: Mutex<HashMap<String, String>>,
    fails: AtomicBool,
    writes: AtomicUsize,
    /// How often a change comes too late.
    conflicts: AtomicUsize,
}

impl Far {
    fn later<'a, T: Send + 'a>(
        &'a self,
        work: impl FnOnce(&FarAway) -> Result<T, TaskStoreError> + Send + 'a,
    ) -> Reply<'a, Result<T, TaskStoreError>> {
        Reply::later(async move {
            let mut polled = false;
            std::future::poll_fn(|task| {
                task.waker().wake_by_ref();
                if std::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            if self.0.fails.load(Ordering::Relaxed) {
                return Err(TaskStoreError::failed("secret"));
            }
            work(&self.0)
        })
    }
}

impl TaskStore for Far {
    fn create(&self, task: Task) -> Reply<'_, Result<(), TaskStoreError>> {
        self.later(move |far| {
            let json = serde_json::to_string(&task).map_err(TaskStoreError::failed)?;
            assert_eq!(far.rows.lock().unwrap().insert(task.id().to_owned(), json), None);
            Ok(())
        })
    }

    fn get<'a>(&'a self, id: &'a str) -> Reply<'a, Result<Option<Arc<Task>>, TaskStoreError>> {
        self.later(move |far| {
            let rows = far.rows.lock().unwrap();
            rows.get(id).map(|json| serde_json::from_str(json)).transpose().map_err(TaskStoreError::failed)
        })
    }

    fn replace(&self, task: Task) -> Reply<'_, Result<bool, TaskStoreError>> {
        self.later(move |far| {
            far.writes.fetch_add(1, Ordering::Relaxed);
            if far.conflicts.load(Ordering::Relaxed) > 0 {
                far.conflicts.fetch_sub(1, Ordering::Relaxed);
                return Ok(false);
            }
            let mut rows = far.rows.lock().unwrap();
            let Some(row) = rows.get_mut(task.id()) else { return Ok(false) };
            let before: Task = serde_json::from_str(row).map_err(TaskStoreError::failed)?;
            if before.version() + 1 != task.version() {
                return Ok(false);
            }
            *row = serde_json::to_string(&task).map_err(TaskStoreError::failed)?;
            Ok(true)
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> Reply<'a, Result<(), TaskStoreError>> {
        self.later(move |far| {
            far.rows.lock().unwrap().remove(id);
            Ok(())
        })
    }
}

/// Two processes of one service.
fn two_processes() -> (Far, Stage, Stage) {
    let (far, changes) = (Far::default(), LocalChanges::default());
    let process = || Stage::with(|builder| builder.task_store(far.clone()).changes(changes.clone()));
    let (one, other) = (process(), process());
    (far, one, other)
}

#[test]
fn any_process_answers_for_a_task_and_the_one_that_began_it_runs_it() {
    let (far, one, other) = two_processes();
    let id = one.start("asks");
    assert_eq!(other.get(&id), one.get(&id));
    one.desk.pass(SECOND);
    let mut open = other.listen(&listen(&[&id]), &[&id]);
    while open.next() == Got::Nothing {}
    other.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
    assert_eq!((other.desk.work(), one.status(&id).as_str()), (0, "working"));
    one.desk.work();
    one.desk.pass(SECOND);
    let done = other.get(&id);
    assert_eq!(done["result"]["content"][0]["text"], "Hello Ada");
    let mut heard = Vec::new();
    for _ in 0..20 {
        heard.push(open.next());
    }
    assert!(heard.contains(&said(&done)), "{heard:?}");

    let id = one.start("slow");
    other.acknowledges(&cancel(&id));
    assert_eq!((one.desk.work(), one.seen.how_often("dropped")), (0, 1));
    // What was ready at once is gone again.
    let before = far.0.rows.lock().unwrap().len();
    one.send(&call("quick")).tool_result();
    one.desk.work();
    assert_eq!(far.0.rows.lock().unwrap().len(), before);
}

#[test]
fn a_change_that_comes_too_late_is_made_again() {
    let (far, one, _) = two_processes();
    let id = one.start("asks");
    far.0.conflicts.store(5, Ordering::Relaxed);
    one.desk.pass(SECOND);
    one.desk.work();
    far.0.conflicts.store(5, Ordering::Relaxed);
    one.acknowledges(&update(&id, json!({ "1:who": named("Ada") })));
    far.0.conflicts.store(5, Ordering::Relaxed);
    one.desk.work();
    one.desk.pass(SECOND);
    one.desk.work();
    assert_eq!(one.status(&id), "completed");
    // And not without end.
    let id = one.start("slow");
    far.0.writes.store(0, Ordering::Relaxed);
    far.0.conflicts.store(usize::MAX, Ordering::Relaxed);
    one.send(&cancel(&id)).is_error(200, -32603);
    assert!(far.0.writes.load(Ordering::Relaxed) < 100);
}

#[test]
fn a_store_that_fails_is_an_error_that_tells_nothing() {
    let (far, one, _) = two_processes();
    let (slow, asks) = (one.start("slow"), one.start("asks"));
    let started = one.seen.how_often("started");
    far.0.fails.store(true, Ordering::Relaxed);
    for request in [
        call("slow"),
        call("required"),
        get(&slow),
        cancel(&slow),
        update(&asks, json!({})),
        listen(&[&slow]),
    ] {
        let answer = one.send(&request);
        answer.is_error(200, -32603);
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    assert_eq!(one.seen.how_often("started"), started, "not before it is kept");
    one.desk.pass(SECOND);
    far.0.fails.store(false, Ordering::Relaxed);
    // Its outcome is lost, and its time passes.
    assert_eq!(one.status(&slow), "working");
    one.desk.pass(SECOND * 3600);
    one.is_unknown(&get(&slow));
    assert_eq!(one.server.running_calls(), 0);
}

#[test]
fn a_client_that_leaves_before_its_handle_leaves_no_task() {
    let (far, one, _) = two_processes();
    let request = call("slow");
    let mut answer = Box::pin(one.service.respond(request.to_http().map(Body::from), request.connection));
    assert!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(answer);
    one.desk.work();
    assert!(far.0.rows.lock().unwrap().is_empty());
    assert_eq!((one.seen.how_often("started"), one.server.running_calls()), (0, 0));
}

#[test]
fn a_record_is_as_it_was_after_it_was_written_down() {
    let (far, one, _) = two_processes();
    let id = one.start("asks");
    let read = || -> Task { serde_json::from_str(&far.0.rows.lock().unwrap()[&id]).unwrap() };
    let task = read();
    assert_eq!((task.id(), task.owner(), task.version(), task.is_over()), (id.as_str(), None, 0, false));
    assert_eq!(task.expires(), one.desk.now() + SECOND * 3600);
    assert!(task.size() > 1000);
    one.desk.pass(SECOND);
    assert!(read().version() == 1 && !read().is_over());
    one.acknowledges(&cancel(&id));
    assert!(read().version() == 2 && read().is_over());
}
