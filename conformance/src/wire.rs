//! HTTP/1.1 as it goes over the wire: nothing added, nothing repaired, nothing believed.
//!
//! A checker has to send what a library would refuse to send, and has to see what a library would hide. So requests are
//! written here, byte by byte; heads of messages are taken apart by `httparse`. Reading is bounded in bytes and in time.
//!
//! Source: <https://www.rfc-editor.org/rfc/rfc9112>

mod body;
mod connection;
mod endpoint;
mod error;
mod headers;
mod message;

pub use body::Framing;
pub use connection::{Connection, Head, RequestHead};
pub use endpoint::{BadUrl, Endpoint};
pub use error::WireError;
pub use headers::Headers;
pub use message::{Request, Response};

use std::time::Duration;

/// How long is waited, and how much is read, before a server is given up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a connection.
    pub connect: Duration,
    /// For a whole answer, and for each event of a stream.
    pub answer: Duration,
    /// The bytes of a body.
    pub body: usize,
}

impl Default for Limits {
    /// Five seconds, ten seconds, and 16 MiB.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), answer: Duration::from_secs(10), body: 16 << 20 }
    }
}
