use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::tool::{IntoOutput, ToolError};
use crate::types::{Content, PromptMessage, Role};

/// What a prompt gives back, or why it could not.
pub type PromptResult = Result<PromptOutput, ToolError>;

/// What a prompt gives back: messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptOutput {
    pub(crate) messages: Vec<PromptMessage>,
    pub(crate) description: Option<String>,
    pub(crate) meta: Map<String, Value>,
}

impl PromptOutput {
    /// These messages.
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        Self { messages: messages.into_iter().collect(), ..Self::default() }
    }

    /// What these messages are for, if it is not what the prompt's description says.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Adds a member to the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}

/// What a prompt may return.
///
/// | returned | messages |
/// |---|---|
/// | `String`, `&str`, `Cow<str>` | one of the user with this text |
/// | [`Content`] | one of the user |
/// | [`PromptMessage`], and an array or `Vec` of them | these |
/// | [`PromptOutput`] | as built |
/// | `Result<T, E>` | of `T`; an error is one of the protocol |
#[diagnostic::on_unimplemented(
    message = "a prompt cannot give back `{Self}`",
    label = "not something that a prompt gives back",
    note = "a prompt gives back a text, a `PromptMessage`, several of them, or a `PromptOutput`"
)]
pub trait IntoPromptOutput {
    /// Converts what a prompt returned.
    ///
    /// # Errors
    /// When the prompt failed.
    fn into_prompt_output(self) -> PromptResult;
}

impl<R: IntoPromptOutput> IntoOutput<PromptOutput> for R {
    fn into_output(self) -> PromptResult {
        self.into_prompt_output()
    }
}

impl IntoPromptOutput for PromptOutput {
    fn into_prompt_output(self) -> PromptResult {
        Ok(self)
    }
}

impl IntoPromptOutput for PromptMessage {
    fn into_prompt_output(self) -> PromptResult {
        Ok(PromptOutput::new([self]))
    }
}

impl IntoPromptOutput for Vec<PromptMessage> {
    fn into_prompt_output(self) -> PromptResult {
        Ok(PromptOutput::new(self))
    }
}

impl<const N: usize> IntoPromptOutput for [PromptMessage; N] {
    fn into_prompt_output(self) -> PromptResult {
        Ok(PromptOutput::new(self))
    }
}

impl IntoPromptOutput for Content {
    fn into_prompt_output(self) -> PromptResult {
        PromptMessage::new(Role::User, self).into_prompt_output()
    }
}

impl<T: IntoPromptOutput, E: Into<ToolError>> IntoPromptOutput for Result<T, E> {
    fn into_prompt_output(self) -> PromptResult {
        self.map_err(E::into)?.into_prompt_output()
    }
}

macro_rules! as_text {
    ($($ty:ty),*) => {$(
        impl IntoPromptOutput for $ty {
            fn into_prompt_output(self) -> PromptResult {
                PromptMessage::user(self).into_prompt_output()
            }
        }
    )*};
}
as_text!(String, &str, Cow<'_, str>);
