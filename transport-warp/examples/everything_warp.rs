//! The server that the test suites talk to, on warp:
//! `cargo run --release -p mcp-warp --example everything_warp -- --addr 127.0.0.1:8080` prints its URL and stops on Ctrl-C.

use std::error::Error;
use std::io::Write as _;

use clap::Parser;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;
use warp::Filter;

/// An MCP server with a tool for every purpose.
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
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

    let server = mcp_fixture::server(&arguments.options)?;
    let listener = TcpListener::bind(&arguments.addr).await?;
    let address = listener.local_addr()?;
    let endpoint = mcp_warp::endpoint(server.clone()).local_addr(address);
    let mcp = warp::path("mcp").and(warp::path::end()).and(endpoint.filter());
    let metadata = mcp_warp::endpoint(server.clone()).local_addr(address).metadata();
    let health = warp::path("health").and(warp::path::end()).map(|| "ok");
    writeln!(std::io::stdout(), "MCP server at http://{address}/mcp")?;
    warp::serve(mcp.or(metadata).or(health))
        .incoming(listener)
        .graceful(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                server.close();
            }
        })
        .run()
        .await;
    Ok(())
}
