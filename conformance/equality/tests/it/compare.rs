//! Whether two answers are the same.

use crate::wire::Response;

/// What a web server says for itself, and how it frames a body.
const OF_THE_SERVER: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

/// How an answer differs from the one that was expected; nothing when it does not.
pub(crate) fn difference(expected: &Response, actual: &Response) -> Option<String> {
    let (expected, actual) = (Comparable::of(expected), Comparable::of(actual));
    let mut parts = Vec::new();
    if expected.status != actual.status {
        parts.push(format!("status {} instead of {}", actual.status, expected.status));
    }
    let missing = expected.headers.iter().filter(|header| !actual.headers.contains(header));
    parts.extend(missing.map(|(name, values)| format!("not there: {name}: {values:?}")));
    let unexpected = actual.headers.iter().filter(|header| !expected.headers.contains(header));
    parts.extend(unexpected.map(|(name, values)| format!("there: {name}: {values:?}")));
    if expected.body != actual.body && masked(expected.body) != masked(actual.body) {
        let (expected, actual) = (expected.body.escape_ascii(), actual.body.escape_ascii());
        parts.push(format!("body `{actual}` instead of `{expected}`"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What is the same in equal answers.
struct Comparable<'a> {
    status: u16,
    /// By name, the values of one in their order.
    headers: Vec<(String, Vec<String>)>,
    body: &'a [u8],
}

impl<'a> Comparable<'a> {
    fn of(response: &'a Response) -> Self {
        let mut headers: Vec<(String, Vec<String>)> = Vec::new();
        for (name, value) in &response.headers {
            if OF_THE_SERVER.contains(&name.as_str()) {
                continue;
            }
            let value = if name == "mcp-session-id" {
                format!("sealed, {} bytes", value.len())
            } else {
                value.escape_ascii().to_string()
            };
            match headers.iter_mut().find(|(other, _)| other == name) {
                Some((_, values)) => values.push(value),
                None => headers.push((name.clone(), vec![value])),
            }
        }
        headers.sort();
        Self { status: response.status, headers, body: &response.body }
    }
}

/// What is written before something that is drawn anew for each answer, and the bytes that it is drawn of. Its length is
/// compared.
const DRAWN: [(&str, &[u8]); 2] = [
    ("\"requestState\":\"", b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
    ("reference ", b"0123456789abcdef"),
];

fn masked(body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    for (before, drawn_of) in DRAWN {
        let mut at = 0;
        while let Some(found) = body[at..].windows(before.len()).position(|bytes| bytes == before.as_bytes())
        {
            at += found + before.len();
            while let Some(byte) = body.get_mut(at).filter(|byte| drawn_of.contains(byte)) {
                *byte = b'.';
                at += 1;
            }
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(headers: &[(&str, &str)], body: &str) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        Response { status: 200, headers: headers.collect(), body: body.into() }
    }

    #[track_caller]
    fn check(one: &[(&str, &str)], other: &[(&str, &str)], same: bool) {
        assert_eq!(difference(&response(one, ""), &response(other, "")).is_none(), same);
    }

    #[test]
    fn the_order_of_headers_counts_where_they_have_one_name() {
        check(&[("a", "1"), ("b", "2")], &[("b", "2"), ("a", "1")], true);
        check(&[("a", "1"), ("a", "2")], &[("a", "2"), ("a", "1")], false);
        check(&[("a", "1"), ("a", "2")], &[("a", "1, 2")], false);
        check(&[("a", "1")], &[("a", "1"), ("date", "now"), ("content-length", "0")], true);
    }

    #[test]
    fn what_is_drawn_is_the_same_when_it_is_as_long() {
        let same = |one: &str, other: &str| difference(&response(&[], one), &response(&[], other)).is_none();
        assert!(same(r#"{"requestState":"aB-_"}"#, r#"{"requestState":"0123"}"#));
        assert!(!same(r#"{"requestState":"aB-_"}"#, r#"{"requestState":"01234"}"#));
        assert!(!same(r#"{"requestState":"aB-_"}"#, r#"{"requestState":"=123"}"#));
        assert!(same("reference 0123 is, reference 4567", "reference abcd is, reference ef01"));
        assert!(!same("reference 0123 is", "reference 0123 as"));
        check(&[("mcp-session-id", "one")], &[("mcp-session-id", "two")], true);
        check(&[("mcp-session-id", "one")], &[], false);
    }
}
