use std::fmt;
use std::sync::Arc;

use super::builder::Resource;
use super::template::ResourceTemplate;
use crate::change::ChangeListener;
use crate::context::CallContext;
use crate::registry::{Listing, RegistryError, Reply};

/// The resources of an application, wherever they are kept: for resources what [`ToolRegistry`](crate::ToolRegistry) is for
/// tools.
///
/// [`ResourceSet`](super::ResourceSet) keeps them in memory.
pub trait ResourceRegistry: Send + Sync {
    /// The resources that this caller may see, in a stable order. Not those of templates.
    ///
    /// # Errors
    /// When the resources cannot be listed.
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>>;

    /// The templates that this caller may see, in a stable order.
    ///
    /// # Errors
    /// When the templates cannot be listed.
    fn templates<'a>(
        &'a self,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>>;

    /// The resource at this URI, if this caller may read it: one that is listed, or [of a template](ResourceTemplate::at).
    ///
    /// # Errors
    /// When the resource cannot be looked up.
    fn find<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>>;

    /// Whether a variable of any template can be completed: only then are clients told that they may ask. It is asked once,
    /// when the server is built. Default: none can.
    fn completes(&self) -> bool {
        false
    }

    /// Has the listener told of every [change of a list](crate::Change::Resources) and of [contents](crate::Change::Resource).
    /// Says whether the lists will ever change. Default: never.
    fn watch(&self, listener: &ChangeListener) -> bool {
        let _ = listener;
        false
    }

    /// Shows each caller the resources at whose URI, and the templates with whose text, `visible` says yes. The others are
    /// unknown to that caller: they are not read, and nobody hears that they were updated.
    ///
    /// A resource of a template is asked for by its own URI.
    fn filter(
        self,
        visible: impl Fn(&str, &CallContext) -> bool + Send + Sync + 'static,
    ) -> VisibleResources<Self>
    where
        Self: Sized,
    {
        VisibleResources { inner: self, visible: Box::new(visible) }
    }
}

macro_rules! behind_a_pointer {
    ($($pointer:ident),*) => {$(
        impl<R: ResourceRegistry + ?Sized> ResourceRegistry for $pointer<R> {
            fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
                (**self).list(cx)
            }

            fn templates<'a>(
                &'a self,
                cx: &'a CallContext,
            ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
                (**self).templates(cx)
            }

            fn find<'a>(
                &'a self,
                key: &'a str,
                cx: &'a CallContext,
            ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
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

type Visible = dyn Fn(&str, &CallContext) -> bool + Send + Sync;

/// The resources of a registry that a caller may see. Made by [`ResourceRegistry::filter`].
pub struct VisibleResources<R> {
    inner: R,
    visible: Box<Visible>,
}

impl<R: fmt::Debug> fmt::Debug for VisibleResources<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisibleResources").field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<R: ResourceRegistry> ResourceRegistry for VisibleResources<R> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
        self.inner.list(cx).map(|listing| Ok(listing?.only(|resource| (self.visible)(resource.uri(), cx))))
    }

    fn templates<'a>(
        &'a self,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
        self.inner
            .templates(cx)
            .map(|listing| Ok(listing?.only(|template| (self.visible)(template.uri_template(), cx))))
    }

    fn find<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
        if (self.visible)(uri, cx) { self.inner.find(uri, cx) } else { Reply::Now(Ok(None)) }
    }

    fn completes(&self) -> bool {
        self.inner.completes()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.inner.watch(listener)
    }
}
