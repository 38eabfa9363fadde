//! The client for tests, against servers of every kind.

use std::time::Duration;

use mcp_http::testing::{Client, Error};
use mcp_http::{
    Arguments, CallContext, Capability, Content, Icon, Json, LogLevel, Revision, Server, Tool,
    ToolAnnotations, ToolError, ToolSet,
};
use serde_json::{Value, json};

use crate::answers::paged;
use crate::request::{MODERN, Timer, drive};
use crate::tools::{mirror, route_schema, serving};

fn refusal(error: Error) -> (u16, i64, String) {
    match error {
        Error::Refused { status, code, message, .. } => (status.as_u16(), code, message),
        other => panic!("{other}"),
    }
}

#[test]
fn all_pages_are_listed() {
    for revision in Revision::ALL {
        let client = Client::new(&paged(2)).revision(revision);
        let whole = drive(Client::new(&paged(1000)).revision(revision).list()).unwrap();
        assert_eq!(drive(client.list()).unwrap(), whole);
        assert!(whole.len() > 2, "{whole:?}");
    }
}

#[test]
fn a_tool_is_told_with_all_that_is_published() {
    let tool = mirror("a", json!({ "type": "object" }))
        .title("A")
        .description("Mirrors")
        .icon(Icon::new("https://example.com/a.png"))
        .annotations(ToolAnnotations { read_only: Some(true), ..ToolAnnotations::default() })
        .output_schema(json!({ "type": "object" }))
        .meta("example.com/x", 1);
    let client = Client::new(&serving([tool]).build().unwrap());
    let listed = drive(client.list()).unwrap().remove(0);
    assert_eq!((listed.name.as_str(), listed.title.as_deref()), ("a", Some("A")));
    assert_eq!(listed.description.as_deref(), Some("Mirrors"));
    assert_eq!(listed.icons, [Icon::new("https://example.com/a.png")]);
    assert_eq!(listed.annotations.read_only, Some(true));
    assert_eq!(listed.input_schema, json!({ "type": "object" }));
    assert_eq!(listed.output_schema, Some(json!({ "type": "object" })));
    assert_eq!(listed.meta["example.com/x"], 1);
}

#[test]
fn every_kind_of_content_is_read_as_it_was_written() {
    let content = || {
        vec![
            Content::text("a").meta("example.com/x", 1),
            Content::text("b"),
            Content::image([1, 2], "image/png"),
            Content::audio([3], "audio/wav"),
            Content::resource_link("file:///a", "a"),
            Content::resource(mcp_http::ResourceContents::text("file:///a", "text")),
            Content::resource(mcp_http::ResourceContents::blob("file:///a", [4])),
        ]
    };
    let client = Client::new(&serving([Tool::builder("all").handler(content)]).build().unwrap());
    let result = drive(client.call("all", ())).unwrap();
    assert_eq!(result.content, content());
    assert_eq!(result.text(), "a\nb");
    assert!(!result.is_error);
    assert_eq!(result.meta["io.modelcontextprotocol/serverInfo"]["name"], "tests");
}

#[test]
fn structured_content_is_read_as_its_type() {
    let client =
        Client::new(&serving([Tool::builder("ids").handler(|| Json(vec![1_u64, 2]))]).build().unwrap());
    assert_eq!(drive(client.call("ids", ())).unwrap().structured::<Vec<u64>>().unwrap(), [1, 2]);
    let legacy = client.revision(Revision::V2025_11_25);
    let result = drive(legacy.call("ids", ())).unwrap();
    assert_eq!(result.structured_content, Some(json!({ "result": [1, 2] })));
    result.structured::<Vec<u64>>().unwrap_err();
}

#[test]
fn arguments_are_repeated_in_the_headers_that_the_schema_names() {
    let server = serving([mirror("route", route_schema())]).build().unwrap();
    for revision in Revision::ALL {
        for arguments in [
            json!({ "region": "eu", "count": -7, "dry": true, "place": { "zone": "ü " }, "free": [1] }),
            json!({ "region": "=?base64?IGE=?=" }),
            json!({ "region": null }),
            json!({}),
        ] {
            let result = drive(Client::new(&server).revision(revision).call("route", &arguments)).unwrap();
            assert!(!result.is_error, "{}", result.text());
        }
    }
    // What a test sends itself stays as it is.
    let wrong = Client::new(&server).header("mcp-param-region", "us");
    let error = drive(wrong.call("route", json!({ "region": "eu" }))).unwrap_err();
    assert_eq!(
        refusal(error),
        (400, -32020, "the header mcp-param-region differs from the argument".to_owned())
    );
}

#[test]
fn a_name_of_any_characters_can_be_called() {
    let tool = Tool::builder("größe ").allow_any_name().handler(|| "yes");
    let server = serving([tool]).build().unwrap();
    for revision in Revision::ALL {
        let client = Client::new(&server).revision(revision);
        assert_eq!(drive(client.call("größe ", ())).unwrap().text(), "yes");
    }
}

