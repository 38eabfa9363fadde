//! What a checker may call, and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Calls of a server's tools that show how it behaves, by what they are good for. Read from JSON:
///
/// ```json
/// { "calls": { "plain": { "tool": "add", "arguments": { "a": 1, "b": 2 } } }, "prompt": { "name": "greet" } }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// What is called.
    pub calls: BTreeMap<Purpose, Call>,
    /// A prompt that can be got.
    pub prompt: Option<Get>,
    /// A prompt with a resource in it.
    pub embedding_prompt: Option<Get>,
    /// A prompt that asks the user with a form.
    pub asking_prompt: Option<Get>,
    /// The URI of a resource that can be read, if not the first that is listed.
    pub resource: Option<String>,
    /// What can be completed.
    pub completion: Option<Completion>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The name of the tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// A prompt, with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// The name of the prompt.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// A reference and an argument of it that is completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// The prompt or template.
    #[serde(rename = "ref")]
    pub reference: Value,
    /// The name of the argument.
    pub argument: String,
}

/// What a call is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// Succeeds, asks nothing, says nothing before its result. Its required arguments are checked.
    Plain,
    /// Fails: a result with `isError`.
    Fails,
    /// Has an output schema.
    Structured,
    /// Reports progress.
    Progress,
    /// Logs.
    Logging,
    /// Takes a second or more.
    Slow,
    /// Asks the user with a form.
    Elicits,
    /// Asks the client's model.
    Samples,
    /// Asks for the client's folders.
    ListsRoots,
    /// Asks, and gives a `requestState` on which its result depends.
    KeepsState,
    /// Declares a capability that it cannot do without.
    NeedsSampling,
    /// Has arguments that are mirrored in headers.
    MirrorsArguments,
    /// Adds or removes a tool, so that listeners hear of it.
    ChangesTools,
    /// Adds or removes a prompt.
    ChangesPrompts,
    /// Updates the resource of the profile.
    UpdatesResource,
    /// Gives an image.
    Image,
    /// Gives audio.
    Audio,
    /// Gives an embedded resource.
    Embedded,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::to_value(self) {
            Ok(Value::String(name)) => f.pad(&name),
            _ => Err(fmt::Error),
        }
    }
}

/// Why a file is no profile.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct BadProfile {
    path: PathBuf,
    reason: String,
}

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no profile.
    pub fn load(path: &Path) -> Result<Self, BadProfile> {
        let bad = |reason: String| BadProfile { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| bad(error.to_string()))
    }

    /// The profile of the server `everything` that this project's examples serve.
    pub fn everything() -> Self {
        serde_json::from_str(include_str!("../profiles/everything.json")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_of_the_example_is_one() {
        assert!(serde_json::from_str::<Profile>(include_str!("../profiles/everything.json")).is_ok());
    }
}
