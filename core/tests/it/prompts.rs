//! Prompts: how they are listed, what makes their messages, and what may go wrong on the way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use mcp_http::input::{Elicited, Field, Form};
use mcp_http::{
    CallContext, Completing, Content, Icon, Prompt, PromptArgument, PromptBuilder, PromptMessage,
    PromptOutput, PromptRegistry, PromptSet, RegisterError, ResourceContents, Revision, Role, Server,
    ServerBuilder, ToolError,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::input::{able, accept, asked, state};
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, Timer, in_base64};
use crate::sessions::{self, Client};
use crate::streams::{Got, Stage};

#[derive(Deserialize, JsonSchema, Debug)]
#[expect(dead_code, reason = "shown by its Debug")]
pub(crate) struct Typed {
    /// A text
    text: String,
    /// A number
    count: Option<u8>,
    ratio: Option<f64>,
    strict: Option<bool>,
    tone: Option<Tone>,
    #[serde(default)]
    depth: i64,
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tone {
    /// Never hurts
    Kind,
    /// Always right
    Strict,
}

fn message(text: &str) -> PromptMessage {
    PromptMessage::user(text)
}

#[derive(Deserialize)]
struct Trip {
    city: String,
}

fn ask(cx: CallContext) -> Result<String, ToolError> {
    let mut questions = cx.questions();
    let round = questions.state::<u32>().unwrap_or(0) + 1;
    questions.keep(&round);
    match questions.elicit::<Trip>("trip", Form::new("Where to?").field("city", Field::text())) {
        None => Err(questions.ask()),
        Some(Elicited::Accepted(Trip { city })) => Ok(format!("{city} in round {round}")),
        Some(Elicited::Declined | Elicited::Cancelled) => Ok("nowhere".to_owned()),
    }
}

/// Prompts of every kind, but for those that sleep or panic.
pub(crate) const NAMES: &[&str] = &[
    "decorated",
    "typed",
    "free",
    "text",
    "str",
    "cow",
    "content",
    "message",
    "array",
    "vec",
    "none",
    "output",
    "ok",
    "blocks",
    "refuses",
    "leaks",
    "asks",
    "asks_too",
];

fn all() -> Vec<PromptBuilder> {
    let mut icon = Icon::new("https://example.com/icon.png");
    icon.mime_type = Some("image/png".to_owned());
    let decorated = Prompt::builder("decorated")
        .title("Decorated")
        .description("Has everything")
        .icon(icon)
        .meta("com.example/k", "v")
        .argument(PromptArgument::new("branch").title("Branch").description("Of git").required())
        .argument(PromptArgument::new("tag"))
        .complete("branch", |typed: Completing| vec![format!("{}in", typed.value)])
        .handler(|texts: BTreeMap<String, String>| format!("{texts:?}"));
    vec![
        decorated,
        Prompt::builder("typed").handler(|args: Typed| format!("{args:?}")),
        Prompt::builder("free").handler(|texts: BTreeMap<String, String>| format!("{texts:?}")),
        Prompt::builder("text").handler(|| "x".to_owned()),
        Prompt::builder("str").handler(async || "x"),
        Prompt::builder("cow").handler(|| Cow::Borrowed("x")),
        Prompt::builder("content").handler(|| Content::image([1], "image/png")),
        Prompt::builder("message").handler(|| PromptMessage::assistant("x")),
        Prompt::builder("array").handler(|| [message("x"), PromptMessage::assistant("y")]),
        Prompt::builder("vec").handler(async |_: CallContext| vec![message("x")]),
        Prompt::builder("none").description("Says nothing").handler(Vec::<PromptMessage>::new),
        Prompt::builder("output").description("of the prompt").handler(|| {
            PromptOutput::new([message("x")]).description("of its messages").meta("com.example/n", 5)
        }),
        Prompt::builder("ok").description("of the prompt").handler(|| Ok::<_, ToolError>("x")),
        Prompt::builder("blocks").handler(|| {
            let user = |content| PromptMessage::new(Role::User, content);
            [
                user(Content::audio([1, 2, 3], "audio/wav")),
                user(Content::resource_link("file:///a.txt", "a")),
                user(Content::resource(ResourceContents::text("file:///a.txt", "a").mime_type("text/plain"))),
                user(Content::resource(ResourceContents::blob("file:///b.bin", [0, 255]))),
            ]
        }),
        Prompt::builder("refuses").handler(|| Err::<&str, _>(ToolError::new("the moon is not full"))),
        Prompt::builder("leaks").handler(|| Err::<&str, _>(std::io::Error::other("/etc/secret"))),
        Prompt::builder("asks").argument(PromptArgument::new("a")).handler(ask),
        Prompt::builder("asks_too").argument(PromptArgument::new("a")).handler(ask),
        Prompt::builder("panics").handler(panics),
        Prompt::builder("sleeps").handler(async |cx: CallContext| {
            std::future::pending::<()>().await;
            drop(cx);
            "rested"
        }),
        Prompt::builder("Grüße ☕").handler(|| "x"),
    ]
}

fn panics() -> &'static str {
    panic!("a prompt that panics, for a test")
}

