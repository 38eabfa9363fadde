//! Completion: what a user may go on to type into an argument of a prompt or a variable of a resource template.
//!
//! ```
//! use mcp_http::{Completing, Prompt};
//!
//! let review = Prompt::builder("review")
//!     .complete("branch", |typed: Completing| {
//!         ["main", "next"].into_iter().filter(|name| name.starts_with(&typed.value)).collect::<Vec<_>>()
//!     })
//!     .choices("tone", ["kind", "strict"]);
//! # drop(review);
//! ```
//!
//! Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::context::CallContext;
use crate::registry::{RegistryError, Reply};

/// More values are not sent at once.
const MAX_VALUES: usize = 100;

/// What a user has typed so far.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Completing {
    /// The beginning of the argument to complete.
    pub value: String,
    /// What is filled in already, of the other arguments.
    pub arguments: BTreeMap<String, String>,
    /// Who is asking.
    pub cx: CallContext,
}

impl Completing {
    pub(crate) fn new(value: String, arguments: BTreeMap<String, String>, cx: CallContext) -> Self {
        Self { value, arguments, cx }
    }
}

/// How an argument can go on: values, the best first. Clients get a hundred of them at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    pub(crate) values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) has_more: Option<bool>,
}

impl Completion {
    /// These values, and no others.
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut values: Vec<String> = values.into_iter().map(Into::into).collect();
        let total = values.len();
        values.truncate(MAX_VALUES);
        Self { values, total: u64::try_from(total).ok(), has_more: Some(total > MAX_VALUES) }
    }

    /// How many values there are, where not all were given.
    #[must_use]
    pub fn total(self, total: u64) -> Self {
        let given = u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        Self { total: Some(total.max(given)), has_more: Some(total > given), ..self }
    }

    /// There are more values, nobody counted how many.
    #[must_use]
    pub fn and_more(self) -> Self {
        Self { total: None, has_more: Some(true), ..self }
    }
}

/// What a completer may give back: values, or a [`Completion`], or a `Result` of one.
pub trait IntoCompletion {
    /// Converts it.
    ///
    /// # Errors
    /// When the values could not be found. The reason is logged; the client learns only that the server failed.
    fn into_completion(self) -> Result<Completion, RegistryError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, RegistryError> {
        Ok(self)
    }
}

impl<T: Into<String>> IntoCompletion for Vec<T> {
    fn into_completion(self) -> Result<Completion, RegistryError> {
        Ok(Completion::new(self))
    }
}

impl<T: IntoCompletion, E: Into<Box<dyn std::error::Error + Send + Sync>>> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, RegistryError> {
        self.map_err(RegistryError::new)?.into_completion()
    }
}

/// Functions that complete an argument: `Fn(Completing)`, sync or async, which give a type that is [`IntoCompletion`].
///
/// `Marker` only tells the shapes apart; it is always inferred.
pub trait Completer<Marker>: Send + Sync + 'static {
    /// Looks for values.
    fn complete(&self, typed: Completing) -> Reply<'static, Result<Completion, RegistryError>>;
}

#[doc(hidden)]
#[derive(Debug)]
pub struct Direct;
#[doc(hidden)]
#[derive(Debug)]
pub struct Awaited;

impl<F, R> Completer<Direct> for F
where
    F: Fn(Completing) -> R + Send + Sync + 'static,
    R: IntoCompletion,
{
    fn complete(&self, typed: Completing) -> Reply<'static, Result<Completion, RegistryError>> {
        Reply::Now(self(typed).into_completion())
    }
}

impl<F, Fut> Completer<Awaited> for F
where
    F: Fn(Completing) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoCompletion> + Send + 'static,
{
    fn complete(&self, typed: Completing) -> Reply<'static, Result<Completion, RegistryError>> {
        let values = self(typed);
        Reply::later(async move { values.await.into_completion() })
    }
}

type Complete = dyn Fn(Completing) -> Reply<'static, Result<Completion, RegistryError>> + Send + Sync;

/// Of each argument what completes it.
#[derive(Clone, Default)]
pub(crate) struct Completers(IndexMap<String, Arc<Complete>>);

impl fmt::Debug for Completers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Completers {
    pub(crate) fn add<M>(&mut self, argument: String, completer: impl Completer<M>) {
        self.0.insert(argument, Arc::new(move |typed| completer.complete(typed)));
    }

    /// Completes an argument to one of these values: those that begin with what was typed, in any case.
    pub(crate) fn add_choices(&mut self, argument: String, choices: Vec<String>) {
        self.0.insert(
            argument,
            Arc::new(move |typed| {
                let begun = typed.value.to_lowercase();
                let fits = choices.iter().filter(|choice| choice.to_lowercase().starts_with(&begun));
                Reply::Now(Ok(Completion::new(fits)))
            }),
        );
    }

    /// Completes every property of a schema that is one of some texts, unless something else does.
    pub(crate) fn add_enums(&mut self, schema: &Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let values = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            let texts: Vec<String> = values.filter_map(Value::as_str).map(str::to_owned).collect();
            if !texts.is_empty() && !self.0.contains_key(name) {
                self.add_choices(name.clone(), texts);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The values for an argument; none where nothing completes it.
    pub(crate) fn complete(
        &self,
        argument: &str,
        typed: Completing,
    ) -> Reply<'static, Result<Completion, RegistryError>> {
        match self.0.get(argument) {
            Some(complete) => complete(typed),
            None => Reply::Now(Ok(Completion::new([""; 0]))),
        }
    }
}
