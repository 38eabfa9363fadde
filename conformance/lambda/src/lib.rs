//! The platform's side of an AWS Lambda function: its Runtime API, and an HTTP server before it.
//!
//! The function is a program of its own. Each HTTP request becomes an event as one of the platform's front ends makes it, and
//! what the function answers becomes an HTTP response; what it streams is passed on as it comes.
//!
//! Not emulated: several processes of one function, the end of a process that did not answer in time, freezing between
//! invocations, and what front ends do to names and values of headers beyond what is said at [`Front`].
//!
//! Source: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

mod answer;
mod event;
mod front;
mod function;
mod runtime_api;

pub use event::Front;
pub use function::{Emulator, Function};

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use answer::Answer;
use tokio::sync::{Notify, oneshot};

/// What is to be run, and who waits for it.
#[derive(Debug, Default)]
struct Invocations {
    waiting: Mutex<VecDeque<Invocation>>,
    came: Notify,
    running: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
}

#[derive(Debug)]
struct Invocation {
    id: String,
    event: String,
    /// In milliseconds since 1970.
    deadline: u128,
    answer: oneshot::Sender<Answer>,
}

impl Invocations {
    fn push(&self, invocation: Invocation) {
        held(&self.waiting).push_back(invocation);
        self.came.notify_one();
    }

    /// The next one whose client still waits.
    async fn next(&self) -> Invocation {
        loop {
            let came = self.came.notified();
            let first = held(&self.waiting).pop_front();
            match first {
                Some(invocation) if invocation.answer.is_closed() => {}
                Some(invocation) => return invocation,
                None => came.await,
            }
        }
    }
}

/// What a mutex holds, also after a panic elsewhere.
fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
