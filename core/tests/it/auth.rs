//! Bearer tokens: who is let in, and what the others are told.

use http::{Method, StatusCode};
use mcp_http::auth::{BearerAuth, Grant};
use mcp_http::{BuildError, CallContext, Revision, Server, ServerBuilder, Tool};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{Request, Timer};
use crate::tools::serving;

fn check(token: &str) -> Result<Option<Grant>, std::io::Error> {
    Ok(match token {
        "good" => Some(Grant::new("ann").scopes(["read", "write"])),
        "small" => Some(Grant::new("bob").scopes(["read"])),
        "broken" => return Err(std::io::Error::other("10.0.0.7 refused the connection")),
        _ => None,
    })
}

fn auth() -> BearerAuth {
    BearerAuth::new(async |token: String| check(&token)).authorization_server("https://login.example")
}

fn protected(auth: BearerAuth) -> ServerBuilder {
    let whoami = Tool::builder("whoami").handler(|cx: CallContext| {
        let grant = cx.get::<Grant>().expect("a grant");
        format!("{} {}", cx.principal().expect("a principal"), grant.has_scope("write"))
    });
    serving([whoami]).cors_origin("https://app.example").bearer_auth(auth)
}

fn server() -> Server {
    protected(auth()).build().unwrap()
}

#[track_caller]
fn challenged(answer: &Answer, status: u16, challenge: &str) {
    assert_eq!(answer.status, status, "{answer}");
    assert_eq!(answer.header("www-authenticate"), Some(challenge), "{answer}");
}

const METADATA: &str =
    r#"resource_metadata="http://localhost:8000/.well-known/oauth-protected-resource/mcp""#;

#[test]
fn a_good_token_is_let_in_and_tools_see_whose_it_is() {
    for revision in Revision::ALL {
        for scheme in ["Bearer good", "bearer good", "BEARER  good "] {
            let request = Request::call(revision, "whoami", json!({})).header("authorization", scheme);
            let answer = request.send_to_service(&server(), Timer::Never);
            assert_eq!(answer.tool_result()["content"][0]["text"], "ann true");
        }
    }
}

#[test]
fn without_a_token_nothing_is_served_and_the_challenge_says_where_to_get_one() {
    for revision in Revision::ALL {
        for request in [
            Request::open(revision),
            Request::list(revision),
            Request::call(revision, "whoami", json!({})),
            Request::notification(revision, "notifications/initialized", json!({})),
            Request::list(revision).http_method(Method::GET),
            Request::list(revision).http_method(Method::DELETE),
            Request::list(revision).header("content-type", "text/plain"),
            Request::list(revision).header("authorization", "Basic Z29vZDo="),
            Request::list(revision).header("authorization", "Bearer"),
            Request { uri: "/mcp?access_token=good".to_owned(), ..Request::list(revision) },
        ] {
            let answer = request.send_to_service(&server(), Timer::Never);
            challenged(&answer, 401, &format!("Bearer {METADATA}"));
        }
    }
}

