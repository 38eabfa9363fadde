//! The revisions of the protocol, and every difference between them: the only file that compares revisions.
//!
//! Adding one is a variant and a row; the compiler lists what is left to fill in.

use std::fmt;

use crate::jsonrpc::ErrorCode;

/// A revision of the Model Context Protocol that this crate serves.
///
/// There is no order on purpose: revisions are compared for equality only.
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// 2025-06-18: legacy, opened by `initialize`.
    V2025_06_18,
    /// 2025-11-25: legacy, opened by `initialize`.
    V2025_11_25,
    /// 2026-07-28: modern, every request describes itself in `_meta`.
    V2026_07_28,
}

/// Legacy revisions open with a handshake; in the modern one each request stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

/// The requests that this crate can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Ping,
    Discover,
    ListTools,
    CallTool,
    SetLogLevel,
    ListPrompts,
    GetPrompt,
    ListResources,
    ListTemplates,
    ReadResource,
    Complete,
    Listen,
    GetTask,
    UpdateTask,
    CancelTask,
}

/// How one revision differs from the others. It derives no `PartialEq`: that would count as reading every field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) era: Era,
    /// The requests that exist, if the server declares their feature.
    pub(crate) methods: &'static [Method],
    /// Requests carry `_meta` and mirrored headers.
    pub(crate) self_describing: bool,
    /// Results carry `resultType`, and the server's identity in `_meta`.
    pub(crate) framed_results: bool,
    /// Lists and discovery carry `ttlMs` and `cacheScope`.
    pub(crate) cache_hints: bool,
    /// Tools have `icons`; the server's identity has `icons`, `description` and `websiteUrl`.
    pub(crate) icons: bool,
    /// Structured content and the root of an output schema are objects; anything else is wrapped in one.
    pub(crate) structured_objects_only: bool,
    /// A property's schema is an object, never `true` or `false`.
    pub(crate) no_boolean_properties: bool,
    /// Invalid arguments may be answered as a protocol error, where the server was told to.
    pub(crate) invalid_arguments_may_be_errors: bool,
    /// A request says which log messages it wants to hear. Otherwise a server decides.
    pub(crate) log_level_in_requests: bool,
    /// What a tool asks its client goes into the result, and the answers come with another call.
    pub(crate) asks_in_results: bool,
    /// Forms have no mode, titles of options stand beside them, defaults are for yes or no only; no choice of several, no
    /// pages to visit, no tools in sampling.
    pub(crate) plain_questions: bool,
    /// A page to visit has an id.
    pub(crate) elicitation_ids: bool,
    /// A client that leaves cancels its call.
    pub(crate) leaving_cancels: bool,
    /// The error of a resource that is not there.
    pub(crate) resource_not_found: ErrorCode,
    /// Clients can listen for changes.
    pub(crate) hears_changes: bool,
    /// Clients can take a task for an answer: an extension, which servers declare.
    pub(crate) tasks: bool,
}

const LEGACY_METHODS: &[Method] = &[
    Method::Initialize,
    Method::Ping,
    Method::ListTools,
    Method::CallTool,
    Method::SetLogLevel,
    Method::ListPrompts,
    Method::GetPrompt,
    Method::ListResources,
    Method::ListTemplates,
    Method::ReadResource,
    Method::Complete,
];

static V2025_06_18: Rules = Rules {
    era: Era::Legacy,
    methods: LEGACY_METHODS,
    self_describing: false,
    framed_results: false,
    cache_hints: false,
    icons: false,
    structured_objects_only: true,
    no_boolean_properties: true,
    invalid_arguments_may_be_errors: true,
    log_level_in_requests: false,
    asks_in_results: false,
    plain_questions: true,
    elicitation_ids: false,
    leaving_cancels: false,
    resource_not_found: ErrorCode::ResourceNotFound,
    hears_changes: false,
    tasks: false,
};

static V2025_11_25: Rules = Rules {
    era: Era::Legacy,
    methods: LEGACY_METHODS,
    self_describing: false,
    framed_results: false,
    cache_hints: false,
    icons: true,
    structured_objects_only: true,
    no_boolean_properties: true,
    invalid_arguments_may_be_errors: false,
    log_level_in_requests: false,
    asks_in_results: false,
    plain_questions: false,
    elicitation_ids: true,
    leaving_cancels: false,
    resource_not_found: ErrorCode::ResourceNotFound,
    hears_changes: false,
    tasks: false,
};

