//! JSON-RPC 2.0 as MCP uses it: ids, messages and errors, decoded and encoded.
//!
//! Nothing here knows a method, a header or a revision.
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/basic#messages>

mod encode;
mod error;
mod id;
mod message;
mod scan;

pub(crate) use encode::{ObjectWriter, write_array, write_error, write_json, write_result};
pub use error::ErrorCode;
pub(crate) use error::ErrorObject;
pub use id::Id;
pub(crate) use message::{Malformed, Members, Message, decode, read_object};
pub(crate) use scan::{NotJson, Scanner};
