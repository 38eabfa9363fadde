//! Tools that ask their client: what is asked, what counts as an answer, and what a state is worth in other hands.

use mcp_http::input::{Elicited, Field, Form, Questions, Sampling, TextFormat};
use mcp_http::{
    CallContext, Capability, Revision, SealingKey, Server, ServerBuilder, Tool, ToolError, ToolSet,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::request::{CAPABILITIES, LEGACY, MODERN, Request, Timer};

#[derive(Deserialize)]
struct Trip {
    city: String,
    bags: Option<u8>,
}

fn trip(questions: &mut Questions) -> Option<Elicited<Trip>> {
    let form = Form::new("Where to?")
        .field("city", Field::text().title("City").min(2))
        .optional("bags", Field::integer().min(0).max(3));
    questions.elicit("trip", form)
}

fn book(cx: CallContext) -> Result<String, ToolError> {
    let mut questions = cx.questions();
    match trip(&mut questions) {
        None => Err(questions.ask()),
        Some(Elicited::Accepted(Trip { city, bags })) => Ok(format!("{city} with {bags:?} bags")),
        Some(Elicited::Declined) => Ok("declined".to_owned()),
        Some(Elicited::Cancelled) => Ok("cancelled".to_owned()),
    }
}

/// Asks for one thing after the other, and keeps how often it was called.
fn in_turn(cx: CallContext) -> Result<String, ToolError> {
    let mut questions = cx.questions();
    let round = questions.state::<u32>().unwrap_or(0) + 1;
    questions.keep(&round);
    let Some(trip) = trip(&mut questions) else { return Err(questions.ask()) };
    let Some(text) = questions.sample("text", Sampling::new(10).user("A word?")) else {
        return Err(questions.ask());
    };
    let Some(roots) = questions.roots("roots") else { return Err(questions.ask()) };
    let city = trip.accepted().map_or_else(|| "nowhere".to_owned(), |trip| trip.city);
    Ok(format!("{city}, {}, {} roots, round {round}", text.text(), roots.len()))
}

fn nothing(cx: CallContext) -> Result<String, ToolError> {
    Err(cx.questions().ask())
}

fn can(cx: CallContext) -> String {
    use Capability::{ElicitationForm, ElicitationUrl, Roots, Sampling, SamplingTools};
    let questions = cx.questions();
    let all = [ElicitationForm, ElicitationUrl, Sampling, SamplingTools, Roots];
    format!("{:?}", all.map(|capability| questions.can(capability)))
}

fn tool(name: &str, run: fn(CallContext) -> Result<String, ToolError>) -> mcp_http::ToolBuilder {
    Tool::builder(name).handler(run).input_schema(any_arguments())
}

fn any_arguments() -> Value {
    json!({ "type": "object" })
}

pub(crate) fn builder() -> ServerBuilder {
    let visit = Tool::builder("visit").handler(|cx: CallContext| {
        let mut questions = cx.questions();
        match questions.elicit_url("page", "Sign in", "https://example.com/sign-in") {
            None => Err(questions.ask()),
            Some(answer) => Ok(format!("{answer:?}")),
        }
    });
    let tools = ToolSet::new()
        .with(tool("book", book))
        .and_then(|tools| tools.with(tool("book_too", book)))
        .and_then(|tools| tools.with(tool("in_turn", in_turn)))
        .and_then(|tools| tools.with(tool("in_turn_too", in_turn)))
        .and_then(|tools| tools.with(tool("nothing", nothing)))
        .and_then(|tools| tools.with(visit.input_schema(any_arguments())))
        .and_then(|tools| tools.with(Tool::builder("can").handler(can).input_schema(any_arguments())))
        .unwrap();
    Server::builder("asks", "1").tools(tools)
}

fn server() -> Server {
    builder().build().unwrap()
}

pub(crate) fn able() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} })
}

fn call(tool: &str) -> Request {
    Request::call(MODERN, tool, json!({ "a": 1, "b": [{ "x": 1, "y": 2 }] })).meta(CAPABILITIES, able())
}

