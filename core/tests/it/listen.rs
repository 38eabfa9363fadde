//! `subscriptions/listen`: what a client hears, what it does not, and how it ends. Nothing waits: a stream says what there is
//! to say when it is polled.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_http::compose::{Compose, Switches};
use mcp_http::{
    CallContext, Change, ChangeListener, ChangeSource, Listing, LocalChanges, LogLevel, Prompt,
    PromptRegistry, PromptSet, RegistryError, Reply, Resource, ResourceRegistry, ResourceSet,
    ResourceTemplate, Server, ServerBuilder, Tool, ToolSet,
};
use serde_json::{Value, json};

use crate::request::{LEGACY, LOG_LEVEL, MODERN, Request, Timer};
use crate::streams::{Got, Open, Stage};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

#[derive(Clone, Default)]
struct Sets {
    tools: ToolSet,
    prompts: PromptSet,
    resources: ResourceSet,
}

fn tool(name: &str) -> mcp_http::ToolBuilder {
    Tool::builder(name).handler(|| "x")
}

fn prompt(name: &str) -> mcp_http::PromptBuilder {
    Prompt::builder(name).handler(|| "x")
}

fn resource(name: &str) -> mcp_http::ResourceBuilder {
    Resource::builder(format!("a:{name}"), name).text("x")
}

fn template(name: &str) -> mcp_http::ResourceTemplateBuilder {
    ResourceTemplate::builder(format!("{name}:{{x}}"), name).reader(|| "x")
}

impl Sets {
    fn new() -> Self {
        let sets = Self::default();
        sets.tools.add(tool("t")).unwrap();
        sets.prompts.add(prompt("p")).unwrap();
        for name in ["1", "2", "3"] {
            sets.resources.resources().add(resource(name)).unwrap();
        }
        sets.resources.templates().add(template("of")).unwrap();
        sets
    }

    fn builder(&self) -> ServerBuilder {
        let Self { tools, prompts, resources } = self.clone();
        Server::builder("listens", "1").tools(tools).prompts(prompts).resources(resources)
    }

    fn server(&self) -> Server {
        self.builder().build().unwrap()
    }

    /// Changes each list once.
    fn change(&self) {
        self.tools.add(tool("new")).unwrap();
        self.prompts.add(prompt("new")).unwrap();
        self.resources.resources().add(resource("new")).unwrap();
        assert!(self.tools.remove("new") && self.prompts.remove("new"));
        assert!(self.resources.resources().remove("a:new"));
    }
}

pub(crate) fn lists() -> Value {
    json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true })
}

fn everything() -> Value {
    let mut everything = lists();
    everything["resourceSubscriptions"] = json!(["a:1", "of:9"]);
    everything
}

/// What is said on the stream of the request with this id.
fn said_to(id: &Value, method: &str, more: Value) -> Got {
    let mut params = json!({ "_meta": { ID: id } });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Got::Said(method.to_owned(), params)
}

fn said(method: &str) -> Got {
    said_to(&json!(1), &format!("{method}/list_changed"), json!({}))
}

fn updated(uri: &str) -> Got {
    said_to(&json!(1), "resources/updated", json!({ "uri": uri }))
}

fn acknowledged(honoured: Value) -> Got {
    said_to(&json!(1), "subscriptions/acknowledged", json!({ "notifications": honoured }))
}

/// A stream that is open, and said so.
#[track_caller]
fn open(server: &Server, notifications: Value) -> Open {
    open_as(server, &Request::listen(notifications.clone()), notifications)
}

#[track_caller]
fn open_as(server: &Server, request: &Request, honoured: Value) -> Open {
    let mut open = Stage::of(server).open(request);
    assert_eq!(open.next(), acknowledged(honoured));
    assert!(open.streams());
    open
}

/// All that there is to hear now.
#[track_caller]
fn heard(open: &mut Open) -> Vec<Got> {
    let mut heard = Vec::new();
    loop {
        match open.next() {
            Got::Nothing => return heard,
            got => heard.push(got),
        }
        assert!(heard.len() < 100, "no end: {heard:?}");
    }
}

