//! The 52 tools that every measured server offers: `echo`, `book` and fifty fillers that make the list long.
//!
//! Only names, texts and shapes. How a tool is registered is the business of each server.

use serde::Deserialize;

/// The name and version under which the servers present themselves.
pub const SERVER: (&str, &str) = ("bench", "1.0.0");

/// What `echo` is said to do.
pub const ECHO: &str = "Says back what it was told.";

/// What `book` is said to do.
pub const BOOK: &str = "Books rooms for a guest, and answers with the name of the guest.";

/// How many fillers there are.
pub const FILLERS: usize = 50;

/// The arguments of `echo`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Echo {
    /// What to say back.
    pub text: String,
}

/// The arguments of `book`: five, of five kinds.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Book {
    /// The name of the guest.
    pub guest: String,
    /// How many nights.
    pub nights: u32,
    /// Whether breakfast is included.
    pub breakfast: bool,
    /// The numbers of the rooms.
    pub rooms: Vec<String>,
    /// What the windows look at.
    pub view: Option<View>,
}

/// What a window looks at.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum View {
    #[expect(missing_docs, reason = "the name says it")]
    Sea,
    #[expect(missing_docs, reason = "the name says it")]
    Garden,
    #[expect(missing_docs, reason = "the name says it")]
    Street,
}

/// The arguments of a filler.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Filler {
    /// The words to look for, separated by spaces.
    pub query: String,
    /// How many records to answer with.
    pub limit: u32,
    /// Whether the words have to match exactly.
    pub exact: bool,
}

impl Book {
    /// The answer of `book`. It is hardly any work: what is measured is the way to a tool and back.
    #[must_use]
    pub fn summary(self) -> String {
        self.guest
    }
}

impl Filler {
    /// The answer of a filler.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("{} records match {:?}, exactly: {}", self.limit, self.query, self.exact)
    }

    /// Name and description of the fillers, in order: `filler_00` to `filler_49`.
    pub fn all() -> impl Iterator<Item = (String, String)> {
        (0..FILLERS).map(|n| {
            let description = format!(
                "Searches the records of department {n:02} and answers with those that match, newest first. \
                 Use it when the question names the department."
            );
            (format!("filler_{n:02}"), description)
        })
    }
}
