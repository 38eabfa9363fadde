//! What a tool can know of the call it serves.

mod notices;

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Context;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::notices::Notices;
pub use self::notices::Notification;

use crate::jsonrpc::{Message, decode};
use crate::origin::Connection;
use crate::revision::Revision;
use crate::runtime::{Runtime, reference};
use crate::types::{ClientCapabilities, Implementation, LogLevel};

pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const PROGRESS_TOKEN: &str = "progressToken";

/// Who is calling, as the application's own authentication found out: an opaque name.
///
/// Middleware leaves one in the request's extensions, or [`ServerBuilder::principal`] makes one of the request's
/// head. Without one the caller is anonymous. What this crate decides per caller (whose state, whose ceiling) it decides
/// by this and nothing else; an application may decide by anything that its middleware left in the request.
///
/// [`ServerBuilder::principal`]: crate::ServerBuilder::principal
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// A principal of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One call, seen from the application: who calls, how, and what the request carried. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallContext(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    revision: Revision,
    principal: Option<Principal>,
    head: Parts,
    /// Behind a lock to be [replaced](CallContext::settle).
    body: Mutex<Bytes>,
    connection: Connection,
    runtime: Arc<dyn Runtime>,
    hearing: Hearing,
    /// Of a client whose revision says once for all what it can do.
    session: OnceLock<Box<Session>>,
    answers: Mutex<Option<Arc<Answers>>>,
    notices: Notices,
    /// Looked up once: a tool may report progress often.
    progress_token: OnceLock<Option<Value>>,
    log_level: OnceLock<Option<LogLevel>>,
}

/// What the client answered to what an earlier try of the call asked. It says what it likes: each answer is checked when
/// a tool asks for it.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) responses: Map<String, Value>,
    /// JSON text.
    pub(crate) state: Option<String>,
}

/// What a client told when it opened a session.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) client: Option<Value>,
    /// The session's own id, which it does not hold itself.
    #[serde(skip)]
    pub(crate) id: String,
}

/// What of the things that a call says before its result the client would hear.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hearing {
    /// Whether it takes an event stream.
    pub(crate) stream: bool,
    pub(crate) logs: Logs,
}

/// Which log messages a client hears.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Logs {
    None,
    From(LogLevel),
    /// From the level that the request names, none if it names none.
    AsRequested,
}

/// Where a call belongs in a distributed trace.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta>
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// W3C Trace Context: `version-trace_id-parent_id-flags`.
    pub traceparent: Option<String>,
    /// W3C Trace Context, vendor data.
    pub tracestate: Option<String>,
    /// W3C Baggage.
    pub baggage: Option<String>,
}

impl CallContext {
    pub(crate) fn new(
        revision: Revision,
        principal: Option<Principal>,
        head: Parts,
        body: Bytes,
        connection: Connection,
        runtime: Arc<dyn Runtime>,
        hearing: Hearing,
    ) -> Self {
        Self(Arc::new(Inner {
            revision,
            principal,
            head,
            body: Mutex::new(body),
            connection,
            runtime,
            hearing,
            session: OnceLock::new(),
            answers: Mutex::new(None),
            notices: Notices::default(),
            progress_token: OnceLock::new(),
            log_level: OnceLock::new(),
        }))
    }

