//! What core itself answers, in process: the measure for the bytes on the wire.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Uri};
use mcp_http::{Connection, Server, Step, TokioRuntime};

use crate::site::Site;
use crate::wire::{Request, Response};

/// The answer of [`Server::receive`], with the call it may need run to its end.
pub(crate) fn answer(server: &Server, request: &Request, connection: Connection) -> Response {
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.method = Method::from_bytes(request.method.as_bytes()).unwrap();
    head.uri = Uri::try_from(&request.target).unwrap();
    for (name, value) in &request.headers {
        let value = HeaderValue::from_bytes(value).unwrap();
        head.headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
    }
    let request = http::Request::from_parts(head, Bytes::from(request.body.clone()));
    let response = match server.receive(request, connection) {
        Step::Respond(response) => response,
        Step::Call(call, exchange) => {
            let runtime = actix_web::rt::Runtime::new().unwrap();
            exchange.finish(runtime.block_on(call.run(Arc::new(TokioRuntime))))
        }
    };
    let (head, body) = response.into_parts();
    let headers =
        head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
    Response { status: head.status.as_u16(), headers: headers.collect(), body: body.to_vec() }
}

/// The server on the site answers with core's status, headers and bytes; HTTP's own headers come on top.
#[track_caller]
pub(crate) fn assert_answers_as_core(site: &Site, server: &Server, request: &Request) -> Response {
    let mut client = site.connect();
    let on_the_wire = client.send(request);
    client.assert_usable();
    assert_same(&on_the_wire, answer(server, request, at(site)), request);
    on_the_wire
}

/// A connection from this machine to the site.
pub(crate) fn at(site: &Site) -> Connection {
    let peer_addr = Some(([127, 0, 0, 1], 1).into());
    Connection { local_addr: Some(site.address), peer_addr, ..Connection::default() }
}

/// Compares a response from the wire with one of core's.
#[track_caller]
pub(crate) fn assert_same(on_the_wire: &Response, mut expected: Response, request: &Request) {
    let mut headers = on_the_wire.headers.clone();
    let dates = headers.extract_if(.., |(name, _)| name == "date").count();
    assert_eq!(dates, 1, "one date: {on_the_wire:?}");
    if expected.status != 204 {
        expected.headers.push(("content-length".to_owned(), expected.body.len().to_string().into_bytes()));
    }
    if request.method == "HEAD" {
        expected.body.clear();
    }
    headers.sort();
    expected.headers.sort();
    let body = |response: &Response| without_reference(&String::from_utf8_lossy(&response.body));
    assert_eq!(
        (on_the_wire.status, headers, body(on_the_wire)),
        (expected.status, expected.headers.clone(), body(&expected)),
        "{} {}",
        request.method,
        request.target
    );
}

/// What a failure is called is another word in each answer, of the same length.
fn without_reference(body: &str) -> String {
    let Some((before, after)) = body.split_once("reference ") else { return body.to_owned() };
    let (reference, rest) = after.split_at(16);
    assert!(reference.bytes().all(|byte| byte.is_ascii_hexdigit()), "{body}");
    format!("{before}reference …{rest}")
}
