use std::time::Duration;

/// Who may reuse an answer that was cached.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheScope {
    /// Anybody: the answer hides nothing.
    #[default]
    Public,
    /// Whoever asked.
    Private,
}

/// How long an answer may be kept, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caching {
    pub(crate) ttl: Duration,
    pub(crate) scope: CacheScope,
}

impl Caching {
    /// Asked for again each time.
    pub(crate) const NONE: Self = Self { ttl: Duration::ZERO, scope: CacheScope::Private };
}
