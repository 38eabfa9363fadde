//! `Origin` and `Host`.

use axum::http::StatusCode;
use serde_json::json;

use super::layer::Sent;
use super::{ALL, LEGACY, Mutant};
use mcp_conformance::Revision;

const SINCE_2025_11_25: &[Revision] = &[Revision::V2025_11_25, Revision::V2026_07_28];

/// Lets a request in.
fn let_in(sent: &mut Sent) {
    sent.parts.headers.remove("origin");
    sent.set("host", "127.0.0.1");
}

fn foreign(sent: &Sent) -> bool {
    sent.header("origin") == Some("https://conformance.example")
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("foreign pages are let in", "foreign-origin-refused", ALL)
        .also(&["foreign-origin-403", "foreign-origin-refused-opening"])
        .before(|sent| {
            if foreign(sent) && sent.is_harmless() {
                let_in(sent);
            }
            None
        }),
    Mutant::new("foreign pages get 400", "foreign-origin-403", SINCE_2025_11_25).after(|sent, response| {
        if foreign(sent) {
            *response.status_mut() = StatusCode::BAD_REQUEST;
        }
    }),
    Mutant::new("foreign pages get their id back", "foreign-origin-error-has-no-id", SINCE_2025_11_25)
        .message(|sent, message| {
            if foreign(sent) {
                message["id"] = json!(1);
            }
        }),
    Mutant::new("foreign pages can open", "foreign-origin-refused-opening", LEGACY).before(|sent| {
        if foreign(sent) && sent.method() == "initialize" {
            let_in(sent);
        }
        None
    }),
    Mutant::new("foreign pages can notify", "foreign-origin-refused-notification", ALL).before(|sent| {
        if foreign(sent) && sent.method().starts_with("notifications/") {
            let_in(sent);
        }
        None
    }),
    Mutant::new("foreign pages can listen", "foreign-origin-refused-get", LEGACY).after(|sent, response| {
        if foreign(sent) && sent.parts.method == "GET" {
            *response.status_mut() = StatusCode::OK;
        }
    }),
    Mutant::new("origins are compared by their beginning", "lookalike-origin-refused", ALL).before(|sent| {
        if sent.header("origin").is_some_and(|origin| origin.starts_with("http://127.0.0.1.")) {
            let_in(sent);
        }
        None
    }),
    Mutant::new("hidden pages are let in", "null-origin-refused", ALL).before(|sent| {
        if sent.header("origin") == Some("null") {
            let_in(sent);
        }
        None
    }),
    Mutant::new("an origin like Host is let in", "rebinding-refused", ALL).before(|sent| {
        let host = sent.header("host").unwrap_or_default().to_owned();
        if sent.header("origin").is_some_and(|origin| origin.strip_prefix("http://") == Some(&*host)) {
            let_in(sent);
        }
        None
    }),
    Mutant::new("any Host is let in", "foreign-host-refused", ALL).before(|sent| {
        if sent.header("origin").is_none() {
            let_in(sent);
        }
        None
    }),
];
