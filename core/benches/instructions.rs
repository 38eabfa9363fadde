//! What core alone costs, in instructions: a request goes into `Server::receive`, its call runs, its answer comes
//! out. No sockets, no runtime; every run gives the same numbers, but for a hash seed here and there.
//!
//! `cargo install gungraun-runner --version 0.20.0`, then `cargo bench -p mcp-http` (needs valgrind). Beside the
//! answers stands what they are held to: the script `budget` runs this and compares.
//!
//! Everything runs a few times before it is counted: what a process does once is not what a request costs.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a program of this package's own: what goes wrong here ends it, and nobody uses it"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use gungraun::prelude::*;
use gungraun::{Callgrind, library_benchmark_group, main};
use http::{Request, Response, StatusCode};
use mcp_http::{BoxFuture, Connection, Runtime, Server, Step, Tool, ToolSet};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How often everything runs before it is counted.
const WARM_UP: usize = 3;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say back.
    text: String,
}

/// Five arguments of five kinds.
#[derive(Deserialize, JsonSchema)]
struct Book {
    /// The name of the guest.
    guest: String,
    /// How many nights.
    nights: u32,
    /// Whether breakfast is included.
    breakfast: bool,
    /// The numbers of the rooms.
    rooms: Vec<String>,
    /// What the windows look at.
    view: Option<View>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "lowercase")]
enum View {
    Sea,
    Garden,
    Street,
}

#[derive(Deserialize, JsonSchema)]
struct Filler {
    /// The words to look for, separated by spaces.
    query: String,
    /// How many records to answer with.
    limit: u32,
}

async fn book(Book { guest, nights, breakfast, rooms, view }: Book) -> String {
    let mut text = format!("{guest}: {nights} nights, rooms {}", rooms.join(", "));
    if breakfast {
        text.push_str(", with breakfast");
    }
    if let Some(view) = view {
        write!(text, ", view {view:?}").unwrap();
    }
    text
}

/// A server with so many tools, at least the three that are called. It is never dropped.
fn server(tools: usize) -> &'static Server {
    let set = ToolSet::new();
    let echo = Tool::builder("echo").description("Says back what it was told.");
    set.add(echo.handler(async |arguments: Echo| arguments.text)).unwrap();
    let description = "Books rooms for a guest and answers with a summary of the booking.";
    set.add(Tool::builder("book").description(description).handler(book)).unwrap();
    // The same work without a check: any object is taken.
    let unchecked = Tool::builder("book_unchecked").description(description).handler(book);
    set.add(unchecked.input_schema(json!({ "type": "object" }))).unwrap();
    for number in 3..tools {
        let filler = Tool::builder(format!("filler_{number:05}"))
            .description("Searches the records of a department and answers with those that match.")
            .handler(async |Filler { query, limit }: Filler| format!("{limit} records match {query:?}"));
        set.add(filler).unwrap();
    }
    Box::leak(Box::new(Server::builder("bench", "1.0.0").tools(set).build().unwrap()))
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// What is asked.
#[derive(Clone, Copy)]
enum Kind {
    Echo,
    /// `book`, five arguments.
    Book,
    /// The same call, members of every object the other way round.
    BookReordered,
    /// The same arguments, not checked.
    BookUnchecked,
    List,
    /// Of revision 2025-11-25.
    Initialize,
}

const BOOKING: &str =
    r#"{"guest":"Ada Lovelace","nights":3,"breakfast":true,"rooms":["101","102"],"view":"sea"}"#;
const BOOKING_REORDERED: &str =
    r#"{"view":"sea","rooms":["101","102"],"breakfast":true,"nights":3,"guest":"Ada Lovelace"}"#;

