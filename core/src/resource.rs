//! Resources: what an application lets clients read, each at a URI, and templates of URIs for those that are too many to
//! list.
//!
//! ```
//! use mcp_http::{Resource, ResourceSet, ResourceTemplate, Server};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Which {
//!     id: u64,
//! }
//!
//! let orders = |id: u64| (id < 100).then(|| format!("Order {id}: two chairs"));
//! let resources = ResourceSet::new()
//!     .with(Resource::builder("shop://terms", "terms").mime_type("text/plain").text("Pay within a week."))?
//!     .with_template(ResourceTemplate::builder("shop://orders/{id}", "order").reader(move |which: Which| orders(which.id)))?;
//! let server = Server::builder("shop", "1.0.0").resources(resources.clone()).build()?;
//! resources.updated("shop://orders/7"); // clients that listen for it read it again
//! # drop(server);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! The attribute [`#[resource]`](macro@crate::resource) writes the struct and the builders' calls itself.
//!
//! The variables of a template are texts of the client, percent-decoded: `%2F` is a slash by then, and `..` may be all of
//! it. One that is a path belongs checked before a file is opened. One that cannot be read as the type that the reader takes
//! it as means that there is no such resource.
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources>

mod builder;
mod output;
mod registry;
mod set;
mod template;

pub use builder::{Resource, ResourceBuilder};
pub use output::{IntoResourceOutput, ResourceOutput, ResourceResult};
pub use registry::{ResourceRegistry, VisibleResources};
pub use set::ResourceSet;
pub use template::{ResourceTemplate, ResourceTemplateBuilder};
