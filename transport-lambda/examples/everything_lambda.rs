//! The server that the test suites talk to, as a Lambda function. `MCP_FIXTURE_ARGS` has the options of the other examples,
//! and with `MCP_STREAMING` set the function streams.

use clap::Parser;

/// An MCP server with a tool for every purpose.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: mcp_fixture::Options,
}

#[tokio::main]
async fn main() -> Result<(), mcp_lambda::lambda_http::Error> {
    let given = std::env::var("MCP_FIXTURE_ARGS").unwrap_or_default();
    let arguments = Arguments::parse_from(["everything_lambda"].into_iter().chain(given.split_whitespace()));
    let server = mcp_fixture::server(&arguments.options)?;
    if std::env::var_os("MCP_STREAMING").is_some() {
        mcp_lambda::run_streaming(server).await
    } else {
        mcp_lambda::run(server).await
    }
}
