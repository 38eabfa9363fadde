//! What is checked, and what may be done to it.

use std::time::Duration;

use crate::wire::{BadUrl, Endpoint, Headers, Limits};
use crate::{Revision, profile::Profile};

/// A server to be checked.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) endpoint: Endpoint,
    pub(crate) headers: Headers,
    pub(crate) profile: Profile,
    pub(crate) revisions: Vec<Revision>,
    pub(crate) only: Vec<String>,
    pub(crate) longest: Duration,
}

impl Target {
    /// The server at an URL.
    ///
    /// # Errors
    /// When it is no URL of a server.
    pub fn parse(url: &str) -> Result<Self, BadUrl> {
        let endpoint = Endpoint::parse(url)?;
        Ok(Self {
            endpoint,
            headers: Headers::default(),
            profile: Profile::default(),
            revisions: Vec::new(),
            only: Vec::new(),
            longest: Duration::from_secs(300),
        })
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

    /// Checks this rule, or all of the area of this name. Without any, all are checked.
    #[must_use]
    pub fn only(mut self, rule_or_area: &str) -> Self {
        self.only.push(rule_or_area.to_owned());
        self
    }

    /// How long the whole may take: what was not checked by then is not. Default: five minutes.
    #[must_use]
    pub fn longest(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// The profile, to be added to.
    pub fn profile_mut(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// With other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { endpoint: self.endpoint.limits(limits), ..self }
    }
}
