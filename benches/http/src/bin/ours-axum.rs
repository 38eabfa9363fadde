//! Ours on axum, which needs no adapter. `ours-axum 127.0.0.1:8080`

use std::error::Error;

use axum::Router;
use mcp_http::{McpService, TokioRuntime};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let app = Router::new().route_service("/mcp", McpService::new(bench_http::ours::server()?, TokioRuntime));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        Ok(axum::serve(listener, app).await?)
    })
}