#[test]
fn a_token_that_is_not_good_is_told_apart_from_none() {
    for revision in Revision::ALL {
        let request = Request::list(revision).header("authorization", "Bearer stale");
        let answer = request.send_to_service(&server(), Timer::Never);
        challenged(&answer, 401, &format!(r#"Bearer error="invalid_token",{METADATA}"#));
        let twice =
            Request::list(revision).header("authorization", "Bearer good").also("authorization", "Bearer a");
        let answer = twice.send_to_service(&server(), Timer::Never);
        challenged(&answer, 400, &format!(r#"Bearer error="invalid_request",{METADATA}"#));
    }
}

#[test]
fn a_token_that_lacks_a_scope_is_told_all_that_it_needs() {
    let server = protected(auth().require_scope("read").require_scope("write")).build().unwrap();
    for revision in Revision::ALL {
        let with = |token: &str| {
            let request = Request::call(revision, "whoami", json!({}));
            request.header("authorization", format!("Bearer {token}")).send_to_service(&server, Timer::Never)
        };
        with("good").tool_result();
        let expected = format!(r#"Bearer error="insufficient_scope",scope="read write",{METADATA}"#);
        challenged(&with("small"), 403, &expected);
        let bare = Request::list(revision).send_to_service(&server, Timer::Never);
        challenged(&bare, 401, &format!(r#"Bearer scope="read write",{METADATA}"#));
    }
}

#[test]
fn a_check_that_fails_is_no_verdict_and_its_reason_stays_inside() {
    for revision in Revision::ALL {
        let request = Request::list(revision).header("authorization", "Bearer broken");
        let answer = request.send_to_service(&server(), Timer::Never);
        assert_eq!(answer.status, 503);
        assert!(!answer.to_string().contains("10.0.0.7"), "{answer}");
    }
}

#[test]
fn pages_of_an_allowed_origin_read_the_refusal_and_their_preflights_need_no_token() {
    let page = |request: Request| request.header("origin", "https://app.example");
    let answer = page(Request::list(Revision::V2026_07_28)).send_to_service(&server(), Timer::Never);
    assert_eq!(answer.status, 401);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(answer.header("access-control-expose-headers").unwrap().contains("www-authenticate"));
    let preflight = page(Request::list(Revision::V2026_07_28)).http_method(Method::OPTIONS);
    let answer = preflight.body("").send_to_service(&server(), Timer::Never);
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
}

#[track_caller]
fn metadata(server: &Server, path: &str) -> Option<Value> {
    let request = Request { uri: path.to_owned(), ..Request::list(Revision::V2026_07_28) };
    let request = request.http_method(Method::GET).body("");
    let (head, body) = request.response(server, Timer::Never).into_parts();
    (head.status == StatusCode::OK).then(|| {
        assert_eq!(head.headers["content-type"], "application/json");
        assert_eq!(head.headers["access-control-allow-origin"], "*");
        serde_json::from_slice(&body).unwrap()
    })
}

#[test]
fn metadata_is_open_to_everybody_and_names_the_endpoint_as_clients_write_it() {
    let derived = server();
    let of = |resource: &str| {
        json!({
            "resource": resource,
            "authorization_servers": ["https://login.example"],
            "bearer_methods_supported": ["header"],
        })
    };
    let at = |path: &str| format!("/.well-known/oauth-protected-resource{path}");
    assert_eq!(metadata(&derived, &at("/public/mcp")), Some(of("http://localhost:8000/public/mcp")));
    // Nobody could tell which endpoint is meant.
    assert_eq!(metadata(&derived, &at("")), None);
    assert_eq!(metadata(&derived, &at("s")), None);
    let told = protected(auth().public_url("https://mcp.example/public/mcp")).build().unwrap();
    for path in ["/public/mcp", ""] {
        assert_eq!(metadata(&told, &at(path)), Some(of("https://mcp.example/public/mcp")));
    }
    assert_eq!(derived.metadata_path("/mcp"), Some(at("/mcp")));
    assert_eq!(told.metadata_path("/mcp"), Some(at("/public/mcp")));
    let answer = Request::list(Revision::V2026_07_28).send_to_service(&told, Timer::Never);
    let url = "https://mcp.example/.well-known/oauth-protected-resource/public/mcp";
    challenged(&answer, 401, &format!(r#"Bearer resource_metadata="{url}""#));
}

#[test]
fn a_name_in_host_that_could_break_out_of_the_challenge_is_left_out() {
    for host in ["a\"b", "a,b=\"c\"", "a b", "evil\\"] {
        let request = Request::list(Revision::V2026_07_28).header("host", host);
        let answer = request.send_to_service(&server(), Timer::Never);
        challenged(&answer, 401, "Bearer");
    }
}

#[test]
fn a_server_that_asks_for_tokens_says_where_they_come_from() {
    let nowhere = protected(BearerAuth::new(|_: String| Some(Grant::new("a")))).build();
    assert!(matches!(nowhere, Err(BuildError::NoAuthorizationServer)));
}
