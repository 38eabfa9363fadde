//! Sealed sessions: what a client of an older revision says once, when it opens its session, is in the id that it sends
//! with every request from then on. Nothing is stored.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value, json};

use super::Shared;
use crate::context::{CallContext, Principal, Session};
use crate::header::{MCP_SESSION_ID, Sent};
use crate::seal::{self, NONCE_LENGTH};

/// A client whose session expired opens another one.
const TTL: Duration = Duration::from_secs(7 * 24 * 3600);

/// What clients can be asked for.
const FEATURES: [&str; 3] = ["elicitation", "sampling", "roots"];

/// Whether a request comes with a session.
pub(super) fn is_in(headers: &HeaderMap) -> bool {
    headers.contains_key(&MCP_SESSION_ID)
}

/// The id of a new session, for a client that can be asked something: others need none.
pub(super) fn issue(server: &Shared, cx: &CallContext) -> Option<HeaderValue> {
    let mut request: Value = serde_json::from_slice(&cx.body()).ok()?;
    let params = request.get_mut("params")?;
    let Some(Value::Object(mut capabilities)) = params.get_mut("capabilities").map(Value::take) else {
        return None;
    };
    capabilities.retain(|feature, _| FEATURES.contains(&feature.as_str()));
    if capabilities.is_empty() {
        return None;
    }
    let client = params.get_mut("clientInfo").map(Value::take).filter(Value::is_object);
    let client = client.map(|client| {
        // A name and a version: a picture would travel with every request.
        let told = |member| client.get(member).map(|value| (String::from(member), value.clone()));
        ["name", "version"].into_iter().filter_map(told).collect::<Map<_, _>>().into()
    });
    let session = Session { capabilities, client, id: String::new() };
    let mut nonce = [0; NONCE_LENGTH];
    cx.runtime().random(&mut nonce);
    let expires = cx.now().saturating_add(TTL);
    let key = server.sealing_key(cx.runtime());
    let id = seal::seal(key, nonce, purpose(cx).as_bytes(), &json!(session).to_string(), expires);
    // Servers refuse headers that are too long, and then the client could do nothing at all.
    HeaderValue::try_from(id).ok().filter(|id| id.len() <= 4096)
}

/// Opens the session that a request names. `None` is a session that is not, or no more.
pub(super) fn open(server: &Shared, cx: &CallContext) -> Option<Session> {
    let Sent::Value(id) = Sent::read(cx.headers(), &MCP_SESSION_ID) else { return None };
    let key = server.sealing_key(cx.runtime());
    let opened = seal::open(key, purpose(cx).as_bytes(), id, cx.now());
    let session: Session = serde_json::from_str(&opened.ok()?).ok()?;
    Some(Session { id: id.to_owned(), ..session })
}

fn purpose(cx: &CallContext) -> String {
    json!(["session", cx.principal().map(Principal::as_str)]).to_string()
}
