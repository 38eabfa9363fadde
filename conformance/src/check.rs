//! Runs the rules.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use crate::Revision;
use serde_json::Value;

use crate::answer::Answer;
use crate::exchange::Exchange;
use crate::opened::{NotOpened, Opened};
use crate::probe::Probe;
use crate::report::{Report, RuleResult, Unchecked};
use crate::rules::{self, Check, Judge, Level, Outcome, Rule};
use crate::shapes::{self, Kind};
use crate::target::Target;
use crate::wire::WireError;

/// How many rules are checked at once.
const AT_ONCE: usize = 8;

/// How long one rule may take at least, and in answers that may be waited for.
const RULE: (Duration, u32) = (Duration::from_secs(60), 6);

/// Checks a server by every rule, in every revision that it speaks.
///
/// It ends: a server that is gone, or answers no more, is given up, and so is one that takes [too long](Target::longest).
/// What was found until then is in the report, and [why](Report::stopped) it ended.
///
/// ```no_run
/// use mcp_conformance::{Target, check};
///
/// let target = Target::parse("http://127.0.0.1:3000/mcp").unwrap();
/// let report = check(&target);
/// assert!(report.is_good(), "{report}");
/// ```
pub fn check(target: &Target) -> Report {
    check_with(target, &|_| {})
}

/// How far a check is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The server speaks a revision, in which so many rules are now checked.
    Opened(Revision, usize),
    /// A rule has been checked.
    Judged(&'a RuleResult),
}

type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Sync);

