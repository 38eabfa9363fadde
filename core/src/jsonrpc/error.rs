use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// The error codes that this crate sends.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(into = "i32")]
#[non_exhaustive]
pub enum ErrorCode {
    /// -32700: the body is not JSON.
    ParseError,
    /// -32600: JSON, but not one JSON-RPC message; also the body of a refusal that HTTP has a status for.
    InvalidRequest,
    /// -32601: this server has no such method at this revision.
    MethodNotFound,
    /// -32602: the params are not what the method takes, or name something that does not exist.
    InvalidParams,
    /// -32603: the server failed.
    InternalError,
    /// -32002: there is no such resource. Revisions before 2026-07-28 only.
    ResourceNotFound,
    /// -32020: a header and the body disagree, or a required header is missing. Revision 2026-07-28 only.
    HeaderMismatch,
    /// -32021: the request needs a capability that the client did not declare. Revision 2026-07-28 only.
    MissingRequiredClientCapability,
    /// -32022: the revision in `_meta` is not served here. Revision 2026-07-28 only.
    UnsupportedProtocolVersion,
}

impl From<ErrorCode> for i32 {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::ParseError => -32700,
            ErrorCode::InvalidRequest => -32600,
            ErrorCode::MethodNotFound => -32601,
            ErrorCode::InvalidParams => -32602,
            ErrorCode::InternalError => -32603,
            ErrorCode::ResourceNotFound => -32002,
            ErrorCode::HeaderMismatch => -32020,
            ErrorCode::MissingRequiredClientCapability => -32021,
            ErrorCode::UnsupportedProtocolVersion => -32022,
        }
    }
}

/// The `error` member of a response.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ErrorObject {
    pub(crate) code: ErrorCode,
    pub(crate) message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl ErrorObject {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}
