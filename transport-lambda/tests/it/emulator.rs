//! The platform's side of a function: its Runtime API, and the events that its front ends make of HTTP requests.
//!
//! The function is the real example, in a process of its own.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// What stands before the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Front {
    RestApi,
    HttpApi,
    FunctionUrl,
    LoadBalancer,
}

impl Front {
    pub(crate) const ALL: [Self; 4] = [Self::RestApi, Self::HttpApi, Self::FunctionUrl, Self::LoadBalancer];
}

/// A request, as a client sends it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Whether the front end hands the body on in Base64.
    pub(crate) base64: bool,
    /// How long the function may take.
    pub(crate) time: Duration,
}

/// A response, as the client gets it.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u64,
    pub(crate) headers: Map<String, Value>,
    pub(crate) body: String,
}

impl Response {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

#[derive(Default)]
struct Queues {
    events: VecDeque<(String, u128, String)>,
    /// What the function posted: the id of the invocation, whether it is a response, and the body.
    answers: Vec<(String, bool, Vec<u8>)>,
    count: usize,
}

/// A function that runs.
pub(crate) struct Lambda {
    child: Child,
    streams: bool,
    queues: Arc<(Mutex<Queues>, Condvar)>,
}

impl Drop for Lambda {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example, beside this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/everything_lambda");
    assert!(
        example.exists(),
        "build the function first: cargo build -p mcp-lambda --example everything_lambda"
    );
    example
}

impl Lambda {
    pub(crate) fn start(streams: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let queues: Arc<(Mutex<Queues>, Condvar)> = Arc::default();
        let shared = queues.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = shared.clone();
                std::thread::spawn(move || serve(stream.unwrap(), &shared));
            }
        });
        let mut command = Command::new(example());
        command
            .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "everything")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
            .stderr(Stdio::null());
        if streams {
            command.env("MCP_STREAMING", "1");
        }
        Self { child: command.spawn().unwrap(), streams, queues }
    }

    /// Sends a request through a front end, and waits for the response.
    #[track_caller]
    pub(crate) fn send(&self, front: Front, request: &Request) -> Response {
        let (lock, changed) = &*self.queues;
        let mut queues = lock.lock().unwrap();
        queues.count += 1;
        let id = format!("request-{}", queues.count);
        let deadline = SystemTime::now() + request.time;
        let deadline = deadline.duration_since(UNIX_EPOCH).unwrap().as_millis();
        queues.events.push_back((id.clone(), deadline, event(front, request).to_string()));
        changed.notify_all();
        let is_there = |queues: &mut Queues| !queues.answers.iter().any(|(of, ..)| *of == id);
        let (mut queues, waited) = changed.wait_timeout_while(queues, PATIENCE, is_there).unwrap();
        assert!(!waited.timed_out(), "no answer");
        let at = queues.answers.iter().position(|(of, ..)| *of == id).unwrap();
        let (_, is_response, body) = queues.answers.remove(at);
        assert!(is_response, "the invocation failed: {}", String::from_utf8_lossy(&body));
        drop(queues);
        if self.streams { streamed(&body) } else { buffered(&body) }
    }
}