pub(crate) fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[track_caller]
pub(crate) fn asked(answer: &Answer) -> &Map<String, Value> {
    let result = answer.result();
    assert_eq!(result["resultType"], "input_required", "{answer}");
    assert_eq!(result.get("content"), None, "{answer}");
    assert!(result.get("ttlMs").is_none() && result.get("cacheScope").is_none(), "{answer}");
    assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object(), "{answer}");
    result["inputRequests"].as_object().unwrap_or_else(|| panic!("{answer}"))
}

#[track_caller]
fn text(answer: &Answer) -> &str {
    assert_eq!(answer.tool_result()["resultType"], "complete", "{answer}");
    answer.result()["content"][0]["text"].as_str().unwrap()
}

#[track_caller]
pub(crate) fn state(answer: &Answer) -> String {
    answer.result()["requestState"].as_str().unwrap_or_else(|| panic!("no state: {answer}")).to_owned()
}

#[test]
fn what_a_tool_needs_is_asked_in_its_result() {
    let answer = call("book").send(&server());
    assert_eq!(
        Value::Object(asked(&answer).clone()),
        json!({ "trip": { "method": "elicitation/create", "params": {
            "mode": "form",
            "message": "Where to?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "city": { "type": "string", "title": "City", "minLength": 2 },
                    "bags": { "type": "integer", "minimum": 0, "maximum": 3 },
                },
                "required": ["city"],
            },
        } } })
    );
    assert_eq!(answer.result().get("requestState"), None, "nothing was kept");
}

#[test]
fn an_answer_completes_the_call_and_unknown_keys_harm_nobody() {
    let answers = json!({ "trip": accept(json!({ "city": "Oslo", "bags": 2 })), "other": 5 });
    let answer = call("book").set_param("inputResponses", answers).send(&server());
    assert_eq!(text(&answer), "Oslo with Some(2) bags");
    for (action, expected) in [("decline", "declined"), ("cancel", "cancelled")] {
        let answers = json!({ "trip": { "action": action } });
        assert_eq!(text(&call("book").set_param("inputResponses", answers).send(&server())), expected);
    }
    let agreed = json!({ "page": { "action": "accept" } });
    let answer = call("visit").set_param("inputResponses", agreed).send(&server());
    assert_eq!(text(&answer), "Accepted(())");
    let answer = call("visit").send(&server());
    assert_eq!(
        asked(&answer)["page"]["params"],
        json!({ "mode": "url", "message": "Sign in", "url": "https://example.com/sign-in" })
    );
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let wrong = [
        json!({}),
        json!({ "Trip": accept(json!({ "city": "Oslo" })) }),
        json!({ "trip": null }),
        json!({ "trip": 12345 }),
        json!({ "trip": "accept" }),
        json!({ "trip": { "content": { "city": "Oslo" } } }),
        json!({ "trip": { "action": "agree", "content": { "city": "Oslo" } } }),
        json!({ "trip": { "action": "accept" } }),
        json!({ "trip": { "action": "accept", "content": null } }),
        json!({ "trip": accept(json!([])) }),
        json!({ "trip": accept(json!({})) }),
        json!({ "trip": accept(json!({ "city": 5 })) }),
        json!({ "trip": accept(json!({ "city": "X" })) }),
        json!({ "trip": accept(json!({ "city": "Oslo", "bags": 4 })) }),
        json!({ "trip": accept(json!({ "city": "Oslo", "bags": "2" })) }),
    ];
    for answers in wrong {
        let answer = call("book").set_param("inputResponses", answers.clone()).send(&server());
        assert_eq!(asked(&answer).keys().collect::<Vec<_>>(), ["trip"], "{answers}");
    }
    for answers in [json!(null), json!([]), json!("trip"), json!(5)] {
        call("book").set_param("inputResponses", answers).send(&server()).is_error(200, -32602);
    }
    for state in [json!(null), json!(5), json!({})] {
        call("book").set_param("requestState", state).send(&server()).is_error(200, -32602);
    }
}

