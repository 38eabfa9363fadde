//! Registries around registries.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_http::compose::{Ceiling, Compose, Hook, Switches, ToolCall};
use mcp_http::{
    CallContext, IntoToolResult, Json, RegisterError, RegistryError, Revision, Server, Tool, ToolError,
    ToolOutput, ToolRegistry, ToolResult, ToolSet,
};
use serde_json::{Value, json};

use crate::request::{MODERN, Request, Timer};
use crate::tools::{Failing, Slow, mirror};

fn serve(registry: impl ToolRegistry + 'static) -> Server {
    Server::builder("tests", "1").tools(registry).build().unwrap()
}

/// Tools of these names, which say what they are called where they were made.
fn set(names: &[&str]) -> ToolSet {
    let tool = |name: &&str| {
        let says = (*name).to_owned();
        Tool::builder(*name).handler(move || says.clone())
    };
    ToolSet::try_from_tools(names.iter().map(tool)).unwrap()
}

fn list(server: &Server, caller: Option<&str>) -> Vec<String> {
    let mut request = Request::list(MODERN);
    if let Some(caller) = caller {
        request = request.principal(caller);
    }
    let answer = request.send(server);
    let tools = answer.result()["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[track_caller]
fn says(server: &Server, tool: &str, expected: &str) {
    let answer = Request::call(MODERN, tool, json!({})).send(server);
    let result = answer.tool_result();
    assert_eq!(text(result), expected);
    assert_eq!(result.get("isError"), None);
}

#[track_caller]
fn fails(server: &Server, tool: &str, expected: &str) {
    let answer = Request::call(MODERN, tool, json!({})).send(server);
    let result = answer.result();
    assert!(text(result).contains(expected), "{result}");
    assert_eq!(result["isError"], true);
}

#[track_caller]
fn unknown(server: &Server, tool: &str) {
    for revision in Revision::ALL {
        let answer = Request::call(revision, tool, json!({})).send(server);
        answer.is_error(200, -32602);
        assert!(answer.error_text().contains("Unknown tool"), "{answer}");
    }
}

fn scope(server: &Server) -> Value {
    Request::list(MODERN).send(server).result()["cacheScope"].clone()
}

// Merging

#[test]
fn merged_registries_are_listed_one_after_the_other_and_each_is_called() {
    let server = serve(set(&["b", "a"]).merge(set(&["d"])).unwrap().merge(Slow::new(&["c"])).unwrap());
    assert_eq!(list(&server, None), ["b", "a", "d", "c"]);
    for tool in ["a", "b", "d"] {
        says(&server, tool, tool);
    }
    assert_eq!(
        Request::call(MODERN, "c", json!({ "x": 1 })).send(&server).tool_result()["structuredContent"]["x"],
        1
    );
    unknown(&server, "e");
}

#[test]
fn a_list_is_public_as_long_as_all_of_its_parts_are() {
    let merged = || set(&["a"]).prefix("p").unwrap().merge(set(&["b"])).unwrap();
    assert_eq!(scope(&serve(merged().switched(&Switches::new()).hook(Nothing))), "public");
    assert_eq!(scope(&serve(merged().merge(Slow::new(&["c"])).unwrap())), "private");
    assert_eq!(scope(&serve(merged().filter(|_, _| true))), "private");
}

struct Nothing;
impl Hook for Nothing {}

#[test]
fn two_tools_of_one_name_are_refused_when_registries_are_merged() {
    let refused = set(&["a", "b"]).merge(set(&["c", "b"])).unwrap_err();
    assert_eq!(refused, RegisterError::DuplicateName("b".to_owned()));
    let far_apart =
        set(&["a"]).merge(set(&["x"]).prefix("p").unwrap().switched(&Switches::new()).hook(Nothing));
    assert!(far_apart.unwrap().merge(Box::new(set(&["p-x"])) as Box<dyn ToolRegistry>).is_err());
}

#[test]
fn of_two_tools_of_one_name_that_turn_up_later_the_first_is_served() {
    let (first, second) = (set(&["a"]), set(&["b"]));
    let server = serve(first.clone().merge(second.clone()).unwrap());
    assert_eq!(list(&server, None), ["a", "b"]);
    second.add(Tool::builder("a").handler(|| "the second")).unwrap();
    assert_eq!(list(&server, None), ["a", "b"]);
    says(&server, "a", "a");
    first.remove("a");
    assert_eq!(list(&server, None), ["b", "a"]);
    says(&server, "a", "the second");
}

#[test]
fn a_part_that_cannot_be_listed_fails_the_list_but_not_the_others_behind_a_prefix() {
    let server = serve(
        Failing { finds: false }.prefix("down").unwrap().merge(set(&["a"]).prefix("up").unwrap()).unwrap(),
    );
    for revision in Revision::ALL {
        Request::list(revision).send(&server).is_error(200, -32603);
        Request::call(revision, "down-a", json!({})).send(&server).is_error(200, -32603);
    }
    says(&server, "up-a", "a");
}

// Prefixes

#[test]
fn a_prefix_is_put_before_the_name_with_a_hyphen_and_its_case_is_kept() {
    let server = serve(set(&["search", "Get.Page"]).prefix("Hawki_1.rag").unwrap());
    assert_eq!(list(&server, None), ["Hawki_1.rag-search", "Hawki_1.rag-Get.Page"]);
    says(&server, "Hawki_1.rag-Get.Page", "Get.Page");
    for other in ["search", "hawki_1.rag-search", "Hawki_1.rag", "Hawki_1.rag-", "Hawki_1.ragsearch", ""] {
        unknown(&server, other);
    }
}

#[test]
fn a_tool_with_a_prefix_is_the_same_but_for_its_name() {
    let tools = ToolSet::new()
        .with(
            mirror("a", json!({ "type": "object", "properties": { "n": { "type": "integer" } } }))
                .title("A")
                .description("Mirrors")
                .meta("example.com/x", 1),
        )
        .unwrap();
    let (plain, prefixed) = (serve(tools.clone()), serve(tools.prefix("p").unwrap()));
    for revision in Revision::ALL {
        let listed = |server| Request::list(revision).send(server).result()["tools"][0].clone();
        let mut expected = listed(&plain);
        expected["name"] = "p-a".into();
        assert_eq!(listed(&prefixed), expected);
        let answer = Request::call(revision, "p-a", json!({ "n": "x" })).send(&prefixed);
        assert!(answer.tool_error().starts_with("Invalid arguments for tool p-a:"), "{answer}");
    }
}

#[test]
fn a_name_is_never_taken_apart_where_a_label_might_end() {
    let merged = |names: &[&str]| set(names).prefix("a").unwrap().merge(set(&["c"]).prefix("a-b").unwrap());
    assert_eq!(merged(&["b-c"]).unwrap_err(), RegisterError::DuplicateName("a-b-c".to_owned()));
    let server = serve(merged(&["d", "b"]).unwrap());
    assert_eq!(list(&server, None), ["a-d", "a-b", "a-b-c"]);
    for (name, inner) in [("a-b-c", "c"), ("a-d", "d"), ("a-b", "b")] {
        says(&server, name, inner);
    }
}

#[test]
fn a_label_has_to_be_fit_for_a_name() {
    for label in ["", "a b", "ä", "a/b", &"a".repeat(111)] {
        let refused = set(&["a"]).prefix(label).unwrap_err();
        assert_eq!(refused, RegisterError::InvalidLabel(label.to_owned()));
    }
    set(&["a"]).prefix("a".repeat(110)).unwrap();
}

#[test]
fn a_name_that_gets_too_long_is_shortened_and_ends_in_a_hash() {
    let long = |end: &str| "x".repeat(125) + end;
    let (one, two) = (long("1"), long("2"));
    let server = serve(set(&[&one, &two, "y"]).prefix("label").unwrap());
    let names = list(&server, None);
    assert_eq!(names[0], format!("label-{}-4d7a81d43cc7878b", "x".repeat(105)));
    assert!(names[0].len() == 128 && names[1].len() == 128 && names[0] != names[1], "{names:?}");
    says(&server, &names[0], &one);
    says(&server, &names[1], &two);
    says(&server, "label-y", "y");
    unknown(&server, &format!("label-{one}"));
    // Exactly as long as it may be.
    let fits = "x".repeat(122);
    let server = serve(set(&[&fits]).prefix("label").unwrap());
    says(&server, &format!("label-{fits}"), &fits);
}

#[test]
fn names_of_any_characters_are_shortened_between_characters() {
    for length in 60..70 {
        let name = "é".repeat(length);
        let tools = ToolSet::new().with(Tool::builder(name).allow_any_name().handler(|| "yes")).unwrap();
        let server = serve(tools.prefix("p").unwrap());
        let published = list(&server, None).remove(0);
        assert!(published.len() <= 128, "{published}");
        let answer = Request::call(Revision::V2025_11_25, &published, json!({})).send(&server);
        assert_eq!(text(answer.tool_result()), "yes");
    }
}

// Filters

#[test]
fn one_predicate_rules_listing_and_calling() {
    let server = serve(set(&["open", "own"]).filter(|tool, cx| {
        tool.name() == "open" || cx.principal().is_some_and(|caller| caller.as_str() == "ann")
    }));
    assert_eq!(list(&server, None), ["open"]);
    assert_eq!(list(&server, Some("bob")), ["open"]);
    assert_eq!(list(&server, Some("ann")), ["open", "own"]);
    unknown(&server, "own");
    let call = Request::call(MODERN, "own", json!({}));
    call.clone().principal("bob").send(&server).is_error(200, -32602);
    assert_eq!(text(call.principal("ann").send(&server).tool_result()), "own");
}

#[test]
fn a_predicate_that_fails_is_an_error_and_never_a_list_without_tools() {
    let server = serve(set(&["a"]).try_filter(|_, _| Err(RegistryError::new("hunter2"))));
    for revision in Revision::ALL {
        for request in [Request::list(revision), Request::call(revision, "a", json!({}))] {
            let answer = request.send(&server);
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("hunter2"), "{answer}");
        }
    }
}

#[test]
fn tools_may_be_shown_by_what_they_say_of_themselves() {
    let tools = ToolSet::new()
        .with(Tool::builder("a").meta("example.com/tier", "free").handler(|| ()))
        .and_then(|tools| tools.with(Tool::builder("b").meta("example.com/tier", "paid").handler(|| ())))
        .unwrap();
    let server = serve(tools.filter(|tool, _| tool.meta()["example.com/tier"] == "free"));
    assert_eq!(list(&server, None), ["a"]);
    unknown(&server, "b");
}

// Switches

#[test]
fn a_tool_that_is_switched_off_is_unknown_until_it_is_on_again() {
    let switches = Switches::new();
    let server = serve(set(&["a", "b"]).merge(Slow::new(&["c"])).unwrap().switched(&switches));
    switches.turn_off("a");
    switches.turn_off("c");
    switches.turn_off("no such tool");
    assert_eq!(list(&server, None), ["b"]);
    unknown(&server, "a");
    unknown(&server, "c");
    says(&server, "b", "b");
    assert!(!switches.is_on("a") && switches.is_on("b"));
    switches.turn_on("a");
    assert_eq!(list(&server, None), ["a", "b"]);
    says(&server, "a", "a");
}

#[test]
fn a_shared_list_follows_every_change() {
    let (tools, switches) = (set(&["a", "b"]), Switches::new());
    let server = serve(tools.clone().switched(&switches).prefix("p").unwrap());
    assert_eq!(list(&server, None), ["p-a", "p-b"]);
    switches.turn_off("b");
    assert_eq!(list(&server, None), ["p-a"]);
    tools.add(Tool::builder("c").handler(|| "c")).unwrap();
    assert_eq!(list(&server, None), ["p-a", "p-c"]);
    switches.turn_on("b");
    tools.remove("a");
    assert_eq!(list(&server, None), ["p-b", "p-c"]);
    assert_eq!(scope(&server), "public");
}

// Hooks

/// Writes down what it sees.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>, &'static str);

impl Log {
    fn named(&self, name: &'static str) -> Self {
        Self(self.0.clone(), name)
    }

    fn write(&self, line: String) {
        self.0.lock().unwrap().push(format!("{}: {line}", self.1));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Hook for Log {
    async fn before(&self, call: &mut ToolCall, _: &CallContext) -> ControlFlow<ToolResult> {
        self.write(format!("before {} {}", call.tool().name(), json!(call.arguments().as_json())));
        ControlFlow::Continue(())
    }

    async fn after(&self, tool: &Tool, result: ToolResult, _: &CallContext) -> ToolResult {
        let told =
            result.as_ref().err().map_or("ok", |error| error.detail().unwrap_or_else(|| error.message()));
        self.write(format!("after {} {told}", tool.name()));
        result
    }

    fn resolved(&self, name: &str, tool: Option<&Tool>, cx: &CallContext) {
        let caller = cx.principal().map_or("nobody", |caller| caller.as_str());
        self.write(format!("{name} is {:?} for {caller}", tool.map(Tool::name)));
    }
}

#[test]
fn hooks_see_what_was_resolved_called_and_given_back_the_outermost_first_and_last() {
    let log = Log::default();
    let tools = ToolSet::new()
        .with(mirror("a", json!({ "type": "object", "properties": { "n": { "type": "integer" } } })))
        .and_then(|tools| {
            tools.with(Tool::builder("down").handler(|| Err::<(), _>(ToolError::internal("hunter2"))))
        })
        .unwrap();
    let server = serve(tools.hook(log.named("in")).prefix("p").unwrap().hook(log.named("out")));
    Request::call(MODERN, "p-a", json!({ "n": "7" })).send(&server).tool_result();
    assert_eq!(
        log.take(),
        [
            r#"in: a is Some("a") for nobody"#,
            r#"out: p-a is Some("p-a") for nobody"#,
            r#"out: before p-a {"n":7}"#,
            r#"in: before a {"n":7}"#,
            "in: after a ok",
            "out: after p-a ok",
        ]
    );
    // What is refused before the tool runs is no call.
    Request::call(MODERN, "p-a", json!({ "n": "x" })).send(&server).tool_error();
    Request::call(MODERN, "p-x", json!({})).principal("ann").send(&server).is_error(200, -32602);
    assert_eq!(
        log.take(),
        [
            r#"in: a is Some("a") for nobody"#,
            r#"out: p-a is Some("p-a") for nobody"#,
            "in: x is None for ann",
            "out: p-x is None for ann",
        ]
    );
    // The reason of a failure is told here, and not to the client.
    let answer = Request::call(MODERN, "p-down", json!({})).send(&server);
    assert!(!answer.to_string().contains("hunter2"), "{answer}");
    assert!(log.take().contains(&"in: after down hunter2".to_owned()));
}

/// Does to a call, or answers it with, what its function says.
struct Before<F>(F);

impl<F> Hook for Before<F>
where
    F: Fn(&mut ToolCall) -> ControlFlow<ToolResult> + Send + Sync + 'static,
{
    async fn before(&self, call: &mut ToolCall, _: &CallContext) -> ControlFlow<ToolResult> {
        (self.0)(call)
    }
}

fn counting() -> ToolSet {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" }, "tenant": { "type": "string" } },
    });
    let tool = mirror("a", schema).output_schema(json!({ "type": "object", "required": ["n"] }));
    ToolSet::new().with(tool).unwrap()
}

#[test]
fn a_hook_may_change_the_arguments() {
    let server = serve(counting().hook(Before(|call: &mut ToolCall| {
        call.set_argument("tenant", "acme");
        ControlFlow::Continue(())
    })));
    let answer = Request::call(MODERN, "a", json!({ "n": 1, "tenant": "other" })).send(&server);
    assert_eq!(answer.tool_result()["structuredContent"], json!({ "n": 1, "tenant": "acme" }));
}

#[test]
fn arguments_that_a_hook_made_are_checked_too() {
    let server = serve(counting().hook(Before(|call: &mut ToolCall| {
        call.set_argument("n", "many");
        ControlFlow::Continue(())
    })));
    let answer = Request::call(MODERN, "a", json!({ "n": 1 })).send(&server);
    let result = answer.result();
    assert_eq!(
        text(result),
        "the tool failed; the reason is in the server's log, reference 0707070707070707"
    );
    assert_eq!(result["isError"], true);
}

#[test]
fn a_hook_may_answer_in_place_of_the_tool() {
    let server = serve(counting().hook(Before(|call: &mut ToolCall| {
        ControlFlow::Break(ToolOutput::structured(&json!({ "n": call.arguments().get("n"), "mock": true })))
    })));
    let answer = Request::call(MODERN, "a", json!({ "n": 1 })).send(&server);
    assert_eq!(answer.tool_result()["structuredContent"], json!({ "n": 1, "mock": true }));
}

#[test]
fn what_a_hook_answers_has_to_keep_the_promise_of_the_tool() {
    let server =
        serve(counting().hook(Before(|_: &mut ToolCall| ControlFlow::Break("n".into_tool_result()))));
    fails(&server, "a", "the tool failed");
}

struct Replace;

impl Hook for Replace {
    async fn after(&self, _: &Tool, result: ToolResult, _: &CallContext) -> ToolResult {
        match result {
            Ok(output) => Ok(output.with_meta("example.com/seen", true)),
            Err(_) => Json(json!({ "n": 0 })).into_tool_result(),
        }
    }
}

#[test]
fn a_hook_may_change_what_was_given_back() {
    let failing = Tool::builder("down").handler(|| Err::<(), _>(ToolError::new("down")));
    let server = serve(set(&["a"]).with(failing).unwrap().hook(Replace));
    let answer = Request::call(MODERN, "a", json!({})).send(&server);
    assert_eq!(answer.tool_result()["_meta"]["example.com/seen"], true);
    let answer = Request::call(MODERN, "down", json!({})).send(&server);
    assert_eq!(answer.tool_result()["structuredContent"], json!({ "n": 0 }));
    assert_eq!(answer.tool_result().get("isError"), None);
}

#[test]
fn a_panic_in_a_hook_is_a_failure_of_the_call() {
    let server = serve(set(&["a"]).hook(Before(|_: &mut ToolCall| panic!("secret"))));
    let answer = Request::call(MODERN, "a", json!({})).send_to_service(&server, Timer::Never);
    assert!(answer.tool_error().starts_with("the tool failed unexpectedly"), "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
}

// Ceilings

const OVER: &str = "do not call this tool again";

#[test]
fn a_ceiling_tells_the_model_not_to_call_again() {
    let server = serve(set(&["a", "b"]).hook(Ceiling::per_process(2)));
    says(&server, "a", "a");
    says(&server, "b", "b");
    fails(&server, "a", "the limit of 2 runs per process is reached: do not call this tool again");
    fails(&server, "b", OVER);
    assert_eq!(list(&server, None), ["a", "b"]);
}

#[test]
fn a_ceiling_per_principal_counts_each_caller() {
    let server = serve(set(&["a"]).hook(Ceiling::per_principal(1)));
    for caller in [None, Some(""), Some("ann"), Some("bob")] {
        let mut call = Request::call(MODERN, "a", json!({}));
        if let Some(caller) = caller {
            call = call.principal(caller);
        }
        assert_eq!(text(call.send(&server).tool_result()), "a");
        let result = call.send(&server).result().clone();
        assert!(text(&result).contains("the limit of 1 run per caller"), "{result}");
    }
}

#[test]
fn a_ceiling_per_key_counts_what_the_key_says_and_nothing_without_one() {
    let tools = ToolSet::new().with(mirror("a", json!({ "type": "object" }))).unwrap();
    let server =
        serve(tools.hook(Ceiling::per("batch", 1, |call, _| {
            Some(call.arguments().get("batch")?.as_str()?.to_owned())
        })));
    let call = |arguments: Value| Request::call(MODERN, "a", arguments).send(&server).result().clone();
    for batch in ["one", "two"] {
        assert_eq!(call(json!({ "batch": batch })).get("isError"), None);
        assert!(text(&call(json!({ "batch": batch }))).contains("per batch"));
    }
    for _ in 0..3 {
        assert_eq!(call(json!({})).get("isError"), None);
    }
}

#[test]
fn a_ceiling_with_a_period_starts_anew() {
    let server = serve(set(&["a"]).hook(Ceiling::per_process(1).every(Duration::from_secs(60))));
    let call =
        |at| Request::call(MODERN, "a", json!({})).send_to_service(&server, Timer::At(at)).result().clone();
    assert_eq!(text(&call(1000)), "a");
    assert!(text(&call(1059)).ends_with("do not call this tool again for now"), "{}", call(1059));
    assert_eq!(text(&call(1060)), "a");
    // A clock that goes backwards ends no period.
    assert!(text(&call(3)).contains(OVER));
}

#[test]
fn a_ceiling_forgets_the_oldest_key_rather_than_grow() {
    let tools = ToolSet::new().with(mirror("a", json!({ "type": "object" }))).unwrap();
    let server =
        serve(tools.hook(Ceiling::per("key", 1, |call, _| Some(call.arguments().get("key")?.to_string()))));
    let call = |key: u32| Request::call(MODERN, "a", json!({ "key": key })).send(&server).result().clone();
    for key in 0..=10_000 {
        assert_eq!(call(key).get("isError"), None);
    }
    assert!(text(&call(10_000)).contains(OVER));
    assert!(text(&call(1)).contains(OVER));
    assert_eq!(call(0).get("isError"), None);
}

// Capabilities

#[test]
fn tools_are_found_by_what_they_are_for() {
    let tools = ToolSet::new()
        .with(Tool::builder("brave").capability("web_search").handler(|| ()))
        .and_then(|tools| tools.with(Tool::builder("grep").handler(|| ())))
        .and_then(|tools| tools.with(Tool::builder("kagi").capability("web_search").handler(|| ())))
        .unwrap();
    let names: Vec<String> =
        tools.listing().with_capability("web_search").map(|tool| tool.name().to_owned()).collect();
    assert_eq!(names, ["brave", "kagi"]);
    let answer = Request::list(MODERN).send(&serve(tools));
    assert_eq!(
        answer.result()["tools"][0]["_meta"],
        json!({ "io.github.mcp-http/capability": "web_search" })
    );
}
