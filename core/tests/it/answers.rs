//! What answers say, and how that differs between revisions.

use std::num::NonZeroUsize;
use std::time::Duration;

use mcp_http::{CacheScope, Icon, Revision, Server, ServerBuilder, Tool, ToolOutput, ToolSet};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::request::{LEGACY, MODERN, Request};
use crate::tools::{Slow, all, builder, mirror, server, serving};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// A server that says of itself whatever it can.
pub(crate) fn described() -> ServerBuilder {
    let mut icon = Icon::new("https://example.com/i.png");
    icon.theme = Some("dark".to_owned());
    builder()
        .title("Tests")
        .description("For tests")
        .website_url("https://example.com")
        .icon(icon)
        .instructions("Call mirror.")
}

/// Every kind of result that a revision has.
fn results(server: &Server, revision: Revision) -> Vec<Answer> {
    let mut requests = vec![
        Request::open(revision),
        Request::list(revision),
        Request::call(revision, "mirror", json!({})),
        Request::call(revision, "fails", json!({})),
        Request::call(revision, "add", json!({})),
        Request::call(revision, "empty", json!({})),
        Request::call(revision, "remarks", json!({})),
    ];
    if revision != MODERN {
        requests.push(Request::new(revision, "ping", json!({})));
    }
    requests.iter().map(|request| request.send(server)).collect()
}

#[test]
fn every_modern_result_says_that_it_is_complete_and_who_answers() {
    for answer in results(&described().build().unwrap(), MODERN) {
        let result = answer.result();
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["_meta"][SERVER_INFO],
            json!({
                "name": "tests",
                "title": "Tests",
                "version": "1.0.0",
                "description": "For tests",
                "websiteUrl": "https://example.com",
                "icons": [{ "src": "https://example.com/i.png", "theme": "dark" }],
            })
        );
        assert_eq!(result.get("serverInfo"), None, "nowhere else");
    }
}

#[test]
fn no_legacy_result_has_what_is_modern() {
    for revision in LEGACY {
        for answer in results(&described().build().unwrap(), revision) {
            let result = answer.result();
            for modern in ["resultType", "ttlMs", "cacheScope"] {
                assert_eq!(result.get(modern), None, "{answer}");
            }
            assert!(!answer.to_string().contains(SERVER_INFO), "{answer}");
        }
    }
}

#[test]
fn a_ping_is_answered_with_nothing_at_all() {
    for revision in LEGACY {
        assert_eq!(*Request::new(revision, "ping", json!({})).send(&server()).result(), json!({}));
    }
}

#[test]
fn initialize_answers_exactly_this() {
    let server = described().build().unwrap();
    let oldest = Request::open(Revision::V2025_06_18).send(&server);
    assert_eq!(
        *oldest.result(),
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "tests", "title": "Tests", "version": "1.0.0" },
            "instructions": "Call mirror.",
        })
    );
    let newer = Request::open(Revision::V2025_11_25).send(&server);
    assert_eq!(
        *newer.result(),
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": {
                "name": "tests",
                "title": "Tests",
                "version": "1.0.0",
                "description": "For tests",
                "websiteUrl": "https://example.com",
                "icons": [{ "src": "https://example.com/i.png", "theme": "dark" }],
            },
            "instructions": "Call mirror.",
        })
    );
    assert_eq!(newer.header("mcp-session-id"), None);
}

#[test]
fn discover_answers_exactly_this() {
    let server = builder().instructions("Call mirror.").build().unwrap();
    assert_eq!(
        *Request::open(MODERN).send(&server).result(),
        json!({
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18"],
            "capabilities": { "tools": { "listChanged": true } },
            "instructions": "Call mirror.",
            "ttlMs": 300_000,
            "cacheScope": "public",
            "resultType": "complete",
            "_meta": { SERVER_INFO: { "name": "tests", "version": "1.0.0" } },
        })
    );
}

#[test]
fn a_server_says_no_more_than_it_knows() {
    let bare = Server::builder("bare", "1").instructions("").build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::open(revision).send(&bare);
        assert_eq!(answer.result()["capabilities"], json!({}));
        assert_eq!(answer.result().get("instructions"), None);
    }
    let answer = Request::open(Revision::V2025_11_25).send(&bare);
    assert_eq!(answer.result()["serverInfo"], json!({ "name": "bare", "version": "1" }));
}

