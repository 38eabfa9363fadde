//! What violations are told with: what was expected, what kind of value there was, and which name may be meant.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::number;
use super::tree::{Additional, ObjectRules, Size};
use super::types::Types;
use super::violation::shorten;

/// How many allowed values or names are listed.
const MAX_LISTED: usize = 20;
/// A longer name was not misspelt, in bytes.
const MAX_NAME: usize = 60;
/// What is further off is another name, in characters.
const MAX_EDITS: usize = 3;

/// `expected an integer, got a string`.
pub(super) fn expected_types(types: Types, got: &Value) -> String {
    if types.is_empty() {
        "nothing is allowed here".to_owned()
    } else {
        format!("expected {types}, got {}", kind(got))
    }
}

/// What kind of value this is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number::is_integral(number) => "an integer",
        Value::Number(_) => "a number with a fraction",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// `expected one of "fast", "slow"`, and the kind of what was sent where no allowed value is of that kind.
pub(super) fn expected_values<'a>(allowed: impl Iterator<Item = &'a Value> + Clone, got: &Value) -> String {
    let one = allowed.clone().nth(1).is_none();
    let mut text = if one { "expected ".to_owned() } else { "expected one of ".to_owned() };
    list(&mut text, allowed.clone().map(|value| shorten(&value.to_string()).into_owned()));
    if !allowed.map(Types::of).any(|types| types.intersects(Types::of(got))) {
        text.push_str(", got ");
        text.push_str(kind(got));
    }
    text
}

/// `"a", "b" and 3 more`.
fn list(text: &mut String, items: impl Iterator<Item = String>) {
    let mut more = 0_usize;
    for (index, item) in items.enumerate() {
        if index >= MAX_LISTED {
            more = more.saturating_add(1);
            continue;
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&item);
    }
    if more > 0 {
        let _infallible = write!(text, " and {more} more");
    }
}

/// `must have at least 2 items, got 1`.
pub(super) fn wrong_size(size: Size, found: usize, noun: &str) -> String {
    let too_few = (found as u64) < size.min;
    let (limit, words) = if too_few { (size.min, "at least") } else { (size.max, "at most") };
    let noun = match (limit, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{noun}s"),
    };
    format!("must have {words} {limit} {noun}, got {found}")
}

/// Why a property may not be there. The arguments of a tool are properties of one object.
pub(super) fn unexpected(rules: &ObjectRules, name: &str, of_tool: bool) -> String {
    let names = || rules.properties().iter().map(|property| &*property.name);
    let mut text = "unexpected, ".to_owned();
    if let Some(meant) = meant(name, names()) {
        let _infallible = write!(text, "did you mean `{}`?", shorten(meant));
    } else {
        text.push_str(match (of_tool, names().next()) {
            (true, None) => "the tool takes no arguments",
            (true, Some(_)) => "the tool takes no such argument",
            (false, None) => "there may be no properties",
            (false, Some(_)) => "there may be no such property",
        });
    }
    text
}

/// That a property is missing, and which other one may be it.
pub(super) fn missing(rules: &ObjectRules, name: &str, members: &Map<String, Value>) -> String {
    /// More names than that are not looked through.
    const FEW: usize = 20;
    let mut text = "missing, but required".to_owned();
    // Where nothing else may be there, each other one says so itself.
    if rules.additional != Additional::Nothing {
        let mut others = members.keys().take(FEW).filter(|other| rules.find(other, &mut 0).is_none());
        if let Some(sent) = others.find(|other| meant(other, std::iter::once(name)).is_some()) {
            let _infallible =
                write!(text, "; there is `{}`, did you mean `{}`?", shorten(sent), shorten(name));
        }
    }
    text
}

/// The declared name that was probably meant.
fn meant<'a>(sent: &str, declared: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if sent.len() > MAX_NAME {
        return None;
    }
    let plain = |name: &str| -> Vec<char> {
        name.chars().filter(|char| !matches!(char, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
    };
    /// More names than that are not looked through.
    const MANY: usize = 100;
    let sent = plain(sent);
    declared
        .take(MANY)
        .filter(|name| name.len() <= MAX_NAME)
        .filter_map(|name| {
            let limit = name.len().saturating_add(1) / 3;
            Some((distance(&sent, &plain(name), limit.min(MAX_EDITS))?, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many characters have to be added, removed or replaced (Levenshtein), if no more than `limit`.
fn distance(left: &[char], right: &[char], limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.iter().enumerate() {
        let (mut above_left, mut here) = (index, index.saturating_add(1));
        let mut least = here;
        for (above, to) in row.iter_mut().zip(std::iter::once(None).chain(right.iter().map(Some))) {
            if let Some(to) = to {
                let replaced = above_left.saturating_add(usize::from(from != to));
                here = replaced.min(here.saturating_add(1)).min(above.saturating_add(1));
                least = least.min(here);
            }
            above_left = std::mem::replace(above, here);
        }
        if least > limit {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn means(sent: &str, expected: Option<&str>) {
        assert_eq!(meant(sent, ["query", "user_id", "limit", "x"].into_iter()), expected, "{sent}");
    }

    #[test]
    fn a_misspelt_name_is_recognized() {
        means("qeury", Some("query"));
        means("Query", Some("query"));
        means("quer", Some("query"));
        means("userId", Some("user_id"));
        means("user-ids", Some("user_id"));
        means("limits", Some("limit"));
    }

    #[test]
    fn another_name_is_not() {
        for sent in ["", "y", "offset", "question", "a", "名前"] {
            means(sent, None);
        }
        means(&"q".repeat(100_000), None);
    }

    #[test]
    fn distances_count_edits() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (left, right, expected) in
            [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)]
        {
            assert_eq!(distance(&chars(left), &chars(right), 3), Some(expected), "{left} {right}");
            assert_eq!(distance(&chars(left), &chars(right), expected), Some(expected), "{left} {right}");
        }
        assert_eq!(distance(&chars("kitten"), &chars("sitting"), 2), None);
        assert_eq!(distance(&chars("abcdef"), &chars("uvwxyz"), 3), None);
    }
}
