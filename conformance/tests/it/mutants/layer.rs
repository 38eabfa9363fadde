//! The layer that makes a mutant of a server.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::{Request, Response, header, request};
use axum::middleware::{self, Next};
use mcp_http::{McpService, TokioRuntime};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::{Front, Mutant};

/// The longest body of a request that goes through.
const LONGEST_BODY: usize = 64 << 20;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
});

/// A request to a mutant.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    /// Its head.
    pub(crate) parts: request::Parts,
    /// Its body.
    pub(crate) body: Bytes,
    json: Arc<Value>,
    /// How many came to this mutant before.
    pub(crate) nth: u64,
    /// What the mutant keeps from one request to the next.
    pub(crate) memory: Arc<Mutex<BTreeMap<String, Value>>>,
}

impl Sent {
    /// The body as JSON; null where it is none.
    pub(crate) fn json(&self) -> Arc<Value> {
        Arc::clone(&self.json)
    }

    /// The JSON-RPC method; empty where there is none.
    pub(crate) fn method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether it asks for a list.
    pub(crate) fn is_listing(&self) -> bool {
        self.method().ends_with("/list")
    }

    /// Whether it is one that every server serves.
    pub(crate) fn is_harmless(&self) -> bool {
        matches!(&*self.method(), "ping" | "server/discover")
    }

    /// A member of `params._meta`, by the end of its name.
    pub(crate) fn meta(&self, name: &str) -> Value {
        self.json()["params"]["_meta"][format!("io.modelcontextprotocol/{name}")].clone()
    }

    /// Whether it is a request of the modern era.
    pub(crate) fn is_modern(&self) -> bool {
        self.header("mcp-protocol-version").is_some_and(|version| version >= "2026")
    }

    /// A header, where it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// Puts a header in place of all of its name.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.parts.headers.insert(name, value.parse().unwrap());
    }

    /// Changes the JSON of the body, where it is some.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        if let Ok(mut json) = serde_json::from_slice(&self.body) {
            change(&mut json);
            self.replace(json.to_string());
        }
    }

    /// Puts another body in place.
    pub(crate) fn replace(&mut self, body: impl Into<Bytes>) {
        self.body = body.into();
        self.json = json_of(&self.body);
        self.parts.headers.remove(header::TRANSFER_ENCODING);
        self.parts.headers.insert(header::CONTENT_LENGTH, self.body.len().into());
    }
}

/// Large bodies are none of a mutant's business: to read them takes time.
fn json_of(body: &[u8]) -> Arc<Value> {
    let small = Some(body).filter(|body| body.len() < 1 << 16);
    Arc::new(small.and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default())
}

/// An answer with a JSON body.
pub(crate) fn answer(status: u16, body: &Value) -> Response<Body> {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
    builder.body(body.to_string().into()).unwrap()
}

/// An answer without a body.
pub(crate) fn empty(status: u16) -> Response<Body> {
    Response::builder().status(status).body(Body::empty()).unwrap()
}

