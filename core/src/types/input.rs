use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{Capability, Form, Sampling};

/// Something to ask of the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum InputRequest {
    Form(Form),
    Url { message: String, url: String },
    Sampling(Sampling),
    Roots,
}

/// What a tool needs from its client before it can go on: requests, a state, or both.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct InputRequired {
    /// By keys that the tool chose.
    pub(crate) requests: IndexMap<String, InputRequest>,
    /// JSON text.
    pub(crate) state: Option<String>,
    /// What was answered before, which a client does not send again.
    pub(crate) answered: Map<String, Value>,
}

impl InputRequest {
    /// What the client has to be able to do.
    pub(crate) fn capability(&self) -> Capability {
        match self {
            Self::Form(_) => Capability::ElicitationForm,
            Self::Url { .. } => Capability::ElicitationUrl,
            Self::Sampling(sampling)
                if ["tools", "toolChoice"].iter().any(|name| sampling.options.contains_key(*name)) =>
            {
                Capability::SamplingTools
            }
            Self::Sampling(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    /// What is to be given to the tool for a client that was asked and did not answer, if there is such an answer.
    pub(crate) fn unanswered(&self, action: &str) -> Option<Value> {
        match self {
            Self::Form(_) | Self::Url { .. } => Some(json!({ "action": action })),
            Self::Sampling(_) | Self::Roots => None,
        }
    }

    /// The method and its params, in the newest shape.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Form(Form { message, fields, required }) => {
                let mut schema = json!({ "type": "object", "properties": fields });
                if let (Some(members), false) = (schema.as_object_mut(), required.is_empty()) {
                    members.insert("required".to_owned(), json!(required));
                }
                json!({
                    "method": "elicitation/create",
                    "params": { "mode": "form", "message": message, "requestedSchema": schema },
                })
            }
            Self::Url { message, url } => json!({
                "method": "elicitation/create",
                "params": { "mode": "url", "message": message, "url": url },
            }),
            Self::Sampling(sampling) => json!({ "method": "sampling/createMessage", "params": sampling }),
            Self::Roots => json!({ "method": "roots/list", "params": {} }),
        }
    }
}
