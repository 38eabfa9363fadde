//! What has to be found before a call runs: the client's session; a tool, a prompt or a resource, and whether it may run
//! like this; a page of a list.

use serde_json::{Map, Value};

use super::ask::check_capabilities;
use super::builder::HeaderMode;
use super::call::{Answer, CallTool, GetPrompt, ListOf, Question, ReadResource};
use super::complete::complete;
use super::job::{Job, resource_not_found};
use super::list::Page;
use super::listen::listen;
use super::project::Publish;
use super::running::State;
use super::{Shared, session, tasks};
use std::sync::Arc;

use crate::context::CallContext;
use crate::jsonrpc::{ErrorCode, ErrorObject};
use crate::registry::{Entry, Listing, RegistryError, Reply};
use crate::tool::{Arguments, ToolError};

/// How the call goes on: what is to run, or the answer.
pub(super) async fn find(
    server: &Arc<Shared>,
    question: Question,
    in_session: bool,
    cx: &CallContext,
) -> Result<State, ErrorObject> {
    if in_session {
        match session::open(server, cx) {
            Some(session) => cx.set_session(session),
            None => return Ok(Answer::NoSession.into()),
        }
    }
    Ok(match question {
        Question::Known(answer) => (*answer).into(),
        Question::Open => Answer::Opening(session::issue(server, cx)).into(),
        Question::Message(answers) => {
            if let (Some((id, result)), Some(session)) = (answers, cx.session()) {
                let reply = result.and_then(|json| serde_json::from_str(&json).ok());
                server.mailbox.deliver(&id, &session.id, reply);
            }
            Answer::Accepted.into()
        }
        Question::List { of, cursor } => list(server, of, cursor.as_deref(), cx).await?,
        Question::CallTool(asked) => call(server, asked, cx).await?,
        Question::GetPrompt(asked) => get_prompt(server, *asked, cx).await?,
        Question::ReadResource(asked) => read_resource(server, *asked, cx).await?,
        Question::Complete(asked) => Answer::Completion(complete(server, *asked, cx).await?).into(),
        Question::Listen(asked) => {
            let (id, filter) = *asked;
            State::Listens(Box::new(listen(server, id, filter, cx).await?))
        }
        Question::Task(asked) => Box::pin(tasks::answer(server, *asked, cx)).await?.into(),
    })
}

/// A feature that the server does not have: the method was not found.
pub(super) fn no_feature(feature: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::MethodNotFound, format!("there are no {feature}"))
}

fn unknown(what: &str, name: &str) -> ErrorObject {
    let name: String = name.chars().take(200).collect();
    ErrorObject::new(ErrorCode::InvalidParams, format!("Unknown {what}: {name}"))
}

pub(super) fn unknown_prompt(name: &str) -> ErrorObject {
    unknown("prompt", name)
}

pub(super) fn registry_failed(error: &RegistryError, cx: &CallContext) -> ErrorObject {
    let reference = cx.reference();
    tracing::error!(error = %error, reference, "registry failed");
    let text = format!("the server could not look that up; the reason is in its log, reference {reference}");
    ErrorObject::new(ErrorCode::InternalError, text)
}

