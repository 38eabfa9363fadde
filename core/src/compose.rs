//! Registries around registries: each takes a [`ToolRegistry`] and is one.
//!
//! ```text
//!  crm ── prefix "crm" ──┐
//!                        ├─ merge ── filter: who may see what ── hook: audit ── Server
//!  rag ── prefix "rag" ──┘
//! ```
//!
//! They are put together with the methods of [`Compose`], which every registry has, and in any order. The outermost one
//! is asked first.
//!
//! | method | what clients get |
//! |---|---|
//! | [`merge`](Compose::merge) | the tools of both registries |
//! | [`prefix`](Compose::prefix) | `search` as `crm-search` |
//! | [`filter`](Compose::filter), [`try_filter`](Compose::try_filter) | the tools that this caller may use: the others are unknown |
//! | [`switched`](Compose::switched) | the tools that are not [switched off](Switches) at the moment |
//! | [`hook`](Compose::hook) | answers that a [`Hook`] has seen, changed, or given itself |
//! | [`hook`](Compose::hook) with a [`Ceiling`] | so many runs and no more |
//!
//! ```
//! use mcp_http::compose::{Ceiling, Compose, Switches};
//! use mcp_http::{Server, Tool, ToolSet};
//!
//! let crm = ToolSet::new().with(Tool::builder("search").description("Search the customers").handler(|| "Ann"))?;
//! let rag = ToolSet::new()
//!     .with(Tool::builder("search").description("Search the handbook").handler(|| "Chapter 1"))?
//!     .with(Tool::builder("reindex").description("Build the index again").handler(|| ()))?;
//!
//! let switches = Switches::new();
//! let tools = crm
//!     .prefix("crm")?
//!     .merge(rag.prefix("rag")?)?
//!     .filter(|tool, cx| tool.name() != "rag-reindex" || cx.principal().is_some_and(|caller| caller.as_str() == "admin"))
//!     .switched(&switches)
//!     .hook(Ceiling::per_principal(1000));
//!
//! let server = Server::builder("company", "1.0.0").tools(tools).build()?;
//! switches.turn_off("crm-search"); // from the next request on
//! # drop(server);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Who may see what
//!
//! One predicate rules listing and calling: what [`filter`](Compose::filter) leaves out of a caller's list is unknown
//! when that caller calls it. Lists are then the caller's own: clients are told not to share them, and they are encoded
//! for each request. A predicate that cannot tell, because the database is gone, fails with
//! [`try_filter`](Compose::try_filter); the client gets an error then, and not a list without tools, which some take as
//! a reason to forget them.
//!
//! # Names
//!
//! Two tools of one name are refused when registries are put together, as far as the names are
//! [known](ToolRegistry::names). Of those that turn up later, in a registry that changes while it is served, or behind a
//! filter, the first is served, and the log tells. A name is never taken apart: `a-b-c` is looked for in the registry
//! with the prefix `a` and in the one with the prefix `a-b`.
//!
//! # Tools by what they are for
//!
//! An agent that wants "a web search", whatever it is called, finds it by its
//! [capability](crate::ToolBuilder::capability), which is published in the tool's `_meta`:
//! [`Listing::with_capability`](crate::registry::Listing::with_capability) does so in this process.

mod ceiling;
mod derived;
mod filter;
mod hook;
mod merge;
mod prefix;
mod switch;

pub use ceiling::Ceiling;
pub use filter::Filtered;
pub use hook::{Hook, Hooked, ToolCall};
pub use merge::Merged;
pub use prefix::Prefixed;
pub use switch::{Switched, Switches};

use crate::context::CallContext;
use crate::tool::{RegisterError, RegistryError, Tool, ToolRegistry};

/// Puts a registry around this one. See [the module](self).
pub trait Compose: ToolRegistry + Sized {
    /// The tools of both: first those of this registry, then those of the other.
    ///
    /// # Errors
    /// When both are known to have a tool of one name.
    fn merge<Other: ToolRegistry>(self, other: Other) -> Result<Merged<Self, Other>, RegisterError> {
        Merged::new(self, other)
    }

    /// Puts a label and a hyphen before every name: `search` becomes `crm-search`.
    ///
    /// Labels are spelt as they are given, in the characters that names may have. A name of more than 128 characters is
    /// shortened, and ends in a hash of the whole.
    ///
    /// # Errors
    /// When the label cannot be part of a name, or two shortened names are the same.
    fn prefix(self, label: impl Into<String>) -> Result<Prefixed<Self>, RegisterError> {
        Prefixed::new(self, label.into())
    }

    /// Shows each caller the tools for which `visible` says yes. The others are unknown to that caller, also when they
    /// are called.
    fn filter(self, visible: impl Fn(&Tool, &CallContext) -> bool + Send + Sync + 'static) -> Filtered<Self> {
        self.try_filter(move |tool, cx| Ok(visible(tool, cx)))
    }

    /// [`filter`](Self::filter) with a predicate that may fail: the request then fails, and nothing is hidden or shown.
    fn try_filter(
        self,
        visible: impl Fn(&Tool, &CallContext) -> Result<bool, RegistryError> + Send + Sync + 'static,
    ) -> Filtered<Self> {
        Filtered::new(self, visible)
    }

    /// Leaves out the tools that are switched off at the moment, for everybody.
    fn switched(self, switches: &Switches) -> Switched<Self> {
        Switched::new(self, switches.clone())
    }

    /// Lets a hook see every call: before it, after it, and when a name was looked up.
    fn hook<H: Hook>(self, hook: H) -> Hooked<Self, H> {
        Hooked::new(self, hook)
    }
}

impl<R: ToolRegistry> Compose for R {}
