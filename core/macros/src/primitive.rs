//! What a function is made: a tool, a prompt, a resource, or a template of resources.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// What MCP calls a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Primitive {
    Tool,
    Prompt,
    Resource,
    /// A resource whose URI has variables.
    Template,
}

impl Primitive {
    /// Those that have an attribute.
    pub(crate) const MARKED: [Self; 3] = [Self::Tool, Self::Prompt, Self::Resource];

    /// The attribute, which is also what messages call it.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource | Self::Template => "resource",
        }
    }

    /// The function that gives its builder.
    pub(crate) fn function(self) -> Ident {
        let name = match self {
            Self::Template => "template",
            Self::Tool | Self::Prompt | Self::Resource => self.attribute(),
        };
        format_ident!("{name}")
    }

    /// What a client does with it.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Tool => "calls",
            Self::Prompt => "asks for",
            Self::Resource | Self::Template => "reads",
        }
    }

    /// Whether its arguments are texts, whatever the function takes them as.
    pub(crate) fn takes_texts(self) -> bool {
        self != Self::Tool
    }

    /// The type that is built.
    pub(crate) fn ty(self) -> TokenStream {
        match self {
            Self::Tool => quote!(::mcp_http::Tool),
            Self::Prompt => quote!(::mcp_http::Prompt),
            Self::Resource => quote!(::mcp_http::Resource),
            Self::Template => quote!(::mcp_http::ResourceTemplate),
        }
    }

    /// The type that builds it.
    pub(crate) fn builder(self) -> TokenStream {
        match self {
            Self::Tool => quote!(::mcp_http::ToolBuilder),
            Self::Prompt => quote!(::mcp_http::PromptBuilder),
            Self::Resource => quote!(::mcp_http::ResourceBuilder),
            Self::Template => quote!(::mcp_http::ResourceTemplateBuilder),
        }
    }

    /// The method of the builder that takes the function.
    pub(crate) fn handler(self) -> Ident {
        match self {
            Self::Tool | Self::Prompt => format_ident!("handler"),
            Self::Resource | Self::Template => format_ident!("reader"),
        }
    }

    /// What converts that which the function gives back.
    pub(crate) fn conversion(self) -> TokenStream {
        match self {
            Self::Tool => quote!(::mcp_http::IntoToolResult::into_tool_result),
            Self::Prompt => quote!(::mcp_http::IntoPromptOutput::into_prompt_output),
            Self::Resource | Self::Template => quote!(::mcp_http::IntoResourceOutput::into_resource_output),
        }
    }
}