async fn list(
    server: &Shared,
    of: ListOf,
    cursor: Option<&str>,
    cx: &CallContext,
) -> Result<State, ErrorObject> {
    let page = match of {
        ListOf::Tools => {
            let registry = server.tools.as_deref().ok_or_else(|| no_feature("tools"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Prompts => {
            let registry = server.prompts.as_deref().ok_or_else(|| no_feature("prompts"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Resources => {
            let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
            page(server, registry.list(cx), cursor, cx).await?
        }
        ListOf::Templates => {
            let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
            page(server, registry.templates(cx), cursor, cx).await?
        }
    };
    Ok(Answer::List(page).into())
}

async fn page<T: Entry + Publish>(
    server: &Shared,
    listing: Reply<'_, Result<Listing<T>, RegistryError>>,
    cursor: Option<&str>,
    cx: &CallContext,
) -> Result<Page, ErrorObject> {
    let listing = listing.wait().await.map_err(|error| registry_failed(&error, cx))?;
    Page::new(server, &listing, cursor, cx.revision())
}

async fn get_prompt(server: &Shared, asked: GetPrompt, cx: &CallContext) -> Result<State, ErrorObject> {
    let GetPrompt { name, arguments, retry } = asked;
    let registry = server.prompts.as_deref().ok_or_else(|| no_feature("prompts"))?;
    let found = registry.find(&name, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let prompt = found.ok_or_else(|| unknown_prompt(&name))?;
    let arguments = prompt.read(arguments).map_err(|violations| {
        let report = violations.report(&format!("Invalid arguments for prompt {}:", prompt.name()));
        ErrorObject::new(ErrorCode::InvalidParams, report)
    })?;
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    Ok(State::Found(Job::Prompt(prompt), Some(arguments)))
}

async fn read_resource(server: &Shared, asked: ReadResource, cx: &CallContext) -> Result<State, ErrorObject> {
    let ReadResource { uri, retry } = asked;
    let registry = server.resources.as_deref().ok_or_else(|| no_feature("resources"))?;
    let found = registry.find(&uri, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let resource = found.ok_or_else(|| resource_not_found(&uri, cx.revision().rules()))?;
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    Ok(State::Found(Job::Resource(resource), None))
}

async fn call(server: &Arc<Shared>, asked: CallTool, cx: &CallContext) -> Result<State, ErrorObject> {
    let CallTool { name, arguments, retry } = asked;
    let registry = server.tools.as_deref().ok_or_else(|| no_feature("tools"))?;
    let found = registry.find(&name, cx).wait().await.map_err(|error| registry_failed(&error, cx))?;
    let tool = found.ok_or_else(|| unknown("tool", &name))?;
    let rules = cx.revision().rules();
    let repairs = server.settings.repairs;
    let as_sent = std::str::from_utf8(&arguments).is_ok_and(|json| tool.takes_text(json));
    let members = if as_sent {
        None
    } else {
        match serde_json::from_slice::<Map<String, Value>>(&arguments) {
            Ok(members) => Some(members),
            // All that a message must be was checked when it was read; this is what no number of ours can hold.
            Err(_) => {
                let error =
                    ToolError::new(format!("Invalid arguments for tool {name}: a number is out of range"));
                return Ok(Answer::Tool(tool, Err(error)).into());
            }
        }
    };
    if rules.self_describing {
        if let Some(members) = &members {
            let required = server.settings.header_mode == HeaderMode::Strict;
            tool.check_headers(cx.headers(), members, required, repairs).map_err(|mismatch| {
                let text = format!("the header {} {}", mismatch.header, mismatch.problem);
                ErrorObject::new(ErrorCode::HeaderMismatch, text)
            })?;
        }
        if !tool.requires().is_empty() {
            check_capabilities(&Job::Tool(tool.clone()), tool.requires().iter().copied(), cx)?;
        }
    }
    let checked = members.map_or_else(
        || Ok(Arguments::from_text(arguments)),
        |members| tool.check_arguments(members, repairs),
    );
    let arguments = match checked {
        Ok(arguments) => arguments,
        Err(violations) => {
            let report = violations.report(&format!("Invalid arguments for tool {name}:"));
            if rules.invalid_arguments_may_be_errors && server.settings.invalid_arguments_are_errors {
                return Err(ErrorObject::new(ErrorCode::InvalidParams, report));
            }
            return Ok(Answer::Tool(tool, Err(ToolError::new(report))).into());
        }
    };
    if let Some(retry) = retry {
        cx.set_answers(retry.open(server, cx)?);
    }
    if tool.task_support().is_some() {
        return Ok(Box::pin(tasks::open(server, tool, arguments, cx)).await);
    }
    Ok(State::Found(Job::Tool(tool), Some(arguments)))
}
