//! A client that is as strict as RFC 9112 allows: requests as they were written, responses taken apart byte by byte.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// A test that waits as long as this has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const MODERN: &str = "2026-07-28";

/// How a body is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length,
    Chunked,
    /// No `Content-Length` but what the headers say.
    AsItIs,
}

/// A request, as it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    framing: Framing,
}

impl Request {
    /// With a `Host` and without a body.
    pub(crate) fn new(method: &str, target: &str) -> Self {
        let request = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            framing: Framing::AsItIs,
        };
        request.header("Host", "localhost")
    }

    /// A body for the endpoint, with what every client sends.
    pub(crate) fn post(body: impl Into<Vec<u8>>) -> Self {
        let request = Self { body: body.into(), framing: Framing::Length, ..Self::new("POST", "/mcp") };
        request
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    /// A modern request.
    pub(crate) fn modern(id: u32, method: &str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        Self::post(body.to_string()).header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method)
    }

    /// A modern call of a tool.
    pub(crate) fn call(id: u32, tool: &str, arguments: Value) -> Self {
        Self::modern(id, "tools/call", json!({ "name": tool, "arguments": arguments }))
            .header("Mcp-Name", tool)
    }

    pub(crate) fn echo(id: u32, text: &str) -> Self {
        Self::call(id, "echo", json!({ "text": text }))
    }

    /// A body that is as long as this, which `echo` gives back for the most part.
    pub(crate) fn of_length(bytes: usize) -> Self {
        let empty = Self::echo(1, "").body.len();
        let request = Self::echo(1, &"x".repeat(bytes.checked_sub(empty).unwrap()));
        assert_eq!(request.body.len(), bytes);
        request
    }

    /// A legacy request, as clients send it that know no revision with per-request `_meta`.
    pub(crate) fn legacy(id: u32, method: &str, params: &Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        Self::post(body.to_string()).header("MCP-Protocol-Version", "2025-11-25")
    }

    /// Adds a header, beside others of its name.
    pub(crate) fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// Puts one header in the place of those of its name.
    pub(crate) fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).header(name, value)
    }

    pub(crate) fn to(self, target: &str) -> Self {
        Self { target: target.to_owned(), ..self }
    }

    pub(crate) fn by(self, method: &str) -> Self {
        Self { method: method.to_owned(), ..self }
    }

    /// Sends the body in chunks.
    pub(crate) fn chunked(self) -> Self {
        Self { framing: Framing::Chunked, ..self }
    }

    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut field = |name: &str, value: &[u8]| {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        };
        for (name, value) in &self.headers {
            field(name, value);
        }
        match self.framing {
            Framing::Length => field("Content-Length", self.body.len().to_string().as_bytes()),
            Framing::Chunked => field("Transfer-Encoding", b"chunked"),
            Framing::AsItIs => {}
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The whole request. Chunks are of all lengths from one byte up.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        if self.framing != Framing::Chunked {
            bytes.extend_from_slice(&self.body);
            return bytes;
        }
        let (mut rest, mut length) = (&*self.body, 1);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(length));
            bytes.extend_from_slice(&chunk(piece));
            (rest, length) = (after, length.saturating_mul(2));
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        bytes
    }
}

pub(crate) fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

