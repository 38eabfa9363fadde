//! What `#[tool(…)]`, `#[prompt(…)]` and `#[resource(…)]` say.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, LitStr, Token, braced, token};

use crate::attribute::{DESCRIPTION, Errors, Json, Keys, List, ONE_DESCRIPTION, first, flag, read, value};
use crate::primitive::Primitive;

const TOOL: Keys = Keys {
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
        "task",
    ],
    first: DESCRIPTION,
    one_first: ONE_DESCRIPTION,
    aliases: &[
        ("rename", "name"),
        ("icon", "icons"),
        ("_meta", "meta"),
        ("deny_unknown_fields", "deny_unknown"),
        ("task_support", "task"),
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

const PROMPT: Keys = Keys {
    attribute: "prompt",
    known: &["name", "title", "description", "icons", "meta", "deny_unknown"],
    first: DESCRIPTION,
    one_first: ONE_DESCRIPTION,
    aliases: &[
        ("rename", "name"),
        ("icon", "icons"),
        ("_meta", "meta"),
        ("deny_unknown_fields", "deny_unknown"),
    ],
    advice: &[("arguments", "they are the parameters, and `#[param(…)]` says more of one")],
};

const RESOURCE: Keys = Keys {
    attribute: "resource",
    known: &["uri", "name", "title", "description", "mime_type", "icons", "meta"],
    first: "uri",
    one_first: "the URI comes first, and nothing else goes without a key: `description = \"…\"`, or a doc comment",
    aliases: &[
        ("url", "uri"),
        ("uri_template", "uri"),
        ("template", "uri"),
        ("rename", "name"),
        ("mime", "mime_type"),
        ("content_type", "mime_type"),
        ("icon", "icons"),
        ("_meta", "meta"),
    ],
    advice: &[
        ("size", "say it to the builder: `.size(bytes)`"),
        ("annotations", "say them to the builder: `.annotations(…)`"),
        ("cache", "say it to the builder: `.cache(ttl, scope)`"),
    ],
};

#[derive(Default)]
pub(crate) struct Mark {
    /// Of a resource: its URI, or the template of its URIs.
    pub(crate) uri: Option<LitStr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) mime_type: Option<Expr>,
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
    /// The variant of `TaskSupport`.
    pub(crate) task: Option<Ident>,
}

impl Mark {
    pub(crate) fn read(primitive: Primitive, attribute: &Attribute, errors: &mut Errors) -> Self {
        let keys = match primitive {
            Primitive::Tool => &TOOL,
            Primitive::Prompt => &PROMPT,
            Primitive::Resource | Primitive::Template => &RESOURCE,
        };
        let mut mark = Self::default();
        let mut says_uri = false;
        let mut clash = None;
        read(attribute, keys, errors, |key, input| {
            match key.to_string().as_str() {
                "uri" => {
                    says_uri = true;
                    mark.uri = Some(first(key, input)?);
                }
                "name" => mark.name = Some(value(key, input)?),
                "title" => mark.title = Some(value(key, input)?),
                "description" => mark.description = Some(first(key, input)?),
                "mime_type" => mark.mime_type = Some(value(key, input)?),
                "read_only" => mark.read_only = Some(flag(input)?),
                "destructive" => {
                    mark.destructive = Some(flag(input)?);
                    clash = Some(key.span());
                }
                "idempotent" => mark.idempotent = Some(flag(input)?),
                "open_world" => mark.open_world = Some(flag(input)?),
                "icons" => mark.icons = value::<List>(key, input)?.0,
                "meta" => mark.meta = value::<Members>(key, input)?.0,
                "capability" => mark.capability = Some(value(key, input)?),
                "output_schema" => mark.output_schema = Some(value(key, input)?),
                "deny_unknown" => mark.deny_unknown = flag(input)?.then(|| key.span()),
                "requires" => mark.requires = value::<List>(key, input)?.0,
                "task" => mark.task = Some(task_support(&value(key, input)?)?),
                _ => {}
            }
            Ok(())
        });
        if let (Some(true), Some(true), Some(span)) = (mark.read_only, mark.destructive, clash) {
            let text = "a tool that is `read_only` destroys nothing: leave one of the two out";
            errors.push(syn::Error::new(span, text));
        }
        if primitive == Primitive::Resource && !says_uri {
            errors.at(
                attribute,
                "a resource is read at a URI, which comes first: `#[resource(\"shop://orders/{id}\")]`",
            );
        }
        mark
    }
}

fn task_support(says: &LitStr) -> syn::Result<Ident> {
    let variant = match says.value().as_str() {
        "optional" => "Optional",
        "required" => "Required",
        _ => return Err(syn::Error::new(says.span(), "a task is \"optional\" or \"required\"")),
    };
    Ok(Ident::new(variant, says.span()))
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
