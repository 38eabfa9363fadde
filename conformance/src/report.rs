//! What a check found.

mod document;
mod html;
mod junit;
mod terminal;

use std::fmt;
use std::time::Duration;

use crate::Revision;
use crate::exchange::Exchange;
use crate::rules::{Outcome, Rule};

pub use terminal::Terminal;

/// All results of one run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Where the server is.
    pub url: String,
    /// Its name and version, as it tells them.
    pub server: Option<String>,
    /// In which revisions it was checked.
    pub checked: Vec<Revision>,
    /// In which it could not be.
    pub unchecked: Vec<Unchecked>,
    /// Why the check ended before its end.
    pub stopped: Option<String>,
    /// What a baseline has that does not fail.
    pub stale: Vec<String>,
    /// By revision, area and rule.
    pub results: Vec<RuleResult>,
    /// How long it took.
    pub took: Duration,
}

/// A revision that could not be checked.
#[derive(Debug, Clone)]
pub struct Unchecked {
    /// Which.
    pub revision: Revision,
    /// Why.
    pub reason: String,
}

/// What became of a rule in a revision.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleResult {
    /// The rule.
    pub rule: &'static Rule,
    /// The revision.
    pub revision: Revision,
    /// What became of it.
    pub outcome: Outcome,
    /// Why a failure is known, where a baseline has it.
    pub known: Option<String>,
    /// What was said.
    pub exchanges: Vec<Exchange>,
}

impl Report {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            server: None,
            checked: Vec::new(),
            unchecked: Vec::new(),
            stopped: None,
            stale: Vec::new(),
            results: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Whether the server was checked to the end, and nothing failed that is not known.
    pub fn is_good(&self) -> bool {
        self.is_whole() && self.stale.is_empty() && self.failures().next().is_none()
    }

    /// Whether the server could be checked, to the end.
    pub fn is_whole(&self) -> bool {
        !self.checked.is_empty() && self.unchecked.is_empty() && self.stopped.is_none()
    }

    /// What failed and is not known.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> {
        self.results
            .iter()
            .filter(|result| matches!(result.outcome, Outcome::Fail(_)) && result.known.is_none())
    }

    /// Everything, as JSON. Credentials are redacted.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&document::of(self)).unwrap_or_default()
    }

    /// A page for a browser, which needs no other file. Credentials are redacted.
    pub fn to_html(&self) -> String {
        html::page(&document::of(self))
    }

    /// A report as programs of continuous integration read it. Credentials are redacted.
    pub fn to_junit(&self) -> String {
        junit::report(self)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Terminal::plain().write(self, f)
    }
}
