//! The one seam to the outside: what needs time asks a [`Runtime`] that the transport brings.
//!
//! The protocol itself reads no clock and starts no timer.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A future on the heap that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a host lends to the server: a clock, a timer, chance, and somebody to poll.
///
/// `TokioRuntime` (feature `tokio`) does for actix-web, warp, axum, hyper and Lambda; tests drive one by hand.
pub trait Runtime: fmt::Debug + Send + Sync {
    /// The time since the beginning of 1970, UTC.
    fn now(&self) -> Duration;

    /// Fills the buffer with bytes that nobody can guess.
    fn random(&self, bytes: &mut [u8]);

    /// A future that is ready after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Polls `future` to its end, with nobody waiting for it: a call whose client left, in revisions where that does not
    /// end the call, and the tool of a [task](crate::task). By default it is dropped: such a call ends with its client all
    /// the same, and a task fails.
    fn detach(&self, future: BoxFuture<'static, ()>) {
        drop(future);
    }
}

/// What a failure is called in the answer and in the log, so that one is found by the other.
pub(crate) fn reference(runtime: &dyn Runtime) -> String {
    let mut bytes = [0; 8];
    runtime.random(&mut bytes);
    format!("{:016x}", u64::from_be_bytes(bytes))
}

/// The tokio runtime that polls the server, the system's clock and its source of chance.
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioRuntime;

#[cfg(feature = "tokio")]
impl Runtime for TokioRuntime {
    fn now(&self) -> Duration {
        std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
    }

    #[expect(clippy::expect_used, reason = "what must be unguessable cannot be without a source of chance")]
    fn random(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the system has a source of chance");
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }

    fn detach(&self, future: BoxFuture<'static, ()>) {
        // Without one the process is about to end, or never had one that could.
        if let Ok(tokio) = tokio::runtime::Handle::try_current() {
            tokio.spawn(future);
        }
    }
}
