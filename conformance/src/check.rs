//! Runs the rules.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

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

/// How many rules are checked at once.
const AT_ONCE: usize = 8;

/// Checks a server by every rule, in every revision that it speaks.
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

/// How many results a check has at most.
pub fn expected(target: &Target) -> usize {
    let asked: &[Revision] = if target.revisions.is_empty() { &Revision::ALL } else { &target.revisions };
    let pairs = rules::all().filter(|rule| is_wanted(target, rule)).flat_map(|rule| rule.clauses);
    pairs.filter(|clause| asked.contains(&clause.revision)).count()
}

fn is_wanted(target: &Target, rule: &Rule) -> bool {
    let named = |name: &String| name == rule.id || *name == rule.area.name();
    target.only.is_empty() || target.only.iter().any(named)
}

/// [`check`], telling each result as it comes.
pub fn check_with(target: &Target, tell: &(dyn Fn(&RuleResult) + Sync)) -> Report {
    let began = Instant::now();
    let mut report = Report::new(target.endpoint.url().as_str());
    let asked: &[Revision] = if target.revisions.is_empty() { &Revision::ALL } else { &target.revisions };
    let stop = Stop { by: began.checked_add(target.longest), why: OnceLock::new() };
    for revision in asked.iter().copied() {
        if stop.is_due() {
            break;
        }
        match Opened::open(target, revision) {
            Ok(opened) => {
                report.server = opened.name().or_else(|| report.server.take());
                report.checked.push(revision);
                report.results.extend(check_revision(target, &opened, began, tell, &stop));
            }
            // Not asked for by name: a server need not speak all of them.
            Err(NotOpened::NotSpoken(_)) if target.revisions.is_empty() => {}
            Err(error) => report.unchecked.push(Unchecked { revision, reason: error.to_string() }),
        }
    }
    report.stopped = stop.why.into_inner();
    report.took = began.elapsed();
    report
}

/// When a check is given up.
struct Stop {
    by: Option<Instant>,
    why: OnceLock<String>,
}

impl Stop {
    fn is_due(&self) -> bool {
        if self.by.is_some_and(|by| Instant::now() >= by) {
            self.why.get_or_init(|| "it took too long".to_owned());
        }
        self.why.get().is_some()
    }

    /// Looks whether the server is still there.
    fn look(&self, target: &Target) {
        if let Err(error) = target.endpoint.connect() {
            self.why.get_or_init(|| format!("the server is gone: {error}"));
        }
    }
}

fn check_revision(
    target: &Target,
    opened: &Opened,
    began: Instant,
    tell: &(dyn Fn(&RuleResult) + Sync),
    stop: &Stop,
) -> Vec<RuleResult> {
    let (seen, asked): (Vec<&Rule>, Vec<&Rule>) = rules::all()
        .filter(|rule| rule.clause(opened.revision).is_some() && is_wanted(target, rule))
        .partition(|rule| matches!(rule.judge, Judge::Seen(_)));
    let (alone, together): (Vec<&Rule>, Vec<&Rule>) = asked.into_iter().partition(|rule| rule.alone);
    let results = Mutex::new(Vec::new());
    let run = |rule: &'static Rule| {
        if stop.is_due() {
            return;
        }
        if let Some(result) = check_rule(target, opened, began, rule) {
            if matches!(result.outcome, Outcome::Fail(_)) {
                stop.look(target);
            }
            tell(&result);
            results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(result);
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
    shapes.iter().for_each(tell);
    results.extend(shapes);
    results.sort_by_key(|result: &RuleResult| (result.rule.area, result.rule.id));
    results
}

fn check_rule(target: &Target, opened: &Opened, began: Instant, rule: &'static Rule) -> Option<RuleResult> {
    let clause = rule.clause(opened.revision)?;
    let probe = Probe::new(target, opened, began);
    let Judge::Ask(check) = rule.judge else { return None };
    // A check that panics is a fault of ours, and no verdict.
    let found = catch_unwind(AssertUnwindSafe(|| check(&probe)));
    let ours = || Err(Outcome::NotApplicable("the check itself failed: please report this".to_owned()));
    let outcome = judged(found.unwrap_or_else(|_| ours()), clause.level);
    Some(RuleResult {
        rule,
        revision: opened.revision,
        outcome,
        known: None,
        exchanges: probe.into_exchanges(),
    })
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
    RuleResult { rule, revision, outcome, known: None, exchanges }
}

/// What a check found, by how strongly the rule is meant.
fn judged(found: Check, level: Level) -> Outcome {
    match (found, level) {
        (Ok(()), _) => Outcome::Pass,
        (Err(Outcome::Fail(reason)), Level::Should | Level::May) => Outcome::Warn(reason),
        (Err(outcome), _) => outcome,
    }
}
