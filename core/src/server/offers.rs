use serde_json::{Map, Value, json};

use super::builder::Settings;
use crate::origin::Host;
use crate::revision::Rules;
use crate::types::TASKS;

/// What a server has to offer, as far as it is known when it is built.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offers {
    pub(super) tools: Offer,
    pub(super) prompts: Offer,
    pub(super) resources: Offer,
    pub(super) completions: bool,
    /// Whether calls of tools can become tasks.
    pub(super) tasks: bool,
}

/// Whether there is a list of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    None,
    /// There is, and it stays as it is as far as anybody will be told.
    Fixed,
    /// There is, and clients can hear of its changes.
    Changes,
}

impl Offer {
    /// Of a registry, if there is one, `watch` saying whether it tells of its changes.
    pub(super) fn of<R>(registry: Option<&R>, watch: impl FnOnce(&R) -> bool) -> Self {
        match registry {
            None => Self::None,
            Some(registry) if watch(registry) => Self::Changes,
            Some(_) => Self::Fixed,
        }
    }

    pub(super) fn exists(self) -> bool {
        self != Self::None
    }

    pub(super) fn changes(self) -> bool {
        self == Self::Changes
    }
}

impl Offers {
    /// Whether there is anything to listen for. Resources can always be said to be updated.
    pub(super) fn can_be_listened_to(&self, settings: &Settings, host: Host) -> bool {
        host.stays()
            && settings.subscriptions.in_all > 0
            && (self.tools.changes() || self.prompts.changes() || self.resources.exists() || self.tasks)
    }

    /// The capabilities that clients of a revision are told.
    ///
    /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities>
    pub(super) fn capabilities(&self, settings: &Settings, rules: &Rules, host: Host) -> Map<String, Value> {
        let hears = rules.hears_changes && self.can_be_listened_to(settings, host);
        let mut capabilities = Map::new();
        for (name, offer) in [("tools", self.tools), ("prompts", self.prompts), ("resources", self.resources)]
        {
            if !offer.exists() {
                continue;
            }
            let mut detail = Map::new();
            if hears && offer.changes() {
                detail.insert("listChanged".to_owned(), json!(true));
            }
            if hears && name == "resources" {
                detail.insert("subscribe".to_owned(), json!(true));
            }
            capabilities.insert(name.to_owned(), detail.into());
        }
        if self.completions {
            capabilities.insert("completions".to_owned(), json!({}));
        }
        if self.tasks && rules.tasks && host.stays() {
            capabilities.insert("extensions".to_owned(), json!({ TASKS: {} }));
        }
        if settings.logging {
            capabilities.insert("logging".to_owned(), json!({}));
        }
        capabilities
    }
}
