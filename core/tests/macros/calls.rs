//! Tools of the macros, called by a client.

#![expect(clippy::unused_async, clippy::too_many_arguments, reason = "the signatures are what is tested")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::Request;
use mcp_http::{
    CallContext, Capability, Extension, FromCall, Json, Principal, ToolError, ToolSet, tool, tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::client::Client;

/// What a call gives.
#[track_caller]
fn call_with(tools: &ToolSet, name: &str, arguments: Value, dress: fn(&mut Request<Bytes>)) -> Value {
    Client::new(tools).dressed(dress).ask("tools/call", json!({ "name": name, "arguments": arguments }))
}

#[track_caller]
pub(crate) fn call(tools: &ToolSet, name: &str, arguments: Value) -> Value {
    call_with(tools, name, arguments, |_| {})
}

#[track_caller]
pub(crate) fn says(tools: &ToolSet, name: &str, arguments: Value, expected: &str) {
    let result = call(tools, name, arguments);
    assert_eq!(result["content"][0]["text"], expected, "{result}");
    assert_ne!(result["isError"], true, "{result}");
}

#[track_caller]
pub(crate) fn fails(result: &Value, expected: &str) {
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(expected), "{text}");
}

#[derive(Clone, Debug, PartialEq)]
struct Tenant(String);

impl FromCall for Tenant {
    fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
        let tenant = cx.headers().get("x-tenant").and_then(|tenant| tenant.to_str().ok());
        tenant.map(|tenant| Self(tenant.to_owned())).ok_or_else(|| ToolError::new("name a tenant"))
    }
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    /// Where to start
    from: u32,
    /// How many
    #[serde(default = "ten")]
    count: u32,
}

fn ten() -> u32 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Region {
    Apac,
    Emea,
}

#[derive(Serialize, JsonSchema)]
struct Totals {
    sum: i64,
    of: Option<String>,
}

struct Desk {
    name: String,
    calls: AtomicU64,
}

#[tools]
impl Desk {
    const LIMIT: u32 = 7;

    /// Counts the calls.
    #[tool]
    fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Says the name of the desk, without a copy of it.
    #[tool]
    fn name(&self) -> &str {
        &self.name
    }

    /// Says the name of the desk, later.
    #[tool(title = "Name, later", read_only, idempotent, open_world = false)]
    async fn name_later(&self) -> &str {
        std::future::ready(()).await;
        &self.name
    }

    /// Adds what is there.
    #[tool]
    async fn add_up(
        &self,
        /// The numbers
        numbers: Vec<i64>,
        #[param("What they are")] of: Option<String>,
    ) -> Result<Json<Totals>, ToolError> {
        if numbers.is_empty() {
            return Err(ToolError::new("give at least one number"));
        }
        Ok(Json(Totals { sum: numbers.into_iter().sum(), of }))
    }

    /// Gives back what it was told, or was not.
    #[tool]
    fn defaults(
        &self,
        #[param(default = 5, min = 1, max = 10)] few: u8,
        #[param(default = "emea")] text: String,
        #[param(default = Region::Apac)] region: Region,
        #[param(default)] list: Vec<String>,
        #[param(default = Self::LIMIT)] limit: u32,
        #[param(nullable)] owner: Option<String>,
        r#type: Option<bool>,
    ) -> String {
        format!("{few} {text} {region:?} {list:?} {limit} {owner:?} {type:?}", r#type = r#type)
    }

    /// Takes a struct.
    #[tool]
    fn page(&self, #[param(args)] Page { from, count }: Page) -> String {
        format!("{from}+{count}")
    }

    /// Takes everything that a call has.
    #[tool]
    async fn context(
        &self,
        cx: &CallContext,
        owned: CallContext,
        caller: Principal,
        perhaps: Option<Principal>,
        Extension(shared): Extension<Arc<str>>,
        nothing: Option<Extension<u8>>,
        #[param(from_call)] Tenant(tenant): Tenant,
        #[param(from_call)] same: &Tenant,
        /// Is an argument
        word: String,
    ) -> String {
        assert_eq!(cx.revision(), owned.revision());
        assert_eq!(same.0, tenant);
        format!("{caller} {perhaps:?} {shared} {} {tenant} {word}", nothing.is_none())
    }

    /// Has no receiver.
    #[tool(requires = [Sampling, Capability::Roots])]
    fn associated(word: String) -> String {
        word + "!"
    }

    fn _not_published(&self) {}
}

fn desk() -> ToolSet {
    Desk { name: "front".to_owned(), calls: AtomicU64::new(0) }.into_tools().unwrap()
}

/// Adds two integers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a.saturating_add(b)
}

