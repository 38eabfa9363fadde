//! `#[prompt]` and `#[resource]`: what they publish, and how the functions run.

#![expect(clippy::unused_async, reason = "the signatures are what is tested")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_http::testing::Client;
use mcp_http::{
    CallContext, Extension, Icon, Json, Principal, Prompt, PromptBuilder, PromptMessage, PromptSet, Resource,
    ResourceBuilder, ResourceSet, ResourceTemplate, ResourceTemplateBuilder, Server, ServerBuilder,
    ToolError, prompt, resource, tools,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

fn builder() -> ServerBuilder {
    Server::builder("test", "1")
}

fn of_prompts(builders: impl IntoIterator<Item = PromptBuilder>) -> Client {
    let prompts = PromptSet::new();
    prompts.replace(builders).unwrap();
    Client::new(&builder().prompts(prompts).build().unwrap())
}

fn of_resource(resource: ResourceBuilder) -> Client {
    let resources = ResourceSet::new().with(resource).unwrap();
    Client::new(&builder().resources(resources).build().unwrap())
}

fn of_template(template: ResourceTemplateBuilder) -> Client {
    let resources = ResourceSet::new().with_template(template).unwrap();
    Client::new(&builder().resources(resources).build().unwrap())
}

async fn published(client: &Client, method: &str) -> String {
    client.request(method, Map::new()).await.unwrap().to_string()
}

async fn said(client: &Client, prompt: &str, arguments: Value) -> String {
    let result = client.prompt(prompt, arguments).await.unwrap();
    result["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

async fn read(client: &Client, uri: &str) -> String {
    client.read(uri).await.unwrap()["contents"][0]["text"].as_str().unwrap().to_owned()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Strict,
}

fn three() -> u8 {
    3
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Review {
    /// The code to look at,
    /// all of it
    code: String,
    #[schemars(description = "How many remarks", range(min = 1, max = 9))]
    #[serde(default = "three")]
    remarks: u8,
    tone: Tone,
    #[serde(rename = "in")]
    #[schemars(extend("enum" = ["en", "de"]))]
    language: Option<String>,
}

/// Reviews code.
#[prompt("Looks at code", name = "code.review", title = "Code review", icons = ["https://example.com/1.png"],
         meta = { "com.example/cost": 1 }, deny_unknown)]
fn review(
    /// The code to look at,
    /// all of it
    code: String,
    #[param("How many remarks", default = 3, min = 1, max = 9)] remarks: u8,
    tone: Tone,
    #[param(name = "in", one_of = ["en", "de"])] language: Option<String>,
) -> String {
    let tone = match tone {
        Tone::Kind => "kind",
        Tone::Strict => "strict",
    };
    format!("{code} {remarks} {tone} {language:?}")
}

/// Looks at code
#[prompt(name = "code.review")]
fn review_of_a_struct(#[param(args)] Review { code, remarks, tone, language }: Review) -> String {
    review(code, remarks, tone, language)
}

fn review_by_hand() -> PromptBuilder {
    let prompt = Prompt::builder("code.review").title("Code review").description("Looks at code");
    let prompt = prompt.icon(Icon::new("https://example.com/1.png")).meta("com.example/cost", 1);
    prompt.handler(|args: Review| review(args.code, args.remarks, args.tone, args.language))
}

#[tokio::test]
async fn a_prompt_publishes_the_bytes_of_one_that_is_written_by_hand() {
    let by_hand = published(&of_prompts([review_by_hand()]), "prompts/list").await;
    assert_eq!(published(&of_prompts([review::prompt()]), "prompts/list").await, by_hand);
    let of_a_struct = review_of_a_struct::prompt().title("Code review");
    let of_a_struct = of_a_struct.icon(Icon::new("https://example.com/1.png")).meta("com.example/cost", 1);
    assert_eq!(published(&of_prompts([of_a_struct]), "prompts/list").await, by_hand);
    let expected =
        r#""arguments":[{"name":"code","description":"The code to look at,\nall of it","required":true},"#;
    assert!(by_hand.contains(expected), "{by_hand}");
}

#[tokio::test]
async fn texts_are_read_as_the_parameters_of_a_prompt() {
    for prompt in [review::prompt(), review_of_a_struct::prompt()] {
        let client = of_prompts([prompt]);
        let least = json!({ "code": "a", "tone": "kind" });
        assert_eq!(said(&client, "code.review", least).await, "a 3 kind None");
        let most = json!({ "code": "7", "remarks": "9", "tone": "strict", "in": "de" });
        assert_eq!(said(&client, "code.review", most).await, r#"7 9 strict Some("de")"#);
        for wrong in [
            json!({ "tone": "kind" }),
            json!({ "code": "a", "tone": "rude" }),
            json!({ "code": "a", "tone": "kind", "remarks": "10" }),
            json!({ "code": "a", "tone": "kind", "in": "fr" }),
            json!({ "code": "a", "tone": "kind", "other": "b" }),
        ] {
            assert!(client.prompt("code.review", &wrong).await.is_err(), "{wrong}");
        }
    }
}

#[tokio::test]
async fn the_values_of_one_of_complete_an_argument() {
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "code.review" },
        "argument": { "name": "in", "value": "d" },
    });
    let Value::Object(params) = params else { unreachable!() };
    let client = of_prompts([review::prompt()]);
    let result = client.request("completion/complete", params).await.unwrap();
    assert_eq!(result["completion"]["values"], json!(["de"]));
}