#[track_caller]
fn ends(open: &mut Open) {
    let Got::Result(result) = open.next() else { panic!("no result") };
    assert_eq!((&result["resultType"], &result["_meta"][ID]), (&json!("complete"), &json!(1)), "{result}");
    assert_eq!(result.as_object().unwrap().len(), 2, "{result}");
    assert_eq!(open.next(), Got::End);
}

// What is honoured

#[test]
fn the_first_message_says_what_of_the_wishes_is_honoured() {
    let sets = Sets::new();
    let only_tools = Server::builder("tools", "1").tools(sets.tools.clone()).build().unwrap();
    let only_resources = Server::builder("resources", "1").resources(sets.resources.clone()).build().unwrap();
    let all = sets.server();
    for (server, asked, honoured) in [
        (&all, everything(), everything()),
        (&all, json!({ "toolsListChanged": true }), json!({ "toolsListChanged": true })),
        (
            &all,
            json!({ "promptsListChanged": true, "toolsListChanged": false }),
            json!({ "promptsListChanged": true }),
        ),
        (
            &all,
            json!({ "toolsListChanged": true, "tasksChanged": true, "x": null }),
            json!({ "toolsListChanged": true }),
        ),
        (
            &all,
            json!({ "resourceSubscriptions": ["a:3", "a:1", "a:3", "no:1", "", "a:none", "of:é%", "of:2"] }),
            json!({ "resourceSubscriptions": ["a:3", "a:1", "of:2"] }),
        ),
        (&only_tools, everything(), json!({ "toolsListChanged": true })),
        (
            &only_resources,
            everything(),
            json!({ "resourcesListChanged": true, "resourceSubscriptions": ["a:1", "of:9"] }),
        ),
    ] {
        let mut open = open_as(server, &Request::listen(asked), honoured);
        assert_eq!(heard(&mut open), []);
    }
}

#[test]
fn a_stream_on_which_nothing_will_ever_be_said_ends_at_once() {
    let server = Sets::new().server();
    let only_tools = Server::builder("tools", "1").tools(Sets::new().tools).build().unwrap();
    for (server, asked) in [
        (&server, json!({})),
        (&server, json!({ "toolsListChanged": false, "resourceSubscriptions": [] })),
        (&server, json!({ "resourceSubscriptions": ["no:1"] })),
        (&only_tools, json!({ "promptsListChanged": true })),
    ] {
        let mut open = open_as(server, &Request::listen(asked), json!({}));
        ends(&mut open);
        assert_eq!(server.running_calls(), 0);
    }
}

