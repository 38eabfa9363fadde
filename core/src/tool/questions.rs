use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::check::{CompiledSchema, Repairs};
use super::output::ToolError;
use super::schema::{self, Dialect};
use crate::context::CallContext;
use crate::types::{
    Capability, Elicited, Field, Form, InputRequest, InputRequired, Role, Root, Sampled, Sampling,
};

/// What a tool asks its client, and what it got for answers so far. See [the module](crate::input).
#[derive(Debug)]
pub struct Questions {
    cx: CallContext,
    open: InputRequired,
    /// Why there is nothing to ask.
    failed: Option<ToolError>,
}

impl CallContext {
    /// Asks the client: for a form that the user fills in, for an answer of its model, for its folders.
    #[must_use]
    pub fn questions(&self) -> Questions {
        Questions { cx: self.clone(), open: InputRequired::default(), failed: None }
    }
}

impl Questions {
    /// Whether the client said that it can do this. Clients that do not tell cannot.
    #[must_use]
    pub fn can(&self, capability: Capability) -> bool {
        self.cx.client_capabilities().is_some_and(|capabilities| capabilities.has(capability))
    }

    /// What the user filled in, as a type that the form's fields make up. `None` is not answered yet.
    ///
    /// An answer that does not fit the form is none: the question is asked again.
    pub fn elicit<T: DeserializeOwned>(&mut self, key: &str, form: Form) -> Option<Elicited<T>> {
        let answer = match self.answer(key).map(|answer| read_elicited(&answer, &form)) {
            None => None,
            Some(Ok(answer)) => answer,
            // To ask again would not mend it.
            Some(Err(error)) => {
                self.failed = Some(error);
                None
            }
        };
        self.or_ask(key, answer, || InputRequest::Form(form))
    }

    /// Whether the user agreed to open the URL: not whether what happens there is done.
    ///
    /// The URL holds nothing that is nobody's business, and does not sign anybody in.
    pub fn elicit_url(
        &mut self,
        key: &str,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Option<Elicited<()>> {
        let answer = self.answer(key).and_then(|answer| action(&answer));
        self.or_ask(key, answer, || InputRequest::Url { message: message.into(), url: url.into() })
    }

    /// What the client's model answered.
    pub fn sample(&mut self, key: &str, question: Sampling) -> Option<Sampled> {
        let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
        let is_answer = |sampled: &Sampled| {
            sampled.role == Role::Assistant
                && !sampled.content.is_empty()
                && sampled.content.iter().all(is_block)
        };
        let answer =
            self.answer(key).and_then(|answer| serde_json::from_value(answer).ok()).filter(is_answer);
        self.or_ask(key, answer, || InputRequest::Sampling(question))
    }

    /// The folders that the client works in.
    pub fn roots(&mut self, key: &str) -> Option<Vec<Root>> {
        let read = |answer: Value| serde_json::from_value(answer.get("roots")?.clone()).ok();
        let are_folders = |roots: &Vec<Root>| roots.iter().all(|root| root.uri.starts_with("file:"));
        let answer = self.answer(key).and_then(read).filter(are_folders);
        self.or_ask(key, answer, || InputRequest::Roots)
    }

    /// Keeps a state until the tool is called again: sealed, so that clients can neither read nor change it. If one does
    /// not serialise, the call fails when the tool asks.
    ///
    /// A client may come back with the same state more than once.
    pub fn keep(&mut self, state: &impl Serialize) {
        match serde_json::to_string(state) {
            Ok(json) => self.open.state = Some(json),
            Err(error) => self.failed = Some(error.into()),
        }
    }

    /// The state that the last try [kept](Self::keep). `None` in the first one.
    #[must_use]
    pub fn state<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.cx.answers()?.state.as_deref()?).ok()
    }

    /// Ends this try: the tool is called again, from its beginning, when the client has answered.
    ///
    /// What was answered is there again then, under its key; what was not is asked again. A tool asks all of its questions
    /// in each try, in any order: only what a try asked for is carried to the next one.
    #[must_use]
    pub fn ask(self) -> ToolError {
        match self.failed {
            Some(error) => error,
            None if self.open.requests.is_empty() && self.open.state.is_none() => {
                ToolError::internal("a tool ended a try with nothing to ask and no state to keep")
            }
            None => self.open.into(),
        }
    }

    fn answer(&self, key: &str) -> Option<Value> {
        self.cx.answers()?.responses.get(key).cloned()
    }

    fn or_ask<T>(
        &mut self,
        key: &str,
        answer: Option<T>,
        request: impl FnOnce() -> InputRequest,
    ) -> Option<T> {
        if answer.is_none() {
            self.open.requests.insert(key.to_owned(), request());
        } else if let Some(response) = self.answer(key) {
            self.open.answered.insert(key.to_owned(), response);
        }
        answer
    }
}

