use serde::{Deserialize, Serialize};

/// How grave a log message is, from the least to the most, as in syslog.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels>
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are those of RFC 5424")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    /// The level that a JSON value names.
    pub(crate) fn read(json: &str) -> Option<Self> {
        // serde also takes a map with one member for a name.
        serde_json::from_str(json).ok().filter(|_| json.starts_with('"'))
    }
}
