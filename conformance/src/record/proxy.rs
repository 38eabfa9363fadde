//! One connection of a client, and the requests that come over it.

use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{POLL, Shared};
use crate::session::End;
use crate::wire::{Connection, Framing, Head, Headers, Limits, Request, RequestHead, WireError};

/// Headers of answers that are of one connection, one moment, or about the length of a body. They go through, and are
/// not kept.
const NOT_KEPT: [&str; 5] = ["connection", "keep-alive", "content-length", "transfer-encoding", "date"];

/// The limits of a recorder: what is slow or long is the business of both sides.
const NONE: Limits =
    Limits { connect: Duration::from_secs(10), answer: Duration::from_secs(60), body: usize::MAX };

pub(super) fn serve(stream: TcpStream, shared: &Shared) {
    let Ok(mut client) = Connection::accepted(stream, NONE) else { return };
    while let Some(head) = next_request(&mut client, shared) {
        let keeps_alive = head.keep_alive;
        if !pass(head, &mut client, shared) || !keeps_alive {
            return;
        }
    }
}

fn next_request(client: &mut Connection, shared: &Shared) -> Option<RequestHead> {
    loop {
        match client.read_request_head_by(soon()) {
            Ok(head) => return head,
            Err(WireError::TimedOut { .. }) if !shared.stop.load(Ordering::Relaxed) => {}
            Err(WireError::NotHttp { reason }) => {
                drop(client.write(&refusal("400 Bad Request", &reason)));
                return None;
            }
            Err(_) => return None,
        }
    }
}

fn soon() -> Instant {
    let now = Instant::now();
    now.checked_add(POLL).unwrap_or(now)
}

fn refusal(status: &str, reason: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{reason}",
        reason.len()
    )
    .into_bytes()
}

/// Passes a request on and its answer back; whether another may follow.
fn pass(head: RequestHead, client: &mut Connection, shared: &Shared) -> bool {
    let kept = head.headers.iter().filter(|(name, _)| {
        !["host", "content-length", "connection"].iter().any(|other| name.eq_ignore_ascii_case(other))
    });
    let number = shared.log.begin(&head.method, &head.target, kept);
    let mut passing = Passing { number, client, shared, body: Vec::new() };
    let (end, again) = match passing.run(&head) {
        Ok(again) => (End::Complete, again),
        Err(Lost::Client) => (End::Client, false),
        Err(Lost::Server(None)) => (End::Server, false),
        Err(Lost::Server(Some(reason))) => {
            shared.log.end(number, End::Server);
            let reason = format!("the recorder got no answer: {reason}");
            drop(passing.client.write(&refusal("502 Bad Gateway", &reason)));
            (End::Server, false)
        }
        Err(Lost::Stopped) => (End::Open, false),
    };
    shared.log.finish(number, end);
    again
}

/// Who has gone.
enum Lost {
    Client,
    /// Why, where nothing was passed back yet.
    Server(Option<String>),
    /// The recording was ended.
    Stopped,
}

struct Passing<'a> {
    number: usize,
    client: &'a mut Connection,
    shared: &'a Shared,
    /// What there is of the request's body.
    body: Vec<u8>,
}

