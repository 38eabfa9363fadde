//! Where tools are kept, who may use them, and that nothing else is kept.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_http::compose::Compose;
use mcp_http::{
    Arguments, CallContext, LazyTools, Listing, Principal, RegisterError, RegistryError, Reply, Revision,
    Server, Tool, ToolError, ToolHandler, ToolOutput, ToolRegistry, ToolResult, ToolSet,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{MODERN, Request};
use crate::rules::{listed, says};
use crate::tools::{server, serving};

/// Writes down the arguments that reach it.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Value>>>);

impl ToolHandler for Recorder {
    fn call(&self, arguments: Arguments, _: &CallContext) -> Reply<'static, ToolResult> {
        self.0.lock().unwrap().push(Value::Object(arguments.into_json()));
        Reply::Now(Ok(ToolOutput::default()))
    }
}

/// A registry that makes its one tool anew for whoever asks.
struct Fresh(Recorder);

impl Fresh {
    fn tool(&self) -> Arc<Tool> {
        let schema = json!({
            "type": "object",
            "properties": {
                "count": { "type": "integer", "minimum": 1, "maximum": 9 },
                "mode": { "enum": ["fast", "slow"] },
            },
            "required": ["count"],
            "additionalProperties": false,
        });
        let tool = Tool::builder("set").input_schema(schema).raw_handler(self.0.clone());
        Arc::new(tool.build().unwrap())
    }
}

impl ToolRegistry for Fresh {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::Now(Ok(Listing::Own(vec![self.tool()])))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        Reply::later(async move { Ok((name == "set").then(|| self.tool())) })
    }
}

#[test]
fn a_registry_of_ones_own_gets_no_unchecked_arguments_either() {
    let recorder = Recorder::default();
    let server = Server::builder("tests", "1").tools(Fresh(recorder.clone())).build().unwrap();
    for revision in Revision::ALL {
        for bad in [
            json!({}),
            json!({ "count": 0 }),
            json!({ "count": 10 }),
            json!({ "count": 1.5 }),
            json!({ "count": "x" }),
            json!({ "count": null }),
            json!({ "count": 1, "mode": "medium" }),
            json!({ "count": 1, "more": true }),
        ] {
            Request::call(revision, "set", bad).send(&server).tool_error();
        }
        assert_eq!(*recorder.0.lock().unwrap(), Vec::<Value>::new());
        Request::call(revision, "set", json!({ "count": "7", "mode": null })).send(&server).tool_result();
        assert_eq!(std::mem::take(&mut *recorder.0.lock().unwrap()), [json!({ "count": 7 })]);
    }
}

// At run time

#[test]
fn tools_may_be_added_replaced_and_removed_while_they_are_served() {
    let tools = ToolSet::new();
    let server = Server::builder("tests", "1").tools(tools.clone()).build().unwrap();
    let told = |text: &'static str| move || text;
    assert_eq!(listed(&server), Vec::<String>::new());
    tools.add(Tool::builder("a").handler(told("first"))).unwrap();
    assert_eq!(listed(&server), ["a"]);
    says(&server, "a", &json!({}), "first");
    let others = ["b", "a"].map(|name| Tool::builder(name).handler(told("second")));
    tools.replace(others).unwrap();
    assert_eq!(listed(&server), ["b", "a"]);
    says(&server, "a", &json!({}), "second");
    // All or nothing.
    let twice = ["c", "c"].map(|name| Tool::builder(name).handler(told("third")));
    assert_eq!(tools.replace(twice).unwrap_err(), RegisterError::DuplicateName("c".to_owned()));
    assert_eq!(listed(&server), ["b", "a"]);
    assert!(tools.remove("b"));
    assert_eq!(listed(&server), ["a"]);
    for revision in Revision::ALL {
        Request::call(revision, "b", json!({})).send(&server).is_error(200, -32602);
    }
}

// Built when they are needed

