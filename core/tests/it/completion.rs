//! Completion: which values a client is offered, and which references there are not.

use std::collections::BTreeMap;

use mcp_http::{
    Completing, Completion, Prompt, PromptBuilder, PromptRegistry, PromptSet, Resource, ResourceRegistry,
    ResourceSet, ResourceTemplate, Revision, Server, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::request::{LEGACY, MODERN, Request};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Strict,
    Stern,
}

#[derive(Deserialize, JsonSchema)]
enum Described {
    /// Never hurts
    Kind,
    /// Always right
    Strict,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Enums {
    tone: Tone,
    maybe: Option<Tone>,
    described: Option<Described>,
    chosen: Tone,
    free: Option<String>,
}

fn count(typed: Completing) -> Completion {
    Completion::new((0..typed.value.parse().unwrap()).map(|number: u64| number.to_string()))
}

fn prompt(name: &str) -> PromptBuilder {
    Prompt::builder(name).handler(|texts: BTreeMap<String, String>| format!("{texts:?}"))
}

fn argument(builder: PromptBuilder, name: &str) -> PromptBuilder {
    builder.argument(mcp_http::PromptArgument::new(name))
}

pub(crate) fn prompts() -> PromptSet {
    let enums = Prompt::builder("enums").choices("chosen", ["Own", "other"]).handler(|_: Enums| "x");
    let all = ["count", "more", "total", "context", "async", "fails", "fails_later", "caller", "plain"];
    let kinds = all.into_iter().fold(prompt("kinds"), argument);
    let kinds = kinds
        .complete("count", count)
        .complete("more", |_: Completing| Completion::new(["a"]).and_more())
        .complete("total", |typed: Completing| {
            Completion::new(["a", "b"]).total(typed.value.parse().unwrap())
        })
        .complete("context", |typed: Completing| vec![format!("{:?}", typed.arguments)])
        .complete("async", async |typed: Completing| vec![typed.value])
        .complete("fails", |_: Completing| Err::<Vec<String>, _>(std::io::Error::other("/etc/secret")))
        .complete("fails_later", async |_: Completing| Err::<Completion, _>("/etc/secret"))
        .complete("caller", |typed: Completing| {
            typed.cx.principal().map(|caller| caller.as_str().to_owned()).into_iter().collect::<Vec<_>>()
        });
    PromptSet::new().with(enums).unwrap().with(kinds).unwrap().with(prompt("none")).unwrap()
}

pub(crate) fn resources() -> ResourceSet {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Page {
        chapter: String,
        tone: Option<Tone>,
    }
    let template = ResourceTemplate::builder("book:{chapter}{?tone,other}", "page")
        .choices("chapter", ["one", "two"])
        .reader(|page: Page| page.chapter);
    ResourceSet::new()
        .with(Resource::builder("book:cover", "cover").text("x"))
        .and_then(|set| set.with_template(template))
        .unwrap()
}

fn server() -> Server {
    Server::builder("completes", "1").prompts(prompts()).resources(resources()).build().unwrap()
}

pub(crate) fn of_prompt(name: &str) -> Value {
    json!({ "type": "ref/prompt", "name": name })
}

pub(crate) fn of_template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

pub(crate) const BOOK: &str = "book:{chapter}{?tone,other}";

#[track_caller]
fn completion(answer: &Answer) -> &Value {
    &answer.result()["completion"]
}

#[track_caller]
fn offers(of: &Value, argument: &str, typed: &str, expected: Value) {
    for revision in Revision::ALL {
        let answer = Request::complete(revision, of, argument, typed).send(&server());
        assert_eq!(completion(&answer)["values"], expected, "{argument} {typed:?}: {answer}");
        assert_eq!(answer.result().get("resultType").is_some(), revision == MODERN);
        assert!(answer.result().get("ttlMs").is_none(), "{answer}");
    }
}

#[test]
fn choices_and_the_names_of_enums_are_offered_by_how_they_begin() {
    let enums = &of_prompt("enums");
    for (argument, typed, expected) in [
        ("tone", "", json!(["kind", "strict", "stern"])),
        ("tone", "s", json!(["strict", "stern"])),
        ("tone", "ST", json!(["strict", "stern"])),
        ("tone", "str", json!(["strict"])),
        ("tone", "x", json!([])),
        ("tone", "kind and more", json!([])),
        ("maybe", "k", json!(["kind"])),
        ("described", "", json!(["Kind", "Strict"])),
        ("described", "k", json!(["Kind"])),
        ("chosen", "", json!(["Own", "other"])),
        ("chosen", "o", json!(["Own", "other"])),
        ("free", "x", json!([])),
    ] {
        offers(enums, argument, typed, expected);
    }
    offers(&of_template(BOOK), "chapter", "t", json!(["two"]));
    offers(&of_template(BOOK), "tone", "k", json!(["kind"]));
    offers(&of_template(BOOK), "other", "k", json!([]));
    // Nothing can be filled in where nothing is left open.
    offers(&of_template("book:cover"), "chapter", "t", json!([]));
    offers(&of_template("book:one"), "chapter", "t", json!([]));
}

#[test]
fn a_hundred_values_are_sent_and_how_many_there_are() {
    for revision in Revision::ALL {
        for (typed, sent) in [(0, 0), (1, 1), (99, 99), (100, 100), (101, 100), (5000, 100)] {
            let request = Request::complete(revision, &of_prompt("kinds"), "count", &typed.to_string());
            let answer = request.send(&server());
            let values: Vec<String> = (0..sent).map(|number| number.to_string()).collect();
            let expected = json!({ "values": values, "total": typed, "hasMore": typed > sent });
            assert_eq!(*completion(&answer), expected);
        }
        let kinds = |argument: &str, typed: &str| {
            Request::complete(revision, &of_prompt("kinds"), argument, typed).send(&server())
        };
        assert_eq!(*completion(&kinds("more", "")), json!({ "values": ["a"], "hasMore": true }));
        for (said, total, more) in [("7", 7, true), ("2", 2, false), ("0", 2, false)] {
            let expected = json!({ "values": ["a", "b"], "total": total, "hasMore": more });
            assert_eq!(*completion(&kinds("total", said)), expected);
        }
    }
}

#[test]
fn a_completer_knows_what_is_filled_in_and_who_asks() {
    offers(&of_prompt("kinds"), "async", "a\"☕", json!(["a\"☕"]));
    offers(&of_prompt("kinds"), "context", "", json!(["{}"]));
    for revision in Revision::ALL {
        let request = Request::complete(revision, &of_prompt("kinds"), "context", "");
        for (context, expected) in [
            (json!({ "arguments": { "b": "2", "a": "1" } }), r#"{"a": "1", "b": "2"}"#),
            (json!({ "arguments": {} }), "{}"),
            (json!({}), "{}"),
            (json!({ "unknown": 1 }), "{}"),
        ] {
            let answer = request.clone().set_param("context", context).send(&server());
            assert_eq!(completion(&answer)["values"], json!([expected]));
        }
        let request = Request::complete(revision, &of_prompt("kinds"), "caller", "");
        assert_eq!(completion(&request.send(&server()))["values"], json!([]));
        assert_eq!(completion(&request.principal("ann").send(&server()))["values"], json!(["ann"]));
    }
}

#[test]
fn a_completer_that_fails_is_an_internal_error_that_tells_nothing() {
    for revision in Revision::ALL {
        for argument in ["fails", "fails_later"] {
            let answer = Request::complete(revision, &of_prompt("kinds"), argument, "").send(&server());
            answer.is_error(200, -32603);
            assert!(!answer.to_string().contains("secret"), "{answer}");
        }
    }
}

#[test]
fn what_is_not_there_or_hidden_cannot_be_completed() {
    let hiding = Server::builder("hides", "1")
        .prompts(prompts().filter(|prompt, cx| prompt.name() == "none" || cx.principal().is_some()))
        .resources(resources().filter(|_, cx| cx.principal().is_some()))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        for (of, argument) in [
            (of_prompt("nobody"), "tone"),
            (of_prompt(""), "tone"),
            (of_prompt("Enums"), "tone"),
            (of_prompt("enums"), "Tone"),
            (of_prompt("enums"), ""),
            (of_prompt("none"), "tone"),
            (of_template("nobody:{x}"), "x"),
            (of_template(""), "x"),
            (of_template("book:{chapter}"), "chapter"),
            (of_template(BOOK), "Chapter"),
            (of_template(BOOK), "?tone"),
        ] {
            let answer = Request::complete(revision, &of, argument, "").send(&server());
            answer.is_error(200, -32602);
        }
        for (of, argument) in [(of_prompt("enums"), "tone"), (of_template(BOOK), "chapter")] {
            let request = Request::complete(revision, &of, argument, "");
            let hidden = request.send(&hiding);
            hidden.is_error(200, -32602);
            let (name, nobody) = if argument == "tone" {
                ("enums".to_owned(), of_prompt("zzzzz"))
            } else {
                (BOOK.to_owned(), of_template("zzzzz"))
            };
            let nobody = Request::complete(revision, &nobody, argument, "").send(&hiding);
            assert_eq!(hidden.to_string().replace(&name, "zzzzz"), nobody.to_string());
            request.principal("ann").send(&hiding).result();
        }
        let long = "é".repeat(5000);
        for of in [of_prompt(&long), of_prompt("enums"), of_template(BOOK)] {
            let answer = Request::complete(revision, &of, &long, "").send(&server());
            answer.is_error(200, -32602);
            assert!(answer.error_text().len() < 1000, "{answer}");
        }
    }
}

/// The method is there as long as anything completes.
#[test]
fn a_reference_to_a_feature_that_is_not_there_is_a_wrong_param() {
    let prompts = Server::builder("prompts", "1").prompts(prompts()).build().unwrap();
    let resources = Server::builder("resources", "1").resources(resources()).build().unwrap();
    for revision in Revision::ALL {
        Request::complete(revision, &of_prompt("a"), "x", "").send(&resources).is_error(200, -32602);
        Request::complete(revision, &of_template("a:{x}"), "x", "").send(&prompts).is_error(200, -32602);
    }
}

#[test]
fn params_of_another_shape_are_invalid() {
    let good = |revision| Request::complete(revision, &of_prompt("enums"), "tone", "k");
    for revision in Revision::ALL {
        good(revision).send(&server()).result();
        for missing in ["ref", "argument"] {
            good(revision).without_param(missing).send(&server()).is_error(200, -32602);
        }
        for (param, wrong) in [
            ("ref", json!(null)),
            ("ref", json!("enums")),
            ("ref", json!({})),
            ("ref", json!({ "name": "enums" })),
            ("ref", json!({ "type": "ref/tool", "name": "enums" })),
            ("ref", json!({ "type": "ref/prompt" })),
            ("ref", json!({ "type": "ref/prompt", "uri": "enums" })),
            ("ref", json!({ "type": "ref/prompt", "name": null })),
            ("ref", json!({ "type": "ref/resource", "name": "book:cover" })),
            ("ref", json!(["ref/prompt", "enums"])),
            ("argument", json!(null)),
            ("argument", json!("tone")),
            ("argument", json!({ "name": "tone" })),
            ("argument", json!({ "value": "k" })),
            ("argument", json!({ "name": "tone", "value": null })),
            ("argument", json!({ "name": "tone", "value": 5 })),
            ("argument", json!({ "name": 5, "value": "k" })),
            ("argument", json!(["tone", "k"])),
            ("context", json!(null)),
            ("context", json!("x")),
            ("context", json!([])),
            ("context", json!([{}])),
            ("context", json!({ "arguments": null })),
            ("context", json!({ "arguments": [] })),
            ("context", json!({ "arguments": { "a": 1 } })),
        ] {
            let answer = good(revision).set_param(param, wrong.clone()).send(&server());
            assert_eq!((answer.status, answer.code()), (200, Some(-32602)), "{param}: {wrong}: {answer}");
        }
        // What is unknown is ignored.
        let mut of = of_prompt("enums");
        of["title"] = json!("Enums");
        good(revision).set_param("ref", of).set_param("more", 1).send(&server()).result();
    }
}

#[test]
fn completion_is_declared_exactly_when_something_completes() {
    let plain_prompts = || PromptSet::new().with(prompt("none")).unwrap();
    let plain_resources = || {
        let template = ResourceTemplate::builder("a:{x}", "a").reader(|| "x");
        ResourceSet::new().with_template(template).unwrap()
    };
    let builder = || Server::builder("declares", "1");
    for (builder, declares) in [
        (builder(), false),
        (builder().prompts(plain_prompts()), false),
        (builder().prompts(PromptSet::new()).resources(ResourceSet::new()), false),
        (builder().resources(plain_resources()), false),
        (builder().prompts(prompts()), true),
        (builder().prompts(plain_prompts()).resources(resources()), true),
        (builder().prompts(prompts()).resources(plain_resources()), true),
        (builder().prompts(prompts().filter(|_, _| false)), true),
        (builder().resources(std::sync::Arc::new(resources())), true),
    ] {
        let server = builder.build().unwrap();
        for revision in Revision::ALL {
            let opening = Request::open(revision).send(&server);
            let declared = opening.result()["capabilities"].get("completions");
            assert_eq!(declared, declares.then_some(&json!({})), "{opening}");
            let answer = Request::complete(revision, &of_prompt("none"), "x", "").send(&server);
            assert_eq!(answer.code() == Some(-32601), !declares, "{answer}");
            assert!(declares || answer.status == if LEGACY.contains(&revision) { 200 } else { 404 });
        }
    }
}

/// A prompt that cannot be made can be completed: the user is not there yet.
#[test]
fn completing_runs_nothing() {
    let refuses = Prompt::builder("refuses").choices("a", ["x"]);
    let refuses = argument(refuses, "a").handler(|| Err::<&str, _>(ToolError::new("no")));
    let set = PromptSet::new().with(refuses).unwrap();
    let server = Server::builder("refuses", "1").prompts(set).build().unwrap();
    for revision in Revision::ALL {
        let answer = Request::complete(revision, &of_prompt("refuses"), "a", "").send(&server);
        assert_eq!(completion(&answer)["values"], json!(["x"]));
    }
}
