//! Check any MCP server over HTTP, record a client's session, and replay it.
//!
//! ```no_run
//! use mcp_conformance::{Target, check};
//!
//! let target = Target::parse("http://127.0.0.1:3000/mcp").unwrap();
//! let report = check(&target);
//! assert!(report.is_good(), "{report}");
//! ```

pub mod answer;
mod baseline;
mod check;
pub mod event;
mod exchange;
pub mod json;
pub mod mutate;
mod opened;
mod probe;
pub mod profile;
pub mod record;
pub mod replay;
pub mod report;
mod revision;
pub mod rules;
pub mod session;
pub mod shapes;
mod target;
pub mod wire;

pub use baseline::{BadBaseline, Baseline};
pub use check::{check, check_with, expected};
pub use exchange::Exchange;
pub use opened::{NotOpened, Opened, mirrored};
pub use probe::{Probe, Stream};
pub use profile::Profile;
pub use report::Report;
pub use revision::Revision;
pub use target::Target;

/// The README's program compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
