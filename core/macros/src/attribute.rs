//! Reading `#[name(key, key = value, …)]`, with every mistake told at once.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Lit, LitBool, LitStr, Meta, Token, bracketed, token};

/// The mistakes so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// A mistake at these tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.0.as_ref().map(syn::Error::to_compile_error).unwrap_or_default()
    }
}

/// Whether the attribute is ours, written `#[name]` or `#[mcp_http::name]`.
pub(crate) fn is(attribute: &Attribute, name: &str) -> bool {
    let mut segments = attribute.path().segments.iter().map(|segment| segment.ident.to_string());
    let first = segments.next();
    let second = segments.next();
    match (first.as_deref(), second.as_deref(), segments.next()) {
        (Some(only), None, None) => only == name,
        (Some("mcp_http"), Some(last), None) => last == name,
        _ => false,
    }
}

/// Takes the attributes of this name out of a list.
pub(crate) fn take(attributes: &mut Vec<Attribute>, name: &str) -> Vec<Attribute> {
    let (ours, others) = attributes.drain(..).partition(|attribute| is(attribute, name));
    *attributes = others;
    ours
}

/// Takes the doc comments out of a list.
pub(crate) fn take_docs(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    let (docs, others) = attributes.drain(..).partition(|attribute| attribute.path().is_ident("doc"));
    *attributes = others;
    docs
}

/// The attributes that decide whether an item is there at all.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// The text of doc comments, as it is published.
pub(crate) fn doc_text(docs: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in docs {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &doc.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        for line in line.value().lines() {
            text.push_str(line.strip_prefix(' ').unwrap_or(line).trim_end());
            text.push('\n');
        }
        if line.value().is_empty() {
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// For attributes whose [first](Keys::first) string is a description.
pub(crate) const DESCRIPTION: &str = "description";
pub(crate) const ONE_DESCRIPTION: &str = "a description without a key comes first";

/// What an attribute may say.
pub(crate) struct Keys {
    /// `#[tool]`, for messages.
    pub(crate) attribute: &'static str,
    pub(crate) known: &'static [&'static str],
    /// What a string without a key is, which comes first.
    pub(crate) first: &'static str,
    /// Why another string does not go without one.
    pub(crate) one_first: &'static str,
    /// What people write who know another library, and what it is called here.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    /// What people write who expect a setting where there is none, and what to do instead.
    pub(crate) advice: &'static [(&'static str, &'static str)],
}

/// Reads an attribute key by key. A mistake in one entry does not hide those in the next.
pub(crate) fn read(
    attribute: &Attribute,
    keys: &Keys,
    errors: &mut Errors,
    mut entry: impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<()>,
) {
    let tokens = match &attribute.meta {
        Meta::Path(_) => return,
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let name = keys.attribute;
            return errors.at(pair, format!("settings are written in parentheses: `#[{name}(key = value)]`"));
        }
    };
    let mut seen: Vec<Ident> = Vec::new();
    let entries = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = read_entry(input, keys, &mut seen, &mut entry) {
                errors.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
            }
            if !input.is_empty()
                && let Err(error) = input.parse::<Token![,]>()
            {
                errors.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
            }
        }
        Ok(())
    };
    if let Err(error) = syn::parse::Parser::parse2(entries, tokens) {
        errors.push(error);
    }
}

