use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustls::{ClientConnection, StreamOwned};

use super::body::Rest;
use super::{Framing, Headers, Limits, Request, Response, WireError};

/// The longest head of a message that is read.
const LONGEST_HEAD: usize = 256 << 10;

/// The most headers of a message.
const MOST_HEADERS: usize = 256;

pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.socket().fmt(f)
    }
}

impl Stream {
    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref(),
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(into),
            Self::Tls(stream) => stream.read(into),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.write_all(bytes),
            Self::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
        }
    }
}

/// One connection. Dropping it closes it.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    limits: Limits,
    /// What was read and not yet used.
    buffer: Vec<u8>,
    rest: Rest,
    /// The bytes of the body that were given out.
    read: usize,
}

/// The head of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// The words behind the status.
    pub reason: String,
    /// The headers, spelled as they were.
    pub headers: Headers,
    /// How the end of the body is told.
    pub framing: Framing,
}

/// The head of a request that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// The method.
    pub method: String,
    /// The target.
    pub target: String,
    /// The headers, spelled as they were.
    pub headers: Headers,
    /// How the end of the body is told.
    pub framing: Framing,
    /// Whether more requests may follow on the connection.
    pub keep_alive: bool,
}

impl Connection {
    pub(super) fn new(stream: Stream, limits: Limits) -> Self {
        Self { stream, limits, buffer: Vec::new(), rest: Rest::Done, read: 0 }
    }

    /// A connection that was taken from a client.
    ///
    /// # Errors
    /// When the socket refuses its settings.
    pub fn accepted(stream: TcpStream, limits: Limits) -> Result<Self, WireError> {
        stream.set_nodelay(true).map_err(WireError::Broken)?;
        Ok(Self::new(Stream::Plain(stream), limits))
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// When the peer does not take them in time, or has left.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.stream.socket().set_write_timeout(Some(self.limits.answer)).map_err(WireError::Broken)?;
        self.stream.write(bytes).map_err(|error| {
            if is_time_out(&error) {
                WireError::TimedOut { waited: self.limits.answer }
            } else {
                WireError::Broken(error)
            }
        })
    }

