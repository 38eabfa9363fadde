//! Runs calls: the only code that polls.
//!
//! [`McpService`] is a `tower::Service` over any `http_body::Body`, so axum and hyper serve it as it is; adapters for
//! other frameworks call [`McpService::respond`].

mod body;
mod drive;

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{Method, Request, Response};
use tower_service::Service;
use tracing::Instrument as _;
use tracing::field::Empty;

pub use self::body::Body;

use self::drive::{Drive, Due};
use crate::origin::Connection;
use crate::runtime::{BoxFuture, Runtime};
use crate::server::{Call, Event, Exchange, Server, Step};

/// A [`Server`] that runs its calls. Cheap to clone.
///
/// ```
/// # #[cfg(feature = "tokio")] {
/// use mcp_http::{McpService, Server, TokioRuntime, Tool, ToolSet};
///
/// let tools = ToolSet::new().with(Tool::builder("hello").handler(|| "Hello!"))?;
/// let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
/// let service = McpService::new(server, TokioRuntime);
/// // axum::Router::new().route_service("/mcp", service)
/// # drop(service);
/// # }
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct McpService {
    server: Server,
    runtime: Arc<dyn Runtime>,
}

impl McpService {
    /// Serves with the timer of `runtime`.
    pub fn new(server: Server, runtime: impl Runtime + 'static) -> Self {
        Self { server, runtime: Arc::new(runtime) }
    }

    /// The server.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// What it runs on.
    pub(crate) fn runtime(&self) -> &dyn Runtime {
        &*self.runtime
    }

    /// Answers a request. Dropping the future is the client's leaving: it drops the call in it, or hands it to the
    /// [`Runtime`], where the revision says that a client which leaves cancels nothing.
    ///
    /// `connection` is what the transport knows of it: without the local address the name in `Host` is not checked.
    pub async fn respond<B: http_body::Body>(
        &self,
        request: Request<B>,
        connection: Connection,
    ) -> Response<Body> {
        let span = tracing::debug_span!(
            "mcp",
            method = Empty,
            tool = Empty,
            revision = Empty,
            status = Empty,
            outcome = Empty
        );
        self.answer(request, connection).instrument(span).await
    }

    async fn answer<B: http_body::Body>(
        &self,
        request: Request<B>,
        connection: Connection,
    ) -> Response<Body> {
        let (mut head, body) = request.into_parts();
        // Boxed: servers without tokens carry no room for it.
        if self.server.is_protected()
            && let Err(answer) = Box::pin(self.server.authorize(&mut head)).await
        {
            return answer.map(Body::from);
        }
        // Only a POST is answered by its body. Another one is read so that the connection can go on, if it has an end:
        // what follows the head of a protocol upgrade has none.
        let reads = head.method == Method::POST || head.headers.contains_key(CONTENT_LENGTH);
        let bytes = if reads { read(body, self.server.body_limit()).await } else { Bytes::new() };
        match self.server.receive(Request::from_parts(head, bytes), connection) {
            Step::Respond(response) => response.map(Body::from),
            Step::Call(call, exchange) => self.run(call, exchange).await,
        }
    }

    /// Waits for what comes first: the outcome, or something that has to be said before it. From then on the body of the
    /// response has the call.
    async fn run(&self, call: Call, exchange: Exchange) -> Response<Body> {
        let mut drive = match Drive::start(call, &self.server, &self.runtime, exchange.streams()).await {
            Ok(drive) => drive,
            Err(outcome) => return exchange.finish(outcome).map(Body::from),
        };
        let notification = match poll_fn(|task| drive.poll(task)).await {
            Due::Event(Event::Outcome(outcome)) => return exchange.finish(outcome).map(Body::from),
            Due::Event(Event::Notification(notification)) => Some(notification),
            Due::KeepAlive => None,
        };
        let (head, events) = exchange.open();
        let first = match notification {
            Some(notification) => events.notification(&notification),
            None => events.keep_alive(),
        };
        head.map(|()| Body::stream(first, events, drive))
    }
}

/// Reads a body up to one byte past the limit: the server refuses it then, and for the right reason.
///
/// A body that breaks off is none, even if what arrived of it would be a message.
async fn read<B: http_body::Body>(body: B, limit: usize) -> Bytes {
    let enough = limit.saturating_add(1);
    let mut body = std::pin::pin!(body);
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let Ok(frame) = frame else { return Bytes::new() };
        let Ok(mut data) = frame.into_data() else { continue };
        if first.is_empty() && all.is_empty() {
            // Most bodies are one piece, which `Bytes` hands over without a copy.
            let length = data.remaining().min(enough);
            first = data.copy_to_bytes(length);
        } else {
            if all.is_empty() {
                all.extend_from_slice(&first);
            }
            let room = enough.saturating_sub(all.len()).min(data.remaining());
            all.extend_from_slice(&data.copy_to_bytes(room));
        }
        if first.len().max(all.len()) >= enough {
            break;
        }
    }
    if all.is_empty() { first } else { all.freeze() }
}

impl<B> Service<Request<B>> for McpService
where
    B: http_body::Body<Data: Send> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        // Without an adapter only a layer of the user's can know the connection.
        let connection = request.extensions().get::<Connection>().copied().unwrap_or_default();
        Box::pin(async move { Ok(service.respond(request, connection).await) })
    }
}
