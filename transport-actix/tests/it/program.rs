//! The examples as their users run them: programs in processes of their own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use crate::wire::{Client, Request, Response};

/// An example that runs, and is killed when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Program {
    /// Starts the example of this name, which stands beside the tests, on a free port. It prints where it listens.
    pub(crate) fn start(name: &str) -> Self {
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().unwrap().parent().unwrap().join("examples");
        let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        assert!(path.exists(), "build the example first, as `cargo test` without a target does: {name}");
        let mut child = Command::new(path).arg("127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| rest.split_once('/')?.0.parse().ok());
        Self { child, address: address.unwrap_or_else(|| panic!("no address: {line:?}")) }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    /// Sends a request on a connection of its own.
    #[track_caller]
    pub(crate) fn send(&self, request: &Request) -> Response {
        self.connect().send(request)
    }

    /// Asks it to end, as platforms do.
    #[cfg(unix)]
    pub(crate) fn terminate(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits for its end.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        let asked = std::time::Instant::now();
        while asked.elapsed() < crate::wire::PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("still running: {self:?}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
