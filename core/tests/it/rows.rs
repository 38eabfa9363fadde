//! The checks that every request passes, one by one, and the answer of each.

use http::Method;
use mcp_http::{Connection, Revision, Server};
use serde_json::{Value, json};

use crate::prompts::prompts;
use crate::request::{CAPABILITIES, CLIENT_INFO, LEGACY, LOG_LEVEL, MODERN, Request, VERSION};
use crate::resources::resources;
use crate::tools::{Failing, builder, server, serving};

/// A call that every revision answers.
fn good(revision: Revision) -> Request {
    Request::call(revision, "mirror", json!({ "a": 1 }))
}

/// What a request that is bent like this is answered, in each revision.
#[track_caller]
fn refused(bend: impl Fn(Request) -> Request, status: u16, code: i64, id: Option<&str>) {
    for revision in Revision::ALL {
        refused_in(revision, &bend, status, code, id);
    }
}

#[track_caller]
fn refused_in(
    revision: Revision,
    bend: impl Fn(Request) -> Request,
    status: u16,
    code: i64,
    id: Option<&str>,
) {
    let answer = bend(good(revision)).send(&server());
    answer.is_error(status, code);
    assert_eq!(answer.id(), id, "{revision}: {answer}");
}

#[track_caller]
fn served(bend: impl Fn(Request) -> Request) {
    for revision in Revision::ALL {
        bend(good(revision)).send(&server()).tool_result();
    }
}

#[test]
fn a_good_request_is_served_in_every_revision() {
    served(|request| request);
}

// Row 1

#[test]
fn a_foreign_origin_is_forbidden_whatever_the_method() {
    for method in [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS, Method::HEAD] {
        refused(
            |r| r.header("origin", "https://evil.example").http_method(method.clone()),
            403,
            -32600,
            None,
        );
    }
}

#[test]
fn a_foreign_host_on_a_loopback_connection_is_forbidden_whatever_the_method() {
    for method in [Method::POST, Method::GET, Method::DELETE, Method::OPTIONS, Method::PUT] {
        refused(|r| r.header("host", "evil.example").http_method(method.clone()), 403, -32600, None);
    }
}

// Row 2

#[test]
fn every_method_but_post_is_not_allowed() {
    for method in ["GET", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "post", "QUERY"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        refused(|r| r.http_method(method.clone()), 405, -32600, None);
    }
}

#[test]
fn a_get_without_a_body_is_not_allowed_either() {
    refused(|r| r.http_method(Method::GET).without("content-type").body(""), 405, -32600, None);
}

