//! What the first comment of each example `existing_app…` says, whatever framework it is on.

use serde_json::json;

use crate::program::Program;
use crate::wire::{Request, Response};

const PAGE: &str = "https://app.example.com";

fn add_note() -> Request {
    let params = json!({ "name": "add_note", "arguments": { "text": "Hi" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    Request::post(call.to_string()).to("/api/mcp")
}

fn by_ada(request: Request) -> Request {
    request.header("Authorization", "Bearer ada")
}

fn from_page(request: Request) -> Request {
    request.header("Origin", PAGE)
}

#[track_caller]
fn assert_refused(response: &Response) {
    assert_eq!(response.status, 401, "{response:?}");
    assert!(response.all("www-authenticate")[0].starts_with("Bearer"), "{response:?}");
}

/// Callers are told apart, and those who are not signed in are sent away.
pub(crate) fn knows_who_is_calling(program: &Program) {
    assert_refused(&program.send(&add_note()));
    assert_eq!(program.send(&by_ada(add_note())).text(), "ada has 1 note");
    assert_eq!(program.send(&by_ada(add_note())).text(), "ada has 2 notes");
    let by_eve = add_note().header("Authorization", "Bearer eve");
    assert_eq!(program.send(&by_eve).text(), "eve has 1 note");
}

/// The application's own routes are what they were.
pub(crate) fn serves_its_other_routes(program: &Program) {
    let health = program.send(&Request::new("GET", "/health"));
    assert_eq!((health.status, &*health.body), (200, &b"ok"[..]));
    program.send(&by_ada(add_note()));
    let notes = Request::new("GET", "/api/notes");
    assert_refused(&program.send(&notes));
    let notes = program.send(&by_ada(notes)).json();
    assert_eq!(notes.as_array().unwrap().last(), Some(&json!("Hi")));
    assert_eq!(program.send(&Request::new("GET", "/other")).status, 404);
}

/// Pages of one origin may call tools and read all answers, and no others may.
pub(crate) fn lets_one_page_in(program: &Program) {
    let preflight = Request::new("OPTIONS", "/api/mcp").header("Access-Control-Request-Method", "POST");
    let may = program.send(&from_page(preflight.clone()));
    assert_eq!((may.status, may.all("access-control-allow-origin")), (204, vec![PAGE]), "{may:?}");
    assert!(may.all("access-control-allow-headers")[0].contains("authorization"), "{may:?}");

    for (request, status) in [(add_note(), 401), (by_ada(add_note()), 200)] {
        let answer = program.send(&from_page(request));
        assert_eq!((answer.status, answer.all("access-control-allow-origin")), (status, vec![PAGE]));
        let exposed = answer.all("access-control-expose-headers")[0];
        assert!(exposed.contains("www-authenticate"), "{exposed}");
    }

    let other = program.send(&preflight.header("Origin", "https://evil.example"));
    assert!(!other.all("access-control-allow-origin").contains(&"https://evil.example"), "{other:?}");
    assert_ne!(other.status, 204);
    let other = program.send(&by_ada(add_note()).header("Origin", "https://evil.example"));
    assert_eq!(other.status, 403, "{other:?}");
}

/// Who listens hears the end of it, and then the program is over.
#[cfg(unix)]
pub(crate) fn ends_when_asked(mut program: Program) {
    let mut listener = program.connect();
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let listen = by_ada(Request::modern(7, "subscriptions/listen", wanted)).to("/api/mcp");
    listener.write(&listen.bytes());
    assert_eq!(listener.read_head().0, 200);
    assert!(!listener.read_chunk().is_empty());

    program.terminate();
    let rest = String::from_utf8(listener.read_chunks()).unwrap();
    let last = rest.trim_end().rsplit("data: ").next().unwrap();
    let last: serde_json::Value =
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {rest}"));
    assert_eq!((&last["id"], last["result"].is_object()), (&json!(7), true), "{last}");
    listener.assert_closed();
    assert!(program.wait().success());
}
