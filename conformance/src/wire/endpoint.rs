use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Instant;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use url::{Host, Url};

use super::connection::{Connection, Stream};
use super::{Limits, Request, Response, WireError};

/// Where a server is.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: Url,
    address: String,
    host: String,
    tls: Option<(ServerName<'static>, Arc<ClientConfig>)>,
    limits: Limits,
}

/// Why a text is no endpoint.
#[derive(Debug, thiserror::Error)]
#[error("\"{given}\" is no endpoint: {reason}")]
pub struct BadUrl {
    given: String,
    reason: String,
}

impl Endpoint {
    /// An endpoint at an `http` or `https` URL.
    ///
    /// # Errors
    /// When it is no such URL, has credentials in it, or the system has no certificates to trust.
    pub fn parse(given: &str) -> Result<Self, BadUrl> {
        let bad = |reason: &str| BadUrl { given: given.to_owned(), reason: reason.to_owned() };
        let url = Url::parse(given)
            .map_err(|error| bad(&format!("{error}; write it like http://127.0.0.1:3000/mcp")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("its scheme is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("it has credentials; send them with --header"));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(bad("it names no host"));
        };
        let address = match host {
            Host::Ipv6(address) => format!("[{address}]:{port}"),
            Host::Ipv4(_) | Host::Domain(_) => format!("{host}:{port}"),
        };
        let tls = if url.scheme() == "https" {
            let name = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let name = ServerName::try_from(name).map_err(|error| bad(&error.to_string()))?;
            Some((name, Arc::new(trusting_the_system().map_err(|reason| bad(&reason))?)))
        } else {
            None
        };
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        Ok(Self { address, host, tls, limits: Limits::default(), url })
    }

    /// With other limits.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The path and the query, as a request's target.
    pub fn target(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// What `Host` says unless a request says something else.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// How long is waited, and how much is read.
    pub fn read_limits(&self) -> Limits {
        self.limits
    }

    /// A new connection.
    ///
    /// # Errors
    /// When nobody takes it.
    pub fn connect(&self) -> Result<Connection, WireError> {
        let failed = |source| WireError::Connect { address: self.address.clone(), source };
        let mut error = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in self.address.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, self.limits.connect) {
                Ok(stream) => return self.connected(stream),
                Err(refused) => error = refused,
            }
        }
        Err(failed(error))
    }

    fn connected(&self, stream: TcpStream) -> Result<Connection, WireError> {
        stream.set_nodelay(true).map_err(WireError::Broken)?;
        let stream = match &self.tls {
            None => Stream::Plain(stream),
            Some((name, config)) => {
                let failed = |reason: String| WireError::Tls { host: self.host.clone(), reason };
                let wait = Some(self.limits.connect);
                stream
                    .set_read_timeout(wait)
                    .and_then(|()| stream.set_write_timeout(wait))
                    .map_err(WireError::Broken)?;
                let mut client = ClientConnection::new(config.clone(), name.clone())
                    .map_err(|error| failed(error.to_string()))?;
                let mut stream = stream;
                while client.is_handshaking() {
                    client.complete_io(&mut stream).map_err(|error| failed(error.to_string()))?;
                }
                Stream::Tls(Box::new(StreamOwned::new(client, stream)))
            }
        };
        Ok(Connection::new(stream, self.limits))
    }

    /// Sends a request over a connection of its own, and reads the whole answer.
    ///
    /// # Errors
    /// When there is no whole answer.
    pub fn send(&self, request: &Request) -> Result<Response, WireError> {
        let mut connection = self.connect()?;
        // A server may answer, and close, before it has read all: its answer is what counts.
        let written = connection.write(&request.bytes(&self.host));
        let sent = Instant::now();
        match connection.read_response(&request.method, sent) {
            Err(error) if error.is_close() => Err(written.err().unwrap_or(error)),
            other => other,
        }
    }
}

fn trusting_the_system() -> Result<ClientConfig, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err(
            "the system has no certificates to trust; SSL_CERT_FILE can name a file of them".to_owned()
        );
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, address: &str, host: &str, target: &str) {
        let endpoint = Endpoint::parse(url).unwrap();
        assert_eq!((&*endpoint.address, endpoint.host(), &*endpoint.target()), (address, host, target));
    }

    #[test]
    fn an_endpoint_is_taken_apart() {
        check("http://127.0.0.1:3000/mcp", "127.0.0.1:3000", "127.0.0.1:3000", "/mcp");
        check("http://localhost", "localhost:80", "localhost", "/");
        check("http://[::1]:9/a?b=c", "[::1]:9", "[::1]:9", "/a?b=c");
    }

    #[test]
    fn what_is_no_endpoint_is_named() {
        for (url, reason) in [
            ("localhost:3000/mcp", "neither http nor https"),
            ("", "relative URL"),
            ("ftp://a/b", "neither http nor https"),
            ("http://user:word@a/b", "has credentials"),
        ] {
            let error = Endpoint::parse(url).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(&format!("\"{url}\"")), "{error}");
        }
    }
}
