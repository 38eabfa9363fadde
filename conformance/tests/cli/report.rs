//! What the reports say, and do not.

use serde_json::{Value, json};

use crate::program::{Folder, check, command, run};
use crate::site::{Asked, serve};

const HOSTILE: &str =
    "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'&]]>\u{1b}[2J\u{9b}31m\u{202e}\u{0}";

/// All reports of one check: text, page, JUnit, JSON.
fn reports(url: &str, more: &[&str]) -> (i32, [String; 4]) {
    let folder = Folder::new();
    let (html, xml, json) = (folder.path("a.html"), folder.path("a.xml"), folder.path("a.json"));
    let ran = check(url, &[&["--html", &html, "--junit", &xml, "--json", &json], more].concat());
    (ran.code, [ran.out, folder.text("a.html"), folder.text("a.xml"), folder.text("a.json")])
}

/// Says hostile things wherever a server can say something.
fn hostile(mut asked: Asked) {
    match asked.method() {
        "initialize" => asked.result(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": HOSTILE, "version": "1" },
        })),
        "notifications/initialized" => {
            asked.answer(
                "200 OK",
                "X-Evil: <script>alert(3)</script>\r\nContent-Type: text/plain\r\n",
                HOSTILE,
            );
        }
        _ => {
            let body = json!({ "jsonrpc": "2.0", "id": HOSTILE, "result": { HOSTILE: HOSTILE } });
            asked.json(&body);
        }
    }
}

#[test]
fn nothing_that_a_server_says_becomes_markup_or_moves_the_cursor() {
    let (code, [text, html, xml, json]) = reports(&serve(hostile), &["--verbose"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("FAIL") && text.contains("<script>alert(1)"), "{text}");
    let obeyed = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!text.contains(obeyed), "{text:?}");
    // The page's own script is the only one, and no tag is there that we do not write.
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("&lt;script&gt;alert(1)") && html.contains("&lt;script&gt;alert(3)"), "{html}");
    for tag in html.split('<').skip(1) {
        let name: String =
            tag.chars().take_while(|letter| !letter.is_whitespace() && *letter != '>').collect();
        let known = "!doctype html meta title style header h1 h2 h3 h4 p code ul li b small form label select option \
                     input main section details summary span a div pre i script body head ol";
        assert!(known.split_whitespace().any(|known| known == name.trim_start_matches('/')), "<{tag}");
    }
    assert!(!html.contains("<img") && !html.contains(obeyed), "{html:?}");
    serde_json::from_str::<Value>(&json).unwrap();
    let xml = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!(xml.test_suites.len(), 1);
}

#[test]
fn credentials_are_in_no_report() {
    // Says back all that it hears.
    let url = serve(|mut asked| {
        if asked.method() == "tools/list" {
            let head = asked.head.clone();
            return asked.answer(
                "200 OK",
                "Content-Type: text/plain\r\nSet-Cookie: sid=sekrit-cookie\r\n",
                &head,
            );
        }
        if asked.method() == "notifications/initialized" {
            let head = asked.head.clone();
            let echoed =
                format!("X-Said: {}\r\n", head.lines().find(|line| line.contains("Bearer")).unwrap());
            return asked.answer("200 OK", &echoed, "");
        }
        asked.properly();
    });
    let url = format!("{url}?api_key=sekrit-parameter");
    let headers =
        ["Authorization: Bearer sekrit-bearer", "Cookie: a=sekrit-crumb; b=1", "X-Auth-Token: sekrit-token"];
    let more: Vec<&str> =
        headers.iter().flat_map(|header| ["--header", header]).chain(["--verbose"]).collect();
    let (code, reports) = reports(&url, &more);
    assert_eq!(code, 1, "{}", reports[0]);
    for report in reports {
        assert!(report.contains("[redacted]"), "{report}");
        assert!(!report.contains("sekrit"), "{report}");
    }
}

