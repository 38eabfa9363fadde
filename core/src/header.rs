//! The `MCP-*` headers: their names, and values that repeat something from the body.
//!
//! A gateway routes on these headers without reading the body, so a header and the body must never name two
//! different things.
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-headers>

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName};

pub(crate) static MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) static MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) static MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) static MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const MCP_PARAM_PREFIX: &str = "mcp-param-";

/// What was sent under one header name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent<'a> {
    Nothing,
    /// One value, or the same one several times, without the white space around it.
    Value(&'a str),
    /// Values that differ, or one with bytes outside visible ASCII, space and tab.
    Unusable,
}

impl<'a> Sent<'a> {
    pub(crate) fn read(headers: &'a HeaderMap, name: &HeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        let Some(first) = values.next() else { return Self::Nothing };
        // `HeaderValue::to_str` accepts exactly visible ASCII, space and tab.
        let Ok(text) = first.to_str() else { return Self::Unusable };
        let text = text.trim_ascii();
        if values.all(|other| other.as_bytes().trim_ascii() == text.as_bytes()) {
            Self::Value(text)
        } else {
            Self::Unusable
        }
    }
}

/// A mirrored value in clear: `=?base64?…?=` is decoded, anything else is literal.
///
/// `None` when the Base64 or the UTF-8 in it is broken.
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding>
pub(crate) fn decode_mirrored(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        None => Some(Cow::Borrowed(value)),
        Some(encoded) => {
            let bytes = STANDARD.decode(encoded).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

/// A value as a client mirrors it: as it is where a header can hold it, otherwise as `=?base64?…?=`.
pub(crate) fn encode_mirrored(value: &str) -> Cow<'_, str> {
    let visible = value.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    let looks_encoded = value.starts_with("=?base64?") && value.ends_with("?=");
    if visible && !looks_encoded && value.trim_ascii() == value {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[track_caller]
    fn decodes(value: &str, expected: Option<&str>) {
        assert_eq!(decode_mirrored(value).as_deref(), expected, "{value}");
    }

    #[test]
    fn the_markers_count_only_as_a_pair_and_in_lower_case() {
        decodes("echo", Some("echo"));
        decodes("=?base64?ZWNobw==?=", Some("echo"));
        decodes("=?base64??=", Some(""));
        decodes("=?base64?ZWNobw==", Some("=?base64?ZWNobw=="));
        decodes("ZWNobw==?=", Some("ZWNobw==?="));
        decodes("=?BASE64?ZWNobw==?=", Some("=?BASE64?ZWNobw==?="));
        decodes("=?base64?=", Some("=?base64?="));
    }

    #[test]
    fn broken_base64_and_broken_utf8_have_no_value() {
        for value in
            ["ZWNobw", "ZWNobw=", "ZWNo!w==", "ZWNob-==", "ZWNobx==", "ZWNobw===", " ZWNobw==", "/w=="]
        {
            decodes(&format!("=?base64?{value}?="), None);
        }
    }

    #[test]
    fn what_a_client_mirrors_is_what_it_meant() {
        for (value, expected) in [
            ("echo", "echo"),
            ("two words", "two words"),
            ("", ""),
            (" a", "=?base64?IGE=?="),
            ("é", "=?base64?w6k=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?IGE=?=", "=?base64?PT9iYXNlNjQ/SUdFPT89?="),
        ] {
            assert_eq!(encode_mirrored(value), expected);
            decodes(&encode_mirrored(value), Some(value));
        }
    }

    #[track_caller]
    fn sent(values: &[&[u8]], expected: Sent<'_>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&MCP_NAME, HeaderValue::from_bytes(value).unwrap());
        }
        assert_eq!(Sent::read(&headers, &MCP_NAME), expected);
    }

    #[test]
    fn white_space_around_a_value_is_not_part_of_it() {
        sent(&[b" \techo \t"], Sent::Value("echo"));
        sent(&[b"a b"], Sent::Value("a b"));
    }

    #[test]
    fn a_repeated_header_counts_once_when_its_values_agree() {
        sent(&[], Sent::Nothing);
        sent(&[b"echo", b" echo"], Sent::Value("echo"));
        sent(&[b"echo", b"Echo"], Sent::Unusable);
        sent(&[b"echo, echo"], Sent::Value("echo, echo"));
    }

    #[test]
    fn bytes_outside_visible_ascii_are_unusable() {
        sent(&["café".as_bytes()], Sent::Unusable);
        sent(&[b"caf\xe9"], Sent::Unusable);
        sent(&[b"echo", b"caf\xe9"], Sent::Unusable);
    }
}
