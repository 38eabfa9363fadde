//! Servers that break one rule each, and the proof that each is caught by the rule it breaks, and by no other.
//!
//! A mutant is the server `everything` behind a layer that changes what goes in or what comes out. Each area has a file with
//! a table of its mutants. To add one: say which rule it breaks, in which revisions (each of them must see it), and which
//! other rules see it for good reason.
#![allow(dead_code, reason = "a kit: what no mutant needs now, the next one does")]

mod features;
mod headers;
mod http;
mod input;
mod json_rpc;
mod layer;
mod lists;
mod opening;
mod origin;
mod robustness;
mod sessions;
mod shapes;
mod streams;
mod subscriptions;
mod tools;
mod versions;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use mcp_conformance::report::RuleResult;
use mcp_conformance::rules::{Area, Outcome};
use mcp_conformance::wire::Limits;
use mcp_conformance::{Profile, Report, Revision, Target, check};
use mcp_fixture::Options;
use serde_json::Value;

pub(crate) use layer::Sent;

/// How many mutants are checked at once.
const AT_ONCE: usize = 16;

/// A server that breaks one rule.
#[derive(Clone, Copy)]
pub(crate) struct Mutant {
    /// What is wrong with it.
    pub(crate) name: &'static str,
    /// The rule that it breaks; [`NOT_OPENED`] where no rule can be checked.
    pub(crate) breaks: &'static str,
    /// Where the rule sees it.
    pub(crate) revisions: &'static [Revision],
    /// The rules that see it too, for good reason.
    pub(crate) also: &'static [&'static str],
    /// How the server behind it is set up.
    pub(crate) options: fn() -> Options,
    /// Changes a request, or answers it in the server's place.
    pub(crate) before: fn(&mut Sent) -> Option<Response<Body>>,
    /// Changes each message that is answered: the body, or the data of an event.
    pub(crate) message: fn(&Sent, &mut Value),
    /// Changes each event of a stream, as it is written. Comments are events too.
    pub(crate) event: fn(&Sent, &mut String),
    /// Changes the head of an answer, or puts another body in place.
    pub(crate) after: fn(&Sent, &mut Response<Body>),
    /// How long the answer is held back.
    pub(crate) delay: fn(&Sent) -> Duration,
    /// Looks at the first bytes of a connection, as they came: the head of the first request and what came with it.
    pub(crate) front: Option<fn(&[u8]) -> Front>,
}

/// What becomes of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    /// It goes through.
    Through,
    /// It is answered with 400, without a body.
    Refuse,
    /// It is closed without an answer.
    Close,
    /// It is answered with 200, whatever it asks.
    Serve,
}

/// What a mutant breaks that cannot even be opened.
pub(crate) const NOT_OPENED: &str = "not-opened";

pub(crate) const ALL: &[Revision] = &Revision::ALL;
pub(crate) const LEGACY: &[Revision] = &[Revision::V2025_06_18, Revision::V2025_11_25];
pub(crate) const MODERN: &[Revision] = &[Revision::V2026_07_28];

impl Mutant {
    pub(crate) const fn new(
        name: &'static str,
        breaks: &'static str,
        revisions: &'static [Revision],
    ) -> Self {
        Self {
            name,
            breaks,
            revisions,
            also: &[],
            options: Options::default,
            before: |_| None,
            message: |_, _| {},
            event: |_, _| {},
            after: |_, _| {},
            delay: |_| Duration::ZERO,
            front: None,
        }
    }

    pub(crate) const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    pub(crate) const fn options(self, options: fn() -> Options) -> Self {
        Self { options, ..self }
    }

    pub(crate) const fn before(self, before: fn(&mut Sent) -> Option<Response<Body>>) -> Self {
        Self { before, ..self }
    }

    pub(crate) const fn message(self, message: fn(&Sent, &mut Value)) -> Self {
        Self { message, ..self }
    }

    pub(crate) const fn event(self, event: fn(&Sent, &mut String)) -> Self {
        Self { event, ..self }
    }

    pub(crate) const fn after(self, after: fn(&Sent, &mut Response<Body>)) -> Self {
        Self { after, ..self }
    }

    pub(crate) const fn front(self, front: fn(&[u8]) -> Front) -> Self {
        Self { front: Some(front), ..self }
    }

    pub(crate) const fn delay(self, delay: fn(&Sent) -> Duration) -> Self {
        Self { delay, ..self }
    }
}

fn all() -> Vec<Mutant> {
    [
        http::MUTANTS,
        json_rpc::MUTANTS,
        versions::MUTANTS,
        headers::MUTANTS,
        origin::MUTANTS,
        features::MUTANTS,
        streams::MUTANTS,
        input::MUTANTS,
        subscriptions::MUTANTS,
        shapes::MUTANTS,
        opening::MUTANTS,
        sessions::MUTANTS,
        lists::MUTANTS,
        tools::MUTANTS,
        robustness::MUTANTS,
    ]
    .concat()
}

