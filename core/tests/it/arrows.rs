//! The rooms of the crate and the one direction of their dependencies.
//!
//! A room uses only rooms on lower levels, and nothing below `service` touches the world outside: no runtime, socket,
//! file, clock or source of chance. Code behind the feature `tokio` is the exception.

use std::fs;
use std::path::{Path, PathBuf};

const LEVELS: &[(&str, u8)] = &[
    ("jsonrpc", 0),
    ("sse", 0),
    ("types", 0),
    ("runtime", 0),
    ("change", 0),
    ("revision", 1),
    ("header", 1),
    ("media", 1),
    ("origin", 1),
    ("seal", 1),
    ("uri_template", 1),
    ("context", 2),
    ("registry", 3),
    ("auth", 4),
    ("completion", 4),
    ("task", 4),
    ("tool", 4),
    ("prompt", 5),
    ("resource", 5),
    ("compose", 5),
    ("input", 5),
    ("server", 6),
    ("service", 7),
    ("testing", 8),
    ("guide", 9),
];

/// What only `service` may touch.
const OUTSIDE: &[&str] =
    &["tokio", "std::net", "std::fs", "getrandom", "Instant::now", "SystemTime", "spawn"];

fn level(room: &str) -> Option<u8> {
    LEVELS.iter().find(|(name, _)| *name == room).map(|(_, level)| *level)
}

/// What is wrong with a source file of a room.
fn problems(room: &str, source: &str) -> Vec<String> {
    let Some(own) = level(room) else {
        return vec![format!("the room {room} has no level")];
    };
    let code = without_tokio(&code_of(source));
    let mut problems = Vec::new();
    for used in rooms_used(&code) {
        match level(&used) {
            None => problems.push(format!("{room} uses crate::{used}, which is no room")),
            Some(other) if used != room && other >= own => {
                problems.push(format!("{room} (level {own}) uses {used} (level {other})"));
            }
            Some(_) => {}
        }
    }
    if own < 7 {
        for word in OUTSIDE {
            if has_word(&code, word) {
                problems.push(format!("{room} touches {word}"));
            }
        }
    }
    problems
}

/// The source without comments, and with nothing in its string literals.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = string_literal(rest) {
            // The feature's name is needed: it says what to leave out.
            code.push_str(if &rest[..length] == "\"tokio\"" { "\"tokio\"" } else { "\"\"" });
            length
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest[2..].find('\'').map_or(rest.len(), |end| end + 3)
        } else {
            code.push(next);
            next.len_utf8()
        };
        rest = &rest[skip..];
    }
    code
}

/// The length of the string literal that `text` begins with.
fn string_literal(text: &str) -> Option<usize> {
    let raw = text.strip_prefix('r').map(|rest| (rest.len() - rest.trim_start_matches('#').len(), rest));
    if let Some((hashes, rest)) = raw
        && rest[hashes..].starts_with('"')
    {
        let end = format!("\"{}", "#".repeat(hashes));
        let body = 1 + hashes + 1;
        return Some(text[body..].find(&end).map_or(text.len(), |at| body + at + end.len()));
    }
    let mut escaped = false;
    for (at, char) in text.strip_prefix('"')?.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 2),
            _ => {}
        }
    }
    Some(text.len())
}

/// The code without the items that are there only with the feature `tokio`.
fn without_tokio(code: &str) -> String {
    const GATE: &str = "#[cfg(feature = \"tokio\")]";
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(GATE) {
        kept.push_str(&rest[..at]);
        let item = &rest[at + GATE.len()..];
        let mut depth = 0_usize;
        let end = item.char_indices().find_map(|(at, char)| {
            match char {
                '{' => depth += 1,
                '}' if depth == 1 => return Some(at + 1),
                '}' => depth -= 1,
                ';' if depth == 0 => return Some(at + 1),
                _ => {}
            }
            None
        });
        rest = &item[end.unwrap_or(item.len())..];
    }
    kept + rest
}

