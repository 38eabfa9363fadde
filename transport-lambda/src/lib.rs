//! Serve MCP tools from an AWS Lambda function.
//!
//! ```no_run
//! use mcp_http::{Server, Tool, ToolSet};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), mcp_lambda::lambda_http::Error> {
//!     let tools = ToolSet::new().with(Tool::builder("hello").description("Greets").handler(|| "Hello!"))?;
//!     let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
//!     mcp_lambda::run(server).await
//! }
//! ```
//!
//! The function answers events of Function URLs, of API Gateway (REST and HTTP APIs) and of load balancers, whatever their
//! path: stages and mount points do not matter.
//!
//! * [`run`] answers at once: for API Gateway and load balancers, and for Function URLs in the mode `BUFFERED`.
//! * [`run_streaming`] streams: for Function URLs in the mode `RESPONSE_STREAM`, and REST APIs that stream. Only then do clients
//!   hear of progress before the result.
//! * [`handler`] is a `tower::Service`, for layers of your own around it; [`serve`] and [`serve_streaming`] run the whole.
//!
//! Where the platform hands a process several requests at once, they are answered at once. All of these return when the platform
//! asks the process to end (SIGTERM, which it sends where an extension is registered), so that a program can flush what it has.
//!
//! # What reaches a tool
//!
//! What the platform knows of the request is in its extensions: `lambda_http::request::RequestContext`, with what an
//! authorizer found out, and `lambda_http::Context`. Tools find both with
//! [`CallContext::get`](mcp_http::CallContext::get), and a [`Principal`](mcp_http::Principal) that a layer left there.
//! [`ServerBuilder::principal`](mcp_http::ServerBuilder::principal) makes one of the authorizer's word.
//!
//! # What a function cannot do
//!
//! The next request meets another process. So nobody can listen for changes, and clients of older revisions cannot be asked:
//! they are not told that they could. Nothing goes on after an answer, so no call becomes a task: a tool that may be one is
//! called, and one that has to be fails. Several processes need one [`SealingKey`](mcp_http::SealingKey), or a client comes back
//! with a state that nobody can open.
//!
//! A call is stopped a moment before the platform would stop the process, and answered with a failure that says so. A response
//! holds 6 MB, 1 MB behind a load balancer, and 200 MB where it streams; HTTP APIs wait 30 seconds, REST APIs 29.
//!
//! A tool that panics is a failed call, if panics unwind: `cargo lambda build --release` makes them end the process, unless
//! the manifest says `[profile.release] panic = "unwind"`.
//!
//! Proxies, several processes and shutdown are in the guide: [`mcp_http::guide::deployment`].
//!
//! # Features
//!
//! * `json-schema` (default): that of [`mcp_http`]. `default-features = false` on both crates makes the binary about
//!   4 MB smaller.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use lambda_http;

use bytes::Bytes;
use http::Response;
use http::header::{HeaderMap, HeaderValue, SET_COOKIE};
use http_body_util::{BodyExt as _, Collected};
use lambda_http::lambda_runtime;
use lambda_http::request::LambdaRequest;
use lambda_http::tower::ServiceBuilder;
use lambda_http::{Adapter, Body, Error, IntoResponse, LambdaEvent, RequestExt as _, Service, StreamAdapter};
use mcp_http::{Connection, Host, McpService, Server, TokioRuntime};

/// What is left of a call's time for its answer to get out.
const MARGIN: Duration = Duration::from_millis(300);

/// Serves, and answers each request at once.
///
/// # Errors
/// When the platform's interface cannot be reached.
pub async fn run(server: Server) -> Result<(), Error> {
    serve(handler(server)).await
}

/// Serves, and streams what comes before a response.
///
/// # Errors
/// When the platform's interface cannot be reached.
pub async fn run_streaming(server: Server) -> Result<(), Error> {
    serve_streaming(handler(server).streaming()).await
}

