use std::process::ExitCode;

use mcp_conformance::{Profile, Target, check};

/// Check a server by every rule, in every revision that it speaks.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the server is, such as http://127.0.0.1:3000/mcp
    url: String,
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program")]
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match Target::parse(&arguments.url) {
        Ok(target) => {
            let report = check(&target.profile(Profile::everything()));
            print!("{report}");
            ExitCode::from(u8::from(!report.is_good()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
