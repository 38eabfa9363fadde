//! An answer, and what a check expects of it.

use serde_json::Value;

use crate::event::Decoder;
use crate::json::At as _;
use crate::rules::{Check, Outcome, fail};
use crate::wire::Response;

/// A whole answer to a request of a check.
///
/// What is expected of it is said with methods that give [`Outcome::Fail`] where it is otherwise, so that checks read as the
/// rule does: `probe.send(..)?.status(400)?.error(-32020)?`.
#[derive(Debug, Clone)]
pub struct Answer {
    response: Response,
    /// The id of the request, where it has one.
    id: Option<Value>,
}

impl Answer {
    pub(crate) fn new(response: Response, id: Option<Value>) -> Self {
        Self { response, id }
    }

    /// The answer as it came.
    pub fn http(&self) -> &Response {
        &self.response
    }

    /// Whether it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.response.media_type().as_deref() == Some("text/event-stream")
    }

    /// Expects a status.
    ///
    /// # Errors
    /// When it is another.
    pub fn status(&self, expected: u16) -> Result<&Self, Outcome> {
        self.status_in(&[expected])
    }

    /// Expects one of some statuses.
    ///
    /// # Errors
    /// When it is another.
    pub fn status_in(&self, expected: &[u16]) -> Result<&Self, Outcome> {
        if expected.contains(&self.response.status) {
            return Ok(self);
        }
        let expected: Vec<String> = expected.iter().map(u16::to_string).collect();
        fail(format!("the status is {}, not {}", self.response.status, expected.join(" or ")))
    }

    /// The messages in it: the body, or the data of each event.
    ///
    /// # Errors
    /// When one is no JSON, or the body is of another type.
    pub fn messages(&self) -> Result<Vec<Value>, Outcome> {
        let parse = |text: &str| {
            serde_json::from_str(text)
                .or_else(|error| fail(format!("what came is no JSON: {error}, in {}", shown(text))))
        };
        match self.response.media_type().as_deref() {
            Some("application/json") => Ok(vec![parse(&self.response.text())?]),
            Some("text/event-stream") => {
                let events = Decoder::default().push(&self.response.body);
                // An event with an id and no data opens a stream that can be resumed.
                events.iter().filter(|event| !event.data.is_empty()).map(|event| parse(&event.data)).collect()
            }
            Some(other) => fail(format!("the answer is {other}, neither JSON nor an event stream")),
            None => fail("the answer has no Content-Type"),
        }
    }

    /// The one JSON-RPC response, to the id that was sent.
    ///
    /// # Errors
    /// When there is none, more than one, or it has another id.
    pub fn response(&self) -> Result<Value, Outcome> {
        let is_response = |message: &Value| message.get("result").is_some() || message.get("error").is_some();
        let mut responses: Vec<Value> = self.messages()?.into_iter().filter(is_response).collect();
        let Some(response) = responses.pop() else {
            return fail(format!("there is no JSON-RPC response, but {}", shown(&self.response.text())));
        };
        if !responses.is_empty() {
            return fail(format!("there are {} responses to one request", responses.len().saturating_add(1)));
        }
        match (&self.id, response.get("id")) {
            // Whether it may be so is the business of two rules.
            (Some(_), Some(Value::Null)) if response.get("error").is_some() => Ok(response),
            (Some(sent), Some(got)) if sent != got => fail(format!("the id is {got}, not {sent}")),
            (Some(sent), None) if response.get("result").is_some() => {
                fail(format!("the response lacks the id {sent}"))
            }
            _ => Ok(response),
        }
    }

    /// The result.
    ///
    /// # Errors
    /// When there is none: an error counts as none.
    pub fn result(&self) -> Result<Value, Outcome> {
        self.status(200)?;
        let mut response = self.response()?;
        match response.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => {
                fail(format!("an error where a result was due: {}", shown(&response.at("error").to_string())))
            }
        }
    }

    /// Expects an error with one of some codes, and gives it.
    ///
    /// # Errors
    /// When there is a result, or another code.
    pub fn error(&self, codes: &[i64]) -> Result<Value, Outcome> {
        let mut response = self.response()?;
        let Some(error) = response.get_mut("error").map(Value::take) else {
            return fail("a result where an error was due");
        };
        let code = error.at("code").as_i64();
        if code.is_some_and(|code| codes.is_empty() || codes.contains(&code)) {
            return Ok(error);
        }
        let codes: Vec<String> = codes.iter().map(i64::to_string).collect();
        fail(format!("the code of the error is {}, not {}", error.at("code"), codes.join(" or ")))
    }

    /// Whether there is a result in it, whatever else is wrong with it.
    pub fn has_result(&self) -> bool {
        self.messages().unwrap_or_default().iter().any(|message| {
            let in_batch = message.items().iter().any(|message| message.get("result").is_some());
            message.get("result").is_some() || in_batch
        })
    }

    /// Expects that the request was not served: there is no result, but an error or a status that says no.
    ///
    /// # Errors
    /// When it was served, or nothing says that it was not.
    pub fn refused(&self) -> Result<&Self, Outcome> {
        if self.has_result() {
            return fail("a result where the request was to be refused");
        }
        if self.response.status >= 400 {
            return Ok(self);
        }
        self.error(&[])?;
        Ok(self)
    }

    /// Expects a header, and gives its value.
    ///
    /// # Errors
    /// When it is not there.
    pub fn header(&self, name: &str) -> Result<&str, Outcome> {
        self.response.headers.text(name).map_or_else(|| fail(format!("there is no header {name}")), Ok)
    }
}

/// Expects something.
///
/// # Errors
/// When it is not so: then `otherwise` says how it is.
pub fn expect(holds: bool, otherwise: impl Into<String>) -> Check {
    if holds { Ok(()) } else { fail(otherwise) }
}

/// The beginning of a text, for a message.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(200).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
