//! The README's first screen: `cargo run -p mcp-actix --example quickstart`, then connect a client to
//! http://127.0.0.1:8080/mcp.

use actix_web::{App, HttpServer, middleware::Logger, web};
use mcp_http::{Server, Tool, ToolSet};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    /// The first number
    a: i64,
    /// The second number
    b: i64,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let add =
        Tool::builder("add").description("Add two integers").handler(|args: Add| args.a.checked_add(args.b));
    let server = Server::builder("calculator", "1.0.0").tools(ToolSet::new().with(add)?).build()?;
    HttpServer::new(move || {
        App::new()
            .wrap(Logger::default())
            .service(mcp_actix::mount("/mcp", server.clone()))
            .route("/health", web::get().to(async || "ok"))
    })
    .bind("127.0.0.1:8080")?
    .run()
    .await?;
    Ok(())
}
