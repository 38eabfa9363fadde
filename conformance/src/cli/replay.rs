use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use mcp_conformance::replay::{Options, Replay, replay};
use mcp_conformance::session::{Matching, Session};
use mcp_conformance::wire::{Endpoint, Headers, Limits};

/// Send the requests of recorded sessions again, and compare the answers.
///
/// Exits with 0 when all answers are as they were recorded, 1 when one is different, 2 when nothing could be sent.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Files of sessions, or folders of them
    #[arg(required = true, value_name = "SESSION")]
    sessions: Vec<PathBuf>,
    /// Where they are sent, such as http://127.0.0.1:3000/mcp
    #[arg(long, value_name = "URL")]
    against: String,
    /// How answers are compared
    #[arg(long = "match", value_enum, default_value = "shape")]
    matching: Matching,
    /// Send this header instead of those of its name, such as 'Authorization: Bearer x' (repeatable)
    #[arg(long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,
    /// Send mutations of each request too: --mutate for all, --mutate=N for N of them
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000000")]
    mutate: Option<usize>,
    /// How long an answer, or the next event of a stream, may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    /// Write the verdicts to a file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[expect(clippy::print_stderr, reason = "a program")]
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    match replay_all(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

#[derive(serde::Serialize)]
struct Told {
    session: String,
    #[serde(flatten)]
    replay: Replay,
}

fn replay_all(arguments: Arguments) -> Result<bool, String> {
    let limits = Limits { answer: Duration::from_secs(arguments.timeout.max(1)), ..Limits::default() };
    let endpoint = Endpoint::parse(&arguments.against).map_err(|error| error.to_string())?.limits(limits);
    let mut headers = Headers::default();
    arguments.header.into_iter().for_each(|(name, value)| headers.push(name, value));
    let mutations = arguments.mutate.unwrap_or(0);
    let options = Options { matching: arguments.matching, headers, mutations };
    let mut sessions = Vec::new();
    for path in arguments.sessions.iter().flat_map(|path| files(path)) {
        // All are read first: a mistake in the last is told before anything is sent.
        sessions.push((path.display().to_string(), Session::load(&path).map_err(|error| error.to_string())?));
    }
    if sessions.is_empty() {
        return Err("there are no sessions: name files, or folders with .json files in them".to_owned());
    }
    // A server that is not there is told once.
    drop(endpoint.connect().map_err(|error| error.to_string())?);
    let mut told = Vec::new();
    for (path, session) in sessions {
        super::say(format_args!("{path}: {}", introduction(&session)));
        let replay = replay(&session, &endpoint, &options);
        super::say(replay.to_string().trim_end());
        told.push(Told { session: path, replay });
    }
    let exchanges: usize = told.iter().map(|told| told.replay.verdicts.len()).sum();
    let different: usize = told.iter().map(|told| told.replay.different()).sum();
    super::say(format_args!("{} sessions, {exchanges} exchanges, {different} different", told.len()));
    if let Some(file) = arguments.json {
        let text = serde_json::to_string_pretty(&told).map_err(|error| error.to_string())?;
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(different == 0)
}

fn introduction(session: &Session) -> String {
    let client = session.client.as_ref().map_or("a client", |client| &*client.name);
    let revision = session.revision.map_or("an unknown revision", |revision| revision.as_str());
    format!("{client}, {revision}")
}

/// The file, or all files of a folder.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    below.sort();
    below.iter().flat_map(|path| files(path)).collect()
}
