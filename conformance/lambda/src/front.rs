//! What clients talk to.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body, Frame, Incoming};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Sleep, sleep};

use crate::answer::{Answer, Piece};
use crate::event::{Front, Settings};
use crate::{Invocation, Invocations, held};

/// The longest body that the platform passes on, and the longest answer that is not streamed.
const LONGEST: usize = 6 << 20;

/// How requests become invocations.
#[derive(Debug)]
pub(crate) struct Gateway {
    pub(crate) invocations: Arc<Invocations>,
    pub(crate) front: Front,
    pub(crate) settings: Settings,
    pub(crate) timeout: Duration,
    pub(crate) count: AtomicU64,
    /// How the function ended, once it did.
    pub(crate) ended: watch::Receiver<Option<String>>,
}

impl Gateway {
    pub(crate) async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<BoxBody<Bytes, io::Error>>, Infallible> {
        let (head, body) = request.into_parts();
        let Ok(body) = Limited::new(body, LONGEST).collect().await else {
            return Ok(refused(StatusCode::PAYLOAD_TOO_LARGE, "the request is longer than an event may be"));
        };
        let event = self.front.event(&head, &body.to_bytes(), &self.settings).to_string();
        let id = format!("00000000-0000-0000-0000-{:012}", self.count.fetch_add(1, Ordering::Relaxed));
        let mut until = Box::pin(sleep(self.timeout));
        let deadline = SystemTime::now().checked_add(self.timeout).unwrap_or(UNIX_EPOCH);
        let deadline = deadline.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let (answer, answered) = oneshot::channel();
        self.invocations.push(Invocation { id: id.clone(), event, deadline, answer });
        let mut ended = self.ended.clone();
        let answer = tokio::select! {
            biased;
            answer = answered => answer.unwrap_or_else(|_| Answer::Failed("the answer was lost".to_owned())),
            ended = ended.wait_for(Option::is_some) => {
                let how = ended.ok().and_then(|ended| ended.clone()).unwrap_or_default();
                return Ok(refused(StatusCode::BAD_GATEWAY, &format!("the function ended: {how}")));
            }
            () = &mut until => {
                held(&self.invocations.running).remove(&id);
                return Ok(refused(StatusCode::GATEWAY_TIMEOUT, "the function did not answer in time"));
            }
        };
        Ok(match answer {
            Answer::Whole(_, _, body) if body.len() > LONGEST => {
                refused(StatusCode::BAD_GATEWAY, "the answer is longer than one may be")
            }
            Answer::Whole(status, headers, body) => response(status, headers, whole(body)),
            Answer::Stream(status, headers, pieces) => {
                response(status, headers, Pieces { pieces, until }.boxed())
            }
            Answer::Failed(why) => refused(StatusCode::BAD_GATEWAY, &format!("the function failed: {why}")),
        })
    }
}

fn response(
    status: StatusCode,
    mut headers: HeaderMap,
    body: BoxBody<Bytes, io::Error>,
) -> Response<BoxBody<Bytes, io::Error>> {
    // The front end frames the body anew.
    headers.remove(CONTENT_LENGTH);
    headers.remove(TRANSFER_ENCODING);
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn refused(status: StatusCode, why: &str) -> Response<BoxBody<Bytes, io::Error>> {
    let text = serde_json::json!({ "message": why }).to_string();
    let mut headers = HeaderMap::new();
    headers.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response(status, headers, whole(text.into()))
}

fn whole(body: Bytes) -> BoxBody<Bytes, io::Error> {
    Full::new(body).map_err(|never| match never {}).boxed()
}

/// A body that comes in pieces. One that breaks off, or takes longer than an invocation may, is seen to be not complete.
#[derive(Debug)]
struct Pieces {
    pieces: mpsc::Receiver<Piece>,
    until: Pin<Box<Sleep>>,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Poll::Ready(piece) = self.pieces.poll_recv(task) {
            return Poll::Ready(piece.map(|piece| piece.map(Frame::data)));
        }
        self.until.as_mut().poll(task).map(|()| Some(Err(io::ErrorKind::TimedOut.into())))
    }
}
