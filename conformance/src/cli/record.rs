use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;

use mcp_conformance::record::{Options, Recorder};
use mcp_conformance::session::Redaction;
use mcp_conformance::wire::Endpoint;

/// Stand between a client and a server, and record what they say to a file.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the server is, such as http://127.0.0.1:3000/mcp
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Where clients come
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    listen: String,
    /// The file, which is kept current
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Redact a header or a parameter of queries, beside those that look secret (repeatable)
    #[arg(long, value_name = "NAME")]
    redact: Vec<String>,
    /// Longer bodies go through and are not kept
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    max_body: usize,
    /// What the file says of itself
    #[arg(long, value_name = "TEXT", default_value = "")]
    notes: String,
}

#[expect(clippy::print_stderr, reason = "a program")]
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    match start(arguments) {
        Ok(session) => {
            super::say(session);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn start(arguments: Arguments) -> Result<String, String> {
    let upstream = Endpoint::parse(&arguments.upstream).map_err(|error| error.to_string())?;
    let (stop, stopped) = mpsc::channel();
    ctrlc::set_handler(move || {
        let _ = stop.send(());
    })
    .map_err(|error| error.to_string())?;
    let options = Options {
        file: Some(arguments.output.clone()),
        redaction: Redaction::and(arguments.redact),
        max_body: arguments.max_body,
        notes: arguments.notes,
        tell: Box::new(|line| super::say(line)),
    };
    let url = upstream.url().to_string();
    let file = arguments.output.display();
    let recorder = Recorder::start(upstream, &arguments.listen, options)
        .map_err(|error| format!("cannot listen at {} or write {file}: {error}", arguments.listen))?;
    super::say(format_args!("{} goes to {url}; ctrl-c ends the recording", recorder.url()));
    let _ = stopped.recv();
    let trouble = recorder.trouble();
    let session = recorder.finish();
    match trouble {
        Some(trouble) => Err(format!("{file} could not be written: {trouble}")),
        None => Ok(format!("{} exchanges in {file}", session.exchanges.len())),
    }
}
