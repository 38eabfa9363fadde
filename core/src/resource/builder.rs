use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use iri_string::types::UriStr;
use serde_json::{Map, Value};

use super::output::{ResourceOutput, ResourceResult};
use crate::change::Change;
use crate::context::CallContext;
use crate::registry::{Entry, Reply};
use crate::tool::{Arguments, Function, Handler, RegisterError, Runs};
use crate::types::{Caching, Place, ResourceDefinition};

/// A resource: what is published of it, and what reads it.
#[derive(Clone)]
pub struct Resource {
    definition: Arc<ResourceDefinition>,
    caching: Caching,
    reader: Arc<dyn Runs<ResourceOutput>>,
    /// Of a resource that a template made: what its variables are.
    variables: Arguments,
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl Resource {
    /// Starts a resource at this URI, of this name.
    pub fn builder(uri: impl Into<String>, name: impl Into<String>) -> ResourceBuilder {
        ResourceBuilder(Draft::new(Place::Uri(uri.into()), name.into()))
    }

    /// The URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        self.definition.at.as_str()
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The media type.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        self.definition.mime_type.as_deref()
    }

    /// The resource's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.definition.meta
    }

    pub(crate) fn definition(&self) -> &ResourceDefinition {
        &self.definition
    }

    pub(crate) fn caching(&self) -> Caching {
        self.caching
    }

    pub(super) fn of_template(
        definition: ResourceDefinition,
        caching: Caching,
        reader: Arc<dyn Runs<ResourceOutput>>,
        variables: Arguments,
    ) -> Self {
        Self { definition: Arc::new(definition), caching, reader, variables }
    }

    /// Reads it.
    pub(crate) fn read(&self, cx: &CallContext) -> Reply<'static, ResourceResult> {
        self.reader.run(self.variables.clone(), cx)
    }
}

/// What resources and templates have in common while they are set up.
pub(super) struct Draft {
    pub(super) definition: ResourceDefinition,
    pub(super) caching: Caching,
    pub(super) schema: Value,
    pub(super) reader: Option<Arc<dyn Runs<ResourceOutput>>>,
}

impl Draft {
    pub(super) fn new(at: Place, name: String) -> Self {
        Self {
            definition: ResourceDefinition {
                at,
                name,
                title: None,
                description: None,
                icons: Vec::new(),
                mime_type: None,
                size: None,
                annotations: None,
                meta: Map::new(),
            },
            caching: Caching::NONE,
            schema: Value::Object(Map::new()),
            reader: None,
        }
    }

    pub(super) fn refuse(&self, problem: impl fmt::Display) -> RegisterError {
        let resource = self.definition.at.as_str().to_owned();
        RegisterError::Resource { resource, problem: problem.to_string() }
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("definition", &self.definition).finish_non_exhaustive()
    }
}

/// The settings that resources and templates share.
macro_rules! settings {
    ($builder:ty) => {
        impl $builder {
            /// Name for people.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.0.definition.title = Some(title.into());
                self
            }

            /// What it is, for the model.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.0.definition.description = Some(description.into());
                self
            }

            /// The media type, such as `text/plain`, also of its contents that have none of their own.
            pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
                self.0.definition.mime_type = Some(mime_type.into());
                self
            }

            /// Hints for whoever shows or sorts it.
            pub fn annotations(mut self, annotations: $crate::Annotations) -> Self {
                self.0.definition.annotations = Some(annotations);
                self
            }

            /// Adds a picture. Not sent to 2025-06-18.
            pub fn icon(mut self, icon: $crate::Icon) -> Self {
                self.0.definition.icons.push(icon);
                self
            }

            /// Adds a member to its `_meta`.
            pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
                self.0.definition.meta.insert(key.into(), value.into());
                self
            }

            /// How long clients may keep what they read, and who may be given it. Default: not at all.
            ///
            /// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
            pub fn cache(mut self, ttl: std::time::Duration, scope: $crate::CacheScope) -> Self {
                self.0.caching = Caching { ttl, scope };
                self
            }
        }
    };
}
pub(super) use settings;

/// Sets up a [`Resource`].
#[must_use = "a builder does nothing before it is registered"]
#[derive(Debug)]
pub struct ResourceBuilder(Draft);

settings!(ResourceBuilder);

impl ResourceBuilder {
    /// How large it is, in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.0.definition.size = Some(bytes);
        self
    }

    /// What reads it: `Fn()` or `Fn(CallContext)`, sync or async, of a result that is
    /// [`IntoResourceOutput`](super::IntoResourceOutput).
    pub fn reader<Marker: 'static, F: Handler<Marker, ResourceOutput>>(mut self, function: F) -> Self {
        self.0.schema = F::input_schema();
        self.0.reader = Some(Arc::new(Function::<F, Marker>::new(function)));
        self
    }

    /// A text that never changes. Its size is published.
    pub fn text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.size(u64::try_from(text.len()).unwrap_or(u64::MAX)).reader(move || text.clone())
    }

    /// Bytes that never change. Their size is published.
    pub fn bytes(self, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        self.size(u64::try_from(bytes.len()).unwrap_or(u64::MAX)).reader(move || bytes.clone())
    }

    /// Checks everything that is to be published. A [`ResourceSet`](super::ResourceSet) does it itself; other registries
    /// build their resources with this.
    ///
    /// # Errors
    /// When the resource cannot be published as it is, or nothing reads it. The error names the resource.
    pub fn build(mut self) -> Result<Resource, RegisterError> {
        let draft = &mut self.0;
        if UriStr::new(draft.definition.at.as_str()).is_err() {
            return Err(draft.refuse("it is no URI with a scheme, in ASCII"));
        }
        if draft.definition.name.is_empty() {
            return Err(draft.refuse("it needs a name"));
        }
        let takes =
            draft.schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
        if takes {
            return Err(draft.refuse("its reader takes arguments, which only those of templates get"));
        }
        let Some(reader) = draft.reader.take() else {
            return Err(draft.refuse("nothing reads it; give it a `reader`, or `text` or `bytes`"));
        };
        let Draft { definition, caching, .. } = self.0;
        Ok(Resource { definition: Arc::new(definition), caching, reader, variables: Arguments::default() })
    }
}

impl Entry for Resource {
    type Builder = ResourceBuilder;
    type Error = RegisterError;
    const CHANGE: Change = Change::Resources;

    fn build(builder: ResourceBuilder) -> Result<Self, RegisterError> {
        builder.build()
    }

    fn key(&self) -> &str {
        self.uri()
    }

    fn taken(uri: String) -> RegisterError {
        RegisterError::Resource { resource: uri, problem: "there is one at this URI already".to_owned() }
    }
}
