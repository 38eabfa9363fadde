//! Resources and templates: how they are listed, what reading one gives, and which URIs there are not.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use mcp_http::input::{Elicited, Field, Form};
use mcp_http::{
    Annotations, CacheScope, CallContext, Icon, Json, RegisterError, Resource, ResourceBuilder,
    ResourceContents, ResourceOutput, ResourceRegistry, ResourceSet, ResourceTemplate,
    ResourceTemplateBuilder, Revision, Role, Server, ServerBuilder, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::input::{able, accept, asked, state};
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, Timer, in_base64};
use crate::sessions::{self, Client};
use crate::streams::{Got, Stage};

fn at(name: &str) -> ResourceBuilder {
    Resource::builder(format!("test://{name}"), name)
}

fn icon() -> Icon {
    let mut icon = Icon::new("https://example.com/icon.png");
    icon.theme = Some("dark".to_owned());
    icon
}

fn annotations() -> Annotations {
    Annotations { audience: vec![Role::User], priority: Some(0.5), last_modified: None }
}

#[derive(Deserialize)]
struct Trip {
    city: String,
}

fn ask(cx: CallContext) -> Result<String, ToolError> {
    let mut questions = cx.questions();
    questions.keep(&1);
    match questions.elicit::<Trip>("trip", Form::new("Where to?").field("city", Field::text())) {
        None => Err(questions.ask()),
        Some(Elicited::Accepted(Trip { city })) => Ok(city),
        Some(Elicited::Declined | Elicited::Cancelled) => Ok("nowhere".to_owned()),
    }
}

/// Resources of every kind, but for those that sleep or panic.
pub(crate) const URIS: &[&str] = &[
    "test://decorated",
    "test://bytes",
    "test://string",
    "test://str",
    "test://cow",
    "test://vec",
    "test://bytes_too",
    "test://json",
    "test://json_typed",
    "test://folder",
    "test://output",
    "test://some",
    "test://none",
    "test://empty",
    "test://ok",
    "test://refuses",
    "test://leaks",
    "test://kept",
    "test://asks",
    "test://orders/7",
    "test://orders/x",
    "test://files/a/b",
    "test://2026?level=a",
    "test://nobody",
    "",
];

fn all() -> Vec<ResourceBuilder> {
    let hour = Duration::from_secs(3600);
    vec![
        at("decorated")
            .title("Decorated")
            .description("Has everything")
            .mime_type("text/plain")
            .icon(icon())
            .annotations(annotations())
            .meta("com.example/k", "v")
            .text("Grüße"),
        at("bytes").mime_type("image/png").bytes(vec![0, 255]),
        at("string").reader(|| "x".to_owned()),
        at("str").reader(async || "x"),
        at("cow").reader(|| Cow::Borrowed("x")),
        at("vec").reader(|| vec![0_u8, 255]),
        at("bytes_too").reader(Bytes::new),
        at("json").reader(|| Json(json!({ "a": 1 }))),
        at("json_typed").mime_type("application/ld+json").reader(async |_: CallContext| Json([1])),
        at("folder").mime_type("inode/directory").reader(|| {
            vec![
                ResourceContents::text("test://folder/a", "a"),
                ResourceContents::blob("test://folder/b", [1]).mime_type("image/png"),
            ]
        }),
        at("output").reader(|| {
            let contents = [ResourceContents::text("test://output", "x")];
            ResourceOutput::new(contents).meta("com.example/n", 5)
        }),
        at("some").reader(|| Some("")),
        at("none").reader(|| None::<String>),
        at("empty").reader(Vec::<ResourceContents>::new),
        at("ok").reader(|| Ok::<_, ToolError>(Some("x"))),
        at("refuses").reader(|| Err::<&str, _>(ToolError::new("the vault is locked"))),
        at("leaks").reader(|| Err::<&str, _>(std::io::Error::other("/etc/secret"))),
        at("kept").cache(hour, CacheScope::Public).reader(|| "x"),
        at("asks").cache(hour, CacheScope::Public).reader(ask),
        at("panics").reader(panics),
        at("sleeps").reader(async || std::future::pending::<String>().await),
    ]
}

fn panics() -> &'static str {
    panic!("a resource that panics, for a test")
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Order {
    id: u8,
}

