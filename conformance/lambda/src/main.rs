//! A Lambda function at a URL: `mcp-lambda-emulator -- target/debug/examples/everything_lambda`

use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use mcp_lambda_emulator::{Front, Function};

/// Serves a Lambda function over HTTP, until it is interrupted or the function ends.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where to listen
    #[arg(long, default_value = "127.0.0.1:0")]
    addr: SocketAddr,
    /// What stands before the function
    #[arg(long, value_enum, default_value = "function-url")]
    front: Front,
    /// How long an invocation may take, in seconds
    #[arg(long, default_value_t = 30)]
    timeout: u64,
    /// How many invocations the process is handed at once
    #[arg(long)]
    concurrency: Option<usize>,
    /// The function, and its arguments
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let (program, rest) = arguments.program.split_first().ok_or("no program")?;
    let mut function = Function::new(program)
        .listen(arguments.addr)
        .front(arguments.front)
        .timeout(Duration::from_secs(arguments.timeout));
    for argument in rest {
        function = function.arg(argument);
    }
    if let Some(concurrency) = arguments.concurrency {
        function = function.concurrency(concurrency);
    }
    let emulator = function.start()?;
    writeln!(std::io::stdout(), "MCP server at {}", emulator.url())?;
    let mut asked_to_stop = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    loop {
        tokio::select! {
            _ = asked_to_stop.recv() => return Ok(()),
            stopped = tokio::signal::ctrl_c() => return Ok(stopped?),
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
        }
        if let Some(how) = emulator.ended() {
            return Err(format!("the function ended: {how}").into());
        }
    }
}
