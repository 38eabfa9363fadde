use serde_json::{Map, Value, json};

/// What a client said it can do, in the JSON it said it in.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities>
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientCapabilities(Map<String, Value>);

/// Something that a tool may need a client to be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Ask the user to fill in a form.
    ElicitationForm,
    /// Send the user to a URL.
    ElicitationUrl,
    /// Ask the client's model.
    Sampling,
    /// Ask the client's model, and let it use tools.
    SamplingTools,
    /// List the client's root folders.
    Roots,
    /// Take the handle of a [task](crate::task) for an answer: the extension `io.modelcontextprotocol/tasks`.
    Tasks,
}

pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

impl ClientCapabilities {
    pub(crate) fn new(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// Whether the client declared this. A plain `elicitation: {}` means forms.
    #[must_use]
    pub fn has(&self, capability: Capability) -> bool {
        let feature = |name: &str| self.0.get(name).and_then(Value::as_object);
        match capability {
            Capability::ElicitationForm => feature("elicitation").is_some_and(|elicitation| {
                elicitation.contains_key("form") || !elicitation.contains_key("url")
            }),
            Capability::ElicitationUrl => {
                feature("elicitation").is_some_and(|elicitation| elicitation.contains_key("url"))
            }
            Capability::Sampling => feature("sampling").is_some(),
            Capability::SamplingTools => {
                feature("sampling").is_some_and(|sampling| sampling.contains_key("tools"))
            }
            Capability::Roots => feature("roots").is_some(),
            Capability::Tasks => feature("extensions")
                .is_some_and(|extensions| extensions.get(TASKS).is_some_and(Value::is_object)),
        }
    }

    /// The declaration as it was sent, extensions included.
    #[must_use]
    pub fn as_json(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl Capability {
    /// The least a client would have to declare.
    pub(crate) fn declaration(self) -> (&'static str, Value) {
        match self {
            Self::ElicitationForm => ("elicitation", json!({ "form": {} })),
            Self::ElicitationUrl => ("elicitation", json!({ "url": {} })),
            Self::Sampling => ("sampling", json!({})),
            Self::SamplingTools => ("sampling", json!({ "tools": {} })),
            Self::Roots => ("roots", json!({})),
            Self::Tasks => ("extensions", json!({ TASKS: {} })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(declared: &Value, capability: Capability, expected: bool) {
        let capabilities = ClientCapabilities::new(declared.as_object().unwrap().clone());
        assert_eq!(capabilities.has(capability), expected, "{declared}");
    }

    #[test]
    fn a_plain_elicitation_capability_means_forms() {
        check(&json!({"elicitation": {}}), Capability::ElicitationForm, true);
        check(&json!({"elicitation": {}}), Capability::ElicitationUrl, false);
        check(&json!({"elicitation": {"form": {}}}), Capability::ElicitationForm, true);
        check(&json!({"elicitation": {"url": {}}}), Capability::ElicitationForm, false);
        check(&json!({"elicitation": {"form": {}, "url": {}}}), Capability::ElicitationUrl, true);
        check(&json!({"elicitation": true}), Capability::ElicitationForm, false);
    }

    #[test]
    fn sampling_with_tools_must_be_named() {
        check(&json!({"sampling": {}}), Capability::Sampling, true);
        check(&json!({"sampling": {}}), Capability::SamplingTools, false);
        check(&json!({"sampling": {"tools": {}}}), Capability::SamplingTools, true);
        check(&json!({}), Capability::Roots, false);
    }

    #[test]
    fn tasks_are_an_extension() {
        check(&json!({"extensions": {TASKS: {}}}), Capability::Tasks, true);
        check(&json!({"extensions": {TASKS: {"x": 1}, "other": {}}}), Capability::Tasks, true);
        check(&json!({"extensions": {TASKS: null}}), Capability::Tasks, false);
        check(&json!({"extensions": {"other": {}}}), Capability::Tasks, false);
        check(&json!({"extensions": [TASKS]}), Capability::Tasks, false);
        check(&json!({"tasks": {}, TASKS: {}}), Capability::Tasks, false);
    }
}
