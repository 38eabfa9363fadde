//! Core, without any web server.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Uri};
use http_body::Body as _;
use mcp_http::{Body, Connection, McpService, Server, TokioRuntime};
use tokio::runtime::Runtime;

use crate::host::Host;
use crate::row::Row;
use crate::wire::{Request, Response};

pub(super) struct Core {
    service: McpService,
    runtime: Runtime,
}

impl Core {
    pub(super) fn new(server: Server) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { service: McpService::new(server, TokioRuntime), runtime }
    }
}

impl Host for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn send(&self, row: &Row) -> Response {
        let here = Some(([127, 0, 0, 1], 1).into());
        let connection = Connection { local_addr: here, peer_addr: here, ..Connection::default() };
        self.runtime.block_on(async {
            let response = self.service.respond(converted(&row.request), connection).await;
            let (head, body) = response.into_parts();
            let headers = head.headers.iter();
            let headers = headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
            let headers = headers.collect();
            // To HEAD a web server sends none.
            let body = if row.request.method == "HEAD" { Vec::new() } else { drained(body).await };
            Response { status: head.status.as_u16(), headers, body }
        })
    }
}

fn converted(request: &Request) -> http::Request<Body> {
    let mut converted = http::Request::new(Body::from(Bytes::from(request.body.clone())));
    *converted.method_mut() = Method::from_bytes(request.method.as_bytes()).unwrap();
    *converted.uri_mut() = Uri::try_from(&request.target).unwrap();
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        converted.headers_mut().append(name, HeaderValue::from_bytes(value).unwrap());
    }
    converted
}

async fn drained(mut body: Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|task| Pin::new(&mut body).poll_frame(task)).await {
        bytes.extend_from_slice(&frame.unwrap().into_data().expect("no trailers"));
    }
    bytes
}
