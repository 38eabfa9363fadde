//! The attributes `#[tools]`, `#[tool]`, `#[prompt]` and `#[resource]` of [`mcp-http`](https://docs.rs/mcp-http), which has them as its own: use
//! them from there.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of all that Rust's syntax has, few forms matter here, and more are to come"
)]

mod attribute;
mod expand;
mod function;
mod item;
mod known;
mod mark;
mod param;
mod primitive;
mod uri;

use primitive::Primitive;
use proc_macro::TokenStream;

/// Makes tools of the methods that are marked with [`#[tool]`](macro@tool), and
/// [prompts and resources](#prompts-and-resources) of others.
///
/// Everything that a model needs to know of a tool comes from the signature: its name, its description, the schema of
/// its arguments. Methods without a mark stay as they are, and are not published. The marks, `#[tool]` and `#[param]`,
/// need not be imported.
///
/// ```
/// use std::sync::Mutex;
/// use mcp_http::{CallContext, Server, ToolError, tools};
///
/// #[derive(Default)]
/// struct Notes {
///     notes: Mutex<Vec<String>>,
/// }
///
/// #[tools]
/// impl Notes {
///     /// Keep a note for later.
///     #[tool(destructive = false)]
///     fn add_note(&self, /** What to remember */ text: String) -> usize {
///         let mut notes = self.notes.lock().unwrap();
///         notes.push(text);
///         notes.len()
///     }
///
///     /// Search the notes that were kept.
///     #[tool(title = "Search notes", read_only)]
///     async fn search_notes(
///         &self,
///         /// What the note contains
///         query: String,
///         /// How many notes to give back
///         #[param(default = 10, min = 1, max = 100)]
///         limit: usize,
///         cx: &CallContext,
///     ) -> Result<String, ToolError> {
///         if cx.principal().is_none() {
///             return Err(ToolError::new("sign in to read notes"));
///         }
///         Ok(self.matching(&query).into_iter().take(limit).collect::<Vec<_>>().join("\n"))
///     }
///
///     fn matching(&self, query: &str) -> Vec<String> {
///         let notes = self.notes.lock().unwrap();
///         notes.iter().filter(|note| note.contains(query)).cloned().collect()
///     }
/// }
///
/// let server = Server::builder("notes", "1.0.0").tools(Notes::default().into_tools()?).build()?;
/// # drop(server);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # What it adds
///
/// Two methods, which take the value; all its tools then share it:
///
/// * `into_tools(self) -> Result<ToolSet, RegisterError>`: the tools as a set. It fails when something cannot be
///   published that only shows at run time, such as a `header` on an argument whose type turns out not to be a string,
///   an integer or a boolean.
/// * `into_tool_builders(self) -> Vec<ToolBuilder>`: the tools one by one, to change them or to put those of several
///   types in one set with `ToolSet::try_from_tools`.
///
/// # Prompts and resources
///
/// Methods may be marked with [`#[prompt]`](macro@prompt) and [`#[resource(…)]`](macro@resource) too. Then there are
/// methods beside those two that leave the value with you, in an `Arc` that everything shares:
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use mcp_http::{Server, tools};
///
/// #[derive(Default)]
/// struct Notes(Mutex<Vec<String>>);
///
/// #[tools]
/// impl Notes {
///     /// Keep a note for later.
///     #[tool]
///     fn add_note(&self, text: String) {
///         self.0.lock().unwrap().push(text);
///     }
///
///     /// Summarize the notes.
///     #[prompt]
///     fn summarize(&self, #[param(default = 3)] sentences: u8) -> String {
///         format!("Summarize in {sentences} sentences:\n{}", self.0.lock().unwrap().join("\n"))
///     }
///
///     /// One note.
///     #[resource("notes://{number}")]
///     fn note(&self, number: usize) -> Option<String> {
///         self.0.lock().unwrap().get(number).cloned()
///     }
/// }
///
/// let notes = Arc::new(Notes::default());
/// let server = Server::builder("notes", "1.0.0")
///     .tools(notes.tools()?)
///     .prompts(notes.prompts()?)
///     .resources(notes.resources()?)
///     .build()?;
/// # drop(server);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// | method, of `&Arc<Self>` | one by one |
/// |---|---|
/// | `tools() -> Result<ToolSet, RegisterError>` | `tool_builders()` |
/// | `prompts() -> Result<PromptSet, RegisterError>` | `prompt_builders()` |
/// | `resources() -> Result<ResourceSet, RegisterError>` | `resource_builders()`, `template_builders()` |
///
/// Each is there if something is marked that it gives.
///
/// # The type
///
/// A type has one `#[tools] impl`. It may be generic (`impl<S: Store> Shop<S>`), as long as the arguments of its tools
/// are not.
///
/// # Methods
///
/// Sync or async, with `&self` or without a receiver. A sync method runs on the thread that serves the request: one
/// that blocks belongs on a thread pool. What a method may give back is listed at
/// [`IntoToolResult`](https://docs.rs/mcp-http/latest/mcp_http/trait.IntoToolResult.html).
#[proc_macro_attribute]
pub fn tools(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(block) => item::tools(&arguments.into(), block),
        Err(_) => item::misplaced("tools", "an `impl` block whose methods are tools", item.into()),
    }
    .into()
}