#[derive(Deserialize, JsonSchema, Debug)]
#[expect(dead_code, reason = "shown by its Debug")]
pub(crate) struct Log {
    year: u16,
    level: Option<Level>,
    after: Option<i64>,
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    A,
    B,
}

fn templates() -> Vec<ResourceTemplateBuilder> {
    let order = |order: Order| (order.id != 13).then(|| format!("order {}", order.id));
    vec![
        ResourceTemplate::builder("test://orders/{id}", "order")
            .title("Order")
            .description("One of many")
            .mime_type("text/plain")
            .icon(icon())
            .annotations(annotations())
            .meta("com.example/k", "v")
            .cache(Duration::from_secs(60), CacheScope::Private)
            .choices("id", ["7", "70"])
            .reader(order),
        shown("test://files/{+path}"),
        ResourceTemplate::builder("test://{year}{?level,after}", "log").reader(|log: Log| format!("{log:?}")),
    ]
}

/// A template that shows its variables.
fn shown(template: &str) -> ResourceTemplateBuilder {
    ResourceTemplate::builder(template, template)
        .reader(|variables: BTreeMap<String, String>| format!("{variables:?}"))
}

pub(crate) fn resources() -> ResourceSet {
    serving(all(), templates())
}

fn serving(
    resources: impl IntoIterator<Item = ResourceBuilder>,
    templates: impl IntoIterator<Item = ResourceTemplateBuilder>,
) -> ResourceSet {
    let set = ResourceSet::new();
    resources.into_iter().for_each(|resource| set.resources().add(resource).unwrap());
    templates.into_iter().for_each(|template| set.templates().add(template).unwrap());
    set
}

fn builder() -> ServerBuilder {
    Server::builder("resources", "1").resources(resources())
}

fn server() -> Server {
    builder().build().unwrap()
}

fn with_templates(templates: &[&str]) -> Server {
    let set = serving([], templates.iter().map(|template| shown(template)));
    Server::builder("templates", "1").resources(set).build().unwrap()
}

#[track_caller]
fn contents(answer: &Answer) -> &Value {
    &answer.result()["contents"]
}

