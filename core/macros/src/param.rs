//! One parameter of a function: where it comes from, and what `#[param(…)]` says of it.

use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, LitStr, Pat, PatType, Token, Type};

use crate::attribute::{
    DESCRIPTION, Errors, Json, Keys, List, ONE_DESCRIPTION, first, is, read, take, take_docs, value,
};
use crate::known::{Kind, Number, argument_of, is_from_call, owned, text};
use crate::primitive::Primitive;

const KEYS: Keys = Keys {
    attribute: "param",
    known: &[
        "description",
        "name",
        "default",
        "min",
        "max",
        "one_of",
        "format",
        "items",
        "schema",
        "header",
        "nullable",
        "args",
        "from_call",
    ],
    first: DESCRIPTION,
    one_first: ONE_DESCRIPTION,
    aliases: &[
        ("rename", "name"),
        ("minimum", "min"),
        ("maximum", "max"),
        ("ge", "min"),
        ("le", "max"),
        ("enum", "one_of"),
        ("values", "one_of"),
        ("doc", "description"),
        ("null", "nullable"),
        ("arguments", "args"),
        ("context", "from_call"),
        ("from_request", "from_call"),
    ],
    advice: &[
        ("optional", "an `Option` may be left out, and so may what has a `default`"),
        ("required", "an argument is required unless it is an `Option` or has a `default`"),
        ("title", "an argument has a description, which comes first: `#[param(\"…\")]`"),
        ("pattern", "write a `schema` with a \"pattern\""),
        ("min_length", "write a `schema` with a \"minLength\""),
        ("max_length", "write a `schema` with a \"maxLength\""),
    ],
};

pub(crate) enum Parameter {
    /// One argument of the call.
    Argument(Box<Argument>),
    /// All arguments of the call, as a struct.
    Arguments(Type),
    /// Taken from the call by its type, and passed as a reference or not.
    FromCall { ty: Type, borrowed: bool },
}

#[derive(Default)]
pub(crate) struct ParamAttribute {
    /// Everything that is said, in order.
    keys: Vec<Ident>,
    pub(crate) description: Option<Expr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) default: Option<Absent>,
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) one_of: Vec<Expr>,
    pub(crate) format: Option<LitStr>,
    pub(crate) items: Option<Json>,
    pub(crate) schema: Option<Json>,
    pub(crate) header: Option<LitStr>,
}

/// What an argument is when it is left out.
pub(crate) enum Absent {
    /// `Default::default()`.
    OfType,
    Value(Expr),
}

pub(crate) struct Argument {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) says: ParamAttribute,
    /// The type without the `Option` around it.
    pub(crate) inner: Type,
    pub(crate) is_option: bool,
    pub(crate) is_nullable: bool,
    pub(crate) kind: Kind,
}

impl ParamAttribute {
    fn read(attribute: &Attribute, errors: &mut Errors) -> Self {
        let mut says = Self::default();
        read(attribute, &KEYS, errors, |key, input| says.entry(key, input));
        says
    }

    fn entry(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "description" => self.description = Some(first(key, input)?),
            "name" => self.name = Some(value(key, input)?),
            "default" if !input.peek(Token![=]) => self.default = Some(Absent::OfType),
            "default" => self.default = Some(Absent::Value(value(key, input)?)),
            "min" => self.min = Some(value(key, input)?),
            "max" => self.max = Some(value(key, input)?),
            "one_of" => {
                self.one_of = value::<List>(key, input)?.0;
                if self.one_of.is_empty() {
                    return Err(syn::Error::new(key.span(), "`one_of` without a value allows nothing"));
                }
            }
            "format" => self.format = Some(value(key, input)?),
            "items" => self.items = Some(value(key, input)?),
            "schema" => self.schema = Some(value(key, input)?),
            "header" => self.header = Some(value(key, input)?),
            _ => {}
        }
        self.keys.push(key.clone());
        Ok(())
    }

    fn key(&self, name: &str) -> Option<&Ident> {
        self.keys.iter().find(|key| *key == name)
    }

    /// Complains about every key but this one.
    fn only(&self, key: &Ident, why: &str, errors: &mut Errors) {
        for other in self.keys.iter().filter(|other| *other != key) {
            errors.at(other, format!("`{other}` does not go with `{key}`: {why}"));
        }
    }
}

