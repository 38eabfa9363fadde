//! Who may connect: the policies on `Origin` and `Host`.
//!
//! In DNS rebinding both headers are the attacker's name, so that they agree proves nothing: a server that listens
//! on a loopback address also looks at the name it was called by.
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-%26-endpoint>

use core::net::{IpAddr, SocketAddr}; // addresses as values: no sockets here
use std::fmt;
use std::time::Duration;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Uri};

/// Whether a host, without its port, is this machine.
pub(crate) fn is_loopback_name(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    // The usual one first: parsing an address is work.
    bare == "127.0.0.1"
        || host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// What the transport knows of the connection that a request came on.
///
/// A tower stack without an adapter puts one into the request's extensions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connection {
    /// The address that the client connected to; `None` where the host does not tell.
    pub local_addr: Option<SocketAddr>,
    /// The address of the client, or of the proxy in front.
    pub peer_addr: Option<SocketAddr>,
    /// What runs the server.
    pub host: Host,
    /// How much time is left for the answer, where the host stops the process then. It bounds a call like a
    /// [deadline](crate::ServerBuilder::deadline).
    pub time_left: Option<Duration>,
}

/// What runs a server, as far as it decides what can be sent to a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Host {
    /// A process that stays, and whose clients come back to it.
    #[default]
    Process,
    /// A function that is started for a request: the next one meets another. Nobody can listen to it for changes, and
    /// clients of older revisions cannot be asked, since their answers come in a request of their own.
    Function {
        /// Whether it can send something before the response is there.
        streams: bool,
    },
}

impl Host {
    /// Whether something can be sent before the response.
    pub(crate) fn streams(self) -> bool {
        match self {
            Self::Process => true,
            Self::Function { streams } => streams,
        }
    }

    /// Whether the next request of a client meets what this one left here.
    pub(crate) fn stays(self) -> bool {
        self == Self::Process
    }
}

impl Connection {
    /// Whether the client connected to a loopback address. A socket that is bound to every address tells none, but
    /// then a loopback peer gives it away.
    fn is_loopback(&self) -> bool {
        let is_loopback = |ip: IpAddr| ip.to_canonical().is_loopback();
        match self.local_addr.map(|local| local.ip()) {
            Some(local) if local.is_unspecified() => {
                self.peer_addr.is_some_and(|peer| is_loopback(peer.ip()))
            }
            Some(local) => is_loopback(local),
            None => false,
        }
    }
}

/// Which names in `Host` are served.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HostPolicy {
    /// On a connection to a loopback address only loopback names (`localhost`, `127.0.0.0/8`, `[::1]`, any port);
    /// any name on other connections, and where the transport does not know the address.
    #[default]
    Auto,
    /// These names: `example.com` for any port, `example.com:8443` for one. For a reverse proxy on the same machine.
    ///
    /// Loopback names are served too, but only to connections that arrive on a loopback address.
    List(Vec<String>),
    /// Any name.
    Any,
}

/// An origin as browsers write it: `https://app.example:8443`, or `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Null,
    Tuple { scheme: String, host: String, port: Option<u16> },
}

/// A setting that is not an origin.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0:?} is not an origin: write scheme://host or scheme://host:port, or null")]
pub struct NotAnOrigin(String);

impl Origin {
    pub(crate) fn parse(text: &str) -> Result<Self, NotAnOrigin> {
        let refuse = || NotAnOrigin(text.to_owned());
        if text == "null" {
            return Ok(Self::Null);
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(refuse)?;
        let authority: Authority = rest.parse().map_err(|_| refuse())?;
        if scheme.is_empty() || rest.contains('@') || authority.host().is_empty() {
            return Err(refuse());
        }
        let scheme = scheme.to_ascii_lowercase();
        let default_port = match &*scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = match authority.port() {
            None => default_port,
            Some(port) => Some(port.as_u16()),
        };
        Ok(Self::Tuple { scheme, host: authority.host().to_ascii_lowercase(), port })
    }
}

/// The settings of a server about who may connect.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccessPolicy {
    pub(crate) host: HostPolicy,
    pub(crate) origins: Vec<Origin>,
}

/// Why a connection is refused: the value, and the setting that would allow it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Host(String),
    Origin(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(value) if value.is_empty() => f.write_str("the request has no Host header"),
            Self::Host(value) => write!(
                f,
                "the host {value:?} is not served here; a server behind a proxy allows it with the setting `allowed_hosts`"
            ),
            Self::Origin(value) => write!(
                f,
                "the origin {value:?} is not allowed; the server allows it with the setting `allowed_origin`"
            ),
        }
    }
}