#[test]
fn every_message_has_the_id_of_its_request_in_its_type() {
    let sets = Sets::new();
    for id in ["1", "\"1\"", "0", "-7", "\"\"", "18446744073709551617", "\"\\u0061\\\"\"", "\" é\""] {
        let server = sets.server();
        let mut open = Stage::of(&server).open(&Request::listen(everything()).id(id));
        let tagged = format!(r#""{ID}":{id}"#);
        let tagged = |open: &Open| {
            open.last.contains(&format!("{tagged}}}")) || open.last.contains(&format!("{tagged},"))
        };
        assert!(matches!(open.next(), Got::Said(..)) && tagged(&open), "{}", open.last);
        sets.change();
        sets.resources.updated("a:1");
        for _ in 0..4 {
            assert!(matches!(open.next(), Got::Said(..)) && tagged(&open), "{}", open.last);
        }
        server.close();
        assert!(matches!(open.next(), Got::Result(_)) && tagged(&open), "{}", open.last);
        assert!(open.last.contains(&format!(r#""id":{id},"#)), "{}", open.last);
    }
}

// What is heard

#[test]
fn a_client_hears_of_what_it_asked_for_and_of_nothing_else() {
    let sets = Sets::new();
    let server = sets.server();
    for (asked, expected) in [
        (json!({ "toolsListChanged": true }), vec![said("tools")]),
        (json!({ "promptsListChanged": true }), vec![said("prompts")]),
        (json!({ "resourcesListChanged": true }), vec![said("resources")]),
        (json!({ "resourceSubscriptions": ["a:2"] }), vec![updated("a:2")]),
        (json!({ "resourceSubscriptions": ["of:9", "a:1"] }), vec![updated("a:1"), updated("of:9")]),
        (lists(), vec![said("tools"), said("prompts"), said("resources")]),
    ] {
        let request = Request::listen(asked.clone()).meta("progressToken", "t").meta(LOG_LEVEL, "debug");
        let mut open = open_as(&server, &request, asked);
        assert_eq!(heard(&mut open), []);
        sets.change();
        for uri in ["a:1", "a:2", "a:3", "of:9", "of:8", "a:11", "a:", "A:1"] {
            sets.resources.updated(uri);
            server.resource_updated(uri);
        }
        assert_eq!(heard(&mut open), expected);
        assert_eq!(heard(&mut open), []);
    }
}

#[test]
fn a_change_of_a_set_is_heard_and_a_failed_one_is_not() {
    let sets = Sets::new();
    let server = sets.server();
    let mut open = open(&server, lists());
    let (tools, prompts) = (&sets.tools, &sets.prompts);
    let (resources, templates) = (sets.resources.resources(), sets.resources.templates());
    let fails: [&dyn Fn() -> bool; 12] = [
        &|| tools.add(tool("t")).is_err(),
        &|| tools.add(Tool::builder("no handler")).is_err(),
        &|| tools.replace([tool("a"), tool("a")]).is_err(),
        &|| !tools.remove("nobody"),
        &|| prompts.add(prompt("p")).is_err(),
        &|| prompts.replace([prompt("a"), Prompt::builder("b")]).is_err(),
        &|| !prompts.remove("nobody"),
        &|| resources.add(resource("1")).is_err(),
        &|| resources.replace([resource("1"), resource("1")]).is_err(),
        &|| !resources.remove("a:nobody"),
        &|| templates.add(template("of")).is_err(),
        &|| !templates.remove("of"),
    ];
    for fail in fails {
        assert!(fail());
        assert_eq!(heard(&mut open), []);
    }
    assert_eq!(open.woken(), 0);
    let changes: [(&dyn Fn(), &str); 12] = [
        (&|| tools.add(tool("new")).unwrap(), "tools"),
        (&|| assert!(tools.remove("new")), "tools"),
        (&|| tools.replace([tool("other")]).unwrap(), "tools"),
        (&|| prompts.add(prompt("new")).unwrap(), "prompts"),
        (&|| assert!(prompts.clone().remove("new")), "prompts"),
        (&|| prompts.replace([]).unwrap(), "prompts"),
        (&|| resources.add(resource("new")).unwrap(), "resources"),
        (&|| assert!(resources.remove("a:new")), "resources"),
        (&|| resources.replace([resource("1")]).unwrap(), "resources"),
        (&|| templates.add(template("new")).unwrap(), "resources"),
        (&|| assert!(templates.remove("new:{x}")), "resources"),
        (&|| templates.replace([]).unwrap(), "resources"),
    ];
    for (number, (change, what)) in changes.into_iter().enumerate() {
        change();
        assert_eq!(open.woken(), number + 1);
        assert_eq!(heard(&mut open), [said(what)], "change {number}");
    }
}

#[test]
fn changes_are_heard_through_whatever_is_around_a_set() {
    let sets = [(); 3].map(|()| ToolSet::new());
    let [first, second, third] = sets.clone();
    let (inner, outer) = (Switches::new(), Switches::new());
    let tools = first
        .switched(&inner)
        .prefix("one")
        .unwrap()
        .merge(Compose::filter(second, |_, _| true))
        .unwrap()
        .merge(Arc::new(Box::new(third)))
        .unwrap()
        .switched(&outer)
        .hook(mcp_http::compose::Ceiling::per_principal(1));
    let prompts = PromptSet::new();
    let resources = ResourceSet::new();
    let server = Server::builder("composed", "1")
        .tools(tools)
        .prompts(Arc::new(PromptRegistry::filter(Box::new(prompts.clone()), |_, _| true)))
        .resources(Box::new(ResourceRegistry::filter(Arc::new(resources.clone()), |_, _| true)))
        .build()
        .unwrap();
    let mut open = open(&server, lists());
    for set in &sets {
        set.add(tool("x")).unwrap();
        assert_eq!(heard(&mut open), [said("tools")]);
    }
    for (switches, name) in [(&inner, "x"), (&outer, "one-x"), (&outer, "nobody")] {
        for expected in [vec![said("tools")], vec![]] {
            switches.turn_off(name);
            assert_eq!(heard(&mut open), expected);
        }
        for expected in [vec![said("tools")], vec![]] {
            switches.clone().turn_on(name);
            assert_eq!(heard(&mut open), expected);
        }
    }
    prompts.add(prompt("x")).unwrap();
    resources.resources().add(resource("x")).unwrap();
    assert_eq!(heard(&mut open), [said("prompts"), said("resources")]);
}

#[test]
fn an_application_says_itself_what_its_registry_cannot() {
    struct Silent;
    impl PromptRegistry for Silent {
        fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
            Reply::Now(Ok(Listing::Own(vec![])))
        }
        fn find<'a>(
            &'a self,
            _: &'a str,
            _: &'a CallContext,
        ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
            Reply::Now(Ok(None))
        }
    }
    let builder = || Server::builder("silent", "1").prompts(Silent);
    let server = builder().build().unwrap();
    let opening = Request::open(MODERN).send(&server);
    assert_eq!(opening.result()["capabilities"], json!({ "prompts": {} }));
    Request::listen(lists()).send(&server).is_error(404, -32601);

    let server = builder().resources(Sets::new().resources).build().unwrap();
    let mut open = open_as(&server, &Request::listen(lists()), json!({ "resourcesListChanged": true }));
    server.announce(Change::Prompts);
    server.announce(Change::Tools);
    assert_eq!(heard(&mut open), []);
    server.announce(Change::Resources);
    assert_eq!(heard(&mut open), [said("resources")]);
}

#[test]
fn only_what_a_caller_may_see_can_be_watched() {
    let sets = Sets::new();
    let resources = sets.resources.clone().filter(|uri, cx| {
        !uri.contains('2') || cx.principal().is_some_and(|caller| caller.as_str() == "ann")
    });
    let server = Server::builder("visible", "1").resources(resources).build().unwrap();
    let asked = || Request::listen(json!({ "resourceSubscriptions": ["a:1", "a:2", "of:2"] }));
    let of = |uris: &[&str]| json!({ "resourceSubscriptions": uris });
    let mut ann = open_as(&server, &asked().principal("ann"), of(&["a:1", "a:2", "of:2"]));
    let mut bob = open_as(&server, &asked().principal("bob"), of(&["a:1"]));
    let mut nobody = open_as(&server, &asked(), of(&["a:1"]));
    for uri in ["a:1", "a:2", "of:2"] {
        sets.resources.updated(uri);
    }
    assert_eq!(heard(&mut ann), [updated("a:1"), updated("a:2"), updated("of:2")]);
    assert_eq!((heard(&mut bob), heard(&mut nobody)), (vec![updated("a:1")], vec![updated("a:1")]));
}

/// Looking a resource up is the application's own code, and it has the call in hand.
#[test]
fn nothing_is_said_before_the_acknowledgement_and_no_progress_after_it() {
    let sets = Sets::new();
    let told = sets.resources.clone().filter(|_, cx| {
        cx.progress(1.0, None, None);
        cx.log(LogLevel::Alert, "looked up");
        true
    });
    let server = Server::builder("talks", "1").logging(true).resources(told).build().unwrap();
    let asked = json!({ "resourceSubscriptions": ["a:1"] });
    let request = Request::listen(asked.clone()).meta("progressToken", "t").meta(LOG_LEVEL, "debug");
    let mut open = open_as(&server, &request, asked);
    sets.resources.updated("a:1");
    assert_eq!(heard(&mut open), [updated("a:1")]);
}

// Who may listen

#[test]
fn what_to_hear_of_has_to_be_said() {
    let server = Sets::new().server();
    let wrong = [
        json!(null),
        json!(true),
        json!("toolsListChanged"),
        json!([]),
        json!([true]),
        json!(["toolsListChanged"]),
        json!({ "toolsListChanged": null }),
        json!({ "toolsListChanged": "true" }),
        json!({ "promptsListChanged": 1 }),
        json!({ "resourceSubscriptions": true }),
        json!({ "resourceSubscriptions": "a:1" }),
        json!({ "resourceSubscriptions": [1] }),
        json!({ "resourceSubscriptions": [null] }),
        json!({ "resourceSubscriptions": { "a:1": true } }),
    ];
    for wrong in wrong {
        let answer = Request::listen(wrong.clone()).send(&server);
        assert_eq!((answer.status, answer.code()), (200, Some(-32602)), "{wrong}: {answer}");
    }
    Request::listen(json!({})).without_param("notifications").send(&server).is_error(200, -32602);
    assert_eq!(server.running_calls(), 0);
}

#[test]
fn a_client_that_takes_no_event_stream_is_not_acceptable() {
    let server = Sets::new().server();
    for accept in ["application/json", "application/json, text/event-stream;q=0", "application/*"] {
        let answer = Request::listen(lists()).id("\"l\"").header("accept", accept).send(&server);
        answer.is_error(406, -32600);
        assert_eq!(answer.id(), Some("\"l\""));
    }
    let mut anything = Request::listen(lists());
    anything.headers.remove("accept");
    let takes = ["*/*", "text/*", "text/event-stream", "text/event-stream, application/json"];
    let takes = takes.map(|accept| Request::listen(lists()).header("accept", accept));
    for request in takes.iter().chain([&anything]) {
        let open = open_as(&server, request, lists());
        assert_eq!(open.headers()["cache-control"], "no-cache, no-transform");
        assert_eq!(open.headers()["x-accel-buffering"], "no");
    }
}

#[test]
fn listening_is_modern_and_declared_where_there_is_something_to_hear() {
    let sets = Sets::new();
    let server = sets.server();
    let opening = Request::open(MODERN).send(&server);
    assert_eq!(
        opening.result()["capabilities"],
        json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "listChanged": true, "subscribe": true },
        })
    );
    let silent = sets.builder().max_subscriptions(0).build().unwrap();
    let none = json!({ "tools": {}, "prompts": {}, "resources": {} });
    assert_eq!(Request::open(MODERN).send(&silent).result()["capabilities"], none);
    Request::listen(lists()).send(&silent).is_error(404, -32601);
    for revision in LEGACY {
        assert_eq!(Request::open(revision).send(&server).result()["capabilities"], none);
        let params = json!({ "notifications": lists() });
        Request::new(revision, "subscriptions/listen", params).send(&server).is_error(200, -32601);
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let request = Request::new(revision, method, json!({ "uri": "a:1" }));
            request.send(&server).is_error(200, -32601);
        }
    }
    let request = Request::new(MODERN, "resources/subscribe", json!({ "uri": "a:1" }));
    request.send(&server).is_error(404, -32601);
}

