//! The rules, in one table.
//!
//! A rule says what a server does, since which revision and by which clause, and has a check that sends what it needs to see
//! it. A pair of a rule and a revision counts by itself: its level and its clause may differ.

mod caching;
mod completion;
mod headers;
mod http;
mod input;
mod json_rpc;
mod lists;
mod opening;
mod origin;
mod prompts;
mod resources;
mod robustness;
mod sessions;
mod shapes;
mod streams;
mod subscriptions;
mod tools;
mod undeclared;
mod versions;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::shapes::Kind;
use crate::{Probe, Revision};

/// One rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name, for baselines and reports: lower case, with hyphens. It never changes.
    pub id: &'static str,
    /// What it is about.
    pub area: Area,
    /// What a server does that keeps it, in a sentence without "should".
    pub says: &'static str,
    /// Where it is written, once for each revision that has it.
    pub clauses: &'static [Clause],
    /// Whether nothing else may be asked meanwhile.
    pub alone: bool,
    pub(crate) judge: Judge,
}

/// How a rule is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Judge {
    /// By asking the server.
    Ask(fn(&Probe<'_>) -> Check),
    /// By the messages of this kind that came while all other rules were judged.
    Seen(Kind),
}

impl Rule {
    const fn new(
        id: &'static str,
        area: Area,
        says: &'static str,
        clauses: &'static [Clause],
        check: fn(&Probe<'_>) -> Check,
    ) -> Self {
        Self { id, area, says, clauses, alone: false, judge: Judge::Ask(check) }
    }

    const fn seen(id: &'static str, says: &'static str, clauses: &'static [Clause], kind: Kind) -> Self {
        Self { id, area: Area::Shapes, says, clauses, alone: false, judge: Judge::Seen(kind) }
    }

    /// Checked while nothing else is asked.
    const fn alone(self) -> Self {
        Self { alone: true, ..self }
    }

    /// The clause of a revision.
    pub fn clause(&self, revision: Revision) -> Option<Clause> {
        self.clauses.iter().copied().find(|clause| clause.revision == revision)
    }
}

/// Where a rule is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clause {
    /// In which revision.
    pub revision: Revision,
    /// How strongly.
    pub level: Level,
    /// The page of the specification with its section, such as `basic/transports#session-management`; or a whole URL.
    pub page: &'static str,
}

impl Clause {
    /// Where it can be read.
    pub fn link(&self) -> String {
        if self.page.starts_with("https://") {
            return self.page.to_owned();
        }
        format!("https://modelcontextprotocol.io/specification/{}/{}", self.revision, self.page)
    }
}

const fn must(revision: Revision, page: &'static str) -> Clause {
    Clause { revision, level: Level::Must, page }
}

const fn should(revision: Revision, page: &'static str) -> Clause {
    Clause { revision, level: Level::Should, page }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
        })
    }
}

/// How strongly something is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// A server that does otherwise is wrong: it fails.
    Must,
    /// A server may have reasons: a warning.
    Should,
    /// A server is free: noted where it is otherwise.
    May,
}

/// What rules are about; reports go by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Area {
    /// Methods, media types, statuses.
    Http,
    /// Messages, ids, notifications.
    JsonRpc,
    /// Which revision is spoken.
    Versions,
    /// Headers that mirror the body.
    Headers,
    /// `Origin` and `Host`.
    Origin,
    /// `initialize`, `server/discover`, capabilities.
    Opening,
    /// Sessions of older revisions.
    Sessions,
    /// Lists and their pages.
    Lists,
    /// Tools: schemas, calls, results.
    Tools,
    /// Prompts.
    Prompts,
    /// Resources.
    Resources,
    /// Completion of arguments.
    Completion,
    /// Event streams, progress, logging.
    Streams,
    /// Questions to the client.
    Input,
    /// Subscriptions and changes.
    Subscriptions,
    /// Caching hints.
    Caching,
    /// What hostile clients send.
    Robustness,
    /// The shape of every message that was seen.
    Shapes,
}

impl Area {
    /// Its name for programs: lower case, with hyphens.
    pub fn name(self) -> String {
        self.to_string().to_ascii_lowercase().replace(' ', "-")
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Http => "HTTP",
            Self::JsonRpc => "JSON-RPC",
            Self::Versions => "versions",
            Self::Headers => "headers",
            Self::Origin => "origin and host",
            Self::Opening => "opening",
            Self::Sessions => "sessions",
            Self::Lists => "lists",
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Completion => "completion",
            Self::Streams => "streams",
            Self::Input => "input",
            Self::Subscriptions => "subscriptions",
            Self::Caching => "caching",
            Self::Robustness => "robustness",
            Self::Shapes => "shapes",
        })
    }
}

/// What a check finds: nothing to complain of, or why not.
pub type Check = Result<(), Outcome>;

/// What became of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "reason")]
pub enum Outcome {
    /// The server keeps it.
    Pass,
    /// The server breaks it, in this way.
    Fail(String),
    /// The server does otherwise, which it may have reasons for.
    Warn(String),
    /// It does not apply to this server, or cannot be seen, for this reason.
    NotApplicable(String),
}

impl Outcome {
    /// Its name: `pass`, `fail`, `warn` or `not-applicable`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Warn(_) => "warn",
            Self::NotApplicable(_) => "not-applicable",
        }
    }

    /// Why, where there is something to say.
    pub fn reason(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(reason) | Self::Warn(reason) | Self::NotApplicable(reason) => reason,
        }
    }
}

/// Ends a check: the rule is broken, in this way. Where it is no MUST, that is a warning.
///
/// # Errors
/// Always.
pub fn fail<T>(how: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::Fail(how.into()))
}

/// Ends a check: the rule does not apply, or cannot be seen here.
///
/// # Errors
/// Always.
pub fn not_applicable<T>(why: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::NotApplicable(why.into()))
}

/// All of them, by area.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        http::RULES,
        prompts::RULES,
        resources::RULES,
        completion::RULES,
        streams::RULES,
        input::RULES,
        subscriptions::RULES,
        caching::RULES,
        undeclared::RULES,
        shapes::RULES,
        json_rpc::RULES,
        versions::RULES,
        headers::RULES,
        origin::RULES,
        opening::RULES,
        sessions::RULES,
        lists::RULES,
        tools::RULES,
        robustness::RULES,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_every_rule_is_somewhere() {
        let mut ids = BTreeSet::new();
        for rule in all() {
            assert!(ids.insert(rule.id), "{} is there twice", rule.id);
            assert!(
                rule.id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')),
                "{}",
                rule.id
            );
            assert!(!rule.clauses.is_empty(), "{} is written nowhere", rule.id);
            let revisions: BTreeSet<Revision> = rule.clauses.iter().map(|clause| clause.revision).collect();
            assert_eq!(revisions.len(), rule.clauses.len(), "{} has two clauses of one revision", rule.id);
        }
    }
}
