//! Sends the requests of a recorded session again, and compares what comes with what came.
//!
//! ```no_run
//! use mcp_conformance::replay::{Options, replay};
//! use mcp_conformance::session::Session;
//! use mcp_conformance::wire::Endpoint;
//!
//! let session = Session::load("session.json")?;
//! let endpoint = Endpoint::parse("http://127.0.0.1:3000/mcp")?;
//! let replay = replay(&session, &endpoint, &Options::default());
//! assert!(replay.is_same(), "{replay}");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod running;
mod shape;
mod spec;

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::mutate;
use crate::session::{Captured, Content, End, Exchange, Matching, REDACTED, Session, fill, fill_json};
use crate::wire::{Endpoint, Framing, Headers, Request};

use compare::Minted;
use running::Running;

/// How it is replayed.
#[derive(Debug, Clone)]
pub struct Options {
    /// How answers are compared, where the session says nothing else.
    pub matching: Matching,
    /// Sent instead of those of the same names, such as `Authorization`.
    pub headers: Headers,
    /// How many mutations of each request are sent too; [`usize::MAX`] for all.
    pub mutations: usize,
}

impl Default for Options {
    /// By shape; no headers, no mutations.
    fn default() -> Self {
        Self { matching: Matching::Shape, headers: Headers::default(), mutations: 0 }
    }
}

/// What became of a session.
#[derive(Debug, Clone, Serialize)]
pub struct Replay {
    /// Where it was sent.
    pub against: String,
    /// In the order of the session.
    pub verdicts: Vec<Verdict>,
}

/// What became of an exchange.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// The first is 1.
    pub number: usize,
    /// What was asked for.
    pub title: String,
    /// How it was compared.
    pub matching: Matching,
    /// Why it could not be sent. By [`Matching::Spec`] that is no difference: what it needs is the server's to give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_sent: Option<String>,
    /// What is different; nothing where the answer is as it was.
    pub differences: Vec<String>,
    /// What became of mutations of the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<mutate::Verdict>,
}

impl Verdict {
    /// Whether the answer is as it was, and each mutation was treated as is demanded.
    pub fn is_same(&self) -> bool {
        let is_sent = self.not_sent.is_none() || self.matching == Matching::Spec;
        is_sent
            && self.differences.is_empty()
            && self.mutations.iter().all(|mutation| mutation.wrong.is_none())
    }
}

impl Replay {
    /// Whether all answers are as they were.
    pub fn is_same(&self) -> bool {
        self.verdicts.iter().all(Verdict::is_same)
    }

    /// How many exchanges are not as they were.
    pub fn different(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.is_same()).count()
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for verdict in &self.verdicts {
            let word = match (verdict.is_same(), &verdict.not_sent) {
                (true, None) => "same",
                (true, Some(_)) => "skip",
                (false, _) => "DIFF",
            };
            write!(f, "  {word} {:>3} {}", verdict.number, verdict.title)?;
            match verdict.mutations.len() {
                0 => writeln!(f)?,
                1 => writeln!(f, ", 1 mutation")?,
                count => writeln!(f, ", {count} mutations")?,
            }
            if let Some(reason) = &verdict.not_sent {
                writeln!(f, "           not sent: {reason}")?;
            }
            for difference in &verdict.differences {
                writeln!(f, "           {difference}")?;
            }
            for mutation in &verdict.mutations {
                if let Some(wrong) = &mutation.wrong {
                    writeln!(f, "           {}: {wrong} ({})", mutation.name, mutation.clause)?;
                }
            }
        }
        Ok(())
    }
}

/// Sends the requests again, in their order and overlapping as they did, and compares the answers.
///
/// Waiting is bounded by the limits of the endpoint.
pub fn replay(session: &Session, endpoint: &Endpoint, options: &Options) -> Replay {
    let mut player = Player { session, endpoint, options, running: Vec::new(), captured: Captured::new() };
    let mut sent = Vec::new();
    for exchange in &session.exchanges {
        sent.push(player.send(exchange));
    }
    player.finish_but(&[]);
    let minted = player.minted();
    let verdicts = session.exchanges.iter().zip(sent).enumerate().map(|(index, (exchange, sent))| {
        let matching = exchange.matching.unwrap_or(options.matching);
        let differences = match player.running.get(index) {
            Some(Some(running)) => {
                compare::differences(session, exchange, &running.outcome(), matching, &minted)
            }
            _ => Vec::new(),
        };
        let not_sent = sent.not_sent;
        let (number, title) = (index.saturating_add(1), exchange.title());
        Verdict { number, title, matching, not_sent, differences, mutations: sent.mutations }
    });
    Replay { against: endpoint.url().to_string(), verdicts: verdicts.collect() }
}

struct Player<'a> {
    session: &'a Session,
    endpoint: &'a Endpoint,
    options: &'a Options,
    /// One for each exchange so far; none where it was not sent.
    running: Vec<Option<Running>>,
    captured: Captured,
}

#[derive(Default)]
struct Sent {
    not_sent: Option<String>,
    mutations: Vec<mutate::Verdict>,
}

