use std::sync::Arc;

use super::builder::{Resource, ResourceBuilder};
use super::registry::ResourceRegistry;
use super::template::{ResourceTemplate, ResourceTemplateBuilder};
use crate::change::{Change, ChangeListener, ChangeSource as _, LocalChanges};
use crate::context::CallContext;
use crate::registry::{Listing, RegistryError, Reply, Set};
use crate::tool::RegisterError;

/// Resources and templates in memory, in the order they were added. Clones share one set, which may change while it is
/// served.
#[derive(Debug, Clone, Default)]
pub struct ResourceSet {
    resources: Set<Resource>,
    templates: Set<ResourceTemplate>,
    updates: LocalChanges,
}

impl ResourceSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a resource, to be chained.
    ///
    /// # Errors
    /// When it cannot be published as it is, or there is one at its URI. The error names the resource.
    pub fn with(self, resource: ResourceBuilder) -> Result<Self, RegisterError> {
        self.resources.add(resource)?;
        Ok(self)
    }

    /// Adds a template, to be chained. A URI of more than one template is read by the first.
    ///
    /// # Errors
    /// When it cannot be published as it is, or is there already. The error names the template.
    pub fn with_template(self, template: ResourceTemplateBuilder) -> Result<Self, RegisterError> {
        self.templates.add(template)?;
        Ok(self)
    }

    /// The resources, to be added to and removed from.
    #[must_use]
    pub fn resources(&self) -> &Set<Resource> {
        &self.resources
    }

    /// The templates, to be added to and removed from.
    #[must_use]
    pub fn templates(&self) -> &Set<ResourceTemplate> {
        &self.templates
    }

    /// Says that the resource at this URI has other contents now: clients that listen for it are told.
    pub fn updated(&self, uri: impl Into<String>) {
        self.updates.publish(Change::Resource(uri.into()));
    }

    /// The resource at this URI: one of its own, or of the first template that has it.
    #[must_use]
    pub fn get(&self, uri: &str) -> Option<Arc<Resource>> {
        self.resources
            .get(uri)
            .or_else(|| self.templates.snapshot().iter().find_map(|template| template.at(uri)).map(Arc::new))
    }
}

impl ResourceRegistry for ResourceSet {
    fn list<'a>(&'a self, _: &'a CallContext) -> Reply<'a, Result<Listing<Resource>, RegistryError>> {
        Reply::Now(Ok(self.resources.listing()))
    }

    fn templates<'a>(
        &'a self,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Listing<ResourceTemplate>, RegistryError>> {
        Reply::Now(Ok(self.templates.listing()))
    }

    fn find<'a>(
        &'a self,
        uri: &'a str,
        _: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Resource>>, RegistryError>> {
        Reply::Now(Ok(self.get(uri)))
    }

    fn completes(&self) -> bool {
        self.templates.snapshot().iter().any(|template| !template.completers().is_empty())
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        self.resources.on_change(listener.clone());
        self.templates.on_change(listener.clone());
        self.updates.subscribe(listener.clone());
        true
    }
}