    /// Whether the peer has closed the connection, as far as can be told without reading what it sent.
    pub fn has_left(&self) -> bool {
        if !self.buffer.is_empty() {
            return false;
        }
        let socket = self.stream.socket();
        if socket.set_nonblocking(true).is_err() {
            return true;
        }
        let left = match socket.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => !is_time_out(&error),
        };
        left | socket.set_nonblocking(false).is_err()
    }

    /// Says that no more will be written.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn finish_writing(&self) -> Result<(), WireError> {
        self.stream.socket().shutdown(std::net::Shutdown::Write).map_err(WireError::Broken)
    }

    /// Reads the head of an answer to a request by this method. Interim answers are skipped.
    ///
    /// # Errors
    /// When none comes in time, or what comes is none.
    pub fn read_head(&mut self, method: &str) -> Result<Head, WireError> {
        let by = self.deadline();
        self.read_head_by(method, by)
    }

    /// [`read_head`](Self::read_head), waiting until then. After a time-out it can be called again.
    ///
    /// # Errors
    /// As there.
    pub fn read_head_by(&mut self, method: &str, by: Instant) -> Result<Head, WireError> {
        loop {
            let head = self.read_parsed(by, parse_response)?.ok_or(WireError::Closed)?;
            if head.status / 100 == 1 {
                continue;
            }
            let bodiless = method == "HEAD" || matches!(head.status, 204 | 304);
            let (framing, rest) =
                if bodiless { (Framing::None, Rest::Done) } else { rest_of(&head.headers, true)? };
            (self.rest, self.read) = (rest, 0);
            return Ok(Head { framing, ..head });
        }
    }

    /// Reads the head of a request; none when the client closes the connection instead.
    ///
    /// # Errors
    /// When what comes is none.
    pub fn read_request_head(&mut self) -> Result<Option<RequestHead>, WireError> {
        let by = self.deadline();
        self.read_request_head_by(by)
    }

    /// [`read_request_head`](Self::read_request_head), waiting until then. After a time-out it can be called again.
    ///
    /// # Errors
    /// As there.
    pub fn read_request_head_by(&mut self, by: Instant) -> Result<Option<RequestHead>, WireError> {
        let Some(head) = self.read_parsed(by, parse_request)? else { return Ok(None) };
        let (framing, rest) = rest_of(&head.headers, false)?;
        (self.rest, self.read) = (rest, 0);
        Ok(Some(RequestHead { framing, ..head }))
    }

    /// Reads some of the body, as it comes; none at its end.
    ///
    /// # Errors
    /// When nothing comes in time, the body is too long, or the connection ends before it.
    pub fn read_some(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        let by = self.deadline();
        self.read_some_by(by)
    }

    /// [`read_some`](Self::read_some), waiting until then. After a time-out it can be called again.
    ///
    /// # Errors
    /// As there.
    pub fn read_some_by(&mut self, by: Instant) -> Result<Option<Vec<u8>>, WireError> {
        loop {
            match self.rest {
                Rest::Done | Rest::Bytes(0) => return Ok(None),
                Rest::Bytes(left) => {
                    let Some(taken) = self.take(left, by)? else {
                        return Err(WireError::Cut { read: self.read });
                    };
                    self.rest = Rest::Bytes(left.saturating_sub(taken.len() as u64));
                    return Ok(Some(taken));
                }
                Rest::UntilClose => return self.take(u64::MAX, by),
                Rest::Chunk => {
                    let size = self.read_line(by)?;
                    let size = size.split(|byte| *byte == b';').next().unwrap_or_default();
                    let text = std::str::from_utf8(size).unwrap_or_default().trim();
                    let size = u64::from_str_radix(text, 16).map_err(|_| {
                        WireError::not_http(format!("\"{}\" is no size of a chunk", shown(size)))
                    })?;
                    self.rest = if size == 0 { Rest::Trailers } else { Rest::InChunk(size) };
                }
                Rest::Trailers => {
                    while !self.read_line(by)?.is_empty() {}
                    self.rest = Rest::Done;
                    return Ok(None);
                }
                Rest::ChunkEnd => {
                    if !self.read_line(by)?.is_empty() {
                        return Err(WireError::not_http("a chunk is longer than its size"));
                    }
                    self.rest = Rest::Chunk;
                }
                Rest::InChunk(left) => {
                    let Some(taken) = self.take(left, by)? else {
                        return Err(WireError::Cut { read: self.read });
                    };
                    let left = left.saturating_sub(taken.len() as u64);
                    // What came is given out before the line behind it comes.
                    self.rest = if left == 0 { Rest::ChunkEnd } else { Rest::InChunk(left) };
                    return Ok(Some(taken));
                }
            }
        }
    }

    /// Whether the whole body was read, as far as is known without reading on.
    pub fn is_read(&self) -> bool {
        matches!(self.rest, Rest::Done | Rest::Bytes(0))
    }

    /// Reads the rest of the body.
    ///
    /// # Errors
    /// As [`read_some`](Self::read_some).
    pub fn read_rest(&mut self) -> Result<Vec<u8>, WireError> {
        let by = self.deadline();
        let mut body = Vec::new();
        while let Some(some) = self.read_some_by(by)? {
            body.extend_from_slice(&some);
        }
        Ok(body)
    }

    /// Reads a whole answer.
    ///
    /// # Errors
    /// When there is no whole answer.
    pub fn read_response(&mut self, method: &str, sent: Instant) -> Result<Response, WireError> {
        let head = self.read_head(method)?;
        let body = self.read_rest()?;
        Ok(Response { status: head.status, headers: head.headers, body, took: sent.elapsed() })
    }

    /// Reads a whole request; none when the client closes the connection instead.
    ///
    /// # Errors
    /// When what comes is none.
    pub fn read_request(&mut self) -> Result<Option<Request>, WireError> {
        let Some(head) = self.read_request_head()? else { return Ok(None) };
        let body = self.read_rest()?;
        let RequestHead { method, target, headers, framing, .. } = head;
        Ok(Some(Request { method, target, headers, body, framing }))
    }

    fn deadline(&self) -> Instant {
        let now = Instant::now();
        now.checked_add(self.limits.answer).unwrap_or(now)
    }

    fn read_parsed<T>(
        &mut self,
        by: Instant,
        parse: impl Fn(&[u8]) -> Result<Option<(T, usize)>, WireError>,
    ) -> Result<Option<T>, WireError> {
        loop {
            if let Some((head, length)) = parse(&self.buffer)? {
                self.buffer.drain(..length);
                return Ok(Some(head));
            }
            if self.buffer.len() > LONGEST_HEAD {
                return Err(WireError::TooLong { limit: LONGEST_HEAD });
            }
            if !self.fill(by)? {
                let nothing = self.buffer.is_empty();
                return if nothing { Ok(None) } else { Err(WireError::Cut { read: 0 }) };
            }
        }
    }

    /// Takes some bytes of the body, as many as are there.
    fn take(&mut self, most: u64, by: Instant) -> Result<Option<Vec<u8>>, WireError> {
        if self.buffer.is_empty() && !self.fill(by)? {
            return Ok(None);
        }
        let count = usize::try_from(most).unwrap_or(usize::MAX).min(self.buffer.len());
        self.read = self.read.saturating_add(count);
        if self.read > self.limits.body {
            return Err(WireError::TooLong { limit: self.limits.body });
        }
        Ok(Some(self.buffer.drain(..count).collect()))
    }

    fn read_line(&mut self, by: Instant) -> Result<Vec<u8>, WireError> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.buffer.drain(..=end).collect();
                while line.pop_if(|byte| matches!(byte, b'\r' | b'\n')).is_some() {}
                return Ok(line);
            }
            if self.buffer.len() > LONGEST_HEAD {
                return Err(WireError::not_http("a line of a chunk without an end"));
            }
            if !self.fill(by)? {
                return Err(WireError::Cut { read: self.read });
            }
        }
    }

    /// Reads what is there; false at the end of the connection.
    fn fill(&mut self, by: Instant) -> Result<bool, WireError> {
        let left = by.saturating_duration_since(Instant::now());
        let timed_out = WireError::TimedOut { waited: self.limits.answer };
        if left.is_zero() {
            return Err(timed_out);
        }
        let left = left.max(Duration::from_millis(1));
        self.stream.socket().set_read_timeout(Some(left)).map_err(WireError::Broken)?;
        let mut piece = [0; 1 << 14];
        loop {
            return match self.stream.read(&mut piece) {
                Ok(0) => Ok(false),
                Ok(count) => {
                    self.buffer.extend_from_slice(piece.get(..count).unwrap_or_default());
                    Ok(true)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_time_out(&error) => Err(timed_out),
                // A peer that ends TLS without saying so.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
                Err(error) => Err(WireError::Broken(error)),
            };
        }
    }
}

fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn rest_of(headers: &Headers, is_answer: bool) -> Result<(Framing, Rest), WireError> {
    if let Some(coding) = headers.text("transfer-encoding") {
        if coding.trim().eq_ignore_ascii_case("chunked") {
            return Ok((Framing::Chunked, Rest::Chunk));
        }
        return Err(WireError::not_http(format!("transfer-encoding is {coding}")));
    }
    if let Some(length) = headers.text("content-length") {
        let length = length.trim().parse();
        let length = length.map_err(|_| WireError::not_http("content-length is no number"))?;
        return Ok((Framing::Length, Rest::Bytes(length)));
    }
    Ok(if is_answer { (Framing::UntilClose, Rest::UntilClose) } else { (Framing::None, Rest::Done) })
}

fn parse_response(bytes: &[u8]) -> Result<Option<(Head, usize)>, WireError> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(bytes) {
        Ok(httparse::Status::Partial) => Ok(None),
        Ok(httparse::Status::Complete(length)) => {
            let head = Head {
                status: response.code.unwrap_or(0),
                reason: response.reason.unwrap_or_default().to_owned(),
                headers: owned(response.headers),
                framing: Framing::None,
            };
            Ok(Some((head, length)))
        }
        Err(error) => Err(unparsable(error, bytes)),
    }
}

fn parse_request(bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, WireError> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => Ok(None),
        Ok(httparse::Status::Complete(length)) => {
            let version = request.version;
            let (method, target) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
            let (method, target) = (method.to_owned(), target.to_owned());
            let headers = owned(request.headers);
            let closes = headers.text("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
            let keep_alive = version == Some(1) && !closes;
            Ok(Some((RequestHead { method, target, headers, framing: Framing::None, keep_alive }, length)))
        }
        Err(error) => Err(unparsable(error, bytes)),
    }
}

fn owned(headers: &[httparse::Header<'_>]) -> Headers {
    headers.iter().map(|header| (header.name, header.value)).collect()
}

fn unparsable(error: httparse::Error, bytes: &[u8]) -> WireError {
    WireError::not_http(format!("{error}, in \"{}\"", shown(bytes)))
}

/// The beginning of bytes, for a message.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().take(60).copied().flat_map(std::ascii::escape_default).map(char::from).collect()
}
