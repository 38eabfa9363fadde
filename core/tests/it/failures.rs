//! What becomes of a tool that fails: the model reads what the tool says, and nobody outside what it does not.

use std::sync::{Arc, Mutex};

use mcp_http::{Content, Json, RegistryError, Revision, Tool, ToolError, ToolOutput};
use serde_json::json;

use crate::request::{Request, Timer};
use crate::rules::{gives, listed};
use crate::tools::serving;

#[derive(Debug, thiserror::Error)]
#[error("the query failed")]
struct QueryFailed {
    #[source]
    cause: std::io::Error,
    statement: &'static str,
}

fn query_failed() -> QueryFailed {
    QueryFailed { cause: std::io::Error::other("no route to db.internal"), statement: "SELECT secret" }
}

#[test]
fn the_words_of_a_failure_are_sent_as_they_are() {
    for words in ["", " two\n\nlines\t", "\"quoted\" {\"error\":{\"code\":-32603}}", "größer 🦀", "{} %s \0"]
    {
        let failure = json!({ "content": [{ "type": "text", "text": words }], "isError": true });
        gives(Tool::builder("fails").handler(move || Err::<(), _>(ToolError::new(words))), &failure);
        gives(
            Tool::builder("fails").handler(move || async move { Err::<Json<u8>, _>(ToolError::new(words)) }),
            &failure,
        );
    }
}

#[test]
fn whatever_a_tool_does_is_a_result_and_never_a_protocol_error() {
    struct Unserialisable;
    impl serde::Serialize for Unserialisable {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("cannot be written"))
        }
    }
    let registry_error = || RegistryError::new("no database");
    let tools = || {
        [
            Tool::builder("tells").handler(|| Err::<(), _>(ToolError::new("-32603: internal error"))),
            Tool::builder("hides").handler(|| Err::<(), _>(ToolError::internal("secret"))),
            Tool::builder("foreign").handler(|| Err::<String, _>(query_failed())),
            Tool::builder("registry").handler(move || Err::<(), _>(registry_error())),
            Tool::builder("reports").handler(|| ToolOutput::new(vec![]).as_error()),
            Tool::builder("unserialisable").handler(|| ToolOutput::structured(&Unserialisable)),
            Tool::builder("breaks_its_word").output_schema(json!({ "type": "object" })).handler(|| "text"),
            Tool::builder("panics").handler(|| -> String { panic!("secret") }),
            Tool::builder("panics_later").handler(async || -> String {
                std::future::ready(()).await;
                panic!("secret")
            }),
        ]
    };
    let server = serving(tools()).build().unwrap();
    for name in listed(&server) {
        for revision in Revision::ALL {
            let call = Request::call(revision, &name, json!({})).id("\"the id\"");
            let answer = call.send_to_service(&server, Timer::Never);
            assert_eq!(answer.result()["isError"], true, "{name}: {answer}");
            assert!(answer.result()["content"].is_array(), "{name}: {answer}");
            assert_eq!(answer.id(), Some("\"the id\""));
            assert!(!answer.to_string().contains("secret"), "{name}: {answer}");
        }
    }
}

/// Writes down what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields<'a>(&'a mut String);
        impl tracing::field::Visit for Fields<'_> {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0.push_str(&format!(" {field}={value:?}"));
            }
        }
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn a_foreign_error_goes_to_the_log_with_its_causes_and_the_client_gets_the_reference() {
    let tools = [
        Tool::builder("returned").handler(|| Err::<(), _>(query_failed())),
        Tool::builder("passed_on").handler(|| -> Result<(), ToolError> { Err(query_failed())? }),
        Tool::builder("made").handler(|| {
            let QueryFailed { cause, .. } = query_failed();
            Err::<(), _>(ToolError::internal(format!("the query failed: {cause}")))
        }),
    ];
    let server = serving(tools).build().unwrap();
    for name in listed(&server) {
        for revision in Revision::ALL {
            let log = Log::default();
            let answer = tracing::subscriber::with_default(log.clone(), || {
                Request::call(revision, &name, json!({})).send(&server)
            });
            let expected = "the tool failed; the reason is in the server's log, reference 0707070707070707";
            assert_eq!(answer.tool_error(), expected);
            let sent = answer.to_string();
            for inside in ["query", "db.internal", query_failed().statement, "QueryFailed"] {
                assert!(!sent.contains(inside), "{inside} in {sent}");
            }
            let logged = log.0.lock().unwrap();
            assert!(logged.contains("the query failed: no route to db.internal"), "{logged}");
            assert!(
                logged.contains(&format!("tool=\"{name}\"")) && logged.contains("0707070707070707"),
                "{logged}"
            );
        }
    }
}

#[test]
fn a_failure_is_not_held_to_the_output_schema() {
    let fails = |output: ToolOutput| {
        let schema = json!({ "type": "object", "required": ["celsius"] });
        Tool::builder("weather").output_schema(schema).handler(move || output.clone().as_error())
    };
    let blocks = json!([{ "type": "text", "text": "no such city" }]);
    let told = ToolOutput::new(vec![Content::text("no such city")]);
    gives(fails(told), &json!({ "content": blocks, "isError": true }));
    let structured = ToolOutput::structured(&json!({ "near": "Oslo" })).unwrap();
    let structured = structured.with_content(vec![Content::text("no such city")]);
    let expected = json!({ "content": blocks, "structuredContent": { "near": "Oslo" }, "isError": true });
    gives(fails(structured), &expected);
}
