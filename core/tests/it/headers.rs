//! The headers of revision 2026-07-28 that repeat the body.

use mcp_http::{HeaderMode, Server};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{LEGACY, MODERN, Request};
use crate::tools::{builder, server};

#[track_caller]
fn fits(answer: &Answer, expected: bool) {
    if expected {
        answer.result();
    } else {
        answer.is_error(400, -32020);
        assert_eq!(answer.id(), Some("1"));
    }
}

// Mcp-Method

#[track_caller]
fn method(values: &[&[u8]], expected: bool) {
    let request = Request::list(MODERN).without("mcp-method");
    fits(
        &values.iter().fold(request, |request, value| request.also("mcp-method", value)).send(&server()),
        expected,
    );
}

#[test]
fn the_method_is_repeated() {
    method(&[b"tools/list"], true);
    method(&[b" \ttools/list "], true);
    method(&[], false);
    method(&[b""], false);
    method(&[b"tools/call"], false);
    method(&[b"Tools/List"], false);
    method(&[b"tools/list,"], false);
    method(&[b"tools/list\xe9"], false);
    method(&[b"tools/ list"], false);
}

#[test]
fn a_repeated_header_must_agree_with_itself() {
    method(&[b"tools/list", b"tools/list"], true);
    method(&[b"tools/list", b" tools/list"], true);
    method(&[b"tools/list", b"tools/call"], false);
    method(&[b"tools/call", b"tools/list"], false);
    method(&[b"tools/list", b""], false);
    method(&[b"tools/list, tools/list"], false);
}

#[test]
fn only_names_and_arguments_may_be_encoded() {
    method(&[b"=?base64?dG9vbHMvbGlzdA==?="], false);
    let version = Request::list(MODERN).header("mcp-protocol-version", "=?base64?MjAyNi0wNy0yOA==?=");
    fits(&version.send(&server()), false);
}

// Mcp-Name

#[track_caller]
fn name(tool: &str, values: &[&[u8]], expected: bool) {
    let request = Request::call(MODERN, "mirror", json!({})).set_param("name", tool).without("mcp-name");
    let answer =
        values.iter().fold(request, |request, value| request.also("mcp-name", value)).send(&server());
    if expected {
        // Whether there is a tool of this name is another matter.
        assert_ne!(answer.code(), Some(-32020), "{answer}");
        assert_eq!(answer.status, 200, "{answer}");
    } else {
        fits(&answer, false);
    }
}

#[test]
fn the_name_of_a_tool_is_repeated() {
    name("mirror", &[b"mirror"], true);
    name("mirror", &[b"\t mirror \t"], true);
    name("mirror", &[b"mirror", b"mirror"], true);
    name("mirror", &[], false);
    name("mirror", &[b""], false);
    name("mirror", &[b"Mirror"], false);
    name("mirror", &[b"mirror2"], false);
    name("mirror", &[b"mirror", b"add"], false);
    name("mirror", &[b"mirror, mirror"], false);
    name("mirror", &[b"\"mirror\""], false);
    name("nobody", &[b"nobody"], true);
    name("", &[b""], true);
    name("a b", &[b"a b"], true);
    name("a\tb", &[b"a\tb"], true);
    name(" a", &[b" a"], false);
}

#[test]
fn an_encoded_name_is_decoded_before_it_is_compared() {
    name("mirror", &[b"=?base64?bWlycm9y?="], true);
    name(" a", &[b"=?base64?IGE=?="], true);
    name("", &[b"=?base64??="], true);
    name("caf\u{e9} \u{2615}", &["=?base64?Y2Fmw6kg4piV?=".as_bytes()], true);
    name("mirror", &[b"=?base64?bWlycm9yMg==?="], false);
    name("mirror", &[b"=?base64?bWlycm9y?=", b"mirror"], false);
    name("=?base64?bWlycm9y?=", &[b"=?base64?bWlycm9y?="], false);
    name("=?base64?bWlycm9y?=", &[b"=?base64?PT9iYXNlNjQ/YldseWNtOXk/PQ==?="], true);
}

#[test]
fn a_tool_with_an_encoded_name_is_called() {
    let encoded = "=?base64?Y2Fmw6kg4piV?=";
    let call = Request::call(MODERN, "mirror", json!({ "a": 1 })).set_param("name", "café ☕");
    call.clone().header("mcp-name", encoded).send(&server()).tool_result();
    fits(&call.header("mcp-name", "café ☕".as_bytes()).send(&server()), false);
}

