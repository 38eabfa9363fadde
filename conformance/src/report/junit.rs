//! A report as JUnit's XML: a suite for each revision, a case for each rule.

use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::{Report, RuleResult, document};
use crate::rules::Outcome;

pub(super) fn report(report: &Report) -> String {
    let mut xml = Xml::new("mcp-conformance");
    xml.set_time(report.took);
    for revision in &report.checked {
        let mut suite = TestSuite::new(format!("MCP {revision}"));
        suite.add_property(("url", report.url.as_str()));
        for result in report.results.iter().filter(|result| result.revision == *revision) {
            suite.add_test_case(case(result));
        }
        xml.add_test_suite(suite);
    }
    let mut whole = TestSuite::new("the check itself");
    let troubles = report.unchecked.iter().map(|it| (it.revision.to_string(), it.reason.clone()));
    let stopped = report.stopped.iter().map(|why| ("checked to the end".to_owned(), why.clone()));
    let stale = report.stale.iter().map(|entry| ("the baseline holds".to_owned(), entry.clone()));
    for (name, reason) in troubles.chain(stopped).chain(stale) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(reason);
        whole.add_test_case(TestCase::new(name, status));
    }
    if !whole.test_cases.is_empty() {
        xml.add_test_suite(whole);
    }
    xml.to_string().unwrap_or_default()
}

fn case(result: &RuleResult) -> TestCase {
    let mut status = match (&result.outcome, &result.known) {
        (Outcome::Pass | Outcome::Warn(_), _) => TestCaseStatus::success(),
        (Outcome::Fail(_), None) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (Outcome::Fail(_), Some(_)) | (Outcome::NotApplicable(_), _) => TestCaseStatus::skipped(),
    };
    let reason = match &result.known {
        Some(known) => format!("known: {known}: {}", result.outcome.reason()),
        None => result.outcome.reason().to_owned(),
    };
    if !reason.is_empty() {
        status.set_message(&reason);
    }
    if matches!(result.outcome, Outcome::Fail(_)) {
        status.set_description(evidence(result));
    }
    let mut case = TestCase::new(result.rule.id, status);
    case.set_classname(result.rule.area.name());
    if matches!(result.outcome, Outcome::Warn(_)) {
        case.set_system_out(format!("warning: {reason}"));
    }
    case
}

fn evidence(result: &RuleResult) -> String {
    let mut text = format!("{}\n", result.rule.says);
    if let Some(clause) = result.rule.clause(result.revision) {
        text.push_str(&format!("{} {}\n", clause.level, clause.link()));
    }
    for said in result.exchanges.iter().map(document::said) {
        let mut add = |mark: &str, message: &document::Message| {
            text.push_str(&format!("\n{mark} {}\n", message.line));
            for (name, value) in &message.headers {
                text.push_str(&format!("{mark} {name}: {value}\n"));
            }
            text.push_str(&format!("{}\n", message.body));
        };
        add(">", &said.request);
        if let Some(response) = &said.response {
            add("<", response);
        }
        if let Some(error) = &said.error {
            text.push_str(&format!("! {error}\n"));
        }
    }
    text
}
