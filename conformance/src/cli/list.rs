use std::process::ExitCode;

use mcp_conformance::rules;
use serde_json::json;

use super::say;

/// List the rules: one line for each rule and revision.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// As JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let pairs = rules::all().flat_map(|rule| rule.clauses.iter().map(move |clause| (rule, clause)));
    if arguments.json {
        let all: Vec<_> = pairs
            .map(|(rule, clause)| {
                json!({
                    "rule": rule.id,
                    "revision": clause.revision,
                    "level": clause.level,
                    "area": rule.area.name(),
                    "says": rule.says,
                    "link": clause.link(),
                })
            })
            .collect();
        say(serde_json::to_string_pretty(&all).unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    for (rule, clause) in pairs {
        say(format_args!(
            "{:<28} {}  {:<6} {:<15} {}",
            rule.id,
            clause.revision,
            clause.level,
            rule.area.name(),
            clause.link()
        ));
    }
    ExitCode::SUCCESS
}