/// Serves a mutant until the program ends; gives its URL.
pub(crate) fn serve(mutant: &Mutant) -> String {
    let mutant = *mutant;
    let server = mcp_fixture::server(&(mutant.options)()).unwrap();
    let memory = Arc::default();
    let count = Arc::new(AtomicU64::new(0));
    let layer = middleware::from_fn(move |request: Request<Body>, next: Next| {
        let (memory, nth) = (Arc::clone(&memory), count.fetch_add(1, Ordering::Relaxed));
        async move { changed(mutant, request, next, memory, nth).await }
    });
    let app = Router::new().route_service("/mcp", McpService::new(server, TokioRuntime)).layer(layer);
    let (listener, address) = listener();
    RUNTIME.spawn(crate::site::serve(listener, app));
    let address = match mutant.front {
        None => address,
        Some(front) => {
            let (listener, before) = self::listener();
            RUNTIME.spawn(in_front(listener, address, front));
            before
        }
    };
    format!("http://{address}/mcp")
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Lets connections through to a server, as far as the mutant likes how they begin.
async fn in_front(listener: TcpListener, behind: SocketAddr, front: fn(&[u8]) -> Front) {
    while let Ok((mut client, _)) = listener.accept().await {
        tokio::spawn(async move {
            // Room for a request as a whole: what came at once is read at once.
            let mut begin = Vec::with_capacity(1 << 16);
            while !begin.windows(4).any(|four| four == b"\r\n\r\n") {
                if client.read_buf(&mut begin).await.is_ok_and(|count| count == 0) {
                    return;
                }
            }
            match front(&begin) {
                Front::Through => {
                    let mut server = TcpStream::connect(behind).await.unwrap();
                    let _ = server.write_all(&begin).await;
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                }
                Front::Refuse => {
                    let answer =
                        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                    let _ = client.write_all(answer).await;
                    // What is not read yet would break the connection before the answer is.
                    let _ =
                        tokio::time::timeout(Duration::from_millis(50), client.read_to_end(&mut begin)).await;
                }
                Front::Serve => {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                    let _ = client.write_all(answer).await;
                    let _ =
                        tokio::time::timeout(Duration::from_millis(50), client.read_to_end(&mut begin)).await;
                }
                Front::Close => {}
            }
        });
    }
}

async fn changed(
    mutant: Mutant,
    request: Request<Body>,
    next: Next,
    memory: Arc<Mutex<BTreeMap<String, Value>>>,
    nth: u64,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, LONGEST_BODY).await else { return empty(400) };
    let json = json_of(&body);
    let mut sent = Sent { parts, body, json, nth, memory };
    let mut response = match (mutant.before)(&mut sent) {
        Some(response) => response,
        None => {
            let request = Request::from_parts(sent.parts.clone(), sent.body.clone().into());
            rewritten(mutant, &sent, next.run(request).await).await
        }
    };
    (mutant.after)(&sent, &mut response);
    tokio::time::sleep((mutant.delay)(&sent)).await;
    response
}

async fn rewritten(mutant: Mutant, sent: &Sent, response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let media_type = parts.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes().to_owned());
    let media_type = media_type.unwrap_or_default();
    if media_type.starts_with(b"application/json") {
        let body = axum::body::to_bytes(body, LONGEST_BODY).await.unwrap();
        let Ok(mut message) = serde_json::from_slice(&body) else {
            return Response::from_parts(parts, body.into());
        };
        let before = format!("{message}");
        (mutant.message)(sent, &mut message);
        // What is not changed stays as it was written.
        let text = message.to_string();
        let body = if text == before { body } else { text.into() };
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, body.into());
    }
    if media_type.starts_with(b"text/event-stream") {
        let events = Events { mutant, sent: sent.clone(), body, waiting: Vec::new() };
        return Response::from_parts(parts, Body::from_stream(events));
    }
    Response::from_parts(parts, body)
}

/// The events of an answer, each changed as it comes.
struct Events {
    mutant: Mutant,
    sent: Sent,
    body: Body,
    waiting: Vec<u8>,
}

impl Events {
    fn event(&self, event: Vec<u8>) -> String {
        let mut event = String::from_utf8(event).unwrap();
        let data: Vec<&str> = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        if let Ok(mut message) = serde_json::from_str::<Value>(&data.join("\n")) {
            let before = message.to_string();
            (self.mutant.message)(&self.sent, &mut message);
            let text = message.to_string();
            if text != before {
                let others = event.lines().filter(|line| !line.is_empty() && !line.starts_with("data:"));
                let others: String = others.map(|line| format!("{line}\n")).collect();
                event = format!("{others}data: {text}\n\n");
            }
        }
        (self.mutant.event)(&self.sent, &mut event);
        event
    }
}

impl futures_core::Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(start) = self.waiting.windows(2).position(|two| two == b"\n\n") {
                let event = self.waiting.drain(..=start.saturating_add(1)).collect();
                let event = self.event(event);
                if event.is_empty() {
                    continue;
                }
                return Poll::Ready(Some(Ok(event.into())));
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => self.waiting.extend_from_slice(&frame.into_data().unwrap_or_default()),
                Some(Err(_)) | None => {
                    let rest = std::mem::take(&mut self.waiting);
                    return Poll::Ready((!rest.is_empty()).then(|| Ok(rest.into())));
                }
            }
        }
    }
}
