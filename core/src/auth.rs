//! Bearer tokens: a server that only lets in who has one, and tells clients where to get it.
//!
//! The server is an OAuth 2.1 resource server then. It checks tokens with a function of the application's, and issues none.
//!
//! ```
//! use mcp_http::auth::{BearerAuth, Grant};
//! use mcp_http::{Server, ToolSet};
//!
//! # fn look_up(token: &str) -> Option<&'static str> { (token == "secret").then_some("ann") }
//! let auth = BearerAuth::new(async |token: String| {
//!     // Decode a JWT, ask the authorization server … and make sure that the token was issued for this server.
//!     look_up(&token).map(|name| Grant::new(name).scopes(["orders:read"]))
//! })
//! .authorization_server("https://login.example.com")
//! .require_scope("orders:read");
//! let server = Server::builder("orders", "1.0.0").tools(ToolSet::new()).bearer_auth(auth).build()?;
//! # drop(server);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! A request without a token that is good is answered 401, one whose token lacks a scope 403, before its body is read. Both
//! say where the protected resource metadata is (RFC 9728), which is served at
//! `/.well-known/oauth-protected-resource` followed by the endpoint's path. The adapters route it there; in a router of
//! your own, give that path to the same service.
//!
//! A token never goes further than this: what a tool asks of others, it asks with credentials of its own.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization>

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::header::{AUTHORIZATION, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use serde_json::{Value, json};

use crate::context::Principal;
use crate::origin::is_loopback_name;
use crate::registry::Reply;

/// Where clients look for protected resource metadata, before the path of the endpoint.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What a token allows. Tools find it with [`CallContext::get`](crate::CallContext::get).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    principal: Principal,
    scopes: Vec<String>,
}

impl Grant {
    /// The token is this caller's.
    pub fn new(principal: impl Into<Arc<str>>) -> Self {
        Self { principal: Principal::new(principal), scopes: Vec::new() }
    }

    /// What the caller may do with it. A scope that implies others is to be given with them.
    #[must_use]
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { scopes: scopes.into_iter().map(Into::into).collect(), ..self }
    }

    /// Who is calling.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether the token has this scope.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|own| own == scope)
    }
}

/// A token could not be checked.
type CheckFailed = Box<dyn Error + Send + Sync>;

/// What a check of tokens gives: a [`Grant`], or `None` for a token that is not good, expired or not for this server.
pub trait IntoVerdict {
    /// Converts it.
    ///
    /// # Errors
    /// When the token could not be checked, say because the authorization server does not answer. The client is told to
    /// try again later, the reason is logged.
    fn into_verdict(self) -> Result<Option<Grant>, CheckFailed>;
}

impl IntoVerdict for Option<Grant> {
    fn into_verdict(self) -> Result<Option<Grant>, CheckFailed> {
        Ok(self)
    }
}

impl<E: Into<CheckFailed>> IntoVerdict for Result<Option<Grant>, E> {
    fn into_verdict(self) -> Result<Option<Grant>, CheckFailed> {
        self.map_err(Into::into)
    }
}

/// Functions that check tokens: `Fn(String)`, sync or async, of a result that is [`IntoVerdict`].
///
/// `Marker` only tells the shapes apart; it is always inferred.
pub trait CheckToken<Marker>: Send + Sync + 'static {
    /// Checks a token.
    fn check(&self, token: String) -> Reply<'static, Result<Option<Grant>, CheckFailed>>;
}

#[doc(hidden)]
#[derive(Debug)]
pub struct Direct;
#[doc(hidden)]
#[derive(Debug)]
pub struct Awaited;

impl<F, R> CheckToken<Direct> for F
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: IntoVerdict,
{
    fn check(&self, token: String) -> Reply<'static, Result<Option<Grant>, CheckFailed>> {
        Reply::Now(self(token).into_verdict())
    }
}

impl<F, Fut> CheckToken<Awaited> for F
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoVerdict> + Send + 'static,
{
    fn check(&self, token: String) -> Reply<'static, Result<Option<Grant>, CheckFailed>> {
        let verdict = self(token);
        Reply::later(async move { verdict.await.into_verdict() })
    }
}

type Check = dyn Fn(String) -> Reply<'static, Result<Option<Grant>, CheckFailed>> + Send + Sync;

/// Lets in who has a bearer token. See [the module](self).
#[must_use = "a check of tokens does nothing before a server has it"]
pub struct BearerAuth {
    check: Box<Check>,
    authorization_servers: Vec<String>,
    required: Vec<String>,
    public_url: Option<String>,
}

impl fmt::Debug for BearerAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BearerAuth")
            .field("authorization_servers", &self.authorization_servers)
            .field("required", &self.required)
            .field("public_url", &self.public_url)
            .finish_non_exhaustive()
    }
}

/// Why a request is not let in.
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) text: &'static str,
    /// The value of `WWW-Authenticate`.
    pub(crate) challenge: Option<HeaderValue>,
}

impl BearerAuth {
    /// Checks tokens with this function. It has to see to it that a token was issued for this server and has not expired.
    pub fn new<Marker>(check: impl CheckToken<Marker>) -> Self {
        Self {
            check: Box::new(move |token| check.check(token)),
            authorization_servers: Vec::new(),
            required: Vec::new(),
            public_url: None,
        }
    }

