//! Asking the client while a tool runs: the user, with a form or a page to visit; its model; the folders it works in.
//!
//! A tool asks through [`CallContext::questions`](crate::CallContext::questions). Each question has a key and gives its
//! answer, or `None` while there is none. A tool that needs one it does not have ends its try with
//! [`Questions::ask`], and is called again from its beginning once the client has answered:
//!
//! ```
//! use mcp_http::input::{Elicited, Field, Form};
//! use mcp_http::{CallContext, ToolError, tool};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! struct Confirmed {
//!     sure: bool,
//! }
//!
//! /// Delete a customer. The user is asked first.
//! #[tool(destructive)]
//! async fn delete_customer(id: u64, cx: &CallContext) -> Result<String, ToolError> {
//!     let mut questions = cx.questions();
//!     let form = Form::new(format!("Delete customer {id} for good?"))
//!         .field("sure", Field::boolean().title("Yes, delete").default(false));
//!     let Some(answer) = questions.elicit::<Confirmed>("confirm", form) else {
//!         return Err(questions.ask());
//!     };
//!     match answer {
//!         Elicited::Accepted(Confirmed { sure: true }) => Ok(format!("deleted customer {id}")),
//!         Elicited::Accepted(_) | Elicited::Declined => Ok("kept the customer".to_owned()),
//!         Elicited::Cancelled => Err(ToolError::new("the user did not decide")),
//!     }
//! }
//! ```
//!
//! A test answers as the user would:
//!
//! ```
//! # use mcp_http::input::{Field, Form};
//! # use mcp_http::testing::Client;
//! # use mcp_http::{CallContext, Server, Tool, ToolSet};
//! # use serde_json::json;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let greet = Tool::builder("greet").handler(|cx: CallContext| {
//! #     let mut questions = cx.questions();
//! #     let form = Form::new("Who are you?").field("name", Field::text());
//! #     match questions.elicit::<serde_json::Value>("who", form) {
//! #         None => Err(questions.ask()),
//! #         Some(answer) => Ok(format!("Hello {}", answer.accepted().unwrap()["name"].as_str().unwrap())),
//! #     }
//! # });
//! # let server = Server::builder("greeter", "1.0.0").tools(ToolSet::new().with(greet)?).build()?;
//! let client = Client::new(&server).capabilities(json!({ "elicitation": {} }));
//! let asked = client.call("greet", ()).await?;
//! assert_eq!(asked.questions["who"]["params"]["message"], "Who are you?");
//!
//! let name = json!({ "action": "accept", "content": { "name": "Ada" } });
//! let answers = [("who".to_owned(), name)].into_iter().collect();
//! assert_eq!(client.answer("greet", (), &asked, answers).await?.text(), "Hello Ada");
//! # Ok(())
//! # }
//! ```
//!
//! So a tool reads from its first question to its last, with as many rounds as it needs. Nothing is stored between them:
//! the client brings back what was answered and what the tool [kept](Questions::keep), sealed with the server's
//! [key](crate::ServerBuilder::sealing_key) for this caller and this request. Do nothing before the last answer that must
//! not be done twice.
//!
//! | question | the client declares |
//! |---|---|
//! | [`elicit`](Questions::elicit) | `elicitation`, with or without `form` |
//! | [`elicit_url`](Questions::elicit_url) | `elicitation.url` |
//! | [`sample`](Questions::sample) | `sampling`; with tools `sampling.tools` |
//! | [`roots`](Questions::roots) | `roots` |
//!
//! A client that did not declare it is not asked: the call ends with an error that says what it would have to be able to
//! do. A tool that can do without looks first, with [`Questions::can`].
//!
//! Clients of 2025-06-18 and 2025-11-25 are asked over the event stream of the call, if the server
//! [allows it](crate::ServerBuilder::legacy_questions). Such a client has a minute, or until the call's
//! [deadline](crate::ServerBuilder::deadline); then it is as if the user had [cancelled](Elicited::Cancelled). An error of
//! the client counts as [declined](Elicited::Declined). Where neither can be said, of the model and of folders, the call
//! fails. 2025-06-18 has no pages to visit, no choice of several options and no tools in sampling.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

#[doc(inline)]
pub use crate::tool::{NotAForm, Questions};
#[doc(inline)]
pub use crate::types::{Elicited, Field, Form, Root, Sampled, Sampling, TextFormat};
