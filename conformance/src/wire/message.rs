use std::time::Duration;

use super::{Framing, Headers};

/// A request, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The target: a path with its query.
    pub target: String,
    /// What is sent beside those that the framing needs. Without a `Host`, the endpoint's is sent.
    pub headers: Headers,
    /// The bytes of the body.
    pub body: Vec<u8>,
    /// How the end of the body is told.
    pub framing: Framing,
}

impl Request {
    /// A request with a body of known length.
    pub fn new(method: impl Into<String>, target: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            target: target.into(),
            headers: Headers::default(),
            body: Vec::new(),
            framing: Framing::Length,
        }
    }

    /// With a header beside the others.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push(name, value);
        self
    }

    /// With one header in the place of all of its name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.set(name, value);
        self
    }

    /// Without the headers of a name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// With another body.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// With its JSON changed; as it is where it has none.
    #[must_use]
    pub fn json(self, change: impl FnOnce(&mut serde_json::Value)) -> Self {
        let Ok(mut json) = serde_json::from_slice(&self.body) else { return self };
        change(&mut json);
        self.body(json.to_string())
    }

    /// By another method.
    #[must_use]
    pub fn by(self, method: &str) -> Self {
        Self { method: method.to_owned(), ..self }
    }

    /// What goes over the wire, to a host that is named so.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut bytes = self.head(host);
        self.framing.write(&self.body, &mut bytes);
        bytes
    }

    /// All before the body.
    pub fn head(&self, host: &str) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut line = |name: &str, value: &[u8]| {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        };
        if !self.headers.has("host") {
            line("Host", host.as_bytes());
        }
        self.headers.iter().for_each(|(name, value)| line(name, value));
        match self.framing {
            Framing::Length if self.headers.has("content-length") => {}
            Framing::Length
                if self.body.is_empty() && matches!(&*self.method, "GET" | "HEAD" | "DELETE" | "OPTIONS") => {
            }
            Framing::Length => line("Content-Length", self.body.len().to_string().as_bytes()),
            Framing::Chunked => line("Transfer-Encoding", b"chunked"),
            Framing::UntilClose | Framing::None => {}
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, spelled as they were.
    pub headers: Headers,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// From the request's last byte to the answer's.
    pub took: Duration,
}

impl Response {
    /// The body as text, repaired where it is none.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The media type, without parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.headers.text("content-type")?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }
}
