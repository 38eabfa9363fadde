use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::request::Parts;

use super::cors::Cors;
use super::mailbox::Mailbox;
use super::offers::{Offer, Offers};
use super::project::Prepared;
use super::subscriptions::{Limits, Subscriptions};
use super::tasks::Tasks;
use super::{Server, Shared};
use crate::auth::BearerAuth;
use crate::change::{ChangeListener, ChangeSource, LocalChanges, OnChange};
use crate::context::{Logs, Principal};
use crate::origin::{AccessPolicy, HostPolicy, NotAnOrigin, Origin};
use crate::prompt::PromptRegistry;
use crate::resource::ResourceRegistry;
use crate::revision::{PerRevision, Revision};
use crate::seal::SealingKey;
use crate::task::TaskStore;
use crate::tool::{Repairs, ToolRegistry};
use crate::types::{CacheScope, Icon, Implementation, LogLevel};

const DEFAULT_LIST_TTL: Duration = Duration::from_millis(300_000);
const DEFAULT_STATE_TTL: Duration = Duration::from_millis(3_600_000);
const DEFAULT_KEEP_ALIVE: Duration = Duration::from_millis(15_000);
const MIN_KEEP_ALIVE: Duration = Duration::from_millis(10);
const DEFAULT_BODY_LIMIT: usize = 4 << 20;
const DEFAULT_SUBSCRIPTIONS: Limits = Limits { in_all: 10_000, per_principal: 100 };

/// How strictly the mirrored headers of revision 2026-07-28 are checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HeaderMode {
    /// They must be there and match, as the specification says.
    #[default]
    Strict,
    /// What was sent must match; nothing needs to be sent.
    Lenient,
}

/// What becomes of a request whose header names a revision from before 2026-07-28 that is not served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LegacyDates {
    /// It is refused with 400, as the specification says.
    #[default]
    Exact,
    /// It is served as the oldest revision that is.
    Accept,
}

/// A function of a request's head that says who is calling.
type FindPrincipal = Arc<dyn Fn(&Parts) -> Option<Principal> + Send + Sync>;

pub(super) struct Settings {
    pub(super) info: Implementation,
    pub(super) instructions: Option<String>,
    /// Newest first.
    pub(super) revisions: Vec<Revision>,
    pub(super) list_ttl: Duration,
    pub(super) cache_scope: CacheScope,
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) access: AccessPolicy,
    pub(super) cors: Cors,
    pub(super) header_mode: HeaderMode,
    pub(super) legacy_dates: LegacyDates,
    pub(super) invalid_arguments_are_errors: bool,
    pub(super) repairs: Repairs,
    pub(super) body_limit: usize,
    pub(super) deadline: Option<Duration>,
    pub(super) keep_alive: Option<Duration>,
    pub(super) logging: bool,
    pub(super) legacy_questions: bool,
    pub(super) sealing_key: Option<SealingKey>,
    pub(super) state_ttl: Duration,
    pub(super) subscriptions: Limits,
    pub(super) auth: Option<BearerAuth>,
    principal: Option<FindPrincipal>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("info", &self.info)
            .field("revisions", &self.revisions)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// Every revision of one era that is served, newest first.
    pub(super) fn legacy_revisions(&self) -> impl DoubleEndedIterator<Item = Revision> {
        self.revisions.iter().copied().filter(|revision| revision.is_legacy())
    }

    /// The versions that are served, newest first.
    pub(super) fn supported(&self) -> Vec<&'static str> {
        self.revisions.iter().map(|revision| revision.as_str()).collect()
    }

    pub(super) fn serves(&self, revision: Revision) -> bool {
        self.revisions.contains(&revision)
    }

    /// Which log messages clients of a revision hear. What `logging/setLevel` asks for is not remembered, so those are
    /// told what is worth telling anybody.
    pub(super) fn logs(&self, revision: Revision) -> Logs {
        match (self.logging, revision.rules().log_level_in_requests) {
            (false, _) => Logs::None,
            (true, true) => Logs::AsRequested,
            (true, false) => Logs::From(LogLevel::Info),
        }
    }

    pub(super) fn principal_of(&self, head: &Parts) -> Option<Principal> {
        match &self.principal {
            Some(find) => find(head),
            None => head.extensions.get().cloned(),
        }
    }
}