impl Parameter {
    /// Reads a parameter, and takes off it what only this macro understands.
    pub(crate) fn read(parameter: &mut PatType, primitive: Primitive, errors: &mut Errors) -> Option<Self> {
        let noun = primitive.attribute();
        if let Some(cfg) = parameter.attrs.iter().find(|attribute| is(attribute, "cfg")) {
            errors.at(
                cfg,
                format!("a {noun} has the same parameters everywhere: put the `cfg` on the whole {noun}"),
            );
        }
        let docs = take_docs(&mut parameter.attrs);
        let ours = take(&mut parameter.attrs, "param");
        let says = ours.first().map(|first| ParamAttribute::read(first, errors)).unwrap_or_default();
        if let Some(second) = ours.get(1) {
            errors.at(second, "one `#[param(…)]` says it all: `#[param(min = 1, max = 10)]`");
        }

        let (bare, borrowed) = match &*parameter.ty {
            Type::Reference(reference) if reference.mutability.is_none() => (&*reference.elem, true),
            other => (other, false),
        };
        if let Some(key) = says.key("from_call") {
            says.only(key, "the parameter is not an argument, and is not published", errors);
            return Some(Self::FromCall { ty: bare.clone(), borrowed });
        }
        if is_from_call(bare) {
            for key in &says.keys {
                errors.at(
                    key,
                    format!("`{key}` is for arguments, and `{}` is taken from the call", text(bare)),
                );
            }
            return Some(Self::FromCall { ty: bare.clone(), borrowed });
        }
        if let Some(instead) = owned(&parameter.ty) {
            errors.at(
                &parameter.ty,
                format!("a {noun} owns its arguments: {instead} (what is taken from the call may be borrowed: `#[param(from_call)]`)"),
            );
            return None;
        }
        if let Type::ImplTrait(_) = &*parameter.ty {
            errors.at(&parameter.ty, "the schema of an argument is made from its type: name a type");
            return None;
        }
        if let Some(key) = says.key("args") {
            says.only(key, "write `serde` and `schemars` attributes on the fields of the struct", errors);
            return Some(Self::Arguments((*parameter.ty).clone()));
        }
        match &*parameter.pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let argument = Argument::new(name.ident.clone(), (*parameter.ty).clone(), docs, says);
                argument.check(errors);
                argument.check_transport(primitive, errors);
                Some(Self::Argument(Box::new(argument)))
            }
            pattern => {
                errors.at(
                    pattern,
                    "an argument is published under the name of its parameter: give it one, and take it apart in the \
                     body (a struct of all arguments is marked `#[param(args)]`)",
                );
                None
            }
        }
    }
}

impl Argument {
    fn new(ident: Ident, ty: Type, docs: Vec<Attribute>, says: ParamAttribute) -> Self {
        let inner = argument_of(&ty, "Option").cloned();
        let is_option = inner.is_some();
        let inner = inner.unwrap_or_else(|| ty.clone());
        let is_nullable = says.key("nullable").is_some();
        Self { kind: Kind::of(&inner), ident, ty, docs, says, inner, is_option, is_nullable }
    }

    /// The name in the published schema.
    pub(crate) fn name(&self) -> String {
        self.says.name.as_ref().map_or_else(|| self.ident.unraw().to_string(), LitStr::value)
    }

    /// Where the name was written.
    pub(crate) fn name_tokens(&self) -> Ident {
        match &self.says.name {
            Some(name) => format_ident!("name", span = name.span()),
            None => self.ident.clone(),
        }
    }

    fn check(&self, errors: &mut Errors) {
        self.check_presence(errors);
        self.check_bounds(errors);
        self.check_values(errors);
        self.check_header(errors);
        if let Some(key) = self.says.key("schema") {
            for name in ["min", "max", "one_of", "format", "items", "nullable"] {
                if let Some(other) = self.says.key(name) {
                    errors.at(other, format!("`{key}` replaces the whole schema: say `{other}` in there"));
                }
            }
        }
        if let (Some(key), Kind::Integer { .. } | Kind::Float | Kind::Boolean | Kind::Text | Kind::Map) =
            (self.says.key("items"), self.kind)
        {
            errors.at(key, format!("`items` is for lists, and `{}` is none", text(&self.inner)));
        }
        if self.says.name.as_ref().is_some_and(|name| name.value().is_empty()) {
            errors.at(&self.says.name, "a name has at least one character");
        }
    }

