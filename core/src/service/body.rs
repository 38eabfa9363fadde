use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tracing::Span;

use super::drive::{Drive, Due};
use crate::server::{Event, EventStream};

/// The body of a response: all there, or an event stream that polls its call.
///
/// Dropping an event stream is the client's leaving.
#[derive(Debug)]
pub struct Body(Content);

#[derive(Debug)]
enum Content {
    /// Not empty.
    Whole(Bytes),
    Stream(Box<Stream>),
    End,
}

/// An open event stream, and the call that ends it.
#[derive(Debug)]
struct Stream {
    /// What opened the stream.
    first: Option<Bytes>,
    events: EventStream,
    /// Never locked: a mutex makes the future in it `Sync`, which web frameworks want of a body.
    drive: Mutex<Drive>,
    span: Span,
}

impl Body {
    pub(super) fn stream(first: Bytes, events: EventStream, drive: Drive) -> Self {
        let drive = Mutex::new(drive);
        Self(Content::Stream(Box::new(Stream { first: Some(first), events, drive, span: Span::current() })))
    }

    /// All of it, if it is there already: what a framework can send with its length.
    ///
    /// # Errors
    /// The body itself, when it is an event stream.
    pub fn into_bytes(self) -> Result<Bytes, Self> {
        match self.0 {
            Content::Whole(bytes) => Ok(bytes),
            Content::End => Ok(Bytes::new()),
            Content::Stream(stream) => Err(Self(Content::Stream(stream))),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(if bytes.is_empty() { Content::End } else { Content::Whole(bytes) })
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl Content {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let outcome = match self {
            Self::End => return Poll::Ready(None),
            Self::Whole(bytes) => {
                let bytes = mem::take(bytes);
                *self = Self::End;
                return Poll::Ready(Some(bytes));
            }
            Self::Stream(stream) => {
                if let Some(first) = stream.first.take() {
                    return Poll::Ready(Some(first));
                }
                let _entered = stream.span.enter();
                let drive = stream.drive.get_mut().unwrap_or_else(PoisonError::into_inner);
                match ready!(drive.poll(task)) {
                    Due::KeepAlive => return Poll::Ready(Some(stream.events.keep_alive())),
                    Due::Event(Event::Notification(notification)) => {
                        return Poll::Ready(Some(stream.events.notification(&notification)));
                    }
                    Due::Event(Event::Outcome(outcome)) => outcome,
                }
            }
        };
        let Self::Stream(stream) = mem::replace(self, Self::End) else { return Poll::Ready(None) };
        let Stream { events, span, .. } = *stream;
        Poll::Ready(Some(span.in_scope(|| events.finish(outcome))))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll(task).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Content::End)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::End => SizeHint::with_exact(0),
            Content::Whole(bytes) => SizeHint::with_exact(bytes.len().try_into().unwrap_or(u64::MAX)),
            Content::Stream(_) => SizeHint::default(),
        }
    }
}
