use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Content, Icon, Role};

/// A prompt as `prompts/list` publishes it.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt>
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PromptDefinition {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) icons: Vec<Icon>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) arguments: Vec<PromptArgument>,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub(crate) meta: Map<String, Value>,
}

/// An argument of a prompt: a text that the user fills in.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument>
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What belongs there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the prompt needs it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_false(value: &bool) -> bool {
    !value
}

impl PromptArgument {
    /// An argument that may be left out.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, description: None, required: false }
    }

    /// Name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// What belongs there.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// The prompt needs it.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

/// A message of a prompt: one block of content, and who says it.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#promptmessage>
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

impl PromptMessage {
    /// A message of any content.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self { role, content: content.into() }
    }

    /// A text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Content::text(text))
    }

    /// A text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Content::text(text))
    }
}