    fn check_presence(&self, errors: &mut Errors) {
        let default = self.says.key("default");
        match self.says.key("nullable") {
            Some(nullable) if !self.is_option => {
                let ty = text(&self.ty);
                errors.at(nullable, format!("`nullable` is for options: take `Option<{ty}>`"));
            }
            Some(_) if default.is_some() => errors.at(
                default,
                "what is `nullable` must be there, and what has a default may be left out: choose one",
            ),
            None if self.is_option && default.is_some() => {
                let inner = text(&self.inner);
                errors.at(
                    default,
                    format!("an `Option` is `None` when it is left out: take `{inner}` with this default, or no default"),
                );
            }
            Some(_) | None => {}
        }
    }

    fn check_bounds(&self, errors: &mut Errors) {
        for key in [self.says.key("min"), self.says.key("max")].into_iter().flatten() {
            if !self.kind.may_be_number() {
                errors.at(key, format!("`{key}` is for numbers, and `{}` is none", text(&self.inner)));
            }
        }
        for bound in [&self.says.min, &self.says.max].into_iter().flatten() {
            if self.kind.is_number() && !self.kind.takes(bound) {
                errors.at(bound, format!("`{}` cannot be `{}`", text(&self.inner), text(bound)));
            }
        }
        let min = self.says.min.as_ref().and_then(Number::of);
        let max = self.says.max.as_ref().and_then(Number::of);
        if let (Some(low), Some(high)) = (min, max)
            && high.is_less_than(low)
        {
            errors.at(&self.says.max, "no number fits: `max` is less than `min`");
        }
        let Some(Absent::Value(default)) = &self.says.default else { return };
        let Some(number) = Number::of(default) else { return };
        if min.is_some_and(|min| number.is_less_than(min)) {
            errors.at(default, format!("the default is less than `min`, which is {}", text(&self.says.min)));
        }
        if max.is_some_and(|max| max.is_less_than(number)) {
            errors
                .at(default, format!("the default is greater than `max`, which is {}", text(&self.says.max)));
        }
    }

    fn check_values(&self, errors: &mut Errors) {
        let fits = |value: &Expr| self.kind.takes(value);
        if let Some(key) = self.says.key("one_of")
            && matches!(self.kind, Kind::List | Kind::Map)
        {
            errors.at(
                key,
                format!(
                    "`one_of` is for single values; for those of a list: `items = {{ \"enum\": {} }}`",
                    "[…]"
                ),
            );
        } else {
            for value in self.says.one_of.iter().filter(|value| !fits(value)) {
                errors.at(value, format!("`{}` cannot be `{}`", text(&self.inner), text(value)));
            }
        }
        let mut seen = Vec::new();
        for value in &self.says.one_of {
            let written = text(value);
            if seen.contains(&written) {
                errors.at(value, format!("`{written}` is given twice"));
            }
            seen.push(written);
        }
        let Some(Absent::Value(default)) = &self.says.default else { return };
        if !fits(default) {
            errors.at(default, format!("`{}` cannot be `{}`", text(&self.inner), text(default)));
        } else if matches!(default, Expr::Lit(_)) && !seen.is_empty() && !seen.contains(&text(default)) {
            errors.at(default, format!("the default is not in `one_of`: {}", seen.join(", ")));
        }
    }

    /// Complains about what only arguments of tools are sent as.
    fn check_transport(&self, primitive: Primitive, errors: &mut Errors) {
        if !primitive.takes_texts() {
            return;
        }
        if let Some(key) = self.says.key("header") {
            errors.at(key, "clients repeat nothing but arguments of tools in headers: leave `header` out");
        }
        if let Some(key) = self.says.key("nullable") {
            errors.at(key, "clients send texts here, and a text is never null: leave `nullable` out");
        }
    }

    fn check_header(&self, errors: &mut Errors) {
        let Some(header) = &self.says.header else { return };
        let ty = text(&self.ty);
        if self.is_nullable {
            errors.at(
                header,
                "an argument that may be null cannot be repeated in a header: leave `nullable` out",
            );
        } else if matches!(self.kind, Kind::Float | Kind::List | Kind::Map | Kind::Value) {
            errors.at(
                header,
                format!("a header repeats a string, an integer or a boolean, and `{ty}` is none"),
            );
        }
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if header.value().is_empty() || !header.value().bytes().all(is_token) {
            let text =
                "not a header name: letters, digits and !#$%&'*+-.^_`|~ (clients put `Mcp-Param-` before it)";
            errors.at(header, text);
        }
    }
}
