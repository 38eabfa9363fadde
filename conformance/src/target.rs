//! What is checked, and what may be done to it.

use crate::wire::{BadUrl, Endpoint, Headers, Limits};
use crate::{Revision, profile::Profile};

/// A server to be checked.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) endpoint: Endpoint,
    pub(crate) headers: Headers,
    pub(crate) profile: Profile,
    pub(crate) revisions: Vec<Revision>,
}

impl Target {
    /// The server at an URL.
    ///
    /// # Errors
    /// When it is no URL of a server.
    pub fn parse(url: &str) -> Result<Self, BadUrl> {
        let endpoint = Endpoint::parse(url)?;
        Ok(Self { endpoint, headers: Headers::default(), profile: Profile::default(), revisions: Vec::new() })
    }

    /// Sends a header with every request, such as `Authorization`.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push(name, value);
        self
    }

    /// Knows the server's tools. Without a profile, only tools are called that say of themselves that they only read.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Checks this revision. Without any, all are checked that the server speaks.
    #[must_use]
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revisions.push(revision);
        self
    }

    /// With other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { endpoint: self.endpoint.limits(limits), ..self }
    }
}