#[test]
fn lazy_tools_are_the_same_tools() {
    let lazy = LazyTools::try_from_tools(crate::tools::all()).unwrap();
    let lazy = Server::builder("tests", "1").tools(lazy).build().unwrap();
    let eager = ToolSet::try_from_tools(crate::tools::all()).unwrap();
    let eager = Server::builder("tests", "1").tools(eager).build().unwrap();
    for revision in Revision::ALL {
        // The calls first, so that one tool is built before the others.
        for (name, arguments) in [("add", json!({ "a": 2, "b": 3 })), ("add", json!({})), ("none", json!({}))]
        {
            let request = Request::call(revision, name, arguments);
            assert_eq!(request.send(&lazy).body, request.send(&eager).body);
        }
        let request = Request::list(revision);
        assert_eq!(request.send(&lazy).body, request.send(&eager).body);
    }
}

#[test]
fn a_lazy_tool_is_built_once_and_not_before_it_is_needed() {
    static BUILT: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl mcp_http::IntoToolResult for Counted {
        fn into_tool_result(self) -> ToolResult {
            Ok(ToolOutput::default())
        }
        fn output_schema() -> Option<Value> {
            BUILT.fetch_add(1, Ordering::Relaxed);
            None
        }
    }
    let tool = |name| Tool::builder(name).handler(|| Counted);
    let tools = LazyTools::try_from_tools([tool("a"), tool("b")]).unwrap();
    let server = Server::builder("tests", "1").tools(tools).build().unwrap();
    assert_eq!(BUILT.load(Ordering::Relaxed), 0);
    for _ in 0..2 {
        Request::call(MODERN, "a", json!({})).send(&server).tool_result();
        assert_eq!(BUILT.load(Ordering::Relaxed), 1);
    }
    assert_eq!(listed(&server), ["a", "b"]);
    assert_eq!(listed(&server), ["a", "b"]);
    assert_eq!(BUILT.load(Ordering::Relaxed), 2);
}

#[test]
fn what_is_wrong_with_a_lazy_tool_is_found_by_its_check_and_told_to_no_client() {
    let good = || Tool::builder("good").handler(|| "it works");
    let bad = || Tool::builder("bad").input_schema(json!({ "type": "string" })).handler(|| "it works");
    let tools = LazyTools::try_from_tools([good(), bad()]).unwrap();
    let problem = tools.check().unwrap_err().to_string();
    assert_eq!(problem, bad().build().unwrap_err().to_string());
    let server = Server::builder("tests", "1").tools(tools).build().unwrap();
    says(&server, "good", &json!({}), "it works");
    for revision in Revision::ALL {
        for request in [Request::list(revision), Request::call(revision, "bad", json!({}))] {
            let answer = request.send(&server);
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("object"), "{answer}");
        }
    }
    let twice = LazyTools::try_from_tools([good(), good()]).unwrap_err();
    assert_eq!(twice, RegisterError::DuplicateName("good".to_owned()));
}

#[test]
fn lazy_tools_know_their_names_and_can_be_put_together() {
    let lazy = |name: &str| LazyTools::try_from_tools([Tool::builder(name).handler(|| "it works")]).unwrap();
    let server = Server::builder("tests", "1").tools(lazy("a").merge(lazy("b")).unwrap()).build().unwrap();
    says(&server, "b", &json!({}), "it works");
    assert!(lazy("a").merge(lazy("a")).is_err());
}

/// A registry that has to wait for what it never gets.
struct NeverReady;

impl ToolRegistry for NeverReady {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        Reply::later(async { Err(RegistryError::new("still loading from db.internal")) })
    }

    fn find<'a>(
        &'a self,
        _: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        Reply::later(async { Err(RegistryError::new("still loading from db.internal")) })
    }
}

