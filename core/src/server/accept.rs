//! From an HTTP request to a message, in one fixed order of checks. The first that fails answers.
//!
//! The order is part of what clients see, and of what protects the server: cheap checks that need no body come
//! first, and nothing is looked at that an earlier check could have refused.

use std::borrow::Cow;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method as HttpMethod, StatusCode};
use serde_json::json;

use super::builder::{HeaderMode, LegacyDates, Settings};
use super::rejection::Rejection;
use crate::context::{CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION};
use crate::header::{MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, Sent, decode_mirrored};
use crate::jsonrpc::{ErrorCode, ErrorObject, Id, Malformed, Members, Message, decode};
use crate::media::{self, Acceptable};
use crate::origin::Connection;
use crate::revision::{Era, Revision, is_legacy_date};
use crate::types::LogLevel;

/// What a request turned out to be.
pub(super) enum Accepted<'a> {
    Request(Incoming<'a>),
    /// A notification, or a response to a question: nothing to answer.
    Message(Unanswered<'a>),
    Preflight,
}

/// A message that is not answered.
pub(super) struct Unanswered<'a> {
    /// Of a legacy client.
    pub(super) revision: Option<Revision>,
    /// What it answers, and the result in JSON; without one it is an error.
    pub(super) answers: Option<(Id, Option<&'a str>)>,
}

/// A request that passed every check which needs no method.
pub(super) struct Incoming<'a> {
    pub(super) id: Id,
    pub(super) revision: Revision,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Members<'a>,
    pub(super) format: Format,
    /// Whether an event stream can be the answer, if it must be.
    pub(super) takes_events: bool,
}

/// How an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// For clients that do not name event streams: nothing is sent before the response.
    Json,
    /// JSON, or an event stream when something is to be said before the response.
    Either,
    /// For clients that take nothing else.
    EventStream,
}

impl Format {
    pub(super) fn streams(self) -> bool {
        match self {
            Self::Json => false,
            Self::Either | Self::EventStream => true,
        }
    }
}

pub(super) fn accept<'a>(
    settings: &Settings,
    head: &Parts,
    body: &'a Bytes,
    connection: Connection,
) -> Result<Accepted<'a>, Rejection> {
    settings
        .access
        .check(head, connection)
        .map_err(|refused| Rejection::http(StatusCode::FORBIDDEN, refused.to_string()))?;
    if head.method != HttpMethod::POST {
        if head.method == HttpMethod::OPTIONS && settings.cors.origin_of(&head.headers).is_some() {
            return Ok(Accepted::Preflight);
        }
        return Err(Rejection::http(StatusCode::METHOD_NOT_ALLOWED, "send a POST request"));
    }
    if !media::is_json(&head.headers) {
        return Err(Rejection::http(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Content-Type must be application/json",
        ));
    }
    if body.len() > settings.body_limit {
        let text = format!("the body is longer than {} bytes", settings.body_limit);
        return Err(Rejection::http(StatusCode::PAYLOAD_TOO_LARGE, text));
    }
    let acceptable = Acceptable::read(&head.headers);
    let format = match acceptable {
        Acceptable { json: true, named_event_stream: true, .. } => Format::Either,
        Acceptable { json: true, .. } => Format::Json,
        Acceptable { json: false, event_stream: true, .. } => Format::EventStream,
        Acceptable { json: false, event_stream: false, .. } => {
            let text = "Accept must allow application/json or text/event-stream";
            return Err(Rejection::http(StatusCode::NOT_ACCEPTABLE, text));
        }
    };
    match decode(body).map_err(malformed)? {
        Message::Request { id, method, params } => {
            let refuse = |error| Rejection::bad_request(Some(id.clone()), error);
            let revision = match era_of(settings, &head.headers, &method, &params) {
                Era::Modern => accept_modern(settings, &head.headers, &method, &params).map_err(refuse)?,
                Era::Legacy => legacy_revision(settings, &head.headers, &method, &params).map_err(refuse)?,
            };
            Ok(Accepted::Request(Incoming {
                id,
                revision,
                method,
                params,
                format,
                takes_events: acceptable.event_stream,
            }))
        }
        Message::Notification { method, params } => {
            let refuse = |error| Rejection::bad_request(None, error);
            let era = era_of(settings, &head.headers, &method, &params);
            let revision = if era == Era::Modern {
                check_notification(settings, &head.headers, &method, &params).map_err(refuse)?;
                None
            } else {
                Some(legacy_revision(settings, &head.headers, &method, &params).map_err(refuse)?)
            };
            Ok(Accepted::Message(Unanswered { revision, answers: None }))
        }
        Message::Response { id, result } => {
            let refuse = |error| Rejection::bad_request(None, error);
            let params = Members::default();
            if era_of(settings, &head.headers, "", &params) == Era::Modern {
                let text = "clients of this revision send no responses: answers go into a new request";
                return Err(refuse(ErrorObject::new(ErrorCode::InvalidRequest, text)));
            }
            let revision = legacy_revision(settings, &head.headers, "", &params).map_err(refuse)?;
            Ok(Accepted::Message(Unanswered { revision: Some(revision), answers: id.map(|id| (id, result)) }))
        }
    }
}

