use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::schema;
use crate::types::{Content, InputRequired};

/// What a tool gives back, or why it could not.
pub type ToolResult = Result<ToolOutput, ToolError>;

/// What a tool gives back: content blocks, and structured content where it has a shape.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    pub(crate) content: Vec<Content>,
    /// JSON text.
    pub(crate) structured: Option<String>,
    pub(crate) is_error: bool,
    pub(crate) meta: Map<String, Value>,
}

impl ToolOutput {
    /// Content blocks for the model.
    #[must_use]
    pub fn new(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// A structured value, and the same JSON as a text block for clients that read only content.
    ///
    /// # Errors
    /// When `value` does not serialise: the caller gets a fixed text, the reason is logged.
    pub fn structured<T: Serialize + ?Sized>(value: &T) -> ToolResult {
        let json = serde_json::to_string(value)?;
        Ok(Self { content: vec![Content::text(json.clone())], structured: Some(json), ..Self::default() })
    }

    /// Replaces the content blocks, for instance with a text that is easier to read than the structured value.
    #[must_use]
    pub fn with_content(self, content: Vec<Content>) -> Self {
        Self { content, ..self }
    }

    /// Adds a member to the result's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// Marks the output as the report of a failure, for the model to read and react to.
    #[must_use]
    pub fn as_error(self) -> Self {
        Self { is_error: true, ..self }
    }
}

/// A failure of a tool. The client gets it as a result with `isError`, never as a protocol error.
///
/// [`ToolError::new`] is for the model to read. Any other error, also through `?`, becomes a fixed text with a reference,
/// and its details go to `tracing` under the same reference: what a database or a file system says is nobody's business
/// outside.
///
/// It does not implement [`std::error::Error`] itself, so that all that do convert into it.
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling>
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    message: Cow<'static, str>,
    /// For the log alone.
    detail: Option<Box<str>>,
    /// Not a failure at all: the tool has to be called again, with answers.
    input: Option<Box<InputRequired>>,
    /// The arguments are none that the function takes.
    of_arguments: bool,
}

const INTERNAL: &str = "the tool failed; the reason is in the server's log";

impl ToolError {
    /// A failure that the model should read, word for word.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), detail: None, input: None, of_arguments: false }
    }

    /// A failure that is nobody's business outside: it is logged when the tool gives it back, and reported with a fixed
    /// text.
    ///
    /// This is the way for errors that do not implement [`std::error::Error`], such as `anyhow::Error` and
    /// `Box<dyn Error>`: `.map_err(ToolError::internal)?`. They are logged in their alternate form (`{:#}`), which has the
    /// causes where a type can tell them.
    pub fn internal(error: impl fmt::Display) -> Self {
        Self { detail: Some(format!("{error:#}").into()), ..Self::new(INTERNAL) }
    }

    /// The fault of whoever sent the arguments.
    pub(crate) fn of_arguments(report: String) -> Self {
        Self { of_arguments: true, ..Self::new(report) }
    }

    pub(crate) fn is_of_arguments(&self) -> bool {
        self.of_arguments
    }

    /// What the tool needs from its client, if this is no failure.
    pub(crate) fn into_input(self) -> Result<Box<InputRequired>, Self> {
        match self.input {
            Some(input) => Ok(input),
            None => Err(self),
        }
    }

    /// Whether this is no failure: the tool [asks](crate::input) its client, and will be called again. What it carries is
    /// lost when another error is made of it.
    #[must_use]
    pub fn is_question(&self) -> bool {
        self.input.is_some()
    }

    /// The text that the model reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What is logged and never sent, of an [internal](Self::internal) failure.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<InputRequired> for ToolError {
    fn from(input: InputRequired) -> Self {
        let message = "the tool needs an answer from its client";
        Self { input: Some(Box::new(input)), ..Self::new(message) }
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut chain = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            chain.push_str(": ");
            chain.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::internal(chain)
    }
}

impl From<ToolError> for ToolOutput {
    fn from(error: ToolError) -> Self {
        Self::new(vec![Content::text(error.message)]).as_error()
    }
}

/// What a tool may return.
///
/// | returned | content | structured content |
/// |---|---|---|
/// | `String`, `&str`, `Cow<str>` | the text | – |
/// | numbers, `bool` | their JSON | – |
/// | `()`, `None` | nothing | – |
/// | [`Json<T>`] | its JSON as text | the value, whose schema is published |
/// | [`Content`], `Vec<Content>` | the blocks | – |
/// | [`ToolOutput`] | as built | as built |
/// | `Result<T, E>` | of `T`; an error is a result with `isError` | of `T` |
#[diagnostic::on_unimplemented(
    message = "a tool cannot give back `{Self}`",
    label = "not something that a tool gives back",
    note = "wrap what is `Serialize` and `JsonSchema` in `mcp_http::Json`; what is only `Serialize` goes into `mcp_http::ToolOutput::structured`",
    note = "the error of a `Result` is a `ToolError`, or implements `std::error::Error`"
)]
pub trait IntoToolResult {
    /// Converts what a tool returned.
    ///
    /// # Errors
    /// When the tool failed, or what it returned does not serialise.
    fn into_tool_result(self) -> ToolResult;

