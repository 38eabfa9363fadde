//! The program.

mod check;
mod list;
mod record;
mod replay;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Check any MCP server over HTTP, record a client's session, and replay it.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    List(list::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
}

pub(crate) fn run(arguments: Arguments) -> ExitCode {
    match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
    }
}

/// Prints a line, for whoever reads on.
fn say(line: impl std::fmt::Display) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "{line}");
}
