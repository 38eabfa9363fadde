//! Servers on free ports, which stop when they go out of scope.

use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::wire::{Client, Request, Response};

/// A web server that runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Resolves when the site goes out of scope.
pub(crate) type Stop = oneshot::Receiver<()>;

impl Site {
    /// `run` serves until it is told to stop. The listener takes connections already.
    pub(crate) fn start(run: impl FnOnce(TcpListener, Stop) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || run(listener, stopped));
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// A server that is a future of tokio's, dropped when the site goes out of scope.
    pub(crate) fn on_tokio(serve: impl AsyncFnOnce(tokio::net::TcpListener) + Send + 'static) -> Self {
        Self::start(move |listener, stopped| {
            listener.set_nonblocking(true).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = serve(listener) => {}
                    _ = stopped => {}
                }
            });
        })
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Sends a request on a connection of its own.
    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Response {
        self.connect().send(request)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}