#[test]
fn preflights_are_answered_when_cors_is_configured() {
    let server = builder().cors_origin("https://app.example").build().unwrap();
    for revision in Revision::ALL {
        let preflight = good(revision)
            .http_method(Method::OPTIONS)
            .body("")
            .without("content-type")
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type, mcp-method, mcp-param-region");
        let answer = preflight.send(&server);
        assert!(matches!(answer.status, 200 | 204), "{answer}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
        assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let allowed = answer.header("access-control-allow-headers").unwrap().to_ascii_lowercase();
        for name in [
            "content-type",
            "authorization",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "mcp-param-region",
        ] {
            assert!(allowed.split(", ").any(|allowed| allowed == name), "{name} in {allowed}");
        }
        assert!(answer.header("vary").unwrap().eq_ignore_ascii_case("origin"));

        preflight.clone().without("origin").send(&server).is_error(405, -32600);
        preflight.clone().header("origin", "https://other.example").send(&server).is_error(403, -32600);
        preflight.header("host", "evil.example").send(&server).is_error(403, -32600);
    }
}

#[test]
fn answers_may_be_read_by_pages_of_cors_origins_alone() {
    let server = builder().cors_origin("https://app.example").allowed_origin("https://b.example").build();
    let server = server.unwrap();
    #[track_caller]
    fn check(answer: &crate::answer::Answer, readable: bool) {
        let allowed = answer.header("access-control-allow-origin");
        assert_eq!(allowed, readable.then_some("https://app.example"), "{answer}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    for revision in Revision::ALL {
        let request = good(revision).header("origin", "https://app.example");
        check(&request.send(&server), true);
        check(&request.clone().http_method(Method::GET).send(&server), true);
        check(&request.clone().header("content-type", "text/plain").send(&server), true);
        check(&request.clone().body("{").send(&server), true);
        check(&request.clone().header("mcp-protocol-version", "2024-11-05").send(&server), true);
        check(&request.clone().id(None).without("mcp-method").without("mcp-name").send(&server), true);
        check(&request.clone().header("host", "evil.example").send(&server), true);
        check(&request.header("origin", "https://b.example").send(&server), false);
        check(&good(revision).send(&server), false);
    }
}

// Row 3

#[test]
fn a_body_that_is_not_declared_as_json_is_unsupported() {
    refused(|r| r.without("content-type"), 415, -32600, None);
    for other in [
        "text/plain",
        "application/jsonp",
        "application/json-rpc",
        "text/json",
        "",
        "application/x-json",
        "*/*",
    ] {
        refused(|r| r.header("content-type", other), 415, -32600, None);
    }
}

#[test]
fn json_may_be_declared_in_any_case_with_parameters() {
    for json in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json ; x=y",
    ] {
        served(|r| r.header("content-type", json));
    }
}

// Row 4

#[test]
fn a_body_past_the_limit_is_too_large() {
    for revision in Revision::ALL {
        let request = good(revision);
        let length = request.bytes().len();
        let send = |limit| request.send(&builder().body_limit(limit).build().unwrap());
        send(length).tool_result();
        let answer = send(length - 1);
        answer.is_error(413, -32600);
        assert_eq!(answer.id(), None);
    }
}

#[test]
fn the_default_limit_is_4_mib() {
    let text = "x".repeat(4 << 20);
    refused(|r| r.argument("text", text.clone()), 413, -32600, None);
    let text = "x".repeat((4 << 20) - 1000);
    served(|r| r.argument("text", text.clone()));
    assert_eq!(server().body_limit(), 4 << 20);
}

// Row 5

#[test]
fn an_answer_that_the_client_cannot_take_is_not_acceptable() {
    for accept in ["text/html", "image/*", "application/xml, text/plain", "application/jsonp", ""] {
        refused(|r| r.header("accept", accept), 406, -32600, None);
    }
    refused(|r| r.header("accept", "application/json;q=0, text/event-stream;q=0"), 406, -32600, None);
}

#[test]
fn json_is_sent_to_whoever_takes_it() {
    served(|r| r.without("accept"));
    for accept in [
        "*/*",
        "application/*",
        "application/json",
        "text/event-stream, application/json",
        "text/html, */*;q=0.1",
        "APPLICATION/JSON;q=0.5",
    ] {
        served(|r| r.header("accept", accept));
        for revision in Revision::ALL {
            let answer = good(revision).header("accept", accept).send(&server());
            assert_eq!(answer.header("content-type"), Some("application/json"), "{accept}");
        }
    }
    served(|r| r.header("accept", "text/html").also("accept", "application/json"));
}

#[test]
fn whoever_takes_only_event_streams_gets_one_of_one_event() {
    for accept in ["text/event-stream", "text/*", "text/event-stream;q=0.1, application/json;q=0"] {
        for revision in Revision::ALL {
            for request in [good(revision), Request::list(revision), Request::open(revision)] {
                let answer = request.header("accept", accept).send(&server());
                assert_eq!(answer.header("content-type"), Some("text/event-stream"), "{accept}: {answer}");
                answer.result();
                assert_eq!(answer.id(), Some("1"));
            }
        }
    }
}

#[test]
fn the_errors_of_row_13_and_14_reach_a_client_that_takes_only_event_streams() {
    for revision in Revision::ALL {
        let unknown = Request::call(revision, "nobody", json!({})).header("accept", "text/event-stream");
        unknown.send(&server()).is_error(200, -32602);
        let status = if revision == MODERN { 404 } else { 200 };
        let method = Request::new(revision, "no/such", json!({})).header("accept", "text/event-stream");
        method.send(&server()).is_error(status, -32601);
    }
}

// Row 6

#[test]
fn a_body_that_is_not_json_has_no_id() {
    for body in [
        &b""[..],
        b" ",
        b"{",
        b"nonsense",
        b"{'jsonrpc':'2.0','id':1,'method':'ping'}",
        br#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
        br#"{"jsonrpc":"2.0","id":01,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":+1,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":NaN,"method":"ping"}"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\nng\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"caf\xe9\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xed\xa0\x80\"}}",
        b"\xff\xfe{\0}\0",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\x"}}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#,
    ] {
        refused(|r| r.body(body), 400, -32700, None);
    }
}

/// Puts a text where a value belongs: into params that nobody reads, and into arguments.
#[track_caller]
fn json_text(text: &[u8], expected: bool) {
    for revision in Revision::ALL {
        let unread = Request::list(revision).set_param("x", "HERE");
        let notification = Request::notification(revision, "notifications/x", json!({ "x": "HERE" }));
        let read = Request::call(revision, "swallow", json!({ "x": "HERE" }));
        for request in [unread, read, notification] {
            let body = request.bytes();
            let at = body.windows(6).position(|part| part == b"\"HERE\"").unwrap();
            let body = [&body[..at], text, &body[at + 6..]].concat();
            let answer = request.body(body).send(&server());
            if expected {
                assert!(answer.status == 202 || answer.json().get("result").is_some(), "{text:?}: {answer}");
            } else {
                answer.is_error(400, -32700);
                assert_eq!(answer.id(), None);
            }
        }
    }
}

#[test]
fn whatever_is_json_is_taken_for_it() {
    for text in [
        "0",
        "-0",
        "1e5",
        "1E+5",
        "-0.0e-0",
        "123.456e78",
        "1.0",
        " \t\n\r1 ",
        "{}",
        "[]",
        "[[],{}]",
        r#"{"":{"":[]}}"#,
        "true",
        "false",
        "null",
        r#""""#,
        r#""\/\b\f\n\r\t\\\"""#,
        r#""\u0000""#,
        r#""\uD83D\uDE00""#,
        r#""\uFFFF""#,
        "\"\u{7f}\"",
        "\"\u{2028}\u{feff}\"",
        "\"\u{10ffff}\"",
        "[1,\n2]",
        "{ \"a\" : 1 , \"b\" : 2 }",
        "-9223372036854775809",
        "0.1e-400",
        r#""[{\"""#,
        r#"{"a":1,"a":2}"#,
    ] {
        json_text(text.as_bytes(), true);
    }
}

#[test]
fn whatever_is_not_json_is_not_taken_for_it() {
    for text in [
        "",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "1.e5",
        "--1",
        "0x1",
        "01",
        "-01",
        "1_000",
        "Infinity",
        "-Infinity",
        "NaN",
        "True",
        "truE",
        "tru",
        "nullx",
        "undefined",
        "'a'",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,,2]",
        r#"{"a":1,}"#,
        "{a:1}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a" 1}"#,
        r#"{"a"::1}"#,
        r#"{1:1}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,,"b":2}"#,
        "{,}",
        "[}",
        "[1}",
        "[[1}]",
        "[{}}",
        r#"{"a":1]"#,
        r#"[{"a":1]}"#,
        r#"{"a":[1}]"#,
        "{]",
        "[",
        "{",
        "]",
        "}",
        r#""\a""#,
        r#""\'""#,
        r#""\u12""#,
        r#""\u12G4""#,
        r#""\U0041""#,
        r#""\u+041""#,
        r#""\u 041""#,
        r#""\""#,
        "\"\t\"",
        "\"\n\"",
        "\"\0\"",
        "\"\u{1f}\"",
        "\"a",
        "//x\n1",
        "/*x*/1",
        "#x\n1",
        "\u{feff}1",
        "1\u{a0}",
        "\u{c}1",
        "\u{b}1",
        "\u{2028}1",
        "1 1",
        "1;",
        "(1)",
        "\u{0}1",
        "1\0",
        r#""a" "b""#,
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\u0041""#,
        r#""\udc00\ud800""#,
        r#""\ud800x\udc00""#,
        r#""\ud83d\\ude00""#,
    ] {
        json_text(text.as_bytes(), false);
    }
    for bytes in [
        &b"\"\xff\""[..],
        b"\"\xc0\x80\"",
        b"\"\xe0\x80\x80\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\"\xf0\x9f\x98\"",
        b"\"\x80\"",
        b"\xe2\x80\xa81",
        b"1\xff",
    ] {
        json_text(bytes, false);
    }
}

