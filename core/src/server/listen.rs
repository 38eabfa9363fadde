//! What of a client's wishes a subscription honours.

use std::collections::BTreeSet;

use super::Shared;
use super::find::registry_failed;
use super::subscriptions::{Filter, Subscription};
use crate::context::CallContext;
use crate::jsonrpc::{ErrorCode, ErrorObject, Id};

/// More resources than this are not watched by one subscription.
const MAX_RESOURCES: usize = 1000;

/// Opens a subscription to what this server can tell of, and this caller may know.
pub(super) async fn listen(
    server: &Shared,
    id: Id,
    asked: Filter,
    cx: &CallContext,
) -> Result<Subscription, ErrorObject> {
    let offers = &server.offers;
    let mut resource_subscriptions = Vec::new();
    if let Some(registry) = &server.resources {
        let mut seen = BTreeSet::new();
        for uri in asked.resource_subscriptions.into_iter().filter(|uri| seen.insert(uri.clone())) {
            if resource_subscriptions.len() >= MAX_RESOURCES {
                break;
            }
            let found = registry.find(&uri, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
            if found.is_some() {
                resource_subscriptions.push(uri);
            }
        }
    }
    let honoured = Filter {
        tools_list_changed: asked.tools_list_changed && offers.tools.changes(),
        prompts_list_changed: asked.prompts_list_changed && offers.prompts.changes(),
        resources_list_changed: asked.resources_list_changed && offers.resources.changes(),
        resource_subscriptions,
    };
    let limits = server.settings.subscriptions;
    server.subscriptions.subscribe(id, honoured, cx.principal(), limits).ok_or_else(|| {
        ErrorObject::new(ErrorCode::InternalError, "too many subscriptions are open: end some, or try later")
    })
}