/// The first segments behind every `crate::`, also those in braces.
fn rooms_used(code: &str) -> Vec<String> {
    let identifier = |text: &str| {
        text.trim_start()
            .chars()
            .take_while(|char| char.is_alphanumeric() || *char == '_')
            .collect::<String>()
    };
    let mut rooms = Vec::new();
    for root in ["crate::", "mcp_http::"] {
        for (at, _) in code.match_indices(root) {
            // `$crate::` and `pub(crate)` are something else.
            if code[..at].ends_with(|before: char| before == '$' || before.is_alphanumeric() || before == '_')
            {
                continue;
            }
            let path = code[at + root.len()..].trim_start();
            let Some(group) = path.strip_prefix('{') else {
                rooms.push(identifier(path));
                continue;
            };
            let mut depth = 0_usize;
            let mut segment = String::new();
            for char in group.chars() {
                match char {
                    '}' if depth == 0 => break,
                    ',' if depth == 0 => {
                        rooms.push(identifier(&std::mem::take(&mut segment)));
                        continue;
                    }
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                segment.push(char);
            }
            rooms.push(identifier(&segment));
        }
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

fn has_word(code: &str, word: &str) -> bool {
    let part_of_a_name = |char: char| char.is_alphanumeric() || char == '_';
    code.match_indices(word).any(|(at, _)| {
        let end = at + word.len();
        !code[..at].ends_with(part_of_a_name) && !code[end..].starts_with(part_of_a_name)
    })
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_arrow_points_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut count = 0;
    for file in sources(&root) {
        let inside = file.strip_prefix(&root).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let room = first.strip_suffix(".rs").unwrap_or(first);
        // The root only lists the rooms.
        if room != "lib" {
            count += 1;
            let problems = problems(room, &fs::read_to_string(&file).unwrap());
            found.extend(problems.into_iter().map(|problem| format!("{}: {problem}", inside.display())));
        }
    }
    assert!(count >= LEVELS.len(), "only {count} files");
    assert!(found.is_empty(), "{found:#?}");
}

// The checker itself

#[track_caller]
fn check(room: &str, source: &str, expected: &[&str]) {
    assert_eq!(problems(room, source), expected, "{source}");
}

#[test]
fn an_arrow_that_points_up_is_found_wherever_it_stands() {
    let up = &["tool (level 4) uses server (level 6)"];
    check("tool", "use crate::server::Server;", up);
    check("tool", "use crate::{context::CallContext, server::{Server, Step}};", up);
    check("tool", "use crate::{\n    jsonrpc,\n    server,\n};", up);
    check("tool", "fn f(server: &crate::server::Server) {}", up);
    check("tool", "pub(crate) use crate::server;", up);
    check("tool", "use mcp_http::server::Server;", up);
    check("tool", "#[cfg(test)] mod tests { use crate::server::Server; }", up);
}

#[test]
fn an_arrow_between_rooms_of_one_level_is_found() {
    check("header", "use crate::origin::Origin;", &["header (level 1) uses origin (level 1)"]);
}

#[test]
fn arrows_that_point_down_or_stay_at_home_are_fine() {
    check("tool", "use crate::context::CallContext;\nuse crate::tool::schema;\nuse super::Tool;", &[]);
    check("server", "use crate::{jsonrpc::{self, Id}, tool::{Tool, ToolSet}};", &[]);
    check("tool", "// use crate::server::Server;\n/// [`crate::server`]\nlet a = \"crate::server\";", &[]);
    check(
        "tool",
        "/* crate::server */ let a = r#\"crate::server \"tokio\"#; let b = '\"'; let c = '\\'';",
        &[],
    );
    check("service", "use crate::server::Server; fn f() { std::thread::spawn(g); }", &[]);
}

#[test]
fn a_room_without_a_level_and_a_way_around_the_rooms_are_found() {
    check("attic", "", &["the room attic has no level"]);
    check("tool", "use crate::Server;", &["tool uses crate::Server, which is no room"]);
    check("tool", "use crate::*;", &[]);
}

#[test]
fn what_touches_the_outside_is_found() {
    check("server", "use tokio::time;", &["server touches tokio"]);
    check("tool", "let a = std::net::TcpStream::connect(b);", &["tool touches std::net"]);
    check("tool", "let now = Instant::now();", &["tool touches Instant::now"]);
    check(
        "server",
        "std::thread::spawn(f); std::fs::read(a);",
        &["server touches std::fs", "server touches spawn"],
    );
    check(
        "context",
        "SystemTime::UNIX_EPOCH; getrandom::fill(b)",
        &["context touches getrandom", "context touches SystemTime"],
    );
    check("server", "let respawned = 1; let tokio_like = 2; // tokio", &[]);
}

#[test]
fn code_behind_the_feature_is_excepted_and_what_follows_is_not() {
    let gate = "#[cfg(feature = \"tokio\")]\n";
    check("runtime", &format!("{gate}impl A for B {{ fn f() {{ tokio::g() }} }}"), &[]);
    check("runtime", &format!("{gate}pub use tokio::A;\n{gate}pub struct B;"), &[]);
    check("runtime", &format!("{gate}pub use tokio::A;\nuse tokio::B;"), &["runtime touches tokio"]);
    check("runtime", &format!("{gate}fn f() {{}}\nfn g() {{ tokio::h() }}"), &["runtime touches tokio"]);
}
