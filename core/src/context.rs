//! What a tool can know of the call it serves.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use serde_json::Value;

use crate::jsonrpc::{Message, decode};
use crate::origin::Connection;
use crate::revision::Revision;
use crate::runtime::{Runtime, reference};
use crate::types::{ClientCapabilities, Implementation};

pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Who is calling, as the application's own authentication found out: an opaque name.
///
/// Middleware leaves one in the request's extensions, or [`ServerBuilder::principal`] makes one of the request's
/// head. Without one the caller is anonymous. What is decided per caller is decided by this and nothing else.
///
/// [`ServerBuilder::principal`]: crate::ServerBuilder::principal
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// A principal of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One call, seen from the application: who calls, how, and what the request carried. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallContext(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    revision: Revision,
    principal: Option<Principal>,
    head: Parts,
    body: Bytes,
    connection: Connection,
    runtime: Arc<dyn Runtime>,
}

/// Where a call belongs in a distributed trace.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta>
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceContext {
    /// W3C Trace Context: `version-trace_id-parent_id-flags`.
    pub traceparent: Option<String>,
    /// W3C Trace Context, vendor data.
    pub tracestate: Option<String>,
    /// W3C Baggage.
    pub baggage: Option<String>,
}

impl CallContext {
    pub(crate) fn new(
        revision: Revision,
        principal: Option<Principal>,
        head: Parts,
        body: Bytes,
        connection: Connection,
        runtime: Arc<dyn Runtime>,
    ) -> Self {
        Self(Arc::new(Inner { revision, principal, head, body, connection, runtime }))
    }

    /// The revision that the call is answered in. Tools rarely need it: answers are projected for older clients.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Who is calling; `None` is anonymous.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal.as_ref()
    }

    /// The head of the HTTP request.
    #[must_use]
    pub fn head(&self) -> &Parts {
        &self.0.head
    }

    /// The headers of the HTTP request.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.0.head.headers
    }

    /// What middleware left in the request's extensions.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.head.extensions.get()
    }

    /// The connection that the call came on.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.0.connection
    }

    /// Who the client says it is; `None` when this request does not tell. Unverified: for display and logs.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        serde_json::from_value(self.meta(CLIENT_INFO)?).ok()
    }

    /// What the client declared it can do; `None` when this request does not tell, which is not "nothing".
    #[must_use]
    pub fn client_capabilities(&self) -> Option<ClientCapabilities> {
        let Value::Object(members) = self.meta(CLIENT_CAPABILITIES)? else { return None };
        Some(ClientCapabilities::new(members))
    }

    /// The trace that the call belongs to, as far as the request tells.
    #[must_use]
    pub fn trace_context(&self) -> TraceContext {
        let text = |key| match self.meta(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        TraceContext {
            traceparent: text("traceparent"),
            tracestate: text("tracestate"),
            baggage: text("baggage"),
        }
    }

    /// A member of the request's `_meta`, read again from the body at each call.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<Value> {
        match decode(&self.0.body) {
            Ok(Message::Request { params, .. }) => serde_json::from_str(params.meta(key)?).ok(),
            _ => None,
        }
    }

    /// The time since the beginning of 1970, UTC, on whatever clock the transport has.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.0.runtime.now()
    }

    pub(crate) fn reference(&self) -> String {
        reference(&*self.0.runtime)
    }

    /// Waits, without blocking a thread, on whatever timer the transport has.
    pub async fn sleep(&self, duration: Duration) {
        self.0.runtime.sleep(duration).await;
    }
}
