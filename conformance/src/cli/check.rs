use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::ColorChoice;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use mcp_conformance::profile::{Call, Purpose};
use mcp_conformance::report::Terminal;
use mcp_conformance::wire::Limits;
use mcp_conformance::{Baseline, Profile, Progress, Report, Revision, Target, check_with, rules};

/// Check a server by every rule, in every revision that it speaks.
///
/// No tool is called but those that say that they only read, and those that are named here or in a profile.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0  nothing failed, or only what the baseline knows
  1  something failed, or the baseline knows what does not fail
  2  wrong usage, or a file that cannot be read or written
  3  the server could not be checked, or not to the end; the reports have what was found

Examples:
  mcp-conformance check http://127.0.0.1:3000/mcp
  mcp-conformance check https://example.com/mcp --header \"Authorization: Bearer $TOKEN\" --html report.html
  mcp-conformance check http://127.0.0.1:3000/mcp --tool add --args '{\"a\": 1, \"b\": 2}' --area tools --verbose")]
pub(crate) struct Arguments {
    /// Where the server is, such as http://127.0.0.1:3000/mcp
    url: String,
    /// Check this revision, such as 2026-07-28, and no other that is not named (repeatable)
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
    /// What may be called, and what for: a file, or `everything` for this project's examples
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,
    /// Check this rule, and no other that is not named (repeatable; `mcp-conformance list` has them)
    #[arg(long, value_name = "ID", value_parser = rule)]
    rule: Vec<String>,
    /// Check the rules of this area, such as tools (repeatable)
    #[arg(long, value_name = "AREA", value_parser = area)]
    area: Vec<String>,
    /// How long an answer, or the next event of a stream, may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// How long the whole may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86400))]
    max_time: u64,
    /// Write a report in JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Failures that are known, and do not count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the failures of now, for --baseline
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Print failures and the total only
    #[arg(long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print what was said, too, and what does not apply
    #[arg(long)]
    verbose: bool,
    /// Use colours: in a terminal, unless NO_COLOR is set; always; or never
    #[arg(long, value_name = "WHEN", value_enum, default_value = "auto", hide_possible_values = true)]
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

fn rule(text: &str) -> Result<String, String> {
    if rules::all().any(|rule| rule.id == text) {
        return Ok(text.to_owned());
    }
    Err("there is no such rule: `mcp-conformance list` has them".to_owned())
}

fn area(text: &str) -> Result<String, String> {
    let names: BTreeSet<String> = rules::all().map(|rule| rule.area.name()).collect();
    if names.contains(text) {
        return Ok(text.to_owned());
    }
    Err(format!("there are {}", Vec::from_iter(names).join(", ")))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written 'Name: value'")?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    {
        return Err(format!("\"{}\" is no name of a header", name.escape_default()));
    }
    if value.chars().any(char::is_control) {
        return Err(format!("the value of {name} has control characters"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[expect(clippy::print_stderr, reason = "a program")]
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    match checked(arguments) {
        Ok(report) if !report.is_whole() => ExitCode::from(3),
        Ok(report) if report.is_good() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn checked(arguments: &Arguments) -> Result<Report, String> {
    let target = target(arguments)?.cancelled_by(interruption());
    let baseline = arguments.baseline.as_deref().map(Baseline::load).transpose();
    let baseline = baseline.map_err(|error| error.to_string())?;
    let written = [&arguments.json, &arguments.html, &arguments.junit, &arguments.write_baseline];
    written.into_iter().flatten().try_for_each(|path| writable(path))?;
    let bar = bar(arguments.quiet);
    let mut report = check_with(&target, &|progress| match progress {
        Progress::Opened(revision, rules) => {
            bar.reset();
            bar.set_length(u64::try_from(rules).unwrap_or(u64::MAX));
            bar.set_message(revision.as_str());
        }
        Progress::Judged(_) => bar.inc(1),
        _ => {}
    });
    bar.finish_and_clear();
    if let Some(baseline) = &baseline {
        baseline.apply(&mut report);
    }
    print(arguments, &report)?;
    // One that cannot be written does not keep the others from it.
    let all = [
        write(arguments.json.as_deref(), || report.to_json()),
        write(arguments.html.as_deref(), || report.to_html()),
        write(arguments.junit.as_deref(), || report.to_junit()),
        write_baseline(arguments.write_baseline.as_deref(), &report, baseline),
    ];
    all.into_iter().collect::<Result<(), String>>()?;
    Ok(report)
}

/// Becomes true with ctrl-c; a second one ends the program.
fn interruption() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let set = interrupted.clone();
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    interrupted
}

fn target(arguments: &Arguments) -> Result<Target, String> {
    let mut target = Target::parse(&arguments.url).map_err(|error| error.to_string())?;
    let answer = Duration::from_secs(arguments.timeout);
    let limits = Limits::default();
    target = target
        .limits(Limits { answer, connect: limits.connect.min(answer), ..limits })
        .longest(Duration::from_secs(arguments.max_time));
    for (name, value) in &arguments.header {
        target = target.header(name, value);
    }
    for revision in &arguments.revision {
        target = target.revision(*revision);
    }
    for name in arguments.rule.iter().chain(&arguments.area) {
        target = target.only(name);
    }
    match arguments.profile.as_deref() {
        Some("everything") => target = target.profile(Profile::everything()),
        Some(path) => {
            target = target.profile(Profile::load(Path::new(path)).map_err(|error| error.to_string())?);
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
fn bar(quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {pos} of {len} rules") {
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
    let width = console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let Arguments { quiet, verbose, .. } = *arguments;
    let terminal = Terminal { colours, quiet, verbose, width };
    let mut text = String::new();
    terminal.write(report, &mut text).map_err(|error| error.to_string())?;
    if report.failures().next().is_some()
        && !arguments.quiet
        && !arguments.verbose
        && arguments.html.is_none()
    {
        text.push_str("--verbose prints what was said; --html FILE has it on a page\n");
    }
    // Whoever reads may have read enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

/// Says before the check that a file could not be written after it.
fn writable(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => Err(format!("{}: there is no such folder", folder.display())),
        _ if path.is_dir() => Err(format!("{}: this is a folder", path.display())),
        _ => Ok(()),
    }
}

fn write(path: Option<&Path>, text: impl FnOnce() -> String) -> Result<(), String> {
    let Some(path) = path else { return Ok(()) };
    std::fs::write(path, text()).map_err(|error| format!("{}: {error}", path.display()))
}

#[expect(clippy::print_stderr, reason = "a program")]
fn write_baseline(path: Option<&Path>, report: &Report, baseline: Option<Baseline>) -> Result<(), String> {
    let Some(shown) = path.map(Path::display) else { return Ok(()) };
    if !report.is_whole() {
        eprintln!("{shown} was not written: what was not checked would be missing in it");
        return Ok(());
    }
    let baseline = baseline.unwrap_or_default().kept(report, Baseline::of(report));
    write(path, || baseline.text())
}
