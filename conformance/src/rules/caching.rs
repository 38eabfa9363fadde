//! Caching hints.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::V2026_07_28;
use crate::answer::expect;
use crate::json::At as _;
use crate::profile::Purpose;

/// Pages of one list that are read.
const MOST_PAGES: usize = 20;

macro_rules! hinted {
    ($id:literal, $method:literal, $check:ident) => {
        Rule::new(
            $id,
            Area::Caching,
            concat!("the result of ", $method, " says how long it may be kept, and by whom"),
            &[must(V2026_07_28, "server/utilities/caching#cacheable-results")],
            $check,
        )
    };
}

pub(super) static RULES: &[Rule] = &[
    hinted!("cache-discover", "server/discover", discover),
    hinted!("cache-tools-list", "tools/list", tools),
    hinted!("cache-prompts-list", "prompts/list", prompts),
    hinted!("cache-resources-list", "resources/list", resources),
    hinted!("cache-templates-list", "resources/templates/list", templates),
    hinted!("cache-resource-read", "resources/read", read),
    Rule::new(
        "cache-one-scope",
        Area::Caching,
        "all pages of a list have one cacheScope",
        &[must(V2026_07_28, "server/utilities/caching#interaction-with-pagination")],
        one_scope,
    ),
    Rule::new(
        "cache-every-page",
        Area::Caching,
        "each page of a list says how long it may be kept, and by whom",
        &[must(V2026_07_28, "server/utilities/caching#interaction-with-pagination")],
        every_page,
    ),
    Rule::new(
        "cache-not-input",
        Area::Caching,
        "a result that asks for input is not to be kept",
        &[should(V2026_07_28, "server/utilities/caching#cacheable-results")],
        not_input,
    ),
];

fn hints(probe: &Probe<'_>, method: &str, params: Value) -> Result<Value, Outcome> {
    let result = probe.ask(method, params)?.result()?;
    let ttl = result.at("ttlMs");
    if ttl.as_u64().is_none() {
        return fail(format!("ttlMs is {ttl}, which is no number of milliseconds"));
    }
    let scope = result.at("cacheScope");
    if *scope != "public" && *scope != "private" {
        return fail(format!("cacheScope is {scope}, neither \"public\" nor \"private\""));
    }
    Ok(result)
}

fn discover(probe: &Probe<'_>) -> Check {
    hints(probe, "server/discover", json!({})).map(drop)
}

fn tools(probe: &Probe<'_>) -> Check {
    probe.declared("tools")?;
    hints(probe, "tools/list", json!({})).map(drop)
}

fn prompts(probe: &Probe<'_>) -> Check {
    probe.declared("prompts")?;
    hints(probe, "prompts/list", json!({})).map(drop)
}

fn resources(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    hints(probe, "resources/list", json!({})).map(drop)
}

fn templates(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    hints(probe, "resources/templates/list", json!({})).map(drop)
}

fn read(probe: &Probe<'_>) -> Check {
    probe.declared("resources")?;
    let Some(resource) = probe.opened().resources.first() else {
        return not_applicable("no resource is listed");
    };
    hints(probe, "resources/read", json!({ "uri": resource.at("uri") })).map(drop)
}

/// The pages of each list that has several.
fn pages(probe: &Probe<'_>) -> Result<Vec<(&'static str, Vec<Value>)>, Outcome> {
    let lists = [
        ("tools", "tools/list"),
        ("prompts", "prompts/list"),
        ("resources", "resources/list"),
        ("resources", "resources/templates/list"),
    ];
    let mut all = Vec::new();
    for (capability, method) in lists {
        if probe.declared(capability).is_err() {
            continue;
        }
        let mut pages = vec![probe.ask(method, json!({}))?.result()?];
        while let Some(cursor) =
            pages.last().and_then(|page| page.at("nextCursor").as_str()).map(str::to_owned)
        {
            if pages.len() == MOST_PAGES {
                break;
            }
            pages.push(probe.ask(method, json!({ "cursor": cursor }))?.result()?);
        }
        if pages.len() > 1 {
            all.push((method, pages));
        }
    }
    if all.is_empty() { not_applicable("each list is one page") } else { Ok(all) }
}

fn one_scope(probe: &Probe<'_>) -> Check {
    for (method, pages) in pages(probe)? {
        let scopes: BTreeSet<String> = pages.iter().map(|page| page.at("cacheScope").to_string()).collect();
        expect(scopes.len() == 1, format!("{method} has the scopes {scopes:?}"))?;
    }
    Ok(())
}

fn every_page(probe: &Probe<'_>) -> Check {
    for (method, pages) in pages(probe)? {
        let hinted = |page: &Value| page.at("ttlMs").as_u64().is_some() && page.at("cacheScope").is_string();
        expect(pages.iter().skip(1).all(hinted), format!("a later page of {method} has no hints"))?;
    }
    Ok(())
}

fn not_input(probe: &Probe<'_>) -> Check {
    let call = probe.known(Purpose::Elicits)?;
    let able = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let result = probe.send(&probe.call_with(&call, able))?.result()?;
    if *result.at("resultType") != "input_required" {
        return not_applicable("the tool asks nothing");
    }
    let hinted = result.get("ttlMs").is_some() || result.get("cacheScope").is_some();
    expect(!hinted, "it has hints for caches")
}