#[test]
fn the_versions_that_are_served_are_listed_newest_first() {
    let server = builder().revisions([Revision::V2025_06_18, MODERN]).build().unwrap();
    let discovered = Request::open(MODERN).send(&server).result()["supportedVersions"].clone();
    assert_eq!(discovered, json!(["2026-07-28", "2025-06-18"]));
    let unknown = Request::list(MODERN)
        .meta(crate::request::VERSION, "2099-01-01")
        .header("mcp-protocol-version", "2099-01-01");
    assert_eq!(unknown.send(&server).json()["error"]["data"]["supported"], discovered);
}

#[test]
fn cache_hints_are_as_they_were_set() {
    #[track_caller]
    fn check(settings: ServerBuilder, ttl: u64, scope: &str) {
        let server = settings.build().unwrap();
        for request in [Request::list(MODERN), Request::open(MODERN)] {
            let answer = request.send(&server);
            assert_eq!(answer.result()["ttlMs"], ttl);
            assert_eq!(answer.result()["cacheScope"], scope);
        }
        let call = Request::call(MODERN, "mirror", json!({})).send(&server);
        assert_eq!((call.result().get("ttlMs"), call.result().get("cacheScope")), (None, None));
    }
    check(builder(), 300_000, "public");
    check(builder().list_ttl(Duration::ZERO), 0, "public");
    check(builder().list_ttl(Duration::from_micros(2999)), 2, "public");
    check(builder().cache_scope(CacheScope::Private), 300_000, "private");
}

#[test]
fn an_endless_time_to_live_is_still_an_integer() {
    let server = builder().list_ttl(Duration::MAX).build().unwrap();
    let answer = Request::list(MODERN).send(&server);
    assert!(answer.result()["ttlMs"].as_u64().is_some_and(|ttl| ttl < 1 << 53), "{answer}");
}

// Lists

fn tool(revision: Revision, name: &str) -> Map<String, Value> {
    let answer = Request::list(revision).send(&server());
    let tools = answer.result()["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
    tool.as_object().unwrap().clone()
}

#[test]
fn a_tool_is_published_with_what_it_has() {
    for revision in Revision::ALL {
        let tool = Value::Object(tool(revision, "decorated"));
        assert_eq!(tool["title"], "Decorated");
        assert_eq!(tool["description"], "Has everything");
        assert_eq!(tool["annotations"], json!({ "readOnlyHint": true }));
        assert_eq!(tool["_meta"], json!({ "com.example/k": "v" }));
        let icons = json!([
            { "src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"] }
        ]);
        assert_eq!(tool.get("icons"), (revision != Revision::V2025_06_18).then_some(&icons));
    }
}

#[test]
fn a_bare_tool_has_no_empty_members() {
    for revision in Revision::ALL {
        let tool = Value::Object(tool(revision, "mirror"));
        assert_eq!(tool, json!({ "name": "mirror", "inputSchema": { "type": "object" } }));
    }
}

