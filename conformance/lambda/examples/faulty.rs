//! A function that goes wrong in the way that the path of a request says. With `STREAMING` set it streams.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body::{Body, Frame};
use lambda_http::{
    Error, Request, RequestExt as _, run_concurrent, run_with_streaming_response_concurrent, service_fn,
};

async fn answer(request: Request) -> Result<Response<Faulty>, Error> {
    let body = match request.raw_http_path() {
        "/fails" => return Err("it failed".into()),
        "/dies" => std::process::exit(3),
        "/hangs" => pending().await,
        "/is_long" => Faulty::Is(vec![b'x'; (6 << 20) + 1].into()),
        "/begins_and_dies" => Faulty::Begins { dies: true },
        "/begins_and_hangs" => Faulty::Begins { dies: false },
        path => Faulty::Is(path.to_owned().into()),
    };
    Ok(Response::new(body))
}

enum Faulty {
    Is(Bytes),
    Begins { dies: bool },
    Hangs,
    Ended,
}

impl Body for Faulty {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let (piece, next) = match std::mem::replace(&mut *self, Self::Ended) {
            Self::Is(bytes) => (bytes, Self::Ended),
            Self::Begins { dies } => {
                if dies {
                    // Once what it said is on its way.
                    std::thread::spawn(|| {
                        std::thread::sleep(Duration::from_millis(500));
                        std::process::exit(3)
                    });
                }
                (Bytes::from_static(b"it begins"), Self::Hangs)
            }
            Self::Hangs => return Poll::Pending,
            Self::Ended => return Poll::Ready(None),
        };
        *self = next;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    if std::env::var_os("STREAMING").is_some() {
        run_with_streaming_response_concurrent(service_fn(answer)).await
    } else {
        run_concurrent(service_fn(answer)).await
    }
}
