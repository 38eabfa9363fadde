//! The examples, run as programs. What else is warp's own is tested with the other adapters, in `conformance/equality`.
#![cfg(test)]

#[path = "../../../transport-actix/tests/it/existing_app.rs"]
mod existing_app;
#[path = "../../../transport-actix/tests/it/program.rs"]
mod program;
#[path = "../../../transport-actix/tests/it/wire.rs"]
#[expect(dead_code, reason = "the tests of mcp-actix use the rest")]
mod wire;

use crate::program::Program;

fn program() -> Program {
    Program::start("existing_app_warp")
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

#[cfg(unix)]
#[test]
fn existing_app_ends_when_asked_although_somebody_listens() {
    existing_app::ends_when_asked(program());
}