/// A request whose deepest array or object is the `depth`th level.
fn nested(request: Request, depth: usize) -> Request {
    // Around the brackets: the message, its params, and an object in them.
    let (open, close) = ("[".repeat(depth - 3), "]".repeat(depth - 3));
    let mut bytes = request.set_param("deep", json!({ "x": "HERE" })).bytes();
    let text = String::from_utf8(std::mem::take(&mut bytes)).unwrap();
    request_of(text.replace("\"HERE\"", &format!("{open}{close}")))
}

fn request_of(body: String) -> Request {
    good(MODERN).body(body)
}

#[test]
fn a_body_nests_128_levels_and_no_more_whatever_the_method() {
    for revision in Revision::ALL {
        let notification = Request::notification(revision, "notifications/cancelled", json!({}));
        for request in [good(revision), Request::list(revision), Request::open(revision), notification] {
            let with = |body: Request| Request { body: body.body, ..request.clone() };
            let answer = with(nested(request.clone(), 128)).send(&server());
            assert!(matches!(answer.status, 200 | 202), "{answer}");
            let answer = with(nested(request.clone(), 129)).send(&server());
            answer.is_error(400, -32700);
            assert_eq!(answer.id(), None);
            with(nested(request.clone(), 100_000)).send(&server()).is_error(400, -32700);
        }
    }
}

#[test]
fn arguments_nest_as_deep_as_the_body_may() {
    for revision in Revision::ALL {
        let body = |depth: usize| {
            // Around them: the message, its params, and the arguments.
            let (open, close) = ("[".repeat(depth - 3), "]".repeat(depth - 3));
            let call = Request::call(revision, "swallow", json!({ "x": "HERE" }));
            let text = String::from_utf8(call.bytes()).unwrap();
            call.body(text.replace("\"HERE\"", &format!("{open}{close}")))
        };
        body(128).send(&server()).tool_result();
        body(129).send(&server()).is_error(400, -32700);
    }
}

#[test]
fn brackets_in_strings_do_not_nest() {
    served(|r| r.argument("text", "[{".repeat(500)));
    served(|r| r.argument("text", "\"\\[".repeat(500)));
}

// Row 7

#[test]
fn a_batch_is_refused_even_one_of_one() {
    refused(|r| r.around("[", "]"), 400, -32600, None);
    refused(|r| r.body("[]"), 400, -32600, None);
}

#[test]
fn a_scalar_is_no_message() {
    for body in ["null", "1", "\"ping\"", "true", "-0", "1.5e3"] {
        refused(|r| r.body(body), 400, -32600, None);
    }
}

#[test]
fn the_version_of_json_rpc_must_be_exactly_2_0() {
    for version in [r#""1.0""#, r#""2""#, "2.0", "null", r#""2.0 ""#, r#"["2.0"]"#] {
        refused(|r| r.jsonrpc(version), 400, -32600, Some("1"));
    }
    refused(|r| r.jsonrpc(None), 400, -32600, Some("1"));
}