#[test]
fn a_broken_encoding_is_a_mismatch() {
    for broken in [
        "=?base64?bWlycm9y=?=",
        "=?base64?bWlycm9yMg?=",
        "=?base64?bWlycm9yMg=?=",
        "=?base64?bWlycm9yMh==?=",
        "=?base64?bWly cm9y?=",
        "=?base64? bWlycm9y?=",
        "=?base64?bWly!m9y?=",
        "=?base64?bWlycm9y====?=",
        "=?base64?/w==?=",
        "=?base64?7aCA?=",
        "=?base64?wIA=?=",
        "=?base64?bWlycm9y?bWlycm9y?=",
    ] {
        name("mirror", &[broken.as_bytes()], false);
        name(broken, &[broken.as_bytes()], false);
    }
    // The alphabet is the standard one: this is `a?~` in it, and in the one for URLs.
    name("a?~", &[b"=?base64?YT9+?="], true);
    name("a?~", &[b"=?base64?YT9-?="], false);
}

#[test]
fn half_a_marker_is_literal() {
    for literal in [
        "=?base64?bWlycm9y",
        "bWlycm9y?=",
        "=?base64?=",
        "=?BASE64?bWlycm9y?=",
        "=?Base64?bWlycm9y?=",
        "x=?base64?eA==?=",
    ] {
        name(literal, &[literal.as_bytes()], true);
        name("mirror", &[literal.as_bytes()], false);
    }
}

#[test]
fn a_raw_value_outside_visible_ascii_is_invalid_though_it_is_equal() {
    for tool in ["café ☕", "é", "\u{80}"] {
        name(tool, &[tool.as_bytes()], false);
    }
    name("mirror", &[b"mirror", b"mirror\xff"], false);
}

#[test]
fn a_body_without_the_name_that_the_header_has_is_a_mismatch() {
    let call = Request::call(MODERN, "mirror", json!({}));
    fits(&call.clone().without_param("name").send(&server()), false);
    for other in [json!(null), json!(5), json!(["mirror"]), json!({ "name": "mirror" }), json!(true)] {
        fits(&call.clone().set_param("name", other).send(&server()), false);
    }
    fits(&call.clone().set_param("name", 5).header("mcp-name", "5").send(&server()), false);
    fits(&call.without_param("name").without("mcp-name").send(&server()), false);
}

#[test]
fn methods_without_a_name_ignore_the_header() {
    for value in [&b"whatever"[..], b"=?base64?!?=", b"caf\xe9"] {
        fits(&Request::list(MODERN).header("mcp-name", value).send(&server()), true);
        fits(&Request::open(MODERN).header("mcp-name", value).send(&server()), true);
        Request::new(MODERN, "no/such", json!({}))
            .header("mcp-name", value)
            .send(&server())
            .is_error(404, -32601);
    }
}

#[test]
fn methods_with_a_name_repeat_it_even_when_they_do_not_exist() {
    for (method, member) in [
        ("prompts/get", "name"),
        ("resources/read", "uri"),
        ("tasks/get", "taskId"),
        ("tasks/update", "taskId"),
        ("tasks/cancel", "taskId"),
    ] {
        let request = Request::new(MODERN, method, json!({ member: "a:b" }));
        request.send(&server()).is_error(404, -32601);
        fits(&request.clone().without("mcp-name").send(&server()), false);
        fits(&request.clone().header("mcp-name", "a:c").send(&server()), false);
        request.clone().header("mcp-name", "=?base64?YTpi?=").send(&server()).is_error(404, -32601);
        fits(&request.without_param(member).send(&server()), false);
    }
}

#[test]
fn legacy_requests_need_no_header_and_nothing_else_is_looked_at() {
    for revision in LEGACY {
        let call = Request::call(revision, "route", json!({ "region": "eu", "count": 1 }));
        call.send(&server()).tool_result();
        let odd = call
            .header("mcp-method", "tools/list")
            .header("mcp-name", b"caf\xe9")
            .header("mcp-param-region", "us")
            .header("mcp-param-zone", "=?base64?!?=");
        odd.send(&server()).tool_result();
    }
}

// Mcp-Param-*

#[track_caller]
fn param(server: &Server, arguments: Value, headers: &[(&str, &[u8])]) -> Answer {
    let request = Request::call(MODERN, "route", arguments);
    headers.iter().fold(request, |request, (name, value)| request.also(name, value)).send(server)
}

#[track_caller]
fn mirrored(arguments: Value, headers: &[(&str, &[u8])], expected: bool) {
    fits(&param(&server(), arguments, headers), expected);
}

/// A header that repeats an argument, or does not.
#[track_caller]
fn region(argument: Value, header: &[u8], expected: bool) {
    mirrored(json!({ "region": argument }), &[("mcp-param-region", header)], expected);
}