impl Kind {
    fn method(self) -> &'static str {
        match self {
            Self::Echo | Self::Book | Self::BookReordered | Self::BookUnchecked => "tools/call",
            Self::List => "tools/list",
            Self::Initialize => "initialize",
        }
    }

    fn tool(self) -> Option<&'static str> {
        match self {
            Self::Echo => Some("echo"),
            Self::Book | Self::BookReordered => Some("book"),
            Self::BookUnchecked => Some("book_unchecked"),
            Self::List | Self::Initialize => None,
        }
    }

    fn body(self) -> String {
        let call = |arguments| {
            let name = self.tool().unwrap_or_default();
            format!(
                r#"{{"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},{META}}},"jsonrpc":"2.0","id":1}}"#
            )
        };
        match self {
            Self::Echo => call(r#"{"text":"The quick brown fox jumps over the lazy dog."}"#),
            Self::Book | Self::BookUnchecked => call(BOOKING),
            Self::BookReordered => format!(
                r#"{{"id":1,"jsonrpc":"2.0","params":{{{META},"arguments":{BOOKING_REORDERED},"name":"book"}},"method":"tools/call"}}"#
            ),
            Self::List => format!(r#"{{"method":"tools/list","params":{{{META}}},"jsonrpc":"2.0","id":1}}"#),
            Self::Initialize => r#"{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}},"jsonrpc":"2.0","id":1}"#.to_owned(),
        }
    }

    /// The request, with the headers of the TypeScript client.
    fn request(self) -> Request<Bytes> {
        let body = self.body();
        let mut request =
            Request::post("/mcp").header("host", "localhost:8080").header("connection", "keep-alive");
        if !matches!(self, Self::Initialize) {
            request =
                request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", self.method());
        }
        if let Some(tool) = self.tool() {
            request = request.header("mcp-name", tool);
        }
        request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("accept-language", "*")
            .header("sec-fetch-mode", "cors")
            .header("user-agent", "node")
            .header("accept-encoding", "gzip, deflate")
            .header("content-length", body.len())
            .body(body.into())
            .unwrap()
    }
}

/// A host without a clock: nothing that is measured waits.
#[derive(Debug)]
struct NoTimer;

impl Runtime for NoTimer {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

/// A request at a server.
struct Asked {
    server: &'static Server,
    runtime: &'static Arc<dyn Runtime>,
    request: Request<Bytes>,
    connection: Connection,
}

impl Asked {
    fn new(server: &'static Server, kind: Kind) -> Self {
        let runtime: Arc<dyn Runtime> = Arc::new(NoTimer);
        let runtime: &'static Arc<dyn Runtime> = Box::leak(Box::new(runtime));
        let connection = Connection {
            local_addr: Some(([127, 0, 0, 1], 8080).into()),
            peer_addr: Some(([127, 0, 0, 1], 50_000).into()),
            ..Connection::default()
        };
        let asked = || Self { server, runtime, request: kind.request(), connection };
        for _ in 0..WARM_UP {
            let response = asked().answer();
            let body = String::from_utf8_lossy(response.body());
            assert_eq!(response.status(), StatusCode::OK, "{body}");
            assert!(body.contains(r#""result":{"#) && !body.contains("isError"), "{body}");
        }
        asked()
    }

    fn answer(self) -> Response<Bytes> {
        let Self { server, runtime, request, connection } = self;
        match server.receive(request, connection) {
            Step::Respond(response) => response,
            Step::Call(call, exchange) => {
                let call = pin!(call.run(runtime.clone()));
                match call.poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(outcome) => exchange.finish(outcome),
                    Poll::Pending => panic!("the call waits for something"),
                }
            }
        }
    }
}

fn asked(tools: usize, kind: Kind) -> Asked {
    Asked::new(server(tools), kind)
}

/// The body of a request, and the answer to it as a `Value`.
fn as_values(kind: Kind) -> (Bytes, Value) {
    let answer = asked(10, kind).answer();
    let answer = serde_json::from_slice(answer.body()).unwrap();
    let body = kind.request().into_body();
    for _ in 0..WARM_UP {
        parse_and_write((body.clone(), &answer));
    }
    (body, answer)
}

fn parse_and_write((body, answer): (Bytes, &Value)) -> (Value, Vec<u8>) {
    (serde_json::from_slice(&body).unwrap(), serde_json::to_vec(answer).unwrap())
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn warm(text: &'static str) -> &'static str {
    for _ in 0..WARM_UP {
        black_box(parse(text));
    }
    text
}

fn list_bytes(tools: usize) -> Bytes {
    let bytes = asked(tools, Kind::List).answer().into_body();
    assert_eq!(bytes, bytes.to_vec());
    bytes
}

#[library_benchmark]
#[bench::echo(asked(10, Kind::Echo))]
#[bench::echo_of_10000(asked(10_000, Kind::Echo))]
#[bench::book(asked(10, Kind::Book))]
#[bench::book_reordered(asked(10, Kind::BookReordered))]
#[bench::book_unchecked(asked(10, Kind::BookUnchecked))]
#[bench::list_10(asked(10, Kind::List))]
#[bench::list_1000(asked(1_000, Kind::List))]
#[bench::list_10000(asked(10_000, Kind::List))]
#[bench::initialize(asked(10, Kind::Initialize))]
fn answer(asked: Asked) -> Response<Bytes> {
    black_box(asked.answer())
}

// `from_slice::<Value>` of the body, and `to_vec` of the answer as a `Value`.
#[library_benchmark]
#[bench::echo(as_values(Kind::Echo))]
#[bench::book(as_values(Kind::Book))]
#[bench::book_reordered(as_values(Kind::BookReordered))]
#[bench::initialize(as_values(Kind::Initialize))]
fn values((body, answer): (Bytes, Value)) -> (Value, Vec<u8>, Value) {
    let (request, bytes) = black_box(parse_and_write((body, &answer)));
    (request, bytes, answer)
}

// `from_str::<Value>` of the arguments alone.
#[library_benchmark]
#[bench::book(warm(BOOKING))]
fn arguments(text: &str) -> Value {
    black_box(parse(black_box(text)))
}

// Copying the bytes of the list.
#[library_benchmark]
#[bench::list_10(list_bytes(10))]
#[bench::list_1000(list_bytes(1_000))]
#[bench::list_10000(list_bytes(10_000))]
fn copy(bytes: Bytes) -> (Vec<u8>, Bytes) {
    (black_box(bytes.to_vec()), bytes)
}

library_benchmark_group!(name = requests, benchmarks = answer);
library_benchmark_group!(name = floors, benchmarks = [values, arguments, copy]);
main!(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::with_args(["--cache-sim=no"])),
    library_benchmark_groups = [requests, floors]
);
