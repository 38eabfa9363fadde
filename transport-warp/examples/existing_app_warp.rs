//! Tools inside an application that was there before: its routes, its state, its authentication.
//! `cargo run -p mcp-warp --example existing_app_warp` listens at 127.0.0.1:8080, or at the address that it is given. Then
//!
//! ```sh
//! curl -s http://127.0.0.1:8080/api/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"Hi"}}}'
//! curl -s http://127.0.0.1:8080/api/notes -H 'Authorization: Bearer ada'
//! curl -si http://127.0.0.1:8080/api/mcp -H 'Content-Type: application/json' -d '{}'
//! curl -si http://127.0.0.1:8080/api/mcp -X OPTIONS -H 'Origin: https://app.example.com' \
//!   -H 'Access-Control-Request-Method: POST'
//! ```
//!
//! prints the answer of the tool, `ada has 1 note`; the note, on a route of the application's own; 401 for who is not signed
//! in; and 204 for a browser that asks whether a page of `https://app.example.com` may call tools. Ctrl-C or SIGTERM ends
//! it: who listens for changes is told, and calls that run are answered.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_http::{Principal, Server, tools};
use tokio::net::TcpListener;
use warp::http::StatusCode;
use warp::reject::{Reject, Rejection};
use warp::reply::{self, Reply};
use warp::{Filter, path};

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

/// The application's own authentication: a real one would look the token up.
fn signed_in() -> impl Filter<Extract = (Principal,), Error = Rejection> + Clone {
    warp::header::optional("authorization").and_then(async |header: Option<String>| {
        let token = header.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        token.map(Principal::new).ok_or_else(|| warp::reject::custom(NotSignedIn))
    })
}

#[derive(Debug)]
struct NotSignedIn;

impl Reject for NotSignedIn {}

/// Clients know by this that they have to sign in, those in a page as well.
async fn ask_to_sign_in(rejection: Rejection) -> Result<impl Reply, Rejection> {
    let Some(NotSignedIn) = rejection.find() else { return Err(rejection) };
    let response = reply::with_status("sign in first", StatusCode::UNAUTHORIZED);
    let response = reply::with_header(response, "www-authenticate", "Bearer");
    let response = reply::with_header(response, "access-control-allow-origin", PAGE);
    Ok(reply::with_header(response, "access-control-expose-headers", "www-authenticate"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = Notes::default();
    let tools = notes.clone().into_tools()?;
    let server = Server::builder("notes", "1.0.0").tools(tools).cors_origin(PAGE).build()?;

    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stdout(), "http://{address}/api/mcp")?;

    // A browser asks first whether it may send a token.
    let caller = warp::options().map(|| None).or(signed_in().map(Some)).unify();
    let endpoint =
        mcp_warp::endpoint(server.clone()).local_addr(address).filter_with(caller, |caller, extensions| {
            if let Some(caller) = caller {
                extensions.insert::<Principal>(caller);
            }
        });
    let mcp = path!("api" / "mcp").and(endpoint);
    let list = path!("api" / "notes").and(warp::get()).and(signed_in()).map(move |author| {
        let own = notes.all().get(&author).cloned();
        reply::json(&own.unwrap_or_default())
    });
    let health = path!("health").map(|| "ok");

    warp::serve(mcp.or(list).or(health).recover(ask_to_sign_in))
        .incoming(listener)
        .graceful(async move {
            asked_to_stop().await;
            server.close();
        })
        .run()
        .await;
    Ok(())
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
