//! The four lists: pages and cursors, what clients may keep, who sees what, and registries that wait or fail.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mcp_http::compose::Compose;
use mcp_http::{
    CacheScope, CallContext, Listing, Prompt, PromptRegistry, PromptSet, RegistryError, Reply, Resource,
    ResourceRegistry, ResourceSet, ResourceTemplate, Revision, Server, ServerBuilder, Tool, ToolSet,
};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{LEGACY, MODERN, Request};
use crate::tools::{Failing, Slow};

/// The methods, and the member of the result that each has.
pub(crate) const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

const ALL: &[&str] = &["ann.1", "both", "bob.1", "ann.2", "Zoë", "z"];

#[derive(Clone, Default)]
struct Sets {
    tools: ToolSet,
    prompts: PromptSet,
    resources: ResourceSet,
}

impl Sets {
    /// One of these names of each kind.
    fn new(names: &[&str]) -> Self {
        let sets = Self::default();
        names.iter().for_each(|name| sets.add(name));
        sets
    }

    fn add(&self, name: &str) {
        self.tools.add(Tool::builder(name).handler(|| "x").allow_any_name()).unwrap();
        self.prompts.add(Prompt::builder(name).handler(|| "x")).unwrap();
        self.resources.resources().add(Resource::builder(uri(name), name).text("x")).unwrap();
        let template = ResourceTemplate::builder(format!("{}/{{x}}", uri(name)), name).reader(|| "x");
        self.resources.templates().add(template).unwrap();
    }

    fn remove(&self, name: &str) {
        assert!(self.tools.remove(name) && self.prompts.remove(name));
        assert!(self.resources.resources().remove(&uri(name)));
        assert!(self.resources.templates().remove(&format!("{}/{{x}}", uri(name))));
    }

    fn builder(&self) -> ServerBuilder {
        let Self { tools, prompts, resources } = self.clone();
        Server::builder("lists", "1").tools(tools).prompts(prompts).resources(resources)
    }
}

fn uri(name: &str) -> String {
    format!("test://{}", name.replace('ë', "%C3%AB"))
}

fn list(revision: Revision, method: &str) -> Request {
    Request::new(revision, method, json!({}))
}

#[track_caller]
fn names(answer: &Answer, member: &str) -> Vec<String> {
    let items = answer.result()[member].as_array().unwrap_or_else(|| panic!("no {member}: {answer}"));
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// All names, page by page. Calls `between` after each page.
#[track_caller]
fn paged(server: &Server, revision: Revision, list_: (&str, &str), between: impl Fn()) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut request = list(revision, list_.0);
    loop {
        let answer = request.send(server);
        pages.push(names(&answer, list_.1));
        let Some(cursor) = answer.result().get("nextCursor") else { return pages };
        assert!(cursor.as_str().is_some_and(|cursor| !cursor.is_empty()), "{answer}");
        request = list(revision, list_.0).set_param("cursor", cursor.clone());
        between();
    }
}

#[test]
fn every_list_has_all_in_the_order_in_which_they_were_added() {
    let server = Sets::new(ALL).builder().build().unwrap();
    for revision in Revision::ALL {
        for list in LISTS {
            assert_eq!(paged(&server, revision, list, || ()), [ALL]);
        }
    }
}

#[test]
fn pages_together_are_the_list() {
    for size in 1..=ALL.len() + 1 {
        let server = Sets::new(ALL).builder().page_size(NonZeroUsize::new(size).unwrap()).build().unwrap();
        for revision in Revision::ALL {
            for list in LISTS {
                let expected: Vec<&[&str]> = ALL.chunks(size).collect();
                assert_eq!(paged(&server, revision, list, || ()), expected, "{list:?} by {size}");
            }
        }
    }
}

#[test]
fn a_page_goes_on_after_the_last_one_whatever_was_added_or_removed() {
    for list in LISTS {
        let sets = Sets::new(&["a", "b", "c", "d"]);
        let server = sets.builder().page_size(NonZeroUsize::new(2).unwrap()).build().unwrap();
        let change = || {
            sets.remove("a");
            sets.add("e");
            sets.add("f");
        };
        let first = list_first(&server, list);
        change();
        let rest = Request::new(MODERN, list.0, json!({ "cursor": first }));
        assert_eq!(names(&rest.send(&server), list.1), ["c", "d"]);
        // What the cursor was for is gone: better start again than miss some.
        sets.remove("b");
        rest.send(&server).is_error(200, -32602);
    }
}

fn list_first(server: &Server, (method, _): (&str, &str)) -> Value {
    list(MODERN, method).send(server).result()["nextCursor"].clone()
}

