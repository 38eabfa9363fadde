use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::arguments::Arguments;
use super::check::{CompiledSchema, Repairs, Violations};
use super::handler::{Function, Handler, ToolHandler};
use super::output::{IntoToolResult, ToolResult};
use super::param_header::{HeaderMismatch, ParamHeader};
use super::schema::{self, Dialect, SchemaError};
use crate::context::CallContext;
use crate::registry::Reply;
use crate::types::{Capability, Icon, NamedTool, ToolAnnotations, ToolDefinition};

/// A tool: what is published of it, the checks on its arguments and results, and what runs it.
pub struct Tool {
    name: String,
    /// Shared by the same tool under other names and with other handlers.
    body: Arc<Body>,
    handler: Arc<dyn ToolHandler>,
}

struct Body {
    definition: ToolDefinition,
    input: CompiledSchema,
    output: Option<CompiledSchema>,
    param_headers: Vec<ParamHeader>,
    requires: Vec<Capability>,
    task: Option<TaskSupport>,
}

/// Whether calls of a tool can go on without a connection, as [tasks](crate::task).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskSupport {
    /// They become tasks for clients that declared the extension; others wait for the result.
    Optional,
    /// Only clients that declared the extension are served: nobody else could wait as long.
    Required,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .field("definition", &self.body.definition)
            .finish_non_exhaustive()
    }
}

/// As `tools/list` of the newest revision publishes it.
impl Serialize for Tool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NamedTool { name: &self.name, definition: &self.body.definition }.serialize(serializer)
    }
}

/// The member of `_meta` that says what a tool is for.
const CAPABILITY: &str = "io.github.mcp-http/capability";

/// Whether all clients take this for the name of a tool.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names>
pub(crate) fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// A tool, a prompt or a resource could not be registered. Every message names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Names are 1 to 128 of `A–Z a–z 0–9 _ - .`.
    #[error("tool {0:?}: a name is 1 to 128 letters, digits, '_', '-' or '.'; `allow_any_name` lifts that")]
    InvalidName(String),
    /// A [prefix](crate::compose::Compose::prefix) that no name can begin with.
    #[error("the label {0:?}: a label is 1 to 110 letters, digits, '_', '-' or '.'")]
    InvalidLabel(String),
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
    /// A prompt could not be registered.
    #[error("prompt {prompt:?}: {problem}")]
    Prompt {
        /// The prompt.
        prompt: String,
        /// Why not.
        problem: String,
    },
    /// A resource or a template could not be registered.
    #[error("resource {resource:?}: {problem}")]
    Resource {
        /// Its URI or template.
        resource: String,
        /// Why not.
        problem: String,
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
            name: name.into(),
            definition: ToolDefinition {
                title: None,
                description: None,
                icons: Vec::new(),
                input_schema: Value::Null,
                output_schema: None,
                annotations: ToolAnnotations::default(),
                meta: Map::new(),
            },
            input_schema: None,
            output_schema: None,
            derive_input: schema::no_arguments,
            derive_output: || None,
            requires: Vec::new(),
            task: None,
            any_name: false,
            compile_input: CompiledSchema::new,
            handler: None,
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name for people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.body.definition.title.as_deref()
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.body.definition.description.as_deref()
    }

    /// The schema that arguments are checked against, as it is published.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.body.definition.input_schema
    }

    /// The schema that structured results are checked against.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.body.definition.output_schema.as_ref()
    }

    /// The hints about what it does to the world.
    #[must_use]
    pub fn annotations(&self) -> &ToolAnnotations {
        &self.body.definition.annotations
    }

    /// The pictures for a user interface.
    #[must_use]
    pub fn icons(&self) -> &[Icon] {
        &self.body.definition.icons
    }

    /// The tool's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.body.definition.meta
    }

    /// What the tool is for, whatever it is called: the key of its [capability](ToolBuilder::capability).
    #[must_use]
    pub fn capability(&self) -> Option<&str> {
        self.meta().get(CAPABILITY)?.as_str()
    }

    /// The same tool under another name.
    pub(crate) fn renamed(&self, name: String) -> Self {
        Self { name, body: self.body.clone(), handler: self.handler.clone() }
    }

    /// The same tool, run by something else.
    pub(crate) fn run_by(&self, handler: impl ToolHandler + 'static) -> Self {
        Self { name: self.name.clone(), body: self.body.clone(), handler: Arc::new(handler) }
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        &self.body.definition
    }

    /// What a client must be able to do for this tool to work at all.
    pub(crate) fn requires(&self) -> &[Capability] {
        &self.body.requires
    }

    /// Whether its calls can become [tasks](crate::task).
    #[must_use]
    pub fn task_support(&self) -> Option<TaskSupport> {
        self.body.task
    }

    /// Runs the tool with arguments that [`check_arguments`](Self::check_arguments) gave.
    pub(crate) fn run(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, ToolResult> {
        self.handler.call(arguments, cx)
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
            self.body.param_headers.iter().try_for_each(|header| header.check(headers, arguments, required))
        };
        if self.body.param_headers.iter().any(|header| header.is_in_text(arguments)) {
            check(&self.body.input.repaired(arguments, repairs))
        } else {
            check(arguments)
        }
    }

    /// Whether arguments are right as they were sent, by their text, and repeated in no header.
    pub(crate) fn takes_text(&self, json: &str) -> bool {
        self.body.param_headers.is_empty() && self.body.input.takes_text(json)
    }

    /// Checks the arguments against the published schema, and mends them first where that is needed.
    pub(crate) fn check_arguments(
        &self,
        arguments: Map<String, Value>,
        repairs: Repairs,
    ) -> Result<Arguments, Violations> {
        let arguments = self.body.input.check_arguments(arguments, repairs)?;
        self.body.param_headers.iter().try_for_each(|header| header.check_range(&arguments))?;
        Ok(arguments)
    }

    /// Checks structured content against the published schema, if there is one.
    pub(crate) fn check_output(&self, structured: Option<&Value>) -> Result<(), Violations> {
        match (&self.body.output, structured) {
            (None, _) => Ok(()),
            (Some(schema), Some(value)) => schema.check(value),
            (Some(_), None) => Err(Violations::single("", "there is no structured content")),
        }
    }
}

