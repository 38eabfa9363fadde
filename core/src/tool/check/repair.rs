//! Mends what models and clients are known to send, where nothing is lost.

use serde_json::{Map, Value};

use super::effort::Effort;
use super::number;
use super::tree::{Additional, ObjectRules, SchemaId, Subschema, Tree};
use super::types::Types;
use crate::tool::schema::nests_deeper;

/// How deep arguments may nest, what is decoded from a string included: as deep as the bodies of requests.
const MAX_DEPTH: usize = 128;

/// Which arguments are taken although they are not what the published schema says. Default: all of these.
///
/// Models and clients send them, and nothing is lost. Each is mended only where the schema does not take the value as
/// it is, at every depth, before the arguments are checked; the handler sees the mended value.
///
/// | setting | the schema wants | sent | the handler sees |
/// |---|---|---|---|
/// | `numeric_strings` | an integer | `"25"`, `"-3"` | `25`, `-3` |
/// | | a number | `"25"`, `"2.5"` | `25`, `2.5` |
/// | `integral_floats` | an integer | `25.0`, `1e3` | `25`, `1000` |
/// | `json_strings` | an array or object | `"[1, 2]"`, `"{\"a\": 1}"` | `[1, 2]`, `{"a": 1}` |
/// | `null_as_absent` | an optional property, which cannot be null | `null` | no property |
///
/// Whatever could be meant in more than one way is refused:
///
/// * A string is a number only if the number prints as that string: not `"1e3"`, `"0x10"`, `" 25 "`, `""`, `"+5"`,
///   `"025"`; nor `"25.5"` for an integer, nor digits that no number holds exactly. (Zeros that end a fraction do not
///   count: `"2.50"` is `2.5`.)
/// * A float is an integer only below 2<sup>53</sup>, where it cannot have been rounded on the way.
/// * A string is decoded as JSON once, where no string is valid. What is in it may be mended, but not decoded again.
/// * With `anyOf` and `oneOf`, a value that a branch takes as it is stays as it is (integers may be spelt `25` for
///   `25.0`). Any other one is mended if there is one way to do so; if branches want it in different ways, it is not.
/// * Booleans are not made of strings, strings not of numbers, arrays not of single items.
///
/// An integer that 64 bits cannot hold is refused where the schema says integer, mended or not: it would be rounded.
///
/// ```
/// use mcp_http::{Repairs, Server};
///
/// let strict = Server::builder("bank", "1.0.0").repairs(Repairs { numeric_strings: false, ..Repairs::ALL });
/// # drop(strict);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repairs {
    /// Strings of digits are numbers.
    pub numeric_strings: bool,
    /// Strings of JSON are arrays and objects.
    pub json_strings: bool,
    /// Floats without a fraction are integers. JSON Schema says so too, but Rust's types do not.
    pub integral_floats: bool,
    /// Null is as good as nothing. Optional fields are published without null, so that all clients understand them.
    pub null_as_absent: bool,
}

impl Repairs {
    /// Everything is mended.
    pub const ALL: Self =
        Self { numeric_strings: true, json_strings: true, integral_floats: true, null_as_absent: true };
    /// Nothing is mended.
    pub const NONE: Self =
        Self { numeric_strings: false, json_strings: false, integral_floats: false, null_as_absent: false };
}

impl Default for Repairs {
    fn default() -> Self {
        Self::ALL
    }
}

impl Tree {
    /// Mends a value as far as it can be. Whether it is valid then has still to be found out.
    pub(super) fn repair(&self, value: &mut Value, repairs: Repairs, effort: &mut Effort) {
        if repairs != Repairs::NONE {
            let mut repair = Repair { tree: self, repairs, effort, level: 2 };
            repair.subschema(Self::ROOT, value);
        }
    }
}

struct Repair<'t, 'e> {
    tree: &'t Tree,
    repairs: Repairs,
    effort: &'e mut Effort,
    /// How many arrays and objects are around the value. Around the arguments are a message and its params.
    level: usize,
}

impl Repair<'_, '_> {
    fn subschema(&mut self, id: SchemaId, value: &mut Value) {
        self.in_place(id, value, Types::ANY);
    }

    /// A schema that applies to the same value as one that leaves these types.
    fn in_place(&mut self, id: SchemaId, value: &mut Value, types: Types) {
        if self.effort.enter(value) {
            let schema = self.tree.get(id);
            self.keywords(schema, value, types.intersection(schema.admits));
        }
        self.effort.leave();
    }

