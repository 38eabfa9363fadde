//! The types of JSON Schema, as a set.

use std::fmt;

use serde_json::Value;

use super::number;

/// A set of JSON types. A value belongs to one, an integer to two: it is a number as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    /// Numbers with a fraction.
    const FRACTION: Self = Self(1 << 3);
    pub(super) const NUMBER: Self = Self(Self::INTEGER.0 | Self::FRACTION.0);
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const ANY: Self = Self((1 << 7) - 1);

    /// The type of this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The types that a value belongs to.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number::is_integral(number) => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether of all numbers only integers are in the set.
    pub(super) fn only_integers(self) -> bool {
        self.intersection(Self::NUMBER) == Self::INTEGER
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Types, &str); 7] = [
            (Types::STRING, "a string"),
            (Types::NUMBER, "a number"),
            (Types::INTEGER, "an integer"),
            (Types::BOOLEAN, "a boolean"),
            (Types::ARRAY, "an array"),
            (Types::OBJECT, "an object"),
            (Types::NULL, "null"),
        ];
        let mut rest = *self;
        for (types, name) in NAMES {
            if rest.intersection(types) == types {
                rest = Self(rest.0 & !types.0);
                f.write_str(name)?;
                if !rest.is_empty() {
                    f.write_str(" or ")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_a_choice() {
        let check = |types: Types, expected: &str| assert_eq!(types.to_string(), expected);
        check(Types::INTEGER, "an integer");
        check(Types::NUMBER, "a number");
        check(Types::STRING.union(Types::NULL), "a string or null");
        check(Types::NUMBER.union(Types::STRING).union(Types::OBJECT), "a string or a number or an object");
    }
}
