use mcp_http::Server;
use warp::Filter as _;

use crate::site::Site;

pub(super) fn serve(server: Server) -> Site {
    Site::on_tokio(async move |listener| {
        let address = listener.local_addr().unwrap();
        let endpoint = mcp_warp::endpoint(server).local_addr(address);
        let metadata = endpoint.clone().metadata();
        let mcp = warp::path("mcp").and(warp::path::end()).and(endpoint.filter());
        warp::serve(mcp.or(metadata)).incoming(listener).run().await;
    })
}
