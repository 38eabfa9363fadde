//! `mcp-conformance --help`.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    cli::run(cli::Arguments::parse())
}
