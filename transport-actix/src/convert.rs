//! Between the types of actix-web (`http` 0.2) and those of `http` 1. Nothing is decided here.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::error::PayloadError;
use actix_web::http::header as actix_header;
use actix_web::{HttpRequest, HttpResponse, web};
use bytes::{Bytes, BytesMut};
use futures_core::Stream as _;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Uri, header};
use http_body::{Body as _, Frame, SizeHint};

/// The head of a request.
///
/// Both versions of `http` have the same grammar for methods, targets and headers, so nothing is lost here.
pub(crate) fn head(request: &HttpRequest) -> Parts {
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = Method::from_bytes(request.method().as_str().as_bytes()).unwrap_or_default();
    head.uri = uri(request.uri());
    head.headers.reserve(request.headers().len());
    // The values share one buffer: one allocation, however many headers.
    let mut values = BytesMut::with_capacity(512);
    for (name, value) in request.headers() {
        values.extend_from_slice(value.as_bytes());
        let value = HeaderValue::from_maybe_shared(values.split().freeze());
        if let (Some(name), Ok(value)) = (header_name(name.as_str()), value) {
            head.headers.append(name, value);
        }
    }
    head
}

const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The names that nearly every request has are cheaper to recognise than to parse, and need no allocation.
fn header_name(name: &str) -> Option<HeaderName> {
    Some(match name {
        "host" => header::HOST,
        "content-type" => header::CONTENT_TYPE,
        "content-length" => header::CONTENT_LENGTH,
        "accept" => header::ACCEPT,
        "accept-encoding" => header::ACCEPT_ENCODING,
        "accept-language" => header::ACCEPT_LANGUAGE,
        "authorization" => header::AUTHORIZATION,
        "connection" => header::CONNECTION,
        "user-agent" => header::USER_AGENT,
        "mcp-protocol-version" => MCP_PROTOCOL_VERSION,
        "mcp-method" => MCP_METHOD,
        "mcp-name" => MCP_NAME,
        other => HeaderName::from_bytes(other.as_bytes()).ok()?,
    })
}

fn uri(uri: &actix_web::http::Uri) -> Uri {
    let converted = match (uri.authority(), uri.path_and_query()) {
        (None, Some(target)) => Uri::try_from(target.as_str()),
        (_, _) => Uri::try_from(uri.to_string()),
    };
    converted.unwrap_or_default()
}

pub(crate) fn response(response: http::Response<mcp_http::Body>) -> HttpResponse<ResponseBody> {
    let (head, body) = response.into_parts();
    let status = actix_web::http::StatusCode::from_u16(head.status.as_u16());
    let mut response = HttpResponse::with_body(status.unwrap_or_default(), ResponseBody(body));
    // The length is the body's own to tell.
    for (name, value) in head.headers.iter().filter(|(name, _)| **name != header::CONTENT_LENGTH) {
        let name = actix_header::HeaderName::from_bytes(name.as_str().as_bytes());
        let value = actix_header::HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

pub(crate) struct RequestBody(pub(crate) web::Payload);

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = PayloadError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, PayloadError>>> {
        Pin::new(&mut self.0).poll_next(cx).map_ok(Frame::data)
    }
}

#[derive(Debug)]
pub(crate) struct ResponseBody(mcp_http::Body);

impl MessageBody for ResponseBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        SizeHint::exact(&self.0.size_hint()).map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        loop {
            match Pin::new(&mut self.0).poll_frame(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(None),
                // Trailers have no place in actix-web's bodies, and core sends none.
                Poll::Ready(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data)));
                    }
                }
                Poll::Ready(Some(Err(never))) => match never {},
            }
        }
    }
}
