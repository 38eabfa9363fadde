//! Serve MCP tools from an actix-web application.
//!
//! [`mount`] puts an [`mcp_http::Server`] at a path, beside the application's other routes and behind its middleware:
//!
//! ```no_run
//! use actix_web::{App, HttpServer, web};
//! use mcp_http::{Server, Tool, ToolSet};
//!
//! #[actix_web::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let tools = ToolSet::new().with(Tool::builder("hello").description("Greets").handler(|| "Hello!"))?;
//!     let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
//!     HttpServer::new(move || {
//!         App::new()
//!             .service(mcp_actix::mount("/mcp", server.clone()))
//!             .route("/health", web::get().to(|| async { "ok" }))
//!     })
//!     .tcp_nodelay(true)
//!     .bind(("127.0.0.1", 8080))?
//!     .run()
//!     .await?;
//!     Ok(())
//! }
//! ```
//!
//! # What reaches a tool
//!
//! A tool sees the head of the request. A [`Principal`] that middleware left in actix-web's request extensions is
//! passed on; for anything else actix-web's extensions hold there is [`Mount::extensions`], since they are neither
//! `Send` nor those of the `http` crate.
//!
//! Middleware for the endpoint alone goes around a scope:
//! `web::scope("").wrap(from_fn(authenticate)).service(mcp_actix::mount("/mcp", server))`.
//!
//! # Tokens
//!
//! A server with [`bearer_auth`](mcp_http::ServerBuilder::bearer_auth) checks them itself. Its metadata is served at the
//! well-known path as well, if the mount is given to the `App`; within a scope it would be at the wrong place, so give the
//! `App` another mount at the whole path there.
//!
//! # Testing
//!
//! [`mcp_http::testing::Client`] tests tools without HTTP. What goes through the application's middleware is tested with
//! actix-web's own means; a request needs a `Host`, which `TestRequest` does not send by itself:
//!
//! ```
//! use actix_web::{App, test};
//! # use mcp_http::{Server, Tool, ToolSet};
//!
//! # #[actix_web::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let tools = ToolSet::new().with(Tool::builder("hello").description("Greets").handler(|| "Hello!"))?;
//! # let server = Server::builder("greeter", "1.0.0").tools(tools).build()?;
//! let app = test::init_service(App::new().service(mcp_actix::mount("/mcp", server))).await;
//! let request = test::TestRequest::post()
//!     .uri("/mcp")
//!     .insert_header(("host", "localhost"))
//!     .insert_header(("content-type", "application/json"))
//!     .set_payload(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello"}}"#);
//! let answer = test::call_and_read_body(&app, request.to_request()).await;
//! assert!(std::str::from_utf8(&answer)?.contains("Hello!"));
//! # Ok(())
//! # }
//! ```
//!
//! # What actix-web does
//!
//! Without `tcp_nodelay(true)` the events of a stream wait for each other: the system holds a small piece back until the
//! client has acknowledged the one before, some 40 ms.
//!
//! actix-web notices at the next write that a client has left. So a call whose client leaves ends, in revisions where it
//! does, with the next thing that it says, or with the next [keep-alive](mcp_http::ServerBuilder::keep_alive), and a
//! client that takes no event stream is not missed before its answer. Call [`Server::close`] when the process is asked to
//! stop, before the web server is.
//!
//! Proxies, several processes and shutdown are in the guide: [`mcp_http::guide::deployment`].
//!
//! # Features
//!
//! * `json-schema` (default): that of [`mcp_http`]. `default-features = false` on both crates makes the binary about
//!   4 MB smaller.

mod convert;

use std::fmt;
use std::sync::Arc;

use actix_web::dev::{AppService, HttpServiceFactory};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse, web};
use http::Extensions;
use mcp_http::{Connection, McpService, Principal, Server, TokioRuntime};

use convert::{RequestBody, ResponseBody, head, response};

/// Serves `server` at `path`, with and without a slash at its end.
///
/// Give the result to `App::service` or `Scope::service`. It is cheap to make: one server is shared by all workers.
#[must_use = "a mount serves nothing before it is given to an App"]
pub fn mount(path: &str, server: Server) -> Mount {
    let path = path.trim_end_matches('/').to_owned();
    Mount { path, service: McpService::new(server, TokioRuntime), extend: None }
}

/// What the user copies out of a request for the tools.
type Extend = Arc<dyn Fn(&HttpRequest, &mut Extensions) + Send + Sync>;

/// An MCP endpoint, to be given to `App::service` or `Scope::service`.
#[derive(Clone)]
pub struct Mount {
    path: String,
    service: McpService,
    extend: Option<Extend>,
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Mount {
    /// Copies what tools need out of each request, to be found with
    /// [`CallContext::get`](mcp_http::CallContext::get).
    ///
    /// ```
    /// # use actix_web::HttpMessage;
    /// # #[derive(Clone)] struct Tenant(String);
    /// # fn example(server: mcp_http::Server) -> mcp_actix::Mount {
    /// mcp_actix::mount("/mcp", server).extensions(|request, extensions| {
    ///     if let Some(tenant) = request.extensions().get::<Tenant>() {
    ///         extensions.insert(tenant.clone());
    ///     }
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn extensions(self, copy: impl Fn(&HttpRequest, &mut Extensions) + Send + Sync + 'static) -> Self {
        Self { extend: Some(Arc::new(copy)), ..self }
    }

    async fn respond(
        self: Arc<Self>,
        request: HttpRequest,
        payload: web::Payload,
    ) -> HttpResponse<ResponseBody> {
        let connection = Connection {
            local_addr: Some(request.app_config().local_addr()),
            peer_addr: request.peer_addr(),
            ..Connection::default()
        };
        let mut head = head(&request);
        if let Some(principal) = request.extensions().get::<Principal>() {
            head.extensions.insert(principal.clone());
        }
        if let Some(extend) = &self.extend {
            extend(&request, &mut head.extensions);
        }
        let request = http::Request::from_parts(head, RequestBody(payload));
        response(self.service.respond(request, connection).await)
    }
}

impl HttpServiceFactory for Mount {
    fn register(self, config: &mut AppService) {
        let mut paths = vec![self.path.clone(), format!("{}/", self.path)];
        paths.extend(self.service.server().metadata_path(&self.path));
        let mount = Arc::new(self);
        // A resource each: actix-web compares one fixed path as it is, but several with regular expressions.
        for path in paths {
            let mount = mount.clone();
            web::resource(path)
                .to(move |request, payload| mount.clone().respond(request, payload))
                .register(config);
        }
    }
}

/// The programs of both READMEs compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../README.md")]
struct Readme;
