//! `completion/complete`: how an argument of a prompt or a variable of a template can go on.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Shared;
use super::find::{registry_failed, unknown_prompt};
use super::job::resource_not_found;
use crate::completion::{Completing, Completion};
use crate::context::CallContext;
use crate::jsonrpc::{ErrorCode, ErrorObject, Members, read_object};

/// The params of the request.
pub(super) struct Asked {
    of: Reference,
    argument: Argument,
    filled_in: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt { name: String },
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Deserialize)]
struct Argument {
    name: String,
    value: String,
}

#[derive(Default, Deserialize)]
struct Context {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

impl Asked {
    pub(super) fn read(params: &Members<'_>) -> Result<Self, ErrorObject> {
        let invalid = |what| ErrorObject::new(ErrorCode::InvalidParams, what);
        let of = params.find("ref").and_then(read_object).ok_or_else(|| {
            invalid("completion/complete needs ref: the name of a prompt, or the URI of a resource template")
        })?;
        let argument = params
            .find("argument")
            .and_then(read_object)
            .ok_or_else(|| invalid("completion/complete needs argument: a name and a value, both strings"))?;
        let context: Context = match params.find("context") {
            None => Context::default(),
            Some(json) => {
                read_object(json).ok_or_else(|| invalid("context.arguments must be an object of strings"))?
            }
        };
        Ok(Self { of, argument, filled_in: context.arguments })
    }
}

/// A reference to nothing is a wrong param in every revision.
fn unknown_resource(uri: &str, cx: &CallContext) -> ErrorObject {
    ErrorObject { code: ErrorCode::InvalidParams, ..resource_not_found(uri, cx.revision().rules()) }
}

pub(super) async fn complete(
    server: &Shared,
    asked: Asked,
    cx: &CallContext,
) -> Result<Completion, ErrorObject> {
    let Asked { of, argument: Argument { name, value }, filled_in } = asked;
    let unknown = |of: &str| {
        let name: String = name.chars().take(200).collect();
        ErrorObject::new(ErrorCode::InvalidParams, format!("{of} has no argument {name:?}"))
    };
    let typed = Completing::new(value, filled_in, cx.clone());
    let values = match of {
        Reference::Prompt { name: prompt } => {
            let registry = server.prompts.as_deref().ok_or_else(|| unknown_prompt(&prompt))?;
            let found =
                registry.find(&prompt, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
            let prompt = found.ok_or_else(|| unknown_prompt(&prompt))?;
            if !prompt.arguments().iter().any(|argument| argument.name == name) {
                return Err(unknown(prompt.name()));
            }
            prompt.completers().complete(&name, typed)
        }
        Reference::Resource { uri } => {
            let registry = server.resources.as_deref().ok_or_else(|| unknown_resource(&uri, cx))?;
            let templates =
                registry.templates(cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
            let Some(template) = templates.iter().find(|template| template.uri_template() == uri) else {
                // Nothing can be filled in where there is no variable, but the resource may be there.
                let found =
                    registry.find(&uri, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
                return match found {
                    Some(_) => Ok(Completion::new([""; 0])),
                    None => Err(unknown_resource(&uri, cx)),
                };
            };
            if !template.has_variable(&name) {
                return Err(unknown(template.uri_template()));
            }
            template.completers().complete(&name, typed)
        }
    };
    values.wait().await.map_err(|error| registry_failed(&error, cx))
}
