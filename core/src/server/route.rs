//! Which method a request names, and who answers it.

use std::borrow::Cow;

use bytes::Bytes;
use http::request::Parts;

use super::accept::Incoming;
use super::ask::Retry;
use super::call::{Answer, Call, CallTool, Question};
use super::{Exchange, Step};
use crate::jsonrpc::{ErrorCode, ErrorObject, Members};
use crate::origin::Connection;
use crate::revision::{Method, Revision};
use crate::types::LogLevel;

pub(super) fn route(
    exchange: Exchange,
    incoming: Incoming<'_>,
    head: Parts,
    body: Bytes,
    connection: Connection,
) -> Step {
    let span = tracing::Span::current();
    span.record("method", &*incoming.method).record("revision", incoming.revision.as_str());
    let exists = |method: &Method| {
        let declared = match method {
            Method::Initialize | Method::Ping | Method::Discover => true,
            Method::ListTools | Method::CallTool => exchange.server().tools.is_some(),
            Method::SetLogLevel => exchange.server().settings.logging,
        };
        declared && incoming.revision.rules().methods.contains(method)
    };
    let params = &incoming.params;
    let question = match Method::parse(&incoming.method).filter(exists) {
        None => return unknown(exchange, &incoming.method),
        Some(Method::Ping) => return answer(exchange, Answer::Empty),
        Some(Method::Discover) => return answer(exchange, Answer::Opening),
        Some(Method::Initialize) => {
            return match optional_string(params, "protocolVersion") {
                Ok(Some(_)) => answer(exchange, Answer::Opening),
                Ok(None) | Err(_) => {
                    answer(exchange, Answer::Error(invalid("initialize needs protocolVersion, a string")))
                }
            };
        }
        Some(Method::SetLogLevel) => {
            // Nothing remembers it: the next request may come to another process.
            return match params.find("level").and_then(LogLevel::read) {
                Some(_) => answer(exchange, Answer::Empty),
                None => {
                    answer(exchange, Answer::Error(invalid("logging/setLevel needs level, one of the eight")))
                }
            };
        }
        Some(Method::ListTools) => match optional_string(params, "cursor") {
            Ok(cursor) => Question::ListTools { cursor },
            Err(error) => return answer(exchange, Answer::Error(error)),
        },
        Some(Method::CallTool) => match call_params(params, &body, incoming.revision) {
            Ok(call) => {
                span.record("tool", &*call.name);
                Question::CallTool(call)
            }
            Err(error) => return answer(exchange, Answer::Error(error)),
        },
    };
    match exchange.server().tools.clone() {
        Some(registry) => {
            let (server, streams) = (exchange.server().clone(), exchange.streams());
            let revision = incoming.revision;
            Step::Call(
                Call { server, registry, question, revision, head, body, connection, streams },
                exchange,
            )
        }
        None => unknown(exchange, &incoming.method),
    }
}

fn answer(exchange: Exchange, answer: Answer) -> Step {
    Step::Respond(exchange.finish(answer.into()))
}

fn unknown(exchange: Exchange, method: &str) -> Step {
    let name: String = method.chars().take(100).collect();
    let mut text = format!("unknown method: {name}");
    if method == "initialize" {
        // The clients that still send it want to know what to speak instead.
        text = format!(
            "{text}; the versions served here are {}",
            exchange.server().settings.supported().join(", ")
        );
    }
    answer(exchange, Answer::Error(ErrorObject::new(ErrorCode::MethodNotFound, text)))
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
