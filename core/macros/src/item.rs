//! The two items that the attributes are put on: an impl with marked methods, and a function.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, ItemFn, ItemImpl};

use crate::attribute::{Errors, cfgs, take};
use crate::expand::{Scope, start};
use crate::function::Function;
use crate::primitive::Primitive;

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
            ImplItem::Const(other) => refuse(&mut other.attrs, &mut errors),
            ImplItem::Type(other) => refuse(&mut other.attrs, &mut errors),
            ImplItem::Macro(other) => refuse(&mut other.attrs, &mut errors),
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
        let key = match &function.says.uri {
            Some(uri) => uri.value(),
            None => function.name.clone(),
        };
        let text = format!("is published as `{key}` already");
        if let Some(other) = names.insert((function.primitive, key), &function.ident)
            && function.cfgs.is_empty()
        {
            let text = format!("the method `{other}` {text}");
            match function.says.uri.as_ref().or(function.says.name.as_ref()) {
                Some(written) => errors.at(written, text),
                None => errors.at(&function.ident, text),
            }
        }
    }
    let made = Methods { item: &item, functions: &functions, failed: !errors.is_empty() };
    let methods = item.trait_.is_none().then(|| made.all());
    let errors = errors.to_tokens();
    quote!(#item #methods #errors)
}

fn refuse(attributes: &mut Vec<Attribute>, errors: &mut Errors) {
    for primitive in Primitive::MARKED {
        for mark in take(attributes, primitive.attribute()) {
            errors.at(mark, format!("a {} is a function", primitive.attribute()));
        }
    }
}

fn read_method(method: &mut ImplItemFn, errors: &mut Errors) -> Option<Function> {
    let marks = |primitive: Primitive| {
        let marks = take(&mut method.attrs, primitive.attribute());
        marks.into_iter().map(move |mark| (primitive, mark))
    };
    let marks: Vec<(Primitive, Attribute)> = Primitive::MARKED.into_iter().flat_map(marks).collect();
    let Some((primitive, mark)) = marks.first() else {
        refuse_params(method, errors);
        return None;
    };
    if let Some((other, second)) = marks.get(1) {
        errors.at(second, marked_twice("method", *primitive, *other));
    }
    Some(Function::read(*primitive, mark, &method.attrs, &mut method.sig, errors))
}

fn marked_twice(item: &str, first: Primitive, second: Primitive) -> String {
    let (first, second) = (first.attribute(), second.attribute());
    if first == second {
        format!("a {item} is one {first}: mark it once")
    } else {
        format!("this {item} is a {first}: make the {second} of another one, which calls it")
    }
}

/// `#[param]` on a method that is not marked.
fn refuse_params(method: &mut ImplItemFn, errors: &mut Errors) {
    for input in &mut method.sig.inputs {
        let FnArg::Typed(parameter) = input else { continue };
        for mark in take(&mut parameter.attrs, "param") {
            errors.at(&mark, "this method is not a tool: mark it with `#[tool]`, or leave `#[param]` out");
        }
    }
}

/// The methods that give what the marked ones are.
struct Methods<'a> {
    item: &'a ItemImpl,
    functions: &'a [Function],
    /// Nothing is made then; what uses the methods need not be an error too.
    failed: bool,
}

