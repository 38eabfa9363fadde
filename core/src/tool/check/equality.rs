//! When two JSON values are equal: numbers by value, objects whatever the order of their members.
//!
//! Source: <https://json-schema.org/draft/2020-12/json-schema-core#section-4.2.2>

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use serde_json::Value;

use super::number;

/// Arrays of up to this length are compared item by item: no allocation, and faster.
const FEW: usize = 16;

pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => number::equal(left, right),
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        (_, _) => false,
    }
}

/// The index of the first item that equals one before it.
pub(super) fn first_repeated(items: &[Value]) -> Option<usize> {
    if items.len() <= FEW {
        return items.iter().enumerate().find_map(|(index, item)| {
            items.iter().take(index).any(|before| equal(before, item)).then_some(index)
        });
    }
    let state = RandomState::new();
    let mut seen = HashSet::with_capacity_and_hasher(items.len(), state.clone());
    items.iter().position(|value| !seen.insert(ByValue { value, state: &state }))
}

/// A value that equals another as JSON Schema says.
struct ByValue<'a> {
    value: &'a Value,
    /// Members of objects are hashed by themselves, with the same keys: nobody can foresee which objects collide.
    state: &'a RandomState,
}

impl PartialEq for ByValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(self.value, other.value)
    }
}

impl Eq for ByValue<'_> {}

impl Hash for ByValue<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let of = |value| ByValue { value, state: self.state };
        match self.value {
            Value::Null => hasher.write_u8(0),
            Value::Bool(value) => hasher.write_u8(if *value { 2 } else { 1 }),
            // Equal numbers round to the same float.
            Value::Number(number) => {
                let float = number.as_f64().unwrap_or(f64::MAX);
                hasher.write_u64(if float == 0.0 { 0 } else { float.to_bits() });
            }
            Value::String(text) => text.hash(hasher),
            Value::Array(items) => {
                hasher.write_usize(items.len());
                items.iter().for_each(|item| of(item).hash(hasher));
            }
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| self.state.hash_one((name, of(value))));
                hasher.write_u64(members.fold(0, u64::wrapping_add));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(items: Vec<Value>, expected: Option<usize>) {
        assert_eq!(first_repeated(&items), expected, "{items:?}");
        // The same in an array that is too long to compare pairs.
        let filler = (0..20).map(|n| json!([n, "filler"]));
        let long: Vec<Value> = items.into_iter().chain(filler).collect();
        assert_eq!(first_repeated(&long), expected);
    }

    #[test]
    fn values_are_equal_by_value() {
        check(vec![json!(1), json!(2), json!(1.0)], Some(2));
        check(vec![json!(0), json!(-0.0)], Some(1));
        check(vec![json!({ "a": 1, "b": [] }), json!({ "b": [], "a": 1.0 })], Some(1));
        check(vec![json!([1, 2]), json!([1, 2.0])], Some(1));
        check(vec![json!(null), json!("x"), json!(null)], Some(2));
    }

    #[test]
    fn other_values_are_not() {
        check(vec![], None);
        check(vec![json!(1), json!(true), json!("1"), json!([1]), json!({ "1": 1 })], None);
        check(vec![json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)], None);
        check(vec![json!({ "a": 1 }), json!({ "b": 1 }), json!({ "a": 2 }), json!({})], None);
        check(vec![json!([1, 2]), json!([2, 1])], None);
        check(vec![json!(null), json!(false), json!(0), json!(""), json!([]), json!({})], None);
    }
}