#[test]
fn a_failure_of_a_tool_is_a_result_and_a_refusal_an_error() {
    let tool = Tool::builder("fails").handler(|| Err::<(), _>(ToolError::new("not today")));
    let server = serving([tool]).build().unwrap();
    for revision in Revision::ALL {
        let client = Client::new(&server).revision(revision);
        let result = drive(client.call("fails", ())).unwrap();
        assert_eq!((result.is_error, result.text()), (true, "not today".to_owned()));
        let error = refusal(drive(client.call("nothing", ())).unwrap_err());
        assert_eq!(error, (200, -32602, "Unknown tool: nothing".to_owned()));
    }
    let error = drive(Client::new(&server).request("no/such", serde_json::Map::new())).unwrap_err();
    assert_eq!(error.to_string(), "unknown method: no/such (code -32601, status 404 Not Found)");
}

#[test]
fn the_client_is_who_it_is_told_to_be_and_can_do_what_it_declares() {
    #[derive(Clone)]
    struct Tenant(&'static str);
    let tools = [
        Tool::builder("who").handler(|cx: CallContext| {
            let header = cx.headers().get("x-test").map(|value| value.to_str().unwrap().to_owned());
            let caller = cx.principal().map(|caller| caller.as_str().to_owned());
            format!("{caller:?} {header:?} {:?}", cx.get::<Tenant>().map(|tenant| tenant.0))
        }),
        Tool::builder("samples").requires(Capability::Sampling).handler(|| "yes"),
    ];
    let server = serving(tools).build().unwrap();
    let client = Client::new(&server);
    assert_eq!(drive(client.call("who", ())).unwrap().text(), "None None None");
    assert_eq!(refusal(drive(client.call("samples", ())).unwrap_err()).1, -32021);
    let client = client
        .principal("ann")
        .extension(Tenant("acme"))
        .header("x-test", "1")
        .capabilities(json!({ "sampling": {} }));
    assert_eq!(drive(client.call("who", ())).unwrap().text(), r#"Some("ann") Some("1") Some("acme")"#);
    assert_eq!(drive(client.call("samples", ())).unwrap().text(), "yes");
}

#[test]
fn panics_and_deadlines_are_as_they_are_for_real_clients() {
    let tools = [
        Tool::builder("panics").handler(|| -> String { panic!("secret") }),
        Tool::builder("waits").handler(async |_: Arguments, cx: CallContext| {
            cx.sleep(Duration::from_secs(3600)).await;
        }),
    ];
    let server = serving(tools).deadline(Duration::from_millis(1)).build().unwrap();
    let client = Client::new(&server).runtime(Timer::Ready);
    let result = drive(client.call("panics", ())).unwrap();
    assert!(result.text().starts_with("the tool failed unexpectedly"), "{}", result.text());
    // On threads that sleep, and an executor that waits to be woken.
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result = runtime.block_on(Client::new(&server).call("waits", ())).unwrap();
    assert_eq!(result.text(), "the tool did not answer in time and was stopped");
}

#[test]
fn a_client_without_a_runtime_of_its_own_has_a_clock_and_chance() {
    let tool = Tool::builder("now").handler(async |cx: CallContext| {
        cx.sleep(Duration::from_millis(1)).await;
        cx.now().as_secs()
    });
    let fails = Tool::builder("fails").handler(|| Err::<(), _>(ToolError::internal("x")));
    let client = Client::new(&serving([tool, fails]).build().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let seconds: u64 = runtime.block_on(client.call("now", ())).unwrap().text().parse().unwrap();
    assert!(seconds > 1_700_000_000, "{seconds}");
    let fail = || runtime.block_on(client.call("fails", ())).unwrap().text();
    assert_ne!(fail(), fail());
}

#[test]
fn what_cannot_be_a_header_is_told() {
    let client = Client::new(&serving([]).build().unwrap());
    for (name, value) in [("a b", "c"), ("a", "b\n")] {
        let error = drive(client.clone().header(name, value).list()).unwrap_err();
        assert_eq!(error.to_string(), format!("no header can be {name:?}: {value:?}"));
    }
}

#[test]
fn what_a_tool_says_before_its_result_is_there_with_it() {
    let talks = Tool::builder("talks").handler(|cx: CallContext| {
        cx.progress(1.0, 2.0, None);
        cx.log(LogLevel::Debug, "ready");
        "said"
    });
    let server = Server::builder("talks", "1")
        .tools(ToolSet::new().with(talks).unwrap())
        .logging(true)
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let client = Client::new(&server).revision(revision).log_level(LogLevel::Debug);
        let result = drive(client.call("talks", ())).unwrap();
        assert_eq!(result.text(), "said");
        let params: Vec<&Value> = result.notifications.iter().map(|message| &message["params"]).collect();
        let progress = json!({ "progressToken": 1, "progress": 1, "total": 2 });
        let log = json!({ "level": "debug", "data": "ready" });
        assert_eq!(params, if revision == MODERN { vec![&progress, &log] } else { vec![&progress] });
    }
}
