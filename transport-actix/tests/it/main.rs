//! A server on a port, and clients that write and read bytes: what only shows on the wire.
//!
//! Nothing here asks how core decides. Where it does decide, the answer on the wire is compared with what
//! `Server::receive`, `Call::run` and `Exchange::finish` give for the same request, see [`core`].
#![cfg(test)]

mod bodies;
mod callers;
mod connections;
mod core;
mod examples;
mod existing_app;
mod failures;
mod heads;
mod hosts;
mod mounting;
mod program;
mod site;
mod streams;
mod wire;
