//! Subscriptions and changes.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;
use crate::probe::{Probe, Stream};
use crate::profile::Purpose;

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
        &[must(V2026_07_28, "basic/patterns/subscriptions#notification-filter")],
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
    let stream = probe.open(&probe.request("subscriptions/listen", json!({ "notifications": asked })))?;
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
    let honoured = honoured(&mut listen(probe, &asked)?)?;
    expect(honoured == asked, format!("{honoured} is honoured of {asked}"))
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
        let request = probe.opened().request(
            probe.target(),
            id.clone(),
            "subscriptions/listen",
            json!({ "notifications": asked }),
        );
        let mut stream = probe.open(&request)?;
        let Some(message) = stream.message()? else { return fail("the stream ended at once") };
        let got = message.at("params").at("_meta").at(ID);
        expect(*got == id, format!("the id is {got}, not {id}"))?;
    }
    Ok(())
}

fn no_filter(probe: &Probe<'_>) -> Check {
    anything(probe)?;
    let stream = probe.open(&probe.request("subscriptions/listen", json!({})))?;
    if stream.is_events() && stream.head.status == 200 {
        let mut stream = stream;
        return match stream.message()? {
            Some(message) if message.get("error").is_some() => Ok(()),
            _ => fail("it is taken"),
        };
    }
    Ok(())
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
    loop {
        match stream.message()? {
            Some(message) if *message.at("method") == "notifications/tools/list_changed" => return Ok(()),
            Some(message) => return fail(format!("{} came", message.at("method"))),
            None => return fail("the stream ended"),
        }
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

fn legacy(probe: &Probe<'_>) -> Check {
    probe.ask("subscriptions/listen", json!({ "notifications": {} }))?.error(&[-32601]).map(drop)
}
