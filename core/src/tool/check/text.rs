//! Whether arguments are right as they were sent, by their text alone.
//!
//! Most arguments are, and then no value is built of them: the tool's own type reads the text. This walk only has to
//! be right when it says yes. Whatever is rare, it leaves to the walk over values.

use std::borrow::Cow;

use serde_json::Value;

use super::number::Numeric;
use super::tree::{Additional, ArrayRules, ObjectRules, SchemaId, Size, Subschema, Tree};
use super::types::Types;
use crate::jsonrpc::{NotJson, Scanner};

impl Tree {
    /// Whether a JSON text is valid and needs no repair. `false` is "perhaps not".
    pub(super) fn takes_text(&self, json: &str) -> bool {
        self.takes(Self::ROOT, &mut Scanner::new(json)).is_some()
    }

    fn takes(&self, id: SchemaId, scanner: &mut Scanner<'_>) -> Option<()> {
        let schema = self.get(id);
        let one_schema = schema.all_of.is_empty() && schema.any_of.is_empty() && schema.one_of.is_empty();
        if !one_schema || schema.opaque || schema.constant.is_some() {
            return None;
        }
        match scanner.peek()? {
            b'"' => takes_string(schema, &scanner.text().ok()?),
            // The other values of an `enum` are rare.
            _ if schema.allowed.is_some() => None,
            b'{' if schema.types.intersects(Types::OBJECT) => match schema.object.as_deref() {
                Some(rules) => self.takes_object(rules, scanner),
                None => skip(scanner),
            },
            b'[' if schema.types.intersects(Types::ARRAY) => match schema.array.as_deref() {
                Some(rules) => self.takes_array(rules, scanner),
                None => skip(scanner),
            },
            b't' | b'f' if schema.types.intersects(Types::BOOLEAN) => skip(scanner),
            b'n' if schema.types.intersects(Types::NULL) => skip(scanner),
            b'-' | b'0'..=b'9' => takes_number(schema, scanner.value().ok()?),
            _ => None,
        }
    }

    fn takes_object(&self, rules: &ObjectRules, scanner: &mut Scanner<'_>) -> Option<()> {
        if rules.size != Size::default() {
            return None;
        }
        let (mut next, mut required, mut seen) = (0_usize, 0_usize, 0_u64);
        let members = scanner.members(|scanner, name: Cow<'_, str>| {
            let property = rules.find(&name, &mut next);
            if let Some(property) = property {
                // One that comes twice is a matter of opinion: a type may refuse it. So is one past the 64th.
                let index = u32::try_from(next.saturating_sub(1)).map_err(|_| NotJson)?;
                let bit = 1_u64.checked_shl(index).filter(|bit| seen & bit == 0).ok_or(NotJson)?;
                seen |= bit;
                required = required.saturating_add(usize::from(property.required));
            }
            match rules.schema_of(property) {
                Additional::Schema(schema) => self.takes(schema, scanner).ok_or(NotJson),
                Additional::Anything => skip(scanner).ok_or(NotJson),
                Additional::Nothing => Err(NotJson),
            }
        });
        (members.is_ok() && required == rules.required).then_some(())
    }

    fn takes_array(&self, rules: &ArrayRules, scanner: &mut Scanner<'_>) -> Option<()> {
        if rules.unique || !rules.prefix.is_empty() {
            return None;
        }
        let mut count = 0_u64;
        let items = scanner.items(|scanner| {
            count = count.saturating_add(1);
            match rules.items {
                Some(schema) => self.takes(schema, scanner).ok_or(NotJson),
                None => skip(scanner).ok_or(NotJson),
            }
        });
        (items.is_ok() && (rules.size.min..=rules.size.max).contains(&count)).then_some(())
    }
}

/// Any value, but for numbers that no value of ours can hold.
fn skip(scanner: &mut Scanner<'_>) -> Option<()> {
    match scanner.peek()? {
        b'{' => scanner.members(|scanner, _| skip(scanner).ok_or(NotJson)).ok(),
        b'[' => scanner.items(|scanner| skip(scanner).ok_or(NotJson)).ok(),
        b'-' | b'0'..=b'9' => is_in_range(scanner.value().ok()?).then_some(()),
        _ => scanner.value().ok().map(|_| ()),
    }
}

fn is_in_range(number: &str) -> bool {
    /// As many digits are always within the range of a float.
    const FEW: usize = 300;
    let has_exponent = number.bytes().any(|byte| matches!(byte, b'e' | b'E'));
    (!has_exponent && number.len() <= FEW) || number.parse().is_ok_and(f64::is_finite)
}

fn takes_string(schema: &Subschema, text: &str) -> Option<()> {
    let bytes = text.len() as u64;
    // A code point has one to four bytes. Where that does not decide, counting would.
    let fits = bytes <= schema.length.max && bytes.div_ceil(4) >= schema.length.min;
    let allowed = match &schema.allowed {
        None => true,
        Some(values) => values.iter().any(|value| matches!(value, Value::String(value) if value == text)),
    };
    (fits && allowed && schema.types.intersects(Types::STRING)).then_some(())
}

fn takes_number(schema: &Subschema, text: &str) -> Option<()> {
    let value = if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        // `-0` is a float to serde_json.
        let integer = text.parse::<i64>().ok().filter(|integer| *integer != 0 || text == "0");
        let integer = integer.map(i128::from).or_else(|| text.parse::<u64>().ok().map(i128::from))?;
        schema.types.intersects(Types::INTEGER).then_some(Numeric::Integer(integer))?
    } else {
        let is_float = schema.types.intersects(Types::NUMBER) && !schema.types.only_integers();
        let float = text.parse::<f64>().ok().filter(|float| is_float && float.is_finite())?;
        Numeric::Float(float)
    };
    schema.limits.iter().all(|limit| limit.holds(value)).then_some(())
}
