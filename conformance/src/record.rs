//! Records what a client and a server say to each other, standing between them.
//!
//! ```no_run
//! use mcp_conformance::record::{Options, Recorder};
//! use mcp_conformance::wire::Endpoint;
//!
//! let upstream = Endpoint::parse("http://127.0.0.1:3000/mcp")?;
//! let recorder = Recorder::start(upstream, "127.0.0.1:9000", Options::default())?;
//! println!("clients may go to {}", recorder.url());
//! let session = recorder.finish();
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing is rewritten but `Host`, which names the upstream, and an `Origin` that names the recorder, which names the
//! upstream then. Bodies go through as they come. Each request has a connection of its own to the upstream.

mod log;
mod proxy;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::session::{Redaction, Session};
use crate::wire::Endpoint;

use log::Log;

/// How long a read waits before it is looked whether the other side is still there.
const POLL: Duration = Duration::from_millis(20);

/// What is told of each exchange when it has ended.
pub type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// How it is recorded.
#[allow(missing_debug_implementations, reason = "there is a function in it")]
pub struct Options {
    /// The file, which is kept current. Without one, the session is only in memory.
    pub file: Option<PathBuf>,
    /// What is kept out of it.
    pub redaction: Redaction,
    /// Bodies longer than this many bytes go through and are not kept.
    pub max_body: usize,
    /// Said in the file.
    pub notes: String,
    /// Called with a line for each exchange.
    pub tell: Tell,
}

impl Default for Options {
    /// No file; bodies of up to 1 MiB.
    fn default() -> Self {
        Self {
            file: None,
            redaction: Redaction::default(),
            max_body: 1 << 20,
            notes: String::new(),
            tell: Box::new(|_| {}),
        }
    }
}

/// A recorder at work.
#[derive(Debug)]
pub struct Recorder {
    address: SocketAddr,
    path: String,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    upstream: Endpoint,
    /// `host:port` of the recorder, as clients write it.
    host: String,
    log: Log,
    stop: AtomicBool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.upstream.fmt(f)
    }
}

impl Recorder {
    /// Listens, and passes everything on to the upstream.
    ///
    /// # Errors
    /// When it cannot listen there, or the file cannot be written.
    pub fn start(upstream: Endpoint, listen: &str, options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(listen)?;
        let address = listener.local_addr()?;
        let path = upstream.target();
        let log = Log::new(options, upstream.url().path())?;
        let shared =
            Arc::new(Shared { upstream, host: address.to_string(), log, stop: AtomicBool::new(false) });
        let for_clients = Arc::clone(&shared);
        let accepting = std::thread::spawn(move || accept(&listener, &for_clients));
        Ok(Self { address, path, shared, accepting: Some(accepting) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients go instead of the upstream.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// What was recorded so far.
    pub fn session(&self) -> Session {
        self.shared.log.session()
    }

    /// Why the file could not be written, if it could not.
    pub fn trouble(&self) -> Option<String> {
        self.shared.log.trouble()
    }

    /// Ends the recording, and gives it.
    pub fn finish(mut self) -> Session {
        self.stop();
        self.shared.log.session()
    }

    fn stop(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            self.shared.stop.store(true, Ordering::Relaxed);
            // Wakes the loop that accepts.
            drop(std::net::TcpStream::connect_timeout(&self.address, Duration::from_secs(1)));
            drop(accepting.join());
            self.shared.log.close();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            // Such as too many open files: those that are open will close.
            std::thread::sleep(POLL);
            continue;
        };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || proxy::serve(stream, &shared));
    }
}