/// Describes a tool, part by part. Nothing is checked before the tool is added or built.
#[must_use = "a tool does nothing before it is added to a set"]
pub struct ToolBuilder {
    name: String,
    /// All but the schemas.
    definition: ToolDefinition,
    /// Handed in by the application; these win over what the handler's type would give.
    input_schema: Option<Value>,
    output_schema: Option<Value>,
    /// What the handler's type gives: costly, so not before it is needed.
    derive_input: fn() -> Value,
    derive_output: fn() -> Option<Value>,
    requires: Vec<Capability>,
    task: Option<TaskSupport>,
    any_name: bool,
    compile_input: fn(&Value, Dialect) -> Result<CompiledSchema, SchemaError>,
    handler: Option<Arc<dyn ToolHandler>>,
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder")
            .field("name", &self.name)
            .field("definition", &self.definition)
            .finish_non_exhaustive()
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

    /// Says what the tool is for by a key that agents know, such as `web_search`: they find it by that, whatever its
    /// name.
    ///
    /// Published in `_meta`, under `io.github.mcp-http/capability`. [`Listing::with_capability`] looks tools up by it.
    ///
    /// [`Listing::with_capability`]: crate::registry::Listing::with_capability
    pub fn capability(self, key: impl Into<String>) -> Self {
        self.meta(CAPABILITY, key.into())
    }

