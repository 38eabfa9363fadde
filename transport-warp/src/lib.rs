//! Serve MCP tools from a warp application.
//!
//! [`endpoint`] makes a filter of an [`mcp_http::Server`], to be put behind a path, beside the application's other routes:
//!
//! ```no_run
//! use mcp_http::{Server, Tool, ToolSet};
//! use warp::Filter;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let tools = ToolSet::new().with(Tool::builder("hello").description("Greets").handler(|| "Hello!"))?;
//!     let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
//!     let mcp = warp::path("mcp").and(warp::path::end()).and(mcp_warp::endpoint(server).filter());
//!     let health = warp::path("health").map(|| "ok");
//!     warp::serve(mcp.or(health)).run(([127, 0, 0, 1], 8080)).await;
//!     Ok(())
//! }
//! ```
//!
//! Whatever matched the path is answered here, whatever its method: a filter that rejected it would let another one answer.
//!
//! # What reaches a tool
//!
//! A tool sees the head of the request. What earlier filters extracted, such as who is calling, is passed on with
//! [`Endpoint::filter_with`].
//!
//! # What warp does
//!
//! warp does not tell which address a client connected to. A client on this machine counts as one that connected to a
//! loopback address, so that the name in `Host` is checked as [`HostPolicy::Auto`](mcp_http::HostPolicy::Auto) says; behind a
//! proxy on this machine, list the names that it serves. [`Endpoint::local_addr`] tells the address.
//!
//! A client that leaves is noticed at once, and its call is dropped in revisions where it is. Call
//! [`Server::close`] when the process is asked to stop: open streams end, and warp's graceful shutdown waits for them.
//!
//! Proxies, several processes and shutdown are in the guide: [`mcp_http::guide::deployment`].
//!
//! # Features
//!
//! * `json-schema` (default): that of [`mcp_http`]. `default-features = false` on both crates makes the binary about
//!   4 MB smaller.

mod convert;

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http::{Extensions, Request, Uri};
use mcp_http::{Connection, McpService, Server, TokioRuntime};
use warp::reply::Response;
use warp::{Filter, Rejection};

use convert::RequestBody;

/// Serves `server`. Cheap to make.
pub fn endpoint(server: Server) -> Endpoint {
    Endpoint { service: McpService::new(server, TokioRuntime), local_addr: None }
}

/// An MCP endpoint, to be made a filter of.
#[must_use = "an endpoint serves nothing before it is a filter"]
#[derive(Clone)]
pub struct Endpoint {
    service: McpService,
    local_addr: Option<SocketAddr>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("local_addr", &self.local_addr).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The address that the web server is bound to, which warp does not tell.
    pub fn local_addr(self, address: SocketAddr) -> Self {
        Self { local_addr: Some(address), ..self }
    }

    /// A filter that answers every request which gets to it.
    pub fn filter(self) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
        let nothing = warp::any().and_then(async || Ok::<_, Rejection>(()));
        self.filter_with(nothing, |(), _| {})
    }

    /// A filter for the well-known path of protected resource metadata, of a server with
    /// [`bearer_auth`](mcp_http::ServerBuilder::bearer_auth).
    pub fn metadata(self) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
        warp::path(".well-known").and(warp::path("oauth-protected-resource")).and(self.filter())
    }

    /// [`filter`](Self::filter), behind one that extracts something: `copy` puts into the extensions what tools need of it,
    /// to be found with [`CallContext::get`](mcp_http::CallContext::get). Requests that the earlier filter rejects are its
    /// own to answer.
    ///
    /// ```
    /// use mcp_http::Principal;
    /// use warp::Filter;
    ///
    /// # fn example(server: mcp_http::Server) -> impl Filter<Extract = (warp::reply::Response,)> {
    /// let caller = warp::header::<String>("x-user").map(Principal::new);
    /// warp::path("mcp").and(mcp_warp::endpoint(server).filter_with(caller, |caller, extensions| {
    ///     extensions.insert(caller);
    /// }))
    /// # }
    /// ```
    pub fn filter_with<F, T>(
        self,
        earlier: F,
        copy: impl Fn(T, &mut Extensions) + Send + Sync + 'static,
    ) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone
    where
        F: Filter<Extract = (T,), Error = Rejection> + Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        let endpoint = Arc::new(self);
        let copy = Arc::new(copy);
        earlier
            .and(warp::method())
            .and(target())
            .and(warp::header::headers_cloned())
            .and(warp::addr::remote())
            .and(warp::body::stream())
            .then(move |extracted, method, uri, headers, peer_addr, body| {
                let mut request = Request::new(RequestBody::new(body));
                *request.method_mut() = method;
                *request.uri_mut() = uri;
                *request.headers_mut() = headers;
                copy(extracted, request.extensions_mut());
                let endpoint = endpoint.clone();
                async move { convert::response(endpoint.respond(request, peer_addr).await) }
            })
    }

    async fn respond<B>(
        &self,
        request: Request<RequestBody<B>>,
        peer_addr: Option<SocketAddr>,
    ) -> http::Response<mcp_http::Body>
    where
        RequestBody<B>: http_body::Body,
    {
        // A socket that is bound to every address: then the peer tells whether the client is on this machine.
        let unknown = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let local_addr = Some(self.local_addr.unwrap_or(unknown));
        self.service.respond(request, Connection { local_addr, peer_addr, ..Connection::default() }).await
    }
}

/// The target of a request. The name in it counts only where no header has one: in HTTP/2, and in old requests.
fn target() -> impl Filter<Extract = (Uri,), Error = Rejection> + Clone {
    let query = warp::query::raw().map(Some).or(warp::any().map(|| None)).unify();
    let authority = warp::header::value("host").map(|_| None).or(warp::host::optional()).unify();
    warp::path::full().and(query).and(authority).map(convert::uri)
}

/// The README's programs compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
