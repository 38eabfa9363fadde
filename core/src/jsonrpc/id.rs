use std::fmt;

use bytes::Bytes;

/// The id of a request: the JSON text of a string or an integer, kept byte for byte.
///
/// `1` and `"1"` are different ids, and an integer may have any number of digits: the client gets back exactly
/// what it sent.
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#requests>
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Bytes);

impl Id {
    /// The id that `text` is, a part of `body`; `None` when it is neither a string nor an integer.
    pub(super) fn parse(text: &str, body: &Bytes) -> Option<Self> {
        let is_id = match text.as_bytes() {
            [b'"', ..] => true,
            [b'-', digits @ ..] | digits => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        };
        is_id.then(|| Self(body.slice_ref(text.as_bytes())))
    }

    /// The same id with bytes of its own: a body that lies in a larger buffer can go.
    pub(crate) fn into_own(self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }

    /// The JSON text of the id, quotes included where it is a string.
    #[must_use]
    pub fn as_json(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Id").field(&self.as_json()).finish()
    }
}