    /// Publishes this schema, unchanged, instead of the one that the handler's type gives.
    ///
    /// Arguments are checked against it, after the [`Repairs`] of the server. The keywords that schemas of types
    /// have are checked by this crate itself; any other one (`pattern`, `if`, `not` …) needs its feature
    /// `json-schema`, which is on by default, and is refused without. `format` is an annotation in every dialect. A
    /// pattern is matched in linear time, whatever the text: one with look-around or back-references is refused.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = Some(schema);
        self
    }

    /// Refuses arguments that are not in the `format` that the schema says. Otherwise a format is told to the model,
    /// and not checked.
    ///
    /// Checked are the formats that the dialect of the schema has, such as `date-time`, `email` or `uri`; others are
    /// ignored. Needs the feature `formats`.
    ///
    /// ```
    /// use mcp_http::tool;
    ///
    /// /// Set the alarm.
    /// #[tool]
    /// fn set_alarm(#[param(format = "date-time")] at: String) -> String {
    ///     at
    /// }
    ///
    /// let tool = set_alarm::tool().check_formats();
    /// # tool.build()?;
    /// # Ok::<_, mcp_http::RegisterError>(())
    /// ```
    ///
    /// Source: <https://json-schema.org/draft/2020-12/json-schema-validation#name-vocabularies-for-semantic-c>
    #[cfg(feature = "formats")]
    pub fn check_formats(mut self) -> Self {
        self.compile_input = CompiledSchema::with_formats;
        self
    }

    /// The schema of the structured content, instead of the one that the handler's type gives. Results are checked
    /// against it before they are sent.
    ///
    /// Any schema will do: clients of older revisions, which take objects only, get it wrapped in one, and the
    /// content with it.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The [`output_schema`](Self::output_schema) of what a handler gives back as `R`, say `Json<T>`.
    ///
    /// [`handler`](Self::handler) takes it from the function's type. This is for a function that converts its result
    /// into a [`ToolResult`] itself.
    pub fn returns<R: IntoToolResult>(mut self) -> Self {
        self.derive_output = R::output_schema;
        self
    }

    /// The tool cannot work with a client that did not declare this: such a call is refused before it starts.
    ///
    /// Only clients of 2026-07-28 tell with every request what they can do; others are let through.
    pub fn requires(mut self, capability: Capability) -> Self {
        self.requires.push(capability);
        self
    }

    /// Lets calls go on without a connection, as [tasks](crate::task). The server says so when it is built: a tool that is
    /// added later needs one that has a [`task_store`](crate::ServerBuilder::task_store).
    ///
    /// To clients that did not declare the extension, a [`Required`](TaskSupport::Required) tool answers with an error that
    /// names it; to those of older revisions, which cannot, with a failure.
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = Some(support);
        self
    }

    /// Allows names that clients may not understand, in any characters.
    pub fn allow_any_name(mut self) -> Self {
        self.any_name = true;
        self
    }

    /// The name, as far as it is known to be one.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether its calls can become tasks.
    pub(super) fn has_tasks(&self) -> bool {
        self.task.is_some()
    }

    /// What runs the tool: see [`Handler`] for the functions that will do.
    pub fn handler<Marker: 'static, F: Handler<Marker>>(mut self, function: F) -> Self {
        self.derive_input = F::input_schema;
        self.derive_output = F::output_schema;
        self.handler = Some(Arc::new(Function::<F, Marker>::new(function)));
        self
    }

    /// What runs the tool, with arguments that have no Rust type. Give it an [`input_schema`](Self::input_schema) too.
    pub fn raw_handler(mut self, handler: impl ToolHandler + 'static) -> Self {
        self.handler = Some(Arc::new(handler));
        self
    }

    /// Checks everything that is to be published. A [`ToolSet`](super::ToolSet) does it itself; other registries
    /// build their tools with this.
    ///
    /// # Errors
    /// When the tool cannot be published as it is, or nothing runs it. The error names the tool.
    pub fn build(self) -> Result<Tool, RegisterError> {
        let Self {
            name,
            mut definition,
            input_schema,
            output_schema,
            derive_input,
            derive_output,
            mut requires,
            task,
            any_name,
            compile_input,
            handler,
        } = self;
        if !is_name(&name) && (!any_name || name.is_empty()) {
            return Err(RegisterError::InvalidName(name));
        }
        definition.input_schema = input_schema.unwrap_or_else(derive_input);
        definition.output_schema = output_schema.or_else(derive_output);
        let in_input = |error| RegisterError::InputSchema { tool: name.clone(), error };
        let in_output = |error| RegisterError::OutputSchema { tool: name.clone(), error };
        let dialect = schema::inspect(&definition.input_schema).map_err(in_input)?;
        if definition.input_schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(in_input(SchemaError::RootIsNotAnObject));
        }
        let param_headers = ParamHeader::read_all(&definition.input_schema).map_err(in_input)?;
        let input = compile_input(&definition.input_schema, dialect).map_err(in_input)?;
        let output = match &definition.output_schema {
            None => None,
            Some(schema) if !schema.is_object() => return Err(in_output(SchemaError::NotASchema)),
            Some(schema) => {
                let dialect = schema::inspect(schema).map_err(in_output)?;
                Some(CompiledSchema::new(schema, dialect).map_err(in_output)?)
            }
        };
        let Some(handler) = handler else { return Err(RegisterError::NoHandler(name)) };
        if task == Some(TaskSupport::Required) {
            requires.push(Capability::Tasks);
        }
        Ok(Tool {
            name,
            body: Arc::new(Body { definition, input, output, param_headers, requires, task }),
            handler,
        })
    }
}