/// Makes a tool of a function; of a method, inside of an `impl` with [`#[tools]`](macro@tools).
///
/// The function stays what it was. Beside it there is a type of the same name, with one function `tool()` that gives
/// the `ToolBuilder`; importing the function imports both.
///
/// ```
/// use mcp_http::{ToolSet, tool};
///
/// /// Add two integers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a.saturating_add(b)
/// }
///
/// /// Multiply two integers.
/// #[tool(name = "math.multiply")]
/// fn multiply(a: i64, b: i64) -> i64 {
///     a.saturating_mul(b)
/// }
///
/// let tools = ToolSet::new().with(add::tool())?.with(multiply::tool())?;
/// assert_eq!(multiply(2, 3), 6);
/// # drop(tools);
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// # Settings of a tool: `#[tool(…)]`
///
/// | setting | what it does |
/// |---|---|
/// | `name = "…"` | The published name. Default: that of the function. 1 to 128 letters, digits, `_`, `-`, `.` |
/// | `"…"` first, or `description = …` | What the tool does and when to use it. Default: the doc comment. Neither is a warning |
/// | `title = …` | Name for people |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | What it does to the world, or with `= false` does not: hints, never access control |
/// | `icons = ["https://…", …]` | Pictures: URIs, or expressions that are an `Icon` |
/// | `meta = { "key": value, … }` | Members of `_meta`, in JSON |
/// | `capability = "…"` | What it is for, by a key that agents know, such as `web_search` |
/// | `output_schema = { … }` | The schema of its structured results: JSON, or a function that gives a `serde_json::Value`. Default: that of `T`, where a `Json<T>` is given back |
/// | `deny_unknown` | Refuses arguments that are no parameter. Default: they are ignored |
/// | `requires = [Sampling, …]` | What a client has to be able to do (`Capability`) |
/// | `task = "optional"`, `task = "required"` | Lets calls go on without a connection, as tasks; the second serves only clients that take them |
///
/// ```
/// use mcp_http::{Icon, Json, Tool, tool};
/// use schemars::JsonSchema;
/// use serde::Serialize;
/// use serde_json::json;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Quotient {
///     quotient: i64,
///     remainder: i64,
/// }
///
/// #[tool(
///     "Divide two integers. Use it rather than to divide yourself.",
///     name = "divide",
///     title = "Integer division",
///     read_only,
///     open_world = false,
///     icons = ["https://example.com/divide.png", Icon::new("https://example.com/divide.svg")],
///     meta = { "com.example/category": "math", "com.example/cost": 1 },
///     capability = "calculator",
///     deny_unknown,
/// )]
/// fn integer_division(dividend: i32, divisor: std::num::NonZeroI32) -> Json<Quotient> {
///     let (dividend, divisor) = (i64::from(dividend), i64::from(divisor.get()));
///     Json(Quotient { quotient: dividend / divisor, remainder: dividend % divisor })
/// }
///
/// let tool: Tool = integer_division::tool().build()?;
/// assert_eq!(tool.name(), "divide");
/// assert_eq!(tool.input_schema()["additionalProperties"], false);
/// assert_eq!(tool.output_schema().unwrap()["required"], json!(["quotient", "remainder"]));
///
/// /// Write a haiku, with the help of the client's model.
/// #[tool(requires = [Sampling])]
/// fn haiku() -> &'static str {
///     "…"
/// }
///
/// /// List the ids of all customers.
/// #[tool(output_schema = { "type": "array", "items": { "type": "integer" } })]
/// fn list_ids() -> Json<Vec<u64>> {
///     Json(vec![1, 2, 3])
/// }
/// # assert_eq!(list_ids::tool().build()?.output_schema().unwrap()["items"]["type"], "integer");
/// # haiku::tool().build()?;
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// # Arguments
///
/// Every parameter is an argument, published under its name (raw identifiers without `r#`), with the schema of its type,
/// which is any that is `Deserialize + JsonSchema`. It is required, unless it is an `Option` or has a default. Its doc
/// comment is its description. What the schema says is checked before the function runs.
///
/// | `#[param(…)]` | what it does |
/// |---|---|
/// | `"…"` first, or `description = …` | Says what the argument means. Default: the doc comment |
/// | `name = "…"` | The published name |
/// | `default = …`, `default` | What it is when it is left out; that of its type. Published, so the type has to be `Serialize` |
/// | `min = …`, `max = …` | The least and the greatest number, inclusive |
/// | `one_of = [a, b]` | The values it may have |
/// | `format = "…"` | What a string is, such as `date-time` or `email`: told to the model, and not checked unless the tool's builder says `check_formats` (feature `formats` of `mcp-http`) |
/// | `items = { … }` | The schema of the elements of a list |
/// | `schema = { … }` | The schema, instead of that of the type: JSON, or a function that gives a `serde_json::Value` |
/// | `nullable` | An `Option` that has to be there, and may be null |
/// | `header = "…"` | Clients repeat the argument in the header `Mcp-Param-…`, for gateways to route on |
///
/// ```
/// use mcp_http::tool;
/// use serde_json::{Value, json};
///
/// fn coordinates() -> Value {
///     json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }] })
/// }
///
/// /// Find a table in a restaurant.
/// #[tool]
/// fn find_table(
///     /// When to eat
///     #[param(format = "date-time")]
///     at: String,
///     #[param("How many people", default = 2, min = 1, max = 20)] people: u8,
///     /// Who guides the guests; null for nobody
///     #[param(nullable, one_of = ["ann", "bob"])]
///     guide: Option<String>,
///     #[param(name = "where", schema = coordinates)] place: Value,
///     #[param(items = { "type": "string", "format": "uri" })] menus: Option<Vec<String>>,
///     #[param(header = "Region")] region: String,
/// ) -> String {
///     format!("a table for {people} at {at} in {region}")
/// }
///
/// let tool = find_table::tool().build()?;
/// assert_eq!(
///     *tool.input_schema(),
///     json!({
///         "type": "object",
///         "properties": {
///             "at": { "type": "string", "description": "When to eat", "format": "date-time" },
///             "people": {
///                 "type": "integer", "minimum": 1, "maximum": 20, "description": "How many people", "default": 2,
///             },
///             "guide": {
///                 "type": ["string", "null"],
///                 "description": "Who guides the guests; null for nobody",
///                 "enum": ["ann", "bob", null],
///             },
///             "where": { "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }] },
///             "menus": { "type": "array", "items": { "type": "string", "format": "uri" } },
///             "region": { "type": "string", "x-mcp-header": "Region" },
///         },
///         "required": ["at", "guide", "where", "region"],
///     })
/// );
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// `#[param(args)]` marks a struct that takes all arguments, and may be taken apart. What `#[param]` says elsewhere, its
/// fields say in attributes of serde and schemars.
///
/// ```
/// use mcp_http::tool;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Search {
///     /// What to search for
///     query: String,
///     /// How many results to give
///     #[serde(default = "ten")]
///     #[schemars(range(min = 1, max = 100))]
///     limit: u32,
///     #[schemars(extend("x-mcp-header" = "Region"))]
///     region: Option<String>,
/// }
///
/// fn ten() -> u32 {
///     10
/// }
///
/// /// Search the products.
/// #[tool]
/// fn search(#[param(args)] Search { query, limit, region }: Search) -> String {
///     format!("{limit} of {query} in {region:?}")
/// }
/// # search::tool().build()?;
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// # Schemas of types
///
/// The schemas that types give are those that every client takes: without references and choices at the root, and in
/// keywords that are checked without the feature `json-schema`. What they cannot say is found out when the arguments are
/// read, and told to the model.
///
/// | type | schema |
/// |---|---|
/// | integers | `integer`, with the range of the type where it is narrower than that of `i64`; `NonZero` says "Not 0." |
/// | `f64`, `f32`, `serde_json::Number` | `number` |
/// | `String`, `PathBuf`, `char` | `string`; a `char` is one character long |
/// | `Uuid`, `Url`, `DateTime`, `NaiveDate`, `Ipv4Addr` … | `string` with a `format` that JSON Schema knows; others, such as `NaiveTime`, in words |
/// | `Option<T>` as a parameter or a field | as `T`, and not required; null is taken for it too |
/// | `Option<T>` in a list, in a map, in a result | as `T` or null |
/// | `Vec<T>`, `[T; N]`, sets | `array` of `items`; arrays say how many, sets that they differ |
/// | `(A, B)` | `array` with `prefixItems`, `minItems` and `maxItems`; `(T, T)` has plain `items` |
/// | maps | `object` with `additionalProperties`, whatever the type of the keys |
/// | `struct` | `object` with `properties` as they are declared, `rename`, `flatten` and so on as serde reads them |
/// | `enum` of names | `string` with `enum`; what is documented of a variant is added to the description |
/// | `enum` with data | `anyOf` with a tag that has one value; an untagged one of mere types is a list of types |
/// | `enum` as all the arguments (`#[param(args)]`) | one `object`: of all variants together, and the tag says in words what goes with what |
/// | `serde_json::Value` | `{}`: anything |
/// | types that hold themselves | `$ref` to `$defs`; all others are inlined, unless that makes more than 1,000 subschemas |
///
/// Doc comments are descriptions. That of a field is published rather than that of its type.
///
/// Types of other crates (`chrono`, `uuid`, `url` …) have a schema when schemars' feature for the crate is enabled in
/// your own `Cargo.toml`: `schemars = { version = "1", features = ["chrono04", "uuid1", "url2"] }`. Where it has none,
/// a type may be given one by hand, with `#[param(schema = …)]` or `#[schemars(with = "String")]`.
///
/// # What is not an argument
///
/// Parameters that are taken from the call are not published. `CallContext`, `Principal` (refuses anonymous callers),
/// `Option<Principal>`, `Extension<T>` (what middleware left in the request) and `Option<Extension<T>>` are recognised by
/// these names; other types that implement `FromCall` are marked `#[param(from_call)]`. Each may be taken by value or by
/// shared reference.
///
/// ```
/// use std::sync::Arc;
/// use mcp_http::{CallContext, Extension, FromCall, Principal, ToolError, tool};
///
/// # struct Pool;
/// struct Language(String);
///
/// impl FromCall for Language {
///     fn from_call(cx: &CallContext) -> Result<Self, ToolError> {
///         let header = cx.headers().get("accept-language").and_then(|value| value.to_str().ok());
///         Ok(Self(header.unwrap_or("en").to_owned()))
///     }
/// }
///
/// /// Greet the caller.
/// #[tool]
/// async fn greet(
///     name: String,
///     cx: &CallContext,
///     caller: Principal,
///     Extension(pool): Extension<Arc<Pool>>,
///     #[param(from_call)] language: &Language,
/// ) -> String {
///     # drop(pool);
///     format!("{name} is {caller}, speaks {}, and sent {} headers", language.0, cx.headers().len())
/// }
/// # assert_eq!(greet::tool().build()?.input_schema()["required"], serde_json::json!(["name"]));
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(function) => item::function(Primitive::Tool, &arguments.into(), function),
        Err(_) => item::misplaced("tool", "a function", item.into()),
    }
    .into()
}