#[test]
fn as_many_subscriptions_are_open_as_may_be() {
    let server = Sets::new().builder().max_subscriptions(3).max_subscriptions_per_principal(2);
    let server = server.build().unwrap();
    let of = |name: &str| Request::listen(lists()).principal(name);
    #[track_caller]
    fn refused(server: &Server, request: &Request) {
        let mut open = Stage::of(server).open(request);
        let Got::Answer(text) = open.next() else { panic!("not refused") };
        assert!(text.contains("too many subscriptions"), "{text}");
        assert_eq!(open.next(), Got::End);
    }
    let one = open_as(&server, &of("ann"), lists());
    let two = open_as(&server, &of("ann"), lists());
    refused(&server, &of("ann"));
    let three = open_as(&server, &Request::listen(lists()), lists());
    refused(&server, &of("bob"));
    refused(&server, &Request::listen(lists()));
    assert_eq!(server.running_calls(), 3);
    drop(one);
    let four = open_as(&server, &of("ann"), lists());
    refused(&server, &of("ann"));
    drop((two, three, four));
    assert_eq!(server.running_calls(), 0);
    // Nobody shares the limit of a principal by being anonymous.
    let nobodies = [(); 3].map(|()| open_as(&server, &Request::listen(lists()), lists()));
    drop(nobodies);
    // What has ended makes room as well.
    for _ in 0..10 {
        ends(&mut open_as(&server, &Request::listen(json!({})).principal("ann"), json!({})));
    }
    drop([(); 2].map(|()| open_as(&server, &of("ann"), lists())));
}