pub(crate) fn prompts() -> PromptSet {
    serving(all())
}

fn serving(prompts: impl IntoIterator<Item = PromptBuilder>) -> PromptSet {
    let set = PromptSet::new();
    prompts.into_iter().for_each(|prompt| set.add(prompt).unwrap());
    set
}

fn builder() -> ServerBuilder {
    Server::builder("prompts", "1").prompts(prompts())
}

fn server() -> Server {
    builder().build().unwrap()
}

#[track_caller]
fn messages(answer: &Answer) -> &Value {
    &answer.result()["messages"]
}

#[track_caller]
fn says(answer: &Answer) -> &str {
    let messages = messages(answer).as_array().unwrap();
    assert_eq!(messages.len(), 1, "{answer}");
    messages[0]["content"]["text"].as_str().unwrap()
}

#[track_caller]
fn typed(arguments: Value) -> Answer {
    Request::get(MODERN, "typed", arguments).send(&server())
}

#[test]
fn a_prompt_is_listed_with_all_that_its_revision_has() {
    for revision in Revision::ALL {
        let answer = Request::new(revision, "prompts/list", json!({})).send(&server());
        let mut expected = json!({
            "name": "decorated",
            "title": "Decorated",
            "description": "Has everything",
            "icons": [{ "src": "https://example.com/icon.png", "mimeType": "image/png" }],
            "arguments": [
                { "name": "branch", "title": "Branch", "description": "Of git", "required": true },
                { "name": "tag" },
            ],
            "_meta": { "com.example/k": "v" },
        });
        if revision == Revision::V2025_06_18 {
            expected.as_object_mut().unwrap().remove("icons");
        }
        assert_eq!(answer.result()["prompts"][0], expected, "{revision}");
        let arguments = json!([
            { "name": "text", "description": "A text", "required": true },
            { "name": "count", "description": "A number" },
            { "name": "ratio" },
            { "name": "strict" },
            { "name": "tone", "description": "- `kind`: Never hurts\n- `strict`: Always right" },
            { "name": "depth" },
        ]);
        assert_eq!(answer.result()["prompts"][1], json!({ "name": "typed", "arguments": arguments }));
        assert_eq!(answer.result()["prompts"][3], json!({ "name": "text" }));
    }
}

#[test]
fn each_type_makes_its_messages() {
    let text = |role: &str, text: &str| json!({ "role": role, "content": { "type": "text", "text": text } });
    for revision in Revision::ALL {
        for (name, expected) in [
            ("text", json!([text("user", "x")])),
            ("str", json!([text("user", "x")])),
            ("cow", json!([text("user", "x")])),
            ("ok", json!([text("user", "x")])),
            ("output", json!([text("user", "x")])),
            ("message", json!([text("assistant", "x")])),
            ("array", json!([text("user", "x"), text("assistant", "y")])),
            ("vec", json!([text("user", "x")])),
            ("none", json!([])),
            (
                "content",
                json!([{ "role": "user", "content": { "type": "image", "data": "AQ==", "mimeType": "image/png" } }]),
            ),
        ] {
            let answer = Request::get(revision, name, json!({})).send(&server());
            assert_eq!(*messages(&answer), expected, "{name} in {revision}");
        }
        let blocks = Request::get(revision, "blocks", json!({})).send(&server());
        let types: Vec<&Value> =
            messages(&blocks).as_array().unwrap().iter().map(|message| &message["content"]["type"]).collect();
        assert_eq!(types, ["audio", "resource_link", "resource", "resource"]);
    }
}