#[test]
fn a_client_is_asked_only_what_it_declared() {
    for (tool, declared, needed) in [
        ("book", json!({}), json!({ "elicitation": { "form": {} } })),
        ("book", json!({ "elicitation": { "url": {} } }), json!({ "elicitation": { "form": {} } })),
        ("visit", json!({ "elicitation": {} }), json!({ "elicitation": { "url": {} } })),
    ] {
        let answer = call(tool).meta(CAPABILITIES, declared).send(&server());
        answer.is_error(400, -32021);
        assert_eq!(answer.json()["error"]["data"]["requiredCapabilities"], needed, "{answer}");
    }
    assert!(
        !asked(&call("book").meta(CAPABILITIES, json!({ "elicitation": {} })).send(&server())).is_empty()
    );
    assert_eq!(text(&call("can").send(&server())), "[true, true, true, false, true]");
    for revision in LEGACY {
        let answer = Request::call(revision, "can", json!({})).send(&server());
        assert_eq!(answer.result()["content"][0]["text"], "[false, false, false, false, false]");
    }
}

#[test]
fn a_tool_is_written_from_its_first_question_to_its_last() {
    let server = server();
    let first = call("in_turn").send(&server);
    assert!(asked(&first).keys().eq(["trip"]));
    let request = call("in_turn")
        .set_param("inputResponses", json!({ "trip": accept(json!({ "city": "Oslo" })) }))
        .set_param("requestState", state(&first));
    let second = request.send(&server);
    assert!(asked(&second).keys().eq(["text"]));
    let sampled =
        json!({ "role": "assistant", "content": { "type": "text", "text": "fjord" }, "model": "m" });
    let request = call("in_turn")
        .set_param("inputResponses", json!({ "text": sampled }))
        .set_param("requestState", state(&second));
    let third = request.send(&server);
    assert!(asked(&third).keys().eq(["roots"]));
    let request = call("in_turn")
        .set_param("inputResponses", json!({ "roots": { "roots": [{ "uri": "file:///a" }] } }))
        .set_param("requestState", state(&third));
    assert_eq!(text(&request.send(&server)), "Oslo, fjord, 1 roots, round 4");
}

#[test]
fn a_state_serves_the_request_that_it_was_given_and_no_other() {
    let server = server();
    let given = state(&call("in_turn").principal("ann").send(&server));
    let again = |request: Request| request.set_param("requestState", given.clone()).send(&server);
    // The same, in other words.
    let same = json!({ "b": [{ "y": 2, "x": 1 }], "a": 1 });
    asked(&again(call("in_turn").principal("ann")));
    asked(&again(
        Request::call(MODERN, "in_turn", same).meta(CAPABILITIES, able()).principal("ann").id("77"),
    ));

    let other_arguments = Request::call(MODERN, "in_turn", json!({ "a": 2 })).meta(CAPABILITIES, able());
    for foreign in [
        call("in_turn"),
        call("in_turn").principal("eve"),
        call("in_turn_too").principal("ann"),
        other_arguments.principal("ann"),
    ] {
        let answer = again(foreign);
        answer.is_error(200, -32602);
        assert!(answer.error_text().contains("requestState"), "{answer}");
    }
    for at in 0..given.len() {
        let mut forged = given.clone().into_bytes();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        let answer = call("in_turn").principal("ann").set_param("requestState", forged).send(&server);
        answer.is_error(200, -32602);
    }
    for forged in ["", "x", &given[1..], &format!("{given}A")] {
        let request = call("in_turn").principal("ann").set_param("requestState", forged);
        request.send(&server).is_error(200, -32602);
    }
}

