//! Media types: what a body is (`Content-Type`) and what an answer may be (`Accept`).
//!
//! Source: <https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1>

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};

/// Which forms of answer a client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Acceptable {
    pub(crate) json: bool,
    pub(crate) event_stream: bool,
    /// It takes event streams, and not only as a part of everything: `*/*` is what tools send that know nothing of them.
    pub(crate) named_event_stream: bool,
}

/// What nearly every client sends: no need to take it apart each time.
const USUAL: &str = "application/json, text/event-stream";

impl Acceptable {
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(ACCEPT).iter();
        let Some(first) = values.next() else {
            return Self { json: true, event_stream: true, named_event_stream: false };
        };
        let more = values.next();
        if more.is_none() && first == USUAL {
            return Self { json: true, event_stream: true, named_event_stream: true };
        }
        let mut json = Weight::default();
        let mut event_stream = Weight::default();
        for value in [first].into_iter().chain(more).chain(values) {
            for range in value.as_bytes().split(|byte| *byte == b',') {
                let mut parts = range.split(|byte| *byte == b';');
                let media_range = parts.next().unwrap_or_default().trim_ascii();
                let excluded = parts.any(is_zero_weight);
                json.apply(media_range, b"application/json", b"application/*", excluded);
                event_stream.apply(media_range, b"text/event-stream", b"text/*", excluded);
            }
        }
        Self {
            json: json.accepted,
            event_stream: event_stream.accepted,
            named_event_stream: event_stream.accepted && event_stream.specificity > 1,
        }
    }
}

/// What the most specific range so far says of one media type.
#[derive(Default)]
struct Weight {
    specificity: u8,
    accepted: bool,
}

impl Weight {
    fn apply(&mut self, range: &[u8], exact: &[u8], family: &[u8], excluded: bool) {
        let specificity = if range.eq_ignore_ascii_case(exact) {
            3
        } else if range.eq_ignore_ascii_case(family) {
            2
        } else if range == b"*/*" {
            1
        } else {
            return;
        };
        if specificity > self.specificity {
            *self = Self { specificity, accepted: !excluded };
        } else if specificity == self.specificity {
            self.accepted |= !excluded;
        }
    }
}

/// Whether a parameter is `q=0`, however many zeros it is written with.
fn is_zero_weight(parameter: &[u8]) -> bool {
    match parameter.trim_ascii() {
        [b'q' | b'Q', b'=', b'0', rest @ ..] => rest.iter().all(|byte| matches!(byte, b'.' | b'0')),
        _ => false,
    }
}

/// Whether there is one `Content-Type`, and it is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let essence = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[track_caller]
    fn accept(values: &[&'static str], json: bool, event_stream: bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT, HeaderValue::from_static(value));
        }
        let accepted = Acceptable::read(&headers);
        assert_eq!((accepted.json, accepted.event_stream), (json, event_stream), "{values:?}");
    }

    #[test]
    fn a_wildcard_for_everything_names_no_event_stream() {
        for (value, named) in [
            ("application/json, text/event-stream", true),
            ("Text/*", true),
            ("*/*", false),
            ("application/json", false),
            ("*/*, text/event-stream;q=0", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, value.parse().unwrap())]);
            assert_eq!(Acceptable::read(&headers).named_event_stream, named, "{value}");
        }
        assert!(!Acceptable::read(&HeaderMap::new()).named_event_stream);
    }

    #[test]
    fn wildcards_and_silence_accept_what_they_cover() {
        accept(&[], true, true);
        accept(&["*/*"], true, true);
        accept(&["application/*"], true, false);
        accept(&["text/*"], false, true);
        accept(&["text/html, application/xhtml+xml;q=0.9, */*;q=0.8"], true, true);
    }

    #[test]
    fn both_types_may_come_in_any_order_case_and_number_of_headers() {
        accept(&["application/json, text/event-stream"], true, true);
        accept(&["text/event-stream, application/json"], true, true);
        accept(&["Text/Event-Stream;q=0.5 , APPLICATION/JSON; charset=utf-8"], true, true);
        accept(&["application/json", "text/event-stream"], true, true);
    }

    #[test]
    fn what_is_not_named_is_not_accepted() {
        accept(&["application/json"], true, false);
        accept(&["text/event-stream"], false, true);
        accept(&["text/html"], false, false);
        accept(&[""], false, false);
        accept(&["application/jsonp, xtext/event-stream"], false, false);
    }

    #[test]
    fn a_weight_of_zero_excludes_and_the_most_specific_range_decides() {
        accept(&["application/json;q=0, */*"], false, true);
        accept(&["*/*;q=0, application/json"], true, false);
        accept(&["text/event-stream; q=0.000, application/json"], true, false);
        accept(&["application/json;q=0.001"], true, false);
    }

    #[track_caller]
    fn content_type(values: &[&'static str], expected: bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(CONTENT_TYPE, HeaderValue::from_static(value));
        }
        assert_eq!(is_json(&headers), expected, "{values:?}");
    }

    #[test]
    fn only_the_essence_of_a_content_type_counts() {
        content_type(&["application/json"], true);
        content_type(&["Application/JSON ; charset=\"utf-8\""], true);
        content_type(&["application/json;charset=latin1"], true);
        content_type(&[], false);
        content_type(&["text/plain"], false);
        content_type(&["application/json-rpc"], false);
        content_type(&["application/json", "text/plain"], false);
    }
}