/// [`check`], telling how far it is.
pub fn check_with(target: &Target, tell: &(dyn Fn(Progress<'_>) + Sync)) -> Report {
    let began = Instant::now();
    let until = began.checked_add(target.longest);
    let mut report = Report::new(target);
    let run = Run { target: &bounded(target, until), began, tell, stop: Stop::new(target, until) };
    let mut not_spoken = Vec::new();
    for revision in target.asked().iter().copied() {
        if run.stop.is_due() {
            break;
        }
        match Opened::open(run.target, revision) {
            Ok(opened) => {
                report.server = opened.name().or_else(|| report.server.take());
                report.checked.push(revision);
                report.notes.extend(run.notes(&opened));
                report.results.extend(run.revision(&opened));
            }
            Err(NotOpened::NotSpoken { reason, .. }) => not_spoken.push(Unchecked { revision, reason }),
            Err(NotOpened::Wire(error))
                if matches!(error, WireError::Connect { .. } | WireError::Tls { .. }) =>
            {
                let gone = if report.checked.is_empty() { "" } else { "the server is gone: " };
                run.stop.because(format!("{gone}{error}"));
            }
            Err(NotOpened::Wire(WireError::TimeUp)) => {
                run.stop.is_due();
            }
            Err(NotOpened::Refused(reason)) => run.stop.because(reason),
            Err(error) => report.unchecked.push(Unchecked { revision, reason: error.to_string() }),
        }
    }
    // A server need not speak all revisions, but one of them, and those that are asked for by name.
    if !target.revisions.is_empty() || (report.checked.is_empty() && report.unchecked.is_empty()) {
        report.unchecked.extend(not_spoken);
    }
    (report.stopped, report.faults) = run.stop.into_told();
    report.clean();
    report.took = began.elapsed();
    report
}

/// A target that nothing is waited for after a moment.
fn bounded(target: &Target, until: Option<Instant>) -> Target {
    let endpoint = target.endpoint.clone();
    let endpoint = until.map_or_else(|| endpoint.clone(), |until| endpoint.clone().until(until));
    Target { endpoint, ..target.clone() }
}

/// When a check is given up.
struct Stop<'a> {
    target: &'a Target,
    by: Option<Instant>,
    why: OnceLock<String>,
    faults: Mutex<Vec<String>>,
}

impl<'a> Stop<'a> {
    fn new(target: &'a Target, by: Option<Instant>) -> Self {
        Self { target, by, why: OnceLock::new(), faults: Mutex::default() }
    }

    fn because(&self, why: String) {
        self.why.get_or_init(|| why);
    }

    fn is_due(&self) -> bool {
        if self.target.is_cancelled() {
            self.because("it was interrupted".to_owned());
        }
        if self.by.is_some_and(|by| Instant::now() >= by) {
            self.because(format!("it took longer than {} s", self.target.longest.as_secs_f64()));
        }
        self.why.get().is_some()
    }

    fn into_told(self) -> (Option<String>, Vec<String>) {
        (self.why.into_inner(), self.faults.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

struct Run<'a> {
    target: &'a Target,
    began: Instant,
    tell: Tell<'a>,
    stop: Stop<'a>,
}

impl Run<'_> {
    fn revision(&self, opened: &Opened) -> Vec<RuleResult> {
        let wanted = |rule: &&Rule| rule.clause(opened.revision).is_some() && self.target.wants(rule);
        let (seen, asked): (Vec<&Rule>, Vec<&Rule>) =
            rules::all().filter(wanted).partition(|rule| matches!(rule.judge, Judge::Seen(_)));
        (self.tell)(Progress::Opened(opened.revision, asked.len().saturating_add(seen.len())));
        let (alone, together): (Vec<&Rule>, Vec<&Rule>) = asked.into_iter().partition(|rule| rule.alone);
        let results = Mutex::new(Vec::new());
        let run = |rule: &'static Rule| {
            if let Some(result) = self.rule(opened, rule) {
                (self.tell)(Progress::Judged(&result));
                locked(&results).push(result);
            }
        };
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while let Some(rule) = together.get(next.fetch_add(1, Ordering::Relaxed)) {
                        run(rule);
                    }
                });
            }
        });
        alone.into_iter().for_each(run);
        let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let shapes: Vec<RuleResult> = {
            let messages = said(&results, &opened.exchanges);
            seen.into_iter().map(|rule| judge_seen(opened.revision, rule, &messages)).collect()
        };
        shapes.iter().for_each(|result| (self.tell)(Progress::Judged(result)));
        results.extend(shapes);
        results.sort_by_key(|result: &RuleResult| (result.rule.area, result.rule.id));
        results
    }

    /// What became of a rule; nothing where the check is given up before it is known.
    fn rule(&self, opened: &Opened, rule: &'static Rule) -> Option<RuleResult> {
        if self.stop.is_due() {
            return None;
        }
        let clause = rule.clause(opened.revision)?;
        let Judge::Ask(check) = rule.judge else { return None };
        let began = Instant::now();
        let longest = RULE.0.max(self.target.endpoint.read_limits().answer.saturating_mul(RULE.1));
        let target = bounded(self.target, began.checked_add(longest));
        let probe = Probe::new(&target, opened, self.began);
        // A check that panics is a fault of ours, and no verdict.
        let found = catch_unwind(AssertUnwindSafe(|| check(&probe))).unwrap_or_else(|panic| {
            let why = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let why = why.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            locked(&self.stop.faults).push(format!("{} in {}: {why}", rule.id, opened.revision));
            Err(Outcome::NotApplicable("the check itself failed".to_owned()))
        });
        let exchanges = probe.into_exchanges();
        let is_about_server = self.look_after(opened, &found, &exchanges);
        let outcome = judged(found, clause.level);
        let took = began.elapsed();
        let revision = opened.revision;
        is_about_server.then_some(RuleResult { rule, revision, outcome, known: None, exchanges, took })
    }

    /// Looks whether the server is still there when a rule failed, and says whether the failure tells something of it.
    fn look_after(&self, opened: &Opened, found: &Check, exchanges: &[Exchange]) -> bool {
        if !matches!(found, Err(Outcome::Fail(_))) {
            return true;
        }
        let answers = || exchanges.iter().map(|exchange| exchange.answer.as_ref());
        if answers().any(|answer| answer.is_err()) || answers().next().is_none() {
            self.look(opened);
        }
        let by = self.stop.by;
        let is_late = by.is_some_and(|by| Instant::now() >= by) || self.target.is_cancelled();
        // Whatever made the server go was sent to it: what never got there did not.
        let is_late = is_late
            || self.stop.why.get().is_some()
                && answers().any(|answer| answer.is_err_and(|error| is_unsent(error)));
        !is_late
    }

    /// Asks as a client that opens, which every server answers that is still there.
    fn look(&self, opened: &Opened) {
        let request = opened.opening_request(self.target);
        let mut gone = String::new();
        for _ in 0..3 {
            match self.target.endpoint.send(&request) {
                Ok(_) | Err(WireError::TimeUp) => return,
                Err(error @ WireError::TimedOut { .. }) => {
                    return self.stop.because(format!("the server answers no more: {error}"));
                }
                Err(error) => gone = error.to_string(),
            }
            // One that starts anew has a moment for it.
            std::thread::sleep(Duration::from_millis(200));
        }
        self.stop.because(format!("the server is gone: {gone}"));
    }

    /// What a profile names that the server does not have.
    fn notes(&self, opened: &Opened) -> Vec<String> {
        let listed =
            |name: &str| opened.tools.iter().any(|tool| tool.get("name").is_some_and(|it| it == name));
        let calls = self.target.profile.calls.iter().filter(|(_, call)| !listed(&call.tool));
        calls
            .map(|(purpose, call)| {
                format!("the tool \"{}\", for {purpose}, is not listed in {}", call.tool, opened.revision)
            })
            .collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn is_unsent(error: &str) -> bool {
    error.starts_with("cannot connect")
}

/// Every message of a known kind, and the exchange that it came in.
fn said<'a>(results: &'a [RuleResult], opening: &'a [Exchange]) -> Vec<(Kind, Value, &'a Exchange)> {
    let exchanges = opening.iter().chain(results.iter().flat_map(|result| &result.exchanges));
    let mut all = Vec::new();
    for exchange in exchanges {
        let Ok(response) = &exchange.answer else { continue };
        // What is no JSON is for other rules to judge.
        let Ok(messages) = Answer::new(response.clone(), None).messages() else { continue };
        let kinds = shapes::kinds(&exchange.request.body, &messages);
        all.extend(kinds.into_iter().map(|(kind, message)| (kind, message, exchange)));
    }
    all
}

