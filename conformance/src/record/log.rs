//! What was recorded so far, and its file.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::Options;
use crate::event::Decoder;
use crate::session::{Content, End, Event, Exchange, Response, Session};

/// The file is written this often at most, except when an exchange ends.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Log {
    options: Options,
    endpoint: String,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// When the file was written last.
    written: Option<Instant>,
    trouble: Option<String>,
    closed: bool,
}

struct Entry {
    exchange: Exchange,
    /// Whether it has not ended.
    is_open: bool,
    /// Whether another was sent meanwhile.
    is_named: bool,
    stream: Option<Decoder>,
    body: Vec<u8>,
    length: u64,
}

impl Entry {
    /// Whether the client still waits for something. Behind the response, only the end of a stream comes.
    fn is_going_on(&self) -> bool {
        let events = self.exchange.response.as_ref().and_then(|response| response.events.as_ref());
        let last = events.and_then(|events| events.last()?.data.as_ref());
        let has_responded = last.is_some_and(|last| last.get("id").is_some() && last.get("method").is_none());
        self.is_open && !has_responded
    }
}

impl Log {
    pub(super) fn new(options: Options, endpoint: &str) -> io::Result<Self> {
        let endpoint = endpoint.to_owned();
        let log = Self { options, endpoint, began: Instant::now(), state: Mutex::default() };
        // Whether it can be written is known before anything was said.
        if let Some(file) = &log.options.file {
            log.session().save(file)?;
        }
        Ok(log)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn headers<'h>(&self, headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> Vec<(String, String)> {
        let kept = |(name, value): (&str, &[u8])| {
            let value = String::from_utf8_lossy(value);
            (name.to_owned(), self.options.redaction.header(name, &value))
        };
        headers.map(kept).collect()
    }

