//! A report as data: what the JSON file has, and the page shows.

use serde::Serialize;

use super::{Report, RuleResult};
use crate::exchange::Exchange;
use crate::rules::Area;
use crate::session::Redaction;
use crate::wire::Headers;

/// The bytes of a body that are shown.
const SHOWN: usize = 16 << 10;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    /// Of this format.
    pub(super) format: u32,
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
    pub(super) took_ms: u128,
    pub(super) checked: Vec<String>,
    pub(super) unchecked: Vec<Unchecked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<String>,
    pub(super) stale: Vec<String>,
    pub(super) summary: Summary,
    pub(super) results: Vec<Found>,
}

#[derive(Debug, Serialize)]
pub(super) struct Unchecked {
    pub(super) revision: String,
    pub(super) reason: String,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Summary {
    pub(super) pass: usize,
    pub(super) fail: usize,
    pub(super) known: usize,
    pub(super) warn: usize,
    pub(super) not_applicable: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) revision: String,
    pub(super) area: Area,
    pub(super) level: String,
    pub(super) says: &'static str,
    pub(super) link: String,
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<String>,
    pub(super) exchanges: Vec<Said>,
}

#[derive(Debug, Serialize)]
pub(super) struct Said {
    pub(super) request: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Message {
    /// The method and target, or the status.
    pub(super) line: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

pub(super) fn of(report: &Report) -> Document {
    let mut summary = Summary::default();
    for result in &report.results {
        let count = match (result.outcome.name(), &result.known) {
            ("pass", _) => &mut summary.pass,
            ("fail", None) => &mut summary.fail,
            ("fail", Some(_)) => &mut summary.known,
            ("warn", _) => &mut summary.warn,
            _ => &mut summary.not_applicable,
        };
        *count = count.saturating_add(1);
    }
    let unchecked = report.unchecked.iter();
    Document {
        format: 1,
        url: Redaction::default().target(&report.url),
        server: report.server.clone(),
        took_ms: report.took.as_millis(),
        checked: report.checked.iter().map(ToString::to_string).collect(),
        unchecked: unchecked
            .map(|it| Unchecked { revision: it.revision.to_string(), reason: it.reason.clone() })
            .collect(),
        stopped: report.stopped.clone(),
        stale: report.stale.clone(),
        summary,
        results: report.results.iter().filter_map(found).collect(),
    }
}

fn found(result: &RuleResult) -> Option<Found> {
    let clause = result.rule.clause(result.revision)?;
    // What went well needs no proof.
    let shown = matches!(result.outcome.name(), "fail" | "warn");
    let exchanges = if shown { result.exchanges.iter().map(said).collect() } else { Vec::new() };
    Some(Found {
        rule: result.rule.id,
        revision: result.revision.to_string(),
        area: result.rule.area,
        level: clause.level.to_string(),
        says: result.rule.says,
        link: clause.link(),
        outcome: result.outcome.name(),
        reason: result.outcome.reason().to_owned(),
        known: result.known.clone(),
        exchanges,
    })
}

pub(super) fn said(exchange: &Exchange) -> Said {
    let request = &exchange.request;
    let line = format!("{} {}", request.method, Redaction::default().target(&request.target));
    let request = Message { line, headers: headers(&request.headers), body: body(&request.body) };
    match &exchange.answer {
        Ok(response) => {
            let headers = headers(&response.headers);
            let response = Message { line: response.status.to_string(), headers, body: body(&response.body) };
            Said { request, response: Some(response), error: None }
        }
        Err(error) => Said { request, response: None, error: Some(error.clone()) },
    }
}

fn headers(headers: &Headers) -> Vec<(String, String)> {
    let redaction = Redaction::default();
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.to_owned(), redaction.header(name, &text(value)))).collect()
}

/// A body as text; JSON on several lines.
fn body(bytes: &[u8]) -> String {
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes)
        && bytes.len() <= SHOWN
    {
        return serde_json::to_string_pretty(&value).unwrap_or_default();
    }
    let shown = String::from_utf8_lossy(bytes.get(..SHOWN).unwrap_or(bytes)).into_owned();
    if bytes.len() > SHOWN { format!("{shown}\n… {} bytes in all", bytes.len()) } else { shown }
}
