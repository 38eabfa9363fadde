//! What is said before the response: progress, log messages, signs of life; and what becomes of a call whose client
//! leaves. Time passes when a test says so, and the tool does what a test tells it.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use http::{HeaderMap, Response};
use http_body::Body as _;
use mcp_http::{
    Body, BoxFuture, CallContext, LogLevel, McpService, Revision, Runtime, Server, ServerBuilder, Tool,
    ToolSet,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::published;
use crate::request::{LEGACY, LOG_LEVEL, MODERN, Request};

/// What a tool is told to do.
enum Do {
    Progress(f64),
    Log(LogLevel, Value),
    Answer,
    Panic,
}

/// The tool's end and the test's of a string that both pull at.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<Played>>);

#[derive(Default)]
struct Played {
    orders: VecDeque<Do>,
    tool: Option<Waker>,
    context: Option<CallContext>,
    ended: usize,
    dropped: usize,
}

impl Script {
    fn tell(&self, orders: impl IntoIterator<Item = Do>) {
        let mut played = self.0.lock().unwrap();
        played.orders.extend(orders);
        let tool = played.tool.take();
        drop(played);
        if let Some(tool) = tool {
            tool.wake();
        }
    }

    fn context(&self) -> CallContext {
        self.0.lock().unwrap().context.clone().expect("the tool runs")
    }

    /// How many calls came to their end, and how many were dropped before.
    fn ends(&self) -> (usize, usize) {
        let played = self.0.lock().unwrap();
        (played.ended, played.dropped)
    }

    async fn play(self, cx: CallContext) -> &'static str {
        struct Guard(Script, bool);
        impl Drop for Guard {
            fn drop(&mut self) {
                let mut played = self.0.0.lock().unwrap();
                if self.1 { played.ended += 1 } else { played.dropped += 1 }
            }
        }
        let mut guard = Guard(self, false);
        poll_fn(|task| {
            let mut played = guard.0.0.lock().unwrap();
            played.context = Some(cx.clone());
            while let Some(order) = played.orders.pop_front() {
                match order {
                    Do::Progress(done) => cx.progress(done, 100.0, None),
                    Do::Log(level, data) => cx.log(level, data),
                    Do::Answer => return Poll::Ready(()),
                    Do::Panic => {
                        drop(played);
                        panic!("for a test");
                    }
                }
            }
            played.tool = Some(task.waker().clone());
            Poll::Pending
        })
        .await;
        guard.1 = true;
        "done"
    }
}

