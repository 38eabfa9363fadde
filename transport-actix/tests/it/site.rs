//! Servers on free ports, which stop when they go out of scope.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread::JoinHandle;

use actix_web::dev::{Server as WebServer, ServerHandle};
use actix_web::{App, HttpServer};
use mcp_fixture::Options;
use mcp_http::Server;

use crate::wire::{Client, PATIENCE, Request, Response};

/// The fixture, set up as most tests want it.
pub(crate) fn fixture() -> Server {
    mcp_fixture::server(&Options::default()).unwrap()
}

/// A web server that runs.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// An application with nothing but this server at `/mcp`.
    pub(crate) fn of(server: Server) -> Self {
        Self::start("127.0.0.1:0", move |listener| {
            HttpServer::new(move || App::new().service(mcp_actix::mount("/mcp", server.clone())))
                .workers(1)
                .disable_signals()
                .listen(listener)
                .map(HttpServer::run)
        })
    }

    pub(crate) fn start(
        bind: &str,
        run: impl FnOnce(TcpListener) -> io::Result<WebServer> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind(bind).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async {
                let server = run(listener).unwrap();
                sender.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        let handle = receiver.recv_timeout(PATIENCE).unwrap();
        Self { address: SocketAddr::from(([127, 0, 0, 1], port)), handle, thread: Some(thread) }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Sends a request on a connection of its own.
    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Response {
        self.connect().send(request)
    }

    /// The server lives: others are served.
    #[track_caller]
    pub(crate) fn assert_alive(&self) {
        self.connect().assert_usable();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // The command is on its way as soon as the future is made.
        drop(self.handle.stop(false));
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}