    /// Gives the call its answers, before its tool runs.
    pub(crate) fn set_answers(&self, answers: Answers) {
        *self.0.answers.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(answers));
    }

    pub(crate) fn answers(&self) -> Option<Arc<Answers>> {
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Says what the client told when it opened its session.
    pub(crate) fn set_session(&self, session: Session) {
        let set = self.0.session.set(Box::new(session));
        debug_assert!(set.is_ok(), "a call has one session");
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        self.0.session.get().map(Box::as_ref)
    }

    /// The revision that the call is answered in. Tools rarely need it: answers are projected for older clients.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Who is calling; `None` is anonymous.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal.as_ref()
    }

    /// The head of the HTTP request.
    #[must_use]
    pub fn head(&self) -> &Parts {
        &self.0.head
    }

    /// The headers of the HTTP request.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.head.headers
    }

    /// What middleware left in the request's extensions.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.head.extensions.get()
    }

    /// The connection that the call came on.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.0.connection
    }

    /// Who the client says it is; `None` when this request does not tell. Unverified: for display and logs.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        let told = self.meta(CLIENT_INFO).or_else(|| self.session()?.client.clone());
        serde_json::from_value(told?).ok()
    }

    /// What the client declared it can do; `None` when this request does not tell, which is not "nothing".
    #[must_use]
    pub fn client_capabilities(&self) -> Option<ClientCapabilities> {
        if let Some(session) = self.session() {
            return Some(ClientCapabilities::new(session.capabilities.clone()));
        }
        let Value::Object(members) = self.meta(CLIENT_CAPABILITIES)? else { return None };
        Some(ClientCapabilities::new(members))
    }

    /// The trace that the call belongs to, as far as the request tells.
    #[must_use]
    pub fn trace_context(&self) -> TraceContext {
        let text = |key| match self.meta(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        TraceContext {
            traceparent: text("traceparent"),
            tracestate: text("tracestate"),
            baggage: text("baggage"),
        }
    }

    /// A member of the request's `_meta`, read again from the body at each call.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<Value> {
        match decode(&self.body()) {
            Ok(Message::Request { params, .. }) => serde_json::from_str(params.meta(key)?).ok(),
            _ => None,
        }
    }

    pub(crate) fn body(&self) -> Bytes {
        self.0.body.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gets ready for a longer wait: the body may lie in a buffer many times its size, which can go.
    pub(crate) fn settle(&self) {
        let own = Bytes::copy_from_slice(&self.body());
        *self.0.body.lock().unwrap_or_else(PoisonError::into_inner) = own;
    }

    /// The time since the beginning of 1970, UTC, on whatever clock the transport has.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.0.runtime.now()
    }

    pub(crate) fn runtime(&self) -> &dyn Runtime {
        &*self.0.runtime
    }

    pub(crate) fn reference(&self) -> String {
        reference(&*self.0.runtime)
    }

    /// Waits, without blocking a thread, on whatever timer the transport has.
    pub async fn sleep(&self, duration: Duration) {
        self.0.runtime.sleep(duration).await;
    }

    /// Tells the client how far the call is: `done` of `total`, in any unit, and a word on it for people.
    ///
    /// Nothing is sent to clients that did not ask for it, so that a tool need not know whether anybody listens. Progress
    /// that does not go on is dropped, and of several steps that wait to be sent only the last is.
    ///
    /// ```
    /// # use mcp_http::CallContext;
    /// async fn import(cx: &CallContext) {
    ///     for done in 1..=3 {
    ///         // work
    ///         cx.progress(f64::from(done), 3.0, "importing");
    ///     }
    ///     cx.progress(3.5, None, None); // nobody knows how much is to come
    /// }
    /// ```
    ///
    /// In a [task](crate::task) it is the status that clients see.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/progress>
    pub fn progress<'a>(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        let (total, message) = (total.into(), message.into());
        if !self.0.notices.keep_status(done, total, message)
            && let Some(token) = self.progress_token()
        {
            self.0.notices.progress(token, done, total, message);
        }
    }

    fn progress_token(&self) -> Option<&Value> {
        let find = || {
            self.meta(PROGRESS_TOKEN).filter(|token| token.is_string() || token.is_i64() || token.is_u64())
        };
        if self.0.hearing.stream { self.0.progress_token.get_or_init(find).as_ref() } else { None }
    }

    /// Sends the client a log message, if [`ServerBuilder::logging`] allows it and the client wants messages of this
    /// level. What does not serialise is not sent.
    ///
    /// Of more than 32 messages that wait to be sent the oldest are dropped: nothing is sent while a tool runs without an
    /// `await`.
    ///
    /// This is for whoever uses the client: nothing belongs here that they must not see. The server's own log is
    /// `tracing`.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging>
    ///
    /// [`ServerBuilder::logging`]: crate::ServerBuilder::logging
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        if self.hears_log(level)
            && let Ok(data) = serde_json::to_value(data)
        {
            self.0.notices.log(level, data);
        }
    }

    fn hears_log(&self, level: LogLevel) -> bool {
        let asked = || self.meta(LOG_LEVEL).and_then(|level| serde_json::from_value(level).ok());
        let from = match self.0.hearing.logs {
            _ if !self.0.hearing.stream => None,
            Logs::None => None,
            Logs::From(level) => Some(level),
            Logs::AsRequested => *self.0.log_level.get_or_init(asked),
        };
        from.is_some_and(|from| level >= from)
    }

    /// Ready when the call is given up: its client left, where the revision says that this cancels a call, the call's
    /// deadline passed, or the tool panicked. Not ready, ever, for a call that is answered.
    ///
    /// The tool itself is dropped then; this is for what it started and handed a clone of the context.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/cancellation>
    pub async fn cancelled(&self) {
        self.0.notices.given_up().await;
    }

    /// Whether the call was given up. See [`cancelled`](Self::cancelled).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.notices.is_given_up()
    }

    /// Whether the client hears what is said before the response.
    pub(crate) fn streams(&self) -> bool {
        self.0.hearing.stream
    }

    pub(crate) fn next_notification(&self) -> Option<Notification> {
        self.0.notices.next()
    }

    pub(crate) fn next_notification_or_wake(&self, task: &Context<'_>) -> Option<Notification> {
        self.0.notices.next_or_wake(task)
    }

    /// How far the tool of a task is, if it said so since this was last asked.
    pub(crate) fn take_status(&self) -> Option<String> {
        self.0.notices.take_status()
    }

    /// Lets nothing more be said: the call goes on unheard.
    pub(crate) fn mute(&self) {
        self.0.notices.mute();
    }

    /// Says that the call was answered, and that nothing goes before the answer.
    pub(crate) fn silence(&self) {
        self.0.notices.silence();
    }

    /// Says that the call was answered, or given up.
    pub(crate) fn end(&self, answered: bool) {
        self.0.notices.end(answered);
    }
}
