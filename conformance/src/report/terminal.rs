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
    /// What does not apply, too, and what was said.
    pub verbose: bool,
    /// How many letters a line has. Without it, lines are as long as they are, which is good for programs.
    pub width: Option<usize>,
}

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// The width of a column, and of the first.
const COLUMN: usize = 19;
const FIRST: usize = 16;

/// What stands before the lines of a finding.
const INDENT: &str = "      ";

/// The longest reason that is told where there are others to read.
const REASON: usize = 300;

impl Terminal {
    /// Without colours.
    pub fn plain() -> Self {
        Self { colours: false, quiet: false, verbose: false, width: None }
    }

    /// Writes a report.
    ///
    /// What a server said is in it without control characters: it can neither move the cursor nor change colours.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        if !self.quiet {
            self.table(report, out)?;
        }
        for result in &report.results {
            match (&result.outcome, &result.known) {
                (Outcome::Fail(reason), None) => self.finding(report, out, RED, "FAIL", result, reason)?,
                (Outcome::Fail(_), Some(known)) if !self.quiet => {
                    self.finding(report, out, DIM, "known", result, known)?;
                }
                (Outcome::Warn(reason), _) if !self.quiet => {
                    self.finding(report, out, YELLOW, "warn", result, reason)?;
                }
                (Outcome::NotApplicable(reason), _) if self.verbose => {
                    let (start, end) = self.style(DIM);
                    let reason = visible(reason, REASON);
                    writeln!(out, "{start}n/a{end}   {}  {}: {reason}", result.revision, result.rule.id)?;
                }
                _ => {}
            }
        }
        self.troubles(report, out)?;
        self.total(report, out)
    }

    /// A text on lines that are indented by six, and as long as the terminal's. Words stay whole.
    fn wrapped(self, text: &str) -> String {
        let Some(width) = self.width else { return text.to_owned() };
        let width = width.saturating_sub(INDENT.len()).max(20);
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if line.chars().count().saturating_add(word.chars().count()) < width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines.join(&format!("\n{INDENT}"))
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
        match &report.server {
            Some(server) => writeln!(out, "{} at {}\n", visible(server, 100), report.url)?,
            None => writeln!(out, "{}\n", report.url)?,
        }
        let mut areas: BTreeMap<(Area, Revision), Count> = BTreeMap::new();
        for result in &report.results {
            areas.entry((result.rule.area, result.revision)).or_default().add(result);
        }
        if areas.is_empty() {
            return Ok(());
        }
        let mut line = format!("{:FIRST$}", "");
        for revision in &report.checked {
            line.push_str(&format!(" {revision:COLUMN$}"));
        }
        writeln!(out, "{}", line.trim_end())?;
        let mut names: Vec<Area> = areas.keys().map(|(area, _)| *area).collect();
        names.dedup();
        for area in names {
            write!(out, "{area:FIRST$}")?;
            for (at, revision) in report.checked.iter().enumerate() {
                let (cell, style) =
                    areas.get(&(area, *revision)).map_or_else(|| ("–".to_owned(), DIM), Count::cell);
                let (start, end) = self.style(style);
                let is_last = at.saturating_add(1) == report.checked.len();
                let width = if is_last { 0 } else { COLUMN };
                write!(out, " {start}{cell:width$}{end}")?;
            }
            writeln!(out)?;
        }
        writeln!(out)
    }

    fn finding(
        self,
        report: &Report,
        out: &mut dyn fmt::Write,
        style: Style,
        word: &str,
        result: &RuleResult,
        reason: &str,
    ) -> fmt::Result {
        let (start, end) = self.style(style);
        let (dim, undim) = self.style(DIM);
        writeln!(out, "{start}{word:<5}{end} {}  {}", result.revision, result.rule.id)?;
        let longest = if self.verbose { usize::MAX } else { REASON };
        writeln!(out, "      {}", self.wrapped(&visible(reason, longest)))?;
        if let Some(clause) = result.rule.clause(result.revision) {
            let says = self.wrapped(&format!("{}: {}", clause.level, result.rule.says));
            writeln!(out, "      {dim}{says}{undim}")?;
            writeln!(out, "      {dim}{}{undim}", clause.link())?;
        }
        if self.verbose && word != "known" {
            for said in super::document::said(result, &report.secrets) {
                for line in said.lines() {
                    writeln!(out, "      {dim}│{undim} {}", visible(&line, 2000))?;
                }
                writeln!(out, "      {dim}│{undim}")?;
            }
        }
        writeln!(out)
    }

    fn troubles(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        let (red, end) = self.style(RED);
        let mut unchecked: Vec<(&str, Vec<&str>)> = Vec::new();
        for it in &report.unchecked {
            match unchecked.iter_mut().find(|(reason, _)| *reason == it.reason) {
                Some((_, revisions)) => revisions.push(it.revision.as_str()),
                None => unchecked.push((&it.reason, vec![it.revision.as_str()])),
            }
        }
        for (reason, revisions) in unchecked {
            writeln!(out, "{red}not checked{end}  {}: {}", revisions.join(", "), visible(reason, REASON))?;
        }
        for note in report.notes.iter().filter(|_| !self.quiet) {
            let (yellow, end) = self.style(YELLOW);
            writeln!(out, "{yellow}note{end}  {}", visible(note, REASON))?;
        }
        for fault in &report.faults {
            let fault = visible(fault, REASON);
            writeln!(out, "{red}fault of this program{end}  {fault}: please report it")?;
        }
        for entry in &report.stale {
            writeln!(out, "{red}stale{end}  the baseline has {entry}")?;
        }
        if let Some(why) = &report.stopped {
            let before = if report.checked.is_empty() { "" } else { "; what was found before is told" };
            writeln!(out, "{red}stopped{end}  {}{before}", visible(why, REASON))?;
        }
        Ok(())
    }

    fn total(self, report: &Report, out: &mut dyn fmt::Write) -> fmt::Result {
        if report.checked.is_empty() {
            return writeln!(out, "nothing was checked");
        }
        let mut count = Count::default();
        report.results.iter().for_each(|result| count.add(result));
        let (start, end) = self.style(if count.failed > 0 { RED } else { GREEN });
        write!(out, "{} passed, {start}{} failed{end}", count.passed, count.failed)?;
        if count.known > 0 {
            write!(out, ", {} known to fail", count.known)?;
        }
        let s = if count.warned == 1 { "" } else { "s" };
        write!(out, ", {} warning{s}, {} not applicable", count.warned, count.inapplicable)?;
        writeln!(out, ", in {:.1} s", report.took.as_secs_f64())
    }
}

