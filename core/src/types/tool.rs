use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Icon;

/// What `tools/list` publishes of a tool beside its name.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool>
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolDefinition {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) icons: Vec<Icon>,
    pub(crate) input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_schema: Option<Value>,
    #[serde(skip_serializing_if = "ToolAnnotations::is_empty")]
    pub(crate) annotations: ToolAnnotations,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub(crate) meta: Map<String, Value>,
}

/// A tool as `tools/list` publishes it.
#[derive(Debug, Serialize)]
pub(crate) struct NamedTool<'a> {
    pub(crate) name: &'a str,
    #[serde(flatten)]
    pub(crate) definition: &'a ToolDefinition,
}

/// What a tool does to the world, as hints for a user interface. Never access control: clients may not trust them.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations>
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// Name for people. Clients prefer the tool's own `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Changes nothing. Clients assume `false`.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// May destroy what was there, rather than add to it. Clients assume `true`.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Calling it twice does what calling it once does. Clients assume `false`.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// Deals with the outside world rather than a closed domain. Clients assume `true`.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
