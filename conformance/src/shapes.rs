//! The shape of everything that a server says, in each revision.
//!
//! Written as JSON Schemas that are as open as the protocol: members that nobody knows are let through, those that are known
//! have to be what they are. A test holds them to the published schemas.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema>

mod defined;

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::Revision;
use crate::json::At as _;

/// What is said. Each is one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The result of `initialize`.
    Initialize,
    /// The result of `server/discover`.
    Discover,
    /// The result of `tools/list`.
    ToolsList,
    /// The result of `tools/call`.
    ToolsCall,
    /// The result of `prompts/list`.
    PromptsList,
    /// The result of `prompts/get`.
    PromptsGet,
    /// The result of `resources/list`.
    ResourcesList,
    /// The result of `resources/templates/list`.
    TemplatesList,
    /// The result of `resources/read`.
    ResourcesRead,
    /// The result of `completion/complete`.
    Complete,
    /// The result of a method that has nothing to say.
    Empty,
    /// Any error.
    Error,
    /// Any notification.
    Notification,
    /// A question to the client.
    Request,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Initialize,
        Self::Discover,
        Self::ToolsList,
        Self::ToolsCall,
        Self::PromptsList,
        Self::PromptsGet,
        Self::ResourcesList,
        Self::TemplatesList,
        Self::ResourcesRead,
        Self::Complete,
        Self::Empty,
        Self::Error,
        Self::Notification,
        Self::Request,
    ];

    /// What a message is that answers a method, or comes before the answer; none where its shape is not known.
    pub fn of(method: &str, message: &Value) -> Option<Self> {
        if message.get("method").is_some() {
            return Some(if message.get("id").is_some() { Self::Request } else { Self::Notification });
        }
        if message.get("error").is_some() {
            return Some(Self::Error);
        }
        Some(match method {
            "initialize" => Self::Initialize,
            "server/discover" => Self::Discover,
            "tools/list" => Self::ToolsList,
            "tools/call" => Self::ToolsCall,
            "prompts/list" => Self::PromptsList,
            "prompts/get" => Self::PromptsGet,
            "resources/list" => Self::ResourcesList,
            "resources/templates/list" => Self::TemplatesList,
            "resources/read" => Self::ResourcesRead,
            "completion/complete" => Self::Complete,
            "ping"
            | "logging/setLevel"
            | "resources/subscribe"
            | "resources/unsubscribe"
            | "subscriptions/listen" => Self::Empty,
            _ => return None,
        })
    }
}

/// Where a message is not what its kind has to be in a revision, and how; nothing where it is.
pub fn violations(revision: Revision, kind: Kind, message: &Value) -> Vec<String> {
    static VALIDATORS: OnceLock<HashMap<(Revision, Kind), Validator>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let all = Revision::ALL.into_iter().flat_map(|revision| Kind::ALL.map(|kind| (revision, kind)));
        all.filter_map(|(revision, kind)| Some(((revision, kind), validator(revision, kind)?))).collect()
    });
    let Some(validator) = validators.get(&(revision, kind)) else {
        return vec![format!("nothing of this kind is in {revision}")];
    };
    let mut found: Vec<String> = Vec::new();
    for error in validator.iter_errors(message) {
        let at = error.instance_path().to_string();
        let what: String = error.to_string().chars().take(200).collect();
        found.push(if at.is_empty() { what } else { format!("{at}: {what}") });
    }
    // What two parts of a schema say of one place.
    found.dedup();
    found
}

fn validator(revision: Revision, kind: Kind) -> Option<Validator> {
    let mut schema = defined::message(revision, kind)?;
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$defs".to_owned(), defined::definitions(revision));
    }
    jsonschema::draft202012::new(&schema).ok()
}

/// The messages of an answer that are of a known kind, with their kinds.
pub(crate) fn kinds(request: &[u8], messages: &[Value]) -> Vec<(Kind, Value)> {
    let request: Value = serde_json::from_slice(request).unwrap_or_else(|_| json!({}));
    let method = request.at("method").as_str().unwrap_or_default();
    let known = messages.iter().filter_map(|message| Some((Kind::of(method, message)?, message.clone())));
    known
        .map(|(kind, message)| (kind, if kind == Kind::Error { without_null_id(message) } else { message }))
        .collect()
}

/// Where the id of a request could not be read, JSON-RPC wants null in the error, and MCP's schemas no id: both will do.
fn without_null_id(mut error: Value) -> Value {
    if let Some(members) = error.as_object_mut()
        && members.get("id").is_some_and(Value::is_null)
    {
        members.remove("id");
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_a_revision_has_has_a_schema() {
        for revision in Revision::ALL {
            for kind in Kind::ALL {
                let defined = defined::message(revision, kind).is_some();
                assert_eq!(validator(revision, kind).is_some(), defined, "{revision} {kind:?}");
            }
        }
    }

    #[track_caller]
    fn check(revision: Revision, method: &str, message: Value, expected: &[&str]) {
        let found = violations(revision, Kind::of(method, &message).unwrap(), &message);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} without {expected}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let result = |result: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": result });
        let (old, new) = (Revision::V2025_06_18, Revision::V2026_07_28);
        check(old, "tools/list", result(json!({ "tools": [] })), &[]);
        check(old, "tools/list", result(json!({})), &["tools"]);
        check(old, "tools/list", result(json!({ "tools": [{ "name": "a" }] })), &["/result/tools/0"]);
        check(new, "tools/list", result(json!({ "tools": [] })), &["resultType", "ttlMs", "cacheScope"]);
        check(old, "tools/call", result(json!({ "content": [{ "type": "video" }] })), &["/result/content/0"]);
        check(old, "ping", result(json!([])), &["/result"]);
        check(
            old,
            "ping",
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": 1, "message": "" } }),
            &["/id"],
        );
    }
}