/// What the user did.
fn action(answer: &Value) -> Option<Elicited<()>> {
    match answer.get("action")?.as_str()? {
        "accept" => Some(Elicited::Accepted(())),
        "decline" => Some(Elicited::Declined),
        "cancel" => Some(Elicited::Cancelled),
        _ => None,
    }
}

/// What the user filled in. An error is one of the tool: its form is none, or its type is not that of the form.
fn read_elicited<T: DeserializeOwned>(answer: &Value, form: &Form) -> Result<Option<Elicited<T>>, ToolError> {
    let content = match action(answer) {
        None => return Ok(None),
        Some(Elicited::Declined) => return Ok(Some(Elicited::Declined)),
        Some(Elicited::Cancelled) => return Ok(Some(Elicited::Cancelled)),
        Some(Elicited::Accepted(())) => match answer.get("content") {
            None => Map::new(),
            Some(Value::Object(content)) => content.clone(),
            Some(_) => return Ok(None),
        },
    };
    let schema = CompiledSchema::new(&form.answer_schema(), Dialect::Draft202012)?;
    let Ok(content) = schema.check_arguments(content, Repairs::NONE) else { return Ok(None) };
    let content = T::deserialize(Value::Object(content.into_json()))?;
    Ok(Some(Elicited::Accepted(content)))
}

impl Form {
    /// A form with a field for each field of a struct: its doc comments, bounds and defaults are shown to the user.
    ///
    /// ```
    /// use mcp_http::input::Form;
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     /// Where to go
    ///     city: String,
    ///     /// How many bags to take
    ///     bags: Option<u8>,
    /// }
    ///
    /// let form = Form::of::<Trip>("Where to?")?;
    /// # drop(form);
    /// # Ok::<_, mcp_http::input::NotAForm>(())
    /// ```
    ///
    /// # Errors
    /// When a field is more than a text, a number, yes or no, one of some names, or several of them.
    pub fn of<T: JsonSchema>(message: impl Into<String>) -> Result<Self, NotAForm> {
        let mut schema = schema::derive::<T>();
        let required = schema.get("required").cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = schema.get_mut("properties").map(Value::take) else {
            return Err(NotAForm { field: None });
        };
        let mut form = Self::new(message);
        for (name, property) in properties {
            let Some(field) = field_of(&property) else { return Err(NotAForm { field: Some(name) }) };
            let is_required =
                required.as_array().is_some_and(|names| names.contains(&Value::from(name.as_str())));
            form = if is_required { form.field(name, field) } else { form.optional(name, field) };
        }
        Ok(form)
    }
}

/// A type that is no [`Form`]: forms are flat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a form: {}", field.as_ref().map_or_else(|| "no struct with fields".to_owned(), |field| format!("the field {field} is no text, number, yes or no, or choice")))]
pub struct NotAForm {
    field: Option<String>,
}

/// A property of an object as the field of a form: with the keywords that fields have.
fn field_of(property: &Value) -> Option<Field> {
    let known: &[&str] = match property.get("type")?.as_str()? {
        "string" => &["minLength", "maxLength", "format", "enum"],
        "integer" | "number" => &["minimum", "maximum"],
        "boolean" => &[],
        "array" => &["items", "minItems", "maxItems"],
        _ => return None,
    };
    let mut field = Map::new();
    for (keyword, value) in property.as_object()? {
        match keyword.as_str() {
            "items"
                if !(value.get("type").is_some_and(|kind| kind == "string")
                    && value.get("enum").is_some()) =>
            {
                return None;
            }
            "format" if !["email", "uri", "date", "date-time"].iter().any(|format| value == format) => {}
            "type" | "title" | "description" | "default" => {
                field.insert(keyword.clone(), value.clone());
            }
            other if known.contains(&other) => {
                field.insert(keyword.clone(), value.clone());
            }
            "uniqueItems" => {}
            _ => return None,
        }
    }
    let is_list_without_items =
        field.get("type").is_some_and(|kind| kind == "array") && !field.contains_key("items");
    (!is_list_without_items).then(|| Field::schema(field))
}
