//! What the fuzz targets share: a server, and a way to drive a request to its end.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response};
use mcp_http::{
    Arguments, BoxFuture, CallContext, Capability, Connection, Json, Reply, Runtime, Server, Step, Tool,
    ToolHandler, ToolOutput, ToolResult, ToolSet,
};
use serde_json::json;

#[derive(Debug)]
struct Timer;

impl Runtime for Timer {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Gives back the arguments that reached it.
struct Mirror;

impl ToolHandler for Mirror {
    fn call(&self, arguments: Arguments, _: &CallContext) -> Reply<'static, ToolResult> {
        Reply::Now(ToolOutput::structured(arguments.as_json()))
    }
}

/// A server with a tool of each kind.
pub fn server() -> Server {
    let open = || json!({ "type": "object" });
    let route = json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "count": { "type": "integer", "x-mcp-header": "Count" },
        "place": { "type": "object", "properties": { "dry": { "type": "boolean", "x-mcp-header": "Dry" } } },
        "strict": { "type": "array", "items": { "enum": [1, "a", null] }, "uniqueItems": true },
    } });
    let tools = [
        Tool::builder("mirror").input_schema(open()).raw_handler(Mirror),
        Tool::builder("route").input_schema(route).raw_handler(Mirror),
        Tool::builder("ask").requires(Capability::Sampling).handler(|| "ok"),
        Tool::builder("list").output_schema(json!({ "type": "array" })).handler(|| Json([1])),
    ];
    let set = ToolSet::new();
    for tool in tools {
        set.add(tool).expect("a tool that can be published");
    }
    Server::builder("fuzz", "1").tools(set).cors_origin("https://a.example").build().expect("a server")
}

/// A request; headers that HTTP cannot carry are left out.
pub fn request(method: Method, headers: &[(&str, &[u8])], body: Vec<u8>) -> Request<Bytes> {
    let mut request = Request::new(Bytes::from(body));
    *request.method_mut() = method;
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(*name), HeaderValue::from_bytes(value)) {
            request.headers_mut().append(name, value);
        }
    }
    request
}

/// Sends a request and drives it to its answer.
pub fn answer(server: &Server, request: Request<Bytes>, connection: Connection) -> Response<Bytes> {
    match server.receive(request, connection) {
        Step::Respond(response) => response,
        Step::Call(call, exchange) => {
            let mut call = std::pin::pin!(call.run(Arc::new(Timer)));
            let mut cx = Context::from_waker(Waker::noop());
            loop {
                if let Poll::Ready(outcome) = call.as_mut().poll(&mut cx) {
                    return exchange.finish(outcome);
                }
            }
        }
    }
}
