//! Ours on warp. `ours-warp 127.0.0.1:8080`

use std::error::Error;

use warp::Filter;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let endpoint = mcp_warp::endpoint(bench_http::ours::server()?);
    let mcp = warp::path("mcp").and(warp::path::end()).and(endpoint.filter());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        warp::serve(mcp).incoming(listener).run().await;
        Ok(())
    })
}