#[test]
fn messages_have_the_description_of_their_prompt_unless_they_have_their_own() {
    for revision in Revision::ALL {
        for (name, expected) in
            [("ok", Some("of the prompt")), ("output", Some("of its messages")), ("text", None)]
        {
            let answer = Request::get(revision, name, json!({})).send(&server());
            assert_eq!(answer.result().get("description").and_then(Value::as_str), expected);
            let meta = answer.result().get("_meta").and_then(|meta| meta.get("com.example/n"));
            assert_eq!(meta.is_some(), name == "output");
            assert!(answer.result().get("ttlMs").is_none() && answer.result().get("cacheScope").is_none());
        }
    }
}

// Arguments

#[test]
fn arguments_are_texts_that_are_read_as_the_types_that_they_are_for() {
    let all = json!({
        "text": "7", "count": "255", "ratio": "0.5", "strict": "true", "tone": "kind", "depth": "-3",
    });
    for revision in Revision::ALL {
        let answer = Request::get(revision, "typed", all.clone()).send(&server());
        let read = r#"text: "7", count: Some(255), ratio: Some(0.5), strict: Some(true), tone: Some(Kind), depth: -3"#;
        assert_eq!(says(&answer), format!("Typed {{ {read} }}"));
        let answer = Request::get(revision, "typed", json!({ "text": "" })).send(&server());
        let read = r#"text: "", count: None, ratio: None, strict: None, tone: None, depth: 0"#;
        assert_eq!(says(&answer), format!("Typed {{ {read} }}"));
    }
    for text in ["true", "null", "[1]", "{\"a\":1}", "\"x\"", "1e400", "\u{0}", "☕"] {
        assert!(says(&typed(json!({ "text": text }))).contains(&format!("text: {text:?}")), "{text}");
    }
}

#[test]
fn what_is_missing_or_cannot_be_read_is_invalid_and_named() {
    let with = |name: &str, text: &str| {
        let mut arguments = json!({ "text": "x" });
        arguments[name] = text.into();
        arguments
    };
    for (arguments, named) in [
        (json!({}), "text"),
        (with("count", "256"), "count"),
        (with("count", "-1"), "count"),
        (with("count", "1.5"), "count"),
        (with("count", "x"), "count"),
        (with("count", ""), "count"),
        (with("ratio", "half"), "ratio"),
        (with("strict", "perhaps"), "strict"),
        (with("tone", "rude"), "tone"),
        (with("tone", "Kind"), "tone"),
        (with("depth", "9223372036854775808"), "depth"),
    ] {
        for revision in Revision::ALL {
            let answer = Request::get(revision, "typed", arguments.clone()).send(&server());
            answer.is_error(200, -32602);
            assert!(answer.error_text().contains(named), "{arguments}: {answer}");
        }
    }
    for revision in Revision::ALL {
        for missing in [json!({}), json!({ "tag": "1" })] {
            let answer = Request::get(revision, "decorated", missing).send(&server());
            answer.is_error(200, -32602);
            assert!(answer.error_text().contains("branch"), "{answer}");
        }
    }
}

/// A type may know more than its schema says.
#[test]
fn what_only_the_type_refuses_is_as_invalid() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(try_from = "String")]
    #[schemars(with = "String")]
    struct Even(String);
    impl TryFrom<String> for Even {
        type Error = &'static str;
        fn try_from(text: String) -> Result<Self, Self::Error> {
            if text.len() & 1 == 0 { Ok(Self(text)) } else { Err("an even number of letters") }
        }
    }
    #[derive(Deserialize, JsonSchema)]
    struct Args {
        word: Even,
    }
    let server = Server::builder("even", "1")
        .prompts(serving([Prompt::builder("even").handler(|args: Args| args.word.0)]))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let get = |word: &str| Request::get(revision, "even", json!({ "word": word })).send(&server);
        assert_eq!(says(&get("ab")), "ab");
        get("abc").is_error(200, -32602);
        assert!(get("abc").error_text().contains("word"), "{}", get("abc"));
    }
}

