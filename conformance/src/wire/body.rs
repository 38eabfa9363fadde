/// How the end of a body is told.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc9112#section-6>
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// By its length, ahead.
    Length,
    /// In chunks.
    Chunked,
    /// By the end of the connection.
    UntilClose,
    /// There is none, or the headers say themselves.
    None,
}

impl Framing {
    pub(super) fn write(self, body: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Chunked => {
                for piece in body.chunks(1 << 14) {
                    out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                    out.extend_from_slice(piece);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"0\r\n\r\n");
            }
            Self::Length | Self::UntilClose | Self::None => out.extend_from_slice(body),
        }
    }
}

/// What is left of a body that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    Bytes(u64),
    /// Before the line with the size of a chunk.
    Chunk,
    InChunk(u64),
    /// Before the line that ends a chunk.
    ChunkEnd,
    /// Before the lines that end the body.
    Trailers,
    UntilClose,
    Done,
}
