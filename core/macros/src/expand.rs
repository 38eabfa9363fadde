//! Tools, prompts and resources as code: for each a struct of its arguments, and one call of the public builder.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Expr, Lit, Type};

use crate::function::{Function, mentions};
use crate::known::{Kind, argument_of, text};
use crate::param::{Absent, Argument, Parameter};
use crate::primitive::Primitive;

/// What the code refers to.
pub(crate) struct Scope<'a> {
    /// The type of the impl; `None` for a free function.
    pub(crate) self_ty: Option<&'a Type>,
}

impl Scope<'_> {
    /// An expression that is the builder. Where the function takes `&self`, `this` is an `Arc` of it.
    pub(crate) fn builder(&self, function: &Function) -> TokenStream {
        let (arguments_ty, arguments_item) = match function.argument_struct() {
            Some(ty) => (Some(ty.to_token_stream()), TokenStream::new()),
            None if function.arguments().next().is_some() => {
                let name = struct_name(function);
                (Some(name.to_token_stream()), self.arguments_struct(&name, function))
            }
            None => (None, TokenStream::new()),
        };
        let handler = self.handler(function, arguments_ty.as_ref());
        let definition = definition(function);
        let description = description(function);
        let this = function.takes_self.then(|| quote!(let this = ::std::sync::Arc::clone(&this);));
        // Errors about the function as a whole are shown at its name.
        let takes = function.primitive.handler();
        let with_handler = quote_spanned!(function.ident.span()=> .#takes(#handler));
        let is_structured = function.primitive == Primitive::Tool && may_be_structured(&function.returned);
        let returns = is_structured.then(|| {
            let returned = with_inferred_lifetimes(self.resolve(&function.returned));
            quote_spanned!(function.returned.span()=> .returns::<#returned>())
        });
        quote! {{
            #arguments_item
            #description
            #this
            #definition
            #with_handler
            #returns
        }}
    }

    fn arguments_struct(&self, name: &Ident, function: &Function) -> TokenStream {
        let deny_unknown = function.says.deny_unknown.map(|_| quote!(#[serde(deny_unknown_fields)]));
        let fields = function.arguments().map(|argument| self.field(name, argument));
        let functions: Vec<TokenStream> =
            function.arguments().flat_map(|argument| self.functions(argument)).collect();
        let functions = (!functions.is_empty()).then(|| quote!(impl #name { #(#functions)* }));
        let checks = function.arguments().map(|argument| self.check(argument));
        quote! {
            #[derive(::mcp_http::__private::serde::Deserialize, ::mcp_http::__private::schemars::JsonSchema)]
            #[serde(crate = "::mcp_http::__private::serde")]
            #[schemars(crate = "::mcp_http::__private::schemars")]
            #deny_unknown
            struct #name {
                #(#fields,)*
            }
            #functions
            #(#checks)*
        }
    }

    fn field(&self, struct_name: &Ident, argument: &Argument) -> TokenStream {
        let Argument { ident, docs, says, kind, .. } = argument;
        let ty = self.resolve(&argument.ty);
        let mut attributes = TokenStream::new();
        match &says.description {
            Some(text) => attributes.extend(quote!(#[schemars(description = #text)])),
            None => attributes.extend(quote!(#(#docs)*)),
        }
        if let Some(name) = &says.name {
            attributes.extend(quote!(#[serde(rename = #name)]));
        }
        match &says.default {
            Some(Absent::OfType) => attributes.extend(quote!(#[serde(default)])),
            Some(Absent::Value(_)) => {
                let path = format!("{struct_name}::{}", default_name(ident));
                attributes.extend(quote!(#[serde(default = #path)]));
            }
            None if argument.is_option && says.schema.is_some() => {
                attributes.extend(quote!(#[serde(default)]))
            }
            None => {}
        }
        if argument.is_nullable {
            let with = format!("::mcp_http::Nullable::<{}>", text(self.resolve(&argument.inner)));
            attributes.extend(quote!(#[serde(with = #with)]));
        }
        if says.schema.is_some() {
            let path = format!("{struct_name}::{}", schema_name(ident));
            attributes.extend(quote!(#[schemars(schema_with = #path)]));
        }
        let min = says.min.as_ref().map(|min| self.resolve(min));
        let max = says.max.as_ref().map(|max| self.resolve(max));
        let mut extensions = Vec::new();
        if kind.is_number() && (min.is_some() || max.is_some()) {
            let bounds =
                min.iter().map(|min| quote!(min = #min)).chain(max.iter().map(|max| quote!(max = #max)));
            attributes.extend(quote!(#[schemars(range(#(#bounds),*))]));
        } else {
            // `range` is for what is known to be a number, and says nothing otherwise.
            extensions.extend(min.iter().map(|min| quote!("minimum" = #min)));
            extensions.extend(max.iter().map(|max| quote!("maximum" = #max)));
        }
        if !says.one_of.is_empty() {
            let values = says.one_of.iter().map(|value| self.resolve(value));
            let null = argument.is_nullable.then(|| quote!(, null));
            extensions.push(quote!("enum" = [#(#values),* #null]));
        }
        extensions.extend(says.format.iter().map(|format| quote!("format" = #format)));
        extensions.extend(says.items.iter().map(|items| {
            let items = self.resolve(items.in_json());
            quote!("items" = #items)
        }));
        extensions.extend(says.header.iter().map(|header| quote!("x-mcp-header" = #header)));
        if !extensions.is_empty() {
            attributes.extend(quote!(#[schemars(extend(#(#extensions),*))]));
        }
        quote!(#attributes #ident: #ty)
    }

    /// What the attributes of a field refer to by name.
    fn functions(&self, argument: &Argument) -> Vec<TokenStream> {
        let Argument { ident, kind, says, .. } = argument;
        let ty = self.resolve(&argument.ty);
        let mut functions = Vec::new();
        if let Some(Absent::Value(value)) = &says.default {
            let name = default_name(ident);
            let is_text = matches!(value, Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)));
            let value = self.resolve(value);
            let value = match kind {
                Kind::Text if is_text => quote!(#value.to_owned()),
                _ if is_text => quote!(::core::convert::From::from(#value)),
                _ => value,
            };
            functions.push(quote!(fn #name() -> #ty { #value }));
        }
        if let Some(schema) = &says.schema {
            let name = schema_name(ident);
            let value = self.resolve(schema.value());
            functions.push(quote! {
                fn #name(_: &mut ::mcp_http::__private::schemars::SchemaGenerator) -> ::mcp_http::__private::schemars::Schema {
                    ::mcp_http::__private::schema(#value)
                }
            });
        }
        functions
    }

    /// That a default can be published.
    fn check(&self, argument: &Argument) -> Option<TokenStream> {
        let span = match argument.says.default.as_ref()? {
            Absent::Value(value) => value.span(),
            Absent::OfType => argument.ty.span(),
        };
        let ty = self.resolve(&argument.ty);
        let check = quote_spanned!(span=> ::mcp_http::__private::published_default::<#ty>());
        matches!(argument.kind, Kind::Other | Kind::List | Kind::Map).then(|| quote!(const _: () = #check;))
    }

    /// The closure that runs the function.
    fn handler(&self, function: &Function, arguments_ty: Option<&TokenStream>) -> TokenStream {
        let ident = &function.ident;
        let passed = function.parameters.iter().map(|parameter| match parameter {
            Parameter::Argument(argument) => {
                let field = &argument.ident;
                quote!(arguments.#field)
            }
            Parameter::Arguments(_) => quote!(arguments),
            Parameter::FromCall { ty, borrowed } => match (is_context(ty), borrowed) {
                (true, true) => quote!(&cx),
                (true, false) => quote!(cx.clone()),
                (false, borrowed) => {
                    let reference = borrowed.then(|| quote!(&));
                    let taken = quote_spanned!(ty.span()=> <#ty as ::mcp_http::FromCall>::from_call(&cx));
                    quote!(#reference #taken?)
                }
            },
        });
        let passed = quote!(#(#passed),*);
        let takes_cx =
            function.parameters.iter().any(|parameter| matches!(parameter, Parameter::FromCall { .. }));
        let parameters = arguments_ty
            .map(|ty| quote!(arguments: #ty))
            .into_iter()
            .chain(takes_cx.then(|| quote!(cx: ::mcp_http::CallContext)));
        let parameters = quote!(#(#parameters),*);
        // Errors about what is given back are shown where its type is written.
        let at = function.returned.span();
        let callee = match (function.takes_self, self.self_ty) {
            (true, _) => quote_spanned!(at=> this.#ident),
            (false, Some(_)) => quote_spanned!(at=> Self::#ident),
            (false, None) => quote!(#ident),
        };
        let awaited = function.is_async.then(|| quote_spanned!(at=> .await));
        let conversion = with_span(function.primitive.conversion(), at);
        let result = quote_spanned!(at=> #conversion(#callee(#passed) #awaited));
        if !function.is_async {
            return quote!(move |#parameters| #result);
        }
        let this = function.takes_self.then(|| quote!(let this = ::std::sync::Arc::clone(&this);));
        quote! {
            move |#parameters| {
                #this
                async move { #result }
            }
        }
    }

    /// Types and expressions, moved to where `Self` is not known.
    fn resolve(&self, tokens: impl ToTokens) -> TokenStream {
        match self.self_ty {
            Some(self_ty) => replace_self(tokens.to_token_stream(), self_ty),
            None => tokens.to_token_stream(),
        }
    }
}

/// `Self` becomes the type, and `Self::X` becomes `<Type>::X`.
fn replace_self(tokens: TokenStream, self_ty: &Type) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                replaced.extend(if is_path { quote!(<#self_ty>) } else { quote!(#self_ty) });
            }
            TokenTree::Group(group) => {
                let mut inner =
                    proc_macro2::Group::new(group.delimiter(), replace_self(group.stream(), self_ty));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
            }
            other => replaced.extend([other]),
        }
    }
    replaced
}

/// Whether what is given back may be structured content, whose schema is published then.
fn may_be_structured(returned: &Type) -> bool {
    let given = argument_of(returned, "Result").unwrap_or(returned);
    let known = match given {
        Type::Tuple(tuple) => tuple.elems.is_empty(),
        Type::Reference(_) | Type::ImplTrait(_) | Type::Never(_) => true,
        _ => Kind::of(given) != Kind::Other,
    };
    !known
}

/// Within a function the lifetimes of its signature are unknown.
fn with_inferred_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut lifetime = false;
    let inferred = |token| match token {
        TokenTree::Ident(name) if std::mem::take(&mut lifetime) && name != "static" => {
            TokenTree::Ident(Ident::new("_", name.span()))
        }
        TokenTree::Group(group) => {
            let mut inner =
                proc_macro2::Group::new(group.delimiter(), with_inferred_lifetimes(group.stream()));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => {
            lifetime = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
            other
        }
    };
    tokens.into_iter().map(inferred).collect()
}

fn is_context(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "CallContext"))
}

/// `search_customers` takes `SearchCustomersArguments`, unless something in its signature is called so.
fn struct_name(function: &Function) -> Ident {
    let mut name = String::new();
    for word in function.ident.unraw().to_string().split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.extend(letters);
    }
    let mut ident = format_ident!("{name}Arguments", span = Span::call_site());
    while function.arguments().any(|argument| {
        let default = match &argument.says.default {
            Some(Absent::Value(value)) => mentions(value, &ident),
            Some(Absent::OfType) | None => false,
        };
        default || mentions(&argument.ty, &ident)
    }) {
        ident = format_ident!("{ident}_");
    }
    ident
}

fn default_name(ident: &Ident) -> Ident {
    format_ident!("default_{}", ident.unraw(), span = Span::call_site())
}

fn schema_name(ident: &Ident) -> Ident {
    format_ident!("schema_of_{}", ident.unraw(), span = Span::call_site())
}

/// These tokens, so that errors about them are shown there.
fn with_span(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(at).collect()
}

/// Everything that is published, but for the input schema.
fn definition(function: &Function) -> TokenStream {
    let Function { says, docs, .. } = function;
    let mut calls = TokenStream::new();
    if let Some(title) = &says.title {
        calls.extend(quote!(.title(#title)));
    }
    match &says.description {
        Some(description) => calls.extend(quote!(.description(#description))),
        None if docs.is_empty() => {}
        None => calls.extend(quote!(.description(#docs))),
    }
    let hints: Vec<TokenStream> = [
        ("read_only", says.read_only),
        ("destructive", says.destructive),
        ("idempotent", says.idempotent),
        ("open_world", says.open_world),
    ]
    .into_iter()
    .filter_map(|(hint, says)| {
        let hint = format_ident!("{hint}");
        says.map(|yes| quote!(#hint: ::core::option::Option::Some(#yes)))
    })
    .collect();
    if !hints.is_empty() {
        calls.extend(quote! {
            .annotations(::mcp_http::ToolAnnotations { #(#hints,)* ..::core::default::Default::default() })
        });
    }
    for icon in &says.icons {
        calls.extend(match icon {
            Expr::Lit(uri) => quote!(.icon(::mcp_http::Icon::new(#uri))),
            other => quote!(.icon(#other)),
        });
    }
    for (key, value) in &says.meta {
        calls.extend(quote!(.meta(#key, ::mcp_http::__private::serde_json::json!(#value))));
    }
    if let Some(schema) = &says.output_schema {
        let schema = schema.value();
        calls.extend(quote!(.output_schema(#schema)));
    }
    if let Some(key) = &says.capability {
        calls.extend(quote!(.capability(#key)));
    }
    for capability in &says.requires {
        calls.extend(match capability {
            Expr::Path(path) if path.path.get_ident().is_some() => {
                quote!(.requires(::mcp_http::Capability::#path))
            }
            other => quote!(.requires(#other)),
        });
    }
    if let Some(support) = &says.task {
        calls.extend(quote!(.task(::mcp_http::TaskSupport::#support)));
    }
    if let Some(mime_type) = &says.mime_type {
        calls.extend(quote!(.mime_type(#mime_type)));
    }
    let start = start(function);
    quote!(#start #calls)
}

/// A builder that knows no more than what it is found by.
pub(crate) fn start(function: &Function) -> TokenStream {
    let ty = function.primitive.ty();
    let name = &function.name;
    match function.primitive {
        Primitive::Tool | Primitive::Prompt => quote!(#ty::builder(#name)),
        Primitive::Resource | Primitive::Template => {
            let uri = function.uri();
            quote!(#ty::builder(#uri, #name))
        }
    }
}

/// A warning at the function, where nothing describes a tool.
fn description(function: &Function) -> TokenStream {
    if function.primitive != Primitive::Tool
        || function.says.description.is_some()
        || !function.docs.is_empty()
    {
        return TokenStream::new();
    }
    let note = "models choose a tool by its description: write a doc comment that says what it does and when to use it";
    let used = quote_spanned!(function.ident.span()=> TOOL_WITHOUT_DESCRIPTION);
    quote! {
        const _: () = {
            #[deprecated(note = #note)]
            const TOOL_WITHOUT_DESCRIPTION: () = ();
            #used
        };
    }
}
