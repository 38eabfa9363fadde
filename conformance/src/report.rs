//! What a check found.

use std::fmt;
use std::time::Duration;

use crate::Revision;
use crate::exchange::Exchange;
use crate::rules::{Outcome, Rule};

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
            results: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// Whether the server was checked and nothing failed.
    pub fn is_good(&self) -> bool {
        !self.checked.is_empty() && self.unchecked.is_empty() && self.failures().next().is_none()
    }

    /// What failed.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> {
        self.results.iter().filter(|result| matches!(result.outcome, Outcome::Fail(_)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.url)?;
        for unchecked in &self.unchecked {
            writeln!(f, "{}: not checked: {}", unchecked.revision, unchecked.reason)?;
        }
        for result in self.failures() {
            writeln!(f, "{}, {}: {}", result.revision, result.rule.id, result.outcome.reason())?;
        }
        Ok(())
    }
}
