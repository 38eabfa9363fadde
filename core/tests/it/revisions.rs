//! Which revision a request is answered in.

use mcp_http::{HeaderMode, LegacyDates, Revision, Server};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, VERSION};
use crate::tools::{builder, server};

use Revision::{V2025_06_18, V2025_11_25, V2026_07_28};

fn serving(revisions: &[Revision]) -> Server {
    builder().revisions(revisions.iter().copied()).build().unwrap()
}

/// Which revision a list is in: each has something that the older ones lack.
#[track_caller]
fn revision_of(answer: &Answer) -> Revision {
    let result = answer.result();
    let decorated = result["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "decorated");
    match (result.get("resultType"), decorated.unwrap().get("icons")) {
        (Some(_), _) => V2026_07_28,
        (None, Some(_)) => V2025_11_25,
        (None, None) => V2025_06_18,
    }
}

/// A list request of nobody knows whom.
fn plain() -> Request {
    Request { revision: None, ..Request::list(V2025_06_18).without("mcp-protocol-version") }
}

// What `_meta` says

#[test]
fn a_version_in_meta_decides_whatever_the_header_says() {
    assert_eq!(revision_of(&Request::list(MODERN).send(&server())), V2026_07_28);
    for header in ["2025-11-25", "2025-06-18", "2024-11-05", "x"] {
        Request::list(MODERN).header("mcp-protocol-version", header).send(&server()).is_error(400, -32020);
    }
}

#[test]
fn a_version_in_meta_may_be_spelled_with_escapes() {
    let text = String::from_utf8(Request::list(MODERN).bytes()).unwrap();
    for (plain, escaped) in [
        ("/protocolVersion", r"\/protocolVersion"),
        ("protocolVersion", r"\u0070rotocolVersion"),
        (r#""2026-07-28""#, r#""2026-07-2\u0038""#),
        ("_meta", r"\u005fmeta"),
        ("tools/list", r"tools\/list"),
    ] {
        assert!(text.contains(plain));
        let request = Request::list(MODERN).body(text.replace(plain, escaped));
        assert_eq!(revision_of(&request.send(&server())), V2026_07_28, "{escaped}");
    }
}

#[test]
fn the_order_of_members_does_not_matter() {
    for revision in Revision::ALL {
        let request = Request::list(revision);
        let params = request.params.clone().unwrap();
        let body = format!(r#"{{"params":{params},"method":"tools/list","id":"z","jsonrpc":"2.0"}}"#);
        let answer = request.body(body).send(&server());
        assert_eq!((revision_of(&answer), answer.id()), (revision, Some("\"z\"")));
    }
}

#[test]
fn a_modern_initialize_does_not_exist() {
    let request = Request::new(MODERN, "initialize", json!({ "protocolVersion": "2025-11-25" }));
    let answer = request.send(&server());
    answer.is_error(404, -32601);
    assert_eq!(answer.id(), Some("1"));
}

// The handshake

#[track_caller]
fn handshake(server: &Server, requested: Value, answered: Revision) {
    let open = Request::open(V2025_11_25).set_param("protocolVersion", requested);
    for header in [None, Some("2025-06-18"), Some("2024-11-05"), Some("2026-07-28"), Some("x"), Some("")] {
        let mut request = Request { revision: Some(answered), ..open.clone() };
        if let Some(header) = header {
            request = request.header("mcp-protocol-version", header);
        }
        let answer = request.send(server);
        assert_eq!(answer.result()["protocolVersion"], answered.as_str(), "{header:?}");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

#[test]
fn a_version_that_has_a_handshake_is_echoed() {
    handshake(&server(), json!("2025-06-18"), V2025_06_18);
    handshake(&server(), json!("2025-11-25"), V2025_11_25);
}

#[test]
fn any_other_version_is_answered_with_the_newest_that_has_a_handshake() {
    for version in ["2026-07-28", "2024-11-05", "2025-03-26", "2099-01-01", "", "x", "2025-11-25 "] {
        handshake(&server(), json!(version), V2025_11_25);
        handshake(&serving(&[V2026_07_28, V2025_06_18]), json!(version), V2025_06_18);
    }
}

#[test]
fn a_version_that_is_not_served_is_not_echoed() {
    handshake(&serving(&[V2025_06_18]), json!("2025-11-25"), V2025_06_18);
    handshake(&serving(&[V2025_11_25]), json!("2025-06-18"), V2025_11_25);
}

// What the header says

#[test]
fn a_header_names_a_legacy_revision() {
    for revision in LEGACY {
        let named = plain().header("mcp-protocol-version", revision.as_str());
        assert_eq!(revision_of(&named.send(&server())), revision);
        let spaced = plain().header("mcp-protocol-version", format!(" \t{revision} "));
        assert_eq!(revision_of(&spaced.send(&server())), revision);
        let twice = named.also("mcp-protocol-version", revision.as_str());
        assert_eq!(revision_of(&twice.send(&server())), revision);
    }
}

#[test]
fn two_versions_in_the_header_are_none() {
    let both =
        plain().header("mcp-protocol-version", "2025-11-25").also("mcp-protocol-version", "2025-06-18");
    assert_eq!(both.send(&server()).status, 400);
    let joined = plain().header("mcp-protocol-version", "2025-11-25, 2025-06-18");
    assert_eq!(joined.send(&server()).status, 400);
}

#[test]
fn a_header_that_is_no_legacy_date_is_modern_and_lacks_meta() {
    for version in [
        "2026-07-28",
        "2026-07-29",
        "2099-01-01",
        "draft",
        "",
        "2025-1-1",
        "DRAFT-2026",
        "2025-11-25-rc",
        "1",
        "2025/11/25",
        "20251125",
        "x025-11-25",
        "2025-11-2x",
    ] {
        let request = Request { revision: Some(MODERN), ..plain() };
        let answer = request.header("mcp-protocol-version", version).send(&server());
        answer.is_error(400, -32602);
        assert_eq!(answer.id(), Some("1"));
    }
    let latin = Request { revision: Some(MODERN), ..plain() }.header("mcp-protocol-version", b"caf\xe9");
    latin.send(&server()).is_error(400, -32602);
}

#[test]
fn a_legacy_date_that_is_not_served_is_refused_or_accepted_as_was_set() {
    let accepting = |revisions: &[Revision]| {
        builder().legacy_dates(LegacyDates::Accept).revisions(revisions.iter().copied()).build().unwrap()
    };
    for date in ["2025-03-26", "2024-11-05", "2026-07-27", "0000-00-00"] {
        let request = plain().header("mcp-protocol-version", date);
        request.send(&server()).is_error(400, -32600);
        assert_eq!(revision_of(&request.send(&accepting(&Revision::ALL))), V2025_06_18);
        assert_eq!(revision_of(&request.send(&accepting(&[V2025_11_25]))), V2025_11_25);
    }
    // What is served stays as it is, and what is no legacy date is none.
    let server = accepting(&Revision::ALL);
    let request = plain().header("mcp-protocol-version", "2025-11-25");
    assert_eq!(revision_of(&request.send(&server)), V2025_11_25);
    plain().header("mcp-protocol-version", "2099-01-01").send(&server).is_error(400, -32602);
}

#[test]
fn a_legacy_revision_that_is_not_served_is_refused() {
    for (served, other) in [
        (vec![V2025_11_25], "2025-06-18"),
        (vec![V2026_07_28, V2025_06_18], "2025-11-25"),
        (vec![V2026_07_28], "2025-11-25"),
    ] {
        plain().header("mcp-protocol-version", other).send(&serving(&served)).is_error(400, -32600);
    }
}

#[test]
fn without_a_header_it_is_the_oldest_revision() {
    assert_eq!(revision_of(&plain().send(&server())), V2025_06_18);
    assert_eq!(revision_of(&plain().send(&serving(&[V2026_07_28, V2025_11_25]))), V2025_11_25);
    plain().send(&serving(&[V2026_07_28])).is_error(400, -32602);
}

#[test]
fn a_server_of_legacy_revisions_tells_modern_clients_which() {
    let server = serving(&LEGACY);
    for request in [Request::open(MODERN), Request::list(MODERN)] {
        let answer = request.send(&server);
        answer.is_error(400, -32022);
        let data = &answer.json()["error"]["data"];
        assert_eq!(*data, json!({ "supported": ["2025-11-25", "2025-06-18"], "requested": "2026-07-28" }));
    }
}

#[test]
fn a_server_of_the_modern_revision_alone_serves_it() {
    let server = serving(&[V2026_07_28]);
    assert_eq!(revision_of(&Request::list(MODERN).send(&server)), V2026_07_28);
    let discovered = Request::open(MODERN).send(&server);
    assert_eq!(discovered.result()["supportedVersions"], json!(["2026-07-28"]));
}

#[test]
fn a_server_needs_a_revision() {
    assert!(builder().revisions([]).build().is_err());
}

// Sessions, which there are none of

#[test]
fn session_ids_and_event_ids_are_ignored_and_none_is_made() {
    for revision in Revision::ALL {
        for request in [Request::open(revision), Request::list(revision)] {
            let plain = request.send(&server());
            let answer = request
                .header("mcp-session-id", "1868a90c-0000")
                .header("last-event-id", "7")
                .send(&server());
            assert_eq!((answer.status, &answer.body), (200, &plain.body));
            assert_eq!(answer.header("mcp-session-id"), None);
        }
    }
}

#[test]
fn nothing_is_remembered_between_requests() {
    let server = server();
    // A call before any opening, and one in another revision than was opened.
    for opened in Revision::ALL {
        for revision in Revision::ALL {
            assert_eq!(revision_of(&Request::list(revision).send(&server)), revision);
            Request::open(opened).send(&server).result();
            assert_eq!(revision_of(&Request::list(revision).send(&server)), revision);
        }
    }
}

// Lenient headers

#[test]
fn a_lenient_server_takes_requests_without_mirrored_headers() {
    let server = builder().header_mode(HeaderMode::Lenient).build().unwrap();
    let bare =
        |request: Request| request.without("mcp-protocol-version").without("mcp-method").without("mcp-name");
    assert_eq!(revision_of(&bare(Request::list(MODERN)).send(&server)), V2026_07_28);
    bare(Request::call(MODERN, "mirror", json!({}))).send(&server).tool_result();
    bare(Request::open(MODERN)).send(&server).result();
}

#[test]
fn a_lenient_server_still_refuses_headers_that_differ() {
    let server = builder().header_mode(HeaderMode::Lenient).build().unwrap();
    let call = || Request::call(MODERN, "mirror", json!({}));
    call().header("mcp-protocol-version", "2025-11-25").send(&server).is_error(400, -32020);
    call().header("mcp-method", "tools/list").send(&server).is_error(400, -32020);
    call().header("mcp-name", "other").send(&server).is_error(400, -32020);
    call().header("mcp-name", "=?base64?!?=").send(&server).is_error(400, -32020);
    let unknown = call().meta(VERSION, "2099-01-01").without("mcp-protocol-version");
    unknown.send(&server).is_error(400, -32022);
    call().without_meta(CAPABILITIES).send(&server).is_error(400, -32602);
}

#[test]
fn a_modern_initialize_is_told_which_versions_are_served() {
    let answer =
        Request::new(MODERN, "initialize", json!({ "protocolVersion": "2025-11-25" })).send(&server());
    for revision in Revision::ALL {
        assert!(answer.error_text().contains(revision.as_str()), "{answer}");
    }
}
