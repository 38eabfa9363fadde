//! What the function talks to.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Frame, Incoming};
use tokio::sync::mpsc;

use crate::answer::{Answer, Prelude};
use crate::{Invocations, held};

const BASE: &str = "/2018-06-01/runtime/";

/// How many pieces of a streamed body wait for a client that reads slowly.
const WAITING: usize = 16;

pub(crate) async fn serve(
    invocations: Arc<Invocations>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path().strip_prefix(BASE).unwrap_or_default().to_owned();
    let words: Vec<&str> = path.split('/').collect();
    Ok(match (request.method(), &*words) {
        (&Method::GET, ["invocation", "next"]) => next(&invocations).await,
        (&Method::POST, ["invocation", id, "response"]) => {
            answered(&invocations, id, request).await;
            accepted()
        }
        (&Method::POST, ["invocation", id, "error"]) => {
            let waiting = held(&invocations.running).remove(*id);
            let why = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            if let Some(waiting) = waiting {
                drop(waiting.send(Answer::Failed(String::from_utf8_lossy(&why).into_owned())));
            }
            accepted()
        }
        (&Method::POST, ["init", "error"]) => accepted(),
        _ => with_status(StatusCode::NOT_FOUND),
    })
}

async fn next(invocations: &Invocations) -> Response<Full<Bytes>> {
    let invocation = invocations.next().await;
    held(&invocations.running).insert(invocation.id.clone(), invocation.answer);
    let response = Response::builder()
        .header("Lambda-Runtime-Aws-Request-Id", invocation.id)
        .header("Lambda-Runtime-Deadline-Ms", invocation.deadline.to_string())
        .header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-west-1:1:function:emulated")
        .header("Lambda-Runtime-Trace-Id", "Root=1-00000000-000000000000000000000000")
        .header("Content-Type", "application/json")
        .body(Full::from(invocation.event));
    response.unwrap_or_else(|_| with_status(StatusCode::INTERNAL_SERVER_ERROR))
}

async fn answered(invocations: &Invocations, id: &str, request: Request<Incoming>) {
    let streams =
        request.headers().get("lambda-runtime-function-response-mode").is_some_and(|it| it == "streaming");
    let Some(waiting) = held(&invocations.running).remove(id) else { return };
    let mut body = request.into_body();
    if !streams {
        let answer = match body.collect().await {
            Ok(body) => Answer::whole(&body.to_bytes()),
            Err(error) => Answer::Failed(error.to_string()),
        };
        drop(waiting.send(answer));
        return;
    }
    let mut prelude = Prelude::default();
    let (status, headers, first) = loop {
        let piece = match body.frame().await {
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            _ => return drop(waiting.send(Answer::Failed("the answer ended before its prelude".to_owned()))),
        };
        match prelude.push(&piece) {
            Some(Ok(head)) => break head,
            Some(Err(why)) => return drop(waiting.send(Answer::Failed(why))),
            None => {}
        }
    };
    let (sender, receiver) = mpsc::channel(WAITING);
    drop(waiting.send(Answer::Stream(status, headers, receiver)));
    // A client that left is not told to the function: what it says is read to its end.
    drop(sender.send(Ok(first)).await);
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => drop(sender.send(Ok(data)).await),
            Ok(Err(_trailers)) => {}
            Err(error) => return drop(sender.send(Err(std::io::Error::other(error))).await),
        }
    }
}

fn accepted() -> Response<Full<Bytes>> {
    with_status(StatusCode::ACCEPTED)
}

fn with_status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
