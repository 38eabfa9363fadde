//! A tool that asks its client: its question in a result, the answers in another call, and the sealed state in both.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Shared;
use super::call::Answer;
use super::job::Job;
use crate::context::{Answers, CallContext, Principal};
use crate::jsonrpc::{ErrorCode, ErrorObject, Members, Message, decode};
use crate::seal::{self, NONCE_LENGTH};
use crate::types::{Capability, InputRequest, InputRequired};

const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";

/// What a client came back with, before its state is opened.
pub(super) struct Retry {
    responses: Map<String, Value>,
    /// Sealed.
    state: Option<String>,
}

/// A question, ready to be sent.
#[derive(Debug)]
pub(super) struct Asked {
    /// By their keys.
    pub(super) requests: Map<String, Value>,
    /// Sealed.
    pub(super) state: Option<String>,
}

impl Retry {
    /// Reads the params of a call. Most have nothing of it.
    pub(super) fn read(params: &Members<'_>) -> Result<Option<Box<Self>>, ErrorObject> {
        let (responses, state) = (params.find(RESPONSES), params.find(STATE));
        if responses.is_none() && state.is_none() {
            return Ok(None);
        }
        let invalid = |text| ErrorObject::new(ErrorCode::InvalidParams, text);
        let responses = match responses {
            None => Map::new(),
            Some(json) => {
                serde_json::from_str(json).map_err(|_| invalid("inputResponses must be an object"))?
            }
        };
        let state = state.map(serde_json::from_str).transpose();
        let state = state.map_err(|_| invalid("requestState must be a string"))?;
        Ok(Some(Box::new(Self { responses, state })))
    }

    /// Opens the state, which has to be one that this very request was given.
    pub(super) fn open(self, server: &Shared, cx: &CallContext) -> Result<Answers, ErrorObject> {
        let open = |sealed: String| {
            let key = server.sealing_key(cx.runtime());
            seal::open(key, purpose(cx).as_bytes(), &sealed, cx.now()).map_err(|unsealed| {
                tracing::debug!(reason = %unsealed, "requestState refused");
                let text =
                    "requestState is none that this request was given, or it has expired: start anew without";
                ErrorObject::new(ErrorCode::InvalidParams, text)
            })
        };
        let mut answers = Answers { responses: self.responses, state: None };
        if let Some(sealed) = self.state {
            let kept: Kept = serde_json::from_str(&open(sealed)?).unwrap_or_default();
            answers.state = kept.state;
            answers.responses.extend(kept.answered);
        }
        Ok(answers)
    }
}

/// What is in a sealed state.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    /// What the tool kept, in JSON.
    state: Option<String>,
    answered: Map<String, Value>,
}

/// What a state is sealed for: this request of this caller, but for what changes when it is sent again.
fn purpose(cx: &CallContext) -> String {
    let body = cx.body();
    let Ok(Message::Request { method, params, .. }) = decode(&body) else {
        return String::new(); // as a message it was read before
    };
    // What no value of ours can hold is bound by its text.
    let read = |json: &str| serde_json::from_str(json).map_or_else(|_| json.into(), sorted);
    let params: BTreeMap<&str, Value> = params
        .iter()
        .filter(|(key, _)| ![RESPONSES, STATE].contains(key))
        .map(|(key, json)| (key, read(json)))
        .collect();
    json!([STATE, cx.principal().map(Principal::as_str), method, params]).to_string()
}

/// The same value, however the client ordered its members.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            members.into_iter().map(|(key, value)| (key, sorted(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        scalar @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => scalar,
    }
}

/// Makes an answer of what a tool asks: the question, if the client can be asked that.
pub(super) fn ask(
    server: &Shared,
    job: &Job,
    input: InputRequired,
    cx: &CallContext,
) -> Result<Answer, ErrorObject> {
    check_capabilities(job, input.requests.values().map(InputRequest::capability), cx)?;
    let requests = input.requests.iter().map(|(key, request)| (key.clone(), request.to_json())).collect();
    let kept = Kept { state: input.state, answered: input.answered };
    let state = (kept.state.is_some() || !kept.answered.is_empty()).then(|| {
        let mut nonce = [0; NONCE_LENGTH];
        cx.runtime().random(&mut nonce);
        let expires = cx.now().saturating_add(server.settings.state_ttl);
        let text = json!(kept).to_string();
        seal::seal(server.sealing_key(cx.runtime()), nonce, purpose(cx).as_bytes(), &text, expires)
    });
    Ok(Answer::Asked(Asked { requests, state }))
}

/// Refuses a call that the client could not see through.
pub(super) fn check_capabilities(
    who: &impl fmt::Display,
    needed: impl Iterator<Item = Capability>,
    cx: &CallContext,
) -> Result<(), ErrorObject> {
    let mut needed = needed.peekable();
    if needed.peek().is_none() {
        return Ok(());
    }
    let declared = cx.client_capabilities().unwrap_or_default();
    let mut missing = Map::new();
    for capability in needed.filter(|capability| !declared.has(*capability)) {
        let (feature, detail) = capability.declaration();
        match (missing.entry(feature).or_insert_with(|| json!({})), detail) {
            (Value::Object(known), Value::Object(detail)) => known.extend(detail),
            (known, detail) => *known = detail,
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing
        .iter()
        .flat_map(|(feature, detail)| match (feature.as_str(), detail) {
            ("extensions", Value::Object(extensions)) => extensions.keys().map(String::as_str).collect(),
            (feature, _) => vec![feature],
        })
        .collect();
    let text = format!("the {who} needs a client with these capabilities: {}", names.join(", "));
    let error = ErrorObject::new(ErrorCode::MissingRequiredClientCapability, text);
    Err(error.with_data(json!({ "requiredCapabilities": missing })))
}
