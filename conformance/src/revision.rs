use std::fmt;

use serde::{Deserialize, Serialize};

/// A revision of the protocol that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Revision {
    /// 2025-06-18
    #[serde(rename = "2025-06-18")]
    V2025_06_18,
    /// 2025-11-25
    #[serde(rename = "2025-11-25")]
    V2025_11_25,
    /// 2026-07-28
    #[serde(rename = "2026-07-28")]
    V2026_07_28,
}

impl Revision {
    /// Oldest first.
    pub const ALL: [Self; 3] = [Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The protocol version, as it is on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of a protocol version.
    pub fn parse(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == version)
    }

    /// Whether a client opens with `initialize`.
    pub fn is_legacy(self) -> bool {
        match self {
            Self::V2025_06_18 | Self::V2025_11_25 => true,
            Self::V2026_07_28 => false,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
