use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::runtime::{BoxFuture, Runtime, reference};
use crate::server::{Call, Event, Outcome, Running, Server, TaskRun};

type Timer = BoxFuture<'static, ()>;

/// Polls the application's part of a call: to a panic in it or its deadline, if one comes before the end.
///
/// Dropping it drops the call, or hands it to the runtime where the revision says that a client which leaves does not
/// cancel.
pub(super) struct Drive {
    /// Until there is an outcome.
    running: Option<Running>,
    runtime: Arc<dyn Runtime>,
    deadline: Option<Timer>,
    keep_alive: Option<KeepAlive>,
}

struct KeepAlive {
    interval: Duration,
    /// Set up when the call has to be waited for: most have not.
    timer: Option<Timer>,
}

/// What is to be done for a call.
pub(super) enum Due {
    Event(Event),
    /// Nothing happened for a while.
    KeepAlive,
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drive").field("running", &self.running).finish_non_exhaustive()
    }
}

impl Drive {
    /// Starts a call. Whatever keeps it from running is its outcome.
    pub(super) async fn start(
        call: Call,
        server: &Server,
        runtime: &Arc<dyn Runtime>,
        streams: bool,
    ) -> Result<Self, Outcome> {
        let time = [server.deadline(), call.time_left()].into_iter().flatten().min();
        let mut deadline = time.map(|time| runtime.sleep(time));
        let mut start = pin!(call.start(runtime.clone()));
        let running = poll_fn(|task| match guarded(|| start.as_mut().poll(task)) {
            Ok(Poll::Pending) => passed(&mut deadline, task).map(Err),
            Ok(Poll::Ready(running)) => Poll::Ready(Ok(running)),
            Err(panic) => Poll::Ready(Err(panicked(&*panic, None, &**runtime))),
        })
        .await?;
        if running.is_subscription() {
            deadline = None;
        }
        let keep_alive = server.keep_alive().filter(|_| streams);
        Ok(Self {
            running: Some(running),
            runtime: runtime.clone(),
            deadline,
            keep_alive: keep_alive.map(|interval| KeepAlive { interval, timer: None }),
        })
    }

    /// What is due next. After the outcome nothing is.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Due> {
        let Some(running) = &mut self.running else { return Poll::Pending };
        let event = guarded(|| running.poll_next(task)).unwrap_or_else(|panic| {
            Poll::Ready(Event::Outcome(panicked(&*panic, running.name(), &*self.runtime)))
        });
        if let Poll::Ready(outcome @ Event::Outcome(_)) = event {
            return Poll::Ready(Due::Event(self.take(outcome)));
        }
        // Also when there is something to say: a tool that always has is never pending.
        if let Poll::Ready(late) = passed(&mut self.deadline, task) {
            return Poll::Ready(Due::Event(self.take(Event::Outcome(late))));
        }
        if let Poll::Ready(notification) = event {
            return Poll::Ready(Due::Event(self.take(notification)));
        }
        let Some(KeepAlive { interval, timer }) = &mut self.keep_alive else { return Poll::Pending };
        if timer.get_or_insert_with(|| self.runtime.sleep(*interval)).as_mut().poll(task).is_pending() {
            return Poll::Pending;
        }
        *timer = None;
        Poll::Ready(Due::KeepAlive)
    }

    fn take(&mut self, event: Event) -> Event {
        match event {
            // What was said keeps the connection as well.
            Event::Notification(_) => {
                if let Some(keep_alive) = &mut self.keep_alive {
                    keep_alive.timer = None;
                }
            }
            Event::Outcome(_) => {
                let mut over = self.running.take();
                if let Some(task) = over.as_mut().and_then(Running::take_task) {
                    self.runtime.detach(Box::pin(go_on(task, self.runtime.clone())));
                }
                let tool = over.as_ref().and_then(Running::name).map(str::to_owned);
                // What a tool does when it is dropped is its own code as well.
                if let Err(panic) = guarded(|| drop(over)) {
                    panicked(&*panic, tool.as_deref(), &*self.runtime);
                }
            }
        }
        event
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        let Some(running) = self.running.take_if(|running| !running.leaving_cancels()) else { return };
        let unheard = Self {
            running: Some(running),
            runtime: self.runtime.clone(),
            deadline: self.deadline.take(),
            keep_alive: None,
        };
        self.runtime.detach(Box::pin(Unheard(unheard)));
    }
}

/// A call whose client has left, on its way to the end.
struct Unheard(Drive);

impl Future for Unheard {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        match self.0.poll(task) {
            Poll::Ready(Due::Event(Event::Outcome(_))) => Poll::Ready(()),
            Poll::Ready(Due::Event(Event::Notification(_)) | Due::KeepAlive) => {
                // Again, but after others had their turn: a tool may talk without end.
                task.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Unheard {
    fn drop(&mut self) {
        // Whoever drops it has stopped polling for good.
        self.0.running = None;
    }
}

/// Runs the tool of a task to its end, or to a panic in it.
async fn go_on(mut task: TaskRun, runtime: Arc<dyn Runtime>) {
    let run = poll_fn(|cx| match guarded(|| Pin::new(&mut task).poll(cx)) {
        Ok(done) => done.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    if let Err(panic) = run.await {
        let outcome = panicked(&*panic, Some(task.name()), &*runtime);
        let mut fail = Box::pin(task.fail(outcome));
        // What a tool does when it is dropped is its own code as well.
        let failed = poll_fn(|cx| match guarded(|| fail.as_mut().poll(cx)) {
            Ok(done) => done.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        });
        if let Err(panic) = failed.await {
            panicked(&*panic, None, &*runtime);
        }
    }
}

/// The outcome of a call whose deadline has passed.
fn passed(deadline: &mut Option<Timer>, task: &mut Context<'_>) -> Poll<Outcome> {
    match deadline {
        Some(timer) => timer.as_mut().poll(task).map(|()| Outcome::timed_out()),
        None => Poll::Pending,
    }
}

/// Runs application code. A panic in it comes back.
///
/// A call that panicked is never polled again, so nobody sees what it left half done. What it shares with others sits
/// behind its own locks, which are poisoned then.
fn guarded<T>(poll: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(poll))
}

/// Logs a panic, which is the outcome of its call.
fn panicked(panic: &(dyn Any + Send), tool: Option<&str>, runtime: &dyn Runtime) -> Outcome {
    let reference = reference(runtime);
    tracing::error!(tool, panic = text_of(panic), reference, "a tool panicked");
    Outcome::panicked(&reference)
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a payload that is not text")
}
