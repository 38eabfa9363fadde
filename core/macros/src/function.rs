//! A function that is marked: read, and checked as far as its text tells.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::{Attribute, FnArg, GenericParam, LitStr, ReceiverKind, ReturnType, Safety, Signature, Type};

use crate::attribute::{Errors, cfgs, doc_text};
use crate::known::text;
use crate::mark::Mark;
use crate::param::{Argument, Parameter};
use crate::primitive::Primitive;
use crate::uri;

pub(crate) struct Function {
    pub(crate) primitive: Primitive,
    pub(crate) says: Mark,
    pub(crate) ident: Ident,
    /// The published name.
    pub(crate) name: String,
    /// The text of the doc comment.
    pub(crate) docs: String,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) is_async: bool,
    pub(crate) takes_self: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// `()` where none is written.
    pub(crate) returned: Type,
}

impl Function {
    /// Reads a function, and takes off its parameters what only this macro understands.
    pub(crate) fn read(
        primitive: Primitive,
        attribute: &Attribute,
        attributes: &[Attribute],
        signature: &mut Signature,
        errors: &mut Errors,
    ) -> Self {
        let says = Mark::read(primitive, attribute, errors);
        let is_template = says.uri.as_ref().is_some_and(|uri| uri.value().contains('{'));
        let primitive = if is_template { Primitive::Template } else { primitive };
        let noun = primitive.attribute();
        let name = published_name(primitive, &says, &signature.ident, errors);
        check_signature(primitive, signature, errors);
        let mut takes_self = false;
        let mut parameters = Vec::new();
        for input in &mut signature.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    takes_self = true;
                    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
                        let text = format!(
                            "calls run side by side, so a {noun} takes `&self`; what changes sits in a `Mutex` or an atomic"
                        );
                        errors.at(&*receiver, text);
                    }
                }
                FnArg::Typed(parameter) => parameters.extend(Parameter::read(parameter, primitive, errors)),
            }
        }
        let returned = match &signature.output {
            ReturnType::Default => syn::parse_quote!(()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        };
        let function = Self {
            primitive,
            ident: signature.ident.clone(),
            name,
            docs: doc_text(attributes),
            cfgs: cfgs(attributes),
            is_async: signature.asyncness.is_some(),
            takes_self,
            parameters,
            returned,
            says,
        };
        function.check(errors);
        function.check_variables(errors);
        function
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Argument(argument) => Some(&**argument),
            Parameter::Arguments(_) | Parameter::FromCall { .. } => None,
        })
    }

    /// The struct that takes all arguments, if the user has one.
    pub(crate) fn argument_struct(&self) -> Option<&Type> {
        self.parameters.iter().find_map(|parameter| match parameter {
            Parameter::Arguments(ty) => Some(ty),
            Parameter::Argument(_) | Parameter::FromCall { .. } => None,
        })
    }

    fn check(&self, errors: &mut Errors) {
        let mut names = Vec::new();
        let mut headers = HashMap::new();
        for argument in self.arguments() {
            let name = argument.name();
            if names.contains(&name) {
                errors.at(argument.name_tokens(), format!("another parameter is published as `{name}`"));
            }
            names.push(name);
            if let Some(header) = &argument.says.header
                && let Some(other) = headers.insert(header.value().to_ascii_lowercase(), &argument.ident)
            {
                errors.at(
                    header,
                    format!("`{other}` is repeated in this header already (case does not count)"),
                );
            }
        }
        let structs: Vec<&Type> = self
            .parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Arguments(ty) => Some(ty),
                Parameter::Argument(_) | Parameter::FromCall { .. } => None,
            })
            .collect();
        if let [first, rest @ ..] = structs.as_slice() {
            for other in rest {
                errors.at(other, format!("`{}` takes all arguments already", text(first)));
            }
            for argument in self.arguments() {
                errors.at(
                    &argument.ident,
                    format!("`{}` takes all arguments: make this a field of it", text(first)),
                );
            }
            if let Some(span) = self.says.deny_unknown {
                let text = "put `#[serde(deny_unknown_fields)]` on the struct instead";
                errors.push(syn::Error::new(span, text));
            }
        }
    }

    /// The URI of a resource, or its template.
    pub(crate) fn uri(&self) -> String {
        self.says.uri.as_ref().map(LitStr::value).unwrap_or_default()
    }

    /// Complains about arguments that are no variables of the URI.
    fn check_variables(&self, errors: &mut Errors) {
        let Some(uri) = &self.says.uri else { return };
        let uri = uri.value();
        let variables = uri::variables(&uri);
        for argument in self.arguments() {
            let name = argument.name();
            if !variables.contains(&name.as_str()) {
                let problem = match variables.as_slice() {
                    [] => format!("it has none; one is written `{{{name}}}`"),
                    some => format!("it has {}", some.join(", ")),
                };
                errors.at(argument.name_tokens(), format!("`{name}` is no variable of {uri:?}: {problem}"));
            }
        }
        if let (Primitive::Resource, Some(ty)) = (self.primitive, self.argument_struct()) {
            errors.at(ty, format!("{uri:?} has no variables, which are what a resource takes"));
        }
    }

    /// Complains about types that a struct of their own cannot name.
    pub(crate) fn check_generics(&self, impl_generics: &syn::Generics, errors: &mut Errors) {
        for parameter in &impl_generics.params {
            let name = match parameter {
                GenericParam::Type(ty) => ty.ident.clone(),
                GenericParam::Const(constant) => constant.ident.clone(),
                GenericParam::Lifetime(_) => continue,
            };
            for argument in self.arguments().filter(|argument| mentions(&argument.ty, &name)) {
                let text =
                    format!("an argument has one schema, so its type cannot depend on `{name}`: name a type");
                errors.at(&argument.ty, text);
            }
        }
    }
}

/// Whether an identifier occurs in the tokens.
pub(crate) fn mentions(tokens: impl ToTokens, name: &Ident) -> bool {
    fn search(tokens: TokenStream, name: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Group(group) => search(group.stream(), name),
            proc_macro2::TokenTree::Ident(ident) => ident == *name,
            proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => false,
        })
    }
    search(tokens.to_token_stream(), name)
}

fn published_name(primitive: Primitive, says: &Mark, ident: &Ident, errors: &mut Errors) -> String {
    let name = says.name.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
    if primitive != Primitive::Tool {
        if name.is_empty() {
            errors.at(&says.name, "a name has at least one character");
        }
        return name;
    }
    let fits = (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    match &says.name {
        _ if fits => {}
        Some(literal) => errors.at(literal, "a tool's name is 1 to 128 of the characters A–Z a–z 0–9 _ - ."),
        None => {
            errors.at(ident, "a tool's name is 1 to 128 of the characters A–Z a–z 0–9 _ - .: give it one, `#[tool(name = \"…\")]`");
        }
    }
    name
}

fn check_signature(primitive: Primitive, signature: &Signature, errors: &mut Errors) {
    let noun = primitive.attribute();
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(_) | GenericParam::Const(_) => {
                errors.at(
                    parameter,
                    format!("a {noun} has one schema, so it cannot be generic: name the types"),
                );
            }
        }
    }
    if let Safety::Unsafe(token) = &signature.safety {
        let verb = primitive.verb();
        errors
            .at(token, format!("whoever {verb} a {noun} cannot promise anything: a {noun} is not `unsafe`"));
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, format!("a {noun}'s arguments have names"));
    }
}