#[test]
fn a_thousand_resources_can_be_watched_at_once_and_no_more() {
    let server = Sets::new().server();
    let uris: Vec<String> = (0..2000).map(|number| format!("of:{number}")).collect();
    let honoured = json!({ "resourceSubscriptions": uris[..1000] });
    let request = Request::listen(json!({ "resourceSubscriptions": uris }));
    let mut open = open_as(&server, &request, honoured);
    server.resource_updated("of:999");
    server.resource_updated("of:1000");
    assert_eq!(heard(&mut open), [updated("of:999")]);
}

// How it goes on, and how it ends

#[test]
fn a_stream_on_which_nothing_happens_shows_signs_of_life_and_has_no_deadline() {
    let second = Duration::from_secs(1);
    let sets = Sets::new();
    let server = sets.builder().keep_alive(10 * second).deadline(second).build().unwrap();
    let stage = Stage::of(&server);
    let mut open = stage.open(&Request::listen(lists()));
    assert_eq!((open.next(), open.next()), (acknowledged(lists()), Got::Nothing));
    for _ in 0..3 {
        stage.host.pass(9 * second);
        assert_eq!(open.next(), Got::Nothing);
        stage.host.pass(second);
        assert_eq!((open.next(), open.next()), (Got::SignOfLife, Got::Nothing));
    }
    stage.host.pass(9 * second);
    sets.change();
    assert_eq!(heard(&mut open), [said("tools"), said("prompts"), said("resources")]);
    stage.host.pass(9 * second);
    assert_eq!(open.next(), Got::Nothing, "what was said kept the connection");
    server.close();
    ends(&mut open);
}