#[test]
fn an_id_that_is_no_string_and_no_integer_is_not_echoed() {
    for id in ["null", "1.5", "true", "{}", "[1]", "-1.25e1", "0.1"] {
        refused(|r| r.id(id), 400, -32600, None);
    }
}

#[test]
fn a_method_is_a_string() {
    for method in ["null", "5", "{}", r#"["ping"]"#, "true"] {
        refused(|r| r.method(method), 400, -32600, Some("1"));
    }
    refused(|r| r.method(None), 400, -32600, Some("1"));
}

#[test]
fn params_are_an_object() {
    for params in [json!([]), json!(null), json!("a"), json!(1), json!([{}]), json!(false)] {
        refused(|r| r.params(params.clone()), 400, -32600, Some("1"));
    }
}

#[test]
fn legacy_requests_may_come_without_params() {
    for revision in LEGACY {
        Request::list(revision).params(None).send(&server()).result();
        assert_eq!(
            *Request::new(revision, "ping", json!({})).params(None).send(&server()).result(),
            json!({})
        );
    }
}

#[test]
fn a_member_that_occurs_twice_in_the_envelope_is_refused() {
    for again in [
        r#","jsonrpc":"2.0""#,
        r#","method":"tools/call""#,
        r#","method":"ping""#,
        r#","params":{}"#,
        r#","meth\u006fd":"tools/call""#,
    ] {
        refused(|r| r.more(again), 400, -32600, Some("1"));
    }
    for again in [r#","id":1"#, r#","id":2"#, r#","\u0069d":1"#, r#","id":null"#] {
        refused(|r| r.more(again), 400, -32600, None);
    }
}

/// A body in which a member is repeated.
fn repeated(request: Request, from: &str, to: &str) -> Request {
    let text = String::from_utf8(request.bytes()).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    request.body(text.replacen(from, to, 1))
}

