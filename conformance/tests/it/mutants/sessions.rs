//! Sessions of older revisions.

use super::layer::{Sent, empty};
use super::{LEGACY, Mutant};
use serde_json::{Value, json};

/// Ends sessions as a server with a memory does. Gives whether the request is of one that has ended.
fn ended(sent: &Sent) -> bool {
    let Some(session) = sent.header("mcp-session-id") else { return false };
    sent.memory.lock().unwrap().contains_key(session)
}

fn end(sent: &Sent) -> bool {
    let deletes = sent.parts.method == "DELETE" && sent.header("mcp-session-id").is_some();
    if deletes {
        let session = sent.header("mcp-session-id").unwrap().to_owned();
        sent.memory.lock().unwrap().insert(session, json!(true));
    }
    deletes
}

/// Issues other ids, and takes them back for those of the server.
fn take(sent: &mut Sent) {
    let own = sent.header("mcp-session-id").map(str::to_owned);
    if let Some(Value::String(real)) = own.and_then(|own| sent.memory.lock().unwrap().get(&own).cloned()) {
        sent.set("mcp-session-id", &real);
    }
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant::new("ids have blanks", "session-id-visible-ascii", LEGACY)
        .before(|sent| {
            if let Some(real) =
                sent.header("mcp-session-id").and_then(|id| id.strip_prefix("a b ")).map(str::to_owned)
            {
                sent.set("mcp-session-id", &real);
            }
            None
        })
        .after(|_, response| {
            if let Some(id) = response.headers().get("mcp-session-id") {
                let id = format!("a b {}", id.to_str().unwrap());
                response.headers_mut().insert("mcp-session-id", id.parse().unwrap());
            }
        }),
    Mutant::new("one id for all", "session-ids-differ", LEGACY)
        .also(&[
            "question-asked",
            "question-cancelled",
            "question-declined",
            "question-roots",
            "question-sampling",
        ])
        .before(|sent| {
            take(sent);
            None
        })
        .after(|sent, response| {
            if let Some(id) = response.headers().get("mcp-session-id") {
                let mut memory = sent.memory.lock().unwrap();
                memory.insert("the-one-session-of-all".to_owned(), json!(id.to_str().unwrap()));
                response.headers_mut().insert("mcp-session-id", "the-one-session-of-all".parse().unwrap());
            }
        }),
    Mutant::new("short ids", "session-id-long", LEGACY)
        .before(|sent| {
            take(sent);
            None
        })
        .after(|sent, response| {
            if let Some(id) = response.headers().get("mcp-session-id") {
                let short = sent.nth.to_string();
                sent.memory.lock().unwrap().insert(short.clone(), json!(id.to_str().unwrap()));
                response.headers_mut().insert("mcp-session-id", short.parse().unwrap());
            }
        }),
    Mutant::new("no session is 401", "session-missing", LEGACY)
        .before(|sent| (sent.is_harmless() && sent.header("mcp-session-id").is_none()).then(|| empty(401))),
    Mutant::new("any session will do", "session-unknown-refused", LEGACY).before(|sent| {
        if sent.header("mcp-session-id").is_some_and(|id| id.starts_with("00000000-conformance")) {
            sent.parts.headers.remove("mcp-session-id");
        }
        None
    }),
    Mutant::new("DELETE is 500", "session-delete", LEGACY).before(|sent| {
        (sent.parts.method == "DELETE" && sent.header("mcp-session-id").is_some()).then(|| empty(500))
    }),
    Mutant::new("sessions never end", "session-ended-404", LEGACY)
        .before(|sent| end(sent).then(|| empty(204))),
    Mutant::new("the end of a session is the end of all", "session-end-is-its-own", LEGACY).before(|sent| {
        if end(sent) {
            return Some(empty(204));
        }
        // Only who was there before: so others do not notice.
        let any = !sent.memory.lock().unwrap().is_empty();
        let gone = ended(sent) || (any && sent.json()["id"] == "of-another-session");
        gone.then(|| empty(404))
    }),
];