#[test]
fn a_cursor_that_was_not_issued_is_refused() {
    let paging = Sets::new(ALL).builder().page_size(NonZeroUsize::MIN).build().unwrap();
    let whole = Sets::new(ALL).builder().build().unwrap();
    for (method, _) in LISTS {
        let issued = list_first(&paging, (method, ""));
        let issued = issued.as_str().unwrap();
        let odd = [
            json!(""),
            json!(" "),
            json!("nobody"),
            json!("bm9ib2R5"),
            json!(format!("{issued}=")),
            json!(format!(" {issued}")),
            json!(issued[1..]),
            json!("☕"),
            json!("x".repeat(100_000)),
            json!(null),
            json!(0),
            json!({}),
        ];
        for revision in Revision::ALL {
            for cursor in &odd {
                let request = list(revision, method).set_param("cursor", cursor.clone());
                for server in [&paging, &whole] {
                    let answer = request.send(server);
                    answer.is_error(200, -32602);
                    assert!(answer.body.len() < 500, "{answer}");
                }
            }
            list(revision, method).set_param("cursor", issued).send(&whole).is_error(200, -32602);
        }
    }
}

#[test]
fn a_cursor_of_one_caller_shows_nothing_to_another() {
    let server = visible(&Sets::new(ALL)).page_size(NonZeroUsize::MIN).build().unwrap();
    for (method, member) in LISTS {
        let page = |caller: Option<&str>, cursor: Option<Value>| {
            let mut request = list(MODERN, method);
            if let Some(caller) = caller {
                request = request.principal(caller);
            }
            if let Some(cursor) = cursor {
                request = request.set_param("cursor", cursor);
            }
            request.send(&server)
        };
        let first = page(Some("ann"), None);
        assert_eq!(names(&first, member), ["ann.1"]);
        let cursor = first.result()["nextCursor"].clone();
        assert_eq!(names(&page(Some("ann"), Some(cursor.clone())), member), ["both"]);
        // It says neither that there is such a thing nor what comes after it.
        page(Some("bob"), Some(cursor.clone())).is_error(200, -32602);
        page(None, Some(cursor)).is_error(200, -32602);
    }
}

#[test]
fn modern_lists_say_how_long_they_may_be_kept_and_legacy_ones_do_not() {
    let sets = Sets::new(ALL);
    let server = sets.builder().list_ttl(Duration::from_millis(1500)).cache_scope(CacheScope::Private);
    for (server, expected) in [
        (server.page_size(NonZeroUsize::MIN).build().unwrap(), (1500, "private")),
        (sets.builder().build().unwrap(), (300_000, "public")),
        (sets.builder().list_ttl(Duration::ZERO).build().unwrap(), (0, "public")),
        (visible(&sets).build().unwrap(), (300_000, "private")),
        (visible(&sets).cache_scope(CacheScope::Public).build().unwrap(), (300_000, "private")),
    ] {
        for (method, member) in LISTS {
            let answer = list(MODERN, method).send(&server);
            let result = answer.result();
            assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(expected.0), &json!(expected.1)));
            for revision in LEGACY {
                let answer = list(revision, method).send(&server);
                let keys: Vec<&String> = answer.result().as_object().unwrap().keys().collect();
                assert!(keys.iter().all(|key| ["nextCursor", member].contains(&key.as_str())));
            }
        }
    }
}

#[test]
fn a_set_without_anything_answers_with_an_empty_list() {
    let server = Sets::default().builder().build().unwrap();
    for revision in Revision::ALL {
        for list in LISTS {
            assert_eq!(paged(&server, revision, list, || ()), [[""; 0]]);
        }
    }
}

// Who sees what

/// Shows names with a dot to whoever is named before it.
fn visible(sets: &Sets) -> ServerBuilder {
    fn is_for(name: &str, cx: &CallContext) -> bool {
        let name = name.strip_prefix("test://").unwrap_or(name);
        let owner = name.split_once('.').map(|(owner, _)| owner);
        owner.is_none_or(|owner| cx.principal().is_some_and(|caller| caller.as_str() == owner))
    }
    let Sets { tools, prompts, resources } = sets.clone();
    Server::builder("visible", "1")
        .tools(Compose::filter(tools, |tool, cx| is_for(tool.name(), cx)))
        .prompts(prompts.filter(|prompt, cx| is_for(prompt.name(), cx)))
        .resources(resources.filter(is_for))
}

fn single(revision: Revision, name: &str) -> [Request; 3] {
    [
        Request::get(revision, name, json!({})),
        Request::read(revision, &uri(name)),
        Request::read(revision, &format!("{}/1", uri(name))),
    ]
}

#[test]
fn what_a_caller_may_not_see_is_not_listed_and_as_unknown_as_what_is_not_there() {
    let server = visible(&Sets::new(ALL)).build().unwrap();
    for revision in Revision::ALL {
        for (caller, hidden, seen) in [
            (None, &["ann.1", "bob.1"][..], &["both", "Zoë", "z"][..]),
            (Some("ann"), &["bob.1"], &["ann.1", "both", "ann.2", "Zoë", "z"]),
            (Some("bob"), &["ann.1", "ann.2"], &["both", "bob.1", "Zoë", "z"]),
            (Some("Ann"), &["ann.1", "bob.1"], &["both", "Zoë", "z"]),
        ] {
            let of = |request: Request| match caller {
                Some(caller) => request.principal(caller),
                None => request,
            };
            for (method, member) in LISTS {
                assert_eq!(names(&of(list(revision, method)).send(&server), member), seen);
            }
            for name in seen {
                single(revision, name).into_iter().for_each(|request| {
                    of(request).send(&server).result();
                });
            }
            for name in hidden {
                let nobody = &format!("nobody{}", &name[name.len() - 2..]);
                for (hidden, nobody) in single(revision, name).into_iter().zip(single(revision, nobody)) {
                    let (hidden, nobody) = (of(hidden).send(&server), of(nobody).send(&server));
                    assert!(matches!(hidden.code(), Some(-32602 | -32002)), "{hidden}");
                    assert_eq!(hidden.status, nobody.status);
                    let alike =
                        nobody.to_string().replace(&format!("nobody{}", &name[name.len() - 2..]), name);
                    assert_eq!(hidden.to_string(), alike);
                }
            }
        }
    }
}