fn read_entry(
    input: ParseStream<'_>,
    keys: &Keys,
    seen: &mut Vec<Ident>,
    entry: &mut impl FnMut(&Ident, ParseStream<'_>) -> syn::Result<()>,
) -> syn::Result<()> {
    let key = if input.peek(LitStr) && seen.is_empty() {
        Ident::new(keys.first, input.span())
    } else if input.peek(LitStr) {
        return Err(input.error(keys.one_first));
    } else {
        input.call(Ident::parse_any)?
    };
    if !keys.known.iter().any(|known| key == known) {
        return Err(syn::Error::new(key.span(), unknown(&key.to_string(), keys)));
    }
    if seen.contains(&key) {
        return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
    }
    seen.push(key.clone());
    entry(&key, input)
}

fn unknown(key: &str, keys: &Keys) -> String {
    if let Some((_, advice)) = keys.advice.iter().find(|(other, _)| *other == key) {
        return format!("unknown key `{key}`: {advice}");
    }
    let alias = keys.aliases.iter().find(|(other, _)| *other == key).map(|(_, ours)| *ours);
    let similar = || {
        let near = keys.known.iter().map(|known| (distance(key, known), *known)).min();
        near.filter(|(distance, known)| *distance <= known.len().max(3) / 3).map(|(_, known)| known)
    };
    match alias.or_else(similar) {
        Some(ours) => format!("unknown key `{key}`: did you mean `{ours}`?"),
        None => format!("unknown key `{key}`: `#[{}]` knows {}", keys.attribute, keys.known.join(", ")),
    }
}

/// How many letters have to be changed, added or left out.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (done, letter) in from.chars().enumerate() {
        let mut next = vec![done.saturating_add(1)];
        for ((above_left, above), other) in row.iter().zip(row.iter().skip(1)).zip(&to) {
            let replaced = above_left.saturating_add(usize::from(letter != *other));
            let left = next.last().copied().unwrap_or_default();
            next.push(replaced.min(above.saturating_add(1)).min(left.saturating_add(1)));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// `key` or `key = false`.
pub(crate) fn flag(input: ParseStream<'_>) -> syn::Result<bool> {
    if !input.peek(Token![=]) {
        return Ok(true);
    }
    input.parse::<Token![=]>()?;
    Ok(input.parse::<LitBool>()?.value)
}

/// `key = value`.
pub(crate) fn value<T: Parse>(key: &Ident, input: ParseStream<'_>) -> syn::Result<T> {
    if !input.peek(Token![=]) {
        return Err(syn::Error::new(key.span(), format!("`{key}` needs a value: `{key} = …`")));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(key.span(), format!("`{key}` needs a value: `{key} = …`")));
    }
    input.parse()
}

/// `"text"` in the first place, or `key = text`.
pub(crate) fn first<T: Parse>(key: &Ident, input: ParseStream<'_>) -> syn::Result<T> {
    if input.peek(LitStr) { input.parse() } else { value(key, input) }
}

/// `[a, b]`, or one alone.
pub(crate) struct List(pub(crate) Vec<Expr>);

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(token::Bracket) {
            return Ok(Self(vec![input.parse()?]));
        }
        let content;
        bracketed!(content in input);
        let items = content.parse_terminated(Expr::parse, Token![,])?;
        Ok(Self(items.into_iter().collect()))
    }
}

/// JSON: an object as `serde_json::json!` takes it, the path of a function that gives it, or another expression.
pub(crate) enum Json {
    Literal(TokenStream),
    Function(syn::ExprPath),
    Expression(Expr),
}

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(token::Brace) {
            return Ok(Self::Literal(input.parse::<TokenTree>()?.into_token_stream()));
        }
        Ok(match input.parse()? {
            Expr::Path(path) => Self::Function(path),
            other => Self::Expression(other),
        })
    }
}

impl Json {
    /// An expression that is the value.
    pub(crate) fn value(&self) -> TokenStream {
        match self {
            Self::Literal(_) => {
                let inner = self.in_json();
                quote!(::mcp_http::__private::serde_json::json!(#inner))
            }
            Self::Function(_) | Self::Expression(_) => self.in_json(),
        }
    }

    /// What stands for the value inside of `serde_json::json!`.
    pub(crate) fn in_json(&self) -> TokenStream {
        match self {
            Self::Literal(object) => object.clone(),
            Self::Function(path) => quote!(#path()),
            Self::Expression(expression) => expression.to_token_stream(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: Keys = Keys {
        attribute: "tool",
        known: &["name", "title", "read_only", "min", "max"],
        first: DESCRIPTION,
        one_first: ONE_DESCRIPTION,
        aliases: &[("minimum", "min")],
        advice: &[("optional", "take an `Option`")],
    };

    #[track_caller]
    fn check(key: &str, expected: &str) {
        assert_eq!(unknown(key, &KEYS), format!("unknown key `{key}`: {expected}"));
    }

    #[test]
    fn a_key_that_is_nearly_right_gets_a_suggestion() {
        check("tittle", "did you mean `title`?");
        check("readonly", "did you mean `read_only`?");
        check("minimum", "did you mean `min`?");
        check("optional", "take an `Option`");
        check("mx", "did you mean `max`?");
        check("colour", "`#[tool]` knows name, title, read_only, min, max");
    }

    #[test]
    fn a_doc_comment_is_published_without_its_margin() {
        let item: syn::ItemFn = syn::parse_quote! {
            /// First line,
            /// second line.
            ///
            ///  * indented
            fn f() {}
        };
        assert_eq!(doc_text(&item.attrs), "First line,\nsecond line.\n\n * indented");
    }
}
