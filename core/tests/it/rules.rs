//! What holds for every tool, however it was made and whoever calls it.

use mcp_http::{
    Annotations, CallContext, Content, Finding, Icon, IntoToolResult, Json, RegisterError, Revision, Role,
    Server, Tool, ToolAnnotations, ToolBuilder, ToolError, ToolSet, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::request::{LEGACY, MODERN, Request};
use crate::tools::{mirror, server, serving};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

impl Add {
    fn sum(&self) -> i64 {
        self.a + self.b
    }
}

/// What a call without arguments gives, in every revision, but for what results of the revision have anyway.
#[track_caller]
pub(crate) fn gives(tool: ToolBuilder, expected: &Value) {
    let server = serving([tool]).build().unwrap();
    let name = listed(&server).remove(0);
    for revision in Revision::ALL {
        let mut result = Request::call(revision, &name, json!({})).send(&server).result().clone();
        let members = result.as_object_mut().unwrap();
        members.remove("_meta");
        members.remove("resultType");
        assert_eq!(result, *expected, "{revision}");
    }
}

pub(crate) fn listed(server: &Server) -> Vec<String> {
    let answer = Request::list(MODERN).send(server);
    let tools = answer.result()["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
pub(crate) fn says(server: &Server, tool: &str, arguments: &Value, expected: &str) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, tool, arguments.clone()).send(server);
        assert_eq!(answer.tool_result()["content"][0]["text"], expected, "{revision}");
    }
}

// What a tool is

#[test]
fn what_is_published_of_a_tool_can_be_read_from_it() {
    let icon = Icon::new("https://example.com/i.png");
    let annotations = ToolAnnotations { idempotent: Some(true), ..ToolAnnotations::default() };
    let (input, output) = (json!({ "type": "object" }), json!({ "type": "array" }));
    let tool = Tool::builder("name")
        .title("Title")
        .description("Description")
        .icon(icon.clone())
        .annotations(annotations.clone())
        .meta("example.com/k", 1)
        .input_schema(input.clone())
        .output_schema(output.clone())
        .handler(|| Json([1]))
        .build()
        .unwrap();
    assert_eq!((tool.name(), tool.title(), tool.description()), ("name", Some("Title"), Some("Description")));
    assert_eq!((tool.icons(), tool.annotations()), (&[icon][..], &annotations));
    assert_eq!((tool.input_schema(), tool.output_schema()), (&input, Some(&output)));
    assert_eq!(tool.meta()["example.com/k"], 1);
    let bare = Tool::builder("bare").handler(|| ()).build().unwrap();
    assert_eq!((bare.title(), bare.description(), bare.output_schema()), (None, None, None));
    assert!(bare.icons().is_empty() && bare.meta().is_empty());
    assert_eq!(*bare.annotations(), ToolAnnotations::default());
}

#[test]
fn functions_and_closures_of_every_shape_are_tools() {
    fn function() -> &'static str {
        "function"
    }
    async fn later(_: CallContext) -> String {
        "later".to_owned()
    }
    let captured = "closure".to_owned();
    let tools = [
        Tool::builder("a").handler(function),
        Tool::builder("b").handler(later),
        Tool::builder("c").handler(move || captured.clone()),
        Tool::builder("d").handler(async || "async closure"),
        Tool::builder("e").handler(|cx: CallContext| cx.head().method.to_string()),
        Tool::builder("f").handler(|add: Add| Json(json!({ "sum": add.sum() })).into_tool_result()),
        Tool::builder("g").handler(async |add: Add| add.sum()),
        Tool::builder("h").handler(|add: Add, cx: CallContext| format!("{} {}", add.sum(), cx.head().uri)),
        Tool::builder("i").handler(async |add: Add, _: CallContext| Ok::<_, ToolError>(Some(add.sum()))),
    ];
    let server = serving(tools).build().unwrap();
    let told = ["function", "later", "closure", "async closure", "POST"];
    for (name, expected) in ["a", "b", "c", "d", "e"].into_iter().zip(told) {
        says(&server, name, &json!({}), expected);
    }
    let told = [r#"{"sum":3}"#, "3", "3 /mcp", "3"];
    for (name, expected) in ["f", "g", "h", "i"].into_iter().zip(told) {
        says(&server, name, &json!({ "a": 1, "b": 2 }), expected);
    }
}

