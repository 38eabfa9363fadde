use serde::Serialize;
use serde_json::{Map, Value};

use super::{Annotations, Icon};

/// A resource, or a template of resources, as lists publish it.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource>
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceDefinition {
    #[serde(flatten)]
    pub(crate) at: Place,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) icons: Vec<Icon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mime_type: Option<String>,
    /// Of a resource, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) annotations: Option<Annotations>,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub(crate) meta: Map<String, Value>,
}

/// Where a resource is, or where those of a template are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum Place {
    #[serde(rename = "uri")]
    Uri(String),
    #[serde(rename = "uriTemplate")]
    Template(String),
}

impl Place {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Uri(text) | Self::Template(text) => text,
        }
    }
}
