use std::process::ExitCode;

use mcp_conformance::rules;

/// List the rules: one line for each rule and revision.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

#[expect(clippy::print_stdout, reason = "a program")]
pub(crate) fn run(_: &Arguments) -> ExitCode {
    for rule in rules::all() {
        for clause in rule.clauses {
            println!("{:<32} {}  {:?}  {}", rule.id, clause.revision, clause.level, clause.link());
        }
    }
    ExitCode::SUCCESS
}
