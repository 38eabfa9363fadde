//! Which method a request names, and who answers it.

use std::borrow::Cow;

use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use serde_json::{Map, Value};

use super::accept::Incoming;
use super::ask::Retry;
use super::call::{Answer, Call, CallTool, GetPrompt, ListOf, Question, ReadResource};
use super::complete;
use super::rejection::Rejection;
use super::{Exchange, Shared, Step, session, tasks};
use crate::jsonrpc::{ErrorCode, ErrorObject, Members, read_object};
use crate::origin::Connection;
use crate::revision::{Method, Revision};
use crate::types::LogLevel;

pub(super) fn route(
    mut exchange: Exchange,
    incoming: Incoming<'_>,
    head: Parts,
    body: Bytes,
    connection: Connection,
) -> Step {
    let span = tracing::Span::current();
    span.record("method", &*incoming.method).record("revision", incoming.revision.as_str());
    let exists = |method: &Method| {
        let (offers, settings) = (&exchange.server().offers, &exchange.server().settings);
        let declared = match method {
            Method::Initialize | Method::Ping | Method::Discover => true,
            Method::ListTools | Method::CallTool => offers.tools.exists(),
            Method::SetLogLevel => settings.logging,
            Method::ListPrompts | Method::GetPrompt => offers.prompts.exists(),
            Method::ListResources | Method::ListTemplates | Method::ReadResource => offers.resources.exists(),
            Method::Complete => offers.completions,
            Method::Listen => offers.can_be_listened_to(settings, connection.host),
            Method::GetTask | Method::UpdateTask | Method::CancelTask => {
                offers.tasks && connection.host.stays()
            }
        };
        declared && incoming.revision.rules().methods.contains(method)
    };
    let params = &incoming.params;
    let question = match Method::parse(&incoming.method).filter(exists) {
        None => Question::known(unknown(&exchange, &incoming.method)),
        Some(Method::Ping) => Question::Known(Box::new(Answer::Empty)),
        Some(Method::Discover) => Question::Known(Box::new(Answer::Opening(None))),
        Some(Method::Initialize) => match optional_string(params, "protocolVersion") {
            Ok(Some(_)) if issues_sessions(exchange.server(), connection) => Question::Open,
            Ok(Some(_)) => Question::Known(Box::new(Answer::Opening(None))),
            Ok(None) | Err(_) => Question::known(invalid("initialize needs protocolVersion, a string")),
        },
        // Nothing remembers the level: the next request may come to another process.
        Some(Method::SetLogLevel) => match params.find("level").and_then(LogLevel::read) {
            Some(_) => Question::Known(Box::new(Answer::Empty)),
            None => Question::known(invalid("logging/setLevel needs level, one of the eight")),
        },
        Some(Method::ListTools) => list(ListOf::Tools, params),
        Some(Method::ListPrompts) => list(ListOf::Prompts, params),
        Some(Method::ListResources) => list(ListOf::Resources, params),
        Some(Method::ListTemplates) => list(ListOf::Templates, params),
        Some(Method::CallTool) => match call_params(params, &body, incoming.revision) {
            Ok(call) => {
                span.record("tool", &*call.name);
                Question::CallTool(call)
            }
            Err(error) => Question::known(error),
        },
        Some(Method::GetPrompt) => prompt_params(params, incoming.revision)
            .map_or_else(Question::known, |get| Question::GetPrompt(Box::new(get))),
        Some(Method::ReadResource) => resource_params(params, incoming.revision)
            .map_or_else(Question::known, |read| Question::ReadResource(Box::new(read))),
        Some(Method::Complete) => complete::Asked::read(params)
            .map_or_else(Question::known, |asked| Question::Complete(Box::new(asked))),
        Some(Method::Listen) if !incoming.takes_events => {
            let rejection = Rejection::no_stream(exchange.id().cloned());
            return Step::Respond(exchange.refuse(rejection));
        }
        Some(Method::Listen) => match params.find("notifications").and_then(read_object) {
            Some(filter) => {
                let id = incoming.id.clone().into_own();
                exchange = exchange.into_stream();
                Question::Listen(Box::new((id, filter)))
            }
            None => Question::known(invalid(
                "subscriptions/listen needs notifications, an object of what to hear of",
            )),
        },
        Some(Method::GetTask) => task(tasks::Method::Get, params),
        Some(Method::UpdateTask) => task(tasks::Method::Update, params),
        Some(Method::CancelTask) => task(tasks::Method::Cancel, params),
    };
    let in_session = incoming.revision.is_legacy()
        && opens_session(exchange.server(), connection, &head.headers)
        && incoming.method != "initialize";
    match question {
        Question::Known(answer) if !in_session => Step::Respond(exchange.finish((*answer).into())),
        question @ (Question::Known(_)
        | Question::Open
        | Question::Message(_)
        | Question::List { .. }
        | Question::CallTool(_)
        | Question::GetPrompt(_)
        | Question::ReadResource(_)
        | Question::Complete(_)
        | Question::Listen(_)
        | Question::Task(_)) => {
            let (server, streams) = (exchange.server().clone(), exchange.streams());
            let revision = incoming.revision;
            let call = Call { server, question, in_session, revision, head, body, connection, streams };
            Step::Call(call, exchange)
        }
    }
}

