//! What is given wrongly is named, with the way out, before anything is sent.

use crate::program::{Folder, check, run};

/// Nobody is there.
const NOBODY: &str = "http://127.0.0.1:1/mcp";

#[test]
fn a_wrong_url_is_named_without_its_password() {
    for (url, words) in [
        ("nonsense", "\"nonsense\" is no endpoint: relative URL"),
        ("127.0.0.1:3000/mcp", "write it like http://127.0.0.1:3000/mcp"),
        ("ftp://example.com", "neither http nor https"),
        ("http://user:hunter22@127.0.0.1/mcp", "it has credentials; send them with --header"),
    ] {
        let ran = check(url, &[]).with(2, &[words]);
        assert!(!ran.err.contains("hunter22"), "{}", ran.err);
    }
}

#[test]
fn a_wrong_option_is_named_with_what_is_known() {
    for (option, value, words) in [
        ("--revision", "2025-11-26", "there are 2025-06-18, 2025-11-25, 2026-07-28"),
        ("--header", "Authorization", "'Name: value'"),
        ("--header", "A b: c", "no name of a header"),
        ("--header", "A: b\r\nC: d", "control characters"),
        ("--rule", "resultmediatype", "`mcp-conformance list` has them"),
        ("--area", "tolls", "there are "),
        ("--args", "{}", "--tool"),
        ("--timeout", "0", "is not in 1..=600"),
        ("--color", "blue", "auto, always, never"),
        ("--html", "/no/such/folder/a.html", "/no/such/folder: there is no such folder"),
        ("--junit", "/", "/: this is a folder"),
        ("--profile", "/no/such/profile.json", "/no/such/profile.json: No such file"),
        ("--baseline", "/no/such/known.json", "/no/such/known.json: No such file"),
    ] {
        run(&["check", NOBODY, option, value]).with(2, &[words]);
    }
    run(&["check", NOBODY, "--tool", "a", "--args", "[1]"]).with(2, &["--args is no JSON object", "line 1"]);
}

#[test]
fn a_typo_in_a_file_is_named_with_its_place() {
    let folder = Folder::new();
    let profile = folder.file("profile.json", "{\n  \"calls\": { \"plian\": { \"tool\": \"a\" } }\n}");
    check(NOBODY, &["--profile", &profile])
        .with(2, &["profile.json: unknown variant `plian`, expected one of `plain`", "line 2"]);
    let known = folder.file("known.json", r#"[{ "revision": "2025-11-25", "ruel": "a" }]"#);
    check(NOBODY, &["--baseline", &known])
        .with(2, &["known.json: at [0].ruel: unknown field `ruel`", "`rule`", "line 1 column 35"]);
}