#[test]
fn a_tool_without_parameters_publishes_exactly_this() {
    for revision in Revision::ALL {
        let tool = tool(revision, "empty");
        let schema = serde_json::to_string(&tool["inputSchema"]).unwrap();
        assert_eq!(schema, r#"{"type":"object","additionalProperties":false}"#);
    }
}

#[test]
fn legacy_properties_are_never_true_or_false() {
    for revision in LEGACY {
        let properties = tool(revision, "decorated")["inputSchema"]["properties"].clone();
        assert_eq!(properties["any"], json!({}));
        assert_eq!(properties["none"], json!({ "not": {} }));
    }
    let properties = tool(MODERN, "decorated")["inputSchema"]["properties"].clone();
    assert_eq!((&properties["any"], &properties["none"]), (&json!(true), &json!(false)));
}

#[test]
fn a_tool_serializes_as_the_newest_list_publishes_it() {
    let answer = Request::list(MODERN).send(&server());
    for tool in all() {
        let tool = tool.build().unwrap();
        let published = serde_json::to_string(&tool).unwrap();
        assert!(answer.to_string().contains(&published), "{published}");
    }
    let tool = Tool::builder("decorated").title("Decorated").description("Has both").meta("example.com/k", 1);
    let tool = tool.handler(|| ()).build().unwrap();
    assert_eq!(
        serde_json::to_string(&tool).unwrap(),
        concat!(
            r#"{"name":"decorated","title":"Decorated","description":"Has both","#,
            r#""inputSchema":{"type":"object","additionalProperties":false},"_meta":{"example.com/k":1}}"#,
        )
    );
}

#[test]
fn the_sizes_in_a_lint_are_those_of_the_newest_list() {
    let lint = ToolSet::try_from_tools(all()).unwrap().lint();
    let answer = Request::list(MODERN).send(&server());
    let listed = answer.result()["tools"].as_array().unwrap();
    let listed: Vec<_> =
        listed.iter().map(|tool| (tool["name"].as_str().unwrap(), tool.to_string().len())).collect();
    let sizes: Vec<_> = lint.sizes().iter().map(|size| (size.tool(), size.bytes())).collect();
    assert_eq!(sizes, listed);
}

#[test]
fn tools_are_listed_in_the_order_they_were_added() {
    let names = ["zebra", "ant", "Mole", "a1", "_"];
    let server = serving(names.map(|name| mirror(name, json!({ "type": "object" })))).build().unwrap();
    for revision in Revision::ALL {
        for _ in 0..3 {
            let answer = Request::list(revision).send(&server);
            let listed: Vec<&str> = answer.result()["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap())
                .collect();
            assert_eq!(listed, names);
        }
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn a_schema_that_was_handed_in_is_published_unchanged() {
    let text = concat!(
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","#,
        r##""$defs":{"zip":{"$anchor":"zip","type":"string","pattern":"^\\d{5}$"}},"##,
        r##""properties":{"zip":{"$ref":"#zip"},"big":{"const":9007199254740993},"last":{"type":"number"}},"##,
        r#""allOf":[{"if":{"required":["big"]},"then":{"required":["zip"]}}],"x-mine":{"a":null}}"#,
    );
    let server = serving([mirror("own", serde_json::from_str(text).unwrap())]).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::list(revision).send(&server);
        assert!(answer.to_string().contains(&format!(r#""inputSchema":{text}"#)), "{answer}");
    }
}

// Structured content

#[track_caller]
fn structured(name: &str, modern: Value, legacy: Value) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, name, json!({})).send(&server());
        let result = answer.tool_result();
        let expected = if revision == MODERN { &modern } else { &legacy };
        assert_eq!(result["structuredContent"], *expected, "{revision}");
        // The same JSON, unwrapped, for clients that read content only.
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!((text, result["content"].as_array().unwrap().len()), (modern.clone(), 1));
    }
}

#[test]
fn structured_content_is_wrapped_for_clients_that_take_objects_only() {
    structured("list_ids", json!([1, 2]), json!({ "result": [1, 2] }));
    structured("count", json!(7), json!({ "result": 7 }));
    structured("nothing", json!(null), json!({ "result": null }));
    structured("unlisted_shape", json!([1, 2]), json!({ "result": [1, 2] }));
    structured("linked", json!([3]), json!({ "result": [3] }));
}

#[test]
fn structured_content_that_is_an_object_stays_as_it_is() {
    structured("weather", json!({ "city": "Oslo", "celsius": -3 }), json!({ "city": "Oslo", "celsius": -3 }));
}

#[test]
fn content_is_wrapped_whenever_its_schema_is() {
    structured("either", json!({ "a": 1 }), json!({ "result": { "a": 1 } }));
}

#[test]
fn what_a_legacy_client_gets_conforms_to_what_it_was_shown() {
    for revision in Revision::ALL {
        for name in ["list_ids", "linked", "count", "nothing", "either", "weather"] {
            let schema = tool(revision, name)["outputSchema"].clone();
            if revision != MODERN {
                assert_eq!(schema["type"], "object", "{name}");
            }
            let answer = Request::call(revision, name, json!({})).send(&server());
            let validator = jsonschema::validator_for(&schema).unwrap();
            let content = &answer.tool_result()["structuredContent"];
            assert!(validator.is_valid(content), "{revision} {name}: {content} against {schema}");
            assert!(!validator.is_valid(&json!({ "result": "x", "a": "y" })) || name == "either", "{schema}");
        }
    }
}

#[test]
fn a_modern_output_schema_is_published_as_it_is() {
    assert_eq!(
        tool(MODERN, "list_ids")["outputSchema"],
        json!({ "type": "array", "items": { "type": "integer" } })
    );
    assert_eq!(tool(MODERN, "count")["outputSchema"], json!({ "type": "integer" }));
}

#[test]
fn a_result_that_breaks_its_schema_is_a_failed_tool() {
    for revision in Revision::ALL {
        for name in ["breaks_its_word", "lies"] {
            let answer = Request::call(revision, name, json!({})).send(&server());
            answer.tool_error();
            assert_eq!(answer.result().get("structuredContent"), None);
        }
        let answer = Request::call(revision, "fails_within_its_word", json!({})).send(&server());
        assert_eq!(answer.tool_error(), "no such city");
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn references_still_lead_somewhere_when_a_schema_is_wrapped() {
    let rooted = json!({
        "$id": "https://example.com/list",
        "type": "array",
        "items": { "$ref": "#/$defs/a" },
        "$defs": { "a": { "type": "integer" } },
    });
    let older = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array",
        "items": { "$ref": "#/definitions/a~1b" },
        "definitions": { "a/b": { "type": "integer" }, "all": { "$ref": "#" } },
    });
    let anchored = json!({
        "type": "array",
        "items": { "$ref": "#a" },
        "$defs": { "a": { "$anchor": "a", "type": "integer" } },
    });
    let schemas = [("rooted", rooted), ("older", older), ("anchored", anchored)];
    for (name, schema) in schemas {
        let tool = Tool::builder(name).output_schema(schema).handler(|| mcp_http::Json([1, 2]));
        let server = serving([tool]).build().unwrap();
        for revision in LEGACY {
            let listed = Request::list(revision).send(&server).result()["tools"][0]["outputSchema"].clone();
            let validator = jsonschema::validator_for(&listed)
                .unwrap_or_else(|error| panic!("{name}: {error}: {listed}"));
            let answer = Request::call(revision, name, json!({})).send(&server);
            assert!(validator.is_valid(&answer.tool_result()["structuredContent"]), "{name}: {listed}");
            assert!(!validator.is_valid(&json!({ "result": ["x"] })), "{name}: {listed}");
        }
    }
}

// Content

#[test]
fn content_is_always_there() {
    for revision in Revision::ALL {
        for name in ["empty", "remarks"] {
            let answer = Request::call(revision, name, json!({})).send(&server());
            assert_eq!(answer.tool_result()["content"], json!([]));
        }
    }
}

#[test]
fn all_kinds_of_blocks_are_sent_to_everybody() {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "blocks", json!({})).send(&server());
        assert_eq!(
            answer.tool_result()["content"],
            json!([
                { "type": "text", "text": "text", "annotations": { "audience": ["user", "assistant"], "priority": 0.5 } },
                { "type": "image", "data": "iVA=", "mimeType": "image/png" },
                { "type": "audio", "data": "AQID", "mimeType": "audio/wav" },
                { "type": "resource_link", "uri": "file:///a.txt", "name": "a" },
                { "type": "resource", "resource": { "uri": "file:///a.txt", "mimeType": "text/plain", "text": "a" } },
                {
                    "type": "resource",
                    "resource": { "uri": "file:///b.bin", "blob": "AP8=" },
                    "_meta": { "com.example/k": 1 },
                },
            ])
        );
    }
}

#[test]
fn results_have_exactly_the_members_of_their_revision() {
    for revision in Revision::ALL {
        let framed: &[&str] = if revision == MODERN { &["_meta", "resultType"] } else { &[] };
        let with = |own: &[&'static str]| {
            let mut all: Vec<&str> = framed.iter().chain(own).copied().collect();
            all.sort_unstable();
            all
        };
        let call = |name: &str| Request::call(revision, name, json!({})).send(&server());
        assert_eq!(keys(call("empty").result()), with(&["content"]));
        assert_eq!(keys(call("mirror").result()), with(&["content", "structuredContent"]));
        assert_eq!(keys(call("fails").result()), with(&["content", "isError"]));
        let list = Request::list(revision).send(&server());
        let cached: &[&str] = if revision == MODERN { &["cacheScope", "ttlMs", "tools"] } else { &["tools"] };
        assert_eq!(keys(list.result()), with(cached));
    }
}

#[test]
fn the_meta_of_a_tool_stands_beside_our_own() {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "remarks", json!({})).send(&server());
        let meta = &answer.tool_result()["_meta"];
        assert_eq!(meta["com.example/n"], 5);
        assert_eq!(meta.get(SERVER_INFO).is_some(), revision == MODERN);
    }
}