/// Greets the caller.
#[prompt]
async fn greet(
    caller: Principal,
    cx: &CallContext,
    Extension(pool): Extension<Arc<str>>,
    word: String,
) -> Result<Vec<PromptMessage>, ToolError> {
    if word.is_empty() {
        return Err(ToolError::new("give a word"));
    }
    Ok(vec![PromptMessage::user(format!("{word} {caller} {pool} {}", cx.principal().is_some()))])
}

#[tokio::test]
async fn what_is_taken_from_the_call_is_no_argument() {
    assert_eq!(greet::prompt().build().unwrap().arguments().len(), 1);
    let client = of_prompts([greet::prompt()]).extension::<Arc<str>>("pool".into());
    assert!(client.prompt("greet", json!({ "word": "hi" })).await.is_err());
    let client = client.principal("ann");
    assert_eq!(said(&client, "greet", json!({ "word": "hi" })).await, "hi ann pool true");
    assert!(client.prompt("greet", json!({ "word": "" })).await.is_err());
}

/// What customers agree to.
#[resource("shop://terms", title = "Terms", mime_type = "text/plain", icons = ["https://example.com/1.png"],
           meta = { "com.example/cost": 1 })]
fn terms() -> &'static str {
    "Pay within a week."
}

#[tokio::test]
async fn a_resource_publishes_the_bytes_of_one_that_is_written_by_hand() {
    let by_hand = Resource::builder("shop://terms", "terms")
        .title("Terms")
        .description("What customers agree to.")
        .mime_type("text/plain")
        .icon(Icon::new("https://example.com/1.png"))
        .meta("com.example/cost", 1)
        .reader(terms);
    let (ours, by_hand) = (of_resource(terms::resource()), of_resource(by_hand));
    assert_eq!(published(&ours, "resources/list").await, published(&by_hand, "resources/list").await);
    assert_eq!(ours.read("shop://terms").await.unwrap(), by_hand.read("shop://terms").await.unwrap());
}

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: u64,
    #[serde(rename = "as")]
    #[schemars(extend("enum" = ["text", "json"]))]
    form: Option<String>,
}

/// One order.
#[resource(uri = "shop://orders/{id}{?as,page}", name = "order", description = "An order")]
async fn find_order(
    #[param(max = 99)] id: u64,
    #[param(name = "as", one_of = ["text", "json"])] form: Option<String>,
    caller: Option<Principal>,
) -> Result<Option<Json<Value>>, ToolError> {
    let shown = json!({ "id": id, "as": form, "for": caller.map(|caller| caller.to_string()) });
    Ok((id != 13).then_some(Json(shown)))
}

