//! Methods, media types, statuses.

use axum::http::{StatusCode, header};

use super::{ALL, LEGACY, Mutant};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("lists are text/plain", "result-media-type", ALL)
        .also(&[
            "cache-every-page",
            "cache-one-scope",
            "cache-tools-list",
            "input-only-where-supported",
            "log-level-unknown",
        ])
        .after(|sent, response| {
            if sent.method() == "tools/list" {
                response.headers_mut().insert(header::CONTENT_TYPE, "text/plain".parse().unwrap());
            }
        }),
    Mutant::new("a notification is answered with 200", "notification-accepted", LEGACY).after(
        |sent, response| {
            if sent.method() == "notifications/initialized" {
                *response.status_mut() = StatusCode::OK;
            }
        },
    ),
];