/// Makes a prompt of a function; of a method, inside of an `impl` with [`#[tools]`](macro@tools).
///
/// The function stays what it was. Beside it there is a type of the same name, with one function `prompt()` that gives
/// the `PromptBuilder`; importing the function imports both.
///
/// ```
/// use mcp_http::testing::Client;
/// use mcp_http::{PromptMessage, PromptSet, Server, prompt};
/// use serde_json::json;
///
/// /// Review code.
/// #[prompt(title = "Code review")]
/// fn review(
///     /// The code to look at
///     code: String,
///     #[param("How many remarks to make", default = 3, min = 1, max = 9)] remarks: u8,
///     #[param(default = "kind", one_of = ["kind", "strict"])] tone: String,
/// ) -> [PromptMessage; 2] {
///     [
///         PromptMessage::assistant(format!("I am a {tone} reader.")),
///         PromptMessage::user(format!("Make at most {remarks} remarks on this code:\n{code}")),
///     ]
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let prompts = PromptSet::new().with(review::prompt())?;
/// let client = Client::new(&Server::builder("reviews", "1.0.0").prompts(prompts).build()?);
/// let result = client.prompt("review", json!({ "code": "fn main() {}", "remarks": "5" })).await?;
/// assert_eq!(result["messages"][0]["content"]["text"], "I am a kind reader.");
/// assert_eq!(result["messages"][1]["content"]["text"], "Make at most 5 remarks on this code:\nfn main() {}");
/// # Ok(())
/// # }
/// ```
///
/// What a function may give back is listed at
/// [`IntoPromptOutput`](https://docs.rs/mcp-http/latest/mcp_http/trait.IntoPromptOutput.html).
///
/// # Settings of a prompt: `#[prompt(…)]`
///
/// | setting | what it does |
/// |---|---|
/// | `name = "…"` | The published name. Default: that of the function |
/// | `"…"` first, or `description = …` | What the prompt is for. Default: the doc comment |
/// | `title = …` | Name for people |
/// | `icons = ["https://…", …]` | Pictures: URIs, or expressions that are an `Icon` |
/// | `meta = { "key": value, … }` | Members of `_meta`, in JSON |
/// | `deny_unknown` | Refuses arguments that are no parameter. Default: they are ignored |
///
/// # Arguments
///
/// Every parameter is an argument, as [with tools](macro@tool#arguments), and `#[param(…)]` says the same of it; only
/// `nullable` and `header` are for tools alone. Clients send texts: a number is read from one, and an array or an object
/// from JSON; what cannot be read, or is not what `min`, `max` or `one_of` say, is refused before the function runs.
///
/// The user is told of the name of an argument, its description, and whether it has to be there. The names of an enum and
/// the values of `one_of` are offered while the user types; so are others that the builder is given:
/// `review::prompt().complete("code", …)`.
///
/// [What is taken from the call](macro@tool#what-is-not-an-argument) is not an argument here either.
#[proc_macro_attribute]
pub fn prompt(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(function) => item::function(Primitive::Prompt, &arguments.into(), function),
        Err(_) => item::misplaced("prompt", "a function", item.into()),
    }
    .into()
}

