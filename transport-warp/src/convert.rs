//! Between what warp's filters extract and what core takes. Nothing is decided here.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http::Uri;
use http::uri::Authority;
use http_body::{Body as _, Frame};
use warp::Reply as _;
use warp::filters::path::FullPath;
use warp::reply::Response;

/// The target of a request, from its parts.
pub(crate) fn uri(path: FullPath, query: Option<String>, authority: Option<Authority>) -> Uri {
    let mut target = match authority {
        Some(authority) => format!("http://{authority}{}", path.as_str()),
        None => path.as_str().to_owned(),
    };
    if let Some(query) = query {
        target.push('?');
        target.push_str(&query);
    }
    target.try_into().unwrap_or_default()
}

/// The body of a request, as warp streams it.
pub(crate) struct RequestBody<S>(Pin<Box<S>>);

impl<S> RequestBody<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self(Box::pin(stream))
    }
}

impl<S: Stream<Item = Result<D, E>>, D: Buf, E> http_body::Body for RequestBody<S> {
    type Data = D;
    type Error = E;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<D>, E>>> {
        self.0.as_mut().poll_next(task).map_ok(Frame::data)
    }
}

/// What is there is sent with its length, and the rest as it comes.
pub(crate) fn response(response: http::Response<mcp_http::Body>) -> Response {
    let (head, body) = response.into_parts();
    let mut converted = match body.into_bytes() {
        Ok(bytes) => http::Response::new(bytes).into_response(),
        Err(stream) => warp::reply::stream(Frames(stream)).into_response(),
    };
    *converted.status_mut() = head.status;
    *converted.headers_mut() = head.headers;
    converted
}

/// The data of a body.
struct Frames(mcp_http::Body);

impl Stream for Frames {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // Core sends data only: no trailers.
        Pin::new(&mut self.0)
            .poll_frame(task)
            .map(|frame| frame.map(|frame| frame.map(|frame| frame.into_data().unwrap_or_default())))
    }
}