impl Passing<'_> {
    fn run(&mut self, head: &RequestHead) -> Result<bool, Lost> {
        let upstream = self.shared.upstream.clone().limits(NONE);
        let mut server = match upstream.connect() {
            Ok(server) => server,
            Err(error) => {
                // The body is read all the same: it is what the client sent.
                self.pass_body(head, None)?;
                return Err(Lost::Server(Some(error.to_string())));
            }
        };
        let request = Request {
            method: head.method.clone(),
            target: head.target.clone(),
            headers: self.rewritten(&head.headers),
            body: Vec::new(),
            framing: Framing::None,
        };
        // An upstream that refuses early closes while it is written to: its answer counts.
        drop(server.write(&request.head(upstream.host())));
        self.pass_body(head, Some(&mut server))?;
        let answer = self.poll(|| server.read_head_by(&head.method, soon()))?;
        let answer = answer.map_err(|error| Lost::Server(Some(error.to_string())))?;
        self.pass_answer(head, &answer, &mut server)
    }

    fn rewritten(&self, headers: &Headers) -> Headers {
        let upstream = &self.shared.upstream;
        let ours = format!("http://{}", self.shared.host);
        let origin = upstream.url().origin().ascii_serialization();
        let rewrite = |(name, value): (&str, &[u8])| {
            let value = if name.eq_ignore_ascii_case("host") {
                upstream.host().as_bytes()
            } else if name.eq_ignore_ascii_case("origin") && value == ours.as_bytes() {
                origin.as_bytes()
            } else {
                value
            };
            (name.to_owned(), value.to_vec())
        };
        headers.iter().map(rewrite).collect()
    }

    /// Reads until something comes that is no time-out, as long as the client is there.
    fn poll<T>(&self, mut read: impl FnMut() -> Result<T, WireError>) -> Result<Result<T, WireError>, Lost> {
        loop {
            match read() {
                Err(WireError::TimedOut { .. }) => {}
                other => return Ok(other),
            }
            if self.client.has_left() {
                return Err(Lost::Client);
            }
            if self.shared.stop.load(Ordering::Relaxed) {
                return Err(Lost::Stopped);
            }
        }
    }

    fn pass_body(&mut self, head: &RequestHead, mut server: Option<&mut Connection>) -> Result<(), Lost> {
        let expects = head.headers.text("expect");
        if expects.is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            self.client.write(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| Lost::Client)?;
        }
        let mut whole = false;
        while !whole {
            let some = match self.client.read_some_by(soon()) {
                Err(WireError::TimedOut { .. }) if self.shared.stop.load(Ordering::Relaxed) => {
                    return Err(Lost::Stopped);
                }
                Err(WireError::TimedOut { .. }) => continue,
                Err(_) => return Err(Lost::Client),
                Ok(some) => some,
            };
            whole = some.is_none();
            let some = some.unwrap_or_default();
            self.body.extend_from_slice(&some);
            if whole {
                self.shared.log.request_body(self.number, &self.body);
            }
            if let Some(server) = &mut server {
                drop(server.write(&framed(&some, head.framing, whole)));
            }
        }
        Ok(())
    }

    fn pass_answer(
        &mut self,
        head: &RequestHead,
        answer: &Head,
        server: &mut Connection,
    ) -> Result<bool, Lost> {
        let is_kept = |name: &str| !NOT_KEPT.iter().any(|other| name.eq_ignore_ascii_case(other));
        let kept = answer.headers.iter().filter(|(name, _)| is_kept(name));
        self.shared.log.answer(self.number, answer.status, kept);
        let mut bytes = format!("HTTP/1.1 {} {}\r\n", answer.status, answer.reason).into_bytes();
        for (name, value) in answer.headers.iter() {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"\r\n");
        // Noted before it is passed on: what the client sends because of it comes later.
        if server.is_read() {
            self.shared.log.end(self.number, End::Complete);
        }
        self.client.write(&bytes).map_err(|_| Lost::Client)?;
        loop {
            let some = self.poll(|| server.read_some_by(soon()))?.map_err(|_| Lost::Server(None))?;
            let whole = some.is_none();
            let some = some.unwrap_or_default();
            self.shared.log.answer_body(self.number, &some);
            if whole || server.is_read() {
                self.shared.log.end(self.number, End::Complete);
            }
            self.client.write(&framed(&some, answer.framing, whole)).map_err(|_| Lost::Client)?;
            if whole {
                let connection = answer.headers.text("connection");
                let closes = connection.is_some_and(|value| value.eq_ignore_ascii_case("close"));
                return Ok(head.keep_alive && !closes && answer.framing != Framing::UntilClose);
            }
        }
    }
}

/// A piece of a body, framed as the whole is.
fn framed(some: &[u8], framing: Framing, is_last: bool) -> Vec<u8> {
    match framing {
        Framing::Chunked if is_last => b"0\r\n\r\n".to_vec(),
        Framing::Chunked => {
            let mut bytes = format!("{:x}\r\n", some.len()).into_bytes();
            bytes.extend_from_slice(some);
            bytes.extend_from_slice(b"\r\n");
            bytes
        }
        Framing::Length | Framing::UntilClose | Framing::None => some.to_vec(),
    }
}
