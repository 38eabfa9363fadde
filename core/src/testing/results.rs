use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::types::{Content, ContentBlock, Icon, ToolAnnotations};

/// A tool, as a client is told of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedTool {
    /// Name for programs.
    pub name: String,
    /// Name for people.
    pub title: Option<String>,
    /// What the tool does and when to use it.
    pub description: Option<String>,
    /// Pictures for a user interface.
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// What it takes.
    pub input_schema: Value,
    /// What its structured content looks like.
    pub output_schema: Option<Value>,
    /// What it does to the world.
    #[serde(default)]
    pub annotations: ToolAnnotations,
    /// What else the server says of it.
    #[serde(rename = "_meta", default)]
    pub meta: Map<String, Value>,
}

/// The result of a call: what the tool gave back, or the report of its failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallResult {
    /// For the model.
    #[serde(default)]
    pub content: Vec<Content>,
    /// For programs. Clients of older revisions get what is no object in an object, under `result`.
    pub structured_content: Option<Value>,
    /// Whether the call failed; the content then says why.
    #[serde(default)]
    pub is_error: bool,
    /// What else the server says, who it is among it.
    #[serde(rename = "_meta", default)]
    pub meta: Map<String, Value>,
    /// What the tool [asks](crate::input), by the keys of its questions: method and params. The call has no result yet; see
    /// [`Client::answer`](super::Client::answer).
    #[serde(rename = "inputRequests", default)]
    pub questions: Map<String, Value>,
    /// What the tool keeps until it is answered, sealed.
    #[serde(rename = "requestState")]
    pub state: Option<String>,
    /// The id of the [task](crate::task) that the call became. It has no result yet; see
    /// [`Client::follow`](super::Client::follow).
    #[serde(rename = "taskId")]
    pub task: Option<String>,
    /// What was said before: the notifications of progress and of log messages, as they came.
    #[serde(skip)]
    pub notifications: Vec<Value>,
}

impl CallResult {
    /// The text of all text blocks, one under the other.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content.block() {
            ContentBlock::Text { text } => Some(text.as_str()),
            ContentBlock::Image { .. }
            | ContentBlock::Audio { .. }
            | ContentBlock::ResourceLink { .. }
            | ContentBlock::Resource { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The structured content as a Rust type.
    ///
    /// # Errors
    /// When there is none, or it is of another shape.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(self.structured_content.as_ref().unwrap_or(&Value::Null))
    }
}