#[test]
fn an_argument_that_is_no_text_is_invalid_and_so_are_arguments_that_are_no_object() {
    for revision in Revision::ALL {
        for wrong in [json!(1), json!(true), json!(null), json!(["x"]), json!({ "x": "y" })] {
            for name in ["typed", "free", "text"] {
                let answer = Request::get(revision, name, json!({ "text": wrong })).send(&server());
                answer.is_error(200, -32602);
                assert!(answer.error_text().contains("text"), "{answer}");
            }
        }
        for wrong in [json!([]), json!("x"), json!(1), json!(false)] {
            Request::get(revision, "text", wrong).send(&server()).is_error(200, -32602);
        }
        for none in [json!(null), json!({})] {
            assert_eq!(says(&Request::get(revision, "text", none).send(&server())), "x");
        }
        let without = Request::get(revision, "text", json!({})).without_param("arguments");
        assert_eq!(says(&without.send(&server())), "x");
    }
}

#[test]
fn an_argument_that_a_prompt_does_not_have_is_refused_where_it_says_so() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Only {
        #[serde(default)]
        a: String,
    }
    let set = serving([
        Prompt::builder("only").handler(|only: Only| only.a),
        Prompt::builder("free").handler(|texts: BTreeMap<String, String>| format!("{texts:?}")),
        Prompt::builder("nothing").handler(|| "x"),
    ]);
    let server = Server::builder("only", "1").prompts(set).build().unwrap();
    for revision in Revision::ALL {
        let get = |name: &str| Request::get(revision, name, json!({ "b": "x" })).send(&server);
        for name in ["only", "nothing"] {
            get(name).is_error(200, -32602);
        }
        assert_eq!(says(&get("free")), r#"{"b": "x"}"#);
    }
}

#[test]
fn a_long_name_is_not_repeated_whole() {
    let long = "é".repeat(5000);
    for revision in Revision::ALL {
        for request in [
            Request::get(revision, &long, json!({})),
            Request::get(revision, "typed", json!({ "text": "x" })).argument(&long, 5),
            Request::get(revision, "text", json!({})).argument(&long, "5"),
            Request::get(revision, "typed", json!({ "text": "x", "tone": long })),
        ] {
            let answer = request.send(&server());
            answer.is_error(200, -32602);
            assert!(answer.body.len() < 1500, "{answer}");
        }
    }
}

// Names

#[test]
fn a_prompt_that_is_not_there_or_hidden_is_unknown() {
    let hiding = prompts().filter(|prompt, cx| prompt.name() != "text" || cx.principal().is_some());
    let hiding = Server::builder("hides", "1").prompts(hiding).build().unwrap();
    for revision in Revision::ALL {
        for name in ["nobody", "", "Text", "text ", "tex"] {
            let answer = Request::get(revision, name, json!({})).header("mcp-name", in_base64(name));
            let answer = answer.send(&server());
            answer.is_error(200, -32602);
            assert_eq!(answer.error_text(), format!("Unknown prompt: {name}"));
        }
        let hidden = Request::get(revision, "text", json!({ "even": 1 }));
        hidden.send(&hiding).is_error(200, -32602);
        let hidden = Request::get(revision, "text", json!({}));
        assert_eq!(hidden.send(&hiding).error_text(), "Unknown prompt: text");
        assert_eq!(says(&hidden.principal("ann").send(&hiding)), "x");
        for name in [json!(null), json!(5), json!(["text"])] {
            let answer = Request::get(revision, "text", json!({})).set_param("name", name).send(&server());
            answer.is_error(
                if revision == MODERN { 400 } else { 200 },
                if revision == MODERN { -32020 } else { -32602 },
            );
        }
    }
}

#[test]
fn the_name_header_repeats_the_name_of_the_prompt() {
    for (header, code) in [
        (Some("text"), None),
        (Some("=?base64?dGV4dA==?="), None),
        (Some("=?base64?dGV4dA?="), Some(-32020)),
        (Some("Text"), Some(-32020)),
        (Some("str"), Some(-32020)),
        (Some(""), Some(-32020)),
        (None, Some(-32020)),
    ] {
        let request = Request::get(MODERN, "text", json!({})).without("mcp-name");
        let request = if let Some(header) = header { request.header("mcp-name", header) } else { request };
        let answer = request.send(&server());
        assert_eq!(
            (answer.status, answer.code()),
            (if code.is_some() { 400 } else { 200 }, code),
            "{header:?}"
        );
    }
    assert_eq!(says(&Request::get(MODERN, "Grüße ☕", json!({})).send(&server())), "x");
    let raw = Request::get(MODERN, "Grüße ☕", json!({})).header("mcp-name", "Grüße ☕");
    raw.send(&server()).is_error(400, -32020);
    for revision in LEGACY {
        assert_eq!(
            says(&Request::get(revision, "text", json!({})).header("mcp-name", "other").send(&server())),
            "x"
        );
    }
}

