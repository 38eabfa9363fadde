//! A bound to the work that a value may make.

use serde_json::Value;

/// What checking a value may take, repairs included.
///
/// Schemas may refer to themselves and offer choices within choices; a value can be made for such a schema that would
/// keep a checker busy for ages.
#[derive(Debug)]
pub(super) struct Effort {
    depth: u32,
    steps: usize,
    in_choice: bool,
}

/// Values nest 128 levels at most, and at each a few schemas apply.
const MAX_DEPTH: u32 = 600;
/// Values looked at within choices, or copied: some hundredths of a second.
const MAX_STEPS: usize = 2_000_000;

impl Effort {
    pub(super) fn new() -> Self {
        Self { depth: 0, steps: MAX_STEPS, in_choice: false }
    }

    /// Takes a step down to a value, if it may.
    pub(super) fn enter(&mut self, value: &Value) -> bool {
        self.depth = self.depth.saturating_add(1);
        if self.in_choice {
            let breadth = match value {
                Value::Array(items) => items.len(),
                Value::Object(members) => members.len(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
            };
            self.steps = self.steps.saturating_sub(breadth.saturating_add(1));
        }
        self.depth <= MAX_DEPTH && self.steps > 0
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// From here on steps count, until the outermost choice is made.
    pub(super) fn begin_choice(&mut self) -> bool {
        std::mem::replace(&mut self.in_choice, true)
    }

    pub(super) fn end_choice(&mut self, outer: bool) {
        self.in_choice = outer;
    }

    /// Counts what it costs to copy or hash all of a value within a choice.
    pub(super) fn spend(&mut self, value: &Value) {
        if self.in_choice {
            self.steps = self.steps.saturating_sub(weight(value));
        }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.steps == 0
    }
}

/// How much there is in a value: its values, and its text by the line.
fn weight(value: &Value) -> usize {
    const LINE: usize = 64;
    let text = |text: &str| text.len() / LINE;
    let below = match value {
        Value::Array(items) => items.iter().map(weight).fold(0, usize::saturating_add),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| text(name).saturating_add(weight(value)));
            members.fold(0, usize::saturating_add)
        }
        Value::String(string) => text(string),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    below.saturating_add(1)
}
