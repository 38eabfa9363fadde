//! Sessions of older revisions.

use serde_json::json;

use super::http::served;
use super::{Area, Clause, Outcome, Rule, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25};
use crate::answer::expect;
use crate::json::At as _;
use crate::wire::Request;

const MUST: &[Clause] = &[
    must(V2025_06_18, "basic/transports#session-management"),
    must(V2025_11_25, "basic/transports#session-management"),
];

const SHOULD: &[Clause] = &[
    should(V2025_06_18, "basic/transports#session-management"),
    should(V2025_11_25, "basic/transports#session-management"),
];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "session-id-visible-ascii",
        Area::Sessions,
        "a session id is of visible ASCII characters",
        MUST,
        |probe| {
            let answer = probe.send(&probe.opening())?;
            let Some(id) = answer.http().headers.get("mcp-session-id") else {
                return not_applicable("the server issues no ids");
            };
            let visible = !id.is_empty() && id.iter().all(|byte| matches!(byte, 0x21..=0x7e));
            expect(visible, format!("the id is {:?}", String::from_utf8_lossy(id)))
        },
    ),
    Rule::new("session-ids-differ", Area::Sessions, "each session has an id of its own", SHOULD, |probe| {
        let (one, other) = (issued(probe)?, issued(probe)?);
        expect(one != other, "two clients were given the same id")
    }),
    Rule::new("session-id-long", Area::Sessions, "a session id is too long to be guessed", SHOULD, |probe| {
        let id = issued(probe)?;
        expect(id.len() >= 16, format!("the id has {} characters", id.len()))
    }),
    Rule::new(
        "session-missing",
        Area::Sessions,
        "a request without a session is served, or answered with 400",
        SHOULD,
        |probe| {
            issued(probe)?;
            let answer = probe.send(&probe.harmless().without("Mcp-Session-Id"))?;
            answer.status_in(&[200, 400]).map(|_| ())
        },
    ),
    Rule::new(
        "session-unknown-refused",
        Area::Sessions,
        "a session that is unknown is refused with 404 or 400",
        SHOULD,
        |probe| {
            issued(probe)?;
            let id = "00000000-conformance-0000-000000000000";
            probe.send(&probe.harmless().with("Mcp-Session-Id", id))?.status_in(&[400, 404]).map(|_| ())
        },
    ),
    Rule::new(
        "session-delete",
        Area::Sessions,
        "DELETE ends a session, or is answered with 405",
        SHOULD,
        |probe| {
            let id = issued(probe)?;
            let status = probe.send(&delete(probe, &id))?.http().status;
            expect((200..300).contains(&status) || status == 405, format!("the status is {status}"))
        },
    ),
    Rule::new(
        "session-ended-404",
        Area::Sessions,
        "a session that has ended is answered with 404",
        MUST,
        |probe| {
            let id = ended(probe)?;
            probe.send(&probe.harmless().with("Mcp-Session-Id", id))?.status(404).map(|_| ())
        },
    ),
    Rule::new(
        "session-end-is-its-own",
        Area::Sessions,
        "the end of a session ends no other",
        MUST,
        |probe| {
            let other = probe.another()?;
            let Some(other) = other.session else { return not_applicable("the server issues no ids") };
            ended(probe)?;
            let request = probe.harmless().json(|message| message.put(&["id"], json!("of-another-session")));
            served(probe, request.with("Mcp-Session-Id", other))
        },
    ),
];

/// The id of a new session.
fn issued(probe: &Probe<'_>) -> Result<String, Outcome> {
    match probe.another()?.session {
        Some(id) => Ok(id),
        None => not_applicable("the server issues no ids"),
    }
}

fn delete(probe: &Probe<'_>, session: &str) -> Request {
    let request = probe.harmless().by("DELETE").body("").without("Content-Type");
    request.with("Mcp-Session-Id", session)
}

/// The id of a session that was ended.
fn ended(probe: &Probe<'_>) -> Result<String, Outcome> {
    let id = issued(probe)?;
    let status = probe.send(&delete(probe, &id))?.http().status;
    if (200..300).contains(&status) {
        return Ok(id);
    }
    not_applicable("clients cannot end sessions")
}