// Registries of one's own

/// A registry around sets that is never ready at once.
struct Late(Sets);

async fn hesitate() {
    let mut asked = false;
    std::future::poll_fn(
        |_| if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}

impl PromptRegistry for Late {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            PromptRegistry::list(&self.0.prompts, cx).wait().await
        })
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            PromptRegistry::find(&self.0.prompts, name, cx).wait().await
        })
    }
}

impl ResourceRegistry for Late {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            self.0.resources.list(cx).wait().await
        })
    }

    fn templates<'a>(
        &'a self,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            ResourceRegistry::templates(&self.0.resources, cx).wait().await
        })
    }

    fn find<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
        Reply::later(async move {
            hesitate().await;
            self.0.resources.find(uri, cx).wait().await
        })
    }
}

#[test]
fn a_registry_may_take_its_time() {
    let late = || Late(Sets::new(ALL));
    let server = Server::builder("late", "1").tools(Slow::new(&["z"])).prompts(late()).resources(late());
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        for list in &LISTS[1..] {
            assert_eq!(paged(&server, revision, *list, || ()), [ALL]);
        }
        for request in single(revision, "z") {
            request.send(&server).result();
        }
    }
}

/// A registry whose database is gone.
pub(crate) struct Broken;

fn broken<T>() -> Reply<'static, Result<T, RegistryError>> {
    Reply::later(async { Err(RegistryError::new("password for db: hunter2")) })
}

impl PromptRegistry for Broken {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
        broken()
    }

    fn find<'a>(
        &'a self,
        _: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
        broken()
    }

    fn completes(&self) -> bool {
        true
    }
}

impl ResourceRegistry for Broken {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
        broken()
    }

    fn templates<'a>(
        &'a self,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
        broken()
    }

    fn find<'a>(
        &'a self,
        _: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
        broken()
    }
}

#[test]
fn a_registry_that_fails_is_an_internal_error_that_tells_nothing() {
    let server = Server::builder("broken", "1").tools(Failing { finds: false });
    let server = server.prompts(Broken).resources(Broken).build().unwrap();
    for revision in Revision::ALL {
        let mut requests: Vec<Request> = LISTS.map(|(method, _)| list(revision, method)).into();
        requests.extend(single(revision, "z"));
        for of in
            [json!({ "type": "ref/prompt", "name": "z" }), json!({ "type": "ref/resource", "uri": "z:z" })]
        {
            requests.push(Request::complete(revision, &of, "x", ""));
        }
        if revision == MODERN {
            requests.push(Request::listen(json!({ "resourceSubscriptions": ["test://z"] })));
        }
        for request in requests {
            let answer = request.send(&server);
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("hunter2"), "{answer}");
            assert!(answer.error_text().contains("reference"), "{answer}");
        }
    }
    assert_eq!(server.running_calls(), 0);
}

// What is not registered

#[test]
fn what_is_not_registered_does_not_exist() {
    let sets = Sets::new(&["z"]);
    let [tools, prompts, resources] = [
        Server::builder("a", "1").tools(sets.tools.clone()),
        Server::builder("a", "1").prompts(sets.prompts.clone()),
        Server::builder("a", "1").resources(sets.resources.clone()),
    ];
    for (server, has, capability) in
        [(tools, "tools/", "tools"), (prompts, "prompts/", "prompts"), (resources, "resources/", "resources")]
    {
        let server = server.build().unwrap();
        for revision in Revision::ALL {
            let [get, read, read_too] = single(revision, "z");
            let of = json!({ "type": "ref/prompt", "name": "z" });
            let mut requests = vec![
                Request::call(revision, "z", json!({})),
                get,
                read,
                read_too,
                Request::complete(revision, &of, "x", ""),
            ];
            requests.extend(LISTS.map(|(method, _)| list(revision, method)));
            for request in requests {
                let method = request.method.clone().unwrap();
                let answer = request.send(&server);
                if method.contains(has) {
                    answer.result();
                } else {
                    answer.is_error(if revision == MODERN { 404 } else { 200 }, -32601);
                }
            }
            let opening = Request::open(revision).send(&server);
            let declared: Vec<&String> =
                opening.result()["capabilities"].as_object().unwrap().keys().collect();
            assert_eq!(declared, [capability], "{opening}");
        }
    }
}