#[track_caller]
fn text(answer: &Answer) -> &str {
    let contents = contents(answer).as_array().unwrap();
    assert_eq!(contents.len(), 1, "{answer}");
    contents[0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

#[track_caller]
fn is_not_found(answer: &Answer, revision: Revision, uri: &str) {
    answer.is_error(200, if revision == MODERN { -32602 } else { -32002 });
    assert_eq!(answer.json()["error"]["data"], json!({ "uri": uri }), "{answer}");
}

// Lists

#[test]
fn resources_and_templates_are_listed_with_all_that_their_revision_has() {
    for revision in Revision::ALL {
        let mut expected = json!({
            "name": "decorated",
            "title": "Decorated",
            "description": "Has everything",
            "mimeType": "text/plain",
            "icons": [{ "src": "https://example.com/icon.png", "theme": "dark" }],
            "annotations": { "audience": ["user"], "priority": 0.5 },
            "_meta": { "com.example/k": "v" },
        });
        if revision == Revision::V2025_06_18 {
            expected.as_object_mut().unwrap().remove("icons");
        }
        let with = |members: Value| {
            let mut expected = expected.clone();
            expected.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            expected
        };
        let answer = Request::new(revision, "resources/list", json!({})).send(&server());
        let listed = &answer.result()["resources"];
        assert_eq!(listed[0], with(json!({ "uri": "test://decorated", "size": 7 })));
        let bytes = json!({ "uri": "test://bytes", "name": "bytes", "mimeType": "image/png", "size": 2 });
        assert_eq!(listed[1], bytes);
        assert_eq!(listed[2], json!({ "uri": "test://string", "name": "string" }));
        assert!(!answer.to_string().contains("orders"), "those of templates are not listed");
        let answer = Request::new(revision, "resources/templates/list", json!({})).send(&server());
        let order = json!({
            "uriTemplate": "test://orders/{id}", "name": "order", "title": "Order", "description": "One of many",
        });
        assert_eq!(answer.result()["resourceTemplates"][0], with(order));
        let uris: Vec<&Value> = answer.result()["resourceTemplates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|template| &template["uriTemplate"])
            .collect();
        assert_eq!(uris, ["test://orders/{id}", "test://files/{+path}", "test://{year}{?level,after}"]);
    }
}

// Contents

#[test]
fn each_type_makes_its_contents() {
    let read = |name: &str, more: Value| {
        let mut expected = json!({ "uri": format!("test://{name}") });
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([expected])
    };
    let json_type = "application/json";
    for revision in Revision::ALL {
        for (name, expected) in [
            ("decorated", read("decorated", json!({ "mimeType": "text/plain", "text": "Grüße" }))),
            ("bytes", read("bytes", json!({ "mimeType": "image/png", "blob": "AP8=" }))),
            ("string", read("string", json!({ "text": "x" }))),
            ("str", read("str", json!({ "text": "x" }))),
            ("cow", read("cow", json!({ "text": "x" }))),
            ("some", read("some", json!({ "text": "" }))),
            ("ok", read("ok", json!({ "text": "x" }))),
            ("output", read("output", json!({ "text": "x" }))),
            ("vec", read("vec", json!({ "blob": "AP8=" }))),
            ("bytes_too", read("bytes_too", json!({ "blob": "" }))),
            ("json", read("json", json!({ "mimeType": json_type, "text": r#"{"a":1}"# }))),
            ("json_typed", read("json_typed", json!({ "mimeType": "application/ld+json", "text": "[1]" }))),
            (
                "folder",
                json!([
                    { "uri": "test://folder/a", "text": "a" },
                    { "uri": "test://folder/b", "mimeType": "image/png", "blob": "AQ==" },
                ]),
            ),
        ] {
            let answer = Request::read(revision, &format!("test://{name}")).send(&server());
            assert_eq!(*contents(&answer), expected, "{name} in {revision}");
            let meta = answer.result().get("_meta").and_then(|meta| meta.get("com.example/n"));
            assert_eq!(meta.is_some(), name == "output");
        }
    }
}

#[test]
fn what_is_not_there_is_not_found_and_never_empty() {
    let hiding = resources().filter(|uri, cx| !uri.starts_with("test://s") || cx.principal().is_some());
    let hiding = Server::builder("hides", "1").resources(hiding).build().unwrap();
    for revision in Revision::ALL {
        for uri in [
            "test://none",
            "test://empty",
            "test://nobody",
            "test://STR",
            "TEST://str",
            "test://str/",
            "test://str#x",
            "test://str?x",
            "test://st%72",
            "",
            "str",
            "test:",
            "\u{0}",
            "test://orders/13",
            "file:///etc/passwd",
            "é",
            "test://decorated\n",
        ] {
            let answer = Request::read(revision, uri).send(&server());
            is_not_found(&answer, revision, uri);
        }
        is_not_found(&Request::read(revision, "test://str").send(&hiding), revision, "test://str");
        assert_eq!(text(&Request::read(revision, "test://str").principal("ann").send(&hiding)), "x");
    }
}

#[test]
fn a_uri_is_a_string_that_must_be_there() {
    for revision in Revision::ALL {
        for wrong in [None, Some(json!(null)), Some(json!(5)), Some(json!(["test://str"]))] {
            let mut request = Request::read(revision, "test://str").without_param("uri");
            if let Some(wrong) = wrong {
                request = request.set_param("uri", wrong);
            }
            let (status, code) = if revision == MODERN { (400, -32020) } else { (200, -32602) };
            request.send(&server()).is_error(status, code);
        }
    }
}

#[test]
fn the_name_header_repeats_the_uri() {
    let cases = [
        (Some("test://str".to_owned()), None),
        (Some(in_base64("test://str")), None),
        (Some(in_base64("test://cow")), Some(-32020)),
        (Some("test://cow".to_owned()), Some(-32020)),
        (Some("str".to_owned()), Some(-32020)),
        (None, Some(-32020)),
    ];
    for (header, code) in cases {
        let request = Request::read(MODERN, "test://str").without("mcp-name");
        let request = if let Some(header) = &header { request.header("mcp-name", header) } else { request };
        let answer = request.send(&server());
        assert_eq!(
            (answer.status, answer.code()),
            (if code.is_some() { 400 } else { 200 }, code),
            "{header:?}"
        );
    }
}

// Caching

#[test]
fn only_modern_contents_say_how_long_they_may_be_kept() {
    for (uri, expected) in [
        ("test://str", (0, "private")),
        ("test://kept", (3_600_000, "public")),
        ("test://orders/7", (60_000, "private")),
    ] {
        let answer = Request::read(MODERN, uri).send(&server());
        assert_eq!(
            (&answer.result()["ttlMs"], &answer.result()["cacheScope"]),
            (&json!(expected.0), &json!(expected.1))
        );
        for revision in LEGACY {
            let answer = Request::read(revision, uri).send(&server());
            let keys: Vec<&String> = answer.result().as_object().unwrap().keys().collect();
            assert_eq!(keys, ["contents"], "{answer}");
        }
    }
}

// Failures

#[test]
fn a_resource_that_fails_is_an_error_which_tells_what_it_was_meant_to() {
    let server = builder().deadline(Duration::from_secs(1)).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::read(revision, "test://refuses").send(&server);
        answer.is_error(200, -32603);
        assert_eq!(answer.error_text(), "the vault is locked");
        let answer = Request::read(revision, "test://leaks").send(&server);
        answer.is_error(200, -32603);
        assert!(
            !answer.to_string().contains("secret") && answer.error_text().contains("reference"),
            "{answer}"
        );
        for (uri, timer) in [("test://panics", Timer::Never), ("test://sleeps", Timer::Ready)] {
            let answer = Request::read(revision, uri).id("\"r\"").send_to_service(&server, timer);
            answer.is_error(200, -32603);
            assert_eq!(answer.id(), Some("\"r\""));
            assert!(!answer.to_string().contains("for a test"), "{answer}");
        }
    }
    assert_eq!(server.running_calls(), 0);
}

// Questions

fn read_asking(uri: &str) -> Request {
    Request::read(MODERN, uri).meta(CAPABILITIES, able())
}

#[test]
fn a_resource_asks_its_client_and_what_it_gives_then_may_not_be_kept() {
    let server = server();
    let first = read_asking("test://asks").principal("ann").send(&server);
    assert_eq!(asked(&first)["trip"]["method"], "elicitation/create");
    let answers = json!({ "trip": accept(json!({ "city": "Oslo" })) });
    let again = |request: Request| {
        let request = request.set_param("requestState", state(&first));
        request.set_param("inputResponses", answers.clone()).send(&server)
    };
    let done = again(read_asking("test://asks").principal("ann"));
    assert_eq!(text(&done), "Oslo");
    let result = done.result();
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
    for foreign in [read_asking("test://asks"), read_asking("test://kept").principal("ann")] {
        again(foreign).is_error(200, -32602);
    }
    for forged in [json!("x"), json!(""), json!(null), json!(5)] {
        let request = read_asking("test://asks").set_param("requestState", forged);
        request.send(&server).is_error(200, -32602);
    }
    read_asking("test://asks").meta(CAPABILITIES, json!({})).send(&server).is_error(400, -32021);
}

#[test]
fn the_same_resource_asks_older_clients_over_its_stream() {
    for revision in LEGACY {
        let server = builder().legacy_questions(true).build().unwrap();
        let client = Client::new(&server, revision);
        let mut open = Stage::of(&server).open(&client.with_session(Request::read(revision, "test://asks")));
        let question = sessions::asked(&mut open);
        client.reply(&question, ("result", accept(json!({ "city": "Oslo" })))).send(&server).is_accepted();
        let Got::Result(result) = open.next() else { panic!("no result") };
        assert_eq!(result["contents"][0]["text"], "Oslo");
        assert_eq!((open.next(), server.running_calls()), (Got::End, 0));
        Request::read(revision, "test://asks").send(&server).is_error(200, -32603);
    }
}

// Templates

#[track_caller]
fn reads(server: &Server, uri: &str, expected: Option<&str>) {
    for revision in Revision::ALL {
        let answer = Request::read(revision, uri).send(server);
        match expected {
            None => is_not_found(&answer, revision, uri),
            Some(expected) => {
                assert_eq!(text(&answer), expected, "{uri}");
                assert_eq!(contents(&answer)[0]["uri"], uri);
            }
        }
    }
}

#[test]
fn each_form_of_a_template_has_its_uris() {
    for (template, uri, expected) in [
        ("a:{x}", "a:1", Some(r#"{"x": "1"}"#)),
        ("a:{x}", "a:", None),
        ("a:{x}", "a:1/2", None),
        ("a:{x}", "a:1?y=2", None),
        ("a:{x}", "a:1%2F2", Some(r#"{"x": "1/2"}"#)),
        ("a:{x}", "a:..", Some(r#"{"x": ".."}"#)),
        ("a:{x}", "a:%2e%2E%2f", Some(r#"{"x": "../"}"#)),
        ("a:{x}", "a:%00", Some(r#"{"x": "\0"}"#)),
        ("a:{x}", "a:%C3%A9", Some(r#"{"x": "é"}"#)),
        ("a:{x}", "a:%C3", None),
        ("a:{x}", "a:%ff", None),
        ("a:{x}", "a:%", None),
        ("a:{x}", "a:%2", None),
        ("a:{x}", "a:%zz", None),
        ("a:{x}", "a: ", None),
        ("a:{x}", "a:1\n", None),
        ("a:{x}", "A:1", None),
        ("a:{x}", "b:1", None),
        ("a:{x}/b", "a:1/b", Some(r#"{"x": "1"}"#)),
        ("a:{x}/b", "a:1/b/b", None),
        ("a:{x}.{y}", "a:1.2.3", Some(r#"{"x": "1.2", "y": "3"}"#)),
        ("a:{+x}", "a:1/2?3#4", Some(r#"{"x": "1/2?3#4"}"#)),
        ("a:{+x}", "a:../../etc/passwd", Some(r#"{"x": "../../etc/passwd"}"#)),
        ("a:{+x}", "a:", None),
        ("a:b{/x}", "a:b", Some("{}")),
        ("a:b{/x}", "a:b/1", Some(r#"{"x": "1"}"#)),
        ("a:b{/x}", "a:b/1/2", None),
        ("a:b{/x}/c{/y}", "a:b/1/c/2", Some(r#"{"x": "1", "y": "2"}"#)),
        ("a:b{/x}/c{/y}", "a:b/c", Some("{}")),
        ("a:b{?x,y}", "a:b", Some("{}")),
        ("a:b{?x,y}", "a:b?x=1", Some(r#"{"x": "1"}"#)),
        ("a:b{?x,y}", "a:b?y=2&x=1", Some(r#"{"x": "1", "y": "2"}"#)),
        ("a:b{?x,y}", "a:b?x=", Some(r#"{"x": ""}"#)),
        ("a:b{?x,y}", "a:b?x=%26%3D", Some(r#"{"x": "&="}"#)),
        ("a:b{?x,y}", "a:b?x=1&x=2", None),
        ("a:b{?x,y}", "a:b?z=1", None),
        ("a:b{?x,y}", "a:b?x=1&", None),
    ] {
        reads(&with_templates(&[template]), uri, expected);
    }
}

#[test]
fn a_variable_that_does_not_fit_its_type_is_of_no_resource() {
    let server = server();
    for (uri, expected) in [
        ("test://orders/7", Some("order 7")),
        ("test://orders/007", None),
        ("test://orders/%37", Some("order 7")),
        ("test://orders/255", Some("order 255")),
        ("test://orders/256", None),
        ("test://orders/-1", None),
        ("test://orders/x", None),
        ("test://orders/1.5", None),
        ("test://orders/", None),
        ("test://2026", Some("Log { year: 2026, level: None, after: None }")),
        ("test://2026?after=-5&level=b", Some("Log { year: 2026, level: Some(B), after: Some(-5) }")),
        ("test://2026?level=c", None),
        ("test://2026?level=", None),
    ] {
        reads(&server, uri, expected);
    }
}

/// A type may know more than its schema says.
#[test]
fn a_variable_that_only_the_type_refuses_is_of_no_resource_either() {
    #[derive(Deserialize, JsonSchema)]
    struct Address {
        #[schemars(with = "String")]
        ip: std::net::IpAddr,
    }
    let template = ResourceTemplate::builder("host://{ip}", "host").reader(|at: Address| at.ip.to_string());
    let server = Server::builder("hosts", "1").resources(serving([], [template])).build().unwrap();
    reads(&server, "host://127.0.0.1", Some("127.0.0.1"));
    reads(&server, "host://localhost", None);
}

#[test]
fn what_is_listed_goes_before_templates_and_the_first_template_before_others() {
    let set = serving(
        [Resource::builder("a:1", "one").text("listed")],
        [shown("a:{first}"), shown("a:{second}"), shown("a:{+third}")],
    );
    let server = Server::builder("order", "1").resources(set.clone()).build().unwrap();
    reads(&server, "a:1", Some("listed"));
    reads(&server, "a:2", Some(r#"{"first": "2"}"#));
    reads(&server, "a:2/3", Some(r#"{"third": "2/3"}"#));
    assert!(set.resources().remove("a:1"));
    reads(&server, "a:1", Some(r#"{"first": "1"}"#));
    assert!(set.templates().remove("a:{first}"));
    reads(&server, "a:1", Some(r#"{"second": "1"}"#));
    // One whose variable does not fit leaves the URI to the next.
    let typed = ResourceTemplate::builder("b:{id}", "typed").reader(|order: Order| order.id.to_string());
    let set = serving([], [typed, shown("b:{+rest}")]);
    let server = Server::builder("order", "1").resources(set).build().unwrap();
    reads(&server, "b:7", Some("7"));
    reads(&server, "b:x", Some(r#"{"rest": "x"}"#));
}

#[test]
fn a_long_or_hostile_uri_is_answered_like_any_other() {
    let server = with_templates(&["a:{x}{/y}{?z}", "b:{x}-{y}-{z}-", "c:{+x}/{y}"]);
    let long = 200_000;
    for (uri, found) in [
        (format!("a:{}", "x".repeat(long)), true),
        (format!("a:{}", "/".repeat(long)), false),
        (format!("a:{}", "%".repeat(long)), false),
        (format!("a:{}", "%41".repeat(long / 3)), true),
        (format!("a:x?z={}", "&".repeat(long)), false),
        (format!("b:{}", "-".repeat(long)), true),
        (format!("b:{}x", "-".repeat(long)), false),
        (format!("c:{}", "/a".repeat(long / 2)), true),
        (format!("c:{}", "/".repeat(long)), false),
    ] {
        for revision in [MODERN, LEGACY[0]] {
            let answer = Request::read(revision, &uri).send(&server);
            assert_eq!(answer.code().is_none(), found, "{}", &uri[..20]);
            if !found {
                is_not_found(&answer, revision, &uri);
                assert!(answer.error_text().len() < 1000);
            }
        }
    }
}

// At registration

#[test]
fn a_resource_that_cannot_be_served_is_refused_with_its_uri() {
    for (builder, why) in [
        (Resource::builder("no scheme", "a").text("x"), "scheme"),
        (Resource::builder("", "a").text("x"), "scheme"),
        (Resource::builder("relative/path", "a").text("x"), "scheme"),
        (Resource::builder("a:é", "a").text("x"), "URI"),
        (Resource::builder("a:b", "").text("x"), "name"),
        (Resource::builder("a:b", "a"), "reader"),
        (Resource::builder("a:b", "a").reader(|order: Order| order.id.to_string()), "arguments"),
    ] {
        let error = ResourceSet::new().with(builder).unwrap_err();
        assert!(matches!(&error, RegisterError::Resource { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let reader = |order: Order| order.id.to_string();
    for (builder, why) in [
        (ResourceTemplate::builder("a:b", "a").reader(|| "x"), "variable"),
        (ResourceTemplate::builder("a:{b", "a").reader(|| "x"), "a:{b"),
        (ResourceTemplate::builder("a:{b*}", "a").reader(|| "x"), "{b*}"),
        (ResourceTemplate::builder("{+b}", "a").reader(|| "x"), "scheme"),
        (ResourceTemplate::builder("a:{b}", "").reader(|| "x"), "name"),
        (ResourceTemplate::builder("a:{b}", "a"), "reader"),
        (ResourceTemplate::builder("a:{b}", "a").reader(reader), "id"),
        (ResourceTemplate::builder("a:{b}", "a").choices("c", ["x"]).reader(|| "x"), "c"),
    ] {
        let error = ResourceSet::new().with_template(builder).unwrap_err();
        assert!(matches!(&error, RegisterError::Resource { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let set = serving([at("a").text("first")], [shown("a:{x}")]);
    assert!(set.resources().add(at("a").text("second")).unwrap_err().to_string().contains("test://a"));
    assert!(set.templates().add(shown("a:{x}")).unwrap_err().to_string().contains("a:{x}"));
}
