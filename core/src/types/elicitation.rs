use serde::Serialize;
use serde_json::{Map, Value, json};

/// A form for the user to fill in: flat, with fields in the order in which they were added.
///
/// Never ask for secrets with one: what is filled in passes through the client and its model.
///
/// ```
/// use mcp_http::input::{Field, Form};
///
/// let form = Form::new("Where to?")
///     .field("city", Field::text().title("City").min(2))
///     .field("class", Field::one_of_titled([("eco", "Economy"), ("biz", "Business")]).default("eco"))
///     .optional("bags", Field::integer().min(0).max(3).default(1));
/// # drop(form);
/// ```
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-elicitation-requests>
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub(crate) message: String,
    pub(crate) fields: Map<String, Value>,
    pub(crate) required: Vec<String>,
}

impl Form {
    /// A form without fields. The message tells the user what it is for.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), fields: Map::new(), required: Vec::new() }
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, field: Field) -> Self {
        let name = name.into();
        self = self.optional(name.clone(), field);
        self.required.push(name);
        self
    }

    /// Adds a field that may be left out.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: Field) -> Self {
        let name = name.into();
        self.required.retain(|required| *required != name);
        self.fields.insert(name, Value::Object(field.0));
        self
    }

    /// The schema that answers have to conform to, in keywords that every check knows.
    pub(crate) fn answer_schema(&self) -> Value {
        let mut fields = self.fields.clone();
        for field in fields.values_mut() {
            name_options(field);
            field.get_mut("items").into_iter().for_each(name_options);
        }
        json!({ "type": "object", "properties": fields, "required": self.required })
    }
}

/// Options without their titles.
fn name_options(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(titled)) = members.remove("oneOf").or_else(|| members.remove("anyOf")) {
        let values = titled.iter().filter_map(|option| option.get("const").cloned());
        members.insert("enum".to_owned(), values.collect());
    }
    members.remove("enumNames");
}

/// A field of a [`Form`].
#[derive(Debug, Clone, PartialEq)]
pub struct Field(Map<String, Value>);

/// What a text in a form is meant to be: clients help with it. Answers are not held to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Field {
    fn of_type(kind: &str) -> Self {
        Self(Map::new()).with("type", kind)
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.0.insert(keyword.to_owned(), value.into());
        self
    }

    /// A text.
    #[must_use]
    pub fn text() -> Self {
        Self::of_type("string")
    }

    /// A text of this format, which clients help with.
    #[must_use]
    pub fn formatted(format: TextFormat) -> Self {
        Self::of_type("string").with("format", json!(format))
    }

    /// A number.
    #[must_use]
    pub fn number() -> Self {
        Self::of_type("number")
    }

    /// A whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self::of_type("integer")
    }

    /// Yes or no.
    #[must_use]
    pub fn boolean() -> Self {
        Self::of_type("boolean")
    }

    /// One of these.
    #[must_use]
    pub fn one_of<T: Into<String>>(options: impl IntoIterator<Item = T>) -> Self {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        Self::of_type("string").with("enum", options)
    }

    /// One of these, each with a title for people.
    #[must_use]
    pub fn one_of_titled<T: Into<String>, U: Into<String>>(
        options: impl IntoIterator<Item = (T, U)>,
    ) -> Self {
        Self::of_type("string").with("oneOf", titled(options))
    }

    /// Any number of these. 2025-06-18 cannot ask for that.
    #[must_use]
    pub fn any_of<T: Into<String>>(options: impl IntoIterator<Item = T>) -> Self {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        Self::of_type("array").with("items", json!({ "type": "string", "enum": options }))
    }

    /// Any number of these, each with a title for people. 2025-06-18 cannot ask for that.
    #[must_use]
    pub fn any_of_titled<T: Into<String>, U: Into<String>>(
        options: impl IntoIterator<Item = (T, U)>,
    ) -> Self {
        Self::of_type("array").with("items", json!({ "anyOf": titled(options) }))
    }

    /// A field by its schema, which is sent as it is: one of the shapes that the protocol has for them.
    #[must_use]
    pub fn schema(schema: Map<String, Value>) -> Self {
        Self(schema)
    }

    /// The name of the field for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.with("title", title.into())
    }

    /// What belongs into the field.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.with("description", description.into())
    }

    /// The least: of a number its value, of a text its characters, of several choices how many.
    #[must_use]
    pub fn min(self, least: impl Into<serde_json::Number>) -> Self {
        let keyword = self.bound("minimum", "minLength", "minItems");
        self.with(keyword, Value::Number(least.into()))
    }

    /// The most: of a number its value, of a text its characters, of several choices how many.
    #[must_use]
    pub fn max(self, most: impl Into<serde_json::Number>) -> Self {
        let keyword = self.bound("maximum", "maxLength", "maxItems");
        self.with(keyword, Value::Number(most.into()))
    }

    fn bound(&self, number: &'static str, text: &'static str, list: &'static str) -> &'static str {
        match self.0.get("type").and_then(Value::as_str) {
            Some("string") => text,
            Some("array") => list,
            _ => number,
        }
    }

    /// What the field holds to begin with. 2025-06-18 has that for yes or no only.
    #[must_use]
    pub fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value)
    }
}

fn titled<T: Into<String>, U: Into<String>>(options: impl IntoIterator<Item = (T, U)>) -> Vec<Value> {
    let option = |(value, title): (T, U)| json!({ "const": value.into(), "title": title.into() });
    options.into_iter().map(option).collect()
}

/// What became of a question to the user.
///
/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#response-actions>
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user answered.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user did not choose: closed the dialog, or the client could not ask.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, if there is one.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(answer) => Some(answer),
            Self::Declined | Self::Cancelled => None,
        }
    }
}