impl AccessPolicy {
    pub(crate) fn check(&self, head: &Parts, connection: Connection) -> Result<(), Refused> {
        let host = RequestHost::read(head);
        if !self.serves(&host, connection) {
            return Err(Refused::Host(host.shown()));
        }
        let mut origins = head.headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(()) };
        if origins.next().is_some() || !self.allows(origin, &host) {
            return Err(Refused::Origin(shown(origin.as_bytes())));
        }
        Ok(())
    }

    fn serves(&self, host: &RequestHost<'_>, connection: Connection) -> bool {
        let on_loopback = connection.is_loopback();
        match &self.host {
            HostPolicy::Any => true,
            HostPolicy::Auto => !on_loopback || host.is_loopback(),
            HostPolicy::List(names) => {
                (on_loopback && host.is_loopback()) || names.iter().any(|name| host.is(name))
            }
        }
    }

    fn allows(&self, origin: &HeaderValue, host: &RequestHost<'_>) -> bool {
        let Some(origin) = origin.to_str().ok().and_then(|text| Origin::parse(text.trim_ascii()).ok()) else {
            return false;
        };
        let same_host = match (&origin, host) {
            (Origin::Tuple { host: theirs, .. }, RequestHost::Name { host: ours, .. }) => {
                ours.eq_ignore_ascii_case(theirs)
            }
            _ => false,
        };
        same_host || self.origins.contains(&origin)
    }
}

/// The name that the server was called by: `Host`, or HTTP/2's `:authority`.
#[derive(Debug)]
enum RequestHost<'a> {
    Missing,
    Invalid(&'a [u8]),
    Name { host: &'a str, port: Option<&'a str> },
}

impl<'a> RequestHost<'a> {
    fn read(head: &'a Parts) -> Self {
        let mut values = head.headers.get_all(HOST).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => Self::parse(value.as_bytes()).unwrap_or(Self::Invalid(value.as_bytes())),
            (Some(value), Some(_)) => Self::Invalid(value.as_bytes()),
            (None, _) => {
                let authority = Uri::authority(&head.uri).map(|name| name.as_str().as_bytes());
                authority.map_or(Self::Missing, |name| Self::parse(name).unwrap_or(Self::Invalid(name)))
            }
        }
    }

    /// Splits `host`, `host:port` or `[address]:port`.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc9110#section-7.2>
    fn parse(value: &'a [u8]) -> Option<Self> {
        let is_allowed =
            |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'@' | b'/' | b'\\' | b'?' | b'#');
        let text = std::str::from_utf8(value).ok().filter(|text| text.as_bytes().iter().all(is_allowed))?;
        let end = if text.starts_with('[') {
            text.find(']')?.checked_add(1)?
        } else {
            text.find(':').unwrap_or(text.len())
        };
        let (host, rest) = text.split_at_checked(end)?;
        let port = match rest.strip_prefix(':') {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port),
            None if rest.is_empty() => None,
            Some(_) | None => return None,
        };
        (!host.is_empty()).then_some(Self::Name { host, port })
    }

    fn is_loopback(&self) -> bool {
        matches!(self, Self::Name { host, .. } if is_loopback_name(host))
    }

    /// Whether this is the configured name, which holds for every port when it has none.
    fn is(&self, configured: &str) -> bool {
        let Self::Name { host, port } = self else { return false };
        let same = |name: &str| host.eq_ignore_ascii_case(name);
        same(configured)
            || configured.rsplit_once(':').is_some_and(|(name, wanted)| same(name) && *port == Some(wanted))
    }

    fn shown(&self) -> String {
        match self {
            Self::Missing => String::new(),
            Self::Invalid(bytes) => shown(bytes),
            Self::Name { host, port: None } => shown(host.as_bytes()),
            Self::Name { host, port: Some(port) } => shown(format!("{host}:{port}").as_bytes()),
        }
    }
}