fn malformed(malformed: Malformed) -> Rejection {
    match malformed {
        Malformed::NotJson(why) => Rejection::bad_request(None, ErrorObject::new(ErrorCode::ParseError, why)),
        Malformed::NotAMessage(id, why) => {
            Rejection::bad_request(id, ErrorObject::new(ErrorCode::InvalidRequest, why))
        }
    }
}

/// A member of `_meta` or of the params, when it is a string.
fn text(json: Option<&str>) -> Option<Cow<'_, str>> {
    let json = json?;
    // Most strings have no escapes, and then what is between the quotes is the string.
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        Some(_) => serde_json::from_str(json).ok().map(Cow::Owned),
        None => None,
    }
}

/// Which era a message belongs to.
fn era_of(settings: &Settings, headers: &HeaderMap, method: &str, params: &Members<'_>) -> Era {
    if params.meta(PROTOCOL_VERSION).is_some() {
        return Era::Modern;
    }
    if method == "initialize" && settings.legacy_revisions().next().is_some() {
        return Era::Legacy;
    }
    match Sent::read(headers, &MCP_PROTOCOL_VERSION) {
        Sent::Nothing => settings.revisions.last().map_or(Era::Modern, |oldest| oldest.rules().era),
        Sent::Value(version) if is_legacy_date(version) => Era::Legacy,
        Sent::Value(_) | Sent::Unusable => Era::Modern,
    }
}

/// The revision of a legacy message.
fn legacy_revision(
    settings: &Settings,
    headers: &HeaderMap,
    method: &str,
    params: &Members<'_>,
) -> Result<Revision, ErrorObject> {
    let newest = settings.legacy_revisions().next();
    if method == "initialize" {
        // The version that was asked for, or the newest that has a handshake: never an error.
        let wanted = text(params.find("protocolVersion")).and_then(|version| Revision::parse(&version));
        let served = wanted.filter(|revision| revision.is_legacy() && settings.serves(*revision));
        return served.or(newest).ok_or_else(|| unsupported_date(settings, ""));
    }
    let oldest = settings.legacy_revisions().next_back();
    match Sent::read(headers, &MCP_PROTOCOL_VERSION) {
        Sent::Value(version) => {
            match Revision::parse(version).filter(|revision| settings.serves(*revision)) {
                Some(revision) => Ok(revision),
                None => oldest
                    .filter(|_| settings.legacy_dates == LegacyDates::Accept)
                    .ok_or_else(|| unsupported_date(settings, version)),
            }
        }
        Sent::Nothing | Sent::Unusable => oldest.ok_or_else(|| unsupported_date(settings, "")),
    }
}

fn unsupported_date(settings: &Settings, version: &str) -> ErrorObject {
    let list = settings.supported().join(", ");
    ErrorObject::new(
        ErrorCode::InvalidRequest,
        format!("protocol version {version:?} is not served here; these are: {list}"),
    )
}

fn header_mismatch(message: impl Into<Cow<'static, str>>) -> ErrorObject {
    ErrorObject::new(ErrorCode::HeaderMismatch, message)
}

/// Everything that a modern request must carry, whatever its method.
fn accept_modern(
    settings: &Settings,
    headers: &HeaderMap,
    method: &str,
    params: &Members<'_>,
) -> Result<Revision, ErrorObject> {
    let strict = settings.header_mode == HeaderMode::Strict;
    let declared = modern_version(settings, headers, params, strict)?;
    let revision = check_meta(settings, params, declared)?;
    check_mirrored(headers, method, params, strict)?;
    Ok(revision)
}

