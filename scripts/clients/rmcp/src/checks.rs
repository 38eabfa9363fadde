//! What the Rust client is held to: one list, which is run for every way to open a connection.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{Client, Failure};

/// Long enough for a busy machine; a check that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(20);

/// Within this time the client hears of a change.
const HEARING: Duration = Duration::from_secs(5);

/// Within so many keep-alives the server has dropped a call whose client has left: two, and some time to spare.
const PATIENCE: u32 = 8;

/// The member of the `_meta` of a result of `slow` that counts the calls that were dropped.
const DROPPED: &str = "io.github.mcp-http/dropped";

type Outcome = Result<(), String>;
/// A name, and what to do or why it is not done.
type Entry = (String, Result<Body, &'static str>);
type Body = Box<dyn Fn(Arc<Client>) -> Pin<Box<dyn Future<Output = Outcome>>>>;

#[derive(Default)]
pub struct Report {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
}

impl Report {
    fn tell(&mut self, label: &str, what: &str, outcome: Outcome) {
        match outcome {
            Ok(()) => {
                self.passed += 1;
                println!("PASS {label} {what}");
            }
            Err(why) => {
                self.failed += 1;
                let why: Vec<&str> = why.split_whitespace().collect();
                println!("FAIL {label} {what} because {}", shortened(&why.join(" "), 300));
            }
        }
    }

    fn skip(&mut self, label: &str, what: &str, why: &str) {
        self.skipped += 1;
        println!("SKIP {label} {what} because {why}");
    }
}

pub async fn run(
    report: &mut Report,
    mode: &str,
    revision: &str,
    open: impl Future<Output = Result<Client, String>>,
) {
    let label = format!("{mode} {revision}");
    let client = match within(open).await {
        Ok(client) => Arc::new(client),
        Err(why) => return report.tell(&label, "connects", Err(why)),
    };
    report.tell(&label, "connects", Ok(()));
    report.tell(&label, "negotiates the revision", same(client.revision(), revision.to_owned()));
    // The beginnings of the names of the checks that are wanted; without any, all are.
    let wanted = std::env::var("MCP_CLIENTS_ONLY").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split('|').filter(|start| !start.is_empty()).collect();
    let is_wanted = |what: &str| wanted.is_empty() || wanted.iter().any(|start| what.starts_with(start));
    for (what, body) in checks(revision == "2026-07-28").into_iter().filter(|(what, _)| is_wanted(what)) {
        match body {
            Ok(body) => report.tell(&label, &what, within(body(Arc::clone(&client))).await),
            Err(why) => report.skip(&label, &what, why),
        }
    }
    let closed = match Arc::try_unwrap(client) {
        Ok(client) => within(client.close()).await,
        Err(_) => Err("a check still holds the connection".to_owned()),
    };
    report.tell(&label, "closes", closed);
}

fn checks(modern: bool) -> Vec<Entry> {
    let fixture = fixture();
    let mut checks = Checks(Vec::new());

    checks.add("names the server", async |client| {
        expect(!client.server_name().is_empty(), "its name is empty")
    });
    let wanted = fixture["tools"].clone();
    checks.add("lists the tools", async move |client| {
        let names: Vec<Value> = client.tools().await?.iter().map(|tool| tool["name"].clone()).collect();
        let missing: Vec<&Value> = list(&wanted).iter().filter(|name| !names.contains(name)).collect();
        expect(missing.is_empty(), format!("tools are missing: {missing:?}"))
    });
    checks
        .add("lists the same tools twice", async |client| same(client.tools().await?, client.tools().await?));
    checks.add("lists each name once", async |client| {
        let tools = client.tools().await?;
        let names: BTreeSet<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        same(names.len(), tools.len())
    });
    checks.add("lists object schemas and descriptions", async |client| {
        for tool in client.tools().await? {
            expect(tool["inputSchema"]["type"] == "object", &tool["name"])?;
            expect(tool["description"].as_str().is_some_and(|text| !text.is_empty()), &tool["name"])?;
        }
        Ok(())
    });
    checks.add("lists a schema of the application unchanged", async |client| {
        let tools = client.tools().await?;
        let tool =
            tools.iter().find(|tool| tool["name"] == "json_schema_2020_12_tool").ok_or("it is not there")?;
        let schema = &tool["inputSchema"];
        same(&schema["$schema"], &json!("https://json-schema.org/draft/2020-12/schema"))?;
        for keyword in ["$defs", "allOf", "if", "then", "else"] {
            expect(!schema[keyword].is_null(), format!("no {keyword}"))?;
        }
        same(&schema["$defs"]["address"]["$anchor"], &json!("addressDef"))?;
        same(&schema["additionalProperties"], &json!(false))
    });

    for case in list(&fixture["echo"]) {
        let times = case["times"].as_u64().unwrap_or(1);
        let text = case["text"].as_str().unwrap_or_default().repeat(usize::try_from(times).unwrap_or(1));
        checks.add(format!("echoes {}", word(case)), async move |client| echoes(&client, &text).await);
    }
    for case in list(&fixture["typed_arguments"]["good"]) {
        let arguments = case["arguments"].clone();
        let gives = case.get("gives").unwrap_or(&arguments).clone();
        checks.add(format!("takes {}", word(case)), async move |client| {
            let result = succeeds(client.call("test_typed_arguments", Some(&arguments)).await)?;
            same(parsed(&result)?, gives.clone())
        });
    }
    for case in list(&fixture["typed_arguments"]["bad"]) {
        let (arguments, names) = (case.get("arguments").cloned(), case["names"].clone());
        checks.add(format!("refuses {}", word(case)), async move |client| {
            let text = refusal(client.call("test_typed_arguments", arguments.as_ref()).await, -32602)?;
            for name in list(&names).iter().filter_map(Value::as_str) {
                expect(text.contains(name), format!("the text does not name {name}: {text}"))?;
            }
            echoes(&client, "still here").await
        });
    }
    let nested = fixture["configure"].clone();
    checks.add("takes nested arguments", async move |client| {
        let result = client.call("configure", Some(&nested)).await?;
        same(&result["structuredContent"], &nested)?;
        same(&parsed(&result)?, &nested)
    });
    checks.add("takes null for an optional argument", async |client| {
        let result =
            client.call("configure", Some(&json!({"name": "a", "limit": null, "note": null}))).await?;
        same(&result["structuredContent"], &json!({"name": "a"}))
    });
    for case in list(&fixture["mirrored"]) {
        let arguments = case["arguments"].clone();
        checks.add(format!("calls with mirrored arguments: {}", word(case)), async move |client| {
            client.tools().await?; // which tells a modern client what it has to mirror in headers
            let result = succeeds(client.call("test_x_mcp_header", Some(&arguments)).await)?;
            same(&parsed(&result)?, &arguments)
        });
    }

    for case in list(&fixture["content"]) {
        let case = case.clone();
        let tool = case["tool"].as_str().unwrap_or_default().to_owned();
        checks.add(format!("reads the content of {tool}"), async move |client| {
            let result = succeeds(client.call(&tool, None).await)?;
            let kinds: Vec<&Value> = list(&result["content"]).iter().map(|block| &block["type"]).collect();
            same(kinds, list(&case["kinds"]).iter().collect())?;
            if let Some(kind) = case.get("mimeType") {
                same(&result["content"][0]["mimeType"], kind)?;
            }
            for block in list(&result["content"]) {
                if matches!(block["type"].as_str(), Some("image" | "audio")) {
                    expect(block["data"].as_str().is_some_and(|data| !data.is_empty()), "no data")?;
                }
                if block["type"] == "resource" {
                    let resource = &block["resource"];
                    expect(resource["uri"].is_string() && resource["text"].is_string(), "no resource")?;
                }
            }
            Ok(())
        });
    }
    checks.add("reads structured content", async |client| {
        let result = client.call("test_structured_content", Some(&json!({"city": "Zürich"}))).await?;
        let output = &result["structuredContent"];
        same(&output["city"], &json!("Zürich"))?;
        let typed = output["temperature"].is_number()
            && output["conditions"].is_string()
            && output["humidity"].is_i64();
        expect(typed, output)?;
        same(&parsed(&result)?, output)
    });
    checks.add("accepts the output of weather", async |client| {
        let result = succeeds(client.call("weather", Some(&json!({"city": "Oslo"}))).await)?;
        let output = &result["structuredContent"];
        expect(output["temperature"].is_number() && output["conditions"].is_string(), output)
    });
    checks.add("accepts an error where there is an output schema", async |client| {
        same(&client.call("weather", Some(&json!({"city": "__fail__"}))).await?["isError"], &json!(true))
    });
    checks.add("accepts an array as output", async |client| {
        let result = succeeds(client.call("list_ids", None).await)?;
        let output = &result["structuredContent"];
        if client.revision() == "2026-07-28" {
            expect(output.is_array(), output)
        } else {
            // Structured content was an object then, so the array is wrapped or in the text alone.
            expect(output.is_null() || output["result"].is_array(), output)
        }
    });
    checks.add("accepts a tagged union as output", async |client| {
        let result = succeeds(client.call("outcome", None).await)?;
        let output = result["structuredContent"].as_object().ok_or("it is no object")?;
        expect(output.values().any(Value::is_string), "no tag")
    });

    let error_text = fixture["error_text"].clone();
    checks.add("reads the error of a tool", async move |client| {
        let result = client.call("test_error_handling", None).await?;
        same(&result["isError"], &json!(true))?;
        expect(text_of(&result)?.contains(error_text.as_str().unwrap_or_default()), &result)
    });
    checks.add("reads an error value as a result", async |client| {
        let result = client.call("fail", None).await?;
        same(&result["isError"], &json!(true))?;
        expect(!text_of(&result)?.is_empty(), "it has no text")
    });
    checks.add("outlives a panic, which tells nothing", async |client| {
        let text = refusal(client.call("panic", None).await, -32603)?;
        expect(!text.contains("secret"), text)?;
        echoes(&client, "still here").await
    });
    checks.add("gets -32602 for an unknown tool", async |client| {
        match client.call("no_such_tool", Some(&json!({}))).await {
            Ok(result) => return Err(format!("it got {result}")),
            Err(failure) => {
                same(failure.code, Some(-32602))?;
                expect(failure.text.contains("no_such_tool"), failure.text)?;
            }
        }
        echoes(&client, "still here").await
    });

    checks.add("gets its own answer to each of 16 calls at once", async |client| {
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..16 {
            let client = Arc::clone(&client);
            calls.spawn(async move { echoes(&client, &format!("call {number}")).await });
        }
        drop(client);
        calls.join_all().await.into_iter().collect()
    });
    checks.add("overtakes a slow call", async |client| {
        let arguments = json!({"seconds": 1, "label": "slow"});
        let slow = client.call("slow_compute", Some(&arguments));
        let quick = async {
            sleep(Duration::from_millis(100)).await;
            echoes(&client, "quick").await
        };
        tokio::pin!(slow);
        tokio::select! {
            biased; // so that of two answers that came together the slow one counts as the first
            _ = &mut slow => return Err("the slow call was answered first".into()),
            outcome = quick => outcome?,
        }
        succeeds(slow.await).map(drop)
    });
    let wanted: Vec<Value> = list(&fixture["progress"]).to_vec();
    checks.add("hears progress before the result", async move |client| {
        client.heard();
        succeeds(client.call("test_tool_with_progress", None).await)?;
        let mut heard = client.heard();
        // The client hands each notification to a task of its own, so the one right before the result may be late.
        expect(heard.len() + 1 >= wanted.len(), format!("it heard only {heard:?} before the result"))?;
        wait_for(&client, &mut heard, wanted.len()).await;
        let step = |step: &Value| {
            (step["progress"].as_f64(), step["total"].as_f64(), step["message"].as_str().map(str::to_owned))
        };
        same(heard.iter().map(step).collect(), wanted.iter().map(step).collect::<Vec<_>>())
    });
    let wanted: Vec<Value> = list(&fixture["logged"]).to_vec();
    checks.add("hears log messages", async move |client| {
        client.heard();
        // It also asks for progress, with every call, of which this tool makes none.
        succeeds(client.call_and_log("test_tool_with_logging", &json!({})).await)?;
        let mut heard = client.heard();
        wait_for(&client, &mut heard, wanted.len()).await;
        same(&heard, &wanted)
    });

    for case in list(&fixture["asked"]) {
        if !modern && stateless() {
            checks.skip(word(case), "the server cannot ask this revision");
            continue;
        }
        let case = case.clone();
        let tool = case["tool"].as_str().unwrap_or_default().to_owned();
        checks.add(word(&case).to_owned(), async move |client| {
            client.asked();
            let result = succeeds(client.call(&tool, Some(&case["arguments"])).await)?;
            same(text_of(&result)?, case["gives"].as_str().unwrap_or_default())?;
            same(json!(client.asked()), case["asks"].clone())
        });
    }

    let prompts = &fixture["prompts"];
    let wanted = prompts["listed"].clone();
    checks.add("lists the prompts", async move |client| {
        let listed = client.prompts().await?;
        for (name, arguments) in wanted.as_object().into_iter().flatten() {
            let prompt = named(&listed, name)?;
            let taken =
                list(&prompt["arguments"]).iter().map(|argument| only(argument, ["name", "required"]));
            same(&taken.collect::<Value>(), arguments)?;
        }
        Ok(())
    });
    for case in list(&prompts["good"]) {
        let case = case.clone();
        checks.add(format!("gets a prompt with {}", word(&case)), async move |client| {
            let result = client.prompt(member(&case, "name"), case.get("arguments")).await?;
            same(&result["messages"], &case["gives"])
        });
    }
    for case in list(&prompts["bad"]) {
        let case = case.clone();
        let code = prompts["code"].clone();
        checks.add(format!("gets an error for {}", word(&case)), async move |client| {
            let result = client.prompt(member(&case, "name"), case.get("arguments")).await;
            fails(result, &code, member(&case, "names"))
        });
    }
    let what = "answers a form for a prompt";
    if !modern && stateless() {
        checks.skip(what, "the server cannot ask this revision");
    } else {
        let case = prompts["asked"].clone();
        checks.add(what, async move |client| {
            client.asked();
            let result = client.prompt(member(&case, "name"), None).await?;
            same(&result["messages"], &case["gives"])?;
            same(json!(client.asked()), case["asks"].clone())
        });
    }

    let resources = &fixture["resources"];
    let wanted = resources["listed"].clone();
    checks.add("lists the resources", async move |client| lists(&client.resources().await?, &wanted));
    let wanted = resources["templates"].clone();
    checks.add("lists the templates", async move |client| lists(&client.templates().await?, &wanted));
    for case in list(&resources["good"]) {
        let case = case.clone();
        checks.add(format!("reads {}", word(&case)), async move |client| {
            let result = client.read(member(&case["gives"], "uri")).await?;
            same(&result["contents"], &json!([case["gives"]]))
        });
    }
    for case in list(&resources["bad"]) {
        let case = case.clone();
        let code = resources["codes"][if modern { "modern" } else { "legacy" }].clone();
        checks.add(format!("gets an error for {}", word(&case)), async move |client| {
            let uri = member(&case, "uri");
            fails(client.read(uri).await, &code, uri)
        });
    }

    for case in list(&fixture["completed"]) {
        let case = case.clone();
        checks.add(format!("completes {}", word(&case)), async move |client| {
            let result = client.complete(&case["ref"], &case["argument"]).await?;
            same(&result["completion"]["values"], &case["values"])
        });
    }

    if modern && std::env::var("MCP_CLIENTS_NO_STREAMS").is_ok_and(|value| value == "1") {
        checks.skip("hears of changes", "nobody can listen to the server");
    } else if modern {
        let changes = fixture["changes"].clone();
        checks.add("hears of changes", async move |client| {
            let mut listening = client.listen(&changes["notifications"]).await?;
            same(&listening.acknowledged(), &changes["notifications"])?;
            let mut known = Vec::new();
            for case in list(&changes["made"]) {
                let tool = member(case, "tool");
                client.call(tool, None).await?;
                let heard = timeout(HEARING, async {
                    loop {
                        // What was heard before may come again, as each of these tools changes something twice.
                        let heard = listening.change().await?;
                        if !known.contains(&heard) {
                            return Ok::<_, Failure>(heard);
                        }
                    }
                });
                let heard = heard.await.map_err(|_| format!("nothing came of {tool}"))??;
                same(&heard, &case["heard"])?;
                known.push(heard);
            }
            listening.close().await?;
            echoes(&client, "still here").await
        });
    }

    // Before those that give calls up and do not look at what becomes of them, which would be counted here.
    for (how, way) in WAYS {
        let what = match modern {
            true => format!("drops a call that it {how}"),
            false => format!("lets a call go on that it {how}"),
        };
        match keep_alive() {
            None => checks.skip(what, "nobody told the keep-alive of the server"),
            Some(interval) if modern => {
                checks.add(what, async move |client| drops(&client, way, interval * PATIENCE).await);
            }
            Some(interval) => {
                checks.add(what, async move |client| lets_go_on(&client, way, interval * PATIENCE).await);
            }
        }
    }
    for (how, way) in WAYS {
        checks.add(format!("goes on after a call that it {how}"), async move |client| {
            gives_up(&client, way, "slow_compute", json!({"seconds": 2})).await?;
            echoes(&client, "still here").await
        });
    }
    checks.0
}

/// The texts, arguments and answers that all clients share.
pub fn fixture() -> Value {
    serde_json::from_str(include_str!("../../fixture.json")).expect("the fixture is JSON")
}

struct Checks(Vec<Entry>);

impl Checks {
    fn add(&mut self, what: impl Into<String>, body: impl AsyncFn(Arc<Client>) -> Outcome + 'static) {
        let body = Rc::new(body);
        let boxed = move |client| -> Pin<Box<dyn Future<Output = Outcome>>> {
            let body = Rc::clone(&body);
            Box::pin(async move { body(client).await })
        };
        self.0.push((what.into(), Ok(Box::new(boxed))));
    }

    fn skip(&mut self, what: impl Into<String>, why: &'static str) {
        self.0.push((what.into(), Err(why)));
    }
}

async fn echoes(client: &Client, text: &str) -> Outcome {
    let result = succeeds(client.call("echo", Some(&json!({"text": text}))).await)?;
    same(list(&result["content"]).len(), 1)?;
    same(text_of(&result)?, text)
}

/// Waits a moment for what was sent before the result and is still on its way to the handler.
async fn wait_for(client: &Client, heard: &mut Vec<Value>, count: usize) {
    for _ in 0..100 {
        if heard.len() >= count {
            return;
        }
        sleep(Duration::from_millis(10)).await;
        heard.extend(client.heard());
    }
}

/// How often the server says something on a stream at least, when somebody told.
fn keep_alive() -> Option<Duration> {
    let interval = std::env::var("MCP_CLIENTS_KEEP_ALIVE").ok()?;
    interval.parse().ok().filter(|ms| *ms > 0).map(Duration::from_millis)
}

/// Whether the server keeps nothing that would let it ask clients of older revisions.
fn stateless() -> bool {
    std::env::var("MCP_CLIENTS_STATELESS").is_ok_and(|value| value == "1")
}

/// How the client gives a call up.
#[derive(Clone, Copy)]
enum Way {
    TimesOut,
    Cancels,
    /// It does not wait for the future of the call any longer.
    Drops,
}

const WAYS: [(&str, Way); 3] =
    [("timed out", Way::TimesOut), ("cancelled", Way::Cancels), ("dropped", Way::Drops)];

async fn gives_up(client: &Client, way: Way, name: &str, arguments: Value) -> Outcome {
    let limit = Duration::from_millis(200);
    match way {
        Way::Cancels => Ok(client.call_and_cancel(name, &arguments, limit).await?),
        Way::TimesOut => match client.call_within(name, &arguments, limit).await {
            Err(Failure { code: None, text }) => expect(text.contains("timeout"), text),
            other => Err(format!("the call did not time out: {other:?}")),
        },
        Way::Drops => {
            let call = client.call(name, Some(&arguments));
            expect(timeout(limit, call).await.is_err(), "the call came to an end")
        }
    }
}

/// Gives a call up, which the server then drops.
async fn drops(client: &Client, way: Way, patience: Duration) -> Outcome {
    let before = dropped_calls(client).await?;
    gives_up(client, way, "slow", json!({"ms": 10_000})).await?;
    let start = Instant::now();
    while dropped_calls(client).await? == before {
        expect(start.elapsed() < patience, format!("the call went on for {:?}", start.elapsed()))?;
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

/// Gives a call up, which goes on at the server.
///
/// Before 2026-07-28 a client that leaves cancels nothing, and the server may pass over the `notifications/cancelled`
/// that this client sends.
async fn lets_go_on(client: &Client, way: Way, patience: Duration) -> Outcome {
    let before = dropped_calls(client).await?;
    gives_up(client, way, "slow", json!({"ms": 10_000})).await?;
    sleep(patience).await;
    same(dropped_calls(client).await?, before)
}

/// How many calls the server has dropped while they slept, whoever sent them.
async fn dropped_calls(client: &Client) -> Result<u64, String> {
    let result = succeeds(client.call("slow", Some(&json!({"ms": 0}))).await)?;
    result["_meta"][DROPPED].as_u64().ok_or_else(|| format!("it does not tell how many: {result}"))
}

fn succeeds(result: Result<Value, Failure>) -> Result<Value, String> {
    let result = result?;
    expect(result["isError"] != true, format!("it is an error: {result}"))?;
    Ok(result)
}

/// The text of a call that must fail: with a result that is an error, or with the error code.
fn refusal(result: Result<Value, Failure>, code: i32) -> Result<String, String> {
    match result {
        Ok(result) => {
            same(&result["isError"], &json!(true))?;
            text_of(&result).map(str::to_owned)
        }
        Err(failure) => same(failure.code, Some(code)).map(|()| failure.text),
    }
}

/// Whether it is an error with this code, which names something.
fn fails(result: Result<Value, Failure>, code: &Value, names: &str) -> Outcome {
    match result {
        Ok(result) => Err(format!("it got {result}")),
        Err(failure) => {
            same(&json!(failure.code), code)?;
            expect(failure.text.contains(names), failure.text)
        }
    }
}

/// Whether among the `listed` is each of the `wanted`, which may have more to them, and a description.
fn lists(listed: &[Value], wanted: &Value) -> Outcome {
    for one in list(wanted) {
        let found = named(listed, member(one, "name"))?;
        let names = one.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        same(&only(found, names), one)?;
    }
    Ok(())
}

/// The one of this name, which has a description.
fn named<'a>(listed: &'a [Value], name: &str) -> Result<&'a Value, String> {
    let found = listed.iter().find(|one| one["name"] == name && one["description"].is_string());
    found.ok_or_else(|| format!("{name} is missing or has no description"))
}

fn only<'a>(value: &Value, names: impl IntoIterator<Item = &'a str>) -> Value {
    names.into_iter().map(|name| (name.to_owned(), value[name].clone())).collect()
}

fn text_of(result: &Value) -> Result<&str, String> {
    let block = &result["content"][0];
    expect(block["type"] == "text", "the first block is not text")?;
    block["text"].as_str().ok_or_else(|| "its text is no string".into())
}

fn parsed(result: &Value) -> Result<Value, String> {
    let text = text_of(result)?;
    serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))
}

fn expect(condition: bool, why: impl ToString) -> Outcome {
    if condition { Ok(()) } else { Err(why.to_string()) }
}

fn same<T: PartialEq + Debug>(got: T, wanted: T) -> Outcome {
    let show = |value: &T| shortened(&format!("{value:?}"), 120).to_owned();
    expect(got == wanted, format!("wanted {}, got {}", show(&wanted), show(&got)))
}

async fn within<T>(body: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let late = || Err(format!("nothing came within {} s", LIMIT.as_secs()));
    timeout(LIMIT, body).await.unwrap_or_else(|_| late())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn word(case: &Value) -> &str {
    member(case, "what")
}

fn member<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn shortened(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        match failure.code {
            Some(code) => format!("{code}: {}", failure.text),
            None => failure.text,
        }
    }
}