impl Methods<'_> {
    fn all(&self) -> TokenStream {
        let only_tools = self.functions.iter().all(|function| function.primitive == Primitive::Tool);
        let methods = if only_tools {
            self.consuming(&self.builders(Primitive::Tool, &quote!(::std::sync::Arc::new(self))))
        } else {
            self.shared()
        };
        let ItemImpl { self_ty, generics, attrs, .. } = self.item;
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        let cfgs = cfgs(attrs);
        quote! {
            #(#cfgs)*
            impl #impl_generics #self_ty #where_clause {
                #methods
            }
        }
    }

    /// The list of all builders of a primitive. `shared` is the `Arc` that they share.
    fn builders(&self, primitive: Primitive, shared: &TokenStream) -> TokenStream {
        let scope = Scope { self_ty: Some(&self.item.self_ty) };
        let of_primitive = |function: &&Function| function.primitive == primitive;
        let functions: Vec<&Function> = self.functions.iter().filter(of_primitive).collect();
        if self.failed || functions.is_empty() {
            return quote!(::std::vec::Vec::new());
        }
        let this = functions.iter().any(|function| function.takes_self);
        let this = this.then(|| quote!(let this = #shared;));
        let pushes = functions.into_iter().map(|function| {
            let cfgs = &function.cfgs;
            let builder = scope.builder(function);
            quote!(#(#cfgs)* builders.push(#builder);)
        });
        quote! {
            #this
            let mut builders = ::std::vec::Vec::new();
            #(#pushes)*
            builders
        }
    }

    /// What the functions ask of a type that may be anything.
    fn bounds(&self) -> Option<TokenStream> {
        let is_generic = !self.item.generics.params.is_empty();
        is_generic.then(|| quote!(where Self: ::core::marker::Send + ::core::marker::Sync + 'static))
    }

    fn consuming(&self, builders: &TokenStream) -> TokenStream {
        let bounds = self.bounds();
        quote! {
            /// The methods that are tools, as a set, in the order they are written.
            ///
            /// # Errors
            /// When a tool cannot be published as it is. The error names the tool.
            #[allow(dead_code, reason = "there are two ways to get the tools")]
            pub fn into_tools(self) -> ::core::result::Result<::mcp_http::ToolSet, ::mcp_http::RegisterError>
            #bounds
            {
                ::mcp_http::ToolSet::try_from_tools(self.into_tool_builders())
            }

            /// The methods that are tools, one by one, to be changed or to be put in a set with others.
            #[allow(dead_code, reason = "there are two ways to get the tools")]
            pub fn into_tool_builders(self) -> ::std::vec::Vec<::mcp_http::ToolBuilder>
            #bounds
            {
                #builders
            }
        }
    }

    /// Sets of everything that is marked, which share one value.
    fn shared(&self) -> TokenStream {
        let has = |primitive| self.functions.iter().any(|function| function.primitive == primitive);
        let mut methods = TokenStream::new();
        if has(Primitive::Tool) {
            methods.extend(self.consuming(&quote!(::std::sync::Arc::new(self).tool_builders())));
            methods.extend(self.shared_builders(Primitive::Tool));
            let make = quote!(::mcp_http::ToolSet::try_from_tools(self.tool_builders()));
            methods.extend(self.shared_set("tools", &quote!(::mcp_http::ToolSet), &make));
        }
        if has(Primitive::Prompt) {
            methods.extend(self.shared_builders(Primitive::Prompt));
            let make = quote! {
                let set = ::mcp_http::PromptSet::new();
                set.replace(self.prompt_builders())?;
                ::core::result::Result::Ok(set)
            };
            methods.extend(self.shared_set("prompts", &quote!(::mcp_http::PromptSet), &make));
        }
        if has(Primitive::Resource) || has(Primitive::Template) {
            methods.extend(self.shared_builders(Primitive::Resource));
            methods.extend(self.shared_builders(Primitive::Template));
            let make = quote! {
                let set = ::mcp_http::ResourceSet::new();
                set.resources().replace(self.resource_builders())?;
                set.templates().replace(self.template_builders())?;
                ::core::result::Result::Ok(set)
            };
            methods.extend(self.shared_set("resources", &quote!(::mcp_http::ResourceSet), &make));
        }
        methods
    }

    fn shared_set(&self, plural: &str, set: &TokenStream, make: &TokenStream) -> TokenStream {
        let name = format_ident!("{plural}");
        let about = format!("The methods that are {plural}, as a set, in the order they are written.");
        let bounds = self.bounds();
        quote! {
            #[doc = #about]
            ///
            /// # Errors
            /// When one cannot be published as it is. The error names it.
            #[allow(dead_code, reason = "there is more than one way to get them")]
            pub fn #name(self: &::std::sync::Arc<Self>) -> ::core::result::Result<#set, ::mcp_http::RegisterError>
            #bounds
            {
                #make
            }
        }
    }

    fn shared_builders(&self, primitive: Primitive) -> TokenStream {
        let noun = primitive.function();
        let name = format_ident!("{noun}_builders");
        let about = format!(
            "The methods that are {noun}s, one by one, to be changed or to be put in a set with others."
        );
        let builder = primitive.builder();
        let builders = self.builders(primitive, &quote!(::std::sync::Arc::clone(self)));
        let bounds = self.bounds();
        quote! {
            #[doc = #about]
            #[allow(dead_code, reason = "there is more than one way to get them")]
            pub fn #name(self: &::std::sync::Arc<Self>) -> ::std::vec::Vec<#builder>
            #bounds
            {
                #builders
            }
        }
    }
}

/// `#[tool] fn name(…)`, and the like.
pub(crate) fn function(primitive: Primitive, arguments: &TokenStream, mut item: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let noun = primitive.attribute();
    if let Some(FnArg::Receiver(receiver)) = item.sig.inputs.first() {
        let text = format!("a method is made a {noun} by the `impl` around it: put `#[tools]` there");
        let error = syn::Error::new(receiver.span(), text).to_compile_error();
        return quote!(#error);
    }
    for other in Primitive::MARKED {
        for mark in take(&mut item.attrs, other.attribute()) {
            errors.at(mark, marked_twice("function", primitive, other));
        }
    }
    let attribute = format_ident!("{noun}");
    let mark = syn::parse_quote!(#[#attribute(#arguments)]);
    let function = Function::read(primitive, &mark, &item.attrs, &mut item.sig, &mut errors);
    let made = if errors.is_empty() { Scope { self_ty: None }.builder(&function) } else { start(&function) };
    let errors = errors.to_tokens();
    let ItemFn { vis, sig, .. } = &item;
    let ident = &sig.ident;
    let cfgs = cfgs(&item.attrs);
    let builder = function.primitive.builder();
    let name = function.primitive.function();
    let about = format!("The {name} that the function `{}` is.", ident.unraw());
    let about_builder = format!("The {name}, to be changed or to be put in a set.");
    quote! {
        #item

        #(#cfgs)*
        #[doc = #about]
        #[allow(non_camel_case_types, reason = "it is called as the function is")]
        #[derive(::core::fmt::Debug)]
        #vis enum #ident {}

        #(#cfgs)*
        impl #ident {
            #[doc = #about_builder]
            #vis fn #name() -> #builder {
                #made
            }
        }
        #errors
    }
}

/// What the attributes are not for.
pub(crate) fn misplaced(attribute: &str, expected: &str, tokens: TokenStream) -> TokenStream {
    let error =
        syn::Error::new(tokens.span(), format!("`#[{attribute}]` goes on {expected}")).to_compile_error();
    quote!(#tokens #error)
}
