//! Server-sent events: one JSON-RPC message an event.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>

/// Writes one event. `message` is JSON as this crate writes it: on one line.
pub(crate) fn write_event(out: &mut Vec<u8>, message: &[u8]) {
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
}
