//! The tools that the tests call, and registries that behave as hand-written ones may.

use std::sync::Arc;
use std::task::Poll;

use mcp_http::{
    Annotations, Arguments, CallContext, Capability, Content, Icon, Json, Listing, RegistryError, Reply,
    ResourceContents, Role, Server, ServerBuilder, Tool, ToolAnnotations, ToolBuilder, ToolError,
    ToolHandler, ToolOutput, ToolRegistry, ToolResult, ToolSet,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Gives back the arguments that reached it.
pub(crate) struct Mirror;

impl ToolHandler for Mirror {
    fn call(&self, arguments: Arguments, _: &CallContext) -> Reply<'static, ToolResult> {
        Reply::Now(ToolOutput::structured(arguments.as_json()))
    }
}

/// What `add` takes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Add {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: String,
    celsius: i32,
}

/// A tool that gives back its arguments, which this schema describes.
pub(crate) fn mirror(name: &str, schema: Value) -> ToolBuilder {
    Tool::builder(name).input_schema(schema).raw_handler(Mirror)
}

/// A tool that gives back a value, which this schema describes.
fn gives(name: &str, output: Value, value: Value) -> ToolBuilder {
    Tool::builder(name).output_schema(output).handler(move || Json(value.clone()))
}

pub(crate) fn route_schema() -> Value {
    json!({ "type": "object", "properties": {
        "region": { "type": "string", "x-mcp-header": "Region" },
        "count": { "type": "integer", "x-mcp-header": "Count" },
        "dry": { "type": "boolean", "x-mcp-header": "Dry-Run" },
        "place": { "type": "object", "properties": {
            "zone": { "type": "string", "x-mcp-header": "Zone" },
        } },
        "free": {},
    } })
}

/// The names of the tools, but for those that sleep or panic.
pub(crate) const NAMES: &[&str] = &[
    "add",
    "mirror",
    "swallow",
    "route",
    "guarded",
    "ask",
    "ask_model",
    "ask_form",
    "list_ids",
    "linked",
    "count",
    "nothing",
    "either",
    "weather",
    "breaks_its_word",
    "lies",
    "fails_within_its_word",
    "unlisted_shape",
    "empty",
    "blocks",
    "fails",
    "leaks",
    "remarks",
    "decorated",
];

pub(crate) fn all() -> Vec<ToolBuilder> {
    let guarded = json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "count": { "type": "integer", "minimum": 1 },
        },
        "required": ["region", "count"],
    });
    let weather = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "celsius": { "type": "integer" } },
        "required": ["city", "celsius"],
    });
    let mut icon = Icon::new("https://example.com/icon.png");
    icon.mime_type = Some("image/png".to_owned());
    icon.sizes = vec!["48x48".to_owned()];
    vec![
        Tool::builder("add").description("Adds two integers").handler(|args: Add| args.a + args.b),
        mirror("mirror", json!({ "type": "object" })),
        Tool::builder("swallow").input_schema(json!({ "type": "object" })).handler(|| ()),
        mirror("route", route_schema()),
        mirror("guarded", guarded).requires(Capability::Sampling),
        Tool::builder("ask")
            .requires(Capability::ElicitationUrl)
            .requires(Capability::Roots)
            .handler(|| "ok"),
        Tool::builder("ask_model").requires(Capability::SamplingTools).handler(|| "ok"),
        Tool::builder("ask_form").requires(Capability::ElicitationForm).handler(|| "ok"),
        gives("list_ids", json!({ "type": "array", "items": { "type": "integer" } }), json!([1, 2])),
        gives(
            "linked",
            json!({
                "type": "array",
                "items": { "$ref": "#/$defs/id" },
                "$defs": { "id": { "type": "integer" }, "list": { "$ref": "#" } },
            }),
            json!([3]),
        ),
        gives("count", json!({ "type": "integer" }), json!(7)),
        gives("nothing", json!({ "type": "null" }), json!(null)),
        gives("either", json!({ "anyOf": [{ "type": "object" }, { "type": "string" }] }), json!({ "a": 1 })),
        Tool::builder("weather")
            .output_schema(weather.clone())
            .handler(|| Json(Weather { city: "Oslo".to_owned(), celsius: -3 })),
        Tool::builder("breaks_its_word").output_schema(weather.clone()).handler(|| "warm"),
        gives("lies", weather.clone(), json!({ "city": 5 })),
        Tool::builder("fails_within_its_word")
            .output_schema(weather)
            .handler(|| Err::<(), _>(ToolError::new("no such city"))),
        Tool::builder("unlisted_shape").handler(|| Json([1, 2])),
        Tool::builder("empty").handler(|| ()),
        Tool::builder("blocks").handler(blocks),
        Tool::builder("fails").handler(|| Err::<(), _>(ToolError::new("the disk is full"))),
        Tool::builder("leaks").handler(|| Err::<(), _>(std::io::Error::other("/etc/secret"))),
        Tool::builder("panics").handler(panics),
        Tool::builder("sleeps").handler(async |cx: CallContext| {
            cx.sleep(std::time::Duration::from_secs(3600)).await;
            "rested"
        }),
        Tool::builder("remarks").handler(|| ToolOutput::new(vec![]).with_meta("com.example/n", 5)),
        Tool::builder("decorated")
            .title("Decorated")
            .description("Has everything")
            .icon(icon)
            .annotations(ToolAnnotations { read_only: Some(true), ..ToolAnnotations::default() })
            .meta("com.example/k", "v")
            .input_schema(json!({ "type": "object", "properties": {
                "any": true,
                "none": false,
                "nested": { "type": "object", "properties": { "any": true } },
            } }))
            .raw_handler(Mirror),
        mirror("café ☕", json!({ "type": "object" })).allow_any_name(),
    ]
}

