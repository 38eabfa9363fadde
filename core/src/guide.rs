//! Defining tools, prompts and resources: a guide. Its second page is [`deployment`]. It holds no code of its own.
//!
//! # A tool is a function
//!
//! Mark a function, and everything that a model needs is taken from its signature: the name, the description, the schema
//! of the arguments. Methods of a type share its state.
//!
//! The examples need `mcp-http` and `serde_json`, those with types of their own also `serde` (with `derive`) and
//! `schemars` 1, and an async runtime to be called from: `#[actix_web::test]` and `#[tokio::test]` do.
//!
//! ```
//! use std::sync::Mutex;
//! use mcp_http::testing::Client;
//! use mcp_http::{Server, ToolError, tools};
//! use serde_json::json;
//!
//! #[derive(Default)]
//! struct Notes(Mutex<Vec<String>>);
//!
//! #[tools]
//! impl Notes {
//!     /// Keep a note for later.
//!     #[tool(destructive = false)]
//!     fn add_note(&self, /** What to remember */ text: String) -> usize {
//!         let mut notes = self.0.lock().unwrap();
//!         notes.push(text);
//!         notes.len()
//!     }
//!
//!     /// Give back the notes that contain a text.
//!     #[tool(read_only)]
//!     async fn find_notes(
//!         &self,
//!         /// The text, in any case
//!         text: String,
//!         /// How many to give back
//!         #[param(default = 10, min = 1, max = 100)]
//!         limit: usize,
//!     ) -> Result<String, ToolError> {
//!         let notes = self.0.lock().unwrap();
//!         let found = notes.iter().filter(|note| note.to_lowercase().contains(&text.to_lowercase()));
//!         match found.take(limit).cloned().collect::<Vec<_>>() {
//!             none if none.is_empty() => Err(ToolError::new("no note contains that: try a shorter text")),
//!             found => Ok(found.join("\n")),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("notes", "1.0.0").tools(Notes::default().into_tools()?).build()?;
//!
//! let client = Client::new(&server);
//! client.call("add_note", json!({ "text": "Buy milk" })).await?;
//! assert_eq!(client.call("find_notes", json!({ "text": "MILK" })).await?.text(), "Buy milk");
//! # Ok(())
//! # }
//! ```
//!
//! The tools own the value. A value that the application uses elsewhere too is cheap to clone: put what is shared into an
//! `Arc` inside of it (`#[derive(Clone)] struct Notes(Arc<Mutex<Vec<String>>>)`), and give a clone to the tools.
//!
//! Only what is marked is published; other functions of the type go into an `impl` of their own. A sync function runs on the thread that serves the request, so one that blocks
//! belongs on a thread pool; calls run side by side, so what changes sits in a `Mutex` or an atomic.
//!
//! All settings of [`#[tool]`](macro@crate::tool) and `#[param]` are on its page. The same tool can be written as a closure at
//! run time, see [below](#tools-that-are-made-at-run-time): clients see the same bytes.
//!
//! # What the model reads
//!
//! The model chooses a tool by its description and fills in arguments by theirs. Say what the tool does, *when* to use
//! it, and what it does not do; a tool without a description is a warning of the compiler.
//! [`ToolSet::lint`](crate::ToolSet::lint) lists what is missing, names that clients confuse, and what each tool costs in
//! tokens.
//!
//! A name is 1 to 128 letters, digits, `_`, `-` and `.`, and unique. A `title` is for people.
//! Annotations (`read_only`, `destructive`, `idempotent`, `open_world`) are hints for a user interface: clients may not
//! trust them, and nothing here decides by them. They are no access control.
//!
//! # Arguments
//!
//! Every parameter is an argument, of any type that is `Deserialize + JsonSchema`. It has to be there unless it is an
//! `Option` or has a default.
//!
//! ```
//! use mcp_http::tool;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use serde_json::json;
//!
//! #[derive(Deserialize, Serialize, JsonSchema)]
//! #[serde(rename_all = "lowercase")]
//! enum Unit {
//!     Celsius,
//!     Fahrenheit,
//! }
//!
//! /// Forecast the weather.
//! #[tool]
//! fn forecast(
//!     /// The city, in English
//!     city: String,
//!     #[param("How many days", default = 3, min = 1, max = 14)] days: u8,
//!     #[param(default = Unit::Celsius)] unit: Unit,
//!     /// Only this hour of the day
//!     hour: Option<u8>,
//! ) -> String {
//!     # let _ = (days, unit, hour);
//!     format!("fine, in {city}")
//! }
//!
//! assert_eq!(
//!     *forecast::tool().build()?.input_schema(),
//!     json!({
//!         "type": "object",
//!         "properties": {
//!             "city": { "type": "string", "description": "The city, in English" },
//!             "days": {
//!                 "type": "integer", "minimum": 1, "maximum": 14, "description": "How many days", "default": 3,
//!             },
//!             "unit": { "type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius" },
//!             "hour": {
//!                 "type": "integer", "minimum": 0, "maximum": 255, "description": "Only this hour of the day",
//!             },
//!         },
//!         "required": ["city"],
//!     })
//! );
//! # Ok::<_, mcp_http::RegisterError>(())
//! ```
//!
//! An `Option` is an argument that may be left out. One that has to be there, and may be null because null means
//! something, is `#[param(nullable)]`.
//!
//! Schemas are published in the form that every client takes: inlined, with plain types, in the order that you wrote.
//!
//! ## What is checked
//!
//! Arguments are checked against the published schema before the function runs, whoever serves them, and all mistakes
//! are told at once, in a result that the model can read and act on:
//!
//! ```
//! # use mcp_http::testing::Client;
//! # use mcp_http::{Server, ToolSet, tool};
//! # use serde_json::json;
//! # /// Forecast the weather.
//! # #[tool]
//! # fn forecast(city: String, #[param(default = 3, min = 1, max = 14)] days: u8) -> String {
//! #     format!("fine in {city}, for {days} days")
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let tools = ToolSet::try_from_tools([forecast::tool()])?;
//! # let client = Client::new(&Server::builder("weather", "1").tools(tools).build()?);
//! let refused = client.call("forecast", json!({ "town": "Oslo", "days": 30 })).await?;
//! assert!(refused.is_error);
//! assert_eq!(
//!     refused.text(),
//!     "Invalid arguments for tool forecast:\n\
//!      - /days: must be at most 14\n\
//!      - /city: missing, but required"
//! );
//! # Ok(())
//! # }
//! ```
//!
//! What models nearly get right is mended where nothing is lost: `"25"` for an integer, null for an argument that may be
//! left out. [`Repairs`](crate::Repairs) lists what is mended and switches it off.
//!
//! Arguments that no parameter has are ignored, as JSON Schema has it: a model that misspells the name of an optional
//! argument gets an answer to another question, and does not learn of it. Tools with optional arguments say
//! `#[tool(deny_unknown)]`, and the model is told: ``/feild: unexpected, did you mean `field`?``
//!
//! A `format` is told and not checked, unless the tool's builder says
//! `check_formats` (feature `formats`).
//!
//! # What is not an argument
//!
//! A parameter may be taken from the call instead: who is calling, what middleware left in the request, the request's
//! head. It is not published.
//!
//! ```
//! use std::sync::Arc;
//! use mcp_http::{CallContext, Extension, Principal, tool};
//!
//! struct Database;
//!
//! /// List the orders of the caller.
//! #[tool(read_only)]
//! async fn list_orders(
//!     #[param(default = 10)] limit: u32,
//!     caller: Principal,
//!     Extension(database): Extension<Arc<Database>>,
//!     cx: &CallContext,
//! ) -> String {
//!     # drop(database);
//!     format!("{limit} orders of {caller}, who sent {} headers", cx.headers().len())
//! }
//! # assert!(list_orders::tool().build()?.input_schema().get("required").is_none());
//! # Ok::<_, mcp_http::RegisterError>(())
//! ```
//!
//! Of your own types, implement [`FromCall`](crate::FromCall) and mark the parameter `#[param(from_call)]`: only these
//! three are recognised, by their names. On actix-web, what middleware leaves in a request's extensions is copied for the
//! tools by `Mount::extensions` of `mcp-actix`; a [`Principal`](crate::Principal) arrives by itself.
//!
//! # Results
//!
//! A tool gives back what [`IntoToolResult`](crate::IntoToolResult) lists: a text, a number, nothing, content blocks, or
//! a value in [`Json`](crate::Json). The value becomes structured content, and the same JSON is a text block for clients
//! that read only text. The schema of its type is published as the output schema, and results are held to it before they
//! are sent.
//!
//! ```
//! use mcp_http::{Annotations, Content, Json, Role, ToolError, ToolOutput, ToolResult, tool};
//! use schemars::JsonSchema;
//! use serde::Serialize;
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Customer {
//!     id: u64,
//!     name: String,
//! }
//!
//! /// Find customers by name.
//! #[tool(read_only)]
//! fn find_customers(name: String) -> Result<Json<Vec<Customer>>, ToolError> {
//!     Ok(Json(vec![Customer { id: 1, name }]))
//! }
//!
//! /// Draw a chart of the sales.
//! #[tool(read_only)]
//! fn draw_sales() -> Vec<Content> {
//!     vec![
//!         Content::image([0x89, b'P', b'N', b'G'], "image/png"),
//!         Content::resource_link("https://example.com/sales.csv", "sales.csv"),
//!         Content::text("drawn from 3 rows")
//!             .annotations(Annotations { audience: vec![Role::Assistant], ..Annotations::default() }),
//!     ]
//! }
//!
//! /// Report the sales, in words for the model and in numbers for programs.
//! #[tool(read_only)]
//! fn report_sales() -> ToolResult {
//!     let output = ToolOutput::structured(&[("north", 12), ("south", 7)])?;
//!     Ok(output.with_content(vec![Content::text("North sold most.")]).with_meta("example.com/rows", 2))
//! }
//! # assert_eq!(find_customers::tool().build()?.output_schema().unwrap()["type"], "array");
//! # assert!(draw_sales::tool().build()?.output_schema().is_none());
//! # assert!(report_sales::tool().build()?.output_schema().is_none());
//! # Ok::<_, mcp_http::RegisterError>(())
//! ```
//!
//! Older revisions take only objects as structured content; what is none is wrapped for them, and so is its schema.
//!
//! # Failures
//!
//! There are two kinds. What the model can do something about is a *result* that says so:
//! [`ToolError::new`](crate::ToolError::new) is for the model to read, word for word, so let it name the way out. A
//! request that makes no sense, such as one for an unknown tool, is a *protocol error*; only this crate makes those.
//!
//! Any other error may say things that are nobody's business outside. What implements [`std::error::Error`] converts
//! through `?`, what does not (`anyhow::Error`, `Box<dyn Error>`) with
//! [`.map_err(ToolError::internal)?`](crate::ToolError::internal). The client gets a fixed text with a reference; the log
//! has the details under the same reference. A panic is treated alike.
//!
//! The log is that of [`tracing`](https://docs.rs/tracing), target `mcp_http`: failures are errors, and at the level
//! `debug` each request is a span with its method, tool and outcome. `tracing_subscriber::fmt().init()` shows it.
//!
//! ```
//! use mcp_http::testing::Client;
//! use mcp_http::{Server, ToolError, ToolSet, tool};
//! use serde_json::json;
//!
//! /// Read a file of the handbook.
//! #[tool(read_only)]
//! fn read_page(page: String) -> Result<String, ToolError> {
//!     if page.contains(['/', '\\']) {
//!         return Err(ToolError::new("a page has no slashes in its name: list the pages first"));
//!     }
//!     Ok(std::fs::read_to_string(format!("/srv/handbook/{page}"))?)
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([read_page::tool()])?;
//! let client = Client::new(&Server::builder("handbook", "1.0.0").tools(tools).build()?);
//!
//! let told = client.call("read_page", json!({ "page": "../../etc/passwd" })).await?;
//! assert_eq!(told.text(), "a page has no slashes in its name: list the pages first");
//!
//! let hidden = client.call("read_page", json!({ "page": "no-such-page" })).await?;
//! assert!(hidden.text().starts_with("the tool failed; the reason is in the server's log, reference "));
//! # Ok(())
//! # }
//! ```
//!
//! # Calls that take their time
//!
//! A tool that works for more than a moment tells how far it is, and what happens, through its
//! [`CallContext`](crate::CallContext). It need not know whether anybody listens: what a client did not ask for, or
//! cannot take, is not sent. Progress is for everybody whose client asks; log messages are for servers that declare
//! them with [`logging`](crate::ServerBuilder::logging).
//!
//! ```
//! use mcp_http::testing::Client;
//! use mcp_http::{CallContext, LogLevel, Server, ToolSet, tool};
//! use serde_json::json;
//!
//! /// Import customers, one from each line.
//! #[tool]
//! async fn import_customers(lines: Vec<String>, cx: &CallContext) -> String {
//!     let total = lines.len() as f64;
//!     for (at, line) in lines.iter().enumerate() {
//!         if line.is_empty() {
//!             cx.log(LogLevel::Warning, json!({ "line": at + 1, "problem": "empty" }));
//!         }
//!         cx.progress((at + 1) as f64, total, "importing");
//!     }
//!     format!("imported {} customers", lines.len())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([import_customers::tool()])?;
//! let server = Server::builder("crm", "1.0.0").tools(tools).logging(true).build()?;
//! let client = Client::new(&server).log_level(LogLevel::Info);
//! let result = client.call("import_customers", json!({ "lines": ["Ada", "", "Grace"] })).await?;
//! assert_eq!(result.text(), "imported 3 customers");
//! assert_eq!(result.notifications[0]["params"]["data"]["problem"], "empty");
//! # Ok(())
//! # }
//! ```
//!
//! A call that is not wanted any more is dropped at its next `await`: when its client leaves, for clients of
//! 2026-07-28, and when a [`deadline`](crate::ServerBuilder::deadline) has passed. Whatever has to be put right then
//! belongs into a `Drop`; what the tool spawned waits for [`cancelled`](crate::CallContext::cancelled). Older clients
//! that leave cancel nothing: their calls run to the end.
//!
//! # Calls that outlive their connection
//!
//! Some work takes longer than a connection lives, or than a client likes to wait. A tool that says `task = "optional"` goes
//! on in the background where its client declared the extension `io.modelcontextprotocol/tasks`: the client gets a handle,
//! comes back for the result, answers what the tool asks meanwhile, or has it stopped. Everybody else waits for the result as
//! ever. With `task = "required"` everybody else is refused.
//!
//! ```
//! use std::time::Duration;
//! use mcp_http::input::{Field, Form};
//! use mcp_http::testing::Client;
//! use mcp_http::{CallContext, Server, ToolError, ToolSet, tool};
//! use serde_json::{Value, json};
//!
//! /// Train a model on the data of a year. The user names it when it is trained.
//! #[tool(task = "required")]
//! async fn train_model(year: u32, cx: &CallContext) -> Result<String, ToolError> {
//!     cx.sleep(Duration::from_millis(20)).await; // hours of work
//!     let mut questions = cx.questions();
//!     let form = Form::new(format!("The model of {year} is trained. What is it called?")).field("name", Field::text());
//!     match questions.elicit::<Value>("name", form) {
//!         None => Err(questions.ask()),
//!         Some(answer) => Ok(format!("trained {}", answer.accepted().unwrap_or_default()["name"])),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([train_model::tool()])?;
//! let server = Server::builder("models", "1.0.0").tools(tools).build()?;
//!
//! let tasks = json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } });
//! let client = Client::new(&server).capabilities(tasks);
//! let handle = client.call("train_model", json!({ "year": 2026 })).await?;
//! let asked = client.follow(&handle).await?;
//! let (key, question) = asked.questions.iter().next().unwrap();
//! assert_eq!(question["params"]["message"], "The model of 2026 is trained. What is it called?");
//!
//! let name = json!({ "action": "accept", "content": { "name": "Ada" } });
//! let done = client.answer_task(&asked, [(key.clone(), name)].into_iter().collect()).await?;
//! assert_eq!(done.text(), "trained \"Ada\"");
//!
//! assert!(Client::new(&server).call("train_model", json!({ "year": 2026 })).await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! A tool that asks is called again from its beginning, also in a task: what must not be done twice belongs behind the last
//! answer, or its outcome into what the tool [keeps](crate::input::Questions::keep). Tasks are kept in this process, within
//! bounds, unless you bring a store of your own. [`mcp_http::task`](crate::task) has the rules.
//!
//! # Asking back
//!
//! A tool may ask while it runs: the user, with a form or a page to visit; the client's model; the folders that the client
//! works in. [`mcp_http::input`](crate::input) shows how. The tool is called again from its beginning when there is an
//! answer, so do nothing before the last answer that must not be done twice.
//!
//! # Tools that are made at run time
//!
//! A closure becomes a tool with [`Tool::builder`](crate::Tool::builder): its arguments are a struct, or any JSON with a
//! schema that you hand in. A [`ToolSet`](crate::ToolSet) may change while it is served.
//!
//! ```
//! use mcp_http::testing::Client;
//! use mcp_http::{Arguments, Server, Tool, ToolSet};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     /// The first number
//!     a: i64,
//!     /// The second number
//!     b: i64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::new();
//! tools.add(Tool::builder("add").description("Add two integers").handler(|args: Add| args.a + args.b))?;
//! let server = Server::builder("calculator", "1.0.0").tools(tools.clone()).build()?;
//!
//! // Later, from a file or a database:
//! let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
//! tools.add(Tool::builder("shout").description("Say it louder").input_schema(schema).handler(
//!     async |arguments: Arguments| arguments.get("text").and_then(|text| text.as_str()).map(str::to_uppercase),
//! ))?;
//!
//! let client = Client::new(&server);
//! assert_eq!(client.call("shout", json!({ "text": "hello" })).await?.text(), "HELLO");
//! # Ok(())
//! # }
//! ```
//!
//! A schema that is handed in is published as it is, and checked when the tool is added: a mistake is an error then, and
//! never a list that clients refuse. The example `runtime_tools` of `mcp-actix` reads its tools from a file, again and
//! again. Tools that live elsewhere, in a database or behind another server, are a
//! [`ToolRegistry`](crate::ToolRegistry) of your own. Registries are merged, prefixed, filtered, switched and hooked with
//! [`compose`](crate::compose).
//!
//! # Prompts and resources
//!
//! Tools are for the model to call. *Prompts* are for the user to choose: messages that the server has ready, made of
//! arguments which the user fills in. *Resources* are for the client to read: anything at a URI. Both are functions too, and
//! live in sets of their own, beside the tools.
//!
//! ```
//! use mcp_http::testing::Client;
//! use mcp_http::{Prompt, PromptSet, Resource, ResourceSet, ResourceTemplate, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(rename_all = "lowercase")]
//! enum Tone {
//!     Kind,
//!     Strict,
//! }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Review {
//!     /// The number of the order
//!     order: u64,
//!     /// How to put it
//!     tone: Option<Tone>,
//! }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Order {
//!     id: u64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let prompts = PromptSet::new().with(
//!     Prompt::builder("reply").description("Answers a complaint about an order").handler(|args: Review| {
//!         let tone = if matches!(args.tone, Some(Tone::Strict)) { "firmly" } else { "kindly" };
//!         format!("Read shop://orders/{} and answer the customer {tone}.", args.order)
//!     }),
//! )?;
//! let resources = ResourceSet::new()
//!     .with(Resource::builder("shop://terms", "terms").mime_type("text/plain").text("Pay within a week."))?
//!     .with_template(ResourceTemplate::builder("shop://orders/{id}", "order").reader(async |order: Order| {
//!         (order.id < 100).then(|| format!("Order {}: two chairs", order.id)) // `None`: there is no such resource
//!     }))?;
//! let server = Server::builder("shop", "1.0.0").prompts(prompts).resources(resources.clone()).build()?;
//!
//! let client = Client::new(&server);
//! let reply = client.prompt("reply", json!({ "order": "7", "tone": "strict" })).await?;
//! assert_eq!(
//!     reply["messages"][0]["content"]["text"],
//!     "Read shop://orders/7 and answer the customer firmly."
//! );
//! assert_eq!(client.read("shop://orders/7").await?["contents"][0]["text"], "Order 7: two chairs");
//! assert!(client.read("shop://orders/700").await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! Clients send the arguments of prompts and the variables of templates as texts; the function takes them as what they are.
//! Clients that help their users type ask for *completions*: a `Tone` completes by itself, other arguments with
//! [`complete`](crate::PromptBuilder::complete) or [`choices`](crate::PromptBuilder::choices).
//!
//! A failure of a prompt or a reader is an error of the protocol: a person reads it, and no model would mend it. Whose
//! prompts and resources a caller sees is decided with a [filter](crate::PromptRegistry::filter), as for tools.
//!
//! # Clients that listen for changes
//!
//! Clients of 2026-07-28 may listen: they keep a request open and are told what changed. A set tells of its own changes, and
//! so do [switches](crate::compose::Switches). That a resource has other contents only the application knows:
//! [`ResourceSet::updated`](crate::ResourceSet::updated) passes it on. A client is told that something changed, not how
//! often: whoever reads slowly asks once for what changed many times.
//!
//! What changes in one process is heard by that process' clients. Where several serve the same, they need a
//! [`ChangeSource`](crate::ChangeSource) on something that all of them share. Each listening client holds a connection
//! open; [`max_subscriptions`](crate::ServerBuilder::max_subscriptions) bounds them, and 0 switches listening off.
//!
//! # Who may do what
//!
//! Authenticate with the middleware that you have; what it found out is the call's
//! [`Principal`](crate::Principal). Credentials come with every request, and nothing is remembered between requests. Then
//!
//! * show each caller the tools that are theirs, with [`Compose::filter`](crate::compose::Compose::filter): what is not
//!   listed cannot be called either;
//! * check in each tool that the caller may do this to that: it is the tool that knows;
//! * limit how often with a [`Ceiling`](crate::compose::Ceiling).
//!
//! Roles and the like are what your middleware leaves in the request beside the principal:
//!
//! ```
//! use mcp_http::compose::Compose;
//! use mcp_http::testing::Client;
//! use mcp_http::{Server, ToolSet, tool};
//!
//! #[derive(Clone, PartialEq)]
//! enum Role {
//!     Reader,
//!     Librarian,
//! }
//!
//! /// Count all books.
//! #[tool(read_only)]
//! fn take_stock() -> u32 {
//!     7
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tools = ToolSet::try_from_tools([take_stock::tool()])?
//!     .filter(|tool, cx| tool.name() != "take_stock" || cx.get() == Some(&Role::Librarian));
//! let server = Server::builder("library", "1.0.0").tools(tools).build()?;
//!
//! let librarian = Client::new(&server).principal("ada").extension(Role::Librarian);
//! assert_eq!(librarian.call("take_stock", ()).await?.text(), "7");
//! let reader = Client::new(&server).principal("bob").extension(Role::Reader);
//! assert!(reader.list().await?.is_empty());
//! assert!(reader.call("take_stock", ()).await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! A caller that should sign in is told by the middleware, with 401 and `WWW-Authenticate`: a model cannot sign in, its
//! client can.
//!
//! # State between calls
//!
//! A client may send its next request to another process. What has to be kept from one call to another gets a name, a
//! *handle*, which one tool gives back and others take. The description of the tool that makes it says how long it is
//! kept. A handle is a name and no permission: look it up together with the caller, at every call, and answer for one
//! that is gone or somebody else's with a failure that says how to get a new one. The example `handles` of `mcp-actix`
//! does all that.
//!
//! # Running it for others
//!
//! Proxies, load balancers, several processes, functions, shutdown: see [`deployment`].

pub mod deployment;