    /// Where clients get tokens: the issuer's URL. At least one is needed.
    pub fn authorization_server(mut self, issuer: impl Into<String>) -> Self {
        self.authorization_servers.push(issuer.into());
        self
    }

    /// Only lets in tokens that have this scope, beside others that are required.
    pub fn require_scope(mut self, scope: impl Into<String>) -> Self {
        self.required.push(scope.into());
        self
    }

    /// The URL of the endpoint as clients write it, such as `https://example.com/mcp`. Without this it is made of the name in
    /// `Host`, with `https` unless that is a loopback name; behind a gateway that changes paths or names, it has to be told.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Whether it says where tokens come from.
    pub(crate) fn is_complete(&self) -> bool {
        !self.authorization_servers.is_empty()
    }

    /// Checks the token of a request.
    pub(crate) async fn admit(&self, head: &Parts) -> Result<Grant, Refused> {
        let refuse = |status, text, error: Option<&str>| Refused {
            status,
            text,
            challenge: self.challenge(head, error),
        };
        let mut values = head.headers.get_all(AUTHORIZATION).iter();
        let token = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(_), Some(_)) => {
                let text = "there is more than one Authorization header";
                return Err(refuse(StatusCode::BAD_REQUEST, text, Some("invalid_request")));
            }
            (Some(value), None) => bearer(value),
        };
        let Some(token) = token else {
            return Err(refuse(StatusCode::UNAUTHORIZED, "this server needs a bearer token", None));
        };
        let grant = match (self.check)(token.to_owned()).wait().await {
            Ok(Some(grant)) => grant,
            Ok(None) => {
                let text = "the token is not good, has expired, or is not for this server";
                return Err(refuse(StatusCode::UNAUTHORIZED, text, Some("invalid_token")));
            }
            Err(error) => {
                tracing::error!(error, "a token could not be checked");
                let text = "tokens cannot be checked at the moment";
                return Err(Refused { status: StatusCode::SERVICE_UNAVAILABLE, text, challenge: None });
            }
        };
        if self.required.iter().all(|scope| grant.has_scope(scope)) {
            Ok(grant)
        } else {
            let text = "the token does not allow this";
            Err(refuse(StatusCode::FORBIDDEN, text, Some("insufficient_scope")))
        }
    }

    fn challenge(&self, head: &Parts, error: Option<&str>) -> Option<HeaderValue> {
        let mut challenge = "Bearer".to_owned();
        let mut separator = ' ';
        let mut add = |name: &str, value: &str| {
            challenge.push(separator);
            separator = ',';
            // What is not to be in a quoted string is in no URL and no scope.
            let value = value.replace(['"', '\\'], "");
            challenge.push_str(&format!("{name}=\"{value}\""));
        };
        if let Some(error) = error {
            add("error", error);
        }
        if !self.required.is_empty() {
            add("scope", &self.required.join(" "));
        }
        if let Some(url) = self.metadata_url(head) {
            add("resource_metadata", &url);
        }
        HeaderValue::try_from(challenge).ok()
    }

    /// Where the metadata of the endpoint is that a request came to.
    fn metadata_url(&self, head: &Parts) -> Option<String> {
        let resource = self.resource(&head.headers, head.uri.path())?;
        let (scheme, rest) = resource.split_once("://")?;
        let (authority, path) =
            rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        let slash = if path.is_empty() { "" } else { "/" };
        Some(format!("{scheme}://{authority}{WELL_KNOWN}{slash}{path}"))
    }

    /// The path of the metadata of an endpoint at a path.
    pub(crate) fn metadata_path(&self, endpoint: &str) -> String {
        let public = self.public_url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        let path = public.as_ref().map_or(endpoint, Uri::path).trim_end_matches('/');
        format!("{WELL_KNOWN}{path}")
    }

    /// The URL of the endpoint at a path.
    fn resource(&self, headers: &HeaderMap, path: &str) -> Option<String> {
        if let Some(url) = &self.public_url {
            return Some(url.clone());
        }
        let authority: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
        let scheme = if is_loopback_name(authority.host()) { "http" } else { "https" };
        Some(format!("{scheme}://{authority}{}", path.trim_end_matches('/')))
    }

    /// The metadata that a request asks for, if it does.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc9728>
    pub(crate) fn metadata(&self, head: &Parts) -> Option<Value> {
        let (_, path) = head.uri.path().split_once(WELL_KNOWN)?;
        // Without a path nobody could tell which endpoint is meant, unless there is but one.
        if !path.starts_with('/') && (!path.is_empty() || self.public_url.is_none()) {
            return None;
        }
        let mut metadata = json!({
            "resource": self.resource(&head.headers, path)?,
            "authorization_servers": self.authorization_servers,
            "bearer_methods_supported": ["header"],
        });
        if let (Some(members), false) = (metadata.as_object_mut(), self.required.is_empty()) {
            members.insert("scopes_supported".to_owned(), json!(self.required));
        }
        Some(metadata)
    }
}

/// The token in a header.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.trim_ascii().split_once(' ')?;
    let token = token.trim_ascii();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