/// An order
#[resource("shop://orders/{id}{?as,page}", name = "order")]
fn find_order_of_a_struct(#[param(args)] which: Which) -> String {
    format!("{} {:?}", which.id, which.form)
}

#[tokio::test]
async fn a_template_publishes_the_bytes_of_one_that_is_written_by_hand() {
    let by_hand = ResourceTemplate::builder("shop://orders/{id}{?as,page}", "order")
        .description("An order")
        .reader(|which: Which| which.form);
    let by_hand = published(&of_template(by_hand), "resources/templates/list").await;
    for ours in [find_order::template(), find_order_of_a_struct::template()] {
        assert_eq!(published(&of_template(ours), "resources/templates/list").await, by_hand);
    }
}

#[tokio::test]
async fn the_variables_of_a_template_are_the_parameters() {
    let client = of_template(find_order::template()).principal("ann");
    assert_eq!(read(&client, "shop://orders/7").await, r#"{"id":7,"as":null,"for":"ann"}"#);
    assert_eq!(read(&client, "shop://orders/7?as=json").await, r#"{"id":7,"as":"json","for":"ann"}"#);
    for absent in ["shop://orders/13", "shop://orders/100", "shop://orders/a", "shop://orders/7?as=xml"] {
        assert!(client.read(absent).await.is_err(), "{absent}");
    }
    let client = of_template(find_order_of_a_struct::template());
    assert_eq!(read(&client, "shop://orders/7?as=text&page=2").await, r#"7 Some("text")"#);
}

#[test]
fn what_is_marked_stays_a_function() {
    assert_eq!(terms(), "Pay within a week.");
    assert_eq!(review("a".to_owned(), 1, Tone::Kind, None), "a 1 kind None");
}

struct Shop<S> {
    store: S,
    read: AtomicU64,
}

#[tools]
impl<S: AsRef<str> + Send + Sync + 'static> Shop<S> {
    /// Counts what was read.
    #[tool]
    fn count(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Asks for help.
    #[prompt]
    fn help(&self, #[param(default = 7)] lines: u8) -> String {
        format!("{lines} lines about {}", self.store.as_ref())
    }

    /// Has the name of the tool.
    #[prompt(name = "count")]
    fn count_words() -> &'static str {
        "Count."
    }

    /// What is there.
    #[resource("shop://stock")]
    async fn stock(&self) -> &str {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.store.as_ref()
    }

    /// Has no receiver.
    #[resource("shop://twice/{word}")]
    fn twice(word: String) -> String {
        word.repeat(2)
    }

    /// Is there in a build that nobody makes.
    #[cfg(any())]
    #[resource("shop://never")]
    fn never(&self) -> String {}
}

#[tokio::test]
async fn everything_that_an_impl_makes_shares_one_value() {
    let shop = Arc::new(Shop { store: "chairs", read: AtomicU64::new(0) });
    let server = builder().tools(shop.tools().unwrap()).prompts(shop.prompts().unwrap());
    let client = Client::new(&server.resources(shop.resources().unwrap()).build().unwrap());
    assert_eq!(said(&client, "help", json!({})).await, "7 lines about chairs");
    assert_eq!(said(&client, "count", json!({})).await, "Count.");
    assert_eq!(read(&client, "shop://stock").await, "chairs");
    assert_eq!(read(&client, "shop://twice/ab").await, "abab");
    assert_eq!(client.call("count", ()).await.unwrap().text(), "1");
    assert_eq!((shop.resource_builders().len(), shop.template_builders().len()), (1, 1));
}

#[test]
fn the_tools_of_a_mixed_impl_are_made_of_its_value_too() {
    let shop = Shop { store: "chairs", read: AtomicU64::new(0) };
    assert_eq!(shop.into_tools().unwrap().snapshot().len(), 1);
}

struct Library;

#[tools]
impl Library {
    /// Recommends a book.
    #[prompt]
    fn recommend(&self) -> &'static str {
        "Which book?"
    }
}

#[test]
fn an_impl_need_not_have_tools() {
    assert_eq!(Arc::new(Library).prompts().unwrap().snapshot().len(), 1);
}
