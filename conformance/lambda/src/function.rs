//! A function that runs, and the servers around it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};

use crate::event::Settings;
use crate::front::Gateway;
use crate::{Front, Invocations, held, runtime_api};

/// A function, and what stands before it.
#[derive(Debug, Clone)]
#[must_use = "a function runs once it is started"]
pub struct Function {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    listen: SocketAddr,
    front: Front,
    settings: Settings,
    timeout: Duration,
    concurrency: Option<usize>,
    quiet: bool,
}

impl Function {
    /// The function that a program is. A Function URL stands before it, and it may take 30 seconds.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            environment: Vec::new(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            front: Front::FunctionUrl,
            settings: Settings::default(),
            timeout: Duration::from_secs(30),
            concurrency: None,
            quiet: false,
        }
    }

    /// With an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// With a variable in its environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Where clients connect.
    pub fn listen(self, listen: SocketAddr) -> Self {
        Self { listen, ..self }
    }

    /// Behind another front end.
    pub fn front(self, front: Front) -> Self {
        Self { front, ..self }
    }

    /// Bodies of requests are told in Base64, also those that are text.
    pub fn base64(mut self, base64: bool) -> Self {
        self.settings.base64 = base64;
        self
    }

    /// An authorizer says that this is who asks.
    pub fn principal(mut self, principal: &str) -> Self {
        self.settings.principal = Some(principal.to_owned());
        self
    }

    /// How long an invocation may take.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Hands the process so many invocations at once.
    pub fn concurrency(self, concurrency: usize) -> Self {
        Self { concurrency: Some(concurrency), ..self }
    }

    /// Throws away what the function writes to its standard error.
    pub fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// Starts it.
    ///
    /// # Errors
    /// When the program cannot be run, or the address is taken.
    pub fn start(self) -> io::Result<Emulator> {
        let clients = TcpListener::bind(self.listen)?;
        let function = TcpListener::bind("127.0.0.1:0")?;
        let (address, api) = (clients.local_addr()?, function.local_addr()?);
        for listener in [&clients, &function] {
            listener.set_nonblocking(true)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let child = {
            let _entered = runtime.enter();
            self.spawn(api)?
        };
        let pid = child.id().unwrap_or_default();
        let (ended, watched) = watch::channel(None);
        let (stop, stopped) = mpsc::channel(1);
        let status = watched.clone();
        let invocations: Arc<Invocations> = Arc::default();
        let gateway = Gateway {
            invocations: invocations.clone(),
            front: self.front,
            settings: self.settings,
            timeout: self.timeout,
            count: AtomicU64::new(1),
            ended: watched,
        };
        let thread = std::thread::spawn(move || {
            runtime.block_on(run(child, clients, function, gateway, ended, stopped));
        });
        Ok(Emulator { address, pid, status, invocations, stop: Some(stop), thread: Some(thread) })
    }

    fn spawn(&self, api: SocketAddr) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env("AWS_LAMBDA_RUNTIME_API", api.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "emulated")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "1")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        if let Some(concurrency) = self.concurrency {
            command.env("AWS_LAMBDA_MAX_CONCURRENCY", concurrency.to_string());
        }
        if self.quiet {
            command.stderr(Stdio::null());
        }
        command.spawn()
    }
}

async fn run(
    mut child: Child,
    clients: TcpListener,
    function: TcpListener,
    gateway: Gateway,
    ended: watch::Sender<Option<String>>,
    mut stopped: mpsc::Receiver<()>,
) {
    let invocations = gateway.invocations.clone();
    let gateway = Arc::new(gateway);
    let clients = accept(clients, move |request| gateway.clone().serve(request));
    let function = accept(function, move |request| runtime_api::serve(invocations.clone(), request));
    let watch = async {
        let how = child.wait().await.map_or_else(|error| error.to_string(), |status| status.to_string());
        ended.send_replace(Some(how));
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = clients => {}
        () = function => {}
        () = watch => {}
        _ = stopped.recv() => {}
    }
    if ended.borrow().is_none() {
        drop(child.kill().await);
    }
}

/// Serves HTTP on a socket for as long as it is polled.
async fn accept<S, F, B>(listener: TcpListener, serve: S)
where
    S: Fn(http::Request<hyper::body::Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Result<http::Response<B>, std::convert::Infallible>> + Send + 'static,
    B: hyper::body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        drop(stream.set_nodelay(true));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service_fn(serve.clone()));
        tokio::spawn(connection);
    }
}

/// A function that runs. It is ended when this goes out of scope.
#[derive(Debug)]
pub struct Emulator {
    address: SocketAddr,
    pid: u32,
    status: watch::Receiver<Option<String>>,
    invocations: Arc<Invocations>,
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Emulator {
    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The process of the function.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// How many invocations the process was handed and did not begin to answer.
    pub fn unanswered(&self) -> usize {
        held(&self.invocations.running).len()
    }

    /// How the function ended, as the system says it; none while it runs.
    pub fn ended(&self) -> Option<String> {
        self.status.borrow().clone()
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