/// Whether a request has a session to be opened first. A server that issues none ignores them.
pub(super) fn opens_session(server: &Shared, connection: Connection, headers: &HeaderMap) -> bool {
    issues_sessions(server, connection) && session::is_in(headers)
}

/// Whether older clients get sessions, so that they can be asked: their answers have to come back here.
fn issues_sessions(server: &Shared, connection: Connection) -> bool {
    server.settings.legacy_questions && connection.host.stays()
}

fn unknown(exchange: &Exchange, method: &str) -> ErrorObject {
    let name: String = method.chars().take(100).collect();
    let mut text = format!("unknown method: {name}");
    if method == "initialize" {
        // The clients that still send it want to know what to speak instead.
        text = format!(
            "{text}; the versions served here are {}",
            exchange.server().settings.supported().join(", ")
        );
    }
    ErrorObject::new(ErrorCode::MethodNotFound, text)
}

fn invalid(message: impl Into<Cow<'static, str>>) -> ErrorObject {
    ErrorObject::new(ErrorCode::InvalidParams, message)
}

/// A param that is absent or a string.
fn optional_string(params: &Members<'_>, key: &str) -> Result<Option<String>, ErrorObject> {
    match params.find(key) {
        None => Ok(None),
        Some(json) => {
            serde_json::from_str(json).map(Some).map_err(|_| invalid(format!("{key} must be a string")))
        }
    }
}

fn list(of: ListOf, params: &Members<'_>) -> Question {
    optional_string(params, "cursor").map_or_else(Question::known, |cursor| Question::List { of, cursor })
}

fn task(method: tasks::Method, params: &Members<'_>) -> Question {
    tasks::Request::read(method, params)
        .map_or_else(Question::known, |request| Question::Task(Box::new(request)))
}

/// The params of `prompts/get`. Arguments are texts.
fn prompt_params(params: &Members<'_>, revision: Revision) -> Result<GetPrompt, ErrorObject> {
    let name = optional_string(params, "name")?
        .ok_or_else(|| invalid("prompts/get needs name, the name of a prompt"))?;
    let arguments: Map<String, Value> = match params.find("arguments") {
        None | Some("null") => Map::new(),
        Some(json) => serde_json::from_str(json).map_err(|_| invalid("arguments must be an object"))?,
    };
    if let Some((name, _)) = arguments.iter().find(|(_, value)| !value.is_string()) {
        let name: String = name.chars().take(200).collect();
        return Err(invalid(format!("the argument {name:?} must be a string: those of prompts are")));
    }
    let retry = if revision.rules().asks_in_results { Retry::read(params)? } else { None };
    Ok(GetPrompt { name, arguments, retry })
}

/// The params of `resources/read`.
fn resource_params(params: &Members<'_>, revision: Revision) -> Result<ReadResource, ErrorObject> {
    let uri = optional_string(params, "uri")?
        .ok_or_else(|| invalid("resources/read needs uri, the URI of a resource"))?;
    let retry = if revision.rules().asks_in_results { Retry::read(params)? } else { None };
    Ok(ReadResource { uri, retry })
}

/// The params of `tools/call`. Arguments that are absent or null are none.
fn call_params(params: &Members<'_>, body: &Bytes, revision: Revision) -> Result<CallTool, ErrorObject> {
    let name = optional_string(params, "name")?
        .ok_or_else(|| invalid("tools/call needs name, the name of a tool"))?;
    let arguments = match params.find("arguments") {
        None | Some("null") => Bytes::from_static(b"{}"),
        Some(json) if json.starts_with('{') => body.slice_ref(json.as_bytes()),
        Some(_) => return Err(invalid("arguments must be an object")),
    };
    let retry = if revision.rules().asks_in_results { Retry::read(params)? } else { None };
    Ok(CallTool { name, arguments, retry })
}
