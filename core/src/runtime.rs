//! The one seam to the outside: what needs time asks a [`Runtime`] that the transport brings.
//!
//! The protocol itself reads no clock and starts no timer.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A future on the heap that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a host lends to the server: a timer.
///
/// [`TokioRuntime`] (feature `tokio`) does for actix-web, warp, axum, hyper and Lambda; tests drive one by hand.
pub trait Runtime: fmt::Debug + Send + Sync {
    /// A future that is ready after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// The timer of the tokio runtime that polls the server.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioRuntime;

#[cfg(feature = "tokio")]
impl Runtime for TokioRuntime {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }
}
