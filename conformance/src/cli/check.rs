use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstream::ColorChoice;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use mcp_conformance::profile::{Call, Purpose};
use mcp_conformance::report::Terminal;
use mcp_conformance::wire::Limits;
use mcp_conformance::{Baseline, Profile, Report, Revision, Target, check_with, expected, rules};

/// Check a server by every rule, in every revision that it speaks.
///
/// No tool is called but those that say that they only read, and those that are named here or in a profile.
///
/// Exits with 0 when nothing failed but what the baseline knows, 1 when something failed or the baseline is stale, 2 when
/// it was called wrongly, and 3 when the server could not be checked, or not to the end.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the server is, such as http://127.0.0.1:3000/mcp
    url: String,
    /// Check this revision, such as 2026-07-28, whether the server says that it speaks it or not (repeatable)
    #[arg(long, value_name = "REVISION", value_parser = revision)]
    revision: Vec<Revision>,
    /// Send a header with every request, such as 'Authorization: Bearer x' (repeatable)
    #[arg(long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,
    /// A tool that may be called, and succeeds
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// The arguments of --tool, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    args: Option<String>,
    /// What the tools of the server are good for: a file, or `everything` for this project's examples
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,
    /// Check this rule only, or all rules of this area (repeatable; see `mcp-conformance list`)
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// How long an answer, or the next event of a stream, may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// How long the whole may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    max_time: u64,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// What is known to fail
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what fails now, as a baseline
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Print what is wrong, and the total
    #[arg(long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print what does not apply, too
    #[arg(long)]
    verbose: bool,
    /// Use colours
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

fn revision(text: &str) -> Result<Revision, String> {
    let known = Revision::ALL.map(Revision::as_str).join(", ");
    Revision::parse(text).ok_or_else(|| format!("there are {known}"))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[expect(clippy::print_stderr, reason = "a program")]
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match checked(arguments) {
        Ok(report) if !report.is_whole() => ExitCode::from(3),
        Ok(report) if report.is_good() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn checked(arguments: &Arguments) -> Result<Report, String> {
    let target = target(arguments)?;
    let baseline =
        arguments.baseline.as_deref().map(Baseline::load).transpose().map_err(|error| error.to_string())?;
    let mut report = {
        let bar = bar(&target, arguments.quiet);
        let report = check_with(&target, &|_| bar.inc(1));
        bar.finish_and_clear();
        report
    };
    if let Some(baseline) = baseline {
        baseline.apply(&mut report);
    }
    if report.checked.is_empty() && report.unchecked.is_empty() && report.stopped.is_none() {
        report.stopped =
            Some(format!("the server speaks none of {}", Revision::ALL.map(Revision::as_str).join(", ")));
    }
    print(arguments, &report)?;
    write(arguments.json.as_deref(), || report.to_json())?;
    write(arguments.html.as_deref(), || report.to_html())?;
    write(arguments.junit.as_deref(), || report.to_junit())?;
    write(arguments.write_baseline.as_deref(), || {
        serde_json::to_string_pretty(&Baseline::of(&report)).unwrap_or_default()
    })?;
    Ok(report)
}

fn target(arguments: &Arguments) -> Result<Target, String> {
    let mut target = Target::parse(&arguments.url).map_err(|error| error.to_string())?;
    let answer = Duration::from_secs(arguments.timeout);
    target = target
        .limits(Limits { answer, ..Limits::default() })
        .longest(Duration::from_secs(arguments.max_time));
    for (name, value) in &arguments.header {
        target = target.header(name, value);
    }
    for revision in &arguments.revision {
        target = target.revision(*revision);
    }
    for name in &arguments.rule {
        if !rules::all().any(|rule| rule.id == name || rule.area.name() == *name) {
            return Err(format!("there is no rule or area \"{name}\": see mcp-conformance list"));
        }
        target = target.only(name);
    }
    match arguments.profile.as_deref() {
        Some("everything") => target = target.profile(Profile::everything()),
        Some(path) => {
            target = target.profile(Profile::load(Path::new(path)).map_err(|error| error.to_string())?)
        }
        None => {}
    }
    if let Some(tool) = &arguments.tool {
        let given = arguments.args.as_deref().unwrap_or("{}");
        let given =
            serde_json::from_str(given).map_err(|error| format!("--args is no JSON object: {error}"))?;
        target.profile_mut().calls.insert(Purpose::Plain, Call { tool: tool.clone(), arguments: given });
    }
    Ok(target)
}

/// How far the check is, in a terminal.
fn bar(target: &Target, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(expected(target)).unwrap_or(u64::MAX));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} rules") {
        bar.set_style(style);
    }
    bar
}

fn print(arguments: &Arguments, report: &Report) -> Result<(), String> {
    let choice = match arguments.color {
        Color::Auto => anstream::AutoStream::choice(&std::io::stdout()),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let colours = !matches!(choice, ColorChoice::Never);
    let terminal = Terminal { colours, quiet: arguments.quiet, verbose: arguments.verbose };
    let mut text = String::new();
    terminal.write(report, &mut text).map_err(|error| error.to_string())?;
    // Whoever reads may have read enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

fn write(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text()).map_err(|error| format!("{}: {error}", path.display()))
}