fn panics() -> &'static str {
    panic!("a tool that panics, for a test")
}

fn blocks() -> Vec<Content> {
    let annotations =
        Annotations { audience: vec![Role::User, Role::Assistant], priority: Some(0.5), last_modified: None };
    vec![
        Content::text("text").annotations(annotations),
        Content::image([137, 80], "image/png"),
        Content::audio([1, 2, 3], "audio/wav"),
        Content::resource_link("file:///a.txt", "a"),
        Content::resource(ResourceContents::text("file:///a.txt", "a").mime_type("text/plain")),
        Content::resource(ResourceContents::blob("file:///b.bin", [0, 255])).meta("com.example/k", 1),
    ]
}

/// A server with all the tools, set up further by the test.
pub(crate) fn builder() -> ServerBuilder {
    let tools = ToolSet::new();
    for tool in all() {
        tools.add(tool).unwrap();
    }
    Server::builder("tests", "1.0.0").tools(tools)
}

pub(crate) fn server() -> Server {
    builder().build().unwrap()
}

/// A server with these tools.
pub(crate) fn serving(tools: impl IntoIterator<Item = ToolBuilder>) -> ServerBuilder {
    let set = ToolSet::new();
    for tool in tools {
        set.add(tool).unwrap();
    }
    Server::builder("tests", "1.0.0").tools(set)
}

/// Is not ready when it is first asked.
async fn hesitate() {
    let mut asked = false;
    std::future::poll_fn(
        |_| if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}

/// A registry that lets everybody wait, and shows each caller what is theirs: tools whose names start with the
/// caller's, and tools of nobody's.
pub(crate) struct Slow(Vec<Arc<Tool>>);

impl Slow {
    pub(crate) fn new(names: &[&str]) -> Self {
        let tool = |name: &&str| {
            let mirror = Tool::builder(*name).input_schema(json!({ "type": "object" }));
            let mirror = mirror.handler(async |arguments: Arguments| {
                hesitate().await;
                ToolOutput::structured(arguments.as_json())
            });
            Arc::new(mirror.build().unwrap())
        };
        Self(names.iter().map(tool).collect())
    }

    fn visible(&self, cx: &CallContext) -> impl Iterator<Item = &Arc<Tool>> {
        let caller = cx.principal().map(|principal| format!("{principal}."));
        self.0.iter().filter(move |tool| {
            !tool.name().contains('.')
                || caller.as_ref().is_some_and(|caller| tool.name().starts_with(caller))
        })
    }
}

impl ToolRegistry for Slow {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            Ok(Listing::Own(self.visible(cx).cloned().collect()))
        })
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            Ok(self.visible(cx).find(|tool| tool.name() == name).cloned())
        })
    }
}

/// A registry whose database is gone. Finding may still work, or not.
pub(crate) struct Failing {
    pub(crate) finds: bool,
}

impl ToolRegistry for Failing {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::Now(Err(RegistryError::new("password for db: hunter2")))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        if self.finds {
            let failing =
                Tool::builder(name).handler(|| Err::<(), _>(ToolError::internal("password for db: hunter2")));
            Reply::Now(Ok(Some(Arc::new(failing.build().unwrap()))))
        } else {
            Reply::later(async { Err(RegistryError::new("password for db: hunter2")) })
        }
    }
}