/// Serves with a [`handler`] that has layers around it.
///
/// # Errors
/// When the platform's interface cannot be reached.
pub async fn serve<S>(service: S) -> Result<(), Error>
where
    S: Service<lambda_http::Request, Response = Response<mcp_http::Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<lambda_runtime::Diagnostic> + fmt::Debug + Send + 'static,
{
    let service = ServiceBuilder::new()
        .map_request(repaired as fn(LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest>)
        .service(Adapter::from(ServiceBuilder::new().map_response(Buffered as fn(_) -> _).service(service)));
    until_the_end(lambda_runtime::run_concurrent(service)).await
}

/// [`serve`], for a handler that [streams](Handler::streaming).
///
/// # Errors
/// When the platform's interface cannot be reached.
pub async fn serve_streaming<S>(service: S) -> Result<(), Error>
where
    S: Service<lambda_http::Request, Response = Response<mcp_http::Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<lambda_runtime::Diagnostic> + fmt::Debug + Send + 'static,
{
    let service = ServiceBuilder::new()
        .map_request(repaired as fn(LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest>)
        .service(StreamAdapter::from(service));
    until_the_end(lambda_runtime::run_concurrent(service)).await
}

/// Runs until the platform asks the process to end, which it does where an extension is registered, and between requests.
async fn until_the_end(run: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    #[cfg(unix)]
    {
        let mut asked = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            ended = run => ended,
            _ = asked.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    run.await
}

/// An answer that is sent when it is whole: as text where it is some, and otherwise in Base64.
///
/// `lambda_http` would do the same, by the `Content-Type`, and with it come the tables of every character set there is.
struct Buffered(Response<mcp_http::Body>);

impl IntoResponse for Buffered {
    fn into_response(self) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>> {
        Box::pin(async {
            let (head, body) = self.0.into_parts();
            let bytes = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
            let body = match String::from_utf8(bytes.into()) {
                Ok(text) => Body::Text(text),
                Err(binary) => Body::Binary(binary.into_bytes()),
            };
            Response::from_parts(head, body)
        })
    }
}

/// The server as a `tower::Service`. Cheap to clone.
pub fn handler(server: Server) -> Handler {
    Handler { service: McpService::new(server, TokioRuntime), streams: false }
}

/// Answers requests. Made by [`handler`].
#[must_use = "a handler serves nothing before it is run"]
#[derive(Debug, Clone)]
pub struct Handler {
    service: McpService,
    streams: bool,
}

impl Handler {
    /// Sends what comes before a response as it comes: for [`serve_streaming`].
    pub fn streaming(self) -> Self {
        Self { streams: true, ..self }
    }
}

impl Service<lambda_http::Request> for Handler {
    type Response = Response<mcp_http::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: lambda_http::Request) -> Self::Future {
        let Self { service, streams } = self.clone();
        let connection = Connection {
            host: Host::Function { streams },
            time_left: request.lambda_context_ref().and_then(|context| time_left(context.deadline)),
            // The gateway's name and address tell nothing about who may connect.
            ..Connection::default()
        };
        Box::pin(async move {
            let mut response = service.respond(request.map(bytes_of), connection).await;
            join_repeated(response.headers_mut());
            Ok(response)
        })
    }
}

/// The bytes of a body, Base64 undone.
fn bytes_of(body: Body) -> mcp_http::Body {
    let bytes = match body {
        Body::Text(text) => text.into_bytes(),
        Body::Binary(bytes) => bytes,
        Body::Empty => Vec::new(),
        // A kind of body that is not known yet is none.
        _ => Vec::new(),
    };
    Bytes::from(bytes).into()
}

/// How much of an invocation is left, of a deadline in milliseconds since 1970. One that has passed when the invocation
/// begins is none: emulators say such things.
fn time_left(deadline: u64) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Duration::from_millis(deadline).checked_sub(now)?.saturating_sub(MARGIN))
}

/// Some events carry only one value of each response header: several are one value with commas, but for cookies.
fn join_repeated(headers: &mut HeaderMap) {
    let repeated: Vec<_> = headers
        .keys()
        .filter(|name| **name != SET_COOKIE && headers.get_all(*name).iter().nth(1).is_some())
        .cloned()
        .collect();
    for name in repeated {
        let values: Vec<&[u8]> = headers.get_all(&name).iter().map(HeaderValue::as_bytes).collect();
        if let Ok(joined) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
            headers.insert(name, joined);
        }
    }
}

/// Events of REST APIs have headers twice: all values, and the last one of each. Of the two the latter would win.
fn repaired(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV1(request) = &mut event.payload {
        keep_all(&mut request.headers, &request.multi_value_headers);
    }
    if let LambdaRequest::Alb(request) = &mut event.payload {
        keep_all(&mut request.headers, &request.multi_value_headers);
    }
    event
}

fn keep_all(headers: &mut HeaderMap, all: &HeaderMap) {
    for name in all.keys() {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_has_passed_at_the_beginning_is_none() {
        assert_eq!(time_left(0), None);
        assert_eq!(time_left(600_000), None);
        let in_a_minute =
            (SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(60)).as_millis();
        let left = time_left(u64::try_from(in_a_minute).unwrap()).unwrap();
        assert!(left <= Duration::from_secs(60) - MARGIN && left > Duration::from_secs(30), "{left:?}");
    }
}

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
