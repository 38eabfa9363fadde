//! What becomes of arguments between the request and the handler.

use mcp_http::{Repairs, Revision, Server, Tool, ToolBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::request::{MODERN, Request};
use crate::tools::{mirror, serving};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Typed {
    count: i64,
    ratio: Option<f64>,
    tags: Option<Vec<String>>,
    #[schemars(with = "Option<i64>")]
    small: Option<u8>,
}

fn typed() -> ToolBuilder {
    Tool::builder("typed").handler(|args: Typed| mcp_http::Json(args))
}

fn server() -> Server {
    serving([typed()]).build().unwrap()
}

/// What the handler sees, in every revision.
#[track_caller]
fn seen(server: &Server, arguments: Value, expected: Value) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "typed", arguments.clone()).send(server);
        assert_eq!(answer.tool_result()["structuredContent"], expected, "{revision}");
    }
}

#[track_caller]
fn told(server: &Server, arguments: Value, expected: &str) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "typed", arguments.clone()).send(server);
        assert_eq!(answer.tool_error(), expected, "{revision}");
    }
}

#[track_caller]
fn told_by_the_type(server: &Server, arguments: Value, pointer: &str) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "typed", arguments.clone()).send(server);
        let expected = format!("Invalid arguments:\n- {pointer}: ");
        assert!(answer.tool_error().starts_with(&expected), "{answer}");
    }
}

#[test]
fn what_models_send_is_mended_for_the_handler() {
    seen(
        &server(),
        json!({ "count": "7", "ratio": "2.5", "tags": "[\"x\"]", "small": null, "task_progress": "1" }),
        json!({ "count": 7, "ratio": 2.5, "tags": ["x"], "small": null }),
    );
    seen(
        &server(),
        json!({ "count": 7.0 }),
        json!({ "count": 7, "ratio": null, "tags": null, "small": null }),
    );
}

#[test]
fn each_repair_can_be_switched_off() {
    let without = |repairs| serving([typed()]).repairs(repairs).build().unwrap();
    let strict = without(Repairs { numeric_strings: false, ..Repairs::ALL });
    let title = "Invalid arguments for tool typed:";
    told(&strict, json!({ "count": "7" }), &format!("{title}\n- /count: expected an integer, got a string"));
    let strict = without(Repairs { json_strings: false, ..Repairs::ALL });
    told(
        &strict,
        json!({ "count": 7, "tags": "[]" }),
        &format!("{title}\n- /tags: expected an array, got a string"),
    );
    let strict = without(Repairs { null_as_absent: false, ..Repairs::ALL });
    told(
        &strict,
        json!({ "count": 7, "tags": null }),
        &format!("{title}\n- /tags: expected an array, got null"),
    );
    // Valid by the schema, so it is the type that refuses it.
    let strict = without(Repairs { integral_floats: false, ..Repairs::ALL });
    told_by_the_type(&strict, json!({ "count": 7.0 }), "/count");
    let strict = without(Repairs::NONE);
    told(&strict, json!({ "count": "7" }), &format!("{title}\n- /count: expected an integer, got a string"));
}

#[test]
fn an_argument_that_only_the_type_refuses_is_named() {
    told_by_the_type(&server(), json!({ "count": 7, "small": 300 }), "/small");
}

fn nested() -> Server {
    let schema = json!({ "type": "object", "properties": {
        "route": { "type": "object", "properties": { "shard": { "type": "integer", "x-mcp-header": "Shard" } } },
        "direct": { "type": "integer", "x-mcp-header": "Direct" },
    } });
    serving([mirror("route", schema)]).build().unwrap()
}

/// Whether a call with these arguments agrees with the headers.
#[track_caller]
fn agrees(arguments: Value, headers: &[(&str, &str)], expected: bool) {
    let request = Request::call(MODERN, "route", arguments);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    let answer = request.send(&nested());
    if expected {
        answer.tool_result();
    } else {
        answer.is_error(400, -32020);
    }
}

#[test]
fn headers_are_compared_with_what_the_handler_sees() {
    let text = || json!({ "route": "{\"shard\": 7}" });
    agrees(text(), &[("mcp-param-shard", "7")], true);
    agrees(text(), &[("mcp-param-shard", "8")], false);
    agrees(text(), &[], false);
    agrees(json!({ "route": "{}" }), &[("mcp-param-shard", "7")], false);
    agrees(json!({ "route": "{\"shard\": null}" }), &[], true);
    agrees(
        json!({ "route": { "shard": "7" }, "direct": 5.0 }),
        &[("mcp-param-shard", "7.0"), ("mcp-param-direct", "5")],
        true,
    );
}

#[test]
fn an_integer_that_a_header_repeats_stays_in_its_range_however_it_was_sent() {
    for direct in [json!(9_007_199_254_740_992_i64), json!("9007199254740992"), json!("-9007199254740993")] {
        let header = direct.to_string().replace('"', "");
        let answer =
            Request::call(MODERN, "route", json!({ "direct": direct })).header("mcp-param-direct", header);
        let answer = answer.send(&nested());
        assert!(answer.tool_error().contains("/direct: must lie within"), "{answer}");
    }
}

#[test]
fn a_number_that_no_value_holds_is_refused_wherever_it_is() {
    let server = serving([mirror("mirror", json!({ "type": "object" }))]).build().unwrap();
    for revision in Revision::ALL {
        for huge in ["1e999", "[{\"a\":-1E400}]"] {
            let call = Request::call(revision, "mirror", json!({ "x": "HERE", "y": 1 }));
            let text = String::from_utf8(call.bytes()).unwrap().replace("\"HERE\"", huge);
            let answer = call.body(text).send(&server);
            if serde_json::from_str::<Value>(huge).is_err() {
                assert!(answer.tool_error().contains("out of range"), "{answer}");
            } else {
                // With arbitrary precision nothing is out of range.
                assert_eq!(answer.tool_result()["structuredContent"]["y"], 1, "{answer}");
            }
        }
    }
}

#[cfg(feature = "formats")]
#[test]
fn a_format_is_checked_where_the_tool_says_so() {
    let schema = json!({ "type": "object", "properties": {
        "at": { "type": "string", "format": "date-time" },
        "tell": { "type": ["string", "null"], "format": "email" },
        "play": { "type": "string", "format": "melody" },
    } });
    let server = |tool: ToolBuilder| serving([tool]).build().unwrap();
    let told = server(mirror("alarm", schema.clone()));
    let checking = server(mirror("alarm", schema).check_formats());
    assert_eq!(Request::list(MODERN).send(&told).result(), Request::list(MODERN).send(&checking).result());
    for good in [
        json!({ "at": "2026-07-28T12:00:00Z", "tell": "ann@example.com", "play": "any" }),
        json!({ "at": "2026-07-28T12:00:00Z", "tell": null }),
    ] {
        Request::call(MODERN, "alarm", good).send(&checking).tool_result();
    }
    let bad = json!({ "at": "noon", "tell": "Ann" });
    Request::call(MODERN, "alarm", bad.clone()).send(&told).tool_result();
    let refused = Request::call(MODERN, "alarm", bad).send(&checking);
    let text = refused.tool_error();
    for said in
        ["/at: expected a string in the format date-time", "/tell: expected a string in the format email"]
    {
        assert!(text.contains(said), "{text}");
    }
    assert!(!text.contains("noon"), "{text}");
}
