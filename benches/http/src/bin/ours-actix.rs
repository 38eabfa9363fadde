//! Ours on actix-web: ordinary typed tools, all checks on. `ours-actix 127.0.0.1:8080`

use actix_web::{App, HttpServer};
use bench_http::tools::{BOOK, Book, ECHO, Echo, Filler, SERVER};
use mcp_http::{Server, Tool, ToolSet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let tools = ToolSet::new()
        .with(Tool::builder("echo").description(ECHO).handler(async |arguments: Echo| arguments.text))?
        .with(Tool::builder("book").description(BOOK).handler(async |arguments: Book| arguments.summary()))?;
    for (name, description) in Filler::all() {
        let filler = Tool::builder(name).description(description);
        tools.add(filler.handler(async |arguments: Filler| arguments.summary()))?;
    }
    let server = Server::builder(SERVER.0, SERVER.1).tools(tools).build()?;
    actix_web::rt::System::new().block_on(
        HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", server.clone())))
            .workers(1)
            .shutdown_timeout(1)
            .bind(address)?
            .run(),
    )?;
    Ok(())
}
