//! The official SDK on axum. `peer-rmcp 127.0.0.1:8080`

use axum::Router;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;

fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let service = peer_rmcp::service(StreamableHttpServerConfig::default()).map_err(std::io::Error::other)?;
    let app = Router::new().route_service("/mcp", service);
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        axum::serve(listener, app).await
    })
}