// Failures

#[test]
fn a_prompt_that_fails_is_an_error_of_the_protocol_which_tells_what_it_was_meant_to() {
    for revision in Revision::ALL {
        let answer = Request::get(revision, "refuses", json!({})).send(&server());
        answer.is_error(200, -32603);
        assert_eq!(answer.error_text(), "the moon is not full");
        let answer = Request::get(revision, "leaks", json!({})).send(&server());
        answer.is_error(200, -32603);
        assert!(
            !answer.to_string().contains("secret") && answer.error_text().contains("reference"),
            "{answer}"
        );
    }
}

#[test]
fn a_prompt_that_panics_or_takes_too_long_is_an_error_that_tells_nothing() {
    let server = builder().deadline(Duration::from_secs(1)).build().unwrap();
    for revision in Revision::ALL {
        for (name, timer) in [("panics", Timer::Never), ("sleeps", Timer::Ready)] {
            let answer = Request::get(revision, name, json!({})).id("\"p\"").send_to_service(&server, timer);
            answer.is_error(200, -32603);
            assert_eq!(answer.id(), Some("\"p\""));
            assert!(!answer.to_string().contains("for a test"), "{answer}");
        }
        let answer = Request::get(revision, "text", json!({})).send_to_service(&server, Timer::Never);
        assert_eq!(says(&answer), "x");
    }
    assert_eq!(server.running_calls(), 0);
}

// Questions

fn get_asking(name: &str) -> Request {
    Request::get(MODERN, name, json!({ "a": "1" })).meta(CAPABILITIES, able())
}

#[test]
fn a_prompt_asks_its_client_in_its_result() {
    let server = server();
    let first = get_asking("asks").send(&server);
    assert_eq!(asked(&first)["trip"]["method"], "elicitation/create");
    let again = get_asking("asks").set_param("requestState", state(&first)).id("\"2\"");
    let second = again.clone().set_param("inputResponses", json!({ "trip": null })).send(&server);
    assert!(asked(&second).contains_key("trip"), "no answer is asked for again");
    let answers = json!({ "trip": accept(json!({ "city": "Oslo" })) });
    let done = again.set_param("inputResponses", answers.clone()).send(&server);
    assert_eq!((says(&done), &done.result()["resultType"]), ("Oslo in round 2", &json!("complete")));
    let done = get_asking("asks").set_param("inputResponses", answers).send(&server);
    assert_eq!(says(&done), "Oslo in round 1");
    let unable = get_asking("asks").meta(CAPABILITIES, json!({})).send(&server);
    unable.is_error(400, -32021);
    assert!(unable.error_text().contains("prompt asks"), "{unable}");
}

#[test]
fn the_state_of_a_prompt_serves_its_own_request_and_no_other() {
    let server = crate::input::builder().prompts(prompts()).build().unwrap();
    let given = state(&get_asking("asks").principal("ann").send(&server));
    let again = |request: Request| request.set_param("requestState", given.clone()).send(&server);
    asked(&again(get_asking("asks").principal("ann")));
    let other = Request::get(MODERN, "asks", json!({ "a": "2" })).meta(CAPABILITIES, able());
    let tool = Request::call(MODERN, "in_turn", json!({ "a": "1" })).meta(CAPABILITIES, able());
    for foreign in
        [get_asking("asks"), get_asking("asks").principal("eve"), get_asking("asks_too").principal("ann")]
            .into_iter()
            .chain([other.principal("ann"), tool.clone().principal("ann")])
    {
        again(foreign).is_error(200, -32602);
    }
    let of_tool = state(&tool.principal("ann").send(&server));
    get_asking("asks")
        .principal("ann")
        .set_param("requestState", of_tool)
        .send(&server)
        .is_error(200, -32602);
    for at in 0..given.len() {
        let mut forged = given.clone().into_bytes();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        let request = get_asking("asks").principal("ann").set_param("requestState", forged);
        request.send(&server).is_error(200, -32602);
    }
    for wrong in [json!(null), json!(5), json!([]), json!("")] {
        get_asking("asks").set_param("requestState", wrong).send(&server).is_error(200, -32602);
    }
}

