use std::fmt;

use crate::runtime::BoxFuture;

/// An answer that is there, or one to wait for.
pub enum Reply<'a, T> {
    /// The answer.
    Now(T),
    /// The answer, once it is ready.
    Later(BoxFuture<'a, T>),
}

impl<'a, T> Reply<'a, T> {
    /// The answer of a future.
    pub fn later(future: impl Future<Output = T> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }

    /// Makes another answer of it.
    pub fn map<U>(self, map: impl FnOnce(T) -> U + Send + 'a) -> Reply<'a, U>
    where
        T: 'a,
    {
        match self {
            Self::Now(answer) => Reply::Now(map(answer)),
            Self::Later(future) => Reply::later(async move { map(future.await) }),
        }
    }

    /// Waits for the answer.
    pub async fn wait(self) -> T {
        match self {
            Self::Now(answer) => answer,
            Self::Later(future) => future.await,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Reply<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(_) => f.debug_tuple("Later").finish_non_exhaustive(),
        }
    }
}

/// A registry could not answer. The reason is logged; the client learns only that the server failed.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub struct RegistryError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl RegistryError {
    /// A failure with its reason: an error, or a text.
    pub fn new(reason: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(reason.into())
    }
}
