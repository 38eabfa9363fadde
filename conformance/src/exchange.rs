//! What was sent and what came: the evidence of a verdict.

use std::time::Duration;

use crate::Revision;
use crate::wire::{Request, Response};

/// One request, and its answer or why there is none.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// In which revision it was sent.
    pub revision: Revision,
    /// What was sent. Credentials are in it; reports redact them.
    pub request: Request,
    /// What came, or why nothing did.
    pub answer: Result<Response, String>,
    /// Since the check began.
    pub at: Duration,
}
