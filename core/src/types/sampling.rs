use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{Content, Role};

/// A question to the client's model.
///
/// ```
/// use mcp_http::input::Sampling;
///
/// let question = Sampling::new(200).user("Summarise the incident in one sentence.").system("You are terse.");
/// # drop(question);
/// ```
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling>
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    messages: Vec<SamplingMessage>,
    max_tokens: u64,
    #[serde(flatten)]
    pub(crate) options: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct SamplingMessage {
    role: Role,
    content: Content,
}

impl Sampling {
    /// A question that may be answered in this many tokens. It needs at least one message.
    #[must_use]
    pub fn new(max_tokens: u64) -> Self {
        Self { messages: Vec::new(), max_tokens, options: Map::new() }
    }

    /// Adds a message of the user.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Role::User, Content::text(text))
    }

    /// Adds a message of the model.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.message(Role::Assistant, Content::text(text))
    }

    /// Adds a message: a text, an image or audio.
    #[must_use]
    pub fn message(mut self, role: Role, content: Content) -> Self {
        self.messages.push(SamplingMessage { role, content });
        self
    }

    /// What the model is told before the messages.
    #[must_use]
    pub fn system(self, prompt: impl Into<String>) -> Self {
        self.option("systemPrompt", prompt.into())
    }

    /// Any other parameter, such as `temperature`, `stopSequences`, `modelPreferences`, `tools` or `toolChoice`, as the
    /// protocol writes it. With `tools` or `toolChoice` the client has to be able to use them.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}

/// What the client's model answered.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sampled {
    /// Who speaks: the assistant.
    pub role: Role,
    /// The blocks of the answer, as the protocol writes them: texts, and with tools also what the model wants called.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<Value>,
    /// The model that answered.
    pub model: String,
    /// Why it stopped.
    pub stop_reason: Option<String>,
}

impl Sampled {
    /// The text of all text blocks, one under the other.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter(|block| block.get("type").is_some_and(|kind| kind == "text"));
        let texts = texts.filter_map(|block| block.get("text").and_then(Value::as_str));
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A folder that the client works in.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots>
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// Where it is: a `file:` URI.
    pub uri: String,
    /// A name for people.
    pub name: Option<String>,
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Content {
        One(Map<String, Value>),
        Many(Vec<Value>),
    }
    Ok(match Content::deserialize(deserializer)? {
        Content::One(block) => vec![Value::Object(block)],
        Content::Many(blocks) => blocks,
    })
}
