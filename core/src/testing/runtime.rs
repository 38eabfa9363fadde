use std::future::poll_fn;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::runtime::{BoxFuture, Runtime};

/// What a test needs of a host, on any executor: timers are threads that sleep.
#[derive(Debug)]
pub(super) struct Threads;

impl Runtime for Threads {
    fn now(&self) -> Duration {
        SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
    }

    fn random(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = RandomState::new().hash_one(0).to_ne_bytes();
            chunk.iter_mut().zip(word).for_each(|(byte, random)| *byte = random);
        }
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // Whether the time has passed, and who waits for it.
        let alarm = Arc::new(Mutex::new((false, Waker::noop().clone())));
        let mut started = false;
        Box::pin(poll_fn(move |cx| {
            let (rung, waker) = &mut *alarm.lock().unwrap_or_else(PoisonError::into_inner);
            if *rung {
                return Poll::Ready(());
            }
            waker.clone_from(cx.waker());
            if !std::mem::replace(&mut started, true) {
                let alarm = alarm.clone();
                thread::spawn(move || {
                    thread::sleep(duration);
                    let (rung, waker) = &mut *alarm.lock().unwrap_or_else(PoisonError::into_inner);
                    *rung = true;
                    waker.wake_by_ref();
                });
            }
            Poll::Pending
        }))
    }

    fn detach(&self, mut future: BoxFuture<'static, ()>) {
        thread::spawn(move || {
            let waker = Waker::from(Arc::new(Unpark(thread::current())));
            while future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
                thread::park();
            }
        });
    }
}

struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
