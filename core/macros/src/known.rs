//! What can be known of a type by its name alone. An alias hides it; then the checks at registration remain.

use quote::ToTokens;
use syn::{Expr, ExprUnary, GenericArgument, Lit, PathArguments, Type, UnOp};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Integer {
        min: i128,
        max: i128,
    },
    Float,
    Boolean,
    Text,
    List,
    Map,
    /// Any JSON.
    Value,
    /// A type of which nothing is known.
    Other,
}

impl Kind {
    /// What the macro knows of a type that is not an option.
    pub(crate) fn of(ty: &Type) -> Self {
        let name = match ty {
            Type::Path(path) => {
                path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
            }
            Type::Array(_) | Type::Slice(_) => return Self::List,
            Type::Tuple(tuple) if !tuple.elems.is_empty() => return Self::List,
            _ => return Self::Other,
        };
        let signed = |min: i64, max: i64| Self::Integer { min: min.into(), max: max.into() };
        let unsigned = |max: u64| Self::Integer { min: 0, max: max.into() };
        match name.as_str() {
            "i8" => signed(i8::MIN.into(), i8::MAX.into()),
            "i16" => signed(i16::MIN.into(), i16::MAX.into()),
            "i32" => signed(i32::MIN.into(), i32::MAX.into()),
            "i64" | "isize" => signed(i64::MIN, i64::MAX),
            "u8" => unsigned(u8::MAX.into()),
            "u16" => unsigned(u16::MAX.into()),
            "u32" => unsigned(u32::MAX.into()),
            "u64" | "usize" => unsigned(u64::MAX),
            "i128" => Self::Integer { min: i128::MIN, max: i128::MAX },
            "u128" => Self::Integer { min: 0, max: i128::MAX },
            "f32" | "f64" => Self::Float,
            "bool" => Self::Boolean,
            "String" | "char" => Self::Text,
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "IndexSet" => Self::List,
            "HashMap" | "BTreeMap" | "IndexMap" | "Map" => Self::Map,
            "Value" => Self::Value,
            _ => Self::Other,
        }
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Float)
    }

    /// Whether values of it can be bounded: numbers, and what may be one.
    pub(crate) fn may_be_number(self) -> bool {
        self.is_number() || matches!(self, Self::Other | Self::Value)
    }

    /// Whether a literal can be of this kind. What is not a literal may be of any.
    pub(crate) fn takes(self, expression: &Expr) -> bool {
        if let Some(number) = Number::of(expression) {
            return match (self, number) {
                (Self::Integer { min, max }, Number::Integer(value)) => (min..=max).contains(&value),
                (Self::Float | Self::Value | Self::Other, _) => true,
                _ => false,
            };
        }
        let Expr::Lit(literal) = expression else { return true };
        match literal.lit {
            Lit::Str(_) => matches!(self, Self::Text | Self::Value | Self::Other),
            Lit::Bool(_) => matches!(self, Self::Boolean | Self::Value | Self::Other),
            _ => true,
        }
    }
}

/// A number that is written down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn of(expression: &Expr) -> Option<Self> {
        match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(integer) => integer.base10_parse().ok().map(Self::Integer),
                Lit::Float(float) => float.base10_parse().ok().map(Self::Float),
                _ => None,
            },
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match Self::of(expr)? {
                Self::Integer(value) => value.checked_neg().map(Self::Integer),
                Self::Float(value) => Some(Self::Float(-value)),
            },
            Expr::Paren(inner) => Self::of(&inner.expr),
            Expr::Group(inner) => Self::of(&inner.expr),
            _ => None,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::as_conversions,
        reason = "a bound and a float are compared as floats"
    )]
    pub(crate) fn is_less_than(self, other: Self) -> bool {
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => left < right,
            (Self::Integer(left), Self::Float(right)) => (left as f64) < right,
            (Self::Float(left), Self::Integer(right)) => left < right as f64,
            (Self::Float(left), Self::Float(right)) => left < right,
        }
    }
}

/// The `T` of `Name<T>`.
pub(crate) fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    })
}

/// Whether the type is one that is taken from the call, by its name.
pub(crate) fn is_from_call(ty: &Type) -> bool {
    let inner = argument_of(ty, "Option");
    let Type::Path(path) = inner.unwrap_or(ty) else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    last.ident == "Principal" || last.ident == "Extension" || (inner.is_none() && last.ident == "CallContext")
}

/// The owned type to take instead of one that borrows; `None` when it borrows nothing.
pub(crate) fn owned(ty: &Type) -> Option<String> {
    let borrows = ty.to_token_stream().to_string().contains(['&', '\'']);
    if !borrows {
        return None;
    }
    Some(match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => format!("take `Vec<{}>`", text(&slice.elem)),
            Type::Path(path) if path.path.is_ident("str") => "take `String`".to_owned(),
            other if owned(other).is_none() => format!("take `{}`", text(other)),
            _ => "take an owned type".to_owned(),
        },
        _ => "take an owned type, such as `String` for text".to_owned(),
    })
}

/// A type as people write it.
pub(crate) fn text(tokens: impl ToTokens) -> String {
    let spaced = tokens.to_token_stream().to_string();
    let spaced = spaced.strip_prefix("- ").map_or_else(|| spaced.clone(), |number| format!("-{number}"));
    spaced.replace(" :: ", "::").replace(" < ", "<").replace(" >", ">").replace(" ,", ",").replace("& ", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn a_literal_fits_its_type_or_not() {
        #[track_caller]
        fn check(ty: &Type, literal: &Expr, expected: bool) {
            assert_eq!(Kind::of(ty).takes(literal), expected, "{} {}", text(ty), text(literal));
        }
        check(&parse_quote!(u8), &parse_quote!(255), true);
        check(&parse_quote!(u8), &parse_quote!(256), false);
        check(&parse_quote!(u8), &parse_quote!(-1), false);
        check(&parse_quote!(i8), &parse_quote!(-128), true);
        check(&parse_quote!(u64), &parse_quote!(0.5), false);
        check(&parse_quote!(f64), &parse_quote!(1), true);
        check(&parse_quote!(String), &parse_quote!("a"), true);
        check(&parse_quote!(std::string::String), &parse_quote!(1), false);
        check(&parse_quote!(bool), &parse_quote!("true"), false);
        check(&parse_quote!(Region), &parse_quote!("eu"), true);
        check(&parse_quote!(u8), &parse_quote!(LIMIT), true);
    }

    #[test]
    fn a_borrowed_type_has_an_owned_one() {
        #[track_caller]
        fn check(ty: &Type, expected: Option<&str>) {
            assert_eq!(owned(ty).as_deref(), expected);
        }
        check(&parse_quote!(String), None);
        check(&parse_quote!(&str), Some("take `String`"));
        check(&parse_quote!(&'static str), Some("take `String`"));
        check(&parse_quote!(&[Vec<u8>]), Some("take `Vec<Vec<u8>>`"));
        check(&parse_quote!(&Region), Some("take `Region`"));
        check(&parse_quote!(&&str), Some("take an owned type"));
        check(&parse_quote!(Cow<'a, str>), Some("take an owned type, such as `String` for text"));
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let number = |expression: Expr| Number::of(&expression).unwrap();
        assert!(number(parse_quote!(-1)).is_less_than(number(parse_quote!(0.5))));
        assert!(number(parse_quote!(0.5)).is_less_than(number(parse_quote!((1)))));
        assert!(!number(parse_quote!(1)).is_less_than(number(parse_quote!(1.0))));
    }
}
