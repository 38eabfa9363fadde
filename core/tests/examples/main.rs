//! The examples on axum, run as programs.
#![cfg(test)]

#[path = "../../../transport-actix/tests/it/existing_app.rs"]
mod existing_app;
#[path = "../../../transport-actix/tests/it/program.rs"]
mod program;
#[path = "../../../transport-actix/tests/it/wire.rs"]
#[expect(dead_code, reason = "the tests of mcp-actix use the rest")]
mod wire;

use serde_json::json;

use crate::program::Program;
use crate::wire::Request;

fn program() -> Program {
    Program::start("existing_app_axum")
}

#[test]
fn existing_app_knows_who_is_calling() {
    existing_app::knows_who_is_calling(&program());
}

#[test]
fn existing_app_serves_its_other_routes() {
    existing_app::serves_its_other_routes(&program());
}

#[test]
fn existing_app_lets_one_page_in() {
    existing_app::lets_one_page_in(&program());
}

#[test]
fn existing_app_says_where_tokens_come_from() {
    let program = program();
    let refused = program.send(&Request::post("{}").to("/api/mcp").with("Host", "localhost:1"));
    let path = "/.well-known/oauth-protected-resource/api/mcp";
    let challenge = refused.all("www-authenticate")[0];
    assert!(challenge.contains(&format!("resource_metadata=\"http://localhost:1{path}\"")), "{challenge}");

    let metadata = program.send(&Request::new("GET", path)).json();
    assert_eq!(metadata["authorization_servers"], json!(["https://login.example.com"]));
    assert_eq!(metadata["resource"], "http://localhost/api/mcp");
}

#[cfg(unix)]
#[test]
fn existing_app_ends_when_asked_although_somebody_listens() {
    existing_app::ends_when_asked(program());
}
