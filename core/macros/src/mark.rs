//! What `#[tool(…)]` says.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, LitStr, Token, braced, token};

use crate::attribute::{Errors, Json, Keys, List, description, flag, read, value};

const KEYS: Keys = Keys {
    attribute: "tool",
    known: &[
        "name",
        "title",
        "description",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
        "icons",
        "meta",
        "capability",
        "output_schema",
        "deny_unknown",
        "requires",
    ],
    aliases: &[
        ("rename", "name"),
        ("icon", "icons"),
        ("_meta", "meta"),
        ("deny_unknown_fields", "deny_unknown"),
        ("returns", "output_schema"),
        ("capabilities", "requires"),
    ],
    advice: &[
        ("annotations", "write the hints themselves: `read_only`, `destructive`, `idempotent`, `open_world`"),
        (
            "input_schema",
            "it comes from the parameters; one of them may bring its own: `#[param(schema = …)]`",
        ),
    ],
};

#[derive(Default)]
pub(crate) struct Mark {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
    pub(crate) icons: Vec<Expr>,
    pub(crate) meta: Vec<(LitStr, TokenStream)>,
    pub(crate) capability: Option<Expr>,
    pub(crate) output_schema: Option<Json>,
    pub(crate) deny_unknown: Option<Span>,
    pub(crate) requires: Vec<Expr>,
}

impl Mark {
    pub(crate) fn read(attribute: &Attribute, errors: &mut Errors) -> Self {
        let mut tool = Self::default();
        let mut clash = None;
        read(attribute, &KEYS, errors, |key, input| {
            match key.to_string().as_str() {
                "name" => tool.name = Some(value(key, input)?),
                "title" => tool.title = Some(value(key, input)?),
                "description" => tool.description = Some(description(key, input)?),
                "read_only" => tool.read_only = Some(flag(input)?),
                "destructive" => {
                    tool.destructive = Some(flag(input)?);
                    clash = Some(key.span());
                }
                "idempotent" => tool.idempotent = Some(flag(input)?),
                "open_world" => tool.open_world = Some(flag(input)?),
                "icons" => tool.icons = value::<List>(key, input)?.0,
                "meta" => tool.meta = value::<Members>(key, input)?.0,
                "capability" => tool.capability = Some(value(key, input)?),
                "output_schema" => tool.output_schema = Some(value(key, input)?),
                "deny_unknown" => tool.deny_unknown = flag(input)?.then(|| key.span()),
                "requires" => tool.requires = value::<List>(key, input)?.0,
                _ => {}
            }
            Ok(())
        });
        if let (Some(true), Some(true), Some(span)) = (tool.read_only, tool.destructive, clash) {
            let text = "a tool that is `read_only` destroys nothing: leave one of the two out";
            errors.push(syn::Error::new(span, text));
        }
        tool
    }
}

/// The members of a JSON object, whose values `serde_json::json!` reads.
struct Members(Vec<(LitStr, TokenStream)>);

impl Parse for Members {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(token::Brace) {
            return Err(input.error("expected a JSON object: `meta = { \"key\": value }`"));
        }
        let content;
        braced!(content in input);
        let mut members = Vec::new();
        while !content.is_empty() {
            let key: LitStr = content.parse()?;
            content.parse::<Token![:]>()?;
            let mut value = TokenStream::new();
            while !content.is_empty() && !content.peek(Token![,]) {
                value.extend([content.parse::<TokenTree>()?]);
            }
            if value.is_empty() {
                return Err(syn::Error::new(key.span(), "this member has no value"));
            }
            members.push((key, value));
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
        }
        Ok(Self(members))
    }
}
