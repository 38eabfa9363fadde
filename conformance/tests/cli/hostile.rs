//! Servers that cannot be checked: a reason, reports of what was found, and an end.

use std::io::Write as _;
use std::net::TcpListener;
use std::time::Duration;

use mcp_conformance::wire::Limits;
use mcp_conformance::{Target, check as check_target};
use serde_json::{Value, json};

use crate::program::{Folder, check, command};
use crate::site::{Asked, serve, serve_while};

/// Checks with all reports, which have to say why there is nothing in them.
#[track_caller]
fn is_told(url: &str, words: &[&str]) {
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    let (html, xml, json) = (path("a.html"), path("a.xml"), path("a.json"));
    let ran = check(url, &["--html", &html, "--junit", &xml, "--json", &json]).with(3, words);
    assert!(ran.out.contains("nothing was checked"), "{}", ran.out);
    for name in ["a.html", "a.xml", "a.json"] {
        let text = folder.text(name);
        assert!(words.iter().all(|word| text.contains(word)), "{name}: {text}");
    }
}

#[test]
fn a_server_that_is_not_there_is_told_once() {
    let url = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/mcp", listener.local_addr().unwrap())
    };
    is_told(&url, &["cannot connect to 127.0.0.1:", "refused"]);
    assert_eq!(check(&url, &[]).out.matches("cannot connect").count(), 1);
}

#[test]
fn tls_and_plain_http_are_told_apart() {
    let plain = serve(Asked::properly);
    is_told(&plain.replace("http://", "https://"), &["no TLS connection to 127.0.0.1:", "write http://"]);
    let tls = serve(|mut asked| {
        let _ = asked.stream.write_all(b"\x15\x03\x01\x00\x02\x02\x0a");
    });
    is_told(&tls, &["not HTTP/1.1", "write https://"]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    is_told(&format!("https://{}/mcp", silent.local_addr().unwrap()), &["did not answer within 1000 ms"]);
}

#[test]
fn what_http_says_is_told_with_the_way_out() {
    for (status, headers, words) in [
        (
            "307 Temporary Redirect",
            "Location: http://elsewhere/mcp\r\n",
            "307: it redirects to http://elsewhere/mcp",
        ),
        (
            "401 Unauthorized",
            "WWW-Authenticate: Bearer realm=x\r\n",
            "401 (Bearer realm=x): send credentials",
        ),
        ("403 Forbidden", "", "403: send credentials"),
        ("404 Not Found", "", "404: is the path right?"),
        ("405 Method Not Allowed", "Allow: GET\r\n", "the status is 405"),
        ("502 Bad Gateway", "", "the status is 502"),
        ("200 OK", "Content-Type: text/html\r\n", "the answer is text/html, neither JSON"),
        ("200 OK", "Content-Type: application/json\r\n", "what came is no JSON"),
        ("200 OK", "", "the answer has no Content-Type"),
    ] {
        let url = serve(move |mut asked| asked.answer(status, headers, "<h1>It works!</h1>"));
        is_told(&url, &[words]);
    }
}

#[test]
fn what_is_no_answer_is_told() {
    type Treat = fn(Asked);
    let cases: [(Treat, &str); 7] = [
        (drop, "the connection was closed before an answer"),
        (|_asked| std::thread::sleep(Duration::from_secs(60)), "no answer within 1000 ms"),
        (
            |mut asked| {
                asked.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
                );
                std::thread::sleep(Duration::from_secs(60));
            },
            "no answer within 1000 ms",
        ),
        (
            |mut asked| {
                asked
                    .write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{")
            },
            "closed in the midst of an answer, after 1 bytes",
        ),
        (|mut asked| asked.write("SSH-2.0-OpenSSH_9.6\r\n"), "SSH-2.0-OpenSSH"),
        (
            |mut asked| {
                let _ = asked.stream.write_all(&[0, 255, 27, b'[', b'2', b'J', 7, 13, 10, 13, 10]);
            },
            "what came is not HTTP/1.1",
        ),
        (
            |mut asked| {
                asked.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
                while asked.stream.write_all(b": still here\n\n").is_ok() {
                    std::thread::sleep(Duration::from_millis(5));
                }
            },
            "no answer within 1000 ms",
        ),
    ];
    std::thread::scope(|scope| {
        for (treat, words) in cases {
            scope.spawn(move || is_told(&serve(treat), &[words]));
        }
    });
}

#[test]
fn a_server_that_goes_is_given_up_and_what_was_found_is_kept() {
    let folder = Folder::new();
    let json = folder.path("a.json");
    let url = serve_while(|asked| {
        let goes_on = asked.number < 5;
        // The last request is heard, and not answered.
        if goes_on {
            asked.properly();
        }
        goes_on
    });
    let ran =
        check(&url, &["--json", &json]).with(3, &["stopped  the server is gone: ", "2025-11-25", "passed"]);
    // Not one failure for each rule.
    assert!(ran.out.matches("\nFAIL").count() <= 8, "{}", ran.out);
    let json: Value = serde_json::from_str(&folder.text("a.json")).unwrap();
    assert!(json["summary"]["pass"].as_u64().unwrap() > 0, "{json:#}");
    assert!(json["stopped"].as_str().unwrap().starts_with("the server is gone"), "{json:#}");
}

#[test]
fn a_server_that_answers_no_more_is_given_up() {
    let url = serve(|asked| {
        if asked.number >= 5 {
            std::thread::sleep(Duration::from_secs(120));
        }
        asked.properly();
    });
    check(&url, &[]).with(3, &["stopped  the server answers no more", "no answer within 1000 ms"]);
}

#[test]
fn a_check_that_takes_too_long_is_stopped() {
    // Each answer in time, and a stream that goes on for ever with whatever keeps a reader waiting.
    let url = serve(|mut asked| {
        if asked.number > 4 {
            asked.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} });
            while asked.stream.write_all(format!("data: {message}\n\n").as_bytes()).is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
            return;
        }
        asked.properly();
    });
    let arguments = ["check", &url, "--timeout", "600", "--max-time", "2"];
    let output = command().args(arguments).output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{out}");
    assert!(out.contains("stopped  it took longer than 2 s"), "{out}");
}

