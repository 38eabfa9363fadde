//! Event streams, decoded as they come.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// Its kind, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Its id, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its data: the lines, joined.
    pub data: String,
}

/// Takes a stream apart.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    after_return: bool,
    event: Event,
    has_data: bool,
    comments: usize,
}

impl Decoder {
    /// The events that end in these bytes. Comments, and events without data, are none.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for byte in bytes {
            let is_second = std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(*byte),
            }
        }
        events
    }

    /// How many comments came.
    pub fn comments(&self) -> usize {
        self.comments
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => self.comments = self.comments.saturating_add(1),
            "event" => self.event.event = Some(value.to_owned()),
            "id" => self.event.id = Some(value.to_owned()),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        for size in [1, 2, 3, stream.len().max(1)] {
            let mut decoder = Decoder::default();
            let events: Vec<Event> =
                stream.as_bytes().chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            let data: Vec<&str> = events.iter().map(|event| &*event.data).collect();
            assert_eq!(data, expected, "{stream:?} in pieces of {size}");
        }
    }

    #[test]
    fn events_end_with_an_empty_line_however_lines_end() {
        check("data: a\n\ndata:b\r\n\r\ndata: c\r\r", &["a", "b", "c"]);
        check("data: a\ndata: b\n\n", &["a\nb"]);
        check(": hello\n\ndata\n\n", &[""]);
        check("event: x\nid: 1\n\n", &[]);
        check("data: a", &[]);
        check("data:  a\nother: b\n\n", &[" a"]);
    }

    #[test]
    fn kinds_and_ids_are_kept() {
        let events = Decoder::default().push(b"event: message\nid: 7\ndata: {}\n\n");
        assert_eq!(
            events,
            [Event { event: Some("message".into()), id: Some("7".into()), data: "{}".into() }]
        );
    }
}
