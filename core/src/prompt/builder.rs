use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::output::{PromptOutput, PromptResult};
use crate::completion::{Completer, Completers};
use crate::context::CallContext;
use crate::registry::Reply;
use crate::tool::{Arguments, Function, Handler, RegisterError, Runs, Texts, Violations};
use crate::types::{Icon, PromptArgument, PromptDefinition};

/// A prompt: what is published of it, and what makes its messages.
pub struct Prompt {
    definition: PromptDefinition,
    texts: Texts,
    completers: Completers,
    handler: Arc<dyn Runs<PromptOutput>>,
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl Prompt {
    /// Starts a prompt of this name.
    pub fn builder(name: impl Into<String>) -> PromptBuilder {
        PromptBuilder {
            definition: PromptDefinition {
                name: name.into(),
                title: None,
                description: None,
                icons: Vec::new(),
                arguments: Vec::new(),
                meta: Map::new(),
            },
            schema: Value::Object(Map::new()),
            completers: Completers::default(),
            handler: None,
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The name for people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.definition.title.as_deref()
    }

    /// The description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.definition.description.as_deref()
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(&self) -> &[PromptArgument] {
        &self.definition.arguments
    }

    /// The prompt's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.definition.meta
    }

    pub(crate) fn definition(&self) -> &PromptDefinition {
        &self.definition
    }

    pub(crate) fn completers(&self) -> &Completers {
        &self.completers
    }

    /// The texts that a client sent, as the function takes them.
    pub(crate) fn read(&self, texts: Map<String, Value>) -> Result<Arguments, Violations> {
        self.texts.read(texts)
    }

    /// Makes the messages, of arguments that [`read`](Self::read) gave.
    pub(crate) fn run(&self, arguments: Arguments, cx: &CallContext) -> Reply<'static, PromptResult> {
        self.handler.run(arguments, cx)
    }
}

/// Sets up a [`Prompt`].
#[must_use = "a builder does nothing before it is registered"]
pub struct PromptBuilder {
    definition: PromptDefinition,
    schema: Value,
    completers: Completers,
    handler: Option<Arc<dyn Runs<PromptOutput>>>,
}

impl fmt::Debug for PromptBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptBuilder").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl PromptBuilder {
    /// Name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// What the prompt is for. It also goes with the messages, unless they have a description of their own.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Adds a picture. Not sent to 2025-06-18.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.definition.icons.push(icon);
        self
    }

    /// Adds a member to the prompt's `_meta`.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.definition.meta.insert(key.into(), value.into());
        self
    }

    /// An argument beside those that the handler's type has, or instead of the one of the same name. For prompts that are
    /// only known at run time: their handlers take a `BTreeMap<String, String>`.
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.definition.arguments.push(argument);
        self
    }

    /// What completes an argument while a user types it.
    pub fn complete<Marker>(
        mut self,
        argument: impl Into<String>,
        completer: impl Completer<Marker>,
    ) -> Self {
        self.completers.add(argument.into(), completer);
        self
    }

    /// Completes an argument to one of these values.
    pub fn choices(
        mut self,
        argument: impl Into<String>,
        choices: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.completers.add_choices(argument.into(), choices.into_iter().map(Into::into).collect());
        self
    }

    /// What makes the messages: a function of the same shapes as those of [tools](Handler). Its arguments are those of the
    /// prompt: their names, and their doc comments as descriptions.
    pub fn handler<Marker: 'static, F: Handler<Marker, PromptOutput>>(mut self, function: F) -> Self {
        self.schema = F::input_schema();
        self.handler = Some(Arc::new(Function::<F, Marker>::new(function)));
        self
    }

    /// Checks everything that is to be published. A [`PromptSet`](super::PromptSet) does it itself; other registries build
    /// their prompts with this.
    ///
    /// # Errors
    /// When the prompt cannot be published as it is, or nothing runs it. The error names the prompt.
    pub fn build(self) -> Result<Prompt, RegisterError> {
        let Self { mut definition, schema, mut completers, handler } = self;
        let name = &definition.name;
        let refuse = |problem: String| RegisterError::Prompt { prompt: name.clone(), problem };
        if name.is_empty() {
            return Err(refuse("it needs a name".to_owned()));
        }
        let Some(handler) = handler else {
            return Err(refuse("nothing makes its messages; give it a `handler`".to_owned()));
        };
        let texts = Texts::new(schema, &definition.arguments).map_err(|error| refuse(error.to_string()))?;
        let mut arguments = texts.told();
        for declared in &definition.arguments {
            if let Some(told) = arguments.iter_mut().find(|told| told.name == declared.name) {
                *told = declared.clone();
            }
        }
        if let Some(unknown) =
            completers.names().find(|name| !arguments.iter().any(|told| told.name == *name))
        {
            return Err(refuse(format!("it completes {unknown:?}, which is none of its arguments")));
        }
        completers.add_enums(texts.schema());
        definition.arguments = arguments;
        Ok(Prompt { definition, texts, completers, handler })
    }
}
