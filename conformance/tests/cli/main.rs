//! What users of `mcp-conformance check` and `list` see, with servers of every kind.
#![cfg(test)]

mod baseline;
mod hostile;
mod input;
mod program;
mod report;
mod site;
