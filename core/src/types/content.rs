use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// One block of content: what a tool gives to the model, or to the user.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result>
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Content {
    #[serde(flatten)]
    block: ContentBlock,
    annotations: Option<Annotations>,
    #[serde(rename = "_meta", default)]
    meta: Map<String, Value>,
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Decorated<'a> {
            #[serde(flatten)]
            block: &'a ContentBlock,
            #[serde(skip_serializing_if = "Option::is_none")]
            annotations: &'a Option<Annotations>,
            #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
            meta: &'a Map<String, Value>,
        }
        let Self { block, annotations, meta } = self;
        // Most blocks are plain, and flattening costs twice as much as writing one.
        if annotations.is_none() && meta.is_empty() {
            block.serialize(serializer)
        } else {
            Decorated { block, annotations, meta }.serialize(serializer)
        }
    }
}

/// The kinds of content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The picture, in Base64.
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
    /// Sound.
    Audio {
        /// The sound, in Base64.
        data: String,
        /// Such as `audio/wav`.
        mime_type: String,
    },
    /// A resource that the client can read if it wants to.
    #[non_exhaustive]
    ResourceLink {
        /// Where it is.
        uri: String,
        /// Name for programs.
        name: String,
        /// Name for people.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Such as `text/plain`.
        #[serde(skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// In bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
    },
    /// A resource with its contents.
    Resource {
        /// The contents.
        resource: ResourceContents,
    },
}

/// The contents of a resource: text, or bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceContents {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(flatten)]
    data: ResourceData,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum ResourceData {
    Text(String),
    /// In Base64.
    Blob(String),
}

/// Hints for whoever shows or sorts a block.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations>
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Who it is for. Empty: everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// From 0 (optional) to 1 (required).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// ISO 8601, such as `2025-01-12T15:00:58Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// Who reads a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

impl Content {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        ContentBlock::Text { text: text.into() }.into()
    }

    /// A picture from its bytes.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::image_base64(STANDARD.encode(bytes), mime_type)
    }

    /// A picture that is in Base64 already.
    pub fn image_base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        ContentBlock::Image { data: data.into(), mime_type: mime_type.into() }.into()
    }

    /// Sound from its bytes.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::audio_base64(STANDARD.encode(bytes), mime_type)
    }

    /// Sound that is in Base64 already.
    pub fn audio_base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        ContentBlock::Audio { data: data.into(), mime_type: mime_type.into() }.into()
    }

    /// A link to a resource.
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ContentBlock::ResourceLink {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
        }
        .into()
    }

    /// A resource with its contents.
    #[must_use]
    pub fn resource(resource: ResourceContents) -> Self {
        ContentBlock::Resource { resource }.into()
    }

    /// Hints for whoever shows or sorts the block.
    #[must_use]
    pub fn annotations(self, annotations: Annotations) -> Self {
        Self { annotations: Some(annotations), ..self }
    }

    /// Adds a member to the block's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// The text of a block that is nothing but text, as most are.
    pub(crate) fn plain_text(&self) -> Option<&str> {
        match &self.block {
            ContentBlock::Text { text } if self.annotations.is_none() && self.meta.is_empty() => Some(text),
            ContentBlock::Text { .. }
            | ContentBlock::Image { .. }
            | ContentBlock::Audio { .. }
            | ContentBlock::ResourceLink { .. }
            | ContentBlock::Resource { .. } => None,
        }
    }

    /// What the block is.
    #[must_use]
    pub fn block(&self) -> &ContentBlock {
        &self.block
    }
}

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Self {
        Self { block, annotations: None, meta: Map::new() }
    }
}

impl ResourceContents {
    /// Text at a URI.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, data: ResourceData::Text(text.into()) }
    }

    /// Bytes at a URI.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self { uri: uri.into(), mime_type: None, data: ResourceData::Blob(STANDARD.encode(bytes)) }
    }

    /// The media type, such as `text/plain`.
    #[must_use]
    pub fn mime_type(self, mime_type: impl Into<String>) -> Self {
        Self { mime_type: Some(mime_type.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(content: &Content, expected: &Value) {
        assert_eq!(serde_json::to_value(content).unwrap(), *expected);
    }

    #[test]
    fn each_kind_has_its_members_and_nothing_else() {
        check(&Content::text("a"), &json!({"type": "text", "text": "a"}));
        check(
            &Content::image([0, 255], "image/png"),
            &json!({"type": "image", "data": "AP8=", "mimeType": "image/png"}),
        );
        check(
            &Content::audio([1], "audio/wav"),
            &json!({"type": "audio", "data": "AQ==", "mimeType": "audio/wav"}),
        );
        check(
            &Content::resource_link("a:b", "b"),
            &json!({"type": "resource_link", "uri": "a:b", "name": "b"}),
        );
        check(
            &Content::resource(ResourceContents::text("a:b", "c").mime_type("text/plain")),
            &json!({"type": "resource", "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "c"}}),
        );
        check(
            &Content::resource(ResourceContents::blob("a:b", [0])),
            &json!({"type": "resource", "resource": {"uri": "a:b", "blob": "AA=="}}),
        );
    }

    #[test]
    fn annotations_and_meta_stand_beside_the_block() {
        let annotations =
            Annotations { audience: vec![Role::User], priority: Some(0.5), last_modified: None };
        check(
            &Content::text("a").annotations(annotations).meta("com.example/k", 1),
            &json!({"type": "text", "text": "a", "annotations": {"audience": ["user"], "priority": 0.5}, "_meta": {"com.example/k": 1}}),
        );
    }
}