#[test]
fn a_registry_that_is_not_ready_is_an_error_and_never_an_empty_list() {
    let server = Server::builder("tests", "1").tools(NeverReady).build().unwrap();
    for revision in Revision::ALL {
        for request in [Request::list(revision), Request::call(revision, "any", json!({}))] {
            let answer = request.send(&server);
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("db.internal"), "{answer}");
        }
    }
    // A list without tools says that there are none.
    let none = serving([]).build().unwrap();
    assert_eq!(listed(&none), Vec::<String>::new());
}

// Who may do what

#[test]
fn a_tool_may_refuse_its_caller() {
    let tool = Tool::builder("delete").handler(|cx: CallContext| {
        if cx.get::<Principal>().is_some_and(|caller| caller.as_str() == "ann") {
            Ok("deleted")
        } else {
            Err(ToolError::new("only ann may do that"))
        }
    });
    let server = serving([tool]).build().unwrap();
    for revision in Revision::ALL {
        let call = Request::call(revision, "delete", json!({}));
        assert_eq!(call.send(&server).tool_error(), "only ann may do that");
        assert_eq!(call.clone().principal("bob").send(&server).tool_error(), "only ann may do that");
        assert_eq!(call.principal("ann").send(&server).tool_result()["content"][0]["text"], "deleted");
    }
}

#[test]
fn tools_are_allowed_and_denied_by_name_and_what_is_hidden_is_unknown() {
    let tools = || ["read", "write", "admin"].map(|name| Tool::builder(name).handler(|| "done"));
    let tools = || ToolSet::try_from_tools(tools()).unwrap();
    let allowed = tools().filter(|tool, _| ["read", "write"].contains(&tool.name()));
    let denied = tools().filter(|tool, _| tool.name() != "admin");
    for server in [Server::builder("a", "1").tools(allowed), Server::builder("b", "1").tools(denied)] {
        let server = server.build().unwrap();
        assert_eq!(listed(&server), ["read", "write"]);
        says(&server, "write", &json!({}), "done");
        for revision in Revision::ALL {
            let refusal = |name: &str| {
                let answer = Request::call(revision, name, json!({})).send(&server);
                answer.is_error(200, -32602);
                answer.error_text().to_owned()
            };
            assert_eq!(refusal("admin"), "Unknown tool: admin");
            assert_eq!(refusal("nobody"), "Unknown tool: nobody");
        }
    }
}

// State

/// What a client asks for in a session.
fn session(revision: Revision) -> Vec<Request> {
    let mut requests = vec![
        Request::open(revision),
        Request::notification(revision, "notifications/initialized", json!({})),
        Request::list(revision),
        Request::call(revision, "add", json!({ "a": 1, "b": 2 })),
        Request::call(revision, "add", json!({ "a": 1 })),
        Request::call(revision, "nobody", json!({})),
        Request::call(revision, "mirror", json!({ "x": [1] })).principal("ann"),
        Request::call(revision, "fails", json!({})),
        Request::notification(revision, "notifications/cancelled", json!({ "requestId": 1 })),
    ];
    if revision != MODERN {
        requests.push(Request::new(revision, "ping", json!({})));
    }
    requests
}

#[test]
fn a_session_in_any_order_on_fresh_servers_is_answered_alike() {
    type Seen = (u16, http::HeaderMap, bytes::Bytes);
    let seen = |answer: Answer| -> Seen { (answer.status, answer.headers, answer.body) };
    for revision in Revision::ALL {
        let requests = session(revision);
        let one = server();
        let in_order: Vec<Seen> = requests.iter().map(|request| seen(request.send(&one))).collect();
        // Steps that are coprime to the length visit every request once.
        for step in (1..requests.len()).filter(|step| gcd(*step, requests.len()) == 1) {
            let another = server();
            for number in 0..requests.len() {
                let at = (number * step + step) % requests.len();
                for server in [&one, &another, &server()] {
                    assert_eq!(seen(requests[at].send(server)), in_order[at], "{revision}, request {at}");
                }
            }
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
