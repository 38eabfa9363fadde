//! One exchange on its way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Outcome, was_awaited};
use crate::event::Decoder;
use crate::session::{Content, Event, Exchange, Place, Response};
use crate::wire::{Connection, Endpoint, Request, WireError};

/// How long a read waits before it is looked whether to leave.
const POLL: Duration = Duration::from_millis(20);

/// Events beyond those of the recording that are read.
const MORE_EVENTS: usize = 1000;

#[derive(Debug)]
pub(super) struct Running {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    wait: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    leave: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    outcome: Outcome,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

impl Running {
    pub(super) fn start(endpoint: Endpoint, request: &Request, exchange: &Exchange) -> Self {
        let wait = endpoint.read_limits().answer;
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let recorded = exchange.response.as_ref();
        let events = recorded.and_then(|response| response.events.as_ref()).map_or(0, Vec::len);
        let (method, bytes) = (request.method.clone(), request.bytes(endpoint.host()));
        let thread = std::thread::spawn(move || {
            let most = events.saturating_add(MORE_EVENTS);
            let mut reader =
                Reader { shared: &of_thread, began: Instant::now(), wait, most, by: Instant::now() };
            let broke = reader.run(&endpoint, &method, &bytes).err();
            of_thread.change(|state| {
                state.ended = true;
                match broke {
                    Some(Broke::Left) => state.outcome.left = true,
                    Some(Broke::Because(reason)) => state.outcome.broke = Some(reason),
                    None => {}
                }
            });
        });
        Self { shared, thread: Some(thread), wait }
    }

    /// What has come.
    pub(super) fn outcome(&self) -> Outcome {
        self.shared.state().outcome.clone()
    }

    pub(super) fn at(&self, place: &Place) -> Option<Value> {
        self.shared.state().outcome.response.as_ref()?.at(place)
    }

    pub(super) fn wait_for_events(&self, events: usize) {
        self.wait_until(|state| events_of(state) >= events);
    }

    /// Waits for the end, or leaves where the client left.
    pub(super) fn finish(&mut self, exchange: &Exchange) {
        let Some(thread) = self.thread.take() else { return };
        if !was_awaited(exchange) {
            let recorded = exchange.response.as_ref();
            let events = recorded.and_then(|response| response.events.as_ref()).map_or(0, Vec::len);
            self.wait_until(|state| {
                recorded.is_none() || state.outcome.response.is_some() && events_of(state) >= events
            });
            self.shared.leave.store(true, Ordering::Relaxed);
        } else if exchange.method == "GET" && !has_events(exchange.response.as_ref()) {
            // A stream that was none when it was recorded: such a one has no end.
            self.wait_until(|state| has_events(state.outcome.response.as_ref()));
            if has_events(self.outcome().response.as_ref()) {
                self.shared.leave.store(true, Ordering::Relaxed);
            }
        }
        drop(thread.join());
    }

    fn wait_until(&self, holds: impl Fn(&State) -> bool) {
        let goes_on = |state: &mut State| !state.ended && !holds(state);
        drop(self.shared.changed.wait_timeout_while(self.shared.state(), self.wait, goes_on));
    }
}

fn has_events(response: Option<&Response>) -> bool {
    response.is_some_and(|response| response.events.is_some())
}

fn events_of(state: &State) -> usize {
    state.outcome.response.as_ref().and_then(|response| response.events.as_ref()).map_or(0, Vec::len)
}

enum Broke {
    Left,
    Because(String),
}

impl From<WireError> for Broke {
    fn from(error: WireError) -> Self {
        Self::Because(error.to_string())
    }
}

struct Reader<'a> {
    shared: &'a Shared,
    began: Instant,
    wait: Duration,
    most: usize,
    /// Until then something must come.
    by: Instant,
}

impl Reader<'_> {
    fn run(&mut self, endpoint: &Endpoint, method: &str, bytes: &[u8]) -> Result<(), Broke> {
        self.wait_anew();
        let mut connection = endpoint.connect()?;
        // A server may answer, and close, before it has read all: its answer is what counts.
        let written = connection.write(bytes);
        let head = match self.poll(|by| connection.read_head_by(method, by))? {
            Err(error) if error.is_close() => return Err(written.err().unwrap_or(error).into()),
            head => head?,
        };
        let at = self.at();
        let text = |value| String::from_utf8_lossy(value).into_owned();
        let is_stream = head
            .headers
            .text("content-type")
            .is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with("text/event-stream"));
        self.shared.change(|state| {
            state.outcome.response = Some(Response {
                at,
                headers: head.headers.iter().map(|(name, value)| (name.to_owned(), text(value))).collect(),
                events: is_stream.then(Vec::new),
                ..Response::new(head.status)
            });
        });
        self.wait_anew();
        if is_stream { self.read_events(&mut connection) } else { self.read_body(&mut connection) }
    }

    fn read_events(&mut self, connection: &mut Connection) -> Result<(), Broke> {
        let mut decoder = Decoder::default();
        while let Some(some) = self.poll(|by| connection.read_some_by(by))?? {
            let events = decoder.push(&some);
            if events.is_empty() {
                continue;
            }
            self.wait_anew();
            let at = self.at();
            let mut count = 0;
            self.shared.change(|state| {
                if let Some(all) =
                    state.outcome.response.as_mut().and_then(|response| response.events.as_mut())
                {
                    all.extend(events.into_iter().map(|event| Event::timed(event, at)));
                    count = all.len();
                }
            });
            if count > self.most {
                return Err(Broke::Because(format!("more than {} events came", self.most)));
            }
        }
        Ok(())
    }

    fn read_body(&mut self, connection: &mut Connection) -> Result<(), Broke> {
        let mut body = Vec::new();
        let end = loop {
            match self.poll(|by| connection.read_some_by(by)) {
                Ok(Ok(Some(some))) => body.extend_from_slice(&some),
                Ok(Ok(None)) => break Ok(()),
                Ok(Err(error)) => break Err(error.into()),
                Err(broke) => break Err(broke),
            }
        };
        let content = Content::of(&body);
        self.shared.change(|state| {
            if let Some(response) = &mut state.outcome.response {
                (response.body, response.text, response.base64, response.omitted) = content.members();
            }
        });
        end
    }

    fn at(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn wait_anew(&mut self) {
        let now = Instant::now();
        self.by = now.checked_add(self.wait).unwrap_or(now);
    }

    /// Reads until something comes that is no time-out, or it is time to leave.
    fn poll<T>(
        &self,
        mut read: impl FnMut(Instant) -> Result<T, WireError>,
    ) -> Result<Result<T, WireError>, Broke> {
        loop {
            let now = Instant::now();
            match read(now.checked_add(POLL).unwrap_or(now)) {
                Err(WireError::TimedOut { .. }) if Instant::now() < self.by => {}
                other if Instant::now() < self.by || other.is_err() => return Ok(other),
                // Bytes come, and no event or end.
                _ => return Ok(Err(WireError::TimedOut { waited: self.wait })),
            }
            if self.shared.leave.load(Ordering::Relaxed) {
                return Err(Broke::Left);
            }
        }
    }
}
