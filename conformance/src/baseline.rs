//! What is known to fail.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Revision;
use crate::report::{Report, RuleResult};
use crate::rules;

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
    /// When it cannot be read, or is no baseline.
    pub fn load(path: &Path) -> Result<Self, BadBaseline> {
        crate::file::read(path).map_err(|reason| BadBaseline { path: path.to_owned(), reason })
    }

    /// What a report says of failures now. Reasons that were [applied](Self::apply) stay.
    pub fn of(report: &Report) -> Self {
        let entry = |result: &RuleResult| Entry {
            revision: result.revision,
            rule: result.rule.id.to_owned(),
            reason: result.known.clone().unwrap_or_else(|| result.outcome.reason().to_owned()),
        };
        Self(report.results.iter().filter(|result| result.outcome.name() == "fail").map(entry).collect())
    }

    /// Those of this one that a report has nothing to say of, with all of another: where a part of the rules was checked.
    #[must_use]
    pub fn kept(self, report: &Report, other: Self) -> Self {
        let kept = self.0.into_iter().filter(|entry| {
            !report.wanted(entry.revision, &entry.rule) && rules::all().any(|rule| rule.id == entry.rule)
        });
        let mut all: Vec<Entry> = kept.chain(other.0).collect();
        all.sort_by(|one, other| (one.revision, &one.rule).cmp(&(other.revision, &other.rule)));
        Self(all)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Marks what is known in a report, and tells it what is known but does not fail.
    ///
    /// What was not to be checked is not told, nor what would have been when the check was stopped.
    pub fn apply(&self, report: &mut Report) {
        for entry in &self.0 {
            let wanted = report.wanted(entry.revision, &entry.rule);
            let is = |it: &&mut RuleResult| it.revision == entry.revision && it.rule.id == entry.rule;
            let result = report.results.iter_mut().find(is);
            let now = match result {
                Some(result) if result.outcome.name() == "fail" => {
                    result.known = Some(entry.reason.clone());
                    continue;
                }
                Some(result) => match result.outcome.name() {
                    "pass" => "passes",
                    "warn" => "is no more than a warning",
                    _ => "does not apply",
                },
                None if !rules::all().any(|rule| rule.id == entry.rule) => {
                    "is no rule: see `mcp-conformance list`"
                }
                None if report.stopped.is_some() || !wanted => continue,
                None if !report.checked.contains(&entry.revision) => {
                    "was not checked: the revision is not spoken"
                }
                None => "is not in this revision",
            };
            report.stale.push(format!("{} {} {now}", entry.revision, entry.rule));
        }
    }
}