static V2026_07_28: Rules = Rules {
    era: Era::Modern,
    methods: &[
        Method::Discover,
        Method::ListTools,
        Method::CallTool,
        Method::ListPrompts,
        Method::GetPrompt,
        Method::ListResources,
        Method::ListTemplates,
        Method::ReadResource,
        Method::Complete,
        Method::Listen,
        Method::GetTask,
        Method::UpdateTask,
        Method::CancelTask,
    ],
    self_describing: true,
    framed_results: true,
    cache_hints: true,
    icons: true,
    structured_objects_only: false,
    no_boolean_properties: false,
    invalid_arguments_may_be_errors: false,
    log_level_in_requests: true,
    asks_in_results: true,
    plain_questions: false,
    elicitation_ids: false,
    leaving_cancels: true,
    resource_not_found: ErrorCode::InvalidParams,
    hears_changes: true,
    tasks: true,
};

impl Revision {
    /// Every revision, newest first.
    pub const ALL: [Self; 3] = [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18];

    /// The revision of this protocol version string, exactly.
    #[must_use]
    pub fn parse(protocol_version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == protocol_version)
    }

    /// The protocol version string: the date of the revision.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub(crate) fn rules(self) -> &'static Rules {
        match self {
            Self::V2025_06_18 => &V2025_06_18,
            Self::V2025_11_25 => &V2025_11_25,
            Self::V2026_07_28 => &V2026_07_28,
        }
    }

    pub(crate) fn is_legacy(self) -> bool {
        self.rules().era == Era::Legacy
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Method {
    /// The method of this name, in whichever revision it exists.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "initialize" => Self::Initialize,
            "ping" => Self::Ping,
            "server/discover" => Self::Discover,
            "tools/list" => Self::ListTools,
            "tools/call" => Self::CallTool,
            "logging/setLevel" => Self::SetLogLevel,
            "prompts/list" => Self::ListPrompts,
            "prompts/get" => Self::GetPrompt,
            "resources/list" => Self::ListResources,
            "resources/templates/list" => Self::ListTemplates,
            "resources/read" => Self::ReadResource,
            "completion/complete" => Self::Complete,
            "subscriptions/listen" => Self::Listen,
            "tasks/get" => Self::GetTask,
            "tasks/update" => Self::UpdateTask,
            "tasks/cancel" => Self::CancelTask,
            _ => return None,
        })
    }
}

/// Whether a version string is the date of a revision from before the modern era, known here or not.
pub(crate) fn is_legacy_date(protocol_version: &str) -> bool {
    let is_date = protocol_version.len() == 10
        && protocol_version.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    // Dates written this way sort like their texts.
    is_date && protocol_version < Revision::V2026_07_28.as_str()
}

/// One value for each revision.
#[derive(Debug, Clone, Default)]
pub(crate) struct PerRevision<T> {
    v2025_06_18: T,
    v2025_11_25: T,
    v2026_07_28: T,
}

impl<T> PerRevision<T> {
    pub(crate) fn new(make: impl Fn(Revision) -> T) -> Self {
        Self {
            v2025_06_18: make(Revision::V2025_06_18),
            v2025_11_25: make(Revision::V2025_11_25),
            v2026_07_28: make(Revision::V2026_07_28),
        }
    }

    pub(crate) fn get(&self, revision: Revision) -> &T {
        match revision {
            Revision::V2025_06_18 => &self.v2025_06_18,
            Revision::V2025_11_25 => &self.v2025_11_25,
            Revision::V2026_07_28 => &self.v2026_07_28,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_for_equality() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
        for other in ["", "2025-03-26", "2026-07-29", "2026-07-28 ", "2026-7-28"] {
            assert_eq!(Revision::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_legacy_date_is_a_date_before_the_modern_era() {
        for legacy in ["1900-01-01", "2024-11-05", "2025-03-26", "2025-11-25", "2026-07-27"] {
            assert!(is_legacy_date(legacy), "{legacy}");
        }
        for other in ["2026-07-28", "2027-01-01", "draft", "2025-1-1", "2025-11-25x", "２０２５-11-25"] {
            assert!(!is_legacy_date(other), "{other}");
        }
    }
}
