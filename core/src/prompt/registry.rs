use std::fmt;
use std::sync::Arc;

use super::builder::{Prompt, PromptBuilder};
use crate::change::{Change, ChangeListener};
use crate::context::CallContext;
use crate::registry::{Entry, Listing, RegistryError, Reply, Set};
use crate::tool::RegisterError;

/// The prompts of an application, wherever they are kept: for prompts what [`ToolRegistry`](crate::ToolRegistry) is for
/// tools.
///
/// [`PromptSet`] keeps them in memory.
pub trait PromptRegistry: Send + Sync {
    /// The prompts that this caller may see, in a stable order.
    ///
    /// # Errors
    /// When the prompts cannot be listed.
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>>;

    /// The prompt of this name, if this caller may see it.
    ///
    /// # Errors
    /// When the prompt cannot be looked up.
    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>>;

    /// Whether an argument of any prompt can be completed: only then are clients told that they may ask. It is asked once,
    /// when the server is built. Default: none can.
    fn completes(&self) -> bool {
        false
    }

    /// Has the listener told of every [change of the list](Change::Prompts). Says whether it ever will be. Default: never.
    fn watch(&self, listener: &ChangeListener) -> bool {
        let _ = listener;
        false
    }

    /// Shows each caller the prompts for which `visible` says yes. The others are unknown to that caller.
    fn filter(
        self,
        visible: impl Fn(&Prompt, &CallContext) -> bool + Send + Sync + 'static,
    ) -> VisiblePrompts<Self>
    where
        Self: Sized,
    {
        VisiblePrompts { inner: self, visible: Box::new(visible) }
    }
}

/// Prompts in memory, in the order they were added. Clones share one set, which may change while it is served.
pub type PromptSet = Set<Prompt>;

impl Entry for Prompt {
    type Builder = PromptBuilder;
    type Error = RegisterError;
    const CHANGE: Change = Change::Prompts;

    fn build(builder: PromptBuilder) -> Result<Self, RegisterError> {
        builder.build()
    }

    fn key(&self) -> &str {
        self.name()
    }

    fn taken(name: String) -> RegisterError {
        RegisterError::Prompt { prompt: name, problem: "the name is taken; names must be unique".to_owned() }
    }
}

impl PromptRegistry for PromptSet {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
        Reply::Now(Ok(self.listing()))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
        Reply::Now(Ok(self.get(name)))
    }

    fn completes(&self) -> bool {
        self.snapshot().iter().any(|prompt| !prompt.completers().is_empty())
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.on_change(listener.clone());
        true
    }
}

macro_rules! behind_a_pointer {
    ($($pointer:ident),*) => {$(
        impl<R: PromptRegistry + ?Sized> PromptRegistry for $pointer<R> {
            fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
                (**self).list(cx)
            }

            fn find<'a>(
                &'a self,
                key: &'a str,
                cx: &'a CallContext,
            ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
                (**self).find(key, cx)
            }

            fn completes(&self) -> bool {
                (**self).completes()
            }

            fn watch(&self, listener: &ChangeListener) -> bool {
                (**self).watch(listener)
            }
        }
    )*};
}
behind_a_pointer!(Arc, Box);

type Visible = dyn Fn(&Prompt, &CallContext) -> bool + Send + Sync;

/// The prompts of a registry that a caller may see. Made by [`PromptRegistry::filter`].
pub struct VisiblePrompts<R> {
    inner: R,
    visible: Box<Visible>,
}

impl<R: fmt::Debug> fmt::Debug for VisiblePrompts<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisiblePrompts").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<R: PromptRegistry> PromptRegistry for VisiblePrompts<R> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Prompt>, RegistryError>> {
        self.inner.list(cx).map(|listing| Ok(listing?.only(|prompt| (self.visible)(prompt, cx))))
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Prompt>>, RegistryError>> {
        self.inner.find(name, cx).map(|found| Ok(found?.filter(|prompt| (self.visible)(prompt, cx))))
    }

    fn completes(&self) -> bool {
        self.inner.completes()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.inner.watch(listener)
    }
}