/// A host whose clock is moved by hand.
#[derive(Clone, Default, Debug)]
pub(crate) struct Host(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    now: Duration,
    sleepers: Vec<Waker>,
    detached: Vec<BoxFuture<'static, ()>>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Host {
    pub(crate) fn pass(&self, time: Duration) {
        let mut kept = self.0.lock().unwrap();
        kept.now += time;
        let sleepers = std::mem::take(&mut kept.sleepers);
        drop(kept);
        sleepers.into_iter().for_each(Waker::wake);
    }

    /// How many calls go on without their client.
    pub(crate) fn run_detached(&self) -> usize {
        let mut detached = std::mem::take(&mut self.0.lock().unwrap().detached);
        detached.retain_mut(|call| call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let mut kept = self.0.lock().unwrap();
        kept.detached.extend(detached);
        kept.detached.len()
    }
}

impl Runtime for Host {
    fn now(&self) -> Duration {
        self.0.lock().unwrap().now
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let (host, until) = (self.clone(), self.now() + duration);
        Box::pin(poll_fn(move |task| {
            let mut kept = host.0.lock().unwrap();
            if kept.now >= until {
                return Poll::Ready(());
            }
            kept.sleepers.push(task.waker().clone());
            Poll::Pending
        }))
    }

    fn detach(&self, future: BoxFuture<'static, ()>) {
        self.0.lock().unwrap().detached.push(future);
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

const SECOND: Duration = Duration::from_secs(1);

pub(crate) struct Stage {
    pub(crate) host: Host,
    script: Script,
    service: McpService,
}

impl Stage {
    fn new() -> Self {
        Self::with(|builder| builder.logging(true))
    }

    fn with(settings: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let (host, script) = (Host::default(), Script::default());
        let played = script.clone();
        let played = Tool::builder("played").handler(move |cx: CallContext| played.clone().play(cx));
        let told = Tool::builder("told").handler(|cx: CallContext| {
            cx.log(LogLevel::Error, json!({ "disk": "full" }));
            cx.progress(1.0, None, "halfway");
            "told"
        });
        let restless = Tool::builder("restless").handler(async |cx: CallContext| {
            for done in 1.. {
                cx.progress(f64::from(done), None, None);
                let mut polled = false;
                poll_fn(|task| {
                    task.waker().wake_by_ref();
                    if std::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
            }
        });
        let tools = ToolSet::new().with(played).unwrap().with(told).unwrap().with(restless).unwrap();
        let server = settings(Server::builder("stage", "1").tools(tools)).build().unwrap();
        Self { host: host.clone(), script, service: McpService::new(server, host) }
    }

    /// Any server.
    pub(crate) fn of(server: &Server) -> Self {
        let host = Host::default();
        Self { host: host.clone(), script: Script::default(), service: McpService::new(server.clone(), host) }
    }

    pub(crate) fn open(&self, request: &Request) -> Open {
        let (service, request_) = (self.service.clone(), request.to_http().map(Body::from));
        let connection = request.connection;
        let response = Box::pin(async move { service.respond(request_, connection).await });
        Open {
            request: request.clone(),
            response: Some(response),
            head: None,
            body: None,
            woken: Arc::default(),
            last: String::new(),
        }
    }
}

/// A request under way, from the client's side.
pub(crate) struct Open {
    request: Request,
    response: Option<Pin<Box<dyn Future<Output = Response<Body>> + Send>>>,
    head: Option<Response<()>>,
    body: Option<Body>,
    woken: Arc<Woken>,
    /// The bytes of what arrived last.
    pub(crate) last: String,
}

/// What arrives at the client.
#[derive(Debug, PartialEq)]
pub(crate) enum Got {
    /// A notification: its method without what all have, and its params.
    Said(String, Value),
    SignOfLife,
    /// A question to the client.
    Asked(Value),
    /// The text of a tool's result, or of an error.
    Answer(String),
    /// Another result.
    Result(Value),
    Nothing,
    End,
}

impl Open {
    /// The next that arrives without anybody waiting.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Got {
        let waker = Waker::from(self.woken.clone());
        let task = &mut Context::from_waker(&waker);
        if let Some(response) = &mut self.response {
            let Poll::Ready(response) = response.as_mut().poll(task) else { return Got::Nothing };
            let (head, body) = response.into_parts();
            (self.response, self.head) = (None, Some(Response::from_parts(head, ())));
            self.body = Some(body);
        }
        let Some(body) = &mut self.body else { return Got::End };
        match Pin::new(body).poll_frame(task) {
            Poll::Pending => Got::Nothing,
            Poll::Ready(None) => Got::End,
            Poll::Ready(Some(frame)) => {
                let bytes = frame.unwrap().into_data().unwrap();
                self.last = String::from_utf8(bytes.to_vec()).unwrap();
                self.read(&bytes)
            }
        }
    }

    #[track_caller]
    fn read(&self, bytes: &[u8]) -> Got {
        let revision = self.request.revision.unwrap();
        if self.streams() {
            if bytes == b":\n\n" {
                return Got::SignOfLife;
            }
            let event = std::str::from_utf8(bytes).unwrap();
            let data =
                event.strip_prefix("data: ").and_then(|data| data.strip_suffix("\n\n")).expect("an event");
            let message: Value = serde_json::from_str(data).unwrap();
            if message.get("method").is_some() && message.get("id").is_some() {
                published::check_question(revision, &message);
                return Got::Asked(message);
            }
            if let Some(method) = message["method"].as_str() {
                published::check_notification(revision, &message);
                let name = method.strip_prefix("notifications/").unwrap().to_owned();
                return Got::Said(name, message["params"].clone());
            }
        }
        let mut response = Response::new(bytes.to_vec().into());
        let head = self.head.as_ref().unwrap();
        *response.headers_mut() = head.headers().clone();
        *response.status_mut() = head.status();
        let answer = Answer::new(&self.request, response);
        let json = answer.json();
        let text = json.pointer("/result/content/0/text").or_else(|| json.pointer("/error/message"));
        match text {
            Some(text) => Got::Answer(text.as_str().unwrap().to_owned()),
            None => Got::Result(answer.result().clone()),
        }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.head.as_ref().expect("an answer").headers()
    }

    pub(crate) fn streams(&self) -> bool {
        self.headers()["content-type"] == "text/event-stream"
    }

    pub(crate) fn woken(&self) -> usize {
        self.woken.0.load(Ordering::Relaxed)
    }
}

fn call(revision: Revision, tool: &str) -> Request {
    Request::call(revision, tool, json!({})).meta("progressToken", "t").meta(LOG_LEVEL, "debug")
}

fn progress(done: i64) -> Got {
    Got::Said("progress".to_owned(), json!({ "progressToken": "t", "progress": done, "total": 100 }))
}

fn log(level: &str, data: impl Into<Value>) -> Got {
    Got::Said("message".to_owned(), json!({ "level": level, "data": data.into() }))
}

fn done() -> Got {
    Got::Answer("done".to_owned())
}

#[test]
fn a_call_that_says_nothing_is_answered_with_json() {
    for revision in Revision::ALL {
        let stage = Stage::new();
        let mut open = stage.open(&call(revision, "played"));
        assert_eq!(open.next(), Got::Nothing);
        stage.script.tell([Do::Answer]);
        assert_eq!((open.next(), open.next()), (done(), Got::End));
        assert!(!open.streams());
    }
}

#[test]
fn what_is_said_opens_an_event_stream_that_ends_with_the_response() {
    for revision in Revision::ALL {
        let stage = Stage::new();
        let mut open = stage.open(&call(revision, "played"));
        assert_eq!(open.next(), Got::Nothing);
        stage.script.tell([Do::Progress(0.0), Do::Log(LogLevel::Info, json!("first"))]);
        assert_eq!((open.next(), open.next()), (progress(0), log("info", "first")));
        assert_eq!(open.next(), Got::Nothing);
        assert!(open.streams());
        stage.script.tell([Do::Progress(50.0)]);
        assert_eq!(open.next(), progress(50));
        stage.script.tell([Do::Log(LogLevel::Warning, json!({ "a": [1] })), Do::Progress(100.0), Do::Answer]);
        assert_eq!((open.next(), open.next()), (log("warning", json!({ "a": [1] })), progress(100)));
        assert_eq!((open.next(), open.next()), (done(), Got::End));
    }
}

#[test]
fn a_sync_tool_is_heard_too() {
    for revision in Revision::ALL {
        let mut open = Stage::new().open(&call(revision, "told"));
        assert_eq!(open.next(), log("error", json!({ "disk": "full" })));
        let params = json!({ "progressToken": "t", "progress": 1, "message": "halfway" });
        assert_eq!(open.next(), Got::Said("progress".to_owned(), params));
        assert_eq!((open.next(), open.next()), (Got::Answer("told".to_owned()), Got::End));
    }
}

#[test]
fn clients_that_name_no_event_stream_get_json_and_hear_nothing() {
    for accept in [Some("application/json"), Some("*/*"), None] {
        for revision in Revision::ALL {
            let mut request = call(revision, "told");
            request.headers.remove("accept");
            if let Some(accept) = accept {
                request = request.header("accept", accept);
            }
            let mut open = Stage::new().open(&request);
            assert_eq!((open.next(), open.next()), (Got::Answer("told".to_owned()), Got::End));
            assert!(!open.streams());
        }
    }
    let only_stream = call(MODERN, "told").header("accept", "text/event-stream");
    let mut open = Stage::new().open(&only_stream);
    assert!(matches!((open.next(), open.next()), (Got::Said(..), Got::Said(..))));
    assert_eq!((open.next(), open.next()), (Got::Answer("told".to_owned()), Got::End));
}

#[test]
fn progress_goes_to_whoever_gave_a_token_and_repeats_it_in_its_type() {
    for revision in Revision::ALL {
        for token in
            [json!("t"), json!(""), json!("7"), json!(7), json!(0), json!(-1), json!(1_u64 << 53 | 1)]
        {
            let request = Request::call(revision, "told", json!({})).meta("progressToken", token.clone());
            let stage = Stage::with(|builder| builder);
            let mut open = stage.open(&request);
            let Got::Said(name, params) = open.next() else { panic!("{token}") };
            assert_eq!((name.as_str(), &params["progressToken"]), ("progress", &token));
        }
        for token in [None, Some(json!(null)), Some(json!(1.5)), Some(json!({})), Some(json!(true))] {
            let mut request = Request::call(revision, "told", json!({}));
            if let Some(token) = token {
                request = request.meta("progressToken", token);
            }
            assert_eq!(Stage::with(|builder| builder).open(&request).next(), Got::Answer("told".to_owned()));
        }
    }
}

#[test]
fn progress_grows_with_every_message() {
    let stage = Stage::new();
    let mut open = stage.open(&call(MODERN, "played"));
    for (said, heard) in [
        (1.0, progress(1)),
        (1.0, Got::Nothing),
        (0.5, Got::Nothing),
        (f64::NAN, Got::Nothing),
        (f64::INFINITY, Got::Nothing),
        (2.0, progress(2)),
    ] {
        stage.script.tell([Do::Progress(said)]);
        assert_eq!(open.next(), heard, "{said}");
    }
}

#[test]
fn a_flood_grows_nothing() {
    let stage = Stage::new();
    let mut open = stage.open(&call(MODERN, "played"));
    stage.script.tell((1..=10_000).map(|done| Do::Progress(f64::from(done))));
    assert_eq!((open.next(), open.next()), (progress(10_000), Got::Nothing));
    stage.script.tell((0..10_000).map(|n| Do::Log(LogLevel::Info, json!(n))));
    let mut heard = Vec::new();
    while let Got::Said(_, params) = open.next() {
        heard.push(params["data"].as_i64().unwrap());
    }
    assert_eq!(heard, (10_000 - 32..10_000).collect::<Vec<_>>(), "the newest are kept");
    stage.script.tell([Do::Answer]);
    assert_eq!(open.next(), done());
}

#[test]
fn a_tool_that_talks_without_end_is_as_fast_as_its_client() {
    let stage = Stage::new();
    let mut open = stage.open(&call(MODERN, "restless"));
    for expected in 1..100 {
        let Got::Said(_, params) = open.next() else { panic!("{expected}") };
        assert_eq!(params["progress"], expected);
    }
    let mut legacy = stage.open(&call(LEGACY[0], "restless"));
    legacy.next();
    drop(legacy);
    assert_eq!(stage.host.run_detached(), 1, "and leaves others their turn when nobody listens");
}

#[test]
fn a_deadline_ends_a_tool_that_talks_without_end_heard_or_not() {
    let stage = Stage::with(|builder| builder.deadline(SECOND));
    let mut open = stage.open(&call(LEGACY[1], "restless"));
    open.next();
    let mut unheard = stage.open(&call(LEGACY[1], "restless"));
    unheard.next();
    drop(unheard);
    assert_eq!(stage.host.run_detached(), 1);
    stage.host.pass(SECOND);
    let Got::Answer(text) = open.next() else { panic!() };
    assert!(text.contains("in time"), "{text}");
    assert_eq!((open.next(), stage.host.run_detached()), (Got::End, 0));
}

#[test]
fn clients_of_the_newest_revision_say_what_they_want_to_hear() {
    for (wanted, heard) in
        [(Some("debug"), true), (Some("error"), true), (Some("critical"), false), (None, false)]
    {
        let mut request = Request::call(MODERN, "told", json!({}));
        if let Some(wanted) = wanted {
            request = request.meta(LOG_LEVEL, wanted);
        }
        let got = Stage::new().open(&request).next();
        assert_eq!(matches!(got, Got::Said(..)), heard, "{wanted:?}: {got:?}");
    }
}

#[test]
fn older_clients_hear_info_and_above() {
    for revision in LEGACY {
        for (level, heard) in [(LogLevel::Debug, false), (LogLevel::Info, true), (LogLevel::Emergency, true)]
        {
            let stage = Stage::new();
            let mut open = stage.open(&call(revision, "played"));
            stage.script.tell([Do::Log(level, json!("x"))]);
            assert_eq!(open.next() != Got::Nothing, heard, "{level:?}");
        }
    }
}

#[test]
fn a_server_that_does_not_declare_logging_sends_no_log_messages() {
    for revision in Revision::ALL {
        let stage = Stage::with(|builder| builder);
        let request = Request::call(revision, "told", json!({})).meta(LOG_LEVEL, "debug");
        assert_eq!(stage.open(&request).next(), Got::Answer("told".to_owned()));
        for (stage, declared) in [(stage, None), (Stage::new(), Some(&json!({})))] {
            let opening = Request::open(revision).send(stage.service.server());
            assert_eq!(opening.result()["capabilities"].get("logging"), declared);
        }
    }
}

#[test]
fn older_clients_may_set_a_level_where_logging_is_declared() {
    let (declared, silent) = (Stage::new(), Stage::with(|builder| builder));
    let set = |revision, params| Request::new(revision, "logging/setLevel", params);
    for revision in LEGACY {
        let answer = set(revision, json!({ "level": "debug" })).send(declared.service.server());
        assert_eq!(*answer.result(), json!({}));
        for params in [json!({}), json!({ "level": "loud" }), json!({ "level": 1 }), json!({ "level": null })]
        {
            set(revision, params).send(declared.service.server()).is_error(200, -32602);
        }
        set(revision, json!({ "level": "debug" })).send(silent.service.server()).is_error(200, -32601);
    }
    set(MODERN, json!({ "level": "debug" })).send(declared.service.server()).is_error(404, -32601);
}

#[test]
fn a_silent_call_shows_signs_of_life() {
    for revision in Revision::ALL {
        let stage = Stage::with(|builder| builder.keep_alive(SECOND * 5));
        let mut open = stage.open(&call(revision, "played"));
        assert_eq!(open.next(), Got::Nothing);
        stage.host.pass(SECOND * 4);
        assert_eq!(open.next(), Got::Nothing);
        for _ in 0..3 {
            stage.host.pass(SECOND * 5);
            assert_eq!((open.next(), open.next()), (Got::SignOfLife, Got::Nothing));
        }
        assert!(open.streams());
        // What is said is one as well.
        stage.host.pass(SECOND * 4);
        stage.script.tell([Do::Progress(1.0)]);
        assert_eq!((open.next(), open.next()), (progress(1), Got::Nothing));
        stage.host.pass(SECOND * 4);
        assert_eq!(open.next(), Got::Nothing);
        stage.script.tell([Do::Answer]);
        assert_eq!((open.next(), open.next()), (done(), Got::End));
    }
}

#[test]
fn no_sign_of_life_for_clients_that_take_no_stream_or_where_it_is_switched_off() {
    let json_only = call(MODERN, "played").header("accept", "application/json");
    for (settings, request) in
        [(Some(SECOND), json_only), (None, call(MODERN, "played")), (None, call(LEGACY[0], "played"))]
    {
        let stage = Stage::with(|builder| builder.keep_alive(settings));
        let mut open = stage.open(&request);
        open.next();
        stage.host.pass(SECOND * 100);
        assert_eq!(open.next(), Got::Nothing);
        stage.script.tell([Do::Answer]);
        assert_eq!((open.next(), open.next()), (done(), Got::End));
        assert!(!open.streams());
    }
}

#[test]
fn what_goes_wrong_on_an_open_stream_is_its_last_event() {
    for revision in Revision::ALL {
        let stage = Stage::with(|builder| builder.deadline(SECOND));
        let mut panics = stage.open(&call(revision, "played"));
        stage.script.tell([Do::Progress(1.0)]);
        assert_eq!(panics.next(), progress(1));
        stage.script.tell([Do::Progress(2.0), Do::Panic]);
        let Got::Answer(text) = panics.next() else { panic!() };
        assert!(text.contains("failed unexpectedly") && !text.contains("for a test"), "{text}");
        assert_eq!(panics.next(), Got::End);

        let mut late = stage.open(&call(revision, "played"));
        stage.script.tell([Do::Progress(1.0)]);
        assert_eq!((late.next(), late.next()), (progress(1), Got::Nothing));
        stage.host.pass(SECOND);
        let Got::Answer(text) = late.next() else { panic!() };
        assert!(text.contains("in time"), "{text}");
        assert_eq!(late.next(), Got::End);
    }
}

#[test]
fn a_client_of_the_newest_revision_that_leaves_cancels_its_call() {
    for says in [false, true] {
        let stage = Stage::new();
        let mut open = stage.open(&call(MODERN, "played"));
        if says {
            stage.script.tell([Do::Progress(1.0)]);
            assert_eq!(open.next(), progress(1));
        }
        assert_eq!(open.next(), Got::Nothing);
        let cx = stage.script.context();
        assert!(!cx.is_cancelled() && !is_cancelled(&cx));
        drop(open);
        assert_eq!((stage.script.ends(), stage.host.run_detached()), ((0, 1), 0));
        assert!(cx.is_cancelled() && is_cancelled(&cx));
    }
}

#[test]
fn an_older_client_that_leaves_does_not_cancel_its_call() {
    for (revision, says) in [(LEGACY[0], false), (LEGACY[0], true), (LEGACY[1], false), (LEGACY[1], true)] {
        let stage = Stage::new();
        let mut open = stage.open(&call(revision, "played"));
        if says {
            stage.script.tell([Do::Progress(1.0)]);
            assert_eq!(open.next(), progress(1));
        }
        assert_eq!(open.next(), Got::Nothing);
        let cx = stage.script.context();
        drop(open);
        assert_eq!(stage.host.run_detached(), 1);
        stage.script.tell([Do::Progress(2.0), Do::Log(LogLevel::Info, json!("unheard"))]);
        stage.script.tell([Do::Answer]);
        for _ in 0..4 {
            stage.host.run_detached();
        }
        assert_eq!((stage.script.ends(), stage.host.run_detached()), ((1, 0), 0));
        assert!(!cx.is_cancelled() && !is_cancelled(&cx), "it came to its end");
    }
}

#[test]
fn a_call_that_goes_on_unheard_has_its_deadline_and_may_panic() {
    for panics in [false, true] {
        let stage = Stage::with(|builder| builder.deadline(SECOND));
        let mut open = stage.open(&call(LEGACY[1], "played"));
        open.next();
        let cx = stage.script.context();
        drop(open);
        assert_eq!(stage.host.run_detached(), 1);
        if panics {
            stage.script.tell([Do::Panic])
        } else {
            stage.host.pass(SECOND)
        }
        assert_eq!((stage.host.run_detached(), stage.script.ends()), (0, (0, 1)));
        assert!(cx.is_cancelled());
    }
}

#[test]
fn an_answered_call_is_not_cancelled_and_says_nothing_more() {
    for revision in Revision::ALL {
        let stage = Stage::new();
        let mut open = stage.open(&call(revision, "played"));
        open.next();
        let cx = stage.script.context();
        stage.script.tell([Do::Answer]);
        assert_eq!(open.next(), done());
        cx.progress(1.0, None, None);
        cx.log(LogLevel::Alert, "too late");
        assert_eq!(open.next(), Got::End);
        drop(open);
        assert!(!cx.is_cancelled() && !is_cancelled(&cx));
    }
}

#[test]
fn what_is_said_from_elsewhere_wakes_the_stream() {
    let stage = Stage::new();
    let mut open = stage.open(&call(MODERN, "played"));
    assert_eq!(open.next(), Got::Nothing);
    let cx = stage.script.context();
    std::thread::spawn(move || cx.progress(1.0, 100.0, None)).join().unwrap();
    assert_eq!(open.woken(), 1);
    assert_eq!((open.next(), open.next()), (progress(1), Got::Nothing));
    assert!(open.streams());
}

#[test]
fn who_waits_for_a_cancellation_is_woken() {
    let stage = Stage::new();
    let mut open = stage.open(&call(MODERN, "played"));
    open.next();
    let (cx, woken) = (stage.script.context(), Arc::<Woken>::default());
    let mut waits = Box::pin(async move { cx.cancelled().await });
    let waker = Waker::from(woken.clone());
    for _ in 0..3 {
        assert!(waits.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    drop(open);
    assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    assert!(waits.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
}

fn is_cancelled(cx: &CallContext) -> bool {
    let mut cancelled = std::pin::pin!(cx.cancelled());
    cancelled.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

/// Web frameworks ask for both.
#[test]
fn bodies_move_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Body>();
}
