use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::tool::{IntoOutput, Json, ToolError};
use crate::types::ResourceContents;

/// What reading a resource gives, or why it could not be read.
pub type ResourceResult = Result<ResourceOutput, ToolError>;

/// What reading a resource gives: its contents, text or bytes. Without any there is no such resource.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceOutput {
    pub(crate) parts: Vec<Part>,
    pub(crate) meta: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// At the URI that is read.
    Text { text: String, mime_type: Option<&'static str> },
    /// At the URI that is read.
    Blob(Bytes),
    /// At a URI of its own.
    Contents(ResourceContents),
}

impl Part {
    /// The contents, of the resource at this URI.
    pub(crate) fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ResourceContents {
        let (contents, own) = match self {
            Self::Contents(contents) => return contents,
            Self::Text { text, mime_type } => (ResourceContents::text(uri, text), mime_type),
            Self::Blob(bytes) => (ResourceContents::blob(uri, bytes), None),
        };
        match mime_type.or(own) {
            Some(mime_type) => contents.mime_type(mime_type),
            None => contents,
        }
    }
}

impl ResourceOutput {
    /// Contents with URIs of their own, such as the files of a folder.
    pub fn new(contents: impl IntoIterator<Item = ResourceContents>) -> Self {
        Self { parts: contents.into_iter().map(Part::Contents).collect(), meta: Map::new() }
    }

    /// Adds a member to the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}

impl From<Part> for ResourceOutput {
    fn from(part: Part) -> Self {
        Self { parts: vec![part], meta: Map::new() }
    }
}

/// What reading a resource may return.
///
/// | returned | contents |
/// |---|---|
/// | `String`, `&str`, `Cow<str>` | this text, at the URI that is read |
/// | `Vec<u8>`, `Bytes`, `&[u8]` | these bytes, at the URI that is read |
/// | [`Json<T>`] | its JSON, as `application/json` unless the resource has a type |
/// | [`ResourceContents`], and a `Vec` of them | these, at their own URIs |
/// | [`ResourceOutput`] | as built |
/// | `Option<T>` | of `T`; for `None` there is no such resource |
/// | `Result<T, E>` | of `T`; an error is one of the protocol |
#[diagnostic::on_unimplemented(
    message = "reading a resource cannot give `{Self}`",
    label = "not something that reading a resource gives",
    note = "a reader gives back a text, bytes, a `Json<T>`, `ResourceContents`, an `Option` or a `Result` of one of them"
)]
pub trait IntoResourceOutput {
    /// Converts what a reader returned.
    ///
    /// # Errors
    /// When the resource could not be read.
    fn into_resource_output(self) -> ResourceResult;
}

impl<R: IntoResourceOutput> IntoOutput<ResourceOutput> for R {
    fn into_output(self) -> ResourceResult {
        self.into_resource_output()
    }
}

impl IntoResourceOutput for ResourceOutput {
    fn into_resource_output(self) -> ResourceResult {
        Ok(self)
    }
}

impl IntoResourceOutput for ResourceContents {
    fn into_resource_output(self) -> ResourceResult {
        Ok(ResourceOutput::new([self]))
    }
}

impl IntoResourceOutput for Vec<ResourceContents> {
    fn into_resource_output(self) -> ResourceResult {
        Ok(ResourceOutput::new(self))
    }
}

impl<T: Serialize> IntoResourceOutput for Json<T> {
    fn into_resource_output(self) -> ResourceResult {
        let text = serde_json::to_string(&self.0)?;
        Ok(Part::Text { text, mime_type: Some("application/json") }.into())
    }
}

impl<T: IntoResourceOutput> IntoResourceOutput for Option<T> {
    fn into_resource_output(self) -> ResourceResult {
        self.map_or_else(|| Ok(ResourceOutput::default()), T::into_resource_output)
    }
}

impl<T: IntoResourceOutput, E: Into<ToolError>> IntoResourceOutput for Result<T, E> {
    fn into_resource_output(self) -> ResourceResult {
        self.map_err(E::into)?.into_resource_output()
    }
}

macro_rules! contents {
    ($($ty:ty => |$value:ident| $part:expr),* $(,)?) => {$(
        impl IntoResourceOutput for $ty {
            fn into_resource_output(self) -> ResourceResult {
                let $value = self;
                Ok($part.into())
            }
        }
    )*};
}
contents! {
    String => |text| Part::Text { text, mime_type: None },
    &str => |text| Part::Text { text: text.to_owned(), mime_type: None },
    Cow<'_, str> => |text| Part::Text { text: text.into_owned(), mime_type: None },
    Vec<u8> => |bytes| Part::Blob(bytes.into()),
    &[u8] => |bytes| Part::Blob(Bytes::copy_from_slice(bytes)),
    Bytes => |bytes| Part::Blob(bytes),
}