#[test]
fn a_failed_tool_is_a_result_in_its_own_words() {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "fails", json!({})).send(&server());
        assert_eq!(answer.tool_error(), "the disk is full");
        let answer = Request::call(revision, "leaks", json!({})).send(&server());
        assert!(!answer.tool_error().contains("secret"), "{answer}");
    }
}

// Pages

#[track_caller]
fn names(answer: &Answer) -> Vec<String> {
    let tools = answer.result()["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn paged(size: usize) -> Server {
    let tools = ["a", "b", "c", "d", "e"].map(|name| mirror(name, json!({ "type": "object" })));
    serving(tools).page_size(NonZeroUsize::new(size).unwrap()).build().unwrap()
}

#[test]
fn pages_cover_the_list_once_and_the_last_has_no_cursor() {
    for revision in Revision::ALL {
        for (size, pages) in [(1, 5), (2, 3), (3, 2), (4, 2), (5, 1), (6, 1), (usize::MAX, 1)] {
            let server = paged(size);
            let (mut seen, mut count, mut cursor) = (Vec::new(), 0, None::<String>);
            loop {
                let mut request = Request::list(revision);
                if let Some(cursor) = &cursor {
                    request = request.set_param("cursor", cursor.as_str());
                }
                let answer = request.send(&server);
                assert!(names(&answer).len() <= size);
                seen.extend(names(&answer));
                count += 1;
                match answer.result().get("nextCursor") {
                    Some(next) => cursor = Some(next.as_str().unwrap().to_owned()),
                    None => break,
                }
                assert!(count < 10, "no end");
            }
            assert_eq!((seen.join(""), count), ("abcde".to_owned(), pages), "pages of {size}");
        }
    }
}

#[test]
fn a_list_without_pages_has_no_cursor() {
    for revision in Revision::ALL {
        assert_eq!(Request::list(revision).send(&server()).result().get("nextCursor"), None);
        assert_eq!(Request::list(revision).send(&paged(5)).result().get("nextCursor"), None);
    }
}

#[test]
fn a_cursor_that_was_not_issued_is_invalid() {
    for revision in Revision::ALL {
        for server in [paged(2), server()] {
            for cursor in ["", "0", "2", "nonsense", "Wg", "YQ==", "%%%", "é", " "] {
                let answer = Request::list(revision).set_param("cursor", cursor).send(&server);
                answer.is_error(200, -32602);
            }
        }
    }
}

#[test]
fn a_cursor_of_another_list_is_invalid() {
    for revision in Revision::ALL {
        let first = Request::list(revision).send(&paged(2));
        let cursor = first.result()["nextCursor"].clone();
        Request::list(revision).set_param("cursor", cursor).send(&server()).is_error(200, -32602);
    }
}

// Callers

#[test]
fn a_list_of_the_callers_own_is_private() {
    let server =
        Server::builder("tests", "1").tools(Slow::new(&["open", "ann.own", "bob.own"])).build().unwrap();
    for revision in Revision::ALL {
        for (caller, expected) in [
            (None, vec!["open"]),
            (Some("ann"), vec!["open", "ann.own"]),
            (Some("bob"), vec!["open", "bob.own"]),
        ] {
            let mut request = Request::list(revision);
            if let Some(caller) = caller {
                request = request.principal(caller);
            }
            let answer = request.send(&server);
            assert_eq!(names(&answer), expected);
            let scope = answer.result().get("cacheScope");
            assert_eq!(scope, (revision == MODERN).then_some(&json!("private")));
        }
    }
}

#[test]
fn all_pages_of_a_list_have_one_scope() {
    let registry = Slow::new(&["a", "b", "c"]);
    let server = Server::builder("tests", "1").tools(registry).page_size(NonZeroUsize::MIN).build().unwrap();
    let mut cursor = None::<Value>;
    for expected in ["a", "b", "c"] {
        let mut request = Request::list(MODERN);
        if let Some(cursor) = cursor {
            request = request.set_param("cursor", cursor);
        }
        let answer = request.send(&server);
        assert_eq!(names(&answer), [expected]);
        assert_eq!(answer.result()["cacheScope"], "private");
        cursor = answer.result().get("nextCursor").cloned();
    }
    assert_eq!(cursor, None);
}

#[test]
fn a_tool_that_a_caller_may_not_see_is_unknown() {
    let server = Server::builder("tests", "1").tools(Slow::new(&["ann.own"])).build().unwrap();
    for revision in Revision::ALL {
        let call = Request::call(revision, "ann.own", json!({ "x": 1 }));
        call.clone().principal("ann").send(&server).tool_result();
        for stranger in [call.clone(), call.principal("bob")] {
            let answer = stranger.send(&server);
            answer.is_error(200, -32602);
            assert!(answer.error_text().contains("Unknown tool: ann.own"), "{answer}");
        }
    }
}

#[test]
fn the_principal_may_be_made_of_the_head() {
    let server = Server::builder("tests", "1")
        .tools(Slow::new(&["ann.own"]))
        .principal(|head| head.headers.get("x-user")?.to_str().ok().map(mcp_http::Principal::new));
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let call = Request::call(revision, "ann.own", json!({}));
        call.clone().header("x-user", "ann").send(&server).tool_result();
        // What middleware left is not asked then.
        call.principal("ann").send(&server).is_error(200, -32602);
    }
}