/// The version in `_meta`, compared with the header and the versions that are served.
fn modern_version(
    settings: &Settings,
    headers: &HeaderMap,
    params: &Members<'_>,
    required: bool,
) -> Result<Option<Revision>, ErrorObject> {
    let Some(version) = text(params.meta(PROTOCOL_VERSION)) else { return Ok(None) };
    match Sent::read(headers, &MCP_PROTOCOL_VERSION) {
        Sent::Value(header) if header == version => {}
        Sent::Nothing if !required => {}
        Sent::Nothing => return Err(header_mismatch("the header MCP-Protocol-Version is missing")),
        Sent::Value(_) | Sent::Unusable => {
            return Err(header_mismatch("the header MCP-Protocol-Version differs from the version in _meta"));
        }
    }
    let revision = Revision::parse(&version).filter(|revision| settings.serves(*revision));
    match revision {
        Some(revision) if !revision.is_legacy() => Ok(Some(revision)),
        other => {
            let hint = if other.is_some() { ": open it with `initialize`" } else { "" };
            Err(unsupported_version(settings, &version, &format!(" in _meta{hint}")))
        }
    }
}

/// A version that is not served, `place` saying where.
fn unsupported_version(settings: &Settings, version: &str, place: &str) -> ErrorObject {
    let shortened: String = version.chars().take(100).collect();
    let text = format!("protocol version {shortened:?} is not served{place}");
    let data = json!({ "supported": settings.supported(), "requested": version });
    ErrorObject::new(ErrorCode::UnsupportedProtocolVersion, text).with_data(data)
}

/// The members of `_meta` that every modern request carries.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta>
fn check_meta(
    settings: &Settings,
    params: &Members<'_>,
    declared: Option<Revision>,
) -> Result<Revision, ErrorObject> {
    let invalid = |what: &str| {
        let list = settings.supported().join(", ");
        let text = format!("_meta: {what}; the versions served here are {list}");
        ErrorObject::new(ErrorCode::InvalidParams, text)
    };
    let is_object = |json: &str| json.starts_with('{');
    let Some(revision) = declared else {
        return Err(invalid("io.modelcontextprotocol/protocolVersion must be there, as a string"));
    };
    if !params.meta(CLIENT_CAPABILITIES).is_some_and(is_object) {
        return Err(invalid("io.modelcontextprotocol/clientCapabilities must be there, as an object"));
    }
    if !params.meta(CLIENT_INFO).is_none_or(is_object) {
        return Err(invalid("io.modelcontextprotocol/clientInfo must be an object"));
    }
    if let Some(level) = params.meta(LOG_LEVEL)
        && LogLevel::read(level).is_none()
    {
        return Err(invalid("io.modelcontextprotocol/logLevel is not a level"));
    }
    Ok(revision)
}

/// The param that `Mcp-Name` repeats, for the methods that have one.
fn mirrored_param(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

fn check_method_header(headers: &HeaderMap, method: &str, required: bool) -> Result<(), ErrorObject> {
    match Sent::read(headers, &MCP_METHOD) {
        Sent::Value(header) if header == method => Ok(()),
        Sent::Nothing if !required => Ok(()),
        Sent::Nothing => Err(header_mismatch("the header Mcp-Method is missing")),
        Sent::Value(_) | Sent::Unusable => {
            Err(header_mismatch("the header Mcp-Method differs from the method"))
        }
    }
}

fn check_mirrored(
    headers: &HeaderMap,
    method: &str,
    params: &Members<'_>,
    strict: bool,
) -> Result<(), ErrorObject> {
    check_method_header(headers, method, strict)?;
    let Some(param) = mirrored_param(method) else { return Ok(()) };
    let header = match Sent::read(headers, &MCP_NAME) {
        Sent::Nothing if !strict => return Ok(()),
        Sent::Nothing => {
            return Err(header_mismatch(format!("the header Mcp-Name is missing: it repeats {param}")));
        }
        Sent::Unusable => {
            return Err(header_mismatch("the header Mcp-Name has invalid characters or several values"));
        }
        Sent::Value(header) => decode_mirrored(header)
            .ok_or_else(|| header_mismatch("the header Mcp-Name is not valid Base64 of UTF-8"))?,
    };
    if text(params.find(param)).is_some_and(|value| value == header) {
        Ok(())
    } else {
        Err(header_mismatch(format!("the header Mcp-Name differs from {param}")))
    }
}

/// A modern notification needs no headers and no `_meta`; what it does send must be right.
fn check_notification(
    settings: &Settings,
    headers: &HeaderMap,
    method: &str,
    params: &Members<'_>,
) -> Result<(), ErrorObject> {
    let declared = modern_version(settings, headers, params, false)?;
    if declared.is_none()
        && let Sent::Value(version) = Sent::read(headers, &MCP_PROTOCOL_VERSION)
        && !Revision::parse(version).is_some_and(|revision| settings.serves(revision))
    {
        return Err(unsupported_version(settings, version, " here"));
    }
    check_method_header(headers, method, false)
}
