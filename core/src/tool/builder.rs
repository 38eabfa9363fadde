use std::fmt;

use http::HeaderMap;
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::check::{CompiledSchema, Repairs, Violations};
use super::handler::{Function, Handler, ToolHandler};
use super::param_header::{HeaderMismatch, ParamHeader};
use super::schema::{self, SchemaError};
use crate::types::{Capability, Icon, ToolAnnotations, ToolDefinition};

/// A tool: what is published of it, the checks on its arguments and results, and what runs it.
pub struct Tool {
    definition: ToolDefinition,
    input: CompiledSchema,
    output: Option<CompiledSchema>,
    param_headers: Vec<ParamHeader>,
    requires: Vec<Capability>,
    handler: Option<Box<dyn ToolHandler>>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("definition", &self.definition).finish_non_exhaustive()
    }
}

/// A tool could not be registered. Every message names the tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Names are 1 to 128 of `A–Z a–z 0–9 _ - .`.
    #[error("tool {0:?}: a name is 1 to 128 letters, digits, '_', '-' or '.'; `allow_any_name` lifts that")]
    InvalidName(String),
    /// Two tools of one name.
    #[error("tool {0:?}: the name is taken; names must be unique")]
    DuplicateName(String),
    /// Nothing would run the tool.
    #[error("tool {0:?}: nothing runs it; give it a `handler`")]
    NoHandler(String),
    /// The input schema cannot be published.
    #[error("tool {tool:?}: input schema: {error}")]
    InputSchema {
        /// The tool.
        tool: String,
        /// Why not.
        #[source]
        error: SchemaError,
    },
    /// The output schema cannot be published.
    #[error("tool {tool:?}: output schema: {error}")]
    OutputSchema {
        /// The tool.
        tool: String,
        /// Why not.
        #[source]
        error: SchemaError,
    },
}

impl Tool {
    /// Starts a tool of this name.
    pub fn builder(name: impl Into<String>) -> ToolBuilder {
        ToolBuilder {
            definition: ToolDefinition {
                name: name.into(),
                title: None,
                description: None,
                icons: Vec::new(),
                input_schema: schema::no_arguments(),
                output_schema: None,
                annotations: ToolAnnotations::default(),
                meta: Map::new(),
            },
            input_schema: None,
            requires: Vec::new(),
            any_name: false,
            handler: None,
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.definition.description.as_deref()
    }

    /// The schema that arguments are checked against, as it is published.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.definition.input_schema
    }

    /// The schema that structured results are checked against.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.definition.output_schema.as_ref()
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// What a client must be able to do for this tool to work at all.
    pub(crate) fn requires(&self) -> &[Capability] {
        &self.requires
    }

    pub(super) fn handler(&self) -> Option<&dyn ToolHandler> {
        self.handler.as_deref()
    }

    /// Compares the `Mcp-Param-*` headers with the arguments.
    pub(crate) fn check_headers(
        &self,
        headers: &HeaderMap,
        arguments: &Map<String, Value>,
        required: bool,
        repairs: Repairs,
    ) -> Result<(), HeaderMismatch> {
        let check = |arguments| {
            self.param_headers.iter().try_for_each(|header| header.check(headers, arguments, required))
        };
        if self.param_headers.iter().any(|header| header.is_in_text(arguments)) {
            check(&self.input.repaired(arguments, repairs))
        } else {
            check(arguments)
        }
    }

    /// Whether arguments are right as they were sent, by their text, and repeated in no header.
    pub(crate) fn takes_text(&self, json: &str) -> bool {
        self.param_headers.is_empty() && self.input.takes_text(json)
    }

    /// Checks the arguments against the published schema, and mends them first where that is needed.
    pub(crate) fn check_arguments(
        &self,
        arguments: Map<String, Value>,
        repairs: Repairs,
    ) -> Result<Arguments, Violations> {
        let arguments = self.input.check_arguments(arguments, repairs)?;
        self.param_headers.iter().try_for_each(|header| header.check_range(&arguments))?;
        Ok(arguments)
    }

    /// Checks structured content against the published schema, if there is one.
    pub(crate) fn check_output(&self, structured: Option<&Value>) -> Result<(), Violations> {
        match (&self.output, structured) {
            (None, _) => Ok(()),
            (Some(schema), Some(value)) => schema.check(value),
            (Some(_), None) => Err(Violations::single("", "there is no structured content")),
        }
    }
}

