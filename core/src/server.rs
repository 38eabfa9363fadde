//! The protocol as a function: a request goes in, and out comes an answer, or a [`Call`] to run for one.
//!
//! ```text
//! receive ── accept: HTTP → message, in one fixed order of checks
//!         ── route:  which method, and who answers it ─┬─ Step::Respond(response)
//!                                                      └─ Step::Call(call, exchange)
//! call.start(runtime).await ── find: session, look-up, headers, capabilities, arguments → running
//! running.poll_next(…) ── runs a job: a tool, a prompt, the reading of a resource; or listens
//!                      ── Event::Notification(…), any number of them: exchange.open() → an event stream
//!                      ── Event::Outcome(outcome), last
//! response ← project: newest shape → the caller's revision ← exchange.finish(outcome)
//! ```
//!
//! A tool that asks its client ends its try. `ask` puts the question into the result; for older revisions `asking` sends it
//! as a message before the response, the answer arrives in a request of its own through the `mailbox`, and the tool is
//! called again.
//!
//! A tool that opted in and is not ready at once becomes a task: the client gets a handle, and `tasks` goes on with the tool,
//! keeps what comes of it, and answers whoever asks.
//!
//! Changes come from sets and from the application through the `ChangeSource`, and `subscriptions` keeps them for each
//! client that listens until it reads.
//!
//! Nothing here waits, but for what the application's own registry makes a [`Call`] wait for.

mod accept;
mod ask;
mod asking;
mod authorize;
mod builder;
mod call;
mod complete;
mod cors;
mod exchange;
mod find;
mod job;
mod list;
mod listen;
mod mailbox;
mod offers;
mod project;
mod rejection;
mod route;
mod running;
mod session;
mod subscriptions;
mod tasks;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};

pub use self::builder::{BuildError, HeaderMode, LegacyDates, ServerBuilder};
pub use self::call::{Call, Outcome};
pub use self::exchange::{EventStream, Exchange};
pub use self::running::{Event, Running};
pub use self::tasks::TaskRun;

use self::accept::{Accepted, accept};
use self::builder::Settings;
use self::call::Question;
use self::mailbox::Mailbox;
use self::offers::Offers;
use self::project::Prepared;
use self::rejection::Rejection;
use self::subscriptions::Subscriptions;
use self::tasks::Tasks;
use crate::change::{Change, ChangeSource, OnChange};
use crate::origin::Connection;
use crate::prompt::PromptRegistry;
use crate::resource::ResourceRegistry;
use crate::revision::PerRevision;
use crate::runtime::Runtime;
use crate::seal::SealingKey;
use crate::tool::ToolRegistry;

/// An MCP server: the tools of an application, and how they are served. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

struct Shared {
    settings: Settings,
    tools: Option<Arc<dyn ToolRegistry>>,
    prompts: Option<Arc<dyn PromptRegistry>>,
    resources: Option<Arc<dyn ResourceRegistry>>,
    offers: Offers,
    changes: Arc<dyn ChangeSource>,
    subscriptions: Arc<Subscriptions>,
    tasks: Arc<Tasks>,
    /// Held, so that changes are heard of as long as the server is there.
    #[expect(dead_code, reason = "held")]
    listeners: [OnChange; 2],
    prepared: PerRevision<Prepared>,
    closed: AtomicBool,
    calls: AtomicUsize,
    drawn_key: OnceLock<SealingKey>,
    mailbox: Mailbox,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

impl Shared {
    fn sealing_key(&self, runtime: &dyn Runtime) -> &SealingKey {
        let draw = || {
            let mut bytes = [0; 32];
            runtime.random(&mut bytes);
            SealingKey::new(bytes)
        };
        self.settings.sealing_key.as_ref().unwrap_or_else(|| self.drawn_key.get_or_init(draw))
    }
}

/// What to do for a request.
#[must_use = "a request waits for its answer"]
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "moved once, on the stack; a box would be one allocation a request"
)]
pub enum Step {
    /// Send this: the request is answered.
    Respond(Response<Bytes>),
    /// Run the call, and let the exchange make a response of its outcome.
    Call(Call, Exchange),
}