impl Player<'_> {
    fn send(&mut self, exchange: &Exchange) -> Sent {
        let names: Vec<&str> = exchange.meanwhile.keys().map(|name| &**name).collect();
        self.finish_but(&names);
        for (earlier, running) in self.session.exchanges.iter().zip(&self.running) {
            let events = earlier.name.as_ref().and_then(|name| exchange.meanwhile.get(name));
            if let (Some(events), Some(running)) = (events, running) {
                running.wait_for_events(*events);
            }
        }
        self.capture();
        match self.request(exchange) {
            Ok(request) => {
                let mutations = self.mutate(&request);
                self.running.push(Some(Running::start(self.endpoint.clone(), &request, exchange)));
                Sent { not_sent: None, mutations }
            }
            Err(reason) => {
                self.running.push(None);
                Sent { not_sent: Some(reason), ..Sent::default() }
            }
        }
    }

    /// Waits for all that were sent, but for these.
    fn finish_but(&mut self, names: &[&str]) {
        for (exchange, running) in self.session.exchanges.iter().zip(&mut self.running) {
            let is_named = exchange.name.as_ref().is_some_and(|name| names.contains(&&**name));
            if let (false, Some(running)) = (is_named, running) {
                running.finish(exchange);
            }
        }
    }

    /// Takes what has come and is sent again.
    fn capture(&mut self) {
        for (exchange, running) in self.session.exchanges.iter().zip(&self.running) {
            let (Some(recorded), Some(running)) = (&exchange.response, running) else { continue };
            for (name, place) in &recorded.captures {
                if let Some(value) = running.at(place) {
                    self.captured.entry(name.clone()).or_insert(value);
                }
            }
        }
    }

    /// What the server minted when it was recorded, and what it minted now.
    fn minted(&mut self) -> Minted {
        self.capture();
        let mut minted = Minted::default();
        for recorded in self.session.exchanges.iter().filter_map(|exchange| exchange.response.as_ref()) {
            for (name, place) in &recorded.captures {
                if let (Some(was), Some(now)) = (recorded.at(place), self.captured.get(name)) {
                    minted.push(was, now.clone());
                }
            }
        }
        minted
    }

    fn request(&self, exchange: &Exchange) -> Result<Request, String> {
        let missing = |name: String| format!("it needs ${{{name}}}, which did not come");
        let mut headers = Headers::default();
        let mut framing = Framing::Length;
        for (name, value) in &exchange.headers {
            let is_replaced = self.options.headers.has(name);
            if value == REDACTED || is_replaced {
                continue;
            }
            if name.eq_ignore_ascii_case("transfer-encoding") {
                framing = Framing::Chunked;
                continue;
            }
            // A client that was given nothing sends nothing.
            if let Ok(value) = fill(value, &self.captured) {
                headers.push(name.clone(), value);
            }
        }
        for (name, value) in self.options.headers.iter() {
            headers.push(name, value);
        }
        let body = match exchange.content() {
            Content::Empty => Vec::new(),
            Content::Json(mut json) => {
                fill_json(&mut json, &self.captured).map_err(missing)?;
                json.to_string().into_bytes()
            }
            Content::Text(text) => fill(&text, &self.captured).map_err(missing)?.into_bytes(),
            Content::Bytes(bytes) => bytes,
            Content::Omitted(length) => {
                return Err(format!(
                    "its body of {length} bytes was not kept; record with a greater --max-body"
                ));
            }
        };
        let path = fill(&exchange.path, &self.captured).map_err(missing)?;
        Ok(Request { method: exchange.method.clone(), target: self.target(&path), headers, body, framing })
    }

    /// The recorded path, where the endpoint is now.
    fn target(&self, path: &str) -> String {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let is_endpoint = path == self.session.endpoint();
        let url = self.endpoint.url();
        let query = if is_endpoint { url.query().unwrap_or(query) } else { query };
        let kept = query.split('&').filter(|part| !part.is_empty() && !part.ends_with(REDACTED));
        let query = kept.collect::<Vec<_>>().join("&");
        let path = if is_endpoint { url.path() } else { path };
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }

    fn mutate(&self, request: &Request) -> Vec<mutate::Verdict> {
        match self.session.revision {
            Some(revision) if self.options.mutations > 0 => {
                let all = mutate::mutations(request, revision);
                mutate::send(self.endpoint, request, &mutate::sample(all, self.options.mutations))
            }
            _ => Vec::new(),
        }
    }
}

/// What came, or why nothing more did.
#[derive(Debug, Clone, Default)]
struct Outcome {
    response: Option<crate::session::Response>,
    /// Why it broke off.
    broke: Option<String>,
    /// We have left, as the client did.
    left: bool,
}

impl Outcome {
    /// The JSON-RPC messages in it.
    fn messages(&self) -> Vec<Value> {
        self.response.as_ref().map(messages).unwrap_or_default()
    }
}

fn messages(response: &crate::session::Response) -> Vec<Value> {
    match &response.events {
        Some(events) => events.iter().filter_map(|event| event.data.clone()).collect(),
        None => response.body.iter().cloned().collect(),
    }
}

/// Whether the client was there until the end.
fn was_awaited(exchange: &Exchange) -> bool {
    match exchange.end {
        End::Complete | End::Server => true,
        End::Client | End::Open => false,
    }
}