fn judge_seen(revision: Revision, rule: &'static Rule, messages: &[(Kind, Value, &Exchange)]) -> RuleResult {
    let mut outcome = Outcome::NotApplicable("none was seen".to_owned());
    let mut exchanges = Vec::new();
    for (kind, message, exchange) in messages {
        if !matches!(rule.judge, Judge::Seen(wanted) if wanted == *kind) {
            continue;
        }
        let violations = shapes::violations(revision, *kind, message);
        if !violations.is_empty() {
            outcome = Outcome::Fail(violations.join("; "));
            exchanges.push((*exchange).clone());
            break;
        }
        outcome = Outcome::Pass;
    }
    RuleResult { rule, revision, outcome, known: None, exchanges, took: Duration::ZERO }
}

/// What a check found, by how strongly the rule is meant.
fn judged(found: Check, level: Level) -> Outcome {
    match (found, level) {
        (Ok(()), _) => Outcome::Pass,
        (Err(Outcome::Fail(reason)), Level::Should | Level::May) => Outcome::Warn(reason),
        (Err(outcome), _) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Area;

    #[test]
    fn a_check_that_panics_is_a_fault_of_ours() {
        static RULE: Rule =
            Rule::new("panics", Area::Http, "", &[rules::must(Revision::V2025_11_25, "")], |_probe| {
                panic!("at the {}", "disco")
            });
        let target = Target::parse("http://127.0.0.1:1/").unwrap();
        let opened = Opened::nothing(Revision::V2025_11_25);
        let run =
            Run { target: &target, began: Instant::now(), tell: &|_| {}, stop: Stop::new(&target, None) };
        let result = run.rule(&opened, &RULE).unwrap();
        assert_eq!(result.outcome, Outcome::NotApplicable("the check itself failed".to_owned()));
        let (stopped, faults) = run.stop.into_told();
        assert_eq!((stopped, &*faults), (None, &["panics in 2025-11-25: at the disco".to_owned()][..]));
    }
}
