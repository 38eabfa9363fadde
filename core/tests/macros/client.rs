//! A client in the same process.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use mcp_http::{BoxFuture, Connection, Runtime, Server, Step, ToolSet};
use serde_json::{Value, json};

#[derive(Debug)]
struct NoTimer;

impl Runtime for NoTimer {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn random(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

pub(crate) struct Client {
    server: Server,
    dress: fn(&mut Request<Bytes>),
}

impl Client {
    pub(crate) fn new(tools: &ToolSet) -> Self {
        let server = Server::builder("test", "1").tools(tools.clone()).build().unwrap();
        Self { server, dress: |_| {} }
    }

    /// What middleware does to the request.
    pub(crate) fn dressed(self, dress: fn(&mut Request<Bytes>)) -> Self {
        Self { dress, ..self }
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Request::post("/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .body(Bytes::from(body.to_string()))
            .unwrap();
        (self.dress)(&mut request);
        let response = match self.server.receive(request, Connection::default()) {
            Step::Respond(response) => response,
            Step::Call(call, exchange) => {
                match pin!(call.run(Arc::new(NoTimer))).poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(outcome) => exchange.finish(outcome),
                    Poll::Pending => panic!("the call waits for something"),
                }
            }
        };
        let mut answer: Value = serde_json::from_slice(response.body()).unwrap();
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }
}
