//! Servers for the tests, on ports of their own.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use axum::extract::Request;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::serve::IncomingStream;
use axum::{Router, middleware};
use mcp_conformance::wire::{Endpoint, Limits};
use mcp_http::{Connection, McpService, TokioRuntime};
use tokio::net;

/// The server `everything`, until the program ends.
pub(crate) fn everything() -> Endpoint {
    everything_with(&mcp_fixture::Options::default())
}

/// It, set up so.
pub(crate) fn everything_with(options: &mcp_fixture::Options) -> Endpoint {
    let server = mcp_fixture::server(options).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route_service("/mcp", McpService::new(server, TokioRuntime));
    std::thread::spawn(move || runtime.block_on(serve(listener, app)));
    at(address)
}

/// Serves, and tells the server of its connections: so it can refuse names that are not its own.
pub(crate) async fn serve(listener: net::TcpListener, app: Router) {
    let app = app.layer(middleware::map_request(tell_connection));
    axum::serve(listener, app.into_make_service_with_connect_info::<Addresses>()).await.unwrap();
}

#[derive(Clone, Copy)]
struct Addresses(Connection);

impl Connected<IncomingStream<'_, net::TcpListener>> for Addresses {
    fn connect_info(stream: IncomingStream<'_, net::TcpListener>) -> Self {
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

/// A server that treats each connection so, after it has read a request; it is given the head.
pub(crate) fn raw(treat: impl Fn(TcpStream, String) + Send + Sync + 'static) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let treat = &treat;
        std::thread::scope(|scope| {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                scope.spawn(move || {
                    let head = request_of(&mut stream);
                    treat(stream, head);
                });
            }
        });
    });
    at(address)
}

fn request_of(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    // The body too: a connection that is closed before it was read is broken for the other side.
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    let _ = stream.read_exact(&mut body);
    head
}

fn at(address: SocketAddr) -> Endpoint {
    let limits = Limits { answer: Duration::from_secs(20), ..Limits::default() };
    Endpoint::parse(&format!("http://{address}/mcp")).unwrap().limits(limits)
}
