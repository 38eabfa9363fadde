//! Tools inside an application that was there before: its routes, its state, its authentication.
//! `cargo run -p mcp-actix --example existing_app`, then
//!
//! ```sh
//! curl -s http://127.0.0.1:8080/api/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"text":"Hi"}}}'
//! curl -s http://127.0.0.1:8080/api/notes -H 'Authorization: Bearer ada'
//! ```
//!
//! prints the answer of the tool, `ada has 1 note`, and then the note.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpMessage as _, HttpRequest, HttpServer, Responder, body, error, web};
use mcp_http::{CallContext, Principal, Server, Tool, ToolError, ToolSet};

/// What the application keeps: notes by author.
#[derive(Default)]
struct Notes(Mutex<HashMap<String, Vec<String>>>);

impl Notes {
    fn add(&self, author: &str, text: String) -> usize {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_author = notes.entry(author.to_owned()).or_default();
        of_author.push(text);
        of_author.len()
    }

    fn of(&self, author: &str) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(author).cloned().unwrap_or_default()
    }
}

/// The application's own authentication: a real one would look the token up.
async fn authenticate(
    request: ServiceRequest,
    next: Next<impl body::MessageBody>,
) -> Result<ServiceResponse<impl body::MessageBody>, Error> {
    let header = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let token = header
        .and_then(|value| value.strip_prefix("Bearer "))
        .ok_or_else(|| error::ErrorUnauthorized("no token"))?;
    request.extensions_mut().insert(Principal::new(token));
    next.call(request).await
}

/// A route of the application's, beside the tools.
async fn list(request: HttpRequest, notes: web::Data<Notes>) -> impl Responder {
    let author = request.extensions().get::<Principal>().map(ToString::to_string).unwrap_or_default();
    web::Json(notes.of(&author))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct AddNote {
    /// What to remember
    text: String,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = Arc::new(Notes::default());
    let for_tools = notes.clone();
    let add_note = Tool::builder("add_note").description("Remembers a note of the user").handler(
        move |note: AddNote, cx: CallContext| {
            let author = cx.principal().ok_or_else(|| ToolError::new("sign in first"))?;
            let count = for_tools.add(author.as_str(), note.text);
            let notes = if count == 1 { "note" } else { "notes" };
            Ok::<_, ToolError>(format!("{author} has {count} {notes}"))
        },
    );
    let server = Server::builder("notes", "1.0.0").tools(ToolSet::new().with(add_note)?).build()?;
    HttpServer::new(move || {
        App::new().app_data(web::Data::from(notes.clone())).service(
            web::scope("/api")
                .wrap(from_fn(authenticate))
                .service(mcp_actix::mount("/mcp", server.clone()))
                .route("/notes", web::get().to(list)),
        )
    })
    .tcp_nodelay(true)
    .bind("127.0.0.1:8080")?
    .run()
    .await?;
    Ok(())
}
