//! Server-sent events: one JSON-RPC message an event.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>

/// A line that is no event: readers skip it.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// Writes one event. `message` is JSON; a line end in it, which a tool may have put between two tokens, would end the
/// field, and a space says the same.
pub(crate) fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.extend_from_slice(b"data: ");
    let start = out.len();
    out.extend_from_slice(message);
    for byte in out.iter_mut().skip(start).filter(|byte| matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
    out.extend_from_slice(b"\n\n");
}

/// The data of all events in a stream that [`write_event`] wrote.
pub(crate) fn read(stream: &str) -> impl Iterator<Item = &str> {
    stream.lines().filter_map(|line| line.strip_prefix("data: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_however_it_was_written() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\"a\":\r\n[1]}");
        assert_eq!(out, b"data: {\"a\":  [1]}\n\n");
        out.splice(0..0, COMMENT.iter().copied());
        assert!(read(std::str::from_utf8(&out).unwrap()).eq(["{\"a\":  [1]}"]));
    }
}