/// One connection of the function to its Runtime API.
fn serve(stream: TcpStream, queues: &(Mutex<Queues>, Condvar)) {
    let mut reader = BufReader::new(stream);
    while let Some((line, body)) = read(&mut reader) {
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let (lock, changed) = queues;
        let answer = if method == "GET" {
            let none = |queues: &mut Queues| queues.events.is_empty();
            let mut queues = changed.wait_while(lock.lock().unwrap(), none).unwrap();
            let (id, deadline, event) = queues.events.pop_front().unwrap();
            format!(
                "HTTP/1.1 200 OK\r\nlambda-runtime-aws-request-id: {id}\r\nlambda-runtime-deadline-ms: {deadline}\r\n\
                 lambda-runtime-invoked-function-arn: arn:aws:lambda:eu-west-1:1:function:everything\r\n\
                 lambda-runtime-trace-id: Root=1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{event}",
                event.len()
            )
        } else {
            let mut parts = path.rsplit('/');
            let (kind, id) = (parts.next().unwrap(), parts.next().unwrap());
            lock.lock().unwrap().answers.push((id.to_owned(), kind == "response", body));
            changed.notify_all();
            "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned()
        };
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// A request on a connection: its first line and its body.
fn read(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    };
    let first = line()?;
    let (mut length, mut chunked) = (0, false);
    loop {
        let header = line()?.to_ascii_lowercase();
        match header.split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(("transfer-encoding", _)) => chunked = true,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if chunked {
        read_chunks(reader, &mut body)?;
    }
    Some((first, body))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Option<()> {
    let mut line = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let size = usize::from_str_radix(line.trim_end(), 16).unwrap();
        if size == 0 {
            break;
        }
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).ok()?;
        body.extend_from_slice(&chunk[..size]);
    }
    // Trailers, and an empty line.
    line.clear();
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    Some(())
}

/// What a front end makes of a request.
fn event(front: Front, request: &Request) -> Value {
    let body = if request.base64 { STANDARD.encode(&request.body) } else { request.body.clone() };
    let mut last = Map::new();
    let mut all: Map<String, Value> = Map::new();
    let mut joined: Map<String, Value> = Map::new();
    for (name, value) in &request.headers {
        last.insert(name.clone(), json!(value));
        all.entry(name.clone()).or_insert_with(|| json!([])).as_array_mut().unwrap().push(json!(value));
        let value = match joined.get(name) {
            Some(before) => json!(format!("{},{value}", before.as_str().unwrap())),
            None => json!(value),
        };
        joined.insert(name.clone(), value);
    }
    let method = request.method;
    match front {
        Front::RestApi => json!({
            "resource": "/{proxy+}", "path": "/prod/mcp", "httpMethod": method, "headers": last,
            "multiValueHeaders": all, "queryStringParameters": null, "multiValueQueryStringParameters": null,
            "pathParameters": { "proxy": "mcp" }, "stageVariables": null, "body": body,
            "isBase64Encoded": request.base64,
            "requestContext": {
                "accountId": "1", "resourceId": "1", "apiId": "1", "stage": "prod", "requestId": "1",
                "identity": { "sourceIp": "192.0.2.1" }, "httpMethod": method, "resourcePath": "/{proxy+}",
                "path": "/prod/mcp", "protocol": "HTTP/1.1", "requestTimeEpoch": 0,
                "authorizer": { "principalId": "ann" },
            },
        }),
        Front::HttpApi | Front::FunctionUrl => json!({
            "version": "2.0", "routeKey": "$default", "rawPath": "/mcp", "rawQueryString": "", "headers": joined,
            "body": body, "isBase64Encoded": request.base64,
            "requestContext": {
                "accountId": "1", "apiId": "1", "domainName": "x.lambda-url.eu-west-1.on.aws", "domainPrefix": "x",
                "requestId": "1", "routeKey": "$default", "stage": "$default", "time": "", "timeEpoch": 0,
                "http": { "method": method, "path": "/mcp", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1",
                          "userAgent": "tests" },
            },
        }),
        Front::LoadBalancer => json!({
            "requestContext": { "elb": { "targetGroupArn": "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/x/1" } },
            "httpMethod": method, "path": "/mcp", "queryStringParameters": {}, "headers": joined, "body": body,
            "isBase64Encoded": request.base64,
        }),
    }
}

fn buffered(body: &[u8]) -> Response {
    let answer: Value = serde_json::from_slice(body).unwrap();
    let text = answer["body"].as_str().unwrap_or_default().to_owned();
    let body = match answer["isBase64Encoded"].as_bool() {
        Some(true) => String::from_utf8(STANDARD.decode(text).unwrap()).unwrap(),
        _ => text,
    };
    let mut headers = answer["headers"].as_object().cloned().unwrap_or_default();
    for (name, values) in answer["multiValueHeaders"].as_object().into_iter().flatten() {
        headers.insert(name.clone(), values[0].clone());
    }
    Response { status: answer["statusCode"].as_u64().unwrap(), headers, body }
}

/// A prelude in JSON, eight zeros, and the body.
fn streamed(bytes: &[u8]) -> Response {
    let end = bytes.windows(8).position(|window| window == [0; 8]).expect("a prelude");
    let prelude: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    let body = String::from_utf8(bytes[end + 8..].to_vec()).unwrap();
    let headers = prelude["headers"].as_object().cloned().unwrap_or_default();
    Response { status: prelude["statusCode"].as_u64().unwrap(), headers, body }
}