#[test]
fn a_server_that_closes_ends_its_streams_with_their_responses() {
    let sets = Sets::new();
    let server = sets.server();
    let mut idle = open(&server, lists());
    assert_eq!(idle.next(), Got::Nothing);
    let mut behind = open(&server, lists());
    let mut unread = Stage::of(&server).open(&Request::listen(lists()));
    let mut late = Stage::of(&server).open(&Request::listen(lists()));
    assert_eq!(unread.next(), acknowledged(lists()));
    sets.change();
    assert_eq!(idle.next(), said("tools"));
    let woken = idle.woken();
    assert_eq!(server.running_calls(), 3);
    server.close();
    server.clone().close();
    sets.change();
    for open in [&mut idle, &mut behind, &mut unread] {
        while let Got::Said(..) = { open.next() } {
            assert!(open.last.contains("list_changed"));
        }
        assert_eq!(open.next(), Got::End);
        assert!(open.last.contains(r#""resultType":"complete""#), "{}", open.last);
    }
    assert_eq!(idle.woken(), woken, "it was about to read");
    assert_eq!(server.running_calls(), 0);
    let Got::Answer(text) = late.next() else { panic!("not refused") };
    assert!(text.contains("shutting down"), "{text}");
    Request::listen(lists()).send(&server).is_error(503, -32600);
}

#[test]
fn a_stream_that_waits_is_woken_when_its_server_closes() {
    let server = Sets::new().server();
    let mut open = open(&server, lists());
    assert_eq!((open.next(), open.woken()), (Got::Nothing, 0));
    server.close();
    assert_eq!(open.woken(), 1);
    ends(&mut open);
}

#[test]
fn who_reads_slowly_hears_of_everything_once() {
    let sets = Sets::new();
    let server = sets.server();
    let mut open = open(&server, everything());
    assert_eq!(open.next(), Got::Nothing);
    for number in 0..10_000 {
        server.announce(Change::Tools);
        server.announce(Change::Prompts);
        server.announce(Change::Resources);
        sets.resources.updated("of:9");
        sets.resources.updated("a:1");
        sets.resources.updated(format!("of:{number}"));
    }
    assert_eq!(open.woken(), 1, "once is enough");
    let once = [said("tools"), said("prompts"), said("resources"), updated("a:1"), updated("of:9")];
    assert_eq!(heard(&mut open), once);
    assert_eq!(heard(&mut open), []);
    // What changes while it reads is heard again.
    server.announce(Change::Tools);
    assert_eq!(open.next(), said("tools"));
    server.announce(Change::Tools);
    assert_eq!(heard(&mut open), [said("tools")]);
}

#[test]
fn two_clients_may_use_one_id() {
    let sets = Sets::new();
    let server = sets.server();
    let mut tools = open(&server, json!({ "toolsListChanged": true }));
    let mut prompts = open(&server, json!({ "promptsListChanged": true }));
    let mut both = open(&server, lists());
    sets.change();
    assert_eq!((heard(&mut tools), heard(&mut prompts)), (vec![said("tools")], vec![said("prompts")]));
    assert_eq!(heard(&mut both).len(), 3);
    drop(tools);
    sets.change();
    assert_eq!((heard(&mut prompts), heard(&mut both).len()), (vec![said("prompts")], 3));
}

#[test]
fn a_client_that_leaves_is_forgotten_wherever_it_was() {
    let sets = Sets::new();
    let server = sets.builder().max_subscriptions(1).build().unwrap();
    let asked = || Request::listen(lists());
    drop(Stage::of(&server).open(&asked()));
    let stage = Stage::of(&server);
    let mut unread = stage.open(&asked());
    assert_eq!(unread.next(), acknowledged(lists()));
    drop(unread);
    let mut behind = open(&server, lists());
    sets.change();
    assert_eq!(behind.next(), said("tools"));
    drop(behind);
    let mut waits = open(&server, lists());
    assert_eq!(waits.next(), Got::Nothing);
    drop(waits);
    sets.change();
    assert_eq!((server.running_calls(), stage.host.run_detached()), (0, 0));
    drop(open(&server, lists()));
}

/// Without a service around it nobody hears, and a buffered host gets its answer when the server closes.
#[test]
fn a_subscription_that_nobody_hears_ends_like_any_other() {
    let server = Sets::new().server();
    for honoured in [json!({}), json!({ "resourceSubscriptions": ["no:1"] })] {
        let answer = Request::listen(honoured).send(&server);
        assert_eq!(answer.result()["_meta"][ID], 1);
    }
    let answer = Request::listen(json!({})).id("\"x\"").send(&server);
    assert_eq!((answer.id(), &answer.result()["_meta"][ID]), (Some("\"x\""), &json!("x")));
    assert_eq!(Request::listen(json!({})).events(&server).len(), 2);
    assert_eq!(server.running_calls(), 0);
}

#[test]
fn a_registry_that_waits_has_the_deadline_of_any_call() {
    struct Never;
    impl ResourceRegistry for Never {
        fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
            Reply::later(std::future::pending())
        }
        fn templates<'a>(
            &'a self,
            _: &'a CallContext,
        ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
            Reply::later(std::future::pending())
        }
        fn find<'a>(
            &'a self,
            _: &'a str,
            _: &'a CallContext,
        ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
            Reply::later(std::future::pending())
        }
    }
    let server = Server::builder("never", "1").resources(Never).deadline(Duration::from_secs(1));
    let server = server.build().unwrap();
    let request = Request::listen(json!({ "resourceSubscriptions": ["a:1"] }));
    request.send_to_service(&server, Timer::Ready).is_error(200, -32603);
    assert_eq!(server.running_calls(), 0);
}

