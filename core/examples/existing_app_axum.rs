//! Tools inside an axum application that was there before: its routes, its state, its tokens, which the server checks by
//! itself here.
//! `cargo run -p mcp-http --features tokio --example existing_app_axum` listens at 127.0.0.1:8080, or at the address that
//! it is given. Then
//!
//! ```sh
//! curl -s http://127.0.0.1:8080/api/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"Hi"}}}'
//! curl -s http://127.0.0.1:8080/api/notes -H 'Authorization: Bearer ada'
//! curl -si http://127.0.0.1:8080/api/mcp -H 'Content-Type: application/json' -d '{}'
//! curl -s http://127.0.0.1:8080/.well-known/oauth-protected-resource/api/mcp
//! curl -si http://127.0.0.1:8080/api/mcp -X OPTIONS -H 'Origin: https://app.example.com' \
//!   -H 'Access-Control-Request-Method: POST'
//! ```
//!
//! prints the answer of the tool, `ada has 1 note`; the note, on a route of the application's own; 401 for who is not signed
//! in, with the URL of the metadata; the metadata, which says where tokens come from; and 204 for a browser that asks
//! whether a page of `https://app.example.com` may call tools. Ctrl-C or SIGTERM ends it: who listens for changes is told,
//! and calls that run are answered.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::serve::IncomingStream;
use axum::{Extension, Router, routing};
use mcp_http::auth::{BearerAuth, Grant};
use mcp_http::{Connection, McpService, Principal, Server, TokioRuntime, tools};
use tokio::net::TcpListener;

/// The browser client's origin.
const PAGE: &str = "https://app.example.com";

/// What the application keeps: notes by author. Cheap to clone, for the routes and for the tools.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<HashMap<Principal, Vec<String>>>>);

impl Notes {
    fn all(&self) -> MutexGuard<'_, HashMap<Principal, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tools]
impl Notes {
    /// Remember a note of the user.
    #[tool(destructive = false)]
    fn add_note(
        &self,
        /** What to remember */
        text: String,
        author: Principal,
    ) -> String {
        let mut notes = self.all();
        let own = notes.entry(author.clone()).or_default();
        own.push(text);
        format!("{author} has {} {}", own.len(), if own.len() == 1 { "note" } else { "notes" })
    }
}

/// A route of the application's, beside the tools.
async fn list(State(notes): State<Notes>, Extension(author): Extension<Principal>) -> String {
    let own = notes.all().get(&author).cloned();
    serde_json::json!(own.unwrap_or_default()).to_string()
}

/// Whose token it is. A real application would decode or look it up, and make sure that it was issued for this server.
fn owner(token: &str) -> Option<Principal> {
    ["ada", "eve"].contains(&token).then(|| Principal::new(token))
}

/// The application's own authentication, of its other routes.
async fn authenticate(headers: HeaderMap, mut request: Request, next: Next) -> Response {
    let header = headers.get("authorization").and_then(|value| value.to_str().ok());
    match header.and_then(|value| owner(value.strip_prefix("Bearer ")?)) {
        Some(author) => {
            request.extensions_mut().insert(author);
            next.run(request).await
        }
        None => (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")], "sign in first").into_response(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = Notes::default();
    let auth = BearerAuth::new(|token: String| owner(&token).map(|author| Grant::new(author.as_str())))
        .authorization_server("https://login.example.com");
    let server = Server::builder("notes", "1.0.0")
        .tools(notes.clone().into_tools()?)
        .bearer_auth(auth)
        .cors_origin(PAGE)
        .build()?;

    let mcp = McpService::new(server.clone(), TokioRuntime);
    let mut endpoint = Router::new().route_service("/api/mcp", mcp.clone());
    if let Some(metadata) = server.metadata_path("/api/mcp") {
        endpoint = endpoint.route_service(&metadata, mcp);
    }
    let others = Router::new().route("/api/notes", routing::get(list)).with_state(notes);
    let app = others
        .layer(middleware::from_fn(authenticate))
        .merge(endpoint.layer(middleware::map_request(tell_connection)))
        .route("/health", routing::get(async || "ok"));

    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(address).await?;
    writeln!(std::io::stdout(), "http://{}/api/mcp", listener.local_addr()?)?;
    axum::serve(listener, app.into_make_service_with_connect_info::<Addresses>())
        .with_graceful_shutdown(async move {
            asked_to_stop().await;
            server.close();
        })
        .await?;
    Ok(())
}

/// Both ends of a connection. The local one lets the server refuse DNS rebinding.
#[derive(Clone, Copy)]
struct Addresses(Connection);

impl Connected<IncomingStream<'_, TcpListener>> for Addresses {
    fn connect_info(stream: IncomingStream<'_, TcpListener>) -> Self {
        let local_addr = stream.io().local_addr().ok();
        Self(Connection { local_addr, peer_addr: Some(*stream.remote_addr()), ..Connection::default() })
    }
}

async fn tell_connection(
    ConnectInfo(Addresses(connection)): ConnectInfo<Addresses>,
    mut request: Request,
) -> Request {
    request.extensions_mut().insert(connection);
    request
}

/// Ctrl-C, or the signal that platforms send before they end a process.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    drop(tokio::signal::ctrl_c().await);
}
