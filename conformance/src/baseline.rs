//! What is known to fail.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Revision;
use crate::report::Report;

/// Failures that are known, with their reasons: a list in JSON.
///
/// ```json
/// [{ "revision": "2025-11-25", "rule": "origin-refused", "reason": "a proxy does this" }]
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Baseline(Vec<Entry>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    revision: Revision,
    rule: String,
    reason: String,
}

/// Why a file is no baseline.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BadBaseline {
    path: PathBuf,
    reason: String,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is no baseline, or names a rule that there is not.
    pub fn load(path: &Path) -> Result<Self, BadBaseline> {
        let bad = |reason: String| BadBaseline { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        let baseline: Self = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        for entry in &baseline.0 {
            if !crate::rules::all().any(|rule| rule.id == entry.rule) {
                return Err(bad(format!("there is no rule \"{}\": see mcp-conformance list", entry.rule)));
            }
        }
        Ok(baseline)
    }

    /// What a report says of failures now.
    pub fn of(report: &Report) -> Self {
        let entry = |result: &crate::report::RuleResult| Entry {
            revision: result.revision,
            rule: result.rule.id.to_owned(),
            reason: result.known.clone().unwrap_or_else(|| result.outcome.reason().to_owned()),
        };
        Self(report.results.iter().filter(|result| result.outcome.name() == "fail").map(entry).collect())
    }

    /// Marks what is known in a report, and tells it what is known but did not fail.
    pub fn apply(&self, report: &mut Report) {
        for entry in &self.0 {
            let result = report
                .results
                .iter_mut()
                .find(|it| it.revision == entry.revision && it.rule.id == entry.rule);
            match result {
                Some(result) if result.outcome.name() == "fail" => result.known = Some(entry.reason.clone()),
                other => {
                    let now = other.map_or("was not checked", |result| match result.outcome.name() {
                        "pass" => "passes",
                        "warn" => "is a warning",
                        _ => "does not apply",
                    });
                    report.stale.push(format!("{} {} {now}", entry.revision, entry.rule));
                }
            }
        }
    }
}