#[test]
fn a_member_that_occurs_twice_in_the_params_is_refused() {
    for again in [
        r#""name":"mirror","name":"mirror""#,
        r#""name":"add","name":"mirror""#,
        r#""name":"mirror","n\u0061me":"add""#,
        r#""name":"mirror","arguments":{}"#,
        r#""name":"mirror","x":1,"x":1"#,
    ] {
        refused(|r| repeated(r, r#""name":"mirror""#, again), 400, -32600, Some("1"));
    }
}

#[test]
fn a_member_that_occurs_twice_in_meta_is_refused() {
    for revision in Revision::ALL {
        let good = good(revision).meta("k", 1);
        for again in [r#""k":1,"k":1"#, r#""k":1,"\u006b":2"#] {
            let answer = repeated(good.clone(), r#""k":1"#, again).send(&server());
            answer.is_error(400, -32600);
            assert_eq!(answer.id(), Some("1"));
        }
        let answer = repeated(good.clone(), r#""name":"mirror""#, r#""name":"mirror","_meta":{}"#);
        answer.send(&server()).is_error(400, -32600);
    }
    let version = format!(r#""{VERSION}":"2026-07-28""#);
    let twice = format!(r#"{version},"{VERSION}":"2025-06-18""#);
    refused_in(MODERN, |r| repeated(r, &version, &twice), 400, -32600, Some("1"));
}

#[test]
fn unknown_members_are_ignored() {
    served(|r| r.more(r#","x":1,"auth":{"a":[]}"#));
    served(|r| r.set_param("task", json!({ "ttl": 5 })).set_param("x", 5));
    served(|r| r.meta("com.example/x", json!({ "a": null })));
}

#[test]
fn a_member_named_as_serde_json_names_its_own_is_just_a_member() {
    for name in ["$serde_json::private::Number", "$serde_json::private::RawValue"] {
        served(|r| r.more(&format!(r#","{name}":"1""#)));
        served(|r| r.set_param(name, "1"));
        served(|r| r.meta(name, "1"));
        refused(|r| r.method("5").more(&format!(r#","{name}":"1""#)), 400, -32600, Some("1"));
    }
}

// Ids

#[test]
fn ids_survive_byte_for_byte() {
    for id in [
        "1",
        "0",
        "-0",
        "-7",
        r#""1""#,
        r#""""#,
        "9007199254740993",
        "18446744073709551616",
        "340282366920938463463374607431768211457",
        "-99999999999999999999999999",
        r#""\u0041\/\n""#,
        r#""a\"b\\""#,
        "\"é☕\"",
        r#""\ud83d\ude00""#,
        r#""server-discover-probe-1""#,
    ] {
        for revision in Revision::ALL {
            let server = server();
            let missing = Request::call(revision, "nobody", json!({}));
            let unknown = Request::new(revision, "no/such", json!({}));
            let stream = good(revision).header("accept", "text/event-stream");
            for request in
                [good(revision), Request::list(revision), Request::open(revision), missing, unknown, stream]
            {
                assert_eq!(request.id(id).send(&server).id(), Some(id), "{revision}");
            }
            let answer = good(revision).id(id).jsonrpc(r#""1.0""#).send(&server);
            assert_eq!(answer.id(), Some(id));
        }
    }
}

#[test]
fn white_space_around_an_id_is_not_part_of_it() {
    for revision in Revision::ALL {
        let answer = good(revision).id(" \n\t7\r\n ").send(&server());
        assert_eq!(answer.id(), Some("7"));
    }
}

// Notifications and responses

#[test]
fn notifications_are_accepted_known_or_not() {
    for revision in Revision::ALL {
        for method in [
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/no/such",
            "tools/call",
            "ping",
        ] {
            let notification = Request::notification(revision, method, json!({}));
            notification.send(&server()).is_accepted();
            notification.header("accept", "text/event-stream").send(&server()).is_accepted();
        }
    }
}

#[test]
fn a_cancellation_of_an_unknown_request_is_accepted() {
    for revision in Revision::ALL {
        for params in [json!({ "requestId": 1 }), json!({ "requestId": "x", "reason": "r" }), json!({})] {
            Request::notification(revision, "notifications/cancelled", params).send(&server()).is_accepted();
        }
    }
}

#[test]
fn a_modern_notification_may_come_without_meta_and_mirrored_headers() {
    let bare = Request::notification(MODERN, "notifications/cancelled", json!({})).params(None);
    bare.send(&server()).is_accepted();
    bare.without("mcp-protocol-version").send(&server()).is_accepted();
    let meta_only = Request::notification(MODERN, "notifications/cancelled", json!({}));
    meta_only.without("mcp-protocol-version").send(&server()).is_accepted();
}

#[test]
fn a_mirrored_header_that_a_modern_notification_sends_must_match() {
    let notification = Request::notification(MODERN, "notifications/cancelled", json!({ "requestId": 1 }));
    notification.clone().header("mcp-method", "notifications/cancelled").send(&server()).is_accepted();
    for wrong in ["notifications/initialized", "Notifications/Cancelled", ""] {
        let answer = notification.clone().header("mcp-method", wrong).send(&server());
        answer.is_error(400, -32020);
        assert_eq!(answer.id(), None);
    }
    let version = notification.clone().header("mcp-protocol-version", "2025-11-25");
    version.send(&server()).is_error(400, -32020);
    // No notification has a name to repeat.
    notification.header("mcp-name", "whatever").send(&server()).is_accepted();
}

#[test]
fn a_notification_in_a_version_that_is_not_served_is_refused() {
    for revision in LEGACY {
        let notification = Request::notification(revision, "notifications/initialized", json!({}));
        let answer = notification.header("mcp-protocol-version", "2024-11-05").send(&server());
        answer.is_error(400, -32600);
        assert_eq!(answer.id(), None);
    }
    let unknown = Request::notification(MODERN, "notifications/cancelled", json!({}))
        .meta(VERSION, "2099-01-01")
        .header("mcp-protocol-version", "2099-01-01");
    let answer = unknown.send(&server());
    answer.is_error(400, -32022);
    assert_eq!(answer.id(), None);
    let bare = Request::notification(MODERN, "notifications/cancelled", json!({})).params(None);
    for version in ["2099-01-01", "draft"] {
        let answer = bare.clone().header("mcp-protocol-version", version).send(&server());
        answer.is_error(400, -32022);
        assert_eq!(answer.json()["error"]["data"]["requested"], version);
    }
}

#[test]
fn notifications_pass_the_first_rows_too() {
    for revision in Revision::ALL {
        let notification = Request::notification(revision, "notifications/initialized", json!({}));
        let send = |bend: &dyn Fn(Request) -> Request| bend(notification.clone()).send(&server());
        send(&|r| r.header("origin", "https://evil.example")).is_error(403, -32600);
        send(&|r| r.header("content-type", "text/plain")).is_error(415, -32600);
        send(&|r| r.header("accept", "text/html")).is_error(406, -32600);
        send(&|r| r.around("", "}")).is_error(400, -32700);
        send(&|r| r.jsonrpc("2")).is_error(400, -32600);
        send(&|r| r.params(json!([]))).is_error(400, -32600);
        send(&|r| r.around("[", "]")).is_error(400, -32600);
    }
}

#[test]
fn responses_of_legacy_clients_are_accepted() {
    for revision in LEGACY {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#,
        ] {
            Request::new(revision, "ping", json!({})).body(body).send(&server()).is_accepted();
        }
    }
}

#[test]
fn responses_of_modern_clients_are_refused() {
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}"#,
    ] {
        refused_in(MODERN, |r| r.body(body), 400, -32600, None);
    }
}

#[test]
fn a_message_with_a_method_is_no_response() {
    for revision in LEGACY {
        let answer = Request::new(revision, "ping", json!({})).more(r#","result":{}"#).send(&server());
        assert_eq!(answer.id(), Some("1"), "{answer}");
    }
}

// Rows 9 and 10

#[test]
fn a_modern_version_header_is_there_and_equal() {
    refused_in(MODERN, |r| r.without("mcp-protocol-version"), 400, -32020, Some("1"));
    for other in ["2025-11-25", "2025-06-18", "2026-07-29", "", "2026-07-28, 2026-07-28", "x"] {
        refused_in(MODERN, |r| r.header("mcp-protocol-version", other), 400, -32020, Some("1"));
    }
    refused_in(MODERN, |r| r.also("mcp-protocol-version", "2025-11-25"), 400, -32020, Some("1"));
    Request::list(MODERN).also("mcp-protocol-version", "2026-07-28").send(&server()).result();
}

#[test]
fn an_unknown_version_in_meta_with_another_header_is_a_mismatch() {
    refused_in(MODERN, |r| r.meta(VERSION, "2099-01-01"), 400, -32020, Some("1"));
    refused_in(
        MODERN,
        |r| r.meta(VERSION, "2099-01-01").without("mcp-protocol-version"),
        400,
        -32020,
        Some("1"),
    );
}

#[test]
fn a_version_that_is_not_served_is_told_which_are() {
    for version in ["2099-01-01", "2025-11-25", "2025-06-18", "draft", "", "2024-11-05", "\"é", "a\\b"] {
        // A header holds no more than visible ASCII.
        if !version.is_ascii() {
            continue;
        }
        let request = good(MODERN).meta(VERSION, version).header("mcp-protocol-version", version);
        let answer = request.send(&server());
        answer.is_error(400, -32022);
        assert_eq!(answer.id(), Some("1"));
        let data = &answer.json()["error"]["data"];
        assert_eq!(
            *data,
            json!({ "supported": ["2026-07-28", "2025-11-25", "2025-06-18"], "requested": version })
        );
    }
}

#[test]
fn a_legacy_version_in_meta_is_told_to_initialize() {
    for revision in LEGACY {
        let version = revision.as_str();
        let answer =
            good(MODERN).meta(VERSION, version).header("mcp-protocol-version", version).send(&server());
        answer.is_error(400, -32022);
        assert!(answer.error_text().contains("initialize"), "{answer}");
    }
}

#[test]
fn a_legacy_date_that_is_not_served_is_a_bad_request() {
    for date in ["2025-03-26", "2024-11-05", "2026-07-27", "1999-12-31"] {
        for revision in LEGACY {
            refused_in(revision, |r| r.header("mcp-protocol-version", date), 400, -32600, Some("1"));
        }
    }
}

// Row 11

#[test]
fn a_modern_header_without_any_meta_is_invalid_params() {
    refused_in(MODERN, |r| r.without_param("_meta"), 400, -32602, Some("1"));
    refused_in(MODERN, |r| r.set_param("_meta", json!({})), 400, -32602, Some("1"));
    refused_in(MODERN, |r| r.params(None), 400, -32602, Some("1"));
    for meta in [json!(null), json!([]), json!("x"), json!(5)] {
        refused_in(MODERN, |r| r.set_param("_meta", meta.clone()), 400, -32602, Some("1"));
    }
}

#[test]
fn a_version_in_meta_that_is_no_string_is_invalid_params() {
    refused_in(MODERN, |r| r.without_meta(VERSION), 400, -32602, Some("1"));
    for version in [json!(null), json!(20_260_728), json!(["2026-07-28"]), json!({}), json!(true)] {
        refused_in(MODERN, |r| r.meta(VERSION, version.clone()), 400, -32602, Some("1"));
    }
}

#[test]
fn client_capabilities_are_an_object_that_must_be_there() {
    refused_in(MODERN, |r| r.without_meta(CAPABILITIES), 400, -32602, Some("1"));
    for capabilities in [json!(null), json!([]), json!("x"), json!(true)] {
        refused_in(MODERN, |r| r.meta(CAPABILITIES, capabilities.clone()), 400, -32602, Some("1"));
    }
}

#[test]
fn client_info_may_be_absent() {
    good(MODERN).without_meta(CLIENT_INFO).send(&server()).tool_result();
}

#[test]
fn a_log_level_is_one_of_eight() {
    for level in ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] {
        good(MODERN).meta(LOG_LEVEL, level).send(&server()).tool_result();
    }
    for level in [json!("warn"), json!("DEBUG"), json!(""), json!(null), json!(3), json!(["info"])] {
        refused_in(MODERN, |r| r.meta(LOG_LEVEL, level.clone()), 400, -32602, Some("1"));
    }
}

// Row 13

#[test]
fn a_method_that_does_not_exist_is_not_found() {
    for method in ["no/such", "", "Tools/Call", "tools/call ", "notifications/initialized", "rpc.discover"] {
        for revision in LEGACY {
            let answer = Request::new(revision, method, json!({})).send(&server());
            answer.is_error(200, -32601);
            assert_eq!(answer.id(), Some("1"));
        }
        let answer = Request::new(MODERN, method.trim(), json!({})).send(&server());
        if method != "tools/call " {
            answer.is_error(404, -32601);
            assert_eq!(answer.id(), Some("1"));
        }
    }
}

#[track_caller]
fn exists(server: &Server, method: &str, expected: [bool; 3]) {
    for (revision, expected) in Revision::ALL.into_iter().zip(expected) {
        let params =
            json!({ "name": "mirror", "uri": "a:b", "taskId": "t", "protocolVersion": "2025-11-25" });
        let answer = Request::new(revision, method, params).send(server);
        assert_eq!(answer.code() != Some(-32601), expected, "{method} in {revision}: {answer}");
        if !expected {
            answer.is_error(if revision == MODERN { 404 } else { 200 }, -32601);
        }
    }
}

#[test]
fn each_revision_has_its_own_methods() {
    let server = server();
    exists(&server, "tools/list", [true, true, true]);
    exists(&server, "tools/call", [true, true, true]);
    exists(&server, "server/discover", [true, false, false]);
    exists(&server, "ping", [false, true, true]);
    exists(&server, "initialize", [false, true, true]);
}

#[test]
fn a_feature_that_is_not_declared_does_not_exist() {
    let all = [
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/list",
        "tasks/cancel",
        "tasks/result",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
    ];
    let server = server();
    for method in all {
        exists(&server, method, [false, false, false]);
    }
    exists(&server, "subscriptions/listen", [true, false, false]);
    // Neither declares `listChanged` or `resources.subscribe`.
    let silent = builder().max_subscriptions(0).build().unwrap();
    exists(&silent, "subscriptions/listen", [false, false, false]);
    let bare = Server::builder("bare", "1").build().unwrap();
    exists(&bare, "subscriptions/listen", [false, false, false]);
    let full = builder().prompts(prompts()).resources(resources()).build().unwrap();
    for method in &all[..5] {
        exists(&full, method, [true, true, true]);
    }
    exists(&full, "completion/complete", [true, true, true]);
    exists(&full, "subscriptions/listen", [true, false, false]);
    for method in all.iter().filter(|method| !all[..5].contains(method) && !method.starts_with("completion"))
    {
        exists(&full, method, [false, false, false]);
    }
    exists(&bare, "tools/list", [false, false, false]);
    exists(&bare, "tools/call", [false, false, false]);
    exists(&bare, "ping", [false, true, true]);
}

// Row 14

#[track_caller]
fn invalid_params(method: &str, params: Value, expected: &str) {
    for revision in Revision::ALL {
        let mut request = Request::new(revision, method, params.clone());
        if revision == MODERN && params.get("name").is_none_or(|name| !name.is_string()) {
            // The header has nothing to repeat: that is row 12, and another test.
            if method == "tools/call" {
                continue;
            }
            request = request.without("mcp-name");
        }
        let answer = request.send(&server());
        answer.is_error(200, -32602);
        assert_eq!(answer.id(), Some("1"));
        assert!(answer.error_text().contains(expected), "{answer}");
    }
}

#[test]
fn an_unknown_tool_is_named() {
    invalid_params("tools/call", json!({ "name": "nobody" }), "Unknown tool: nobody");
    invalid_params("tools/call", json!({ "name": "Mirror" }), "Unknown tool: Mirror");
    invalid_params("tools/call", json!({ "name": "" }), "Unknown tool: ");
}

#[test]
fn a_tool_is_named_by_a_string() {
    invalid_params("tools/call", json!({}), "name");
    for name in [json!(null), json!(5), json!(["mirror"]), json!({})] {
        invalid_params("tools/call", json!({ "name": name }), "name");
    }
}

#[test]
fn arguments_are_an_object() {
    for arguments in [json!("x"), json!(5), json!(true), json!([1]), json!([])] {
        invalid_params("tools/call", json!({ "name": "mirror", "arguments": arguments }), "arguments");
    }
}

#[test]
fn a_cursor_is_a_string() {
    for cursor in [json!(5), json!(null), json!({}), json!(["a"])] {
        invalid_params("tools/list", json!({ "cursor": cursor }), "cursor");
    }
}

#[test]
fn initialize_names_a_version() {
    for revision in LEGACY {
        for version in [json!(5), json!(null), json!({}), json!(20_250_618)] {
            let request = Request::open(revision).set_param("protocolVersion", version);
            request.send(&server()).is_error(200, -32602);
        }
        Request::open(revision).without_param("protocolVersion").send(&server()).is_error(200, -32602);
    }
}

#[test]
fn a_long_unknown_name_is_not_repeated_whole() {
    let name = "x".repeat(100_000);
    for revision in Revision::ALL {
        let answer = Request::call(revision, &name, json!({})).send(&server());
        answer.is_error(200, -32602);
        assert!(answer.body.len() < 2000);
        let answer = Request::new(revision, &name, json!({})).send(&server());
        assert_eq!(answer.code(), Some(-32601));
        assert!(answer.body.len() < 2000);
    }
}

// Row 16

#[track_caller]
fn needs(tool: &str, declared: Value, missing: Option<Value>) {
    let answer = Request::call(MODERN, tool, json!({})).meta(CAPABILITIES, declared).send(&server());
    match missing {
        Some(missing) => {
            answer.is_error(400, -32021);
            assert_eq!(
                answer.json()["error"]["data"],
                json!({ "requiredCapabilities": missing }),
                "{answer}"
            );
            assert_eq!(answer.id(), Some("1"));
        }
        None => drop(answer.tool_result()),
    }
}

#[test]
fn a_missing_capability_is_named_as_an_object() {
    needs("ask_model", json!({}), Some(json!({ "sampling": { "tools": {} } })));
    needs("ask_model", json!({ "sampling": {} }), Some(json!({ "sampling": { "tools": {} } })));
    needs("ask_model", json!({ "sampling": { "tools": {} } }), None);
    needs("ask", json!({}), Some(json!({ "elicitation": { "url": {} }, "roots": {} })));
    needs("ask", json!({ "elicitation": {} }), Some(json!({ "elicitation": { "url": {} }, "roots": {} })));
    needs("ask", json!({ "elicitation": { "url": {} } }), Some(json!({ "roots": {} })));
    needs("ask", json!({ "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true } }), None);
    needs("ask_form", json!({ "elicitation": {} }), None);
    needs("ask_form", json!({ "elicitation": { "form": {} } }), None);
    needs(
        "ask_form",
        json!({ "elicitation": { "url": {} } }),
        Some(json!({ "elicitation": { "form": {} } })),
    );
}

#[test]
fn legacy_clients_declared_their_capabilities_elsewhere() {
    for revision in LEGACY {
        Request::call(revision, "ask", json!({})).send(&server()).tool_result();
    }
}

// Row 17

#[test]
fn invalid_arguments_are_a_result_that_lists_every_violation() {
    for revision in Revision::ALL {
        let request = Request::call(revision, "add", json!({ "a": "x" }));
        let text = request.send(&server()).tool_error().to_owned();
        assert!(text.contains("add") && text.contains("/a") && text.contains("/b"), "{text}");
        let text = Request::call(revision, "add", json!({})).send(&server()).tool_error().to_owned();
        assert!(text.contains("/a") && text.contains("/b"), "{text}");
    }
}

#[test]
fn absent_arguments_are_none() {
    for revision in Revision::ALL {
        let request = Request::call(revision, "mirror", json!({})).without_param("arguments");
        assert_eq!(request.send(&server()).tool_result()["structuredContent"], json!({}));
    }
}

#[test]
fn the_oldest_revision_may_be_told_of_invalid_arguments_as_an_error() {
    let server = builder().invalid_arguments_are_errors(true).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::call(revision, "add", json!({ "a": "x" })).send(&server);
        if revision == Revision::V2025_06_18 {
            answer.is_error(200, -32602);
            assert!(answer.error_text().contains("/a") && answer.error_text().contains("/b"), "{answer}");
        } else {
            answer.tool_error();
        }
    }
}

#[test]
fn a_handler_never_sees_arguments_that_do_not_conform() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "maximum": 5 } } });
    let server = serving([crate::tools::mirror("strict", schema)]).build().unwrap();
    for revision in Revision::ALL {
        for bad in [json!(6), json!(1.5), json!(true), json!([]), json!({}), json!("x")] {
            Request::call(revision, "strict", json!({ "n": bad })).send(&server).tool_error();
        }
        let answer = Request::call(revision, "strict", json!({ "n": 5.0 })).send(&server);
        answer.tool_result();
    }
}

#[test]
fn an_integer_with_a_zero_fraction_reaches_a_typed_tool() {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "add", json!({ "a": 5.0, "b": 2 })).send(&server());
        assert_eq!(answer.tool_result()["content"][0]["text"], "7");
    }
}

// A server that fails

#[test]
fn a_failing_registry_is_an_internal_error_that_tells_nothing() {
    for revision in Revision::ALL {
        let server = Server::builder("tests", "1").tools(Failing { finds: false }).build().unwrap();
        for request in [Request::list(revision), Request::call(revision, "any", json!({}))] {
            let answer = request.send(&server);
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("hunter2"), "{answer}");
        }
        let server = Server::builder("tests", "1").tools(Failing { finds: true }).build().unwrap();
        let answer = Request::call(revision, "any", json!({})).send(&server);
        answer.tool_error();
        assert!(!answer.to_string().contains("hunter2"), "{answer}");
    }
}

#[test]
fn a_server_that_closes_is_unavailable() {
    for revision in Revision::ALL {
        let server = server();
        server.close();
        let answer = good(revision).send(&server);
        answer.is_error(503, -32600);
        assert_eq!(answer.id(), None);
    }
}

#[test]
fn an_unknown_connection_serves_any_host() {
    for revision in Revision::ALL {
        let mut request = good(revision).header("host", "mcp.example");
        request.connection = Connection::default();
        request.send(&server()).tool_result();
    }
}

#[test]
fn an_unknown_member_that_occurs_twice_in_the_envelope_is_refused() {
    for again in [r#","x":1,"x":1"#, r#","x":1,"y":2,"\u0078":3"#] {
        refused(|r| r.more(again), 400, -32600, Some("1"));
    }
}

#[test]
fn a_number_past_every_float_is_json_all_the_same() {
    for revision in Revision::ALL {
        for number in ["1e400", "-1E+999"] {
            let call = Request::call(revision, "swallow", json!({ "x": "HERE" }));
            let body = String::from_utf8(call.bytes()).unwrap().replace("\"HERE\"", number);
            // A result, or the tool's error: the arguments are an object.
            call.body(body).send(&server()).result();
        }
    }
}

#[test]
fn an_id_that_occurs_twice_is_not_echoed_whatever_else_is_wrong() {
    for id in ["1", "2"] {
        refused(|r| r.more(&format!(r#","id":{id},"jsonrpc":"2.0""#)), 400, -32600, None);
        refused(|r| r.more(&format!(r#","jsonrpc":"2.0","id":{id}"#)), 400, -32600, None);
    }
}
