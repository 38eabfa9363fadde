//! Whether a value is valid, and if not, why. One walk gives both, so that they cannot differ.

use std::ops::ControlFlow;

use serde_json::{Map, Number, Value};

use super::effort::Effort;
use super::equality;
use super::number::{self, Numeric};
use super::tree::{Additional, ArrayRules, ObjectRules, Property, SchemaId, Size, Subschema, Tree};
use super::types::Types;
use super::violation::{Location, Violations};
use super::words::{expected_types, expected_values, kind, missing, unexpected, wrong_size};

/// What is remarkable about a value that is valid.
///
/// In order, the worse the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Marks {
    /// There is an integer that 64 bits cannot hold.
    pub(super) wide_integer: bool,
    /// There is a `25.0` where only integers are valid.
    pub(super) integral_float: bool,
}

impl Marks {
    fn add(&mut self, other: Self) {
        self.integral_float |= other.integral_float;
        self.wide_integer |= other.wide_integer;
    }

    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Takes violations.
pub(super) trait Sink {
    fn report(&mut self, at: &Location<'_>, problem: impl FnOnce() -> String) -> ControlFlow<()>;
}

/// Stops at the first violation, and does not ask what it is.
struct Verdict;

impl Sink for Verdict {
    fn report(&mut self, _: &Location<'_>, _: impl FnOnce() -> String) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

impl Sink for Violations {
    fn report(&mut self, at: &Location<'_>, problem: impl FnOnce() -> String) -> ControlFlow<()> {
        self.add(at, problem);
        ControlFlow::Continue(())
    }
}

impl Tree {
    /// `None` when the value is not valid.
    pub(super) fn verdict(&self, id: SchemaId, value: &Value, effort: &mut Effort) -> Option<Marks> {
        let mut evaluation =
            Evaluation { tree: self, sink: Verdict, marks: Marks::default(), effort, arguments: false };
        let flow = evaluation.subschema(id, value, &Location::Root);
        flow.is_continue().then_some(evaluation.marks)
    }

    /// Everything that is wrong with a value. Arguments must hold no integer that 64 bits cannot.
    pub(super) fn explain(&self, value: &Value, arguments: bool, effort: &mut Effort) -> Violations {
        let (sink, marks) = (Violations::default(), Marks::default());
        let mut evaluation = Evaluation { tree: self, sink, marks, effort, arguments };
        let _stopped = evaluation.subschema(Self::ROOT, value, &Location::Root);
        evaluation.sink
    }
}

struct Evaluation<'t, 'e, S> {
    tree: &'t Tree,
    sink: S,
    marks: Marks,
    effort: &'e mut Effort,
    /// Arguments of a tool, which are held to 64 bits.
    arguments: bool,
}

impl<S: Sink> Evaluation<'_, '_, S> {
    fn subschema(&mut self, id: SchemaId, value: &Value, at: &Location<'_>) -> ControlFlow<()> {
        let flow = if self.effort.enter(value) {
            self.keywords(self.tree.get(id), value, at)
        } else {
            self.give_up(at)
        };
        self.effort.leave();
        flow
    }

    fn give_up(&mut self, at: &Location<'_>) -> ControlFlow<()> {
        self.sink.report(at, || "this is too complex to be checked against the schema".to_owned())?;
        ControlFlow::Break(())
    }

    fn keywords(&mut self, schema: &Subschema, value: &Value, at: &Location<'_>) -> ControlFlow<()> {
        if schema.types != Types::ANY && !schema.types.intersects(Types::of(value)) {
            return self.sink.report(at, || match schema.values() {
                Some(values) => expected_values(values.iter(), value),
                None => expected_types(schema.types, value),
            });
        }
        if let Some(values) = schema.values() {
            let both = schema.allowed.as_deref().filter(|_| schema.constant.is_some());
            let is_in = |values: &[Value]| values.iter().any(|allowed| equality::equal(allowed, value));
            if !is_in(values) || !both.is_none_or(is_in) {
                self.sink.report(at, || expected_values(values.iter(), value))?;
            }
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => self.number(schema, number, at)?,
            Value::String(text) => {
                if schema.length != Size::default() {
                    self.length(schema.length, text, at)?;
                }
            }
            Value::Array(items) => {
                if let Some(rules) = schema.array.as_deref() {
                    if rules.unique {
                        self.effort.spend(value);
                    }
                    self.array(rules, items, at)?;
                }
            }
            Value::Object(members) => {
                if let Some(rules) = schema.object.as_deref() {
                    self.object(rules, members, at)?;
                }
            }
        }
        for id in &schema.all_of {
            self.subschema(*id, value, at)?;
        }
        if !schema.any_of.is_empty() {
            self.choice(&schema.any_of, false, value, at)?;
        }
        if !schema.one_of.is_empty() {
            self.choice(&schema.one_of, true, value, at)?;
        }
        ControlFlow::Continue(())
    }

    fn number(&mut self, schema: &Subschema, number: &Number, at: &Location<'_>) -> ControlFlow<()> {
        if schema.types.only_integers() && !number::is_64_bit(number) {
            if number::as_exact_integer(number).is_some() {
                self.marks.integral_float = true;
            } else {
                self.marks.wide_integer = true;
                if self.arguments {
                    self.sink.report(at, || {
                        "expected an integer of at most 64 bits, in plain digits".to_owned()
                    })?;
                }
            }
        }
        if schema.limits.is_empty() {
            return ControlFlow::Continue(());
        }
        let value = Numeric::of(number);
        for limit in &schema.limits {
            if !limit.holds(value) {
                self.sink.report(at, || format!("must be {} {}", limit.keyword.words(), limit.text))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn length(&mut self, size: Size, text: &str, at: &Location<'_>) -> ControlFlow<()> {
        // A code point has one to four bytes: mostly, the bytes decide.
        let bytes = text.len() as u64;
        if bytes <= size.max && bytes.div_ceil(4) >= size.min {
            return ControlFlow::Continue(());
        }
        let has_more_than = |length: u64| match usize::try_from(length) {
            Ok(length) => text.chars().nth(length).is_some(),
            Err(_) => false,
        };
        if has_more_than(size.max) || !size.min.checked_sub(1).is_none_or(has_more_than) {
            self.sink.report(at, || wrong_size(size, text.chars().count(), "character"))?;
        }
        ControlFlow::Continue(())
    }

    fn size(&mut self, size: Size, found: usize, noun: &str, at: &Location<'_>) -> ControlFlow<()> {
        if !(size.min..=size.max).contains(&(found as u64)) {
            self.sink.report(at, || wrong_size(size, found, noun))?;
        }
        ControlFlow::Continue(())
    }

    fn array(&mut self, rules: &ArrayRules, items: &[Value], at: &Location<'_>) -> ControlFlow<()> {
        self.size(rules.size, items.len(), "item", at)?;
        if rules.unique
            && let Some(index) = equality::first_repeated(items)
        {
            self.sink.report(&Location::Item(at, index), || {
                "repeats an item before it, but items must differ".to_owned()
            })?;
        }
        for ((index, item), schema) in items.iter().enumerate().zip(rules.schemas()) {
            match schema {
                Some(schema) => self.subschema(schema, item, &Location::Item(at, index))?,
                None => break,
            }
        }
        ControlFlow::Continue(())
    }

    fn object(
        &mut self,
        rules: &ObjectRules,
        members: &Map<String, Value>,
        at: &Location<'_>,
    ) -> ControlFlow<()> {
        self.size(rules.size, members.len(), "property", at)?;
        let (mut next, mut required) = (0, 0_usize);
        for (name, value) in members {
            let property = rules.find(name, &mut next);
            if property.is_some_and(|property| property.required) {
                required = required.saturating_add(1);
            }
            let here = Location::Property(at, name);
            match rules.schema_of(property) {
                Additional::Schema(schema) => self.subschema(schema, value, &here)?,
                Additional::Anything => {}
                Additional::Nothing => {
                    let of_tool = self.arguments && matches!(at, Location::Root);
                    self.sink.report(&here, || unexpected(rules, name, of_tool))?;
                }
            }
        }
        if required < rules.required {
            for Property { name, required, .. } in rules.properties() {
                if *required && !members.contains_key(name) {
                    self.sink.report(&Location::Property(at, name), || missing(rules, name, members))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn choice(
        &mut self,
        branches: &[SchemaId],
        only_one: bool,
        value: &Value,
        at: &Location<'_>,
    ) -> ControlFlow<()> {
        let (tree, types) = (self.tree, Types::of(value));
        let mut candidates = branches.iter().copied().filter(|id| tree.get(*id).admits.intersects(types));
        let Some(first) = candidates.next() else {
            return self.sink.report(at, || none_fits(tree, branches, value));
        };
        let Some(second) = candidates.next() else {
            return self.subschema(first, value, at);
        };
        let outer = self.effort.begin_choice();
        let mut taken: Option<(SchemaId, Marks)> = None;
        let mut several = false;
        for id in [first, second].into_iter().chain(candidates) {
            match (tree.verdict(id, value, self.effort), taken) {
                (None, _) => {}
                (Some(marks), None) => taken = Some((id, marks)),
                (Some(_), Some(_)) if only_one => several = true,
                (Some(marks), Some((_, before))) if marks < before => taken = Some((id, marks)),
                (Some(_), Some(_)) => {}
            }
            if several || (!only_one && taken.is_some_and(|(_, marks)| marks.is_empty())) {
                break;
            }
        }
        self.effort.end_choice(outer);
        match taken {
            _ if self.effort.is_spent() => self.give_up(at),
            _ if several => self
                .sink
                .report(at, || "fits several of the alternatives, but must fit exactly one".to_owned()),
            // Whatever is to be said about it is said along the way.
            Some((id, marks)) if self.arguments && marks.wide_integer => self.subschema(id, value, at),
            Some((_, marks)) => {
                self.marks.add(marks);
                ControlFlow::Continue(())
            }
            None => self.no_branch(branches, value, at),
        }
    }

    /// Says why no branch takes a value whose type several would take.
    fn no_branch(&mut self, branches: &[SchemaId], value: &Value, at: &Location<'_>) -> ControlFlow<()> {
        let tree = self.tree;
        let objects = || branches.iter().copied().filter(|id| tree.get(*id).admits.intersects(Types::OBJECT));
        if let Value::Object(members) = value {
            let has = |(name, tag): (&str, &[Value])| {
                members.get(name).is_none_or(|value| tag.iter().any(|tag| equality::equal(tag, value)))
            };
            let mut alike = objects().filter(|id| tree.tags(*id).all(has));
            match (alike.next(), alike.next()) {
                (Some(id), None) => return self.subschema(id, value, at),
                (Some(_), Some(_)) => {}
                (None, _) => {
                    let first = objects().next().and_then(|id| tree.tags(id).next());
                    if let Some((name, value)) = first.and_then(|(name, _)| members.get_key_value(name)) {
                        let tags = objects().flat_map(|id| tree.tags(id)).filter(|(tag, _)| tag == name);
                        let tags = tags.flat_map(|(_, values)| values);
                        let at = Location::Property(at, name);
                        return self.sink.report(&at, || expected_values(tags, value));
                    }
                }
            }
        }
        self.sink.report(at, || none_fits(tree, branches, value))
    }
}

impl Tree {
    /// Properties that have one value, or a few, by which branches tell their objects apart.
    fn tags(&self, id: SchemaId) -> impl Iterator<Item = (&str, &[Value])> + Clone {
        let object = self.get(id).object.as_deref();
        let properties = object.map(ObjectRules::properties).unwrap_or_default().iter();
        properties.filter_map(|property| Some((&*property.name, self.get(property.schema?).values()?)))
    }
}

fn none_fits(tree: &Tree, branches: &[SchemaId], value: &Value) -> String {
    let schemas = || branches.iter().map(|id| tree.get(*id));
    let types = schemas().fold(Types::NONE, |types, schema| types.union(schema.admits));
    if schemas().all(|schema| schema.values().is_some()) {
        expected_values(schemas().filter_map(Subschema::values).flatten(), value)
    } else if types.intersects(Types::of(value)) {
        format!("fits none of the {} alternatives for {}", branches.len(), kind(value))
    } else {
        expected_types(types, value)
    }
}
