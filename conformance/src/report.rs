//! What a check found.

mod document;
mod html;
mod junit;
mod secrets;
mod terminal;

use std::fmt;
use std::time::Duration;

use crate::Revision;
use crate::exchange::Exchange;
use crate::rules::{Outcome, Rule};
use crate::session::Redaction;
use crate::target::Target;

use secrets::Secrets;
pub use terminal::Terminal;

/// All results of one run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Where the server is. Credentials in it are redacted, as they are in all that follows.
    pub url: String,
    /// Its name and version, as it tells them.
    pub server: Option<String>,
    /// In which revisions it was checked.
    pub checked: Vec<Revision>,
    /// In which it could not be.
    pub unchecked: Vec<Unchecked>,
    /// Why the check ended before its end, or did not begin.
    pub stopped: Option<String>,
    /// Which rules this program failed to check, by a fault of its own.
    pub faults: Vec<String>,
    /// What whoever asked should know, such as a tool of the profile that is not there.
    pub notes: Vec<String>,
    /// What a baseline has that does not fail.
    pub stale: Vec<String>,
    /// By revision, area and rule.
    pub results: Vec<RuleResult>,
    /// How long it took.
    pub took: Duration,
    target: Target,
    secrets: Secrets,
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
    /// How long it took. What others said is judged in no time.
    pub took: Duration,
}

impl Report {
    pub(crate) fn new(target: &Target) -> Self {
        let secrets = Secrets::of(target);
        Self {
            url: secrets.out_of(&Redaction::default().target(target.endpoint.url().as_str())),
            server: None,
            checked: Vec::new(),
            unchecked: Vec::new(),
            stopped: None,
            faults: Vec::new(),
            notes: Vec::new(),
            stale: Vec::new(),
            results: Vec::new(),
            took: Duration::ZERO,
            target: target.clone(),
            secrets,
        }
    }

    /// Takes credentials out of all reasons, and what is too long.
    pub(crate) fn clean(&mut self) {
        let reasons = self.results.iter_mut().filter_map(|result| match &mut result.outcome {
            Outcome::Pass => None,
            Outcome::Fail(reason) | Outcome::Warn(reason) | Outcome::NotApplicable(reason) => Some(reason),
        });
        let unchecked = self.unchecked.iter_mut().map(|unchecked| &mut unchecked.reason);
        let others = self.server.iter_mut().chain(&mut self.stopped).chain(&mut self.faults);
        for text in reasons.chain(unchecked).chain(others) {
            *text = self.secrets.out_of_reason(text);
        }
    }

    /// Whether a rule was to be checked in a revision.
    pub(crate) fn wanted(&self, revision: Revision, rule: &str) -> bool {
        let known = crate::rules::all().find(|known| known.id == rule);
        self.target.asked().contains(&revision) && known.is_none_or(|known| self.target.wants(known))
    }

    /// Whether the server was checked to the end, and nothing failed that is not known.
    pub fn is_good(&self) -> bool {
        self.is_whole() && self.stale.is_empty() && self.failures().next().is_none()
    }

    /// Whether the server could be checked, to the end.
    pub fn is_whole(&self) -> bool {
        let is_told = self.unchecked.is_empty() && self.stopped.is_none() && self.faults.is_empty();
        is_told && !self.checked.is_empty()
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

/// Whether a letter turns the text around it, or is not seen.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Terminal::plain().write(self, f)
    }
}