fn checked(url: &str, revisions: &[Revision]) -> Report {
    let limits = Limits { answer: Duration::from_secs(5), ..Limits::default() };
    let target = Target::parse(url).unwrap().limits(limits).profile(Profile::everything());
    check(&revisions.iter().fold(target, |target, revision| target.revision(*revision)))
}

fn is_broken(result: &&RuleResult) -> bool {
    matches!(result.outcome, Outcome::Fail(_) | Outcome::Warn(_))
}

fn told(report: &Report) -> String {
    let results = report.results.iter().filter(is_broken);
    let results =
        results.map(|result| format!("{} {}: {}", result.revision, result.rule.id, result.outcome.reason()));
    let unchecked =
        report.unchecked.iter().map(|unchecked| format!("{}: {}", unchecked.revision, unchecked.reason));
    results.chain(unchecked).collect::<Vec<_>>().join("\n  ")
}

/// What is wrong with how a mutant was seen.
fn complaints(mutant: &Mutant) -> Vec<String> {
    let report = checked(&layer::serve(mutant), mutant.revisions);
    let mut complaints = Vec::new();
    for revision in mutant.revisions {
        let broken = report.results.iter().filter(is_broken).filter(|result| result.revision == *revision);
        let mut seen: BTreeSet<&str> = broken
            .filter(|result| result.rule.area != Area::Shapes || result.rule.id == mutant.breaks)
            .map(|result| result.rule.id)
            .collect();
        if report.unchecked.iter().any(|unchecked| unchecked.revision == *revision) {
            seen.insert(NOT_OPENED);
        }
        if !seen.remove(mutant.breaks) {
            complaints.push(format!("{revision}: {} does not see it", mutant.breaks));
        }
        seen.retain(|id| !mutant.also.contains(id));
        complaints.extend(seen.iter().map(|id| format!("{revision}: {id} sees it")));
    }
    if !complaints.is_empty() {
        complaints.push(told(&report));
    }
    complaints
}

#[test]
fn each_mutant_is_seen_by_the_rule_it_breaks() {
    // To try some: MUTANTS=part-of-a-name. Without optimisation, all of them take many minutes.
    let only = std::env::var("MUTANTS").unwrap_or_default();
    let step = if cfg!(debug_assertions) && only.is_empty() { 10 } else { 1 };
    let chosen = all().into_iter().step_by(step);
    let chosen = chosen.filter(|mutant| mutant.name.contains(&only) || mutant.breaks.contains(&only));
    let waiting = Mutex::new(chosen.collect::<Vec<_>>().into_iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some(mutant) = next else { break };
                    let complaints = complaints(&mutant);
                    if !complaints.is_empty() {
                        failed.lock().unwrap().push(format!(
                            "{}:\n  {}",
                            mutant.name,
                            complaints.join("\n  ")
                        ));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// The page of all mutants.
fn page() -> String {
    let mut page = String::from(
        "# Servers that break a rule\n\n\
         That a check can fail is tested with these servers: each is the server `everything` behind a layer that breaks\n\
         one rule. Each is caught by the rule that it breaks, in each of these revisions, and by no rule that has nothing\n\
         to do with it.\n\n\
         | what is wrong | rule | revisions |\n|---|---|---|\n",
    );
    for Mutant { name, breaks, revisions, .. } in all() {
        let revisions: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
        let revisions = if revisions.len() == ALL.len() { "all".to_owned() } else { revisions.join(", ") };
        writeln!(page, "| {} | `{breaks}` | {revisions} |", name.replace('|', "\\|")).unwrap();
    }
    page
}

#[test]
fn the_page_of_mutants_has_them_all() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/broken-servers.md");
    // To write it anew: MUTANTS_PAGE=write.
    if std::env::var("MUTANTS_PAGE").is_ok_and(|what| what == "write") {
        std::fs::write(path, page()).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == page(), "{path} is not up to date");
}

#[test]
fn names_are_unique() {
    let names: BTreeSet<&str> = all().iter().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), all().len());
}

#[track_caller]
fn check_unbroken(options: &Options) {
    let report = checked(crate::site::everything_with(options).url().as_str(), &Revision::ALL);
    assert!(
        report.is_good() && !report.results.iter().any(|result| is_broken(&result)),
        "\n  {}",
        told(&report)
    );
}

#[test]
fn an_unbroken_server_has_no_failure() {
    check_unbroken(&Options::default());
}

#[test]
fn a_server_without_sessions_has_no_failure() {
    check_unbroken(&Options { stateless: true, no_streams: true, ..Options::default() });
}

#[test]
fn a_server_of_pages_has_no_failure() {
    check_unbroken(&Options { page_size: std::num::NonZeroUsize::new(3), ..Options::default() });
}

#[test]
fn a_server_of_few_tools_has_no_failure() {
    check_unbroken(&Options { tools: Some(3), stateless: true, ..Options::default() });
    check_unbroken(&Options { tools: Some(0), ..Options::default() });
}
