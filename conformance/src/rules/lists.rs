//! Lists and their pages.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;

/// Pages of one list that are read.
const MOST_PAGES: usize = 50;

/// A list: the capability that declares it, its method, its member, what its items are known by.
struct List {
    capability: &'static str,
    method: &'static str,
    member: &'static str,
    key: &'static str,
}

const TOOLS: List = List { capability: "tools", method: "tools/list", member: "tools", key: "name" };
const PROMPTS: List = List { capability: "prompts", method: "prompts/list", member: "prompts", key: "name" };
const RESOURCES: List =
    List { capability: "resources", method: "resources/list", member: "resources", key: "uri" };

const LISTS: [&List; 3] = [&TOOLS, &PROMPTS, &RESOURCES];

const BAD_CURSOR: &[Clause] = &[
    should(V2025_06_18, "server/utilities/pagination#error-handling"),
    should(V2025_11_25, "server/utilities/pagination#error-handling"),
    should(V2026_07_28, "server/utilities/pagination#error-handling"),
];

const PAGES: &[Clause] = &[
    should(V2025_06_18, "server/utilities/pagination#implementation-guidelines"),
    should(V2025_11_25, "server/utilities/pagination#implementation-guidelines"),
    should(V2026_07_28, "server/utilities/pagination#implementation-guidelines"),
];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "tools-listed-alike",
        Area::Lists,
        "tools are listed in the same order each time",
        &[should(V2026_07_28, "server/tools#capabilities")],
        |probe| alike(probe, &TOOLS),
    ),
    Rule::new(
        "prompts-listed-alike",
        Area::Lists,
        "the same prompts are listed each time",
        &[must(V2026_07_28, "server/prompts#capabilities")],
        |probe| alike(probe, &PROMPTS),
    ),
    Rule::new(
        "resources-listed-alike",
        Area::Lists,
        "the same resources are listed each time",
        &[must(V2026_07_28, "server/resources#capabilities")],
        |probe| alike(probe, &RESOURCES),
    ),
    Rule::new(
        "tool-names-unique",
        Area::Lists,
        "no two tools have the same name",
        &[
            should(V2025_06_18, "server/tools#tool"),
            should(V2025_11_25, "server/tools#tool-names"),
            should(V2026_07_28, "server/tools#tool-names"),
        ],
        |probe| unique(&probe.opened().tools, "name"),
    ),
    Rule::new(
        "prompt-names-unique",
        Area::Lists,
        "no two prompts have the same name",
        &[
            should(V2025_06_18, "server/prompts#prompt"),
            should(V2025_11_25, "server/prompts#prompt"),
            should(V2026_07_28, "server/prompts#prompt"),
        ],
        |probe| unique(&probe.opened().prompts, "name"),
    ),
    Rule::new(
        "resource-uris-unique",
        Area::Lists,
        "no two resources have the same URI",
        &[
            should(V2025_06_18, "server/resources#resource"),
            should(V2025_11_25, "server/resources#resource"),
            should(V2026_07_28, "server/resources#resource"),
        ],
        |probe| unique(&probe.opened().resources, "uri"),
    ),
    Rule::new(
        "tools-cursor-checked",
        Area::Lists,
        "a cursor of tools/list that was not issued is answered with -32602",
        BAD_CURSOR,
        |probe| bad_cursor(probe, &TOOLS),
    ),
    Rule::new(
        "prompts-cursor-checked",
        Area::Lists,
        "a cursor of prompts/list that was not issued is answered with -32602",
        BAD_CURSOR,
        |probe| bad_cursor(probe, &PROMPTS),
    ),
    Rule::new(
        "resources-cursor-checked",
        Area::Lists,
        "a cursor of resources/list that was not issued is answered with -32602",
        BAD_CURSOR,
        |probe| bad_cursor(probe, &RESOURCES),
    ),
    Rule::new(
        "cursor-is-text",
        Area::Lists,
        "nextCursor is text, or not there",
        &[
            must(V2025_06_18, "schema#cursor"),
            must(V2025_11_25, "schema#cursor"),
            must(V2026_07_28, "schema#cursor"),
        ],
        |probe| {
            for list in declared(probe)? {
                let result = probe.ask(list.method, json!({}))?.result()?;
                if let Some(cursor) = result.get("nextCursor")
                    && !cursor.is_string()
                {
                    return fail(format!("{}: nextCursor is {cursor}", list.method));
                }
            }
            Ok(())
        },
    ),
    Rule::new("pages-end", Area::Lists, "the pages of a list come to an end", PAGES, |probe| {
        for list in declared(probe)? {
            pages(probe, list)?;
        }
        Ok(())
    }),
    Rule::new("pages-do-not-overlap", Area::Lists, "no item is on two pages", PAGES, |probe| {
        for list in declared(probe)? {
            let pages = pages(probe, list)?;
            let mut seen = BTreeSet::new();
            for page in &pages {
                let here: BTreeSet<String> = page.iter().map(|item| item.at(list.key).to_string()).collect();
                if let Some(twice) = here.iter().find(|key| seen.contains(*key)) {
                    return fail(format!("{}: {twice} is on two pages", list.method));
                }
                seen.extend(here);
            }
        }
        Ok(())
    }),
    Rule::new("cursor-is-stable", Area::Lists, "a cursor gives the same page each time", PAGES, |probe| {
        let mut paged = false;
        for list in declared(probe)? {
            let first = probe.ask(list.method, json!({}))?.result()?;
            let Some(cursor) = first.at("nextCursor").as_str() else { continue };
            paged = true;
            let params = json!({ "cursor": cursor });
            let one = probe.ask(list.method, params.clone())?.result()?;
            let other = probe.ask(list.method, params)?.result()?;
            let same = one.at(list.member) == other.at(list.member);
            expect(same, format!("{}: one cursor gave two pages", list.method))?;
        }
        if paged { Ok(()) } else { not_applicable("no list has pages") }
    }),
    Rule::new(
        "list-params-optional",
        Area::Lists,
        "a list is given without params",
        &[must(V2025_06_18, "schema#listtoolsrequest"), must(V2025_11_25, "schema#listtoolsrequest")],
        |probe| {
            declared(probe)?;
            served(probe, probe.listing().json(|message| message.cut(&["params"])))
        },
    ),
];