#[test]
fn annotations_decide_nothing() {
    let hints = [None, Some(false), Some(true)];
    let mut answers: Vec<Vec<String>> = Vec::new();
    for number in 0..81_usize {
        let hint = |power: u32| hints[number / 3_usize.pow(power) % 3];
        let annotations = ToolAnnotations {
            title: hint(0).map(|_| "Title".to_owned()),
            read_only: hint(0),
            destructive: hint(1),
            idempotent: hint(2),
            open_world: hint(3),
        };
        let tools = [
            Tool::builder("add").annotations(annotations.clone()).handler(|add: Add| add.sum()),
            Tool::builder("fails").annotations(annotations).handler(|| Err::<(), _>(ToolError::new("no"))),
        ];
        let server = serving(tools).build().unwrap();
        let mut seen = Vec::new();
        for revision in Revision::ALL {
            let (good, bad) = (json!({ "a": 1, "b": 2 }), json!({}));
            for (name, arguments) in [("add", good), ("add", bad), ("fails", json!({}))] {
                let call = Request::call(revision, name, arguments);
                // A second call is a call, whatever is said of the tool.
                seen.extend([call.send(&server).to_string(), call.send(&server).to_string()]);
            }
            assert_eq!(Request::list(revision).send(&server).result()["tools"].as_array().unwrap().len(), 2);
        }
        answers.push(seen);
    }
    assert!(answers.iter().all(|seen| *seen == answers[0]));
}

