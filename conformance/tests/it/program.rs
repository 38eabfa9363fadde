//! The program: what it prints, and how it ends.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use mcp_conformance::record::Options;
use mcp_conformance::session::Session;
use mcp_conformance::wire::Endpoint;

use crate::record::{recorder, talk};
use crate::site;

/// A folder of its own, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mcp-conformance-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mcp-conformance"))
}

fn replay(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = program().arg("replay").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn a_replay_tells_its_verdicts_and_ends_with_them() {
    let folder = Folder::new("replay");
    let site = site::everything();
    let url = site.url().as_str();
    let (recorder, endpoint) = recorder(site.clone(), Options::default());
    talk(&endpoint);
    let text = recorder.finish().text();
    let good = folder.file("good.json", &text);
    let verdicts = folder.file("verdicts", "");
    let (code, out, _) = replay(&[&good, "--against", url, "--match", "exact", "--json", &verdicts]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("hand, 2025-11-25") && out.contains("same   2 POST tools/call need_name"), "{out}");
    assert!(out.ends_with("1 sessions, 4 exchanges, 0 different\n"), "{out}");
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(verdicts).unwrap()).unwrap();
    assert_eq!(json[0]["verdicts"][1]["matching"], "exact");
    assert_eq!(json[0]["verdicts"].as_array().unwrap().len(), 4);

    folder.file("bad.json", &text.replace("Hello, ", "Hi, "));
    let (code, out, _) =
        replay(&[folder.0.to_str().unwrap(), "--against", url, "--match", "exact", "--mutate=1"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("DIFF   2 POST tools/call need_name, 1 mutation\n"), "{out}");
    assert!(out.ends_with("2 sessions, 8 exchanges, 1 different\n"), "{out}");
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let folder = Folder::new("wrong");
    let typo = folder.file("typo.json", r#"{ "format": 1, "exchange": [] }"#);
    let none = folder.file("none.json", r#"{ "format": 1, "exchanges": [] }"#);
    for (arguments, words) in [
        (&[&*typo, "--against", "http://127.0.0.1:1/mcp"][..], "typo.json is no session"),
        (&[&none, "--against", "http://127.0.0.1:1/mcp"], "cannot connect to 127.0.0.1:1"),
        (&[&none, "--against", "127.0.0.1:1"], "is no endpoint"),
        (&[&none, "--against", "http://127.0.0.1:1/mcp", "--header", "x"], "Name: value"),
        (&[&none, "--against", "http://127.0.0.1:1/mcp", "--match", "near"], "exact, shape, spec"),
    ] {
        let (code, _, err) = replay(arguments);
        assert!(code == 2 && err.contains(words), "{code} {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_recording_ends_with_a_signal_and_its_file_is_whole() {
    let folder = Folder::new("signal");
    let file = folder.0.join("session.json");
    for signal in ["-INT", "-TERM"] {
        let site = site::everything();
        let mut child = program()
            .args(["record", "--upstream", site.url().as_str(), "--listen", "127.0.0.1:0", "--output"])
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        talk(&Endpoint::parse(first.split(' ').next().unwrap()).unwrap());
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert!(child.wait().unwrap().success());
        let last = lines.last().unwrap().unwrap();
        assert!(last.starts_with("4 exchanges in ") && last.ends_with("session.json"), "{last}");
        assert_eq!(Session::load(&file).unwrap().exchanges.len(), 4);
    }
}