fn declared(probe: &Probe<'_>) -> Result<Vec<&'static List>, Outcome> {
    let capabilities = &probe.opened().capabilities;
    let lists: Vec<_> = LISTS.into_iter().filter(|list| capabilities.contains_key(list.capability)).collect();
    if lists.is_empty() { not_applicable("nothing is declared that is listed") } else { Ok(lists) }
}

fn alike(probe: &Probe<'_>, list: &List) -> Check {
    probe.declared(list.capability)?;
    let one = probe.ask(list.method, json!({}))?.result()?;
    let other = probe.ask(list.method, json!({}))?.result()?;
    expect(one.at(list.member) == other.at(list.member), format!("{} gave two lists", list.method))
}

fn unique(items: &[Value], key: &str) -> Check {
    if items.is_empty() {
        return not_applicable("nothing is listed");
    }
    let mut seen = BTreeSet::new();
    match items.iter().map(|item| item.at(key).to_string()).find(|key| !seen.insert(key.clone())) {
        Some(twice) => fail(format!("{twice} is listed twice")),
        None => Ok(()),
    }
}

fn bad_cursor(probe: &Probe<'_>, list: &List) -> Check {
    probe.declared(list.capability)?;
    let answer = probe.ask(list.method, json!({ "cursor": "conformance-not-issued" }))?;
    answer.error(&[-32602]).map(|_| ())
}

/// All pages of a list.
fn pages(probe: &Probe<'_>, list: &List) -> Result<Vec<Vec<Value>>, Outcome> {
    let mut pages = Vec::new();
    let mut cursors = BTreeSet::new();
    let mut params = json!({});
    for _ in 0..MOST_PAGES {
        let result = probe.ask(list.method, params)?.result()?;
        pages.push(result.at(list.member).items().to_vec());
        let Some(cursor) = result.at("nextCursor").as_str() else { return Ok(pages) };
        if !cursors.insert(cursor.to_owned()) {
            return fail(format!("{}: the cursor {cursor} came twice", list.method));
        }
        params = json!({ "cursor": cursor });
    }
    not_applicable(format!("{} has more than {MOST_PAGES} pages", list.method))
}
