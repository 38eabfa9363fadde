//! Server-sent events: one JSON-RPC message an event.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_however_it_was_written() {
        let mut out = Vec::new();
        write_event(&mut out, b"{\"a\":\r\n[1]}");
        assert_eq!(out, b"data: {\"a\":  [1]}\n\n");
    }
}