#[test]
fn a_long_body_is_cut_with_a_note() {
    let url = serve(|mut asked| {
        if asked.method() == "notifications/initialized" {
            return asked.answer("200 OK", "Content-Type: text/plain\r\n", &"long ".repeat(1 << 16));
        }
        asked.properly();
    });
    let (_, [_, html, xml, json]) = reports(&url, &["--rule", "notification-accepted"]);
    for report in [html, xml, json] {
        assert!(report.contains("the first 16384 of 327680 bytes"));
        assert!(report.len() < 60_000, "{}", report.len());
    }
}

#[test]
fn every_report_has_every_result() {
    let url = serve(Asked::properly);
    let (_, [text, html, xml, json]) = reports(&url, &[]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["format"], &json["server"], &json["checked"]),
        (&json!(1), &json!("small 1"), &json!(["2025-11-25"]))
    );
    let results = json["results"].as_array().unwrap();
    let xml = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let suite = &xml.test_suites[0];
    assert_eq!(suite.name.as_str(), "MCP 2025-11-25");
    assert_eq!(suite.test_cases.len(), results.len());
    let not_applicable = json["summary"]["notApplicable"].as_u64().unwrap();
    let skipped = suite.test_cases.iter().filter(|case| is_skipped(case)).count();
    assert_eq!(skipped as u64, not_applicable);
    for result in results {
        let rule = result["rule"].as_str().unwrap();
        assert!(html.contains(&format!("<b>{rule}</b>")), "{rule}");
        assert!(result["link"].as_str().unwrap().starts_with("https://"), "{result}");
        assert!(html.contains(&result["link"].as_str().unwrap().replace('&', "&amp;")));
    }
    assert!(text.starts_with("small 1 at http://127.0.0.1:"), "{text}");
}

fn is_skipped(case: &quick_junit::TestCase) -> bool {
    matches!(case.status, quick_junit::TestCaseStatus::Skipped { .. })
}

#[test]
fn a_page_needs_nothing_else() {
    let (_, [_, html, ..]) = reports(&serve(Asked::properly), &[]);
    for outside in ["src=", "@import", "url(", "<link", "fetch(", "XMLHttp", "innerHTML", "eval("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn colours_are_for_terminals_and_who_asks_for_them() {
    let url = serve(Asked::properly);
    let part = ["check", &url, "--rule", "result-media-type"];
    let coloured = |color: &[&str], no_color: bool| {
        let mut command = command();
        command.args(part).args(color);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap().contains('\u{1b}')
    };
    assert!(!coloured(&[], false) && !coloured(&["--color", "never"], false));
    assert!(coloured(&["--color", "always"], false) && coloured(&["--color", "always"], true));
    let quiet = run(&[&part[..], &["--quiet"]].concat()).with(0, &["1 passed, 0 failed"]);
    assert_eq!((quiet.out.lines().count(), &*quiet.err), (1, ""));
}

#[test]
fn a_tool_that_is_not_there_is_told() {
    check(&serve(Asked::properly), &["--tool", "ad", "--rule", "result-media-type"])
        .with(0, &["note  the tool \"ad\", for plain, is not listed in 2025-11-25"]);
}

#[test]
fn the_rules_are_listed() {
    let lines = run(&["list"]).with(0, &["result-media-type", "2026-07-28", "MUST", "http", "https://"]).out;
    let json: Value = serde_json::from_str(&run(&["list", "--json"]).out).unwrap();
    let rules = json.as_array().unwrap();
    assert_eq!(lines.lines().count(), rules.len());
    for name in ["rule", "revision", "level", "area", "says", "link"] {
        assert!(rules.iter().all(|rule| rule[name].is_string()), "{name}");
    }
    let table =
        run(&["list", "--markdown"]).with(0, &["| `result-media-type` | 2025-06-18 | [MUST](https://"]).out;
    assert_eq!(table.lines().count(), rules.len() + 2);
    run(&["list", "--json", "--markdown"]).with(2, &["cannot be used with"]);
}
