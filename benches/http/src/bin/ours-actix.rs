//! Ours on actix-web. `ours-actix 127.0.0.1:8080`

use std::error::Error;

use actix_web::{App, HttpServer};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let server = bench_http::ours::server()?;
    actix_web::rt::System::new().block_on(
        HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", server.clone())))
            .workers(1)
            .shutdown_timeout(1)
            .bind(address)?
            .run(),
    )?;
    Ok(())
}