// Several processes

/// What processes share: whatever one of them publishes arrives at all.
#[derive(Clone, Default)]
struct Broker {
    listeners: Arc<Mutex<Vec<ChangeListener>>>,
    published: Arc<Mutex<Vec<Change>>>,
}

impl Broker {
    /// Says how many heard.
    fn carry(&self) -> usize {
        let changes = std::mem::take(&mut *self.published.lock().unwrap());
        let listeners = self.listeners.lock().unwrap().clone();
        let hear = |change: &Change| listeners.iter().filter(|listener| listener.hear(change)).count();
        changes.iter().map(hear).sum()
    }
}

impl ChangeSource for Broker {
    fn publish(&self, change: Change) {
        self.published.lock().unwrap().push(change);
    }

    fn subscribe(&self, listener: ChangeListener) {
        self.listeners.lock().unwrap().push(listener);
    }
}

#[test]
fn a_change_in_one_process_is_heard_in_all() {
    let broker = Broker::default();
    let (here, there) = (Sets::new(), Sets::new());
    let [one, other] = [&here, &there].map(|sets| sets.builder().changes(broker.clone()).build().unwrap());
    let (mut at_one, mut at_other) = (open(&one, everything()), open(&other, everything()));
    here.tools.add(tool("new")).unwrap();
    here.resources.updated("a:1");
    other.resource_updated("of:9");
    other.announce(Change::Prompts);
    // Nothing takes a short cut, or it would be heard twice.
    assert_eq!((heard(&mut at_one), heard(&mut at_other)), (vec![], vec![]));
    assert_eq!(broker.carry(), 8);
    let expected = || vec![said("tools"), said("prompts"), updated("a:1"), updated("of:9")];
    assert_eq!((heard(&mut at_one), heard(&mut at_other)), (expected(), expected()));

    drop((other, at_other));
    there.tools.add(tool("new")).unwrap();
    assert_eq!(broker.carry(), 0, "a set whose server is gone tells nobody");
    one.announce(Change::Tools);
    assert_eq!(broker.carry(), 1, "and the server does not hear");
    assert_eq!(heard(&mut at_one), [said("tools")]);
}