#[test]
fn a_library_user_gets_the_same() {
    let url = serve(|asked| {
        std::thread::sleep(Duration::from_millis(300));
        asked.properly();
    });
    let limits = Limits { answer: Duration::from_secs(5), ..Limits::default() };
    let target = Target::parse(&url).unwrap().limits(limits).longest(Duration::from_secs(1));
    let report = check_target(&target);
    assert_eq!(report.stopped.as_deref(), Some("it took longer than 1 s"));
    assert!(!report.is_whole() && !report.is_good());
    assert!(report.to_json().contains("it took longer"));

    let cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let report = check_target(&Target::parse(&url).unwrap().cancelled_by(cancelled));
    assert_eq!(report.stopped.as_deref(), Some("it was interrupted"));
    let report = check_target(&Target::parse("http://127.0.0.1:1/").unwrap());
    assert!(report.to_string().contains("stopped  cannot connect to 127.0.0.1:1"), "{report}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_check_and_its_reports_are_whole() {
    use std::process::Stdio;
    let folder = Folder::new();
    let (asked, was_asked) = std::sync::mpsc::channel();
    let url = serve(move |it| {
        if it.number > 4 {
            let _ = asked.send(());
            std::thread::sleep(Duration::from_millis(300));
        }
        it.properly();
    });
    let child = command()
        .args(["check", &url, "--json", &folder.path("a.json")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    was_asked.recv().unwrap();
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let json: Value = serde_json::from_str(&folder.text("a.json")).unwrap();
    assert_eq!(json["stopped"], "it was interrupted");
}
