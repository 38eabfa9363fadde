//! Sends one kind of request COUNT times over one connection, each after the answer to the one before, and
//! checks every answer. `load 127.0.0.1:8080 call 1000`
//!
//! Kinds: `call` (`echo`), `call5` (`book`, five arguments), `list`, all of revision 2026-07-28, and
//! `initialize` (legacy). Headers and order are those of the TypeScript client.
//!
//! Prints one JSON object: `count`, `seconds`, `p50` and `p99` of the time from a request to the end of its answer, in
//! microseconds, and `bytes` of the last answer's body.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Ids start here, so that all have the same length.
const FIRST_ID: u64 = 100_000;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"load","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request, but for its id.
struct Kind {
    method: &'static str,
    /// The tool that is called.
    name: Option<&'static str>,
    modern: bool,
    params: String,
}

impl Kind {
    fn parse(kind: &str) -> Option<Self> {
        let call = |name, arguments| Self {
            method: "tools/call",
            name: Some(name),
            modern: true,
            params: format!(r#"{{"name":"{name}","arguments":{arguments},{META}}}"#),
        };
        Some(match kind {
            "call" => call("echo", r#"{"text":"The quick brown fox jumps over the lazy dog."}"#),
            "call5" => call(
                "book",
                r#"{"guest":"Ada Lovelace","nights":3,"breakfast":true,"rooms":["101","102"],"view":"sea"}"#,
            ),
            "list" => {
                Self { method: "tools/list", name: None, modern: true, params: format!("{{{META}}}") }
            }
            "initialize" => Self {
                method: "initialize",
                name: None,
                modern: false,
                params: r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1.0.0"}}"#
                    .into(),
            },
            _ => return None,
        })
    }

    fn request(&self, address: &str, id: u64) -> String {
        let body =
            format!(r#"{{"method":"{}","params":{},"jsonrpc":"2.0","id":{id}}}"#, self.method, self.params);
        let mut head = format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: keep-alive\r\n");
        if self.modern {
            head += &format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {}\r\n", self.method);
            if let Some(name) = self.name {
                head += &format!("mcp-name: {name}\r\n");
            }
        }
        format!(
            "{head}content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             accept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\naccept-encoding: gzip, deflate\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// What is wrong with an answer, if anything.
    fn complaint(&self, status: &str, body: &[u8], id: u64) -> Option<&'static str> {
        let body = String::from_utf8_lossy(body);
        let id = format!(r#""id":{id}"#);
        let result = match self.method {
            "tools/call" => r#""content":[{"#,
            "tools/list" => r#""filler_49""#,
            _ => r#""protocolVersion":"2025-11-25""#,
        };
        if status != "HTTP/1.1 200 OK" {
            Some("the status is not 200")
        } else if !body.contains(&format!("{id},")) && !body.contains(&format!("{id}}}")) {
            Some("the id did not come back")
        } else if !body.contains(result) || body.contains(r#""isError":true"#) {
            Some("that is not the result")
        } else {
            None
        }
    }
}

/// Reads one response into `body` and returns its status line.
fn read_response(stream: &mut impl BufRead, body: &mut Vec<u8>) -> Result<String, Box<dyn Error>> {
    let line = |stream: &mut dyn BufRead| -> Result<String, Box<dyn Error>> {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err("the server closed the connection".into());
        }
        Ok(line.trim_end().to_owned())
    };
    let status = line(stream)?;
    let (mut length, mut chunked) = (0, false);
    loop {
        let field = line(stream)?.to_ascii_lowercase();
        match field.split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse()?,
            Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
            Some(_) => {}
            None if field.is_empty() => break,
            None => return Err(format!("not a header: {field}").into()),
        }
    }
    body.clear();
    if !chunked {
        stream.take(length).read_to_end(body)?;
        return Ok(status);
    }
    loop {
        let size = u64::from_str_radix(&line(stream)?, 16)?;
        (&mut *stream).take(size).read_to_end(body)?;
        line(stream)?;
        if size == 0 {
            return Ok(status);
        }
    }
}

/// What `part` of the times do not exceed, in microseconds. The times are sorted.
fn percentile(times: &[Duration], part: f64) -> f64 {
    let rank = (times.len() as f64 * part).ceil() as usize;
    times.get(rank.saturating_sub(1)).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, kind, count] = arguments.as_slice() else {
        return Err("usage: load ADDR call|call5|list|initialize COUNT".into());
    };
    let kind = Kind::parse(kind).ok_or_else(|| format!("no such kind: {kind}"))?;
    let count: u64 = count.parse()?;

    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut answers = BufReader::with_capacity(64 * 1024, stream.try_clone()?);
    let mut body = Vec::new();
    let mut times = Vec::with_capacity(usize::try_from(count)?);
    let start = Instant::now();
    for id in FIRST_ID..FIRST_ID + count {
        let request = kind.request(address, id);
        let sent = Instant::now();
        stream.write_all(request.as_bytes())?;
        let status = read_response(&mut answers, &mut body)?;
        times.push(sent.elapsed());
        if let Some(complaint) = kind.complaint(&status, &body, id) {
            return Err(
                format!("request {id}: {complaint}: {status} {}", String::from_utf8_lossy(&body)).into()
            );
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    println!(
        r#"{{"count":{count},"seconds":{seconds:.6},"p50":{:.1},"p99":{:.1},"bytes":{}}}"#,
        percentile(&times, 0.5),
        percentile(&times, 0.99),
        body.len()
    );
    Ok(())
}