#[track_caller]
fn count(argument: &str, header: &str, expected: bool) {
    let arguments: Value = serde_json::from_str(&format!(r#"{{"count":{argument}}}"#)).unwrap();
    mirrored(arguments, &[("mcp-param-count", header.as_bytes())], expected);
}

#[test]
fn a_string_compares_as_it_is() {
    region(json!("eu"), b"eu", true);
    region(json!("eu"), b" eu\t", true);
    region(json!("eu"), b"EU", false);
    region(json!("eu"), b"eu-west", false);
    region(json!("eu"), b"", false);
    region(json!("eu"), b"\"eu\"", false);
    region(json!(""), b"", true);
    region(json!("a b\tc"), b"a b\tc", true);
    region(json!(" eu"), b" eu", false);
    region(json!("42"), b"42", true);
    region(json!("42"), b"42.0", false);
    region(json!("true"), b"true", true);
    region(json!("é"), "é".as_bytes(), false);
    region(json!("é"), b"\xe9", false);
}

#[test]
fn an_encoded_argument_is_decoded_before_it_is_compared() {
    region(json!("eu"), b"=?base64?ZXU=?=", true);
    region(json!("é"), b"=?base64?w6k=?=", true);
    region(json!(" eu "), b"=?base64?IGV1IA==?=", true);
    region(json!("a\r\nb"), b"=?base64?YQ0KYg==?=", true);
    region(json!("=?base64?ZXU=?="), b"=?base64?ZXU=?=", false);
    region(json!("=?base64?ZXU=?="), b"=?base64?PT9iYXNlNjQ/WlhVPT89?=", true);
    region(json!("=?base64?ZXU="), b"=?base64?ZXU=", true);
    region(json!("eu"), b"=?base64?ZXU?=", false);
    region(json!("eu"), b"=?base64?ZXV=?=", false);
    region(json!("eu"), b"=?base64?/w==?=", false);
    mirrored(json!({ "count": 42 }), &[("mcp-param-count", b"=?base64?NDI=?=")], true);
    mirrored(json!({ "dry": true }), &[("mcp-param-dry-run", b"=?base64?dHJ1ZQ==?=")], true);
}

#[test]
fn a_boolean_is_true_or_false() {
    for (value, header, expected) in [
        (true, "true", true),
        (false, "false", true),
        (true, "false", false),
        (false, "true", false),
        (true, "True", false),
        (true, "1", false),
        (false, "0", false),
        (false, "", false),
    ] {
        mirrored(json!({ "dry": value }), &[("mcp-param-dry-run", header.as_bytes())], expected);
    }
}

#[test]
fn an_integer_compares_as_a_number() {
    count("42", "42", true);
    count("42", "42.0", true);
    count("42", "42.000", true);
    count("42.0", "42", true);
    count("42.0", "42.0", true);
    count("-7", "-7", true);
    count("-7", "-7.0", true);
    count("0", "0", true);
    count("0", "-0", true);
    count("-0", "0", true);
    count("0", "0.0", true);
    count("42", "43", false);
    count("42", "-42", false);
    count("42", "42.5", false);
    count("42", "420", false);
    count("42", "", false);
    count("42", "forty-two", false);
    count("42", "0x2a", false);
    count("42", "4 2", false);
    count("42", "42,0", false);
    count("42", "42.", false);
    count("42", "42.0.0", false);
    count("42", "true", false);
}

#[test]
fn an_integer_never_goes_through_a_float() {
    count("9007199254740991", "9007199254740991", true);
    count("-9007199254740991", "-9007199254740991.0", true);
    count("9007199254740993", "9007199254740992", false);
    count("9007199254740991", "9007199254740991.1", false);
    count("9007199254740990", "9007199254740991", false);
    count("18446744073709551615", "18446744073709551616", false);
}

#[test]
fn an_integer_past_what_every_gateway_holds_is_an_invalid_argument() {
    for value in ["9007199254740992", "-9007199254740992", "9007199254740993", "18446744073709551615"] {
        let arguments: Value = serde_json::from_str(&format!(r#"{{"count":{value}}}"#)).unwrap();
        let answer = param(&server(), arguments, &[("mcp-param-count", value.as_bytes())]);
        assert!(answer.tool_error().contains("/count"), "{answer}");
    }
}

#[test]
fn a_nested_argument_is_found_at_its_path() {
    let place = json!({ "place": { "zone": "a" }, "zone": "b" });
    mirrored(place.clone(), &[("mcp-param-zone", b"a")], true);
    mirrored(place.clone(), &[("mcp-param-zone", b"b")], false);
    mirrored(place, &[], false);
    mirrored(json!({ "zone": "b" }), &[], true);
    mirrored(json!({ "zone": "b" }), &[("mcp-param-zone", b"b")], false);
}

#[test]
fn an_argument_that_is_there_needs_its_header() {
    for arguments in [
        json!({ "region": "eu" }),
        json!({ "region": "" }),
        json!({ "count": 0 }),
        json!({ "dry": false }),
        json!({ "place": { "zone": "" } }),
    ] {
        mirrored(arguments, &[], false);
    }
    // One is not enough for two.
    mirrored(json!({ "region": "eu", "count": 1 }), &[("mcp-param-region", b"eu")], false);
    mirrored(
        json!({ "region": "eu", "count": 1 }),
        &[("mcp-param-region", b"eu"), ("mcp-param-count", b"1")],
        true,
    );
}

#[test]
fn an_argument_that_is_not_there_has_no_header() {
    for arguments in [json!({}), json!({ "region": null }), json!({ "place": {} }), json!({ "place": null })]
    {
        mirrored(arguments.clone(), &[], true);
        for value in [&b"eu"[..], b"", b"null", b"=?base64??="] {
            mirrored(arguments.clone(), &[("mcp-param-region", value)], false);
            mirrored(arguments.clone(), &[("mcp-param-zone", value)], false);
        }
    }
    let nothing = Request::call(MODERN, "route", json!({})).without_param("arguments");
    fits(&nothing.send(&server()), true);
    fits(&nothing.header("mcp-param-count", "1").send(&server()), false);
}

#[test]
fn a_repeated_argument_header_must_agree_with_itself() {
    let eu = json!({ "region": "eu" });
    mirrored(eu.clone(), &[("mcp-param-region", b"eu"), ("mcp-param-region", b" eu ")], true);
    mirrored(eu.clone(), &[("mcp-param-region", b"eu"), ("mcp-param-region", b"us")], false);
    mirrored(eu.clone(), &[("mcp-param-region", b"us"), ("mcp-param-region", b"eu")], false);
    mirrored(eu, &[("mcp-param-region", b"eu"), ("mcp-param-region", b"\xff")], false);
}

#[test]
fn a_header_that_no_property_names_is_ignored() {
    for name in ["mcp-param-free", "mcp-param-other", "mcp-param-place", "mcp-param-", "mcp-param-dry"] {
        mirrored(json!({ "free": "x" }), &[(name, b"y")], true);
        mirrored(json!({}), &[(name, b"=?base64?!?=")], true);
        mirrored(json!({}), &[(name, b"caf\xe9")], true);
    }
}

#[test]
fn an_argument_of_the_wrong_type_with_an_equal_header_is_the_schemas_affair() {
    let answer = param(&server(), json!({ "place": "x" }), &[]);
    answer.tool_error();
    // A repaired integer compares after the repair; where nothing is repaired, the schema speaks.
    let answer = param(&server(), json!({ "count": "42" }), &[("mcp-param-count", b"42")]);
    assert_eq!((answer.status, answer.code()), (200, None), "{answer}");
    fits(&param(&server(), json!({ "count": "42" }), &[("mcp-param-count", b"43")]), false);
}

#[test]
fn a_tool_without_annotations_looks_at_no_header() {
    let call = Request::call(MODERN, "mirror", json!({ "region": "eu" }));
    fits(&call.header("mcp-param-region", "us").send(&server()), true);
}

#[test]
fn a_first_call_without_arguments_is_no_json_rpc_error() {
    // As of the official suite, which calls the first tool of the list with `{}`.
    let server = server();
    let listed = Request::list(MODERN).send(&server);
    for tool in listed.result()["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        if name.is_ascii() && !name.starts_with("ask") && name != "guarded" && name != "panics" {
            Request::call(MODERN, name, json!({})).send(&server).result();
        }
    }
}

#[test]
fn a_lenient_server_still_compares_the_argument_headers_that_were_sent() {
    let server = builder().header_mode(HeaderMode::Lenient).build().unwrap();
    let check = |arguments: Value, headers: &[(&str, &[u8])], expected: bool| {
        fits(&param(&server, arguments, headers), expected);
    };
    check(json!({ "region": "eu" }), &[("mcp-param-region", b"eu")], true);
    check(json!({ "region": "eu" }), &[("mcp-param-region", b"us")], false);
    check(json!({ "region": "eu" }), &[("mcp-param-region", b"=?base64?!?=")], false);
    check(json!({}), &[("mcp-param-region", b"eu")], false);
}

#[test]
fn a_lenient_server_does_without_argument_headers() {
    let server = builder().header_mode(HeaderMode::Lenient).build().unwrap();
    for arguments in [json!({ "region": "eu" }), json!({ "count": 1, "place": { "zone": "a" } })] {
        fits(&param(&server, arguments, &[]), true);
    }
}

#[test]
fn an_integer_with_an_exponent_compares_as_a_number() {
    count("1e2", "100", true);
    count("4.2e1", "42", true);
    count("1e2", "1", false);
}