    fn keywords(&mut self, schema: &Subschema, value: &mut Value, types: Types) {
        let decodes = self.repairs.json_strings;
        if let Some(better) = self.scalar(types, value) {
            // What was in a string is not decoded again.
            self.repairs.json_strings &= better.is_number();
            *value = better;
        }
        self.level = self.level.saturating_add(1);
        match value {
            Value::Array(items) => {
                if let Some(rules) = schema.array.as_deref() {
                    for (item, schema) in items.iter_mut().zip(rules.schemas()) {
                        match schema {
                            Some(schema) => self.subschema(schema, item),
                            None => break,
                        }
                    }
                }
            }
            Value::Object(members) => {
                if let Some(rules) = schema.object.as_deref() {
                    self.object(rules, members);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        self.level = self.level.saturating_sub(1);
        for id in &schema.all_of {
            self.in_place(*id, value, types);
        }
        for branches in [&schema.any_of, &schema.one_of] {
            if !branches.is_empty() {
                self.choice(branches, value, types);
            }
        }
        self.repairs.json_strings = decodes;
    }

    /// The value that was meant, where only these types are valid.
    fn scalar(&self, types: Types, value: &Value) -> Option<Value> {
        if let Value::Number(number) = value {
            let mend = self.repairs.integral_floats && types.only_integers() && !number::is_64_bit(number);
            return number::as_exact_integer(number).filter(|_| mend).map(Value::Number);
        }
        let text = value.as_str().filter(|_| !types.intersects(Types::STRING))?;
        self.numeric(types, text).or_else(|| self.decoded(types, text))
    }

    fn numeric(&self, types: Types, text: &str) -> Option<Value> {
        if !self.repairs.numeric_strings || !types.intersects(Types::NUMBER) {
            return None;
        }
        let number = number::from_text(text)?;
        (!types.only_integers() || number::is_64_bit(&number)).then_some(Value::Number(number))
    }

    fn decoded(&self, types: Types, text: &str) -> Option<Value> {
        if !self.repairs.json_strings || !text.trim_start().starts_with(['[', '{']) {
            return None;
        }
        let kinds = types.intersection(Types::ARRAY.union(Types::OBJECT));
        if kinds.is_empty() {
            return None;
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let fits = kinds.intersects(Types::of(&value))
            && !nests_deeper(&value, MAX_DEPTH.saturating_sub(self.level));
        fits.then_some(value)
    }

    fn object(&mut self, rules: &ObjectRules, members: &mut Map<String, Value>) {
        if self.repairs.null_as_absent && members.values().any(Value::is_null) {
            let mut next = 0;
            members.retain(|name, value| {
                let property =
                    rules.find(name, &mut next).filter(|property| !property.required && value.is_null());
                let schema = property.and_then(|property| property.schema);
                schema.is_none_or(|schema| self.takes(schema, &Value::Null))
            });
        }
        let mut next = 0;
        for (name, value) in members {
            match rules.schema_of(rules.find(name, &mut next)) {
                Additional::Schema(schema) => self.subschema(schema, value),
                Additional::Anything | Additional::Nothing => {}
            }
        }
    }

    fn takes(&mut self, id: SchemaId, value: &Value) -> bool {
        self.tree.verdict(id, value, self.effort).is_some()
    }

    fn choice(&mut self, branches: &[SchemaId], value: &mut Value, types: Types) {
        let tree = self.tree;
        let could = |value: &Value| {
            let types = could_become(value).intersection(types);
            move |id: &&SchemaId| tree.get(**id).admits.intersects(types)
        };
        let mut candidates = branches.iter().filter(could(value));
        let Some(first) = candidates.next() else { return };
        if candidates.next().is_none() {
            return self.in_place(*first, value, types);
        }
        let outer = self.effort.begin_choice();
        // Of a valid value nothing but the spelling of integers can change.
        let takers: Vec<SchemaId> = branches.iter().copied().filter(|id| self.takes(*id, value)).collect();
        let mended = match takers.as_slice() {
            [] => self.mended(branches.iter().filter(could(value)), value, types),
            [_, ..] => self.mended(takers.iter(), value, types),
        };
        if let Some(mended) = mended {
            *value = mended;
        }
        self.effort.end_choice(outer);
    }

    /// The one value that some branch would take, were it mended for it.
    fn mended<'a>(
        &mut self,
        branches: impl Iterator<Item = &'a SchemaId>,
        value: &Value,
        types: Types,
    ) -> Option<Value> {
        let mut only: Option<Value> = None;
        for id in branches {
            self.effort.spend(value);
            let mut copy = value.clone();
            self.in_place(*id, &mut copy, types);
            if self.takes(*id, &copy) {
                if only.as_ref().is_some_and(|other| *other != copy) {
                    return None;
                }
                only = Some(copy);
            }
        }
        only
    }
}

/// The types that a value belongs to, or might after it was mended.
fn could_become(value: &Value) -> Types {
    if value.is_string() {
        Types::of(value).union(Types::NUMBER).union(Types::ARRAY).union(Types::OBJECT)
    } else {
        Types::of(value)
    }
}
