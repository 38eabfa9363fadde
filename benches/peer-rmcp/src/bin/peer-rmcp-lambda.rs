//! The official SDK as a Lambda function, with nothing between it and the platform's crate.

use lambda_http::Error;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;

fn main() -> Result<(), Error> {
    // The platform's front end has the name that clients call.
    let service = peer_rmcp::service(StreamableHttpServerConfig::default().disable_allowed_hosts())?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(lambda_http::run(service))
}