/// A response, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// In the order of the wire, names in lower case.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// The values of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let values = self.headers.iter().filter(|(other, _)| other == name);
        values.map(|(_, value)| std::str::from_utf8(value).unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The first text block of a tool's result.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        assert_eq!(self.status, 200, "{self:?}");
        let text = self.json()["result"]["content"][0]["text"].as_str().map(str::to_owned);
        text.unwrap_or_else(|| panic!("no text: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn id(&self) -> Value {
        self.json()["id"].take()
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    /// What status lines start with.
    version: &'static str,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), version: "HTTP/1.1 " }
    }

    #[track_caller]
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Writes what may not all be read, and meanwhile does something else: a server that has answered may close.
    pub(crate) fn write_beside(&mut self, bytes: &[u8], act: impl FnOnce(&mut Self)) {
        let mut stream = self.stream.get_ref().try_clone().unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || stream.write_all(bytes));
            act(self);
            match writer.join().unwrap() {
                Err(error) if !is_gone(&error) => panic!("{error}"),
                Ok(()) | Err(_) => {}
            }
        });
    }

    /// Writes what may not be read: a server that has answered may close.
    pub(crate) fn try_write(&mut self, bytes: &[u8]) {
        match self.stream.get_mut().write_all(bytes) {
            Err(error) if !is_gone(&error) => panic!("{error}"),
            Ok(()) | Err(_) => {}
        }
    }

    /// Waits for an answer to begin, or the connection to end.
    pub(crate) fn is_answered(&mut self) -> bool {
        match self.stream.fill_buf() {
            Ok(bytes) => !bytes.is_empty(),
            Err(error) if is_gone(&error) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// Says that nothing more will be written.
    pub(crate) fn finish_writing(&self) {
        self.stream.get_ref().shutdown(Shutdown::Write).unwrap();
    }

    /// Sends a request and reads the answer.
    #[track_caller]
    pub(crate) fn send(&mut self, request: &Request) -> Response {
        self.write(&request.bytes());
        self.read_answer_to(&request.method)
    }

    /// Sends a request as old clients do, and reads the answer in kind.
    #[track_caller]
    pub(crate) fn send_as_http_1_0(&mut self, request: &Request) -> Response {
        let request = String::from_utf8(request.bytes()).unwrap();
        self.write(request.replacen(" HTTP/1.1\r\n", " HTTP/1.0\r\n", 1).as_bytes());
        self.version = "HTTP/1.0 ";
        self.read()
    }

    /// Reads the answer to a request other than HEAD.
    #[track_caller]
    pub(crate) fn read(&mut self) -> Response {
        self.read_answer_to("POST")
    }

    #[track_caller]
    pub(crate) fn read_answer_to(&mut self, method: &str) -> Response {
        let (status, headers) = self.read_head();
        let one = |name| {
            let mut values = headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value);
            let value = values.next();
            assert!(values.next().is_none(), "{name} is there twice");
            value.map(|value| std::str::from_utf8(value).unwrap())
        };
        let body = match (one("content-length"), one("transfer-encoding")) {
            _ if method == "HEAD" || status < 200 || matches!(status, 204 | 304) => Vec::new(),
            (Some(length), None) => {
                assert!(length.bytes().all(|byte| byte.is_ascii_digit()), "a length: {length:?}");
                self.read_exactly(length.parse().unwrap())
            }
            (None, Some("chunked")) => self.read_chunks(),
            framing => panic!("{status} does not say how long its body is: {framing:?}"),
        };
        Response { status, headers, body }
    }

    /// Reads the answer `100 Continue`.
    #[track_caller]
    pub(crate) fn read_continue(&mut self) {
        assert_eq!(self.read_head(), (100, Vec::new()));
    }

    #[track_caller]
    pub(crate) fn read_head(&mut self) -> (u16, Vec<(String, Vec<u8>)>) {
        let line = String::from_utf8(self.read_line()).unwrap();
        let rest = line.strip_prefix(self.version).unwrap_or_else(|| panic!("a status line: {line:?}"));
        let (status, reason) = rest.split_once(' ').unwrap_or_else(|| panic!("a status line: {line:?}"));
        assert_eq!(status.len(), 3, "{line:?}");
        let status = http::StatusCode::from_bytes(status.as_bytes()).unwrap();
        assert_eq!(Some(reason), status.canonical_reason());
        let mut headers = Vec::new();
        loop {
            let line = self.read_line();
            if line.is_empty() {
                return (status.as_u16(), headers);
            }
            let colon = line.iter().position(|byte| *byte == b':').unwrap();
            let (name, value) = (&line[..colon], line[colon..].strip_prefix(b": ").unwrap());
            let name = http::HeaderName::from_bytes(name).unwrap();
            assert!(value.iter().all(|byte| !byte.is_ascii_control()), "{value:?}");
            headers.push((name.as_str().to_owned(), value.to_vec()));
        }
    }

    /// A line that ends in CR LF and has no other of either.
    #[track_caller]
    fn read_line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.stream.read_until(b'\n', &mut line).unwrap();
        let shown = String::from_utf8_lossy(&line).into_owned();
        let line = line.strip_suffix(b"\r\n").unwrap_or_else(|| panic!("the line breaks off: {shown:?}"));
        assert!(!line.contains(&b'\r'), "{shown:?}");
        line.to_vec()
    }

    #[track_caller]
    fn read_exactly(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    #[track_caller]
    pub(crate) fn read_chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let chunk = self.read_chunk();
            if chunk.is_empty() {
                return body;
            }
            body.extend(chunk);
        }
    }

    /// Reads one chunk; the last is empty.
    #[track_caller]
    pub(crate) fn read_chunk(&mut self) -> Vec<u8> {
        let length = String::from_utf8(self.read_line()).unwrap();
        let length = usize::from_str_radix(&length, 16).unwrap();
        let chunk = self.read_exactly(length);
        assert_eq!(self.read_exactly(2), b"\r\n");
        chunk
    }

    /// Nothing more comes: the server closed the connection.
    #[track_caller]
    pub(crate) fn assert_closed(&mut self) {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => {}
            // What was written after the server closed is answered so.
            Err(error) if is_gone(&error) => {}
            Err(error) => panic!("still open: {error}"),
        }
        assert!(rest.is_empty(), "more than one answer: {:?}", String::from_utf8_lossy(&rest));
    }

    /// The connection still serves: what comes next is the answer to the next request, and right.
    #[track_caller]
    pub(crate) fn assert_usable(&mut self) {
        let response = self.send(&Request::echo(4711, "still there"));
        assert_eq!((response.text(), response.id()), ("still there".to_owned(), json!(4711)));
    }
}