    /// A request has begun: its number.
    pub(super) fn begin<'h>(
        &self,
        method: &str,
        target: &str,
        headers: impl Iterator<Item = (&'h str, &'h [u8])>,
    ) -> usize {
        let at = self.now();
        let headers = self.headers(headers);
        let mut state = self.state();
        let number = state.entries.len();
        let mut meanwhile = BTreeMap::new();
        for (number, earlier) in state.entries.iter_mut().enumerate().filter(|(_, entry)| entry.is_going_on())
        {
            earlier.is_named = true;
            let events = earlier.exchange.response.as_ref().and_then(|response| response.events.as_ref());
            meanwhile.insert(name_of(number), events.map_or(0, Vec::len));
        }
        let exchange = Exchange {
            at,
            meanwhile,
            headers,
            end: End::Open,
            ..Exchange::new(method, &self.options.redaction.target(target))
        };
        state.entries.push(Entry {
            exchange,
            is_open: true,
            is_named: false,
            stream: None,
            body: Vec::new(),
            length: 0,
        });
        number
    }

    pub(super) fn request_body(&self, number: usize, body: &[u8]) {
        let content = if body.len() > self.options.max_body {
            Content::Omitted(body.len() as u64)
        } else {
            Content::of(body)
        };
        self.change(number, |entry| {
            let it = &mut entry.exchange;
            (it.body, it.text, it.base64, it.omitted) = content.members();
        });
    }

    pub(super) fn answer<'h>(
        &self,
        number: usize,
        status: u16,
        headers: impl Iterator<Item = (&'h str, &'h [u8])>,
    ) {
        let at = self.now();
        let headers = self.headers(headers);
        let is_stream = headers.iter().any(|(name, value)| {
            let value = value.trim_start().to_ascii_lowercase();
            name.eq_ignore_ascii_case("content-type") && value.starts_with("text/event-stream")
        });
        self.change(number, |entry| {
            entry.stream = is_stream.then(Decoder::default);
            let events = is_stream.then(Vec::new);
            entry.exchange.response = Some(Response { at, headers, events, ..Response::new(status) });
        });
    }

    pub(super) fn answer_body(&self, number: usize, some: &[u8]) {
        let at = self.now();
        let most = self.options.max_body;
        self.change(number, |entry| {
            entry.length = entry.length.saturating_add(some.len() as u64);
            let events = entry.exchange.response.as_mut().and_then(|response| response.events.as_mut());
            if let (Some(stream), Some(events)) = (&mut entry.stream, events) {
                events.extend(stream.push(some).into_iter().map(|event| Event::timed(event, at)));
            } else if entry.body.len().saturating_add(some.len()) <= most {
                entry.body.extend_from_slice(some);
            }
        });
        if !some.is_empty() {
            self.write(false);
        }
    }

    /// Nothing more comes; what came may still have to be passed on.
    pub(super) fn end(&self, number: usize, end: End) {
        self.change(number, |entry| {
            entry.is_open = false;
            entry.exchange.end = end;
            keep_body(entry);
        });
    }

    /// It is over: what came was passed on, or could not be.
    pub(super) fn finish(&self, number: usize, end: End) {
        let mut line = String::new();
        self.end(number, end);
        self.change(number, |entry| {
            let status = entry.exchange.response.as_ref().map(|response| response.status);
            let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            let how = match end {
                End::Complete => "",
                End::Client => ", the client left",
                End::Server => ", the server left",
                End::Open => ", still open",
            };
            line = format!("{:>4} {}: {status}{how}", number.saturating_add(1), entry.exchange.title());
        });
        (self.options.tell)(&line);
        self.write(true);
    }

    fn change(&self, number: usize, change: impl FnOnce(&mut Entry)) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        if let Some(entry) = state.entries.get_mut(number) {
            change(entry);
        }
    }

    /// The session as it is now.
    pub(super) fn session(&self) -> Session {
        self.session_of(&self.state())
    }

    fn session_of(&self, state: &State) -> Session {
        let mut session = Session::new();
        session.recorded = Some(today());
        session.notes.clone_from(&self.options.notes);
        session.endpoint = Some(self.endpoint.clone());
        for (number, entry) in state.entries.iter().enumerate() {
            let mut exchange = entry.exchange.clone();
            exchange.name = entry.is_named.then(|| name_of(number));
            session.exchanges.push(exchange);
        }
        session.name_parties();
        session.name_minted();
        session
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    /// Takes no more, and writes the file.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.write(true);
    }

    /// Writes the file, one writer at a time.
    fn write(&self, now: bool) {
        let Some(file) = &self.options.file else { return };
        let mut state = self.state();
        if now || state.written.is_none_or(|written| written.elapsed() >= PAUSE) {
            state.trouble = self.session_of(&state).save(file).err().map(|error| error.to_string());
            state.written = Some(Instant::now());
        }
    }
}

fn name_of(number: usize) -> String {
    format!("x{}", number.saturating_add(1))
}

fn keep_body(entry: &mut Entry) {
    let Some(response) = entry.exchange.response.as_mut().filter(|response| response.events.is_none()) else {
        return;
    };
    let content = if entry.length > entry.body.len() as u64 {
        Content::Omitted(entry.length)
    } else {
        Content::of(&entry.body)
    };
    (response.body, response.text, response.base64, response.omitted) = content.members();
}

/// The day, in UTC.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    date(seconds.checked_div(86_400).unwrap_or_default())
}

/// The date of a day since 1970-01-01.
fn date(days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970_u64, days);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        left = left.saturating_sub(length);
        year = year.saturating_add(1);
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1_u8;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left = left.saturating_sub(length);
        month = month.saturating_add(1);
    }
    format!("{year:04}-{month:02}-{:02}", left.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (days, expected) in
            [(0, "1970-01-01"), (789, "1972-02-29"), (11_016, "2000-02-29"), (20_788, "2026-12-01")]
        {
            assert_eq!(date(days), expected);
        }
    }
}
