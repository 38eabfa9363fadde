//! Ours as a Lambda function.

use mcp_lambda::lambda_http::Error;

fn main() -> Result<(), Error> {
    let server = bench_http::ours::function()?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(mcp_lambda::run(server))
}
