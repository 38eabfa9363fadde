//! Calls that become tasks: what clients get and ask, what they cannot get at, and what a server keeps. Time passes when a
//! test says so, and what goes on in the background goes on when it does.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_http::compose::{Ceiling, Compose as _, Switches};
use mcp_http::input::{Elicited, Field, Form};
use mcp_http::task::LocalTasks;
use mcp_http::{
    Body, BoxFuture, CallContext, Connection, Host, McpService, Revision, Runtime, Server, ServerBuilder,
    TaskSupport, Tool, ToolBuilder, ToolError, ToolSet,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, drive};

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
fn what_a_task_says_is_not_sent_and_not_kept() {
    let stage = Stage::new();
    let request = call("talks").meta("progressToken", "t");
    // The handle may come on a stream: what was said before the wait is dropped all the same.
    let handle = stage.send(&request).result().clone();
    assert_eq!(handle["resultType"], "task");
    stage.desk.pass(SECOND);
    let done = stage.get(handle["taskId"].as_str().unwrap());
    assert_eq!(done["result"]["content"][0]["text"], "talked");
}