#[test]
fn a_server_that_is_gone_hears_nothing_and_one_that_is_listened_to_is_not_gone() {
    let broker = Broker::default();
    let sets = Sets::new();
    let server = sets.builder().changes(Arc::new(broker.clone())).build().unwrap();
    let mut listens = open(&server, lists());
    drop(server);
    sets.change();
    assert_eq!(broker.carry(), 6);
    assert_eq!(heard(&mut listens).len(), 3);
    drop(listens);
    sets.change();
    assert_eq!(broker.carry(), 0);
    let listeners = broker.listeners.lock().unwrap().clone();
    assert!(listeners.iter().all(|listener| !listener.hear(&Change::Tools)));
}

#[test]
fn one_set_may_be_served_by_several_servers() {
    let sets = Sets::new();
    let servers = [sets.server(), sets.server()];
    let mut streams = servers.each_ref().map(|server| open(server, lists()));
    sets.change();
    for stream in &mut streams {
        assert_eq!(heard(stream).len(), 3);
    }
    let shared = LocalChanges::default();
    let [one, other] = [(); 2].map(|()| sets.builder().changes(shared.clone()).build().unwrap());
    let mut stream = open(&other, everything());
    one.resource_updated("a:1");
    assert_eq!(heard(&mut stream), [updated("a:1")]);
}

#[test]
fn changes_from_many_threads_are_all_heard_of() {
    let sets = Sets::new();
    let server = sets.server();
    let mut open = open(&server, everything());
    assert_eq!(open.next(), Got::Nothing);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    server.announce(Change::Tools);
                    sets.resources.updated("a:1");
                    drop(Stage::of(&server).open(&Request::listen(lists())).next());
                }
            });
        }
    });
    assert_eq!(heard(&mut open), [said("tools"), updated("a:1")]);
    assert_eq!(server.running_calls(), 1);
}
