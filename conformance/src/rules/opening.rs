//! `initialize`, `server/discover`, capabilities.

use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;
use crate::json::At as _;

const INITIALIZATION: &[Clause] = &[
    must(V2025_06_18, "basic/lifecycle#initialization"),
    must(V2025_11_25, "basic/lifecycle#initialization"),
];

const CAPABILITIES: &[Clause] = &[
    must(V2025_06_18, "schema#servercapabilities"),
    must(V2025_11_25, "schema#servercapabilities"),
    must(V2026_07_28, "schema#servercapabilities"),
];

const TOOLS: &[Clause] = &[
    must(V2025_06_18, "server/tools#capabilities"),
    must(V2025_11_25, "server/tools#capabilities"),
    must(V2026_07_28, "server/tools#capabilities"),
];

const PROMPTS: &[Clause] = &[
    must(V2025_06_18, "server/prompts#capabilities"),
    must(V2025_11_25, "server/prompts#capabilities"),
    must(V2026_07_28, "server/prompts#capabilities"),
];

const RESOURCES: &[Clause] = &[
    must(V2025_06_18, "server/resources#capabilities"),
    must(V2025_11_25, "server/resources#capabilities"),
    must(V2026_07_28, "server/resources#capabilities"),
];

const COMPLETIONS: &[Clause] = &[
    must(V2025_06_18, "server/utilities/completion#capabilities"),
    must(V2025_11_25, "server/utilities/completion#capabilities"),
    must(V2026_07_28, "server/utilities/completion#capabilities"),
];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "initialize-names-server",
        Area::Opening,
        "the result of initialize names the server and its version",
        INITIALIZATION,
        |probe| {
            let info = probe.opened().opening.at("serverInfo");
            let named = info.at("name").is_string() && info.at("version").is_string();
            expect(named, format!("the server's info is {info}"))
        },
    ),
    Rule::new(
        "capabilities-declared",
        Area::Opening,
        "the server declares its capabilities",
        CAPABILITIES,
        |probe| {
            let declared = probe.opened().opening.at("capabilities");
            expect(declared.is_object(), format!("the capabilities are {declared}"))
        },
    ),
    Rule::new(
        "capabilities-are-objects",
        Area::Opening,
        "each capability is an object",
        CAPABILITIES,
        |probe| {
            let mut declared = probe.opened().capabilities.iter();
            match declared.find(|(_, value)| !value.is_object()) {
                Some((name, value)) => fail(format!("{name} is {value}")),
                None => Ok(()),
            }
        },
    ),
    Rule::new(
        "capability-flags-are-booleans",
        Area::Opening,
        "what is said of changes and subscriptions is true or false",
        CAPABILITIES,
        |probe| {
            for (name, capability) in &probe.opened().capabilities {
                for flag in ["listChanged", "subscribe"] {
                    if let Some(value) = capability.get(flag)
                        && !value.is_boolean()
                    {
                        return fail(format!("{name}.{flag} is {value}"));
                    }
                }
            }
            Ok(())
        },
    ),
    Rule::new(
        "instructions-are-text",
        Area::Opening,
        "instructions, where there are any, are text",
        &[
            must(V2025_06_18, "schema#initializeresult"),
            must(V2025_11_25, "schema#initializeresult"),
            must(V2026_07_28, "schema#discoverresult"),
        ],
        |probe| match probe.opened().opening.get("instructions") {
            None => not_applicable("there are none"),
            Some(value) => expect(value.is_string(), format!("they are {value}")),
        },
    ),
    Rule::new(
        "opening-alike",
        Area::Opening,
        "the server declares the same each time",
        &[must(V2026_07_28, "basic/index#statelessness")],
        |probe| {
            let again = probe.send(&probe.opening())?.result()?;
            let (was, is) = (probe.opened().opening.at("capabilities"), again.at("capabilities"));
            expect(was == is, format!("it declared {was}, then {is}"))
        },
    ),
    Rule::new("tools-listed", Area::Opening, "a server that declares tools lists them", TOOLS, |probe| {
        listed(probe, "tools", "tools/list", "tools")
    }),
    Rule::new(
        "prompts-listed",
        Area::Opening,
        "a server that declares prompts lists them",
        PROMPTS,
        |probe| listed(probe, "prompts", "prompts/list", "prompts"),
    ),
    Rule::new(
        "resources-listed",
        Area::Opening,
        "a server that declares resources lists them",
        RESOURCES,
        |probe| listed(probe, "resources", "resources/list", "resources"),
    ),
    Rule::new(
        "templates-listed",
        Area::Opening,
        "a server that declares resources lists their templates",
        &[
            should(V2025_06_18, "server/resources#resource-templates"),
            should(V2025_11_25, "server/resources#resource-templates"),
            should(V2026_07_28, "server/resources#resource-templates"),
        ],
        |probe| listed(probe, "resources", "resources/templates/list", "resourceTemplates"),
    ),
    Rule::new("tools-declared", Area::Opening, "a server that lists tools declares them", TOOLS, |probe| {
        undeclared(probe, "tools", "tools/list", "tools")
    }),
    Rule::new(
        "prompts-declared",
        Area::Opening,
        "a server that lists prompts declares them",
        PROMPTS,
        |probe| undeclared(probe, "prompts", "prompts/list", "prompts"),
    ),
    Rule::new(
        "resources-declared",
        Area::Opening,
        "a server that lists resources declares them",
        RESOURCES,
        |probe| undeclared(probe, "resources", "resources/list", "resources"),
    ),
    Rule::new(
        "completions-declared",
        Area::Opening,
        "a server that completes arguments declares it",
        COMPLETIONS,
        |probe| {
            let Some(completion) = &probe.target().profile.completion else {
                return not_applicable("nothing is known that is completed: name it in a profile");
            };
            if probe.opened().capabilities.contains_key("completions") {
                return not_applicable("it is declared");
            }
            let argument = json!({ "name": completion.argument, "value": "" });
            let params = json!({ "ref": completion.reference, "argument": argument });
            let completes = probe.ask("completion/complete", params)?.has_result();
            expect(!completes, "completion/complete is served and not declared")
        },
    ),
    Rule::new(
        "logging-declared",
        Area::Opening,
        "a server that takes a level of logging declares it",
        &[
            should(V2025_06_18, "server/utilities/logging#capabilities"),
            should(V2025_11_25, "server/utilities/logging#capabilities"),
        ],
        |probe| {
            if probe.opened().capabilities.contains_key("logging") {
                return not_applicable("it is declared");
            }
            let takes = probe.ask("logging/setLevel", json!({ "level": "error" }))?.has_result();
            expect(!takes, "logging/setLevel is served and not declared")
        },
    ),
    Rule::new(
        "ping-before-initialized",
        Area::Opening,
        "ping is answered before the client says that it is ready",
        &[
            should(V2025_06_18, "basic/lifecycle#initialization"),
            should(V2025_11_25, "basic/lifecycle#initialization"),
        ],
        |probe| {
            let answer = probe.send(&probe.opening())?;
            answer.result()?;
            let mut ping = probe.harmless().without("Mcp-Session-Id");
            if let Some(session) = answer.http().headers.text("mcp-session-id") {
                ping = ping.header("Mcp-Session-Id", session);
            }
            served(probe, ping)
        },
    ),
    Rule::new(
        "discover-versions-are-unique",
        Area::Opening,
        "server/discover lists versions, each once",
        &[must(V2026_07_28, "schema#discoverresult")],
        |probe| {
            let versions = probe.opened().opening.at("supportedVersions").items();
            let once = |version: &&Value| versions.iter().filter(|other| other == version).count() == 1;
            let right = versions.iter().all(|version| version.is_string() && once(&version));
            expect(right, format!("the versions are {versions:?}"))
        },
    ),
    Rule::new(
        "discover-names-server",
        Area::Opening,
        "server/discover names the server and its version",
        &[should(V2026_07_28, "server/discover#discoverresult")],
        |probe| {
            let info = probe.opened().opening.at("_meta").at("io.modelcontextprotocol/serverInfo");
            let named = info.at("name").is_string() && info.at("version").is_string();
            expect(named, format!("the server's info is {info}"))
        },
    ),
];

fn listed(probe: &Probe<'_>, capability: &str, method: &str, member: &str) -> Check {
    probe.declared(capability)?;
    let result = probe.ask(method, json!({}))?.result()?;
    let list = result.at(member);
    expect(list.is_array(), format!("\"{member}\" is {list}"))
}

/// An empty list of what is not declared harms nobody.
fn undeclared(probe: &Probe<'_>, capability: &str, method: &str, member: &str) -> Check {
    if probe.opened().capabilities.contains_key(capability) {
        return not_applicable("they are declared");
    }
    let answer = probe.ask(method, json!({}))?;
    if !answer.has_result() {
        return Ok(());
    }
    let result = answer.result()?;
    expect(result.at(member).items().is_empty(), format!("{method} lists some that are not declared"))
}