/// Makes a resource of a function, or a template of resources; of a method, inside of an `impl` with
/// [`#[tools]`](macro@tools).
///
/// The function stays what it was. Beside it there is a type of the same name, with one function that gives the builder:
/// `resource()` the `ResourceBuilder`, or, where the URI has variables, `template()` the `ResourceTemplateBuilder`.
/// Importing the function imports both.
///
/// ```
/// use mcp_http::testing::Client;
/// use mcp_http::{ResourceSet, Server, resource};
///
/// /// What customers agree to.
/// #[resource("shop://terms", mime_type = "text/plain")]
/// fn terms() -> &'static str {
///     "Pay within a week."
/// }
///
/// /// One order.
/// #[resource("shop://orders/{id}{?currency}", name = "order", title = "Order")]
/// async fn find_order(id: u64, #[param(default = "EUR")] currency: String) -> Option<String> {
///     (id < 100).then(|| format!("Order {id}: two chairs, 80 {currency}"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let resources = ResourceSet::new().with(terms::resource())?.with_template(find_order::template())?;
/// let client = Client::new(&Server::builder("shop", "1.0.0").resources(resources).build()?);
/// assert_eq!(client.read("shop://terms").await?["contents"][0]["text"], "Pay within a week.");
/// let order = client.read("shop://orders/7?currency=USD").await?;
/// assert_eq!(order["contents"][0]["text"], "Order 7: two chairs, 80 USD");
/// assert!(client.read("shop://orders/100").await.is_err());
/// # Ok(())
/// # }
/// ```
///
/// What a function may give back is listed at
/// [`IntoResourceOutput`](https://docs.rs/mcp-http/latest/mcp_http/trait.IntoResourceOutput.html).
///
/// # Settings of a resource: `#[resource(…)]`
///
/// | setting | what it does |
/// |---|---|
/// | `"…"` first, or `uri = "…"` | The URI, or the template of the URIs. What templates may have in them is listed at [`ResourceTemplate::builder`](https://docs.rs/mcp-http/latest/mcp_http/struct.ResourceTemplate.html#method.builder) |
/// | `name = "…"` | The published name. Default: that of the function |
/// | `description = …` | What it is, for the model. Default: the doc comment |
/// | `title = …` | Name for people |
/// | `mime_type = …` | The media type |
/// | `icons = ["https://…", …]` | Pictures: URIs, or expressions that are an `Icon` |
/// | `meta = { "key": value, … }` | Members of `_meta`, in JSON |
///
/// Everything else is said to the builder: `terms::resource().cache(…)`.
///
/// # Variables
///
/// Every parameter is a variable of the URI, of the same name or of that which `#[param(name = "…")]` gives it. As a
/// number it has to be one, and it keeps to what `#[param(…)]` says: `min`, `max`, `one_of` and so on, as
/// [with tools](macro@tool#arguments), but for `nullable` and `header`. Where it does not, there is no resource at that
/// URI. A variable that may be missing, such as those of a query, is an `Option` or has a default.
///
/// A variable is a text of the client, percent-decoded: `%2F` is a slash by then, and `..` may be all of it. Check one
/// that is a path before you open a file.
///
/// [What is taken from the call](macro@tool#what-is-not-an-argument) is no variable.
#[proc_macro_attribute]
pub fn resource(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse(item.clone()) {
        Ok(function) => item::function(Primitive::Resource, &arguments.into(), function),
        Err(_) => item::misplaced("resource", "a function", item.into()),
    }
    .into()
}
