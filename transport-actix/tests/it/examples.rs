//! The examples, run as programs.

use crate::existing_app;
use crate::program::Program;

fn program() -> Program {
    Program::start("existing_app")
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
