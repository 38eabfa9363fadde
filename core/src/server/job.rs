//! What the application does for a call: it runs a tool, makes the messages of a prompt, or reads a resource.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde_json::json;

use super::call::Answer;
use crate::context::CallContext;
use crate::jsonrpc::{ErrorCode, ErrorObject};
use crate::prompt::{Prompt, PromptOutput, PromptResult};
use crate::registry::Reply;
use crate::resource::{Resource, ResourceOutput, ResourceResult};
use crate::revision::Rules;
use crate::runtime::BoxFuture;
use crate::tool::{Arguments, Tool, ToolError, ToolOutput, ToolResult};
use crate::types::Caching;

/// What was found, and runs with arguments that were checked.
#[derive(Debug, Clone)]
pub(super) enum Job {
    Tool(Arc<Tool>),
    Prompt(Arc<Prompt>),
    Resource(Arc<Resource>),
}

/// What a job gave back.
pub(super) enum Output {
    Tool(ToolOutput),
    Prompt(PromptOutput),
    Resource(ResourceOutput),
}

/// A job that has to be waited for.
pub(super) enum Pending {
    Tool(BoxFuture<'static, ToolResult>),
    Prompt(BoxFuture<'static, PromptResult>),
    Resource(BoxFuture<'static, ResourceResult>),
}

/// A job that was started: done already, or to be waited for.
pub(super) enum Started {
    Done(Result<Output, ToolError>),
    Waits(Pending),
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "tool {}", tool.name()),
            Self::Prompt(prompt) => write!(f, "prompt {}", prompt.name()),
            Self::Resource(resource) => write!(f, "resource {}", resource.uri()),
        }
    }
}

impl Pending {
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Result<Output, ToolError>> {
        match self {
            Self::Tool(future) => future.as_mut().poll(task).map_ok(Output::Tool),
            Self::Prompt(future) => future.as_mut().poll(task).map_ok(Output::Prompt),
            Self::Resource(future) => future.as_mut().poll(task).map_ok(Output::Resource),
        }
    }
}

impl Job {
    /// The name by which it was asked for.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => tool.name(),
            Self::Prompt(prompt) => prompt.name(),
            Self::Resource(resource) => resource.uri(),
        }
    }

    pub(super) fn start(&self, arguments: Arguments, cx: &CallContext) -> Started {
        match self {
            Self::Tool(tool) => started(tool.run(arguments, cx), Output::Tool, Pending::Tool),
            Self::Prompt(prompt) => started(prompt.run(arguments, cx), Output::Prompt, Pending::Prompt),
            Self::Resource(resource) => started(resource.read(cx), Output::Resource, Pending::Resource),
        }
    }

    /// The answer that an output makes.
    pub(super) fn succeeded(&self, output: Output, cx: &CallContext) -> Answer {
        match (self, output) {
            (Self::Tool(tool), Output::Tool(output)) => match check_output(tool, output) {
                Ok(output) => Answer::Tool(tool.clone(), Ok(output)),
                Err(error) => self.failed(error, cx),
            },
            (Self::Prompt(prompt), Output::Prompt(output)) => Answer::Prompt(prompt.clone(), output),
            (Self::Resource(resource), Output::Resource(output)) => {
                if output.parts.is_empty() {
                    return Answer::Error(resource_not_found(resource.uri(), cx.revision().rules()));
                }
                // What was read for an answer of the client's is for this client at this time.
                let caching = if cx.answers().is_some() { Caching::NONE } else { resource.caching() };
                Answer::Resource(resource.clone(), output, caching)
            }
            (_, Output::Tool(_) | Output::Prompt(_) | Output::Resource(_)) => {
                self.failed(ToolError::internal("another kind of output"), cx)
            }
        }
    }

    /// The answer that a failure makes: for tools a result which the model reads, otherwise an error of the protocol. What
    /// is nobody's business outside is logged, and the client told where.
    pub(super) fn failed(&self, error: ToolError, cx: &CallContext) -> Answer {
        let error = match error.detail() {
            None => error,
            Some(detail) => {
                let reference = cx.reference();
                let kind = match self {
                    Self::Tool(tool) => {
                        tracing::error!(tool = tool.name(), error = detail, reference, "tool failed");
                        "tool"
                    }
                    Self::Prompt(prompt) => {
                        tracing::error!(prompt = prompt.name(), error = detail, reference, "prompt failed");
                        "prompt"
                    }
                    Self::Resource(resource) => {
                        let uri = resource.uri();
                        tracing::error!(
                            resource = uri,
                            error = detail,
                            reference,
                            "reading a resource failed"
                        );
                        "resource"
                    }
                };
                let log = "the reason is in the server's log";
                ToolError::new(format!("the {kind} failed; {log}, reference {reference}"))
            }
        };
        match self {
            Self::Tool(tool) => Answer::Tool(tool.clone(), Err(error)),
            // A type may refuse what its schema takes.
            Self::Resource(resource) if error.is_of_arguments() => {
                Answer::Error(resource_not_found(resource.uri(), cx.revision().rules()))
            }
            Self::Prompt(_) | Self::Resource(_) => {
                let code =
                    if error.is_of_arguments() { ErrorCode::InvalidParams } else { ErrorCode::InternalError };
                Answer::Error(ErrorObject::new(code, error.message().to_owned()))
            }
        }
    }
}

fn started<T: 'static>(
    reply: Reply<'static, Result<T, ToolError>>,
    output: fn(T) -> Output,
    pending: fn(BoxFuture<'static, Result<T, ToolError>>) -> Pending,
) -> Started {
    match reply {
        Reply::Now(result) => Started::Done(result.map(output)),
        Reply::Later(future) => Started::Waits(pending(future)),
    }
}

/// A result that breaks the tool's own promise is a failure of the tool.
fn check_output(tool: &Tool, output: ToolOutput) -> Result<ToolOutput, ToolError> {
    if output.is_error || tool.output_schema().is_none() {
        return Ok(output);
    }
    let structured = output.structured.as_deref().map(serde_json::from_str).transpose()?;
    match tool.check_output(structured.as_ref()) {
        Ok(()) => Ok(output),
        Err(violations) => {
            Err(ToolError::internal(violations.report("the result breaks the tool's output schema:")))
        }
    }
}

/// Source: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling>
pub(super) fn resource_not_found(uri: &str, rules: &Rules) -> ErrorObject {
    let shortened: String = uri.chars().take(200).collect();
    let text = format!("Resource not found: {shortened}");
    ErrorObject::new(rules.resource_not_found, text).with_data(json!({ "uri": uri }))
}
