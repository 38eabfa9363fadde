//! The service of core as it is, with a layer that tells it of the connection.

use axum::extract::Request;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::serve::IncomingStream;
use axum::{Router, middleware};
use mcp_http::{Connection, McpService, Server, TokioRuntime};
use tokio::net::TcpListener;

use crate::site::Site;

pub(super) fn serve(server: Server) -> Site {
    Site::on_tokio(async move |listener| {
        let service = McpService::new(server.clone(), TokioRuntime);
        let mut app = Router::new().route_service("/mcp", service.clone());
        if let Some(path) = server.metadata_path("/mcp") {
            app = app.route_service(&path, service);
        }
        let app = app.layer(middleware::map_request(tell_connection));
        axum::serve(listener, app.into_make_service_with_connect_info::<Addresses>()).await.unwrap();
    })
}

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