/// Says hello.
#[tool(name = "say.hello")]
fn hello() -> &'static str {
    "hello"
}

#[test]
fn marked_methods_are_published_in_order_and_others_are_not() {
    let names: Vec<String> = desk().snapshot().iter().map(|tool| tool.name().to_owned()).collect();
    let expected = ["count", "name", "name_later", "add_up", "defaults", "page", "context", "associated"];
    assert_eq!(names, expected);
}

#[test]
fn all_tools_of_a_value_share_it() {
    let desk = desk();
    says(&desk, "count", json!({}), "0");
    says(&desk, "count", json!({}), "1");
    says(&desk, "name", json!({}), "front");
    says(&desk, "name_later", json!({}), "front");
}

#[test]
fn structured_results_and_failures_pass_through() {
    let desk = desk();
    let result = call(&desk, "add_up", json!({ "numbers": [1, 2] }));
    assert_eq!(result["structuredContent"], json!({ "sum": 3, "of": null }));
    fails(&call(&desk, "add_up", json!({ "numbers": [] })), "at least one number");
}

#[test]
fn what_is_left_out_gets_its_default() {
    let desk = desk();
    says(&desk, "defaults", json!({ "owner": null }), "5 emea Apac [] 7 None None");
    let all = json!({
        "few": 1, "text": "a", "region": "emea", "list": ["b"], "limit": 2, "owner": "c", "type": true,
    });
    says(&desk, "defaults", all, r#"1 a Emea ["b"] 2 Some("c") Some(true)"#);
    fails(&call(&desk, "defaults", json!({})), "owner");
    fails(&call(&desk, "defaults", json!({ "owner": null, "few": 11 })), "few");
}

#[test]
fn a_struct_takes_all_arguments() {
    says(&desk(), "page", json!({ "from": 3 }), "3+10");
}

#[test]
fn what_is_taken_from_the_call_is_no_argument() {
    let dress = |request: &mut Request<Bytes>| {
        request.headers_mut().insert("x-tenant", "acme".parse().unwrap());
        request.extensions_mut().insert(Principal::new("ann"));
        request.extensions_mut().insert::<Arc<str>>("pool".into());
    };
    let desk = desk();
    let result = call_with(&desk, "context", json!({ "word": "hi" }), dress);
    assert_eq!(result["content"][0]["text"], r#"ann Some(Principal("ann")) pool true acme hi"#, "{result}");
    let published = desk.snapshot().get("context").unwrap().input_schema().clone();
    assert_eq!(
        published,
        json!({
            "type": "object",
            "properties": { "word": { "description": "Is an argument", "type": "string" } },
            "required": ["word"],
        })
    );
}

#[test]
fn what_the_call_does_not_have_is_the_result() {
    let desk = desk();
    fails(&call(&desk, "context", json!({ "word": "hi" })), "signed in");
    let signed_in = |request: &mut Request<Bytes>| {
        request.extensions_mut().insert(Principal::new("ann"));
    };
    fails(&call_with(&desk, "context", json!({ "word": "hi" }), signed_in), "the server's log");
    let no_tenant = |request: &mut Request<Bytes>| {
        request.extensions_mut().insert(Principal::new("ann"));
        request.extensions_mut().insert::<Arc<str>>("pool".into());
    };
    fails(&call_with(&desk, "context", json!({ "word": "hi" }), no_tenant), "name a tenant");
}

#[test]
fn functions_are_tools_too() {
    let tools = ToolSet::try_from_tools([add::tool(), hello::tool().title("Greeting")]).unwrap();
    says(&tools, "add", json!({ "a": 1, "b": 2 }), "3");
    says(&tools, "say.hello", json!({}), "hello");
    says(&desk(), "associated", json!({ "word": "hi" }), "hi!");
    assert_eq!(hello(), "hello");
}

trait Store: Send + Sync + 'static {
    fn read(&self) -> String;
}

struct Shop<S>(S);

#[tools]
impl<S: Store> Shop<S> {
    /// Reads the store.
    #[tool]
    async fn read(&self, times: usize) -> String {
        self.0.read().repeat(times)
    }

    /// Is there in a build that nobody makes.
    #[cfg(any())]
    #[tool]
    fn never(&self) {}
}

#[test]
fn the_type_may_be_generic_and_a_tool_conditional() {
    struct Fixed;
    impl Store for Fixed {
        fn read(&self) -> String {
            "ab".to_owned()
        }
    }
    let tools = Shop(Fixed).into_tools().unwrap();
    says(&tools, "read", json!({ "times": 2 }), "abab");
    assert_eq!(tools.snapshot().len(), 1);
}
