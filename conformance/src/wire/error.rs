use std::io;
use std::time::Duration;

/// Why there is no answer, or no whole one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Nobody took the connection.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Host and port.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// TLS could not be set up.
    #[error("no TLS connection to {host}: {reason}")]
    Tls {
        /// The name in the certificate that is wanted.
        host: String,
        /// What was wrong.
        reason: String,
    },
    /// The peer closed the connection where an answer should have begun.
    #[error("the connection was closed before an answer")]
    Closed,
    /// The peer closed the connection in the midst of a message.
    #[error("the connection was closed in the midst of an answer, after {read} bytes of the body")]
    Cut {
        /// The bytes of the body that were read.
        read: usize,
    },
    /// The peer is silent, or takes too long.
    #[error("no answer within {} ms", waited.as_millis())]
    TimedOut {
        /// How long was waited.
        waited: Duration,
    },
    /// What came is not HTTP.
    #[error("what came is not HTTP/1.1: {reason}")]
    NotHttp {
        /// What is wrong, with the beginning of what came.
        reason: String,
    },
    /// The message is longer than is read.
    #[error("more than {limit} bytes came")]
    TooLong {
        /// How many are read.
        limit: usize,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(#[source] io::Error),
}

impl WireError {
    pub(super) fn not_http(reason: impl Into<String>) -> Self {
        Self::NotHttp { reason: reason.into() }
    }

    /// Whether the peer ended the connection, in whatever way.
    pub fn is_close(&self) -> bool {
        match self {
            Self::Closed | Self::Cut { .. } => true,
            Self::Broken(error) => {
                matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
            }
            Self::Connect { .. }
            | Self::Tls { .. }
            | Self::TimedOut { .. }
            | Self::NotHttp { .. }
            | Self::TooLong { .. } => false,
        }
    }
}
