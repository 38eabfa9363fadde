//! What of a client's wishes a subscription honours.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Shared;
use super::find::registry_failed;
use super::subscriptions::{Filter, Subscription};
use super::tasks::{Teller, check_declared, look_up, store_failed};
use crate::context::CallContext;
use crate::jsonrpc::{ErrorCode, ErrorObject, Id};

/// More resources than this, and more tasks than this, are not watched by one subscription.
const MAX_WATCHED: usize = 1000;

/// Opens a subscription to what this server can tell of, and this caller may know.
pub(super) async fn listen(
    server: &Arc<Shared>,
    id: Id,
    asked: Filter,
    cx: &CallContext,
) -> Result<Subscription, ErrorObject> {
    let offers = &server.offers;
    let mut resource_subscriptions = Vec::new();
    if let Some(registry) = &server.resources {
        let mut seen = BTreeSet::new();
        for uri in asked.resource_subscriptions.into_iter().filter(|uri| seen.insert(uri.clone())) {
            if resource_subscriptions.len() >= MAX_WATCHED {
                break;
            }
            let found = registry.find(&uri, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
            if found.is_some() {
                resource_subscriptions.push(uri);
            }
        }
    }
    let task_ids = if offers.tasks && !asked.task_ids.is_empty() {
        // Boxed, so that calls of tools move no room for it.
        Box::pin(own_tasks(server, asked.task_ids, cx)).await?
    } else {
        Vec::new()
    };
    let honoured = Filter {
        tools_list_changed: asked.tools_list_changed && offers.tools.changes(),
        prompts_list_changed: asked.prompts_list_changed && offers.prompts.changes(),
        resources_list_changed: asked.resources_list_changed && offers.resources.changes(),
        resource_subscriptions,
        task_ids,
    };
    let teller = (!honoured.task_ids.is_empty())
        .then(|| Box::new(Teller::new(server.clone(), cx.clone(), id.clone())));
    let limits = server.settings.subscriptions;
    server.subscriptions.subscribe(id, honoured, teller, cx.principal(), limits).ok_or_else(|| {
        ErrorObject::new(ErrorCode::InternalError, "too many subscriptions are open: end some, or try later")
    })
}

/// Those of these tasks that are the caller's.
async fn own_tasks(
    server: &Shared,
    asked: Vec<String>,
    cx: &CallContext,
) -> Result<Vec<String>, ErrorObject> {
    check_declared("subscription to tasks", cx)?;
    let mut own = Vec::new();
    let mut seen = BTreeSet::new();
    // What is not there is looked up all the same.
    for id in asked.into_iter().filter(|id| seen.insert(id.clone())).take(MAX_WATCHED) {
        if look_up(server, &id, cx).await.map_err(|error| store_failed(&error, cx))?.is_some() {
            own.push(id);
        }
    }
    Ok(own)
}