/// Describes a tool, part by part. Nothing is checked before the tool is added or built.
#[must_use = "a tool does nothing before it is added to a set"]
pub struct ToolBuilder {
    definition: ToolDefinition,
    /// Handed in by the application; wins over what the handler's type would give.
    input_schema: Option<Value>,
    requires: Vec<Capability>,
    any_name: bool,
    handler: Option<Box<dyn ToolHandler>>,
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl ToolBuilder {
    /// Name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// What the tool does and when to use it: the model decides by this text.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Adds a picture for a user interface. Not sent to 2025-06-18.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.definition.icons.push(icon);
        self
    }

    /// Hints about what the tool does to the world.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.definition.annotations = annotations;
        self
    }

    /// Adds a member to the tool's `_meta`.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.definition.meta.insert(key.into(), value.into());
        self
    }

    /// Publishes this schema, unchanged, instead of the one that the handler's type gives.
    ///
    /// Arguments are checked against it, after the [`Repairs`] of the server. The keywords that schemas of types
    /// have are checked by this crate itself; any other one (`pattern`, `if`, `not` …) needs its feature
    /// `json-schema`, which is on by default, and is refused without.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// The schema of the structured content. Results are checked against it before they are sent.
    ///
    /// Any schema will do: clients of older revisions, which take objects only, get it wrapped in one, and the
    /// content with it.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.definition.output_schema = Some(schema);
        self
    }

    /// [`output_schema`](Self::output_schema), derived from the type that the tool gives back in [`Json`](super::Json).
    pub fn output_schema_of<T: JsonSchema>(self) -> Self {
        self.output_schema(schema::derive_output::<T>())
    }

    /// The tool cannot work with a client that did not declare this: such a call is refused before it starts.
    ///
    /// Only clients of 2026-07-28 tell with every request what they can do; others are let through.
    pub fn requires(mut self, capability: Capability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Allows names that clients may not understand, in any characters.
    pub fn allow_any_name(mut self) -> Self {
        self.any_name = true;
        self
    }

    /// What runs the tool: see [`Handler`] for the functions that will do.
    pub fn handler<Marker: 'static, F: Handler<Marker>>(mut self, function: F) -> Self {
        self.definition.input_schema = F::input_schema();
        self.handler = Some(Box::new(Function::<F, Marker>::new(function)));
        self
    }

    /// What runs the tool, with arguments that have no Rust type. Give it an [`input_schema`](Self::input_schema) too.
    pub fn raw_handler(mut self, handler: impl ToolHandler + 'static) -> Self {
        self.handler = Some(Box::new(handler));
        self
    }

    /// Checks everything that is to be published. A [`ToolSet`](super::ToolSet) does it itself; other registries
    /// build their tools with this.
    ///
    /// # Errors
    /// When the tool cannot be published as it is. The error names the tool.
    pub fn build(self) -> Result<Tool, RegisterError> {
        let Self { mut definition, input_schema, requires, any_name, handler } = self;
        if let Some(schema) = input_schema {
            definition.input_schema = schema;
        }
        let name_fits = (1..=128).contains(&definition.name.len())
            && definition.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if !name_fits && (!any_name || definition.name.is_empty()) {
            return Err(RegisterError::InvalidName(definition.name));
        }
        let in_input = |error| RegisterError::InputSchema { tool: definition.name.clone(), error };
        let in_output = |error| RegisterError::OutputSchema { tool: definition.name.clone(), error };
        let dialect = schema::inspect(&definition.input_schema).map_err(in_input)?;
        if definition.input_schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(in_input(SchemaError::RootIsNotAnObject));
        }
        let param_headers = ParamHeader::read_all(&definition.input_schema).map_err(in_input)?;
        let input = CompiledSchema::new(&definition.input_schema, dialect).map_err(in_input)?;
        let output = match &definition.output_schema {
            None => None,
            Some(schema) if !schema.is_object() => return Err(in_output(SchemaError::NotASchema)),
            Some(schema) => {
                let dialect = schema::inspect(schema).map_err(in_output)?;
                Some(CompiledSchema::new(schema, dialect).map_err(in_output)?)
            }
        };
        Ok(Tool { definition, input, output, param_headers, requires, handler })
    }
}
