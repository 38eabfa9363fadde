//! Sessions against a real server: one program, so that it is linked once.
#![cfg(test)]

mod format;
mod record;
mod replay;
mod site;
