//! The server that the test suites talk to, on axum, which needs no adapter:
//! `cargo run -p mcp-http --features tokio --example everything_axum -- --addr 127.0.0.1:8080`

use std::error::Error;
use std::io::Write as _;

use axum::extract::Request;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::serve::IncomingStream;
use axum::{Router, middleware, routing};
use clap::Parser;
use mcp_http::{Connection, McpService, TokioRuntime};
use tokio::net::TcpListener;

/// An MCP server with a tool for every purpose, on axum.
#[derive(Parser)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:8080")]
    addr: String,
    #[command(flatten)]
    options: mcp_fixture::Options,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let server = mcp_fixture::server(&arguments.options)?;
    let app = Router::new()
        .route_service("/mcp", McpService::new(server.clone(), TokioRuntime))
        .layer(middleware::map_request(tell_connection))
        .route("/health", routing::get(async || "ok"));

    let listener = TcpListener::bind(&arguments.addr).await?;
    writeln!(std::io::stdout(), "MCP server at http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, app.into_make_service_with_connect_info::<Addresses>())
        .with_graceful_shutdown(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                server.close();
            }
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