#[test]
fn a_tool_cannot_pose_as_another_server() {
    let tool = Tool::builder("poses").handler(|| {
        ToolOutput::new(vec![]).with_meta(SERVER_INFO, json!({ "name": "other", "version": "0" }))
    });
    let answer = Request::call(MODERN, "poses", json!({})).send(&serving([tool]).build().unwrap());
    assert_eq!(
        answer.tool_result()["_meta"],
        json!({ SERVER_INFO: { "name": "tests", "version": "1.0.0" } })
    );
}

#[test]
fn json_that_has_line_ends_in_it_does_not_break_a_stream() {
    let raw = "{\"a\":\r\n[1,\r2,\n\n3]\r}";
    let tool = Tool::builder("raw")
        .handler(move || ToolOutput::structured(&RawValue::from_string(raw.to_owned()).unwrap()));
    let server = serving([tool]).build().unwrap();
    for revision in Revision::ALL {
        let call = Request::call(revision, "raw", json!({}));
        for accept in ["application/json", "text/event-stream"] {
            let answer = call.clone().header("accept", accept).send(&server);
            assert_eq!(answer.tool_result()["structuredContent"], json!({ "a": [1, 2, 3] }));
        }
    }
}

#[test]
fn legacy_properties_are_objects_however_deep() {
    for revision in LEGACY {
        let nested = tool(revision, "decorated")["inputSchema"]["properties"]["nested"].clone();
        assert_eq!(nested["properties"]["any"], json!({}));
    }
}

#[cfg(feature = "json-schema")]
#[test]
fn a_reference_inside_of_an_embedded_resource_stays_when_a_schema_is_wrapped() {
    let schema = json!({
        "type": "array",
        "items": {
            "$id": "https://example.com/item",
            "$ref": "#/$defs/a",
            "$defs": { "a": { "type": "integer" } },
        },
    });
    let tool = Tool::builder("embedded").output_schema(schema).handler(|| mcp_http::Json([1, 2]));
    let server = serving([tool]).build().unwrap();
    for revision in LEGACY {
        let listed = Request::list(revision).send(&server).result()["tools"][0]["outputSchema"].clone();
        let validator =
            jsonschema::validator_for(&listed).unwrap_or_else(|error| panic!("{error}: {listed}"));
        assert!(validator.is_valid(&json!({ "result": [1] })), "{listed}");
    }
}
