use serde::Serialize;

use super::{ErrorObject, Id};

/// Appends the JSON of `value`.
///
/// Only this crate's own types and JSON values are written this way: none of them can fail to serialise, and a
/// `Vec` takes every byte. What applications return is encoded where it is returned, and fails there.
pub(crate) fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok(), "own types serialise");
}

/// Writes `{"jsonrpc":"2.0","id":…,"result":…}`, the result being what `result` appends.
pub(crate) fn write_result(out: &mut Vec<u8>, id: Option<&Id>, result: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.map_or(b"null", Id::as_bytes));
    out.extend_from_slice(br#","result":"#);
    result(out);
    out.push(b'}');
}

/// Writes an error response. An id that could not be read is absent, not null: no revision's schema has null.
pub(crate) fn write_error(out: &mut Vec<u8>, id: Option<&Id>, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(br#""error":"#);
    write_json(out, error);
    out.push(b'}');
}

/// Writes a JSON array whose items `write` appends.
pub(crate) fn write_array<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    let start = out.len();
    for item in items {
        out.push(if out.len() == start { b'[' } else { b',' });
        write(out, item);
    }
    out.extend_from_slice(if out.len() == start { b"[]" } else { b"]" });
}

/// Writes one JSON object member by member, some of them encoded earlier.
#[derive(Debug)]
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    separator: u8,
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    /// A member whose value `write` appends. The key is written as it is: it must not need escaping.
    pub(crate) fn member(&mut self, key: &str, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        self.out.push(self.separator);
        self.separator = b',';
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        write(self.out);
        self
    }

    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> &mut Self {
        self.member(key, |out| write_json(out, value))
    }

    /// Members that were encoded before, without braces and surrounding commas; nothing when empty.
    pub(crate) fn encoded(&mut self, members: &[u8]) -> &mut Self {
        if !members.is_empty() {
            self.out.push(self.separator);
            self.separator = b',';
            self.out.extend_from_slice(members);
        }
        self
    }

    pub(crate) fn end(self) {
        if self.separator == b'{' {
            self.out.push(b'{');
        }
        self.out.push(b'}');
    }
}
