//! What is wrong with a value, a line each for a model to act on. Values are never repeated: they may be long, or
//! secret.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// How many violations are told at once: enough to mend a call, and no lever to make a small request a large answer.
const MAX_VIOLATIONS: usize = 50;
/// How much of a name is repeated, in characters.
const MAX_NAME: usize = 60;

/// What is wrong with a value, a line each.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    lines: Vec<String>,
    more: usize,
}

impl Violations {
    pub(in crate::tool) fn single(pointer: &str, problem: &str) -> Self {
        let mut violations = Self::default();
        violations.add(pointer, || problem.to_owned());
        violations
    }

    pub(in crate::tool) fn add(&mut self, at: impl fmt::Display, problem: impl FnOnce() -> String) {
        if self.lines.len() >= MAX_VIOLATIONS {
            self.more = self.more.saturating_add(1);
            return;
        }
        let mut line = at.to_string();
        if !line.is_empty() {
            line.push_str(": ");
        }
        line.push_str(&problem());
        self.lines.push(line);
    }

    /// Adds a problem with one argument, or with all together.
    pub(in crate::tool) fn add_at(&mut self, argument: Option<&str>, problem: impl FnOnce() -> String) {
        match argument {
            Some(name) => self.add(Location::Property(&Location::Root, name), problem),
            None => self.add(Location::Root, problem),
        }
    }

    /// Whether something was said about this place already.
    #[cfg(feature = "json-schema")]
    pub(super) fn tell_of(&self, at: &str) -> bool {
        self.lines.iter().any(|line| line.strip_prefix(at).is_some_and(|rest| rest.starts_with(": ")))
    }

    pub(in crate::tool) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The violations, a line each, under a title.
    pub(crate) fn report(&self, title: &str) -> String {
        let mut text = title.to_owned();
        for line in &self.lines {
            text.push_str("\n- ");
            text.push_str(line);
        }
        if self.more > 0 {
            let _infallible = write!(text, "\n- and {} more", self.more);
        }
        text
    }
}

/// Where a value is: a JSON Pointer that costs nothing before it is written.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc6901>
#[derive(Debug, Clone, Copy)]
pub(super) enum Location<'a> {
    Root,
    Property(&'a Location<'a>, &'a str),
    Item(&'a Location<'a>, usize),
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Property(parent, name) => write!(f, "{parent}/{}", escape(&shorten(name))),
            Self::Item(parent, index) => write!(f, "{parent}/{index}"),
        }
    }
}

pub(super) fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}

/// A text that somebody sent or declared: its beginning, in one line.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    let cut = text.char_indices().nth(MAX_NAME).map(|(at, _)| at);
    if cut.is_none() && !text.contains(char::is_control) {
        return text.into();
    }
    let visible = |char: char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char };
    let mut short: String = text.chars().take(MAX_NAME).map(visible).collect();
    if cut.is_some() {
        short.push('…');
    }
    short.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn points(location: Location<'_>, expected: &str) {
        assert_eq!(location.to_string(), expected);
    }

    #[test]
    fn a_location_is_a_json_pointer() {
        points(Location::Root, "");
        let a = Location::Property(&Location::Root, "a/b~c");
        points(a, "/a~1b~0c");
        points(Location::Item(&a, 3), "/a~1b~0c/3");
        points(Location::Property(&Location::Root, ""), "/");
    }

    #[test]
    fn a_long_name_is_cut_and_stays_in_its_line() {
        points(Location::Property(&Location::Root, &"é".repeat(500)), &format!("/{}…", "é".repeat(60)));
        points(Location::Property(&Location::Root, "a\n- /b: c"), "/a\u{fffd}- ~1b: c");
    }

    #[test]
    fn no_more_than_fifty_lines_are_told() {
        let mut violations = Violations::default();
        for n in 0..1000 {
            violations.add(format_args!("/{n}"), || "wrong".to_owned());
        }
        let report = violations.report("Title:");
        assert_eq!(report.lines().count(), 52);
        assert!(report.ends_with("- /49: wrong\n- and 950 more"), "{report}");
    }
}
