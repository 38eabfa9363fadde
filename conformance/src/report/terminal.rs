//! A report to be read in a terminal.

use std::collections::BTreeMap;
use std::fmt;

use anstyle::{AnsiColor, Style};

use super::{Report, RuleResult};
use crate::Revision;
use crate::rules::{Area, Outcome};

/// How a report is written as text.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// With colours.
    pub colours: bool,
    /// No more than what is wrong, and the total.
    pub quiet: bool,
    /// What does not apply, too.
    pub verbose: bool,
}

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

impl Terminal {
    /// Without colours.
    pub fn plain() -> Self {
        Self { colours: false, quiet: false, verbose: false }
    }

    /// Writes a report.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        if !self.quiet {
            self.table(report, out)?;
        }
        for result in &report.results {
            match (&result.outcome, &result.known) {
                (Outcome::Fail(reason), None) => self.finding(out, RED, "FAIL", result, reason)?,
                (Outcome::Fail(_), Some(known)) if !self.quiet => {
                    self.finding(out, DIM, "known", result, known)?
                }
                (Outcome::Warn(reason), _) if !self.quiet => {
                    self.finding(out, YELLOW, "warn", result, reason)?
                }
                (Outcome::NotApplicable(reason), _) if self.verbose => {
                    self.finding(out, DIM, "n/a", result, reason)?;
                }
                _ => {}
            }
        }
        for unchecked in &report.unchecked {
            let (start, end) = self.style(RED);
            writeln!(out, "{start}not checked{end}  {}: {}", unchecked.revision, unchecked.reason)?;
        }
        for entry in &report.stale {
            let (start, end) = self.style(RED);
            writeln!(out, "{start}stale{end}  the baseline has {entry}: take it out")?;
        }
        if let Some(why) = &report.stopped {
            let (start, end) = self.style(RED);
            writeln!(out, "{start}stopped{end}  {why}; what was found until then is told")?;
        }
        self.total(report, out)
    }

    fn style(self, style: Style) -> (String, String) {
        if self.colours {
            (style.render().to_string(), style.render_reset().to_string())
        } else {
            (String::new(), String::new())
        }
    }

    /// How many rules of each area are kept in each revision.
    fn table(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        let server = report.server.as_deref().unwrap_or("a server without a name");
        writeln!(out, "{server} at {}\n", report.url)?;
        let mut areas: BTreeMap<(Area, Revision), (usize, usize, usize)> = BTreeMap::new();
        for result in &report.results {
            let count = areas.entry((result.rule.area, result.revision)).or_default();
            let count = match (&result.outcome, &result.known) {
                (Outcome::Pass, _) => &mut count.0,
                (Outcome::Fail(_), None) => &mut count.1,
                (Outcome::Warn(_) | Outcome::Fail(_), _) => &mut count.2,
                (Outcome::NotApplicable(_), _) => continue,
            };
            *count = count.saturating_add(1);
        }
        if areas.is_empty() {
            return Ok(());
        }
        write!(out, "{:<16}", "")?;
        for revision in &report.checked {
            write!(out, "  {revision:<18}")?;
        }
        writeln!(out)?;
        let mut names: Vec<Area> = areas.keys().map(|(area, _)| *area).collect();
        names.dedup();
        for area in names {
            write!(out, "{area:<16}")?;
            for revision in &report.checked {
                let (cell, style) = match areas.get(&(area, *revision)) {
                    None => ("–".to_owned(), DIM),
                    Some((passed, 0, 0)) => (format!("{passed} ok"), GREEN),
                    Some((passed, 0, warned)) => (format!("{passed} ok, {warned} warn"), YELLOW),
                    Some((passed, failed, 0)) => (format!("{passed} ok, {failed} FAIL"), RED),
                    Some((passed, failed, warned)) => {
                        (format!("{passed} ok, {failed} FAIL, {warned} w"), RED)
                    }
                };
                let (start, end) = self.style(style);
                write!(out, "  {start}{cell:<18}{end}")?;
            }
            writeln!(out)?;
        }
        writeln!(out)
    }

    fn finding(
        self,
        out: &mut dyn fmt::Write,
        style: Style,
        word: &str,
        result: &RuleResult,
        reason: &str,
    ) -> fmt::Result {
        let (start, end) = self.style(style);
        writeln!(out, "{start}{word:<5}{end} {}  {}", result.revision, result.rule.id)?;
        writeln!(out, "      {reason}")?;
        if let (false, Some(clause)) = (word == "n/a", result.rule.clause(result.revision)) {
            let (dim, end) = self.style(DIM);
            writeln!(out, "      {}: {}", clause.level, result.rule.says)?;
            writeln!(out, "      {dim}{}{end}", clause.link())?;
        }
        Ok(())
    }

    fn total(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        let count = |name: &str| report.results.iter().filter(|result| result.outcome.name() == name).count();
        let failed = report.failures().count();
        let known = count("fail").saturating_sub(failed);
        let style = if failed > 0 { RED } else { GREEN };
        let (start, end) = self.style(style);
        write!(out, "{} passed, {start}{failed} failed{end}", count("pass"))?;
        if known > 0 {
            write!(out, ", {known} known to fail")?;
        }
        write!(out, ", {} warnings, {} not applicable", count("warn"), count("not-applicable"))?;
        writeln!(out, ", in {:.1} s", report.took.as_secs_f64())
    }
}
