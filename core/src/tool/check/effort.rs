//! A bound to the work that a value may make.

/// What checking a value may take, repairs included.
///
/// Schemas may refer to themselves and offer choices within choices; a value can be made for such a schema that would
/// keep a checker busy for ages.
#[derive(Debug)]
pub(super) struct Effort {
    depth: u32,
    steps: u32,
    in_choice: bool,
}

/// Values nest 128 levels at most, and at each a few schemas apply.
const MAX_DEPTH: u32 = 600;
/// Values looked at within choices: some hundredths of a second.
const MAX_STEPS: u32 = 2_000_000;

impl Effort {
    pub(super) fn new() -> Self {
        Self { depth: 0, steps: MAX_STEPS, in_choice: false }
    }

    /// Takes a step down, if it may.
    pub(super) fn enter(&mut self) -> bool {
        self.depth = self.depth.saturating_add(1);
        if self.in_choice {
            self.steps = self.steps.saturating_sub(1);
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

    /// Counts what a copy costs.
    pub(super) fn spend(&mut self, steps: u32) {
        self.steps = self.steps.saturating_sub(steps);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.steps == 0
    }
}
