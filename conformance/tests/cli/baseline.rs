//! What is known to fail.

use serde_json::{Value, json};

use crate::program::{Folder, check};
use crate::site::{Asked, serve};

/// Breaks `notification-accepted`, and keeps `result-media-type`.
fn careless(mut asked: Asked) {
    if asked.method() == "notifications/initialized" {
        return asked.answer("200 OK", "Content-Type: text/plain\r\n", "ok");
    }
    asked.properly();
}

const PART: [&str; 4] = ["--rule", "notification-accepted", "--rule", "result-media-type"];

fn entry(revision: &str, rule: &str) -> Value {
    json!({ "revision": revision, "rule": rule, "reason": "the proxy does it" })
}

#[test]
fn a_known_failure_does_not_count_and_what_does_not_fail_is_stale() {
    let folder = Folder::new();
    let url = serve(careless);
    check(&url, &PART).with(1, &["FAIL  2025-11-25  notification-accepted", "1 passed, 1 failed"]);
    let with = |entries: &[Value]| {
        let known = folder.file("known.json", &Value::from(entries).to_string());
        check(&url, &[&PART[..], &["--baseline", &known]].concat())
    };
    let known = entry("2025-11-25", "notification-accepted");
    let ran = with(std::slice::from_ref(&known)).with(0, &["known 2025-11-25  notification-accepted"]);
    assert!(
        ran.out.contains("the proxy does it") && ran.out.contains("0 failed, 1 known to fail"),
        "{}",
        ran.out
    );
    for (stale, words) in [
        (entry("2025-11-25", "result-media-type"), "the baseline has 2025-11-25 result-media-type passes"),
        (entry("2025-11-25", "no-such-rule"), "no-such-rule is no rule: see `mcp-conformance list`"),
        (entry("2026-07-28", "result-media-type"), "the revision is not spoken"),
    ] {
        with(&[known.clone(), stale]).with(1, &["stale", words]);
    }
    // What was not to be checked says nothing.
    with(&[known.clone(), entry("2025-11-25", "shape-empty")]).with(0, &[]);
    let known = folder.file("known.json", &json!([known]).to_string());
    check(&url, &["--baseline", &known, "--rule", "result-media-type"]).with(0, &["1 passed"]);
}

#[test]
fn the_failures_of_now_can_be_written_and_keep_their_reasons() {
    let folder = Folder::new();
    let url = serve(careless);
    let known = folder.path("known.json");
    check(&url, &[&PART[..], &["--write-baseline", &known]].concat()).with(1, &["1 failed"]);
    let written: Value = serde_json::from_str(&folder.text("known.json")).unwrap();
    assert_eq!(written.as_array().unwrap().len(), 1);
    assert_eq!(written[0]["rule"], "notification-accepted");
    assert_eq!(written[0]["reason"], "the status is 200, not 202");
    check(&url, &[&PART[..], &["--baseline", &known]].concat()).with(0, &[]);

    let entries = json!([
        entry("2025-11-25", "notification-accepted"),
        entry("2025-11-25", "result-media-type"),
        entry("2025-11-25", "shape-empty"),
    ]);
    let old = folder.file("old.json", &entries.to_string());
    check(&url, &[&PART[..], &["--baseline", &old, "--write-baseline", &known]].concat()).with(1, &["stale"]);
    let written: Value = serde_json::from_str(&folder.text("known.json")).unwrap();
    let rules: Vec<&str> =
        written.as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["notification-accepted", "shape-empty"]);
    assert_eq!(written[0]["reason"], "the proxy does it");

    // Half a check is no baseline.
    check("http://127.0.0.1:1/mcp", &["--write-baseline", &known]).with(3, &["known.json was not written"]);
    assert!(folder.text("known.json").contains("notification-accepted"));
}