#[test]
fn nothing_in_a_list_is_null() {
    #[track_caller]
    fn no_null(value: &Value) {
        match value {
            Value::Null => panic!("null"),
            Value::Array(items) => items.iter().for_each(no_null),
            Value::Object(members) => members.values().for_each(no_null),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let bare = || Tool::builder("bare").handler(|| ());
    let mut themed = Icon::new("https://example.com/t.png");
    themed.theme = Some("dark".to_owned());
    let partly = Tool::builder("partly")
        .icon(Icon::new("https://example.com/i.png"))
        .icon(themed)
        .annotations(ToolAnnotations { destructive: Some(false), ..ToolAnnotations::default() })
        .handler(|| ());
    let server = serving([bare(), partly]).build().unwrap();
    for revision in Revision::ALL {
        no_null(Request::list(revision).send(&server).result());
        no_null(Request::open(revision).send(&server).result());
    }
    // Nor in content.
    let hints = Annotations { audience: vec![Role::User], ..Annotations::default() };
    let blocks = Tool::builder("blocks").handler(move || {
        vec![
            Content::text("a").annotations(hints.clone()),
            Content::resource_link("file:///a", "a"),
            Content::resource(mcp_http::ResourceContents::text("file:///a", "a")),
        ]
    });
    let server = serving([blocks]).build().unwrap();
    for revision in Revision::ALL {
        no_null(Request::call(revision, "blocks", json!({})).send(&server).result());
    }
}

#[test]
fn names_that_clients_confuse_are_served_as_they_are_and_found_by_the_lint() {
    let names = ["getUser", "getuser", "a.b", "ab", "list_x", "list-x", "_status", "status_", "x__y"];
    let says = |name: &'static str| Tool::builder(name).description("Says its name").handler(move || name);
    let tools = ToolSet::try_from_tools(names.map(says)).unwrap();
    let server = Server::builder("tests", "1").tools(tools.clone()).build().unwrap();
    assert_eq!(listed(&server), names);
    for name in names {
        self::says(&server, name, &json!({}), name);
    }
    let mut found = Vec::new();
    for finding in tools.lint().findings() {
        match finding {
            Finding::Underscores { tool } => found.push(tool.clone()),
            Finding::AlikeNames { tools } => found.push(tools.join(" = ")),
            other => panic!("{other:?}"),
        }
    }
    let expected = [
        "_status",
        "status_",
        "x__y",
        "getUser = getuser",
        "a.b = ab",
        "list_x = list-x",
        "_status = status_",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_malformed_tool_is_refused_and_the_others_are_served() {
    let tools = ToolSet::new().with(Tool::builder("good").handler(|| "good")).unwrap();
    for schema in [json!({}), json!({ "type": "array" }), json!({ "type": "object", "properties": [] })] {
        let refused = tools.add(mirror("bad", schema)).unwrap_err();
        assert!(matches!(&refused, RegisterError::InputSchema { tool, .. } if tool == "bad"), "{refused}");
    }
    let refused = tools.add(Tool::builder("not a name").handler(|| ())).unwrap_err();
    assert_eq!(refused, RegisterError::InvalidName("not a name".to_owned()));
    let server = Server::builder("tests", "1").tools(tools).build().unwrap();
    assert_eq!(listed(&server), ["good"]);
    says(&server, "good", &json!({}), "good");
}

// Arguments

#[test]
fn a_missing_argument_is_a_failure_that_names_it_and_no_protocol_error() {
    let server = server();
    for revision in Revision::ALL {
        for (arguments, missing) in [(json!({ "a": 1 }), "/b"), (json!({ "b": 1 }), "/a")] {
            let answer = Request::call(revision, "add", arguments).send(&server);
            let expected = format!("Invalid arguments for tool add:\n- {missing}: missing, but required");
            assert_eq!(answer.tool_error(), expected);
        }
    }
}

/// Looks something up in one region.
#[tool]
fn look_up(
    #[param(header = "Region")] region: String,
    #[param(header = "Shard")] shard: Option<u32>,
) -> String {
    format!("{region} {shard:?}")
}

#[test]
fn a_parameter_is_repeated_in_the_header_that_it_names() {
    let server = serving([look_up::tool()]).build().unwrap();
    let call = |arguments: Value| Request::call(MODERN, "look_up", arguments);
    let good = call(json!({ "region": "eu", "shard": "7" })).header("mcp-param-region", "eu");
    let answer = good.clone().header("mcp-param-shard", "7.0").send(&server);
    assert_eq!(answer.tool_result()["content"][0]["text"], "eu Some(7)");
    for shard in ["8", "=?base64?!?=", "seven"] {
        good.clone().header("mcp-param-shard", shard).send(&server).is_error(400, -32020);
    }
    good.send(&server).is_error(400, -32020);
    let encoded = call(json!({ "region": "é" })).header("mcp-param-region", "=?base64?w6k=?=").send(&server);
    assert_eq!(encoded.tool_result()["content"][0]["text"], "é None");
    for revision in LEGACY {
        let answer = Request::call(revision, "look_up", json!({ "region": "eu" })).send(&server);
        assert_eq!(answer.tool_result()["content"][0]["text"], "eu None");
    }
}

// Results

#[test]
fn one_block_is_sent_as_it_is() {
    let block = || Content::text("a").meta("example.com/k", 1);
    let sent = json!({ "type": "text", "text": "a", "_meta": { "example.com/k": 1 } });
    gives(Tool::builder("one").handler(block), &json!({ "content": [sent] }));
    gives(Tool::builder("two").handler(move || vec![block(), block()]), &json!({ "content": [sent, sent] }));
}

#[test]
fn bytes_and_their_base64_make_the_same_block() {
    let image = json!({ "content": [{ "type": "image", "data": "iVD/", "mimeType": "image/png" }] });
    gives(Tool::builder("raw").handler(|| Content::image([0x89, 0x50, 0xff], "image/png")), &image);
    gives(Tool::builder("encoded").handler(|| Content::image_base64("iVD/", "image/png")), &image);
    let audio = json!({ "content": [{ "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" }] });
    gives(Tool::builder("raw").handler(|| Content::audio(b"RIFF", "audio/wav")), &audio);
    gives(Tool::builder("encoded").handler(|| Content::audio_base64("UklGRg==", "audio/wav")), &audio);
}

#[test]
fn no_blocks_and_an_empty_list_are_different_results() {
    gives(Tool::builder("blocks").handler(Vec::<Content>::new), &json!({ "content": [] }));
    let server = serving([Tool::builder("list").handler(|| Json(Vec::<u8>::new()))]).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::call(revision, "list", json!({})).send(&server);
        let list = if revision == MODERN { json!([]) } else { json!({ "result": [] }) };
        assert_eq!(answer.tool_result()["structuredContent"], list);
        assert_eq!(answer.tool_result()["content"], json!([{ "type": "text", "text": "[]" }]));
    }
}
