use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::runtime::{Runtime, reference};
use crate::server::Outcome;

/// Polls a call to its end: to its outcome, a panic in it, or its deadline.
pub(super) async fn run(
    call: impl Future<Output = Outcome>,
    runtime: &dyn Runtime,
    deadline: Option<Duration>,
) -> Outcome {
    let mut call = pin!(call);
    let mut deadline = deadline.map(|deadline| runtime.sleep(deadline));
    std::future::poll_fn(|cx| {
        // A call that panicked is never polled again, so nobody sees what it left half done. What it shares with
        // others sits behind its own locks, which are poisoned then.
        match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))) {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(outcome),
            Ok(Poll::Pending) => {}
            Err(panic) => {
                let reference = reference(runtime);
                tracing::error!(panic = text_of(&*panic), reference, "a tool panicked");
                return Poll::Ready(Outcome::panicked(&reference));
            }
        }
        match &mut deadline {
            Some(timer) => timer.as_mut().poll(cx).map(|()| Outcome::timed_out()),
            None => Poll::Pending,
        }
    })
    .await
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is not text")
}
