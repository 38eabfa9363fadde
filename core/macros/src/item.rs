//! The two items that the attributes are put on: an impl with marked methods, and a function.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{FnArg, ImplItem, ImplItemFn, ItemFn, ItemImpl};

use crate::attribute::{Errors, cfgs, take};
use crate::expand::Scope;
use crate::function::Function;

/// `#[tools] impl Type { … }`.
pub(crate) fn tools(arguments: &TokenStream, mut item: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    if !arguments.is_empty() {
        errors.at(arguments, "`#[tools]` takes no settings: those of a tool go to its `#[tool(…)]`");
    }
    if let Some((interface, _)) = &item.trait_ {
        errors.at(interface, "`#[tools]` is for the type's own methods: put it on an `impl` without a trait");
    }
    let mut functions = Vec::new();
    for item in &mut item.items {
        match item {
            ImplItem::Fn(method) => functions.extend(read_method(method, &mut errors)),
            ImplItem::Const(other) => refuse(&take(&mut other.attrs, "tool"), &mut errors),
            ImplItem::Type(other) => refuse(&take(&mut other.attrs, "tool"), &mut errors),
            ImplItem::Macro(other) => refuse(&take(&mut other.attrs, "tool"), &mut errors),
            _ => {}
        }
    }
    if functions.is_empty() && errors.is_empty() {
        errors.at(&item.self_ty, "no method of this `impl` is a tool: mark those that are with `#[tool]`");
    }
    let mut names = HashMap::new();
    for function in &functions {
        function.check_generics(&item.generics, &mut errors);
        // Of methods under a `cfg` perhaps one is there.
        if let Some(other) = names.insert(&function.name, &function.ident)
            && function.cfgs.is_empty()
        {
            let text = format!("the method `{other}` is published as `{}` already", function.name);
            match &function.says.name {
                Some(name) => errors.at(name, text),
                None => errors.at(&function.ident, text),
            }
        }
    }
    let methods = item.trait_.is_none().then(|| tools_methods(&item, &functions, &errors));
    let errors = errors.to_tokens();
    quote!(#item #methods #errors)
}

fn refuse(marks: &[syn::Attribute], errors: &mut Errors) {
    for mark in marks {
        errors.at(mark, "a tool is a function");
    }
}

fn read_method(method: &mut ImplItemFn, errors: &mut Errors) -> Option<Function> {
    let marks = take(&mut method.attrs, "tool");
    let Some(mark) = marks.first() else {
        refuse_params(method, errors);
        return None;
    };
    if let Some(second) = marks.get(1) {
        errors.at(second, "a method is one tool: mark it once");
    }
    Some(Function::read(mark, &method.attrs, &mut method.sig, errors))
}

/// `#[param]` on a method that is not a tool.
fn refuse_params(method: &mut ImplItemFn, errors: &mut Errors) {
    for input in &mut method.sig.inputs {
        let FnArg::Typed(parameter) = input else { continue };
        for mark in take(&mut parameter.attrs, "param") {
            errors.at(&mark, "this method is not a tool: mark it with `#[tool]`, or leave `#[param]` out");
        }
    }
}

fn tools_methods(item: &ItemImpl, functions: &[Function], errors: &Errors) -> TokenStream {
    let self_ty = &item.self_ty;
    let scope = Scope { self_ty: Some(self_ty) };
    let builders = if errors.is_empty() {
        let pushes = functions.iter().map(|function| {
            let cfgs = &function.cfgs;
            let builder = scope.builder(function);
            quote!(#(#cfgs)* tools.push(#builder);)
        });
        let this = functions
            .iter()
            .any(|function| function.takes_self)
            .then(|| quote!(let this = ::std::sync::Arc::new(self);));
        quote! {
            #this
            let mut tools = ::std::vec::Vec::new();
            #(#pushes)*
            tools
        }
    } else {
        // What uses the tools need not be an error too.
        quote!(::std::vec::Vec::new())
    };
    let (impl_generics, _, where_clause) = item.generics.split_for_impl();
    let shared = (!item.generics.params.is_empty())
        .then(|| quote!(where Self: ::core::marker::Send + ::core::marker::Sync + 'static));
    let cfgs = cfgs(&item.attrs);
    quote! {
        #(#cfgs)*
        impl #impl_generics #self_ty #where_clause {
            /// The methods that are tools, as a set, in the order they are written.
            ///
            /// # Errors
            /// When a tool cannot be published as it is. The error names the tool.
            #[allow(dead_code, reason = "there are two ways to get the tools")]
            pub fn into_tools(self) -> ::core::result::Result<::mcp_http::ToolSet, ::mcp_http::RegisterError>
            #shared
            {
                ::mcp_http::ToolSet::try_from_tools(self.into_tool_builders())
            }

            /// The methods that are tools, one by one, to be changed or to be put in a set with others.
            #[allow(dead_code, reason = "there are two ways to get the tools")]
            pub fn into_tool_builders(self) -> ::std::vec::Vec<::mcp_http::ToolBuilder>
            #shared
            {
                #builders
            }
        }
    }
}

/// `#[tool] fn name(…)`.
pub(crate) fn tool(arguments: TokenStream, mut item: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    if let Some(FnArg::Receiver(receiver)) = item.sig.inputs.first() {
        let text = "a method is made a tool by the `impl` around it: put `#[tools]` there";
        let error = syn::Error::new(receiver.span(), text).to_compile_error();
        return quote!(#error);
    }
    let mark = syn::parse_quote!(#[tool(#arguments)]);
    let function = Function::read(&mark, &item.attrs, &mut item.sig, &mut errors);
    let builder = if errors.is_empty() {
        Scope { self_ty: None }.builder(&function)
    } else {
        let name = &function.name;
        quote!(::mcp_http::Tool::builder(#name))
    };
    let errors = errors.to_tokens();
    let ItemFn { vis, sig, .. } = &item;
    let ident = &sig.ident;
    let cfgs = cfgs(&item.attrs);
    let about = format!("The tool that the function `{}` is.", ident.unraw());
    quote! {
        #item

        #(#cfgs)*
        #[doc = #about]
        #[allow(non_camel_case_types, reason = "it is called as the function is")]
        #[derive(::core::fmt::Debug)]
        #vis enum #ident {}

        #(#cfgs)*
        impl #ident {
            /// The tool, to be changed or to be put in a set.
            #vis fn tool() -> ::mcp_http::ToolBuilder {
                #builder
            }
        }
        #errors
    }
}

/// What `#[tools]` and `#[tool]` are not for.
pub(crate) fn misplaced(attribute: &str, expected: &str, tokens: TokenStream) -> TokenStream {
    let error =
        syn::Error::new(tokens.span(), format!("`#[{attribute}]` goes on {expected}")).to_compile_error();
    quote!(#tokens #error)
}