/// Sets up a [`Server`].
#[must_use = "a builder does nothing before `build`"]
pub struct ServerBuilder {
    settings: Settings,
    tools: Option<Arc<dyn ToolRegistry>>,
    prompts: Option<Arc<dyn PromptRegistry>>,
    resources: Option<Arc<dyn ResourceRegistry>>,
    changes: Arc<dyn ChangeSource>,
    /// Whether there are tasks whatever the registry knows.
    has_tasks: bool,
    tasks: Tasks,
    allowed_origins: Vec<String>,
    cors_origins: Vec<String>,
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A server cannot be set up like this.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An origin in a setting is not one.
    #[error(transparent)]
    Origin(#[from] NotAnOrigin),
    /// Tokens are asked for, and nobody is told where to get one.
    #[error("bearer_auth needs an `authorization_server`: clients have to be told where tokens come from")]
    NoAuthorizationServer,
    /// No revision is left to be served.
    #[error("no revision to serve: name at least one in `revisions`")]
    NoRevisions,
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            settings: Settings {
                info: Implementation::new(name, version),
                instructions: None,
                revisions: Revision::ALL.to_vec(),
                list_ttl: DEFAULT_LIST_TTL,
                cache_scope: CacheScope::default(),
                page_size: None,
                access: AccessPolicy::default(),
                cors: Cors::default(),
                header_mode: HeaderMode::default(),
                legacy_dates: LegacyDates::default(),
                invalid_arguments_are_errors: false,
                repairs: Repairs::default(),
                body_limit: DEFAULT_BODY_LIMIT,
                deadline: None,
                keep_alive: Some(DEFAULT_KEEP_ALIVE),
                logging: false,
                legacy_questions: false,
                sealing_key: None,
                state_ttl: DEFAULT_STATE_TTL,
                subscriptions: DEFAULT_SUBSCRIPTIONS,
                auth: None,
                principal: None,
            },
            tools: None,
            prompts: None,
            resources: None,
            changes: Arc::new(LocalChanges::default()),
            has_tasks: false,
            tasks: Tasks::default(),
            allowed_origins: Vec::new(),
            cors_origins: Vec::new(),
        }
    }

    /// Where the tools are. Without this the server has none and says so.
    pub fn tools(mut self, registry: impl ToolRegistry + 'static) -> Self {
        self.tools = Some(Arc::new(registry));
        self
    }

    /// Where the prompts are. Without this the server has none and says so.
    pub fn prompts(mut self, registry: impl PromptRegistry + 'static) -> Self {
        self.prompts = Some(Arc::new(registry));
        self
    }

    /// Where the resources are. Without this the server has none and says so.
    pub fn resources(mut self, registry: impl ResourceRegistry + 'static) -> Self {
        self.resources = Some(Arc::new(registry));
        self
    }

    /// What carries changes to the clients that listen. Default: what changes in this process is heard by its own clients.
    /// Servers of several processes need one that all of them share.
    pub fn changes(mut self, source: impl ChangeSource + 'static) -> Self {
        self.changes = Arc::new(source);
        self
    }

    /// Where [tasks](crate::task) are kept. Default: [`LocalTasks`](crate::task::LocalTasks), if a tool can be one when the
    /// server is built; with this, also for tools that come later.
    pub fn task_store(mut self, store: impl TaskStore + 'static) -> Self {
        self.tasks.store = Arc::new(store);
        self.has_tasks = true;
        self
    }

    /// How long a [task](crate::task) is there, from its beginning. Default: an hour. A tool that still runs then is dropped;
    /// the result of one that is done can be had until then.
    ///
    /// Sent as `ttlMs`, in milliseconds, at least one.
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.tasks.ttl = ttl.max(Duration::from_millis(1));
        self
    }

    /// How often clients should ask how a [task](crate::task) stands. Default: every second.
    ///
    /// Sent as `pollIntervalMs`, in milliseconds, at least one. Nobody is held to it.
    pub fn task_poll_interval(mut self, interval: Duration) -> Self {
        self.tasks.poll_interval = interval;
        self
    }

    /// How many subscriptions may be open at once. Default: 10,000. With 0 clients are told that there is nothing to listen
    /// for.
    ///
    /// Each is an open connection to this process.
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions>
    pub fn max_subscriptions(mut self, limit: usize) -> Self {
        self.settings.subscriptions.in_all = limit;
        self
    }

    /// How many subscriptions one [`Principal`] may have open. Default: 100. Anonymous callers share nothing but the limit
    /// for all.
    pub fn max_subscriptions_per_principal(mut self, limit: usize) -> Self {
        self.settings.subscriptions.per_principal = limit;
        self
    }

    /// Name of the server for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.info.title = Some(title.into());
        self
    }

    /// What the server is, in a sentence. Not sent to 2025-06-18.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.settings.info.description = Some(description.into());
        self
    }

    /// Where to read more about the server. Not sent to 2025-06-18.
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.settings.info.website_url = Some(url.into());
        self
    }

    /// Adds a picture of the server. Not sent to 2025-06-18.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.settings.info.icons.push(icon);
        self
    }

    /// How to use the tools together: a text for the model. An empty one is not sent.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings.instructions = Some(instructions.into()).filter(|text| !text.is_empty());
        self
    }

    /// The revisions to serve, in any order. Default: all.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        let wanted: Vec<Revision> = revisions.into_iter().collect();
        self.settings.revisions =
            Revision::ALL.into_iter().filter(|revision| wanted.contains(revision)).collect();
        self
    }

    /// How long clients may keep a list answer before asking again. Default: 5 minutes.
    ///
    /// Sent as `ttlMs`, in milliseconds, on revisions that have it; fractions of a millisecond are dropped.
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.settings.list_ttl = ttl;
        self
    }

    /// Who may reuse cached answers. Default: anybody. Lists that a registry makes per caller are always private.
    pub fn cache_scope(mut self, scope: CacheScope) -> Self {
        self.settings.cache_scope = scope;
        self
    }

    /// How many tools a page of `tools/list` has. Default: all on one page.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination>
    pub fn page_size(mut self, tools: NonZeroUsize) -> Self {
        self.settings.page_size = Some(tools);
        self
    }

    /// Allows requests from pages of another origin, such as `https://app.example`; `null` must be named to be
    /// allowed. Pages on the host of the server itself always are. To let a page *read* answers use
    /// [`cors_origin`](Self::cors_origin).
    pub fn allowed_origin(mut self, origin: impl Into<String>) -> Self {
        self.allowed_origins.push(origin.into());
        self
    }

    /// Allows pages of another origin to send requests and read the answers (CORS). Preflights are answered, and no
    /// credentials are allowed: tokens come in headers.
    ///
    /// Source: <https://fetch.spec.whatwg.org/#http-cors-protocol>
    pub fn cors_origin(mut self, origin: impl Into<String>) -> Self {
        self.cors_origins.push(origin.into());
        self
    }

    /// Which names in `Host` are served. Default: [`HostPolicy::Auto`].
    pub fn host_policy(mut self, policy: HostPolicy) -> Self {
        self.settings.access.host = policy;
        self
    }

    /// Serves these names in `Host`: `example.com`, or `example.com:8443` for one port. For a proxy on this machine.
    pub fn allowed_hosts(self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.host_policy(HostPolicy::List(hosts.into_iter().map(Into::into).collect()))
    }

    /// How strictly mirrored headers are checked. Default: [`HeaderMode::Strict`].
    pub fn header_mode(mut self, mode: HeaderMode) -> Self {
        self.settings.header_mode = mode;
        self
    }

    /// What becomes of requests in old revisions that are not served. Default: [`LegacyDates::Exact`].
    pub fn legacy_dates(mut self, dates: LegacyDates) -> Self {
        self.settings.legacy_dates = dates;
        self
    }

    /// Answers invalid arguments with a protocol error on 2025-06-18, as its text says, instead of a result with
    /// `isError`, which models can read and later revisions require. Default: `false`.
    pub fn invalid_arguments_are_errors(mut self, yes: bool) -> Self {
        self.settings.invalid_arguments_are_errors = yes;
        self
    }

    /// Which arguments are taken although they are not what the schema says. Default: [`Repairs::ALL`].
    pub fn repairs(mut self, repairs: Repairs) -> Self {
        self.settings.repairs = repairs;
        self
    }

    /// The longest body that is accepted, in bytes. Default: 4 MiB. Longer ones are answered 413.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.settings.body_limit = bytes;
        self
    }

    /// How long a call may take before it is dropped and answered with `isError`. Default: as long as it takes.
    ///
    /// A call on an open event stream goes on as fast as its client reads: one that stops reading is the web server's to
    /// cut, with its time-out for writing.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = Some(deadline);
        self
    }

    /// How long an answer may stay silent before something is sent to keep the connection. Default: 15 seconds; `None`
    /// sends nothing.
    ///
    /// It counts from when the tool is found: looking one up, and listing, may still end in another status.
    ///
    /// The response becomes an event stream then, for clients that take one. It is also how most web servers notice that
    /// a client has left, which ends its call in revisions where it does. Not shorter than 10 milliseconds.
    pub fn keep_alive(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.settings.keep_alive = interval.into().map(|interval| interval.max(MIN_KEEP_ALIVE));
        self
    }

    /// Lets tools [ask](crate::input) clients of 2025-06-18 and 2025-11-25 too. Default: `false`.
    ///
    /// Such a client says only once what it can be asked, when it opens a session, so it gets a session id. Nothing is
    /// stored: the id is sealed, and holds what the client said. The client answers in a request of its own, which has to
    /// reach the process that asked: several processes need sticky routing.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management>
    pub fn legacy_questions(mut self, yes: bool) -> Self {
        self.settings.legacy_questions = yes;
        self
    }

    /// The key under which sessions are sealed, and a tool's state while its client looks for answers. Default: one that is
    /// drawn when it is first needed, which no other process knows. Servers of several processes need one key for all.
    pub fn sealing_key(mut self, key: SealingKey) -> Self {
        self.settings.sealing_key = Some(key);
        self
    }

    /// How long a client may take to come back with answers, where a tool keeps a state meanwhile. Default: an hour.
    pub fn state_ttl(mut self, ttl: Duration) -> Self {
        self.settings.state_ttl = ttl;
        self
    }

    /// Declares that tools send log messages to clients, with [`CallContext::log`](crate::CallContext::log). Without it
    /// none is sent. Default: `false`.
    ///
    /// Clients of 2026-07-28 name a level in each request, and hear nothing unless they do; older ones hear `info` and
    /// above, since nothing is stored of what they set.
    pub fn logging(mut self, yes: bool) -> Self {
        self.settings.logging = yes;
        self
    }

    /// Lets in only who has a bearer token, and tells clients where to get one. See [`auth`](crate::auth). Default: anybody is
    /// let in, or whom the application's own middleware lets through.
    pub fn bearer_auth(mut self, auth: BearerAuth) -> Self {
        self.settings.auth = Some(auth);
        self
    }

    /// Who is calling, by the head of the request. Default: the [`Principal`] that middleware left in the extensions.
    pub fn principal(mut self, find: impl Fn(&Parts) -> Option<Principal> + Send + Sync + 'static) -> Self {
        self.settings.principal = Some(Arc::new(find));
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// When an origin is not one, no revision is left, or tokens are asked for that come from nowhere.
    pub fn build(self) -> Result<Server, BuildError> {
        let Self {
            mut settings,
            tools,
            prompts,
            resources,
            changes,
            has_tasks,
            tasks,
            allowed_origins,
            cors_origins,
        } = self;
        if settings.revisions.is_empty() {
            return Err(BuildError::NoRevisions);
        }
        if settings.auth.as_ref().is_some_and(|auth| !auth.is_complete()) {
            return Err(BuildError::NoAuthorizationServer);
        }
        let parse = |origins: Vec<String>| {
            origins.iter().map(|origin| Origin::parse(origin)).collect::<Result<Vec<_>, _>>()
        };
        let cors = parse(cors_origins)?;
        settings.access.origins = parse(allowed_origins)?;
        settings.access.origins.extend(cors.iter().cloned());
        settings.cors = Cors::new(cors);
        let subscriptions = Arc::new(Subscriptions::default());
        let tasks = Arc::new(tasks);
        let hear: OnChange = {
            let (subscriptions, tasks) = (subscriptions.clone(), tasks.clone());
            Arc::new(move |change| {
                tasks.deliver(change);
                subscriptions.deliver(change);
            })
        };
        changes.subscribe(ChangeListener::new(&hear));
        let tell: OnChange = {
            let changes = changes.clone();
            Arc::new(move |change| changes.publish(change.clone()))
        };
        let listener = ChangeListener::new(&tell);
        let offers = Offers {
            tools: Offer::of(tools.as_ref(), |tools| tools.watch(&listener)),
            prompts: Offer::of(prompts.as_ref(), |prompts| prompts.watch(&listener)),
            resources: Offer::of(resources.as_ref(), |resources| resources.watch(&listener)),
            completions: prompts.as_ref().is_some_and(|prompts| prompts.completes())
                || resources.as_ref().is_some_and(|resources| resources.completes()),
            tasks: has_tasks || tools.as_ref().is_some_and(|tools| tools.has_tasks()),
        };
        let prepared = PerRevision::new(|revision| Prepared::new(&settings, &offers, revision));
        Ok(Server(Arc::new(Shared {
            settings,
            tools,
            prompts,
            resources,
            offers,
            prepared,
            changes,
            subscriptions,
            tasks,
            listeners: [hear, tell],
            closed: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
            drawn_key: OnceLock::new(),
            mailbox: Mailbox::default(),
        })))
    }
}
