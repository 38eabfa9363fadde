//! Sessions against a real server: one program, so that it is linked once.
#![cfg(test)]

mod format;
mod mutants;
mod program;
mod published;
mod record;
mod replay;
mod site;
