//! What `mcp-conformance check` makes of servers and files that are not as they should be.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at what it did not expect"
)]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

/// A server that does the same to every connection.
fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = std::sync::Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Answers every request with the same bytes, and closes.
fn always(answer: &'static str) -> SocketAddr {
    server(move |mut stream| {
        let mut some = [0; 65_536];
        let _ = stream.read(&mut some);
        let _ = stream.write_all(answer.as_bytes());
    })
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-conformance")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

fn check(address: SocketAddr) -> Ran {
    run(&["check", &format!("http://{address}/mcp"), "--timeout", "1", "--max-time", "20"])
}

#[track_caller]
fn says(ran: &Ran, code: i32, what: &str) {
    let text = format!("{}{}", ran.out, ran.err);
    assert_eq!(ran.code, code, "{text}");
    assert!(text.contains(what), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn what_is_no_url_is_named() {
    says(&run(&["check", "localhost"]), 2, "\"localhost\" is no endpoint");
    says(&run(&["check", "ftp://localhost/mcp"]), 2, "neither http nor https");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    says(&check(address), 3, "cannot connect to 127.0.0.1");
}

#[test]
fn what_is_no_http_is_shown() {
    says(&check(always("SSH-2.0-OpenSSH_9.6\r\n")), 3, "not HTTP/1.1");
    says(&check(always("")), 3, "closed before an answer");
}

#[test]
fn a_server_of_something_else_is_one_that_does_not_speak() {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>";
    says(&check(always(page)), 3, "text/html");
    says(&check(always("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")), 3, "speaks none of");
    let binary =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\n\0\x01\x02\x03";
    says(&check(always(binary)), 3, "no JSON");
}

#[test]
fn a_server_that_hangs_is_given_up() {
    let silent = server(|stream| {
        std::thread::sleep(Duration::from_secs(60));
        drop(stream);
    });
    says(&check(silent), 3, "no answer within 1000 ms");
    let half = server(|mut stream| {
        let _ = stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
        std::thread::sleep(Duration::from_secs(60));
    });
    says(&check(half), 3, "no answer within 1000 ms");
    let endless = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        while stream.write_all(b": hello\n\n").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    says(&check(endless), 3, "no answer within 1000 ms");
}

#[test]
fn a_plain_server_does_not_speak_tls() {
    let address = always("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    let ran = run(&["check", &format!("https://{address}/mcp"), "--timeout", "1"]);
    // Or the system has no certificates, which is said first.
    assert!(matches!(ran.code, 2 | 3), "{}{}", ran.out, ran.err);
    assert!(
        format!("{}{}", ran.out, ran.err).contains("TLS") || ran.err.contains("certificates"),
        "{}",
        ran.err
    );
}

#[test]
fn typos_in_files_and_options_are_named() {
    let folder = std::env::temp_dir().join(format!("mcp-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let url = "http://127.0.0.1:1/mcp";
    let profile = file("profile.json", r#"{ "calls": { "plane": { "tool": "a" } } }"#);
    let ran = run(&["check", url, "--profile", &profile]);
    says(&ran, 2, "profile.json");
    says(&ran, 2, "plane");
    says(&ran, 2, "line 1");
    let baseline =
        file("known.json", r#"[{ "revision": "2025-11-25", "rule": "no-such-rule", "reason": "" }]"#);
    says(&run(&["check", url, "--baseline", &baseline]), 2, "there is no rule \"no-such-rule\"");
    let baseline = file("known2.json", r#"[{ "revison": "2025-11-25" }]"#);
    says(&run(&["check", url, "--baseline", &baseline]), 2, "revison");
    says(&run(&["check", url, "--baseline", "/no/such/file"]), 2, "/no/such/file");
    says(&run(&["check", url, "--rule", "no-such-rule"]), 2, "there is no rule or area");
    says(&run(&["check", url, "--revision", "2024-11-05"]), 2, "2026-07-28");
    says(&run(&["check", url, "--tool", "a", "--args", "[1]"]), 2, "--args is no JSON object");
    says(&run(&["check", url, "--header", "nothing"]), 2, "Name: value");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_partial_report_is_written_also_when_nothing_could_be_checked() {
    let folder = std::env::temp_dir().join(format!("mcp-conformance-partial-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).display().to_string();
    let (json, html, junit) = (path("a.json"), path("a.html"), path("a.xml"));
    let ran = run(&["check", "http://127.0.0.1:1/mcp", "--json", &json, "--html", &html, "--junit", &junit]);
    assert_eq!(ran.code, 3);
    for file in [json, html, junit] {
        assert!(std::fs::read_to_string(&file).unwrap().contains("cannot connect"), "{file}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_rule_is_listed_with_its_link() {
    let ran = run(&["list"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out.lines().all(|line| line.contains("https://modelcontextprotocol.io/specification/")),
        "{}",
        ran.out
    );
    let all: serde_json::Value = serde_json::from_str(&run(&["list", "--json"]).out).unwrap();
    assert_eq!(all.as_array().unwrap().len(), ran.out.lines().count());
}
