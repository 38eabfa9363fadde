//! A tool for each of many Rust types, which gives back what it read, for real clients to call:
//! `cargo run -p mcp-http --features tokio --example schemas_axum -- --addr 127.0.0.1:8080`
//!
//! Each tool has in its `_meta` arguments to call it with (`com.example/arguments`), and what comes back
//! (`com.example/gives`). `scripts/clients/schemas URL` calls them all.

use std::error::Error;
use std::io::Write as _;

use axum::Router;
use clap::Parser;
use mcp_http::{McpService, Server, TokioRuntime, ToolSet};
use tokio::net::TcpListener;

#[path = "../tests/types/mod.rs"]
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "the schemas themselves are looked at by the tests"
)]
mod types;

/// An MCP server with a tool for each of many Rust types.
#[derive(Parser)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:8080")]
    addr: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let tools = ToolSet::try_from_tools(types::all().iter().map(types::Case::tool))?;
    let server = Server::builder("schemas", "1.0.0").tools(tools).build()?;
    let app = Router::new().route_service("/mcp", McpService::new(server, TokioRuntime));
    let listener = TcpListener::bind(&arguments.addr).await?;
    writeln!(std::io::stdout(), "MCP server at http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, app).with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) }).await?;
    Ok(())
}
