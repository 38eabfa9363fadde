//! A report as data: what the JSON file has, and the page shows.

use std::time::Duration;

use serde::Serialize;

use super::{Report, RuleResult, Secrets};
use crate::exchange::Exchange;
use crate::rules::Area;
use crate::session::Redaction;
use crate::wire::Headers;

/// The bytes of a body that are shown.
const SHOWN: usize = 16 << 10;

/// The exchanges of a result that are shown.
const MOST: usize = 20;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    /// Of this format.
    pub(super) format: u32,
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
    pub(super) took_ms: u128,
    #[serde(skip)]
    pub(super) took: Duration,
    pub(super) checked: Vec<String>,
    pub(super) unchecked: Vec<Unchecked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<String>,
    pub(super) faults: Vec<String>,
    pub(super) notes: Vec<String>,
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
#[serde(rename_all = "camelCase")]
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
    pub(super) took_ms: u128,
    /// How many exchanges came before those that are here.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) left_out: usize,
    pub(super) exchanges: Vec<Said>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Said {
    /// Which of the result's exchanges, from 1.
    pub(super) number: usize,
    /// Since the check began.
    pub(super) at_ms: u128,
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
    /// The bytes of the body, all of them.
    pub(super) length: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Said {
    /// As one would write it down: `>` was sent, `<` came.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut add = |mark: &str, message: &Message| {
            lines.push(format!("{mark} {}", message.line));
            lines.extend(message.headers.iter().map(|(name, value)| format!("{mark} {name}: {value}")));
            lines.extend(message.body.lines().map(str::to_owned));
        };
        add(">", &self.request);
        if let Some(response) = &self.response {
            add("<", response);
        }
        lines.extend(self.error.iter().map(|error| format!("! {error}")));
        lines
    }
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
        url: report.url.clone(),
        server: report.server.clone(),
        took_ms: report.took.as_millis(),
        took: report.took,
        checked: report.checked.iter().map(ToString::to_string).collect(),
        unchecked: unchecked
            .map(|it| Unchecked { revision: it.revision.to_string(), reason: it.reason.clone() })
            .collect(),
        stopped: report.stopped.clone(),
        faults: report.faults.clone(),
        notes: report.notes.clone(),
        stale: report.stale.clone(),
        summary,
        results: report.results.iter().filter_map(|result| found(result, &report.secrets)).collect(),
    }
}

fn found(result: &RuleResult, secrets: &Secrets) -> Option<Found> {
    let clause = result.rule.clause(result.revision)?;
    // What went well needs no proof.
    let shown = matches!(result.outcome.name(), "fail" | "warn");
    let exchanges = if shown { said(result, secrets) } else { Vec::new() };
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
        took_ms: result.took.as_millis(),
        left_out: if shown { result.exchanges.len().saturating_sub(exchanges.len()) } else { 0 },
        exchanges,
    })
}

/// The last of what was said for a result: what it was judged by.
pub(super) fn said(result: &RuleResult, secrets: &Secrets) -> Vec<Said> {
    let left_out = result.exchanges.len().saturating_sub(MOST);
    let exchanges = result.exchanges.iter().enumerate().skip(left_out);
    exchanges.map(|(at, exchange)| one(at.saturating_add(1), exchange, secrets)).collect()
}

fn one(number: usize, exchange: &Exchange, secrets: &Secrets) -> Said {
    let request = &exchange.request;
    let line = match &*request.method {
        "RAW" => "these bytes:".to_owned(),
        method => format!("{method} {}", secrets.out_of(&Redaction::default().target(&request.target))),
    };
    let request = message(line, &request.headers, &request.body, secrets);
    let at_ms = exchange.at.as_millis();
    match &exchange.answer {
        Ok(response) => {
            let status = response.status.to_string();
            let response = message(status, &response.headers, &response.body, secrets);
            Said { number, at_ms, request, response: Some(response), error: None }
        }
        Err(error) => {
            Said { number, at_ms, request, response: None, error: Some(secrets.out_of_reason(error)) }
        }
    }
}

fn message(line: String, headers: &Headers, body: &[u8], secrets: &Secrets) -> Message {
    let redaction = Redaction::default();
    let value =
        |name: &str, value: &[u8]| secrets.out_of(&redaction.header(name, &String::from_utf8_lossy(value)));
    let headers = headers.iter().map(|(name, it)| (name.to_owned(), value(name, it))).collect();
    Message { line, headers, body: secrets.out_of(&text(body)), length: body.len() }
}

/// A body as text; JSON on several lines.
fn text(bytes: &[u8]) -> String {
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes)
        && bytes.len() <= SHOWN
    {
        return serde_json::to_string_pretty(&value).unwrap_or_default();
    }
    let shown = String::from_utf8_lossy(bytes.get(..SHOWN).unwrap_or(bytes)).into_owned();
    if bytes.len() > SHOWN {
        format!("{shown}\n… the first {SHOWN} of {} bytes", bytes.len())
    } else {
        shown
    }
}
