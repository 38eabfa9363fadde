//! Tools inside an application that was there before: its routes, its state, its authentication.
//! `cargo run -p mcp-actix --example existing_app` listens at 127.0.0.1:8080, or at the address that it is given. Then
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

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::Method;
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpMessage as _, HttpRequest, HttpResponse, HttpServer, Responder, body, web};
use mcp_http::{Principal, Server, tools};

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
async fn list(request: HttpRequest, notes: web::Data<Notes>) -> impl Responder {
    let own = request.extensions().get::<Principal>().and_then(|author| notes.all().get(author).cloned());
    web::Json(own.unwrap_or_default())
}

/// The application's own authentication: a real one would look the token up.
async fn authenticate(
    request: ServiceRequest,
    next: Next<impl body::MessageBody>,
) -> Result<ServiceResponse<impl body::MessageBody>, Error> {
    // A browser asks first whether it may send a token.
    if request.method() != Method::OPTIONS {
        let header = request.headers().get("authorization").and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.strip_prefix("Bearer ")).ok_or_else(not_signed_in)?;
        request.extensions_mut().insert(Principal::new(token));
    }
    next.call(request).await
}

/// Clients know by this that they have to sign in, those in a page as well.
fn not_signed_in() -> Error {
    let response = HttpResponse::Unauthorized()
        .insert_header(("www-authenticate", "Bearer"))
        .insert_header(("access-control-allow-origin", PAGE))
        .insert_header(("access-control-expose-headers", "www-authenticate"))
        .body("sign in first");
    InternalError::from_response("not signed in", response).into()
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = Notes::default();
    let tools = notes.clone().into_tools()?;
    let server = Server::builder("notes", "1.0.0").tools(tools).cors_origin(PAGE).build()?;

    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let served = server.clone();
    let web_server = HttpServer::new(move || {
        let api = web::scope("/api")
            .wrap(from_fn(authenticate))
            .service(mcp_actix::mount("/mcp", served.clone()))
            .route("/notes", web::get().to(list));
        App::new()
            .app_data(web::Data::new(notes.clone()))
            .service(api)
            .route("/health", web::get().to(async || "ok"))
    })
    .tcp_nodelay(true)
    .shutdown_signal(async move {
        asked_to_stop().await;
        server.close();
    })
    .bind(address)?;
    for address in web_server.addrs() {
        writeln!(std::io::stdout(), "http://{address}/api/mcp")?;
    }
    web_server.run().await?;
    Ok(())
}

/// Ctrl-C, or the signal that platforms send before they end a process.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use actix_web::rt::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = actix_web::rt::signal::ctrl_c() => {}
            }
            return;
        }
    }
    drop(actix_web::rt::signal::ctrl_c().await);
}