/// What no number of ours can hold, or nests as deep as it may, hides nothing of what a state is bound to.
#[test]
fn a_state_is_bound_to_the_request_however_it_is_written() {
    let server = server();
    let deep = format!("{}{}", "[".repeat(125), "]".repeat(125));
    for odd in ["1e400", "-1e999", deep.as_str()] {
        let written = |request: &Request, argument: bool| {
            let body = String::from_utf8(request.bytes()).unwrap();
            let place = if argument { r#""arguments":{"# } else { r#""_meta":{"# };
            let mut request = request.clone();
            request.body = Some(body.replacen(place, &format!(r#"{place}"odd":{odd},"#), 1).into_bytes());
            request
        };
        let first = written(&call("in_turn"), false).send(&server);
        let given = state(&first);
        asked(&written(&call("in_turn").set_param("requestState", given.clone()), false).send(&server));
        for other in [
            call("in_turn_too"),
            Request::call(MODERN, "in_turn", json!({ "a": 2 })).meta(CAPABILITIES, able()),
        ] {
            let request = other.set_param("requestState", given.clone());
            written(&request, false).send(&server).is_error(200, -32602);
        }
    }
}

#[test]
fn a_mistake_of_the_tool_is_told_in_the_log_and_no_user_is_asked_for_ever() {
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Other {
        missing: String,
    }
    let unfit = Tool::builder("unfit").handler(|cx: CallContext| {
        let mut questions = cx.questions();
        match questions.elicit::<Other>("form", Form::new("?").field("it", Field::text())) {
            None => Err(questions.ask()),
            Some(_) => Ok("answered"),
        }
    });
    let tools = ToolSet::new().with(unfit.input_schema(any_arguments())).unwrap();
    let server = Server::builder("asks", "1").tools(tools).build().unwrap();
    let answers = json!({ "form": accept(json!({ "it": "x" })) });
    let answer = call("unfit").set_param("inputResponses", answers).send(&server);
    assert!(answer.tool_error().starts_with("the tool failed"), "{answer}");
}

#[test]
fn answers_of_models_and_folders_have_their_shape_or_are_none() {
    let server = server();
    let city = json!({ "trip": accept(json!({ "city": "Oslo" })) });
    let with = |key: &str, answer: Value| {
        let mut answers = city.clone();
        answers[key] = answer;
        call("in_turn").set_param("inputResponses", answers).send(&server)
    };
    let text = json!({ "type": "text", "text": "x" });
    for sampled in [
        json!({ "role": "user", "content": text, "model": "m" }),
        json!({ "role": "assistant", "content": {}, "model": "m" }),
        json!({ "role": "assistant", "content": [], "model": "m" }),
        json!({ "role": "assistant", "content": [1], "model": "m" }),
        json!({ "role": "assistant", "content": text }),
        json!("x"),
    ] {
        assert!(asked(&with("text", sampled.clone())).contains_key("text"), "{sampled}");
    }
    let sampled = json!({ "role": "assistant", "content": [text, text], "model": "m" });
    assert!(asked(&with("text", sampled)).contains_key("roots"));
}

#[test]
fn a_question_on_an_open_stream_is_its_last_event() {
    let ask = Tool::builder("ask").handler(|cx: CallContext| {
        cx.progress(1.0, None, None);
        let mut questions = cx.questions();
        match questions.roots("roots") {
            None => Err(questions.ask()),
            Some(_) => Ok("answered"),
        }
    });
    let tools = ToolSet::new().with(ask.input_schema(any_arguments())).unwrap();
    let server = Server::builder("asks", "1").tools(tools).build().unwrap();
    for (declared, last) in [(able(), "input_required"), (json!({}), "-32021")] {
        let request = call("ask").meta(CAPABILITIES, declared).meta("progressToken", 1);
        let events = request.events(&server);
        assert_eq!(events.len(), 2, "{events:?}");
        assert!(events[1].contains(last), "{events:?}");
    }
}

#[test]
fn a_state_is_sealed_with_the_key_of_the_server_and_expires() {
    let (key, ttl) = (SealingKey::new([9; 32]), std::time::Duration::from_secs(60));
    let with_key = || builder().sealing_key(key.clone()).state_ttl(ttl).build().unwrap();
    let at = |request: Request, seconds: u64, server: &Server| {
        request.send_to_service(server, Timer::At(1_000_000 + seconds))
    };
    let given = state(&at(call("in_turn"), 0, &with_key()));
    let again = || call("in_turn").set_param("requestState", given.clone());
    asked(&at(again(), 59, &with_key()));
    at(again(), 60, &with_key()).is_error(200, -32602);
    let other = builder().sealing_key(SealingKey::new([8; 32])).build().unwrap();
    at(again(), 0, &other).is_error(200, -32602);
    assert!(!given.contains("round") && !given.contains('='), "{given}");
}

#[test]
fn older_clients_are_told_that_they_cannot_be_asked() {
    for revision in LEGACY {
        for tool in ["book", "in_turn", "visit"] {
            let answer = Request::call(revision, tool, json!({}))
                .set_param("inputResponses", json!({ "trip": accept(json!({ "city": "Oslo" })) }))
                .set_param("requestState", "x")
                .send(&server());
            assert!(answer.tool_error().contains("cannot be asked"), "{answer}");
        }
    }
}

#[test]
fn a_tool_that_asks_nothing_fails_alone() {
    for revision in Revision::ALL {
        let answer = Request::call(revision, "nothing", json!({})).send(&server());
        assert!(answer.tool_error().starts_with("the tool failed"), "{answer}");
    }
}

/// A field of each kind, and what it accepts and refuses.
pub(crate) fn fields() -> Vec<(Field, Value, Value)> {
    vec![
        (Field::text().max(3).default("a"), json!("abc"), json!("abcd")),
        (Field::formatted(TextFormat::DateTime).description("When"), json!("any"), json!(5)),
        (Field::formatted(TextFormat::Email), json!("a@b.c"), json!(null)),
        (Field::formatted(TextFormat::Uri), json!("x:y"), json!([])),
        (Field::formatted(TextFormat::Date), json!("2026-07-28"), json!({})),
        (Field::number().min(1).max(2).default(1.5), json!(1.5), json!(2.5)),
        (Field::integer().default(3), json!(7), json!(7.5)),
        (Field::boolean().default(true), json!(false), json!("false")),
        (Field::one_of(["a", "b"]).default("a"), json!("b"), json!("c")),
        (Field::one_of_titled([("a", "A"), ("b", "B")]).default("b"), json!("a"), json!("A")),
        (Field::any_of(["a", "b"]).min(1).max(2).default(["a"].as_slice()), json!(["a", "b"]), json!([])),
        (Field::any_of_titled([("a", "A"), ("b", "B")]), json!([]), json!(["A"])),
    ]
}

pub(crate) fn asking_for(field: Field) -> ServerBuilder {
    let ask = Tool::builder("ask").handler(move |cx: CallContext| {
        let mut questions = cx.questions();
        let form = Form::new("One field").field("it", field.clone());
        match questions.elicit::<Value>("form", form) {
            None => Err(questions.ask()),
            Some(answer) => Ok(answer.accepted().map(|content| content["it"].to_string())),
        }
    });
    let tools = ToolSet::new().with(ask.input_schema(any_arguments())).unwrap();
    Server::builder("asks", "1").tools(tools)
}

#[test]
fn every_kind_of_field_is_asked_in_the_published_shape_and_held_to_it() {
    for (field, good, bad) in fields() {
        let server = asking_for(field.clone()).build().unwrap();
        asked(&call("ask").send(&server));
        let with = |it: &Value| {
            let answers = json!({ "form": accept(json!({ "it": it })) });
            call("ask").set_param("inputResponses", answers).send(&server)
        };
        assert_eq!(text(&with(&good)), good.to_string(), "{field:?}");
        assert!(!asked(&with(&bad)).is_empty(), "{field:?} takes {bad}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Booking {
    /// Where to go
    city: String,
    bags: Option<u8>,
    #[serde(default = "yes")]
    window: bool,
    class: Class,
    extras: Vec<Class>,
    price: f64,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    Eco,
    Business,
}

#[test]
fn a_form_is_made_of_a_flat_struct() {
    let form = Form::of::<Booking>("Book").unwrap();
    let class = json!({ "type": "string", "enum": ["eco", "business"] });
    let by_hand = [
        ("city", json!({ "type": "string", "description": "Where to go" }), true),
        ("bags", json!({ "type": "integer", "minimum": 0, "maximum": 255 }), false),
        ("window", json!({ "type": "boolean", "default": true }), false),
        ("class", class.clone(), true),
        ("extras", json!({ "type": "array", "items": class }), true),
        ("price", json!({ "type": "number" }), true),
    ];
    let expected = by_hand.into_iter().fold(Form::new("Book"), |form, (name, schema, required)| {
        let field = Field::schema(schema.as_object().unwrap().clone());
        if required { form.field(name, field) } else { form.optional(name, field) }
    });
    assert_eq!(form, expected);

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        booking: Booking,
    }
    let error = Form::of::<Nested>("Nested").unwrap_err();
    assert!(error.to_string().contains("booking"), "{error}");
    assert!(Form::of::<Vec<String>>("A list").is_err());
    assert!(Form::of::<Nothing>("Nothing").is_err());
}

#[derive(JsonSchema)]
struct Nothing {}
