//! Subscriptions and changes.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;
use crate::probe::{Probe, Stream};
use crate::profile::Purpose;
use crate::wire::Request;

const PAGE: &str = "basic/patterns/subscriptions";
const ID: &str = "io.modelcontextprotocol/subscriptionId";

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "listen-acknowledged",
        Area::Subscriptions,
        "the first message of a subscription says what of it is honoured",
        &[must(V2026_07_28, "basic/patterns/subscriptions#acknowledgment")],
        acknowledged,
    ),
    Rule::new(
        "listen-only-asked",
        Area::Subscriptions,
        "no more is honoured than was asked for",
        &[must(V2026_07_28, "basic/patterns/subscriptions#notification-filter")],
        only_asked,
    ),
    Rule::new(
        "listen-id",
        Area::Subscriptions,
        "every message of a subscription carries the id of its request, whether it is a text or a number",
        &[must(V2026_07_28, "basic/patterns/subscriptions#receiving-notifications")],
        subscription_id,
    ),
    Rule::new(
        "listen-no-filter",
        Area::Subscriptions,
        "a subscription that does not say to what is an error",
        &[should(V2026_07_28, "basic/patterns/subscriptions#notification-filter")],
        no_filter,
    ),
    Rule::new(
        "listen-undeclared",
        Area::Subscriptions,
        "a server that declares no changes does not hold a subscription open in which nothing can come",
        &[should(V2026_07_28, PAGE)],
        undeclared,
    ),
    Rule::new(
        "tools-change-heard",
        Area::Subscriptions,
        "who listens hears that the tools changed",
        &[should(V2026_07_28, "server/tools#list-changed-notification")],
        tools_change,
    )
    .alone(),
    Rule::new(
        "prompts-change-heard",
        Area::Subscriptions,
        "who listens hears that the prompts changed",
        &[should(V2026_07_28, "server/prompts#list-changed-notification")],
        prompts_change,
    )
    .alone(),
    Rule::new(
        "resource-update-heard",
        Area::Subscriptions,
        "who subscribed to a resource hears that it was updated",
        &[should(V2026_07_28, "server/resources#subscriptions")],
        resource_update,
    )
    .alone(),
    Rule::new(
        "change-unasked",
        Area::Subscriptions,
        "nobody hears of changes that were not asked for",
        &[must(V2026_07_28, "basic/patterns/subscriptions#receiving-notifications")],
        unasked,
    )
    .alone(),
    Rule::new(
        "two-subscriptions",
        Area::Subscriptions,
        "two subscriptions at once each hear of a change",
        &[must(V2026_07_28, "basic/patterns/subscriptions#multiple-concurrent-subscriptions")],
        two,
    )
    .alone(),
    Rule::new(
        "listen-declared",
        Area::Subscriptions,
        "changes that the server declares are honoured",
        &[should(V2026_07_28, "basic/patterns/subscriptions#acknowledgment")],
        declared,
    ),
    Rule::new(
        "listen-unsupported",
        Area::Subscriptions,
        "changes that the server does not declare are not honoured",
        &[should(V2026_07_28, "basic/patterns/subscriptions#acknowledgment")],
        unsupported,
    ),
    Rule::new(
        "listen-end",
        Area::Subscriptions,
        "a subscription that the server ends is answered, with the id of the subscription",
        &[should(V2026_07_28, "basic/patterns/subscriptions#graceful-closure")],
        end,
    ),
    Rule::new(
        "listen-left",
        Area::Subscriptions,
        "who left a subscription can subscribe again",
        &[must(V2026_07_28, "basic/patterns/subscriptions#cancellation")],
        left,
    ),
    Rule::new(
        "listen-accept",
        Area::Subscriptions,
        "a client that takes no event stream is not given one",
        &[should(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1")],
        accept,
    ),
    Rule::new(
        "change-id",
        Area::Subscriptions,
        "each change carries the id of its subscription",
        &[must(V2026_07_28, "basic/patterns/subscriptions#multiple-concurrent-subscriptions")],
        change_id,
    )
    .alone(),
    Rule::new(
        "update-unasked",
        Area::Subscriptions,
        "nobody hears that a resource was updated to which they did not subscribe",
        &[must(V2026_07_28, "basic/patterns/subscriptions#opening-a-stream")],
        update_unasked,
    )
    .alone(),
    Rule::new(
        "listen-no-log",
        Area::Subscriptions,
        "log messages are not for those who listen",
        &[must(V2026_07_28, "server/utilities/logging#per-request-log-level")],
        no_log,
    )
    .alone(),
    Rule::new(
        "listen-no-progress",
        Area::Subscriptions,
        "progress is not for those who listen",
        &[must(V2026_07_28, "basic/transports/streamable-http#receiving-messages")],
        no_progress,
    )
    .alone(),
    Rule::new(
        "listen-legacy",
        Area::Subscriptions,
        "subscriptions/listen is no method",
        &[must(V2025_06_18, "basic#responses"), must(V2025_11_25, "basic#error-responses")],
        legacy,
    ),
];

/// Whether a list of the server may change.
fn declares(probe: &Probe<'_>, feature: &str) -> Check {
    if *probe.declared(feature)?.at("listChanged") == true {
        return Ok(());
    }
    not_applicable(format!("the server declares no changes of {feature}"))
}

/// Whether anything of the server may change, and what is asked for then.
fn anything(probe: &Probe<'_>) -> Result<Value, Outcome> {
    for (feature, asked) in [
        ("tools", "toolsListChanged"),
        ("prompts", "promptsListChanged"),
        ("resources", "resourcesListChanged"),
    ] {
        if declares(probe, feature).is_ok() {
            return Ok(json!({ asked: true }));
        }
    }
    not_applicable("the server declares no changes")
}

fn listen<'p, 'a>(probe: &'p Probe<'a>, asked: &Value) -> Result<Stream<'p, 'a>, Outcome> {
    opened(probe, &probe.request("subscriptions/listen", json!({ "notifications": asked })))
}

/// A subscription with an id of its own.
fn listen_as<'p, 'a>(probe: &'p Probe<'a>, id: &Value, asked: &Value) -> Result<Stream<'p, 'a>, Outcome> {
    let params = json!({ "notifications": asked });
    opened(probe, &probe.opened().request(probe.target(), id.clone(), "subscriptions/listen", params))
}

fn opened<'p, 'a>(probe: &'p Probe<'a>, request: &Request) -> Result<Stream<'p, 'a>, Outcome> {
    let stream = probe.open(request)?;
    if stream.head.status != 200 {
        return fail(format!("the status is {}, not 200", stream.head.status));
    }
    if !stream.is_events() {
        return fail("the answer is no event stream");
    }
    Ok(stream)
}

/// What is honoured.
fn honoured(stream: &mut Stream<'_, '_>) -> Result<Value, Outcome> {
    let Some(message) = stream.message()? else { return fail("the stream ended at once") };
    let method = message.at("method");
    if *method != "notifications/subscriptions/acknowledged" {
        return fail(format!("the first message is {method}"));
    }
    Ok(message.at("params").at("notifications").clone())
}

fn acknowledged(probe: &Probe<'_>) -> Check {
    let asked = anything(probe)?;
    let honoured = honoured(&mut listen_as(probe, &json!("mcp-conformance-first"), &asked)?)?;
    expect(honoured.is_object(), format!("what is honoured is {honoured}"))
}

fn only_asked(probe: &Probe<'_>) -> Check {
    let asked = anything(probe)?;
    let honoured = honoured(&mut listen(probe, &asked)?)?;
    for (name, value) in honoured.as_object().into_iter().flatten() {
        let more =
            *value != false && !value.items().is_empty() | (*value == true) && asked.get(name).is_none();
        expect(!more, format!("{name} is honoured, which nobody asked for"))?;
    }
    Ok(())
}

fn subscription_id(probe: &Probe<'_>) -> Check {
    let asked = anything(probe)?;
    for id in [json!("mcp-conformance"), json!(4711)] {
        let Some(message) = listen_as(probe, &id, &asked)?.message()? else {
            return fail("the stream ended at once");
        };
        of(&message, &id)?;
    }
    Ok(())
}

fn no_filter(probe: &Probe<'_>) -> Check {
    anything(probe)?;
    let mut stream = probe.open(&probe.request("subscriptions/listen", json!({})))?;
    if stream.head.status != 200 {
        return Ok(());
    }
    if !stream.is_events() {
        drop(stream);
        return probe.ask("subscriptions/listen", json!({}))?.error(&[]).map(drop);
    }
    let refused = stream.message()?.is_some_and(|message| message.get("error").is_some());
    expect(refused, "it is taken")
}

fn undeclared(probe: &Probe<'_>) -> Check {
    if anything(probe).is_ok()
        || *probe.opened().capabilities.get("resources").unwrap_or(&Value::Null).at("subscribe") == true
    {
        return not_applicable("the server declares changes");
    }
    let mut stream = probe.open(
        &probe.request("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } })),
    )?;
    if !stream.is_events() {
        return Ok(());
    }
    loop {
        match stream.message() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(_) => return fail("it stays open"),
        }
    }
}

/// Waits for a notification.
fn hears(stream: &mut Stream<'_, '_>, method: &str) -> Result<Value, Outcome> {
    loop {
        match stream.message()? {
            Some(message) if *message.at("method") == method => return Ok(message),
            Some(_) => {}
            None => return fail(format!("the stream ended without {method}")),
        }
    }
}

fn changes(probe: &Probe<'_>, feature: &str, purpose: Purpose, asked: &str) -> Check {
    declares(probe, feature)?;
    let call = probe.known(purpose)?;
    let mut stream = listen(probe, &json!({ asked: true }))?;
    honoured(&mut stream)?;
    probe.send(&probe.call(&call))?.result()?;
    hears(&mut stream, &format!("notifications/{feature}/list_changed")).map(drop)
}

fn tools_change(probe: &Probe<'_>) -> Check {
    changes(probe, "tools", Purpose::ChangesTools, "toolsListChanged")
}

fn prompts_change(probe: &Probe<'_>) -> Check {
    changes(probe, "prompts", Purpose::ChangesPrompts, "promptsListChanged")
}

fn resource_update(probe: &Probe<'_>) -> Check {
    if *probe.declared("resources")?.at("subscribe") != true {
        return not_applicable("the server declares no subscriptions to resources");
    }
    let call = probe.known(Purpose::UpdatesResource)?;
    let Some(uri) = &probe.target().profile.resource else {
        return not_applicable("no resource is known that is updated: name it in the profile");
    };
    let mut stream = listen(probe, &json!({ "resourceSubscriptions": [uri] }))?;
    honoured(&mut stream)?;
    probe.send(&probe.call(&call))?.result()?;
    let message = hears(&mut stream, "notifications/resources/updated")?;
    let got = message.at("params").at("uri");
    expect(got == uri, format!("{got} was updated, not {uri}"))
}

fn unasked(probe: &Probe<'_>) -> Check {
    for feature in ["tools", "prompts"] {
        declares(probe, feature)?;
    }
    let (asked, other) = (probe.known(Purpose::ChangesTools)?, probe.known(Purpose::ChangesPrompts)?);
    let mut stream = listen(probe, &json!({ "toolsListChanged": true }))?;
    honoured(&mut stream)?;
    probe.send(&probe.call(&other))?.result()?;
    probe.send(&probe.call(&asked))?.result()?;
    match stream.message()? {
        Some(message) if *message.at("method") == "notifications/tools/list_changed" => Ok(()),
        Some(message) => fail(format!("{} came", message.at("method"))),
        None => fail("the stream ended"),
    }
}

fn two(probe: &Probe<'_>) -> Check {
    declares(probe, "tools")?;
    let call = probe.known(Purpose::ChangesTools)?;
    let asked = json!({ "toolsListChanged": true });
    let (mut one, mut other) = (listen(probe, &asked)?, listen(probe, &asked)?);
    honoured(&mut one)?;
    honoured(&mut other)?;
    probe.send(&probe.call(&call))?.result()?;
    hears(&mut one, "notifications/tools/list_changed")?;
    hears(&mut other, "notifications/tools/list_changed").map(drop)
}

/// What can be asked for, and whether the server declares it.
fn kinds(probe: &Probe<'_>) -> Vec<(&'static str, Value, bool)> {
    let declares = |feature: &str, member: &str| {
        let declared = probe.opened().capabilities.get(feature);
        declared.is_some_and(|it| *it.at(member) == true)
    };
    let uri = probe.opened().resources.first().map_or(&Value::Null, |it| it.at("uri"));
    vec![
        ("toolsListChanged", json!(true), declares("tools", "listChanged")),
        ("promptsListChanged", json!(true), declares("prompts", "listChanged")),
        ("resourcesListChanged", json!(true), declares("resources", "listChanged")),
        ("resourceSubscriptions", json!([uri]), declares("resources", "subscribe") && uri.is_string()),
    ]
}

fn declared(probe: &Probe<'_>) -> Check {
    let kinds: Vec<_> = kinds(probe).into_iter().filter(|(_, _, declared)| *declared).collect();
    if kinds.is_empty() {
        return not_applicable("the server declares no changes");
    }
    let asked: Value = kinds.iter().map(|(name, value, _)| ((*name).to_owned(), value.clone())).collect();
    let honoured = honoured(&mut listen(probe, &asked)?)?;
    for (name, value, _) in &kinds {
        let got = honoured.at(name);
        expect(got == value, format!("{name} is {got}"))?;
    }
    Ok(())
}

fn unsupported(probe: &Probe<'_>) -> Check {
    anything(probe)?;
    let kinds = kinds(probe);
    if kinds.iter().all(|(_, _, declared)| *declared) {
        return not_applicable("the server declares all changes");
    }
    let asked: Value = kinds
        .iter()
        .filter(|(_, value, _)| *value != json!([null]))
        .map(|(name, value, _)| ((*name).to_owned(), value.clone()))
        .collect();
    let honoured = honoured(&mut listen(probe, &asked)?)?;
    for (name, value, declared) in &kinds {
        expect(*declared || honoured.at(name) != value, format!("{name} is honoured"))?;
    }
    Ok(())
}

/// How long a server is listened to that need not say anything.
const A_WHILE: Duration = Duration::from_millis(700);

fn end(probe: &Probe<'_>) -> Check {
    anything(probe)?;
    // Some servers end at once what nothing can come of.
    let request = probe.request("subscriptions/listen", json!({ "notifications": {} }));
    let mut stream = probe.open(&request)?;
    if !stream.is_events() {
        return not_applicable("the server does not take a subscription to nothing");
    }
    let messages = stream.during(A_WHILE)?;
    if !stream.has_ended() {
        return not_applicable("the server holds a subscription to nothing");
    }
    drop(stream);
    let Some(response) = messages.iter().find(|message| message.get("method").is_none()) else {
        return fail("the stream ended without a response");
    };
    if response.get("error").is_some() {
        return not_applicable("the server does not take a subscription to nothing");
    }
    let id = serde_json::from_slice::<Value>(&request.body).unwrap_or_default().at("id").clone();
    expect(*response.at("id") == id, format!("the response has the id {}", response.at("id")))?;
    let got = response.at("result").at("_meta").at(ID);
    expect(*got == id, format!("the id of the subscription is {got}, not {id}"))
}

fn left(probe: &Probe<'_>) -> Check {
    let asked = anything(probe)?;
    for _ in 0..3 {
        honoured(&mut listen_as(probe, &json!("mcp-conformance-left"), &asked)?)?;
    }
    Ok(())
}

fn accept(probe: &Probe<'_>) -> Check {
    let asked = anything(probe)?;
    let request = probe.request("subscriptions/listen", json!({ "notifications": asked }));
    let stream = probe.open(&request.with("Accept", "application/json"))?;
    expect(!stream.is_events(), "it is an event stream")
}

/// That a message is of a subscription.
fn of(message: &Value, id: &Value) -> Check {
    let got = message.at("params").at("_meta").at(ID);
    expect(got == id, format!("the id of the subscription is {got}, not {id}"))
}

fn change_id(probe: &Probe<'_>) -> Check {
    declares(probe, "tools")?;
    let call = probe.known(Purpose::ChangesTools)?;
    for id in [json!("mcp-conformance"), json!(4712)] {
        let mut stream = listen_as(probe, &id, &json!({ "toolsListChanged": true }))?;
        honoured(&mut stream)?;
        probe.send(&probe.call(&call))?.result()?;
        of(&hears(&mut stream, "notifications/tools/list_changed")?, &id)?;
    }
    Ok(())
}

fn update_unasked(probe: &Probe<'_>) -> Check {
    if *probe.declared("resources")?.at("subscribe") != true {
        return not_applicable("the server declares no subscriptions to resources");
    }
    let call = probe.known(Purpose::UpdatesResource)?;
    let updated = probe.target().profile.resource.as_deref();
    let others = probe.opened().resources.iter().map(|it| it.at("uri"));
    let Some(other) = others.filter(|uri| uri.as_str() != updated).find(|uri| uri.is_string()) else {
        return not_applicable("there is no other resource");
    };
    let mut stream = listen(probe, &json!({ "resourceSubscriptions": [other] }))?;
    honoured(&mut stream)?;
    probe.send(&probe.call(&call))?.result()?;
    match stream.during(A_WHILE)?.first() {
        Some(message) => fail(format!("{} came of {}", message.at("method"), message.at("params").at("uri"))),
        None => Ok(()),
    }
}

/// That who listens hears nothing of a call.
fn silent(probe: &Probe<'_>, purpose: Purpose, meta: Value, method: &str) -> Check {
    let asked = anything(probe)?;
    let call = probe.known(purpose)?;
    let mut stream = listen(probe, &asked)?;
    honoured(&mut stream)?;
    let said = probe.send(&probe.call_with(&call, meta))?.messages()?;
    if !said.iter().any(|message| *message.at("method") == method) {
        return not_applicable(format!("the call sends no {method}"));
    }
    let heard = stream.during(A_WHILE)?;
    expect(!heard.iter().any(|message| *message.at("method") == method), "who listens hears it")
}

fn no_log(probe: &Probe<'_>) -> Check {
    let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    silent(probe, Purpose::Logging, meta, "notifications/message")
}

fn no_progress(probe: &Probe<'_>) -> Check {
    silent(probe, Purpose::Progress, json!({ "progressToken": "mcp-conformance" }), "notifications/progress")
}

fn legacy(probe: &Probe<'_>) -> Check {
    let answer = probe.ask("subscriptions/listen", json!({ "notifications": {} }))?;
    if answer.http().status >= 400 {
        return Ok(());
    }
    answer.error(&[]).map(drop)
}