/// A header value for an error text: long ones are cut.
fn shown(value: &[u8]) -> String {
    String::from_utf8_lossy(value.get(..200).unwrap_or(value)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    fn on(local: &str) -> Connection {
        Connection { local_addr: Some(local.parse().unwrap()), ..Connection::default() }
    }

    fn head(host: Option<&str>, origin: Option<&str>) -> Parts {
        let mut request = Request::post("/mcp");
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[track_caller]
    fn host(policy: &HostPolicy, local: &str, name: &str, served: bool) {
        let policy = AccessPolicy { host: policy.clone(), origins: Vec::new() };
        assert_eq!(policy.check(&head(Some(name), None), on(local)).is_ok(), served, "{name} on {local}");
    }

    #[test]
    fn on_a_loopback_address_only_loopback_names_are_served() {
        for name in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1",
            "127.8.9.10:1",
            "[::1]",
            "[::1]:8080",
            "[::ffff:127.0.0.1]",
        ] {
            host(&HostPolicy::Auto, "127.0.0.1:8080", name, true);
            host(&HostPolicy::Auto, "[::1]:8080", name, true);
        }
        for name in [
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "127.0.0.1.evil.example",
            "[::2]",
            "a@localhost",
        ] {
            host(&HostPolicy::Auto, "127.0.0.1:8080", name, false);
            host(&HostPolicy::Auto, "[::ffff:127.0.0.1]:8080", name, false);
        }
    }

    #[test]
    fn a_socket_bound_to_every_address_is_on_loopback_for_loopback_peers() {
        let evil = head(Some("evil.example"), None);
        for (peer, served) in [("127.0.0.1:9", false), ("[::ffff:127.0.0.1]:9", false), ("10.0.0.1:9", true)]
        {
            let connection = Connection {
                local_addr: Some("0.0.0.0:80".parse().unwrap()),
                peer_addr: Some(peer.parse().unwrap()),
                ..Connection::default()
            };
            assert_eq!(AccessPolicy::default().check(&evil, connection).is_ok(), served, "{peer}");
        }
    }

    #[test]
    fn elsewhere_any_name_is_served() {
        host(&HostPolicy::Auto, "10.0.0.1:80", "mcp.example.com", true);
        let policy = AccessPolicy::default();
        assert_eq!(policy.check(&head(Some("mcp.example.com"), None), Connection::default()), Ok(()));
        assert_eq!(policy.check(&head(None, None), Connection::default()), Ok(()));
        assert!(policy.check(&head(None, None), on("127.0.0.1:1")).is_err());
    }

    #[test]
    fn a_list_of_hosts_keeps_loopback_names_for_loopback_connections() {
        let list = HostPolicy::List(vec!["mcp.example.com".into(), "other.example:8443".into()]);
        host(&list, "127.0.0.1:80", "MCP.example.com:444", true);
        host(&list, "127.0.0.1:80", "other.example:8443", true);
        host(&list, "127.0.0.1:80", "localhost", true);
        host(&list, "127.0.0.1:80", "other.example", false);
        host(&list, "127.0.0.1:80", "evil.example", false);
        host(&list, "10.0.0.1:80", "localhost", false);
        host(&HostPolicy::Any, "127.0.0.1:80", "evil.example", true);
    }

    #[track_caller]
    fn origin(listed: &[&str], name: &str, allowed: bool) {
        let origins = listed.iter().map(|text| Origin::parse(text).unwrap()).collect();
        let policy = AccessPolicy { host: HostPolicy::Any, origins };
        assert_eq!(
            policy.check(&head(Some("mcp.example:8080"), Some(name)), on("127.0.0.1:80")).is_ok(),
            allowed,
            "{name}"
        );
    }

    #[test]
    fn an_origin_passes_on_the_same_host_or_when_it_is_listed() {
        origin(&[], "https://mcp.example", true);
        origin(&[], "http://MCP.example:1", true);
        for other in [
            "https://evil.example",
            "https://mcp.example.evil.example",
            "null",
            "",
            "mcp.example",
            "https://mcp.example@evil.example",
        ] {
            origin(&[], other, false);
        }
        origin(&["https://app.example"], "https://app.example", true);
        origin(&["https://app.example"], "https://app.example:443", true);
        origin(&["https://app.example"], "http://app.example", false);
        origin(&["https://app.example"], "https://app.example:8443", false);
        origin(&["null"], "null", true);
    }

    #[test]
    fn two_origins_or_two_hosts_are_refused() {
        let mut twice = head(Some("localhost"), Some("http://localhost"));
        twice.headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        assert!(AccessPolicy::default().check(&twice, on("127.0.0.1:1")).is_err());
        let mut twice = head(Some("localhost"), None);
        twice.headers.append(HOST, HeaderValue::from_static("localhost"));
        assert!(AccessPolicy::default().check(&twice, on("127.0.0.1:1")).is_err());
    }
}
