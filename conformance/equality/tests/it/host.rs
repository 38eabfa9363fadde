//! What is compared.

use crate::row::Row;
use crate::wire::Response;

/// A server that runs, in one way of many.
pub(crate) trait Host: Sync {
    fn name(&self) -> &'static str;

    /// Sends the request of a row and reads the whole answer.
    fn send(&self, row: &Row) -> Response;

    /// What can be had here.
    fn gives(&self) -> Needs {
        Needs::Process
    }
}

/// What a host must have so that its answer to a row is that of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    /// One answer for one request.
    Nothing,
    /// Something can be sent before the response.
    Streams,
    /// A process that stays, and knows the address that its clients connect to: sessions, listening for changes, and the
    /// names that are served by themselves.
    Process,
}