    /// The schema of the structured content that there always is, unless the tool fails.
    #[must_use]
    fn output_schema() -> Option<Value>
    where
        Self: Sized,
    {
        None
    }
}

/// What a [`Handler`](super::Handler) gives back, as the output of what it handles.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made into a `{O}`",
    label = "not something that this kind of function gives back"
)]
pub trait IntoOutput<O> {
    /// Converts what a function returned.
    ///
    /// # Errors
    /// When the function failed, or what it returned cannot be sent.
    fn into_output(self) -> Result<O, ToolError>;

    /// The schema of the structured content that there always is.
    #[must_use]
    fn output_schema() -> Option<Value>
    where
        Self: Sized,
    {
        None
    }
}

impl<R: IntoToolResult> IntoOutput<ToolOutput> for R {
    fn into_output(self) -> ToolResult {
        self.into_tool_result()
    }

    fn output_schema() -> Option<Value> {
        R::output_schema()
    }
}

impl IntoToolResult for ToolOutput {
    fn into_tool_result(self) -> ToolResult {
        Ok(self)
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> ToolResult {
        Ok(ToolOutput::new(vec![self]))
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> ToolResult {
        Ok(ToolOutput::new(self))
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> ToolResult {
        Ok(ToolOutput::default())
    }
}

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn into_tool_result(self) -> ToolResult {
        self.map_or_else(|| Ok(ToolOutput::default()), T::into_tool_result)
    }
}

impl<T: IntoToolResult, E: Into<ToolError>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        self.map_err(E::into)?.into_tool_result()
    }

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }
}

/// A value that the client gets as structured content, and as JSON text for clients that read only content.
///
/// The schema of its type is published as the tool's output schema, and every result is held to it. A value whose shape
/// is not stable, or that is only [`Serialize`], is given back with [`ToolOutput::structured`], which publishes nothing.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema>
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> ToolResult {
        ToolOutput::structured(&self.0)
    }

    fn output_schema() -> Option<Value> {
        // A schema that says nothing is not worth its bytes.
        Some(schema::derive_output::<T>())
            .filter(|schema| schema.as_object().is_none_or(|says| !says.is_empty()))
    }
}

macro_rules! as_text {
    ($($ty:ty),*) => {$(
        impl IntoToolResult for $ty {
            fn into_tool_result(self) -> ToolResult {
                Content::text(self).into_tool_result()
            }
        }
    )*};
}
as_text!(String, &str, Cow<'_, str>, char, Box<str>);

macro_rules! as_json_text {
    ($($ty:ty),*) => {$(
        impl IntoToolResult for $ty {
            fn into_tool_result(self) -> ToolResult {
                Content::text(serde_json::to_string(&self)?).into_tool_result()
            }
        }
    )*};
}
as_json_text!(bool, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ContentBlock;

    #[track_caller]
    fn text(returned: impl IntoToolResult, expected: &str) {
        let output = returned.into_tool_result().unwrap();
        let [block] = output.content.as_slice() else { panic!("{output:?}") };
        assert_eq!(*block.block(), ContentBlock::Text { text: expected.to_owned() });
    }

    #[test]
    fn scalars_are_one_text_block_in_json_spelling() {
        text("a", "a");
        text(String::from("ü"), "ü");
        text(true, "true");
        text(-7, "-7");
        text(u64::MAX, "18446744073709551615");
        text(1.0, "1.0");
        text(Some("a"), "a");
        text(Ok::<_, ToolError>(1), "1");
    }

    #[test]
    fn nothing_is_an_empty_result() {
        assert_eq!(().into_tool_result(), Ok(ToolOutput::default()));
        assert_eq!(None::<String>.into_tool_result(), Ok(ToolOutput::default()));
        assert_eq!(Vec::<Content>::new().into_tool_result(), Ok(ToolOutput::default()));
    }

    #[test]
    fn a_structured_value_is_echoed_as_text_with_the_same_bytes() {
        let output = Json(vec![1, 2]).into_tool_result().unwrap();
        assert_eq!(output.structured.as_deref(), Some("[1,2]"));
        text(Json(vec![1, 2]), "[1,2]");
        assert_eq!(Json(Vec::<u8>::new()).into_tool_result().unwrap().structured.as_deref(), Some("[]"));
    }

    #[test]
    fn the_text_of_a_foreign_error_stays_inside() {
        let secret = std::io::Error::other("/etc/passwd");
        let error = Err::<(), _>(secret).into_tool_result().unwrap_err();
        assert_eq!((error.message(), error.detail()), (INTERNAL, Some("/etc/passwd")));
        assert_eq!(error.to_string(), INTERNAL);
        assert_eq!(
            Err::<(), _>(ToolError::new("try again")).into_tool_result(),
            Err(ToolError::new("try again"))
        );
    }
}
