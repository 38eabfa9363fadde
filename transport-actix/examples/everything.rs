//! The server that the test suites talk to, on actix-web:
//! `cargo run --release -p mcp-actix --example everything -- --addr 127.0.0.1:8080` prints its URL and a line for
//! curl, logs each request, and stops on Ctrl-C.

use std::error::Error;
use std::io::Write as _;

use actix_web::{App, HttpServer};
use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// An MCP server with a tool for every purpose.
#[derive(Parser)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:8080")]
    addr: String,
    #[command(flatten)]
    options: mcp_fixture::Options,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,mcp_http=debug"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(std::io::stderr)
        .init();

    let server = mcp_fixture::server(&arguments.options)?;
    let shared = server.clone();
    let web_server = HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", shared.clone())))
        .shutdown_timeout(5)
        .tcp_nodelay(true)
        .disable_signals()
        .bind(&arguments.addr)?;
    if let Some(address) = web_server.addrs().first() {
        announce(&format!("http://{address}/mcp"))?;
    }
    let running = web_server.run();
    let handle = running.handle();
    actix_web::rt::spawn(async move {
        if actix_web::rt::signal::ctrl_c().await.is_ok() {
            server.close();
            handle.stop(true).await;
        }
    });
    running.await?;
    Ok(())
}

/// A call that needs nothing but curl.
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"Hello!"}}}"#;

fn announce(url: &str) -> std::io::Result<()> {
    let curl = format!("curl -s {url} -H 'Content-Type: application/json' \\\n    -d '{CALL}'");
    writeln!(std::io::stdout(), "MCP server at {url}\n\nTry it:\n  {curl}\n")
}
