//! What hostile clients send.

use axum::body::Body;
use axum::http::Response;

use super::layer::{Sent, empty};
use super::{ALL, Front, Mutant};

/// Fails when a body has this in it.
fn fail_at(sent: &Sent, text: &str) -> Option<Response<Body>> {
    contains(&sent.body, text).then(|| empty(500))
}

fn contains(body: &[u8], text: &str) -> bool {
    body.len() < 1 << 18 && String::from_utf8_lossy(body).contains(text)
}

fn close_if(close: bool) -> Front {
    if close { Front::Close } else { Front::Through }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("fails at bytes that are no UTF-8", "invalid-utf-8", ALL)
        .before(|sent| std::str::from_utf8(&sent.body).is_err().then(|| empty(500))),
    Mutant::new("fails at nothing", "empty-body", ALL)
        .before(|sent| (sent.body.is_empty() && sent.parts.method == "POST").then(|| empty(500))),
    Mutant::new("fails at white space", "blank-body", ALL)
        .before(|sent| (&*sent.body == b" \r\n").then(|| empty(500))),
    Mutant::new("fails at zeros", "nul-body", ALL)
        .before(|sent| sent.body.starts_with(&[0; 9]).then(|| empty(500))),
    Mutant::new("fails at depth", "deep-nesting", ALL).before(|sent| fail_at(sent, "[[[[[[[[[[[[[[[[")),
    Mutant::new("fails at huge numbers", "huge-number", ALL).before(|sent| fail_at(sent, "e99999")),
    Mutant::new("fails at long numbers", "long-number", ALL)
        .before(|sent| fail_at(sent, "77777777777777777777")),
    Mutant::new("fails at long strings", "long-string", ALL)
        .before(|sent| (1 << 18..1 << 20).contains(&sent.body.len()).then(|| empty(500))),
    Mutant::new("fails at long methods", "long-method", ALL).before(|sent| {
        String::from_utf8_lossy(sent.body.get(..4096).unwrap_or_default())
            .contains("mmmmmmmm")
            .then(|| empty(500))
    }),
    Mutant::new("fails at large bodies", "large-body", ALL)
        .before(|sent| (sent.body.len() > 1 << 22).then(|| empty(500))),
    Mutant::new("fails at half a pair", "lone-surrogate", ALL).before(|sent| fail_at(sent, "\\ud800")),
    Mutant::new("fails at a zero in a string", "nul-in-string", ALL)
        .before(|sent| fail_at(sent, "a\\u0000b")),
    Mutant::new("fails at many members", "many-members", ALL).before(|sent| fail_at(sent, "\"m4999\"")),
    Mutant::new("fails at __proto__", "proto-member", ALL).before(|sent| fail_at(sent, "__proto__")),
    Mutant::new("fails at many headers", "many-headers", ALL)
        .before(|sent| (sent.parts.headers.len() > 80).then(|| empty(500))),
    Mutant::new("serves half a body", "cut-body", ALL).front(|begin| {
        let text = String::from_utf8_lossy(begin);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return Front::Through };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let length = length.and_then(|length| length.parse::<usize>().ok()).unwrap_or(0);
        if length == body.len() + 8 && length < 1000 { Front::Serve } else { Front::Through }
    }),
    Mutant::new("hangs up on slow clients", "slow-body", ALL).also(&["chunked-request"]).front(|begin| {
        let posts = begin.starts_with(b"POST");
        close_if(posts && begin.ends_with(b"\r\n\r\n") && !contains(begin, "Content-Length: 0"))
    }),
    Mutant::new("answers the first of many", "pipelined", ALL).front(|begin| {
        let count = String::from_utf8_lossy(begin).matches("POST ").count();
        if count > 1 { Front::Refuse } else { Front::Through }
    }),
    Mutant::new("takes what is not HTTP", "broken-request-line", ALL)
        .front(|begin| if begin.starts_with(b"\x16") { Front::Serve } else { Front::Through }),
    Mutant::new("takes any length", "length-that-is-none", ALL).front(|begin| {
        if contains(begin, "Content-Length: conformance") { Front::Serve } else { Front::Through }
    }),
    Mutant::new("takes the last length", "length-and-chunks", ALL).front(|begin| {
        if contains(begin, "\r\nContent-Length: 1\r\n")
            && String::from_utf8_lossy(begin).matches("Content-Length: ").count() == 2
        {
            Front::Serve
        } else {
            Front::Through
        }
    }),
];
