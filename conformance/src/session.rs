//! Recorded sessions: what a client sent, what came, and how it can be sent again.
//!
//! A session is one JSON file, which `session.schema.json` describes. Names that servers give, such as session ids and
//! cursors, are declared where they came and stand as `${name}` where the client sent them.
//!
//! ```
//! use mcp_conformance::session::Session;
//!
//! let text = r#"{
//!   "format": 1,
//!   "revision": "2025-11-25",
//!   "exchanges": [
//!     { "method": "POST", "path": "/mcp", "headers": [["Content-Type", "application/json"]],
//!       "body": { "jsonrpc": "2.0", "id": 1, "method": "ping" },
//!       "response": { "status": 200, "body": { "jsonrpc": "2.0", "id": 1, "result": {} } } }
//!   ]
//! }"#;
//! let session = Session::parse(text, "ping.json")?;
//! assert_eq!(session.exchanges.len(), 1);
//! # Ok::<_, mcp_conformance::session::BadSession>(())
//! ```

mod content;
mod error;
mod exchange;
mod layout;
mod minted;
mod names;
mod redact;

pub use content::Content;
pub use error::BadSession;
pub use exchange::{End, Event, Exchange, Matching, Place, Response};
pub use names::{Captured, fill, fill_json};
pub use redact::{REDACTED, Redaction};

use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Revision;

/// The format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;

/// What one client said to one server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Where an editor finds the schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The version of the format: [`FORMAT`].
    pub format: u32,
    /// Who asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Party>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Party>,
    /// The day, such as `2026-12-01`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// The revision that was spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The path of the endpoint: a request to it is sent to wherever the session is replayed against. Without it, that
    /// of the first request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Whatever a reader should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// In the order in which they began.
    pub exchanges: Vec<Exchange>,
}

/// A client or a server, as it names itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Session {
    /// A session without exchanges.
    pub fn new() -> Self {
        Self {
            schema: None,
            format: FORMAT,
            client: None,
            server: None,
            recorded: None,
            revision: None,
            endpoint: None,
            notes: String::new(),
            exchanges: Vec::new(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no session; what is wrong is named with its place.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, BadSession> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| BadSession::unreadable(&file, error))?;
        Self::parse(&text, &file)
    }

    /// Reads a session from text; the file is named in errors.
    ///
    /// # Errors
    /// When it is no session.
    pub fn parse(text: &str, file: &str) -> Result<Self, BadSession> {
        let mut json = serde_json::Deserializer::from_str(text);
        let session: Self = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| BadSession::new(file, error.path().to_string(), error.inner().to_string()))?;
        json.end().map_err(|error| BadSession::new(file, ".", error.to_string()))?;
        error::check(&session).map_err(|(path, reason)| BadSession::new(file, path, reason))?;
        Ok(session)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_value(self).map(|value| layout::lay_out(&value)).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let mut file = std::fs::File::create(&part)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&part, path)
    }

    /// Declares what the server minted where it came, and puts its name where the client sent it again.
    ///
    /// Those are session ids, cursors, `requestState`, the ids of questions, and words that look as if they were drawn.
    pub fn name_minted(&mut self) {
        minted::name_all(self);
    }

    /// Notes client, server and revision, as they are told in the exchanges.
    pub fn name_parties(&mut self) {
        minted::name_parties(self);
    }

    /// The path of the endpoint, without a query.
    pub fn endpoint(&self) -> &str {
        let first = self.exchanges.first().map_or("/", |exchange| &*exchange.path);
        let path = self.endpoint.as_deref().unwrap_or(first);
        path.split('?').next().unwrap_or(path)
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}