impl Server {
    /// Starts a server of this name and version, which clients show and log.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Takes a request. A pure function of its arguments and the server: it never panics, waits, or reads a clock.
    ///
    /// The body must be whole, or longer than [`body_limit`](Self::body_limit).
    pub fn receive(&self, request: Request<Bytes>, connection: Connection) -> Step {
        let (head, body) = request.into_parts();
        let origin = self.0.settings.cors.origin_of(&head.headers);
        let response = match accept(&self.0.settings, &head, &body, connection) {
            _ if self.0.closed.load(Ordering::Relaxed) => Rejection::closed().into_response(),
            Ok(Accepted::Request(incoming)) => {
                let exchange = Exchange::new(self.0.clone(), &incoming, connection.host, origin);
                return route::route(exchange, incoming, head, body.clone(), connection);
            }
            Ok(Accepted::Message(message)) => {
                // Only a session says whether the message is from somebody who may send it.
                match message.revision.filter(|_| route::opens_session(&self.0, connection, &head.headers)) {
                    Some(revision) => {
                        let exchange = Exchange::of_message(self.0.clone(), revision, origin);
                        let answers = message.answers.map(|(id, result)| (id, result.map(str::to_owned)));
                        let call = Call {
                            server: self.0.clone(),
                            question: Question::Message(answers),
                            in_session: true,
                            revision,
                            body: body.clone(),
                            head,
                            connection,
                            streams: false,
                        };
                        return Step::Call(call, exchange);
                    }
                    None => exchange::accepted(),
                }
            }
            Ok(Accepted::Preflight) => cors::preflight(&head.headers),
            Err(rejection) => rejection.into_response(),
        };
        Step::Respond(cors::allow(response, origin))
    }

    /// Whether only who has a bearer token is let in.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        self.0.settings.auth.is_some()
    }

    /// Where clients look for the metadata of this server's endpoint, which is mounted at a path: for adapters, and for routers
    /// of your own. `None` where nobody needs a token.
    #[must_use]
    pub fn metadata_path(&self, endpoint: &str) -> Option<String> {
        self.0.settings.auth.as_ref().map(|auth| auth.metadata_path(endpoint))
    }

    /// Checks the token of a request, where [`bearer_auth`](ServerBuilder::bearer_auth) asks for one, and leaves what it
    /// grants in the extensions. [`McpService`](crate::McpService) does this before it reads the body; whoever drives the
    /// protocol by hand does it before [`receive`](Self::receive).
    ///
    /// # Errors
    /// The answer to send instead: 401, 403, or the metadata that was asked for.
    pub async fn authorize(&self, head: &mut Parts) -> Result<(), Response<Bytes>> {
        authorize::authorize(&self.0.settings, head).await
    }

    /// The longest body that is accepted, in bytes. Transports need not read more than one byte past it.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.0.settings.body_limit
    }

    /// How long an answer may stay silent.
    pub(crate) fn keep_alive(&self) -> Option<std::time::Duration> {
        self.0.settings.keep_alive
    }

    /// How long a call may take.
    pub(crate) fn deadline(&self) -> Option<std::time::Duration> {
        self.0.settings.deadline
    }

    /// How many calls are running now, those whose clients left and [tasks](crate::task) included: zero when a [closed](Self::close) server has
    /// nothing left to do.
    #[must_use]
    pub fn running_calls(&self) -> usize {
        self.0.calls.load(Ordering::Relaxed)
    }

    /// Tells clients that listen of a change, for registries that do not do so themselves.
    pub fn announce(&self, change: Change) {
        self.0.changes.publish(change);
    }

    /// Tells clients that listen that the resource at this URI has other contents now.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.announce(Change::Resource(uri.into()));
    }

    /// Ends the service: requests from now on are answered 503, calls that run are answered as usual, and subscriptions
    /// end. [Tasks](crate::task) go on, as long as the process does.
    ///
    /// To be called when the process is asked to stop, before the web server is.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Relaxed);
        self.0.subscriptions.close();
    }
}