#[test]
fn the_same_prompt_asks_older_clients_over_its_stream() {
    for revision in LEGACY {
        let server = builder().legacy_questions(true).build().unwrap();
        let client = Client::new(&server, revision);
        let get = client.with_session(Request::get(revision, "asks", json!({ "a": "1" })));
        let mut open = Stage::of(&server).open(&get);
        let question = sessions::asked(&mut open);
        client.reply(&question, ("result", accept(json!({ "city": "Oslo" })))).send(&server).is_accepted();
        let Got::Result(result) = open.next() else { panic!("no result") };
        assert_eq!(result["messages"][0]["content"]["text"], "Oslo in round 2");
        assert_eq!((open.next(), server.running_calls()), (Got::End, 0));
        let without = Request::get(revision, "asks", json!({})).send(&server);
        without.is_error(200, -32603);
        assert!(without.error_text().contains("cannot be asked"), "{without}");
    }
}

#[test]
fn a_prompt_says_what_it_does_before_its_messages() {
    let told = Prompt::builder("told").handler(|cx: CallContext| {
        cx.progress(1.0, 2.0, None);
        "x"
    });
    let server = Server::builder("told", "1").prompts(serving([told])).build().unwrap();
    for revision in Revision::ALL {
        let request = Request::get(revision, "told", json!({})).meta("progressToken", "t");
        let mut open = Stage::of(&server).open(&request);
        let progress = json!({ "progressToken": "t", "progress": 1, "total": 2 });
        assert_eq!(open.next(), Got::Said("progress".to_owned(), progress));
        assert!(matches!(open.next(), Got::Result(_)));
        assert_eq!(open.next(), Got::End);
    }
}

// At registration and at run time

#[test]
fn a_prompt_that_cannot_be_served_is_refused_with_its_name() {
    let prompt = || Prompt::builder("named");
    for (builder, why) in [
        (Prompt::builder("").handler(|| "x"), "name"),
        (prompt(), "handler"),
        (prompt().handler(|| "x").choices("nothing", ["a"]), "nothing"),
    ] {
        let error = PromptSet::new().add(builder).unwrap_err();
        assert!(matches!(&error, RegisterError::Prompt { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    }
    let set = serving([prompt().handler(|| "first")]);
    let error = set.add(prompt().handler(|| "second")).unwrap_err();
    assert!(error.to_string().contains("named"), "{error}");
    let twice = ["a", "b", "a"].map(|name| Prompt::builder(name).handler(|| "x"));
    set.replace(twice).unwrap_err();
    let server = Server::builder("set", "1").prompts(set.clone()).build().unwrap();
    assert_eq!(says(&Request::get(MODERN, "named", json!({})).send(&server)), "first");
    set.replace([Prompt::builder("b").handler(|| "new")]).unwrap();
    Request::get(MODERN, "named", json!({})).send(&server).is_error(200, -32602);
    assert_eq!(says(&Request::get(MODERN, "b", json!({})).send(&server)), "new");
    assert!(set.remove("b") && !set.remove("b"));
}

#[test]
fn a_declared_argument_stands_for_the_one_of_its_name() {
    let declared = Prompt::builder("declared")
        .argument(PromptArgument::new("count").title("Count").required())
        .argument(PromptArgument::new("extra"))
        .argument(PromptArgument::new("text"))
        .handler(|args: Typed| format!("{args:?}"));
    let server = Server::builder("declared", "1").prompts(serving([declared])).build().unwrap();
    let answer = Request::new(MODERN, "prompts/list", json!({})).send(&server);
    let arguments = answer.result()["prompts"][0]["arguments"].as_array().unwrap();
    let names: Vec<&Value> = arguments.iter().map(|argument| &argument["name"]).collect();
    assert_eq!(names, ["text", "count", "ratio", "strict", "tone", "depth", "extra"]);
    assert_eq!(arguments[1], json!({ "name": "count", "title": "Count", "required": true }));
    Request::get(MODERN, "declared", json!({ "text": "x" })).send(&server).is_error(200, -32602);
    Request::get(MODERN, "declared", json!({ "text": "x", "count": "1", "extra": "y" }))
        .send(&server)
        .result();
}