#[derive(Debug, Default)]
struct Count {
    passed: usize,
    failed: usize,
    known: usize,
    warned: usize,
    inapplicable: usize,
}

impl Count {
    fn add(&mut self, result: &RuleResult) {
        let count = match (&result.outcome, &result.known) {
            (Outcome::Pass, _) => &mut self.passed,
            (Outcome::Fail(_), None) => &mut self.failed,
            (Outcome::Fail(_), Some(_)) => &mut self.known,
            (Outcome::Warn(_), _) => &mut self.warned,
            (Outcome::NotApplicable(_), _) => &mut self.inapplicable,
        };
        *count = count.saturating_add(1);
    }

    /// Such as `3 ok, 1 FAIL`.
    fn cell(&self) -> (String, Style) {
        let warned = self.warned.saturating_add(self.known);
        let counts = [(self.passed, " ok"), (self.failed, " FAIL"), (warned, " warn")];
        let mut parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count}{word}"))
            .collect();
        if parts.len() == 3 {
            // As wide as the column.
            parts.iter_mut().for_each(|part| *part = part.replace(" warn", " w"));
        }
        let style = match (self.failed, warned, self.passed) {
            (1.., _, _) => RED,
            (_, 1.., _) => YELLOW,
            (_, _, 1..) => GREEN,
            _ => DIM,
        };
        (if parts.is_empty() { "n/a".to_owned() } else { parts.join(", ") }, style)
    }
}

/// A text on one line, without what a terminal would obey.
fn visible(text: &str, longest: usize) -> String {
    let mut out: String = text
        .chars()
        .take(longest)
        .map(|letter| match letter {
            '\n' | '\t' => ' ',
            hidden if hidden.is_control() || super::turns(hidden) => '\u{fffd}',
            other => other,
        })
        .collect();
    if text.chars().nth(longest).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_server_says_is_obeyed() {
        assert_eq!(visible("a\u{1b}[2J\r\n\u{9b}b\u{202e}", 100), "a\u{fffd}[2J\u{fffd} \u{fffd}b\u{fffd}");
        assert_eq!(visible("abc", 3), "abc");
        assert_eq!(visible("abcd", 3), "abc…");
    }

    #[test]
    fn long_lines_are_wrapped_between_words() {
        let terminal = |width| Terminal { width, ..Terminal::plain() };
        let text = "one two three four five six seven";
        assert_eq!(terminal(None).wrapped(text), text);
        assert_eq!(terminal(Some(30)).wrapped(text), "one two three four five\n      six seven");
        let link = "x".repeat(50);
        assert_eq!(terminal(Some(30)).wrapped(&link), link);
    }
}
