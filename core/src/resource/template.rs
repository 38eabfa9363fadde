use std::fmt;
use std::sync::Arc;

use iri_string::convert::MappedToUri;
use iri_string::types::IriStr;
use serde_json::{Map, Value};

use super::builder::{Draft, Resource, settings};
use super::output::ResourceOutput;
use crate::change::Change;
use crate::completion::{Completer, Completers};
use crate::registry::Entry;
use crate::tool::{Function, Handler, RegisterError, Runs, Texts};
use crate::types::{Caching, Place, ResourceDefinition};
use crate::uri_template::UriTemplate;

/// A template of resources: their URIs, and what reads one of them.
pub struct ResourceTemplate {
    definition: ResourceDefinition,
    caching: Caching,
    template: UriTemplate,
    variables: Texts,
    completers: Completers,
    reader: Arc<dyn Runs<ResourceOutput>>,
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl ResourceTemplate {
    /// Starts a template of these URIs, such as `shop://orders/{id}`.
    ///
    /// | variable | takes |
    /// |---|---|
    /// | `{x}` | part of a path segment |
    /// | `{+x}` | anything, slashes too |
    /// | `{/x}` | a slash and a path segment, or nothing |
    /// | `{?x,y}` | a query of these names, or nothing |
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc6570>
    pub fn builder(template: impl Into<String>, name: impl Into<String>) -> ResourceTemplateBuilder {
        ResourceTemplateBuilder(
            Draft::new(Place::Template(template.into()), name.into()),
            Completers::default(),
        )
    }

    /// The template.
    #[must_use]
    pub fn uri_template(&self) -> &str {
        self.template.as_str()
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The media type of all resources, if they have one.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        self.definition.mime_type.as_deref()
    }

    /// The template's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.definition.meta
    }

    /// The URI of one of its resources. Variables that are not among the values are left out.
    pub fn uri<'v>(&self, values: impl IntoIterator<Item = (&'v str, &'v str)>) -> String {
        let values: Vec<(&str, &str)> = values.into_iter().collect();
        self.template.expand(|name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    /// The resource at this URI, if it is one of this template. Whether it exists its reader knows.
    #[must_use]
    pub fn at(&self, uri: &str) -> Option<Resource> {
        let variables = self.template.matches(uri)?;
        let texts =
            variables.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect();
        let variables = self.variables.read(texts).ok()?;
        // Clients may ask for an IRI. What is answered is a URI.
        let uri = IriStr::new(uri).map_or_else(|_| uri.to_owned(), |iri| MappedToUri::from(iri).to_string());
        let definition = ResourceDefinition { at: Place::Uri(uri), ..self.definition.clone() };
        Some(Resource::of_template(definition, self.caching, self.reader.clone(), variables))
    }

    pub(crate) fn definition(&self) -> &ResourceDefinition {
        &self.definition
    }

    pub(crate) fn completers(&self) -> &Completers {
        &self.completers
    }

    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.template.variables().any(|variable| variable == name)
    }
}

/// Sets up a [`ResourceTemplate`].
#[must_use = "a builder does nothing before it is registered"]
#[derive(Debug)]
pub struct ResourceTemplateBuilder(Draft, Completers);

settings!(ResourceTemplateBuilder);

impl ResourceTemplateBuilder {
    /// What completes a variable while a user types it.
    pub fn complete<Marker>(
        mut self,
        variable: impl Into<String>,
        completer: impl Completer<Marker>,
    ) -> Self {
        self.1.add(variable.into(), completer);
        self
    }

    /// Completes a variable to one of these values.
    pub fn choices(
        mut self,
        variable: impl Into<String>,
        choices: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.1.add_choices(variable.into(), choices.into_iter().map(Into::into).collect());
        self
    }

    /// What reads a resource of the template: a function of the same shapes as those of [tools](Handler), whose arguments
    /// are the variables, of a result that is [`IntoResourceOutput`](super::IntoResourceOutput). `None` means that there is
    /// no such resource.
    pub fn reader<Marker: 'static, F: Handler<Marker, ResourceOutput>>(mut self, function: F) -> Self {
        self.0.schema = F::input_schema();
        self.0.reader = Some(Arc::new(Function::<F, Marker>::new(function)));
        self
    }

    /// Checks everything that is to be published. A [`ResourceSet`](super::ResourceSet) does it itself; other registries
    /// build their templates with this.
    ///
    /// # Errors
    /// When the template cannot be published as it is or matched, its reader takes arguments that are no variables, or
    /// nothing reads its resources. The error names the template.
    pub fn build(self) -> Result<ResourceTemplate, RegisterError> {
        let Self(mut draft, mut completers) = self;
        let template =
            UriTemplate::parse(draft.definition.at.as_str()).map_err(|error| draft.refuse(error))?;
        if draft.definition.name.is_empty() {
            return Err(draft.refuse("it needs a name"));
        }
        let Some(reader) = draft.reader.take() else {
            return Err(draft.refuse("nothing reads its resources; give it a `reader`"));
        };
        // What a reader that takes no arguments says of them goes for it, not for the variables.
        if let Some(schema) = draft.schema.as_object_mut() {
            schema.shift_remove("additionalProperties");
        }
        let variables =
            Texts::new(std::mem::take(&mut draft.schema), &[]).map_err(|error| draft.refuse(error))?;
        let is_variable = |name: &str| template.variables().any(|variable| variable == name);
        if let Some(unknown) = variables.required().find(|name| !is_variable(name)) {
            return Err(
                draft.refuse(format!("its reader takes {unknown:?}, which is no variable of the template"))
            );
        }
        if let Some(unknown) = completers.names().find(|name| !is_variable(name)) {
            return Err(
                draft.refuse(format!("it completes {unknown:?}, which is no variable of the template"))
            );
        }
        completers.add_enums(variables.schema());
        let Draft { definition, caching, .. } = draft;
        Ok(ResourceTemplate { definition, caching, template, variables, completers, reader })
    }
}

impl Entry for ResourceTemplate {
    type Builder = ResourceTemplateBuilder;
    type Error = RegisterError;
    const CHANGE: Change = Change::Resources;

    fn build(builder: ResourceTemplateBuilder) -> Result<Self, RegisterError> {
        builder.build()
    }

    fn key(&self) -> &str {
        self.uri_template()
    }

    fn taken(template: String) -> RegisterError {
        RegisterError::Resource { resource: template, problem: "there is such a template already".to_owned() }
    }
}
