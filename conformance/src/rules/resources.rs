//! Resources.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "resource-read",
        Area::Resources,
        "a listed resource can be read, and its contents name a URI",
        &[
            must(V2025_06_18, "server/resources#reading-resources"),
            must(V2025_11_25, "server/resources#reading-resources"),
            must(V2026_07_28, "server/resources#reading-resources"),
        ],
        read,
    ),
    Rule::new(
        "resource-uri",
        Area::Resources,
        "the URI of each listed resource is one",
        &[
            must(V2025_06_18, "server/resources#resource"),
            must(V2025_11_25, "server/resources#resource"),
            must(V2026_07_28, "server/resources#resource"),
        ],
        uris,
    ),
    Rule::new(
        "resource-blob",
        Area::Resources,
        "binary contents are Base64",
        &[
            must(V2025_06_18, "server/resources#binary-content"),
            must(V2025_11_25, "server/resources#binary-content"),
            must(V2026_07_28, "server/resources#binary-content"),
        ],
        blobs,
    ),
    Rule::new(
        "resource-unknown",
        Area::Resources,
        "a resource that there is not is an error",
        &[
            must(V2026_07_28, "server/resources#error-handling"),
            should(V2025_06_18, "server/resources#error-handling"),
            should(V2025_11_25, "server/resources#error-handling"),
        ],
        unknown,
    ),
    Rule::new(
        "resource-unknown-code",
        Area::Resources,
        "the error for a resource that there is not has the code of the revision",
        &[
            should(V2025_06_18, "server/resources#error-handling"),
            should(V2025_11_25, "server/resources#error-handling"),
            should(V2026_07_28, "server/resources#error-handling"),
        ],
        unknown_code,
    ),
    Rule::new(
        "resource-subscribed",
        Area::Resources,
        "a server that declares subscriptions to resources takes them, and ends them",
        &[
            must(V2025_06_18, "server/resources#subscriptions"),
            must(V2025_11_25, "server/resources#subscriptions"),
        ],
        subscribed,
    ),
];

/// A resource that can be read: the profile's, or the first.
fn known(probe: &Probe<'_>) -> Result<String, Outcome> {
    probe.declared("resources")?;
    let first = probe.opened().resources.first().and_then(|resource| resource.at("uri").as_str());
    match probe.target().profile.resource.as_deref().or(first) {
        Some(uri) => Ok(uri.to_owned()),
        None => not_applicable("no resource is listed"),
    }
}

fn read(probe: &Probe<'_>) -> Check {
    let uri = known(probe)?;
    let result = probe.ask("resources/read", json!({ "uri": uri }))?.result()?;
    let contents = result.at("contents").items();
    expect(!contents.is_empty(), "there are no contents")?;
    expect(contents.iter().all(|it| it.at("uri").is_string()), "contents have no URI")
}

fn uris(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    if probe.opened().resources.is_empty() {
        return not_applicable("no resource is listed");
    }
    for resource in &probe.opened().resources {
        let uri = resource.at("uri").as_str().unwrap_or_default();
        if let Err(error) = url::Url::parse(uri) {
            return fail(format!("\"{uri}\" is no URI: {error}"));
        }
    }
    Ok(())
}

fn blobs(probe: &Probe<'_>) -> Check {
    use base64::Engine as _;
    probe.declared("resources")?;
    let mut seen = false;
    for resource in probe.opened().resources.iter().take(20) {
        let result = probe.ask("resources/read", json!({ "uri": resource.at("uri") }))?.result()?;
        for blob in result.at("contents").items().iter().filter_map(|it| it.at("blob").as_str()) {
            seen = true;
            if base64::engine::general_purpose::STANDARD.decode(blob).is_err() {
                return fail(format!("the blob of {} is no Base64", resource.at("uri")));
            }
        }
    }
    if seen { Ok(()) } else { not_applicable("no resource is binary") }
}

/// The URI of nothing, in the scheme of a resource that there is.
fn nothing(probe: &Probe<'_>) -> Value {
    let scheme = probe.opened().resources.first().and_then(|it| it.at("uri").as_str()?.split_once(':'));
    json!(format!("{}://mcp-conformance/no-such-resource", scheme.map_or("test", |(scheme, _)| scheme)))
}

fn unknown(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    let answer = probe.ask("resources/read", json!({ "uri": nothing(probe) }))?;
    if let Some(result) = answer.response()?.get("result") {
        return fail(format!("it was read: {result}"));
    }
    Ok(())
}

fn unknown_code(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    let answer = probe.ask("resources/read", json!({ "uri": nothing(probe) }))?;
    if answer.response()?.get("result").is_some() {
        return not_applicable("it is no error: see resource-unknown");
    }
    answer.error(if probe.revision().is_legacy() { &[-32002] } else { &[-32602] }).map(drop)
}

fn subscribed(probe: &Probe<'_>) -> Check {
    if *probe.declared("resources")?.at("subscribe") != true {
        return not_applicable("the server declares no subscriptions to resources");
    }
    let uri = known(probe)?;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        probe.ask(method, json!({ "uri": uri }))?.result()?;
    }
    Ok(())
}
