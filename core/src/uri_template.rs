//! URI templates: which URIs a template makes, and with which values.
//!
//! The RFC says how a template is expanded, and not every template can be read backwards. Those that can are taken: the
//! syntax and the percent-encoding are those of the crate `iri-string`, the rest is ours.
//! Source: <https://www.rfc-editor.org/rfc/rfc6570>

use iri_string::percent_encode::PercentEncodedForUri;
use iri_string::template::{Error, UriTemplateStr};

/// A URI template of RFC 6570, in the forms that can be matched.
///
/// * `{x}`: at least one character that is unreserved, percent-encoded or not ASCII.
/// * `{+x}`: the same, with reserved characters too, `/` among them.
/// * `{/x}`: `/` and what `{x}` matches, or nothing at all.
/// * `{?x,y}`, at the end: a query of these names, each at most once and in any order, or nothing at all.
///
/// Everything else in the template stands for itself, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UriTemplate {
    template: String,
    /// What is before the first variable: at least a scheme.
    start: String,
    /// What follows, up to the query.
    parts: Vec<Part>,
    /// The names in the query. None: the template has no query.
    query: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable(String, Form),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `{x}`
    Simple,
    /// `{+x}`
    Reserved,
    /// `{/x}`
    Segment,
}

/// A text that is no URI template, or one that cannot be matched. It says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("URI template {template:?}: {problem}")]
pub(crate) struct UriTemplateError {
    template: String,
    problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("{0}")]
    Syntax(String),
    #[error("{0:?} is not ASCII; write it percent-encoded")]
    NotAscii(char),
    #[error("it does not begin with a scheme, as in users://{{id}}")]
    NoScheme,
    #[error("it has no variable; a single URI is that of a resource")]
    NoVariable,
    #[error("{{{0}}} cannot be matched; the forms are {{x}}, {{+x}}, {{/x}} and, at the end, {{?x,y}}")]
    NotServed(String),
    #[error("the variable {0} is in it twice; give each a name of its own")]
    Twice(String),
    #[error("nothing says where {{{0}}} ends and {{{1}}} begins; write something between them")]
    Touching(String, String),
    #[error("{{{0}}} is a query, which has to be at the end")]
    QueryNotLast(String),
}

impl UriTemplate {
    pub(crate) fn parse(template: &str) -> Result<Self, UriTemplateError> {
        Self::read(template).map_err(|problem| UriTemplateError { template: template.to_owned(), problem })
    }

    fn read(template: &str) -> Result<Self, Problem> {
        // `iri-string` takes no others either, and panics where one stands behind a `%`.
        if let Some(char) = template.chars().find(|char| !char.is_ascii()) {
            return Err(Problem::NotAscii(char));
        }
        UriTemplateStr::new(template).map_err(Problem::syntax)?;
        let mut expressions = template.split('{');
        let start = expressions.next().unwrap_or_default();
        if !begins_with_scheme(start) {
            return Err(Problem::NoScheme);
        }
        let mut read =
            Self { template: template.to_owned(), start: start.to_owned(), parts: vec![], query: vec![] };
        let mut before = None;
        for expression in expressions {
            // The syntax has been checked: it ends.
            let (expression, literal) = expression.split_once('}').unwrap_or((expression, ""));
            read.take(expression, before)?;
            if !literal.is_empty() {
                if !read.query.is_empty() {
                    return Err(Problem::QueryNotLast(expression.to_owned()));
                }
                read.parts.push(Part::Literal(literal.to_owned()));
            }
            before = Some((expression, literal));
        }
        if before.is_none() {
            return Err(Problem::NoVariable);
        }
        Ok(read)
    }

    /// Takes what is between braces. `before`: the expression before it, and the literal between the two.
    fn take(&mut self, expression: &str, before: Option<(&str, &str)>) -> Result<(), Problem> {
        let query = expression.strip_prefix('?');
        let (names, form) = match expression.split_at_checked(1) {
            Some(("+", name)) => (name, Form::Reserved),
            Some(("/", name)) => (name, Form::Segment),
            Some(_) | None => (query.unwrap_or(expression), Form::Simple),
        };
        let other = names.starts_with(['#', '.', ';', '&']) || names.contains([':', '*']);
        if other || (query.is_none() && names.contains(',')) {
            return Err(Problem::NotServed(expression.to_owned()));
        }
        if !self.query.is_empty() {
            return Err(Problem::QueryNotLast(before.map_or("", |(query, _)| query).to_owned()));
        }
        if let (Some((before, "")), Some(Part::Variable(_, last))) = (before, self.parts.last()) {
            // A simple value has no `/` and no `?` in it.
            let ends = match last {
                Form::Simple => query.is_some() || form == Form::Segment,
                Form::Segment => query.is_some(),
                Form::Reserved => false,
            };
            if !ends {
                return Err(Problem::Touching(before.to_owned(), expression.to_owned()));
            }
        }
        for name in names.split(',') {
            if self.variables().any(|known| known == name) {
                return Err(Problem::Twice(name.to_owned()));
            }
            match query {
                Some(_) => self.query.push(name.to_owned()),
                None => self.parts.push(Part::Variable(name.to_owned(), form)),
            }
        }
        Ok(())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.template
    }

    /// The names of the variables, in order of appearance. No name is there twice.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let names = self.parts.iter().filter_map(|part| match part {
            Part::Variable(name, _) => Some(&**name),
            Part::Literal(_) => None,
        });
        names.chain(self.query.iter().map(|name| &**name))
    }

    /// The variables of a URI that this template makes, in order of appearance; `None` when it makes no such URI.
    ///
    /// Values are percent-decoded, so any character can be in them, also `/` and NUL. An optional variable that is not
    /// there is left out. Where a URI can be read in several ways, each variable from the left has as much as it can.
    ///
    /// Takes time and space that are linear in the URI, for each part of the template.
    pub(crate) fn matches(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        let text = uri.strip_prefix(&*self.start)?;
        // From the right, so that no choice from the left has to be taken back: where the rest can begin.
        let mut rests = vec![self.query_starts(text)];
        for part in self.parts.iter().skip(1).rev() {
            rests.push(part.starts(text, rests.last()?));
        }
        let mut values = Vec::new();
        let mut at = 0;
        for (part, rest) in self.parts.iter().zip(rests.iter().rev()) {
            at = match part {
                Part::Literal(literal) => end_of(text, at, literal)?,
                Part::Variable(name, form) => match form.longest(text, at, rest) {
                    Some((value, end)) => {
                        values.push((&**name, value));
                        end
                    }
                    None if *form == Form::Segment && rest.has(at) => at,
                    None => return None,
                },
            };
        }
        values.extend(self.read_query(text.get(at..)?)?);
        Some(values)
    }

    /// The URI for these values. A variable without one is undefined, and leaves nothing behind.
    ///
    /// What is percent-encoded in a value of `{+x}` is in the URI as it is. What this gives matches, unless `{x}` or
    /// `{+x}` has no value, or any but a query an empty one, or what is percent-encoded in that of `{+x}` is not UTF-8.
    pub(crate) fn expand<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let mut uri = self.start.clone();
        for part in &self.parts {
            match part {
                Part::Literal(literal) => uri.push_str(literal),
                Part::Variable(name, form) => {
                    uri.extend(value(name).map(|value| form.encode(value)));
                }
            }
        }
        let mut before = "?";
        for name in &self.query {
            if let Some(value) = value(name) {
                uri.extend([before, name, "=", &Form::Simple.encode(value)]);
                before = "&";
            }
        }
        uri
    }

    /// Where what the template has at its end can begin: at the end of the text, and where a query has been put.
    fn query_starts(&self, text: &str) -> Starts {
        let mut starts = Starts::nowhere(text);
        starts.put(text.len());
        // There is no other `?` in a query.
        if let Some((at, query)) = text.rfind('?').and_then(|at| Some((at, text.get(at..)?)))
            && self.read_query(query).is_some()
        {
            starts.put(at);
        }
        starts
    }

    fn read_query(&self, text: &str) -> Option<Vec<(&str, String)>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        let mut values = vec![None; self.query.len()];
        // Ends at a name that is not known, and at one that is known when there are more than the template has.
        for pair in text.strip_prefix('?')?.split('&') {
            let (name, value) = pair.split_once('=')?;
            let (_, place) = self.query.iter().zip(&mut values).find(|(known, _)| *known == name)?;
            if place.replace(Form::Simple.decode(value)?).is_some() {
                return None;
            }
        }
        let named = self.query.iter().zip(values);
        Some(named.filter_map(|(name, value)| Some((&**name, value?))).collect())
    }
}

impl Problem {
    fn syntax(error: Error) -> Self {
        let text = error.to_string();
        Self::Syntax(text.trim_start_matches("invalid URI template: ").to_owned())
    }
}

/// Source: <https://www.rfc-editor.org/rfc/rfc3986#section-3.1>
fn begins_with_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'))
    })
}

impl Part {
    /// Where this part can begin, if what follows it can begin at `rest`.
    fn starts(&self, text: &str, rest: &Starts) -> Starts {
        match self {
            Self::Literal(literal) => {
                Starts::at(text, |at| end_of(text, at, literal).is_some_and(|end| rest.has(end)))
            }
            Self::Variable(_, form) => {
                let mut starts = Starts::nowhere(text);
                for at in (0..text.len()).rev() {
                    if let Some((_, end)) = form.char(text, at)
                        && (rest.has(end) || starts.has(end))
                    {
                        starts.put(at);
                    }
                }
                match form {
                    Form::Simple | Form::Reserved => starts,
                    Form::Segment => Starts::at(text, |at| {
                        rest.has(at) || end_of(text, at, "/").is_some_and(|slash| starts.has(slash))
                    }),
                }
            }
        }
    }
}

impl Form {
    /// The longest value at a place that `rest` can follow, and where it ends.
    fn longest(self, text: &str, at: usize, rest: &Starts) -> Option<(String, usize)> {
        let mut at = match self {
            Self::Simple | Self::Reserved => at,
            Self::Segment => end_of(text, at, "/")?,
        };
        let mut value = String::new();
        let mut longest = None;
        while let Some((char, end)) = self.char(text, at) {
            value.push(char);
            at = end;
            if rest.has(at) {
                longest = Some((value.len(), at));
            }
        }
        let (length, end) = longest?;
        value.truncate(length);
        Some((value, end))
    }

    /// What a variable of this form makes of a value.
    fn encode(self, value: &str) -> String {
        match self {
            Self::Simple => PercentEncodedForUri::unreserve(value).to_string(),
            Self::Segment => format!("/{}", PercentEncodedForUri::unreserve(value)),
            Self::Reserved => encode_reserved(value),
        }
    }

    /// The value that the whole text is. It may be empty.
    fn decode(self, text: &str) -> Option<String> {
        let mut value = String::new();
        let mut at = 0;
        while at < text.len() {
            let (char, end) = self.char(text, at)?;
            value.push(char);
            at = end;
        }
        Some(value)
    }

    /// The character of a value at a place, and where it ends.
    ///
    /// All encoded bytes of a character are read as one, so a value never ends within it, and is always UTF-8.
    fn char(self, text: &str, at: usize) -> Option<(char, usize)> {
        let text = text.get(at..)?;
        let first = text.chars().next()?;
        let (char, length) = match first {
            '%' => decode_char(text)?,
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '~' => (first, 1),
            ':' | '/' | '?' | '#' | '[' | ']' | '@' | '!' | '$' | '&' | '\'' | '(' | ')' | '*' | '+'
            | ',' | ';' | '='
                if self == Self::Reserved =>
            {
                (first, 1)
            }
            // Clients send IRIs too. Source: <https://www.rfc-editor.org/rfc/rfc3987#section-2.2>
            _ if !first.is_ascii() && !first.is_control() => (first, first.len_utf8()),
            _ => return None,
        };
        Some((char, at.saturating_add(length)))
    }
}

/// The character that a text begins with, percent-encoded, and its length there. `None` when it is not UTF-8.
fn decode_char(text: &str) -> Option<(char, usize)> {
    let mut encoded = text.as_bytes().chunks(3).map_while(|triplet| {
        let [b'%', high, low] = triplet else { return None };
        let digit = |digit: u8| char::from(digit).to_digit(16);
        u8::try_from(digit(*high)?.checked_mul(16)?.checked_add(digit(*low)?)?).ok()
    });
    let first = encoded.next()?;
    let (width, length) = match first {
        ..0x80 => (1, 3),
        0x80..0xe0 => (2, 6),
        0xe0..0xf0 => (3, 9),
        0xf0.. => (4, 12),
    };
    // A byte that is missing stays 0, which continues no character.
    let mut bytes = [first, 0, 0, 0];
    for (byte, decoded) in bytes.iter_mut().skip(1).zip(encoded) {
        *byte = decoded;
    }
    let char = std::str::from_utf8(bytes.get(..width)?).ok()?.chars().next()?;
    Some((char, length))
}

/// Where a literal ends that is at a place.
fn end_of(text: &str, at: usize, literal: &str) -> Option<usize> {
    text.get(at..)?.starts_with(literal).then(|| at.saturating_add(literal.len()))
}

/// For each place in a text, its end too, whether something can begin there.
struct Starts(Vec<bool>);

impl Starts {
    fn nowhere(text: &str) -> Self {
        Self::at(text, |_| false)
    }

    fn at(text: &str, can: impl FnMut(usize) -> bool) -> Self {
        Self((0..=text.len()).map(can).collect())
    }

    fn put(&mut self, at: usize) {
        if let Some(place) = self.0.get_mut(at) {
            *place = true;
        }
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|can| *can)
    }
}

/// What `{+x}` makes of a value. `iri-string` itself loses parts of some, and panics at others.
fn encode_reserved(value: &str) -> String {
    let mut pieces = value.split('%');
    let mut encoded = PercentEncodedForUri::characters(pieces.next().unwrap_or_default()).to_string();
    for piece in pieces {
        let triplet = piece.get(..2).is_some_and(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        encoded.push_str(if triplet { "%" } else { "%25" });
        encoded.push_str(&PercentEncodedForUri::characters(piece).to_string());
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use iri_string::spec::UriSpec;
    use iri_string::template::context::{Context, Visitor};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use regex::Regex;

    fn template(text: &str) -> UriTemplate {
        UriTemplate::parse(text).unwrap()
    }

    /// The values that a URI has, or that it has none.
    #[track_caller]
    fn matches(text: &str, uri: &str, expected: Option<&[(&str, &str)]>) {
        let template = template(text);
        let found = template.matches(uri);
        let found: Option<Vec<_>> =
            found.as_ref().map(|values| values.iter().map(|(name, value)| (*name, &**value)).collect());
        assert_eq!(found.as_deref(), expected, "{text} {uri}");
    }

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = UriTemplate::parse(text).unwrap_err().to_string();
        assert_eq!(error, format!("URI template {text:?}: {expected}"));
    }

    // Parsing

    #[test]
    fn variables_are_named_in_order_of_appearance() {
        let text = "a+b-c.1:{x}/{+y.z}/-{/_w}{?q%20,r}";
        assert_eq!(template(text).as_str(), text);
        assert!(template(text).variables().eq(["x", "y.z", "_w", "q%20", "r"]));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        refused("x:{a", "expression not closed (at 2-th byte)");
        refused("x:a}", "invalid character (at 3-th byte)");
        refused("x:{}", "invalid expression (at 3-th byte)");
        refused("x:{a}}", "invalid character (at 5-th byte)");
        refused("x:{a{b}}", "invalid expression (at 3-th byte)");
        refused("x:{a b}", "invalid expression (at 3-th byte)");
        refused("x:{?}", "invalid expression (at 4-th byte)");
        refused("x:{?a,}", "invalid expression (at 6-th byte)");
        refused("x:{=a}", "unsupported operator (at 3-th byte)");
        refused("x: {a}", "invalid character (at 2-th byte)");
        refused("x:%4{a}", "invalid percent-encoded triplets (at 4-th byte)");
        refused("x:%a€{a}", "'€' is not ASCII; write it percent-encoded");
        refused("x:{é}", "'é' is not ASCII; write it percent-encoded");
    }

    #[test]
    fn a_form_that_cannot_be_matched_is_refused_with_those_that_can() {
        for expression in [
            "x,y", "+x,y", "/x,y", "#x", ".x", ";x", "&x", "x*", "+x*", "/x*", "?x*", "x:3", "x:99999",
            "?x,y:3",
        ] {
            let problem = "cannot be matched; the forms are {x}, {+x}, {/x} and, at the end, {?x,y}";
            refused(&format!("a:{{{expression}}}"), &format!("{{{expression}}} {problem}"));
        }
    }

    #[test]
    fn a_template_begins_with_a_scheme() {
        for text in
            ["", "{a}", "{+a}", "a", "/{a}", "//h/{a}", ":{a}", "1x:{a}", "x_y:{a}", "a/b:{a}", "x{a}:b"]
        {
            refused(text, "it does not begin with a scheme, as in users://{id}");
        }
    }

    #[test]
    fn a_template_has_a_variable_and_each_once() {
        refused("x:a", "it has no variable; a single URI is that of a resource");
        for text in ["x:{a}/{a}", "x:{a}/{+a}", "x:{a}{/a}", "x:{a}{?a}", "x:{?b,a,a}"] {
            refused(text, "the variable a is in it twice; give each a name of its own");
        }
    }

    #[test]
    fn variables_touch_only_where_one_ends_for_sure() {
        for expressions in [
            ["a", "b"],
            ["a", "+b"],
            ["+a", "b"],
            ["+a", "+b"],
            ["+a", "/b"],
            ["+a", "?b"],
            ["/a", "b"],
            ["/a", "+b"],
            ["/a", "/b"],
        ] {
            let [a, b] = expressions;
            let problem =
                format!("nothing says where {{{a}}} ends and {{{b}}} begins; write something between them");
            refused(&format!("x:{{{a}}}{{{b}}}"), &problem);
        }
        for text in ["x:{a}{/b}", "x:{a}{?b}", "x:{/a}{?b}", "x:{a}{/b}{?c}"] {
            template(text);
        }
    }

    #[test]
    fn a_query_is_at_the_end() {
        for text in ["x:{?a}b", "x:{?a}{b}", "x:{?a}/{b}", "x:{?a}{?b}"] {
            refused(text, "{?a} is a query, which has to be at the end");
        }
    }

    // Matching

    #[test]
    fn a_simple_variable_is_at_least_one_character_that_is_not_reserved() {
        let text = "x://{a}/c";
        matches(text, "x://b/c", Some(&[("a", "b")]));
        matches(text, "x://aZ09-._~/c", Some(&[("a", "aZ09-._~")]));
        matches(text, "x://%2f%C3%A9%00%e2%82%ac%F0%9F%98%80/c", Some(&[("a", "/é\0€😀")]));
        matches(text, "x://né€😀/c", Some(&[("a", "né€😀")]));
        for uri in
            ["x:///c", "x://b/d/c", "x://b", "x://b/", "x://b/c/", "x://b/cc", "x://b/C", "X://b/c", "", "x:"]
        {
            matches(text, uri, None);
        }
        for char in ":/?#[]@!$&'()*+,;= <>\"{}|\\^`\n\u{7f}\u{85}".chars() {
            matches(text, &format!("x://b{char}/c"), None);
        }
    }

    #[test]
    fn a_reserved_variable_has_reserved_characters_too() {
        let text = "x:{+a}/c";
        let reserved = "a/b:?#[]@!$&'()*+,;=-._~é";
        matches(text, &format!("x:{reserved}/c"), Some(&[("a", reserved)]));
        matches(text, "x:/c/c/c", Some(&[("a", "/c/c")]));
        matches(text, "x:%2Fa%20/c", Some(&[("a", "/a ")]));
        matches(text, "x:/c", None);
        for char in " <>\"{}|\\^`\n\u{7f}\u{85}".chars() {
            matches(text, &format!("x:b{char}/c"), None);
        }
    }

    #[test]
    fn a_path_segment_may_be_missing_but_is_not_empty() {
        let text = "x:a{/b}/c{/d}";
        matches(text, "x:a/c", Some(&[]));
        matches(text, "x:a/b/c", Some(&[("b", "b")]));
        matches(text, "x:a/c/d", Some(&[("d", "d")]));
        matches(text, "x:a/b/c/d%2F", Some(&[("b", "b"), ("d", "d/")]));
        matches(text, "x:a/c/c", Some(&[("b", "c")]));
        for uri in ["x:a", "x:a/", "x:a//c", "x:a/c/", "x:a/b/c/d/e", "x:ab/c"] {
            matches(text, uri, None);
        }
        matches("x:{/b}", "x:", Some(&[]));
        matches("x:{/b}", "x:b", None);
        matches("x:{a}{/b}", "x:a/b", Some(&[("a", "a"), ("b", "b")]));
    }

    #[test]
    fn a_query_has_known_names_once_in_any_order() {
        let text = "x:{a}{?b,c%20}";
        matches(text, "x:a", Some(&[("a", "a")]));
        matches(text, "x:a?b=1", Some(&[("a", "a"), ("b", "1")]));
        matches(text, "x:a?c%20=%26&b=", Some(&[("a", "a"), ("b", ""), ("c%20", "&")]));
        for query in [
            "",
            "b",
            "b=1&",
            "&b=1",
            "b=1&b=1",
            "d=1",
            "b=1&d=1",
            "B=1",
            "b=1=2",
            "b=1?c%20=2",
            "b=a/b",
            "b=1#f",
            "c =1",
            "%62=1",
            "b=%",
            "=1",
        ] {
            matches(text, &format!("x:a?{query}"), None);
        }
        matches("x:{?a}", "x:", Some(&[]));
        matches("x:{?a}", "x:?a=", Some(&[("a", "")]));
        matches("x:{+a}/b{?c}", "x:/b?c=1/b?c=2", Some(&[("a", "/b?c=1"), ("c", "2")]));
        matches("x:{+a}/b{?c}", "x:/b?c=1/b", Some(&[("a", "/b?c=1")]));
        matches("x:{a}", "x:a?", None);
    }

    #[test]
    fn each_variable_has_as_much_as_it_can_while_the_rest_matches() {
        matches("x:{id}.json", "x:a.b.json", Some(&[("id", "a.b")]));
        matches("x:{id}.json", "x:.json.json", Some(&[("id", ".json")]));
        matches("x:{id}.json", "x:.json", None);
        matches("x:{a}-{b}", "x:1-2-3", Some(&[("a", "1-2"), ("b", "3")]));
        matches("x:{a}-{b}", "x:---", Some(&[("a", "-"), ("b", "-")]));
        matches("x:{+a}/{b}/{+c}", "x:1/2/3/4", Some(&[("a", "1/2"), ("b", "3"), ("c", "4")]));
    }

    #[test]
    fn a_literal_is_matched_as_it_is_written() {
        matches("x:%41/{a}", "x:%41/b", Some(&[("a", "b")]));
        matches("x:%41/{a}", "x:A/b", None);
        matches("x:A/{a}", "x:%41/b", None);
        matches("x:%c3/{a}", "x:%C3/b", None);
        // No value ends within what is encoded.
        matches("x:{a}41", "x:%4141", Some(&[("a", "A")]));
        matches("x:{a}41", "x:%41", None);
        matches("x:{a}%A9", "x:%C3%A9", None);
    }

    #[test]
    fn a_value_is_decoded_as_utf8_or_does_not_match() {
        for value in [
            "%",
            "%4",
            "%zz",
            "%+1",
            "%4é",
            "a%",
            "%%41",
            "%80",
            "%FF",
            "%C3",
            "%C3a",
            "%C3é",
            "%C3%41",
            "%C0%80",
            "%E2%82",
            "%ED%A0%80",
            "%F4%90%80%80",
            "%F0%9F%98",
            "%E2%82%ac%A9",
        ] {
            for text in ["x:{a}", "x:{+a}", "x:{/a}"] {
                matches(text, &format!("x:{}{value}", if text.contains('/') { "/" } else { "" }), None);
            }
            matches("x:{?a}", &format!("x:?a={value}"), None);
        }
    }

    #[test]
    fn a_long_uri_is_matched_in_one_go() {
        // With backtracking, none of these would end.
        let uri = format!("x:{}b-c", "a-/%C3%A9?".repeat(100_000));
        let values = template("x:{+a}-{+b}/{+c}-{d}{/e}{?f}");
        assert_eq!(values.matches(&uri).unwrap().len(), 4);
        let uri = format!("x:{}", "a".repeat(100_000));
        assert_eq!(template("x:{a}a{b}a{c}a{d}a{e}.").matches(&uri), None);
        let uri = format!("x:?{}", "h=&".repeat(100_000));
        assert_eq!(template("x:{?h,i}").matches(&uri), None);
    }

    // Expanding

    #[track_caller]
    fn expands(text: &str, values: &[(&str, &str)], expected: &str) {
        let value = |name: &str| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        assert_eq!(template(text).expand(value), expected);
    }

    #[test]
    fn values_are_encoded_as_their_form_says() {
        let text = "x:%41{a}/{+b}/-{/c}{?d,e}";
        expands(
            text,
            &[("a", "a/é%20"), ("b", "a/é%20%"), ("c", "/"), ("d", ""), ("e", "&=")],
            "x:%41a%2F%C3%A9%2520/a/%C3%A9%20%25/-/%2F?d=&e=%26%3D",
        );
        expands(text, &[("e", "1")], "x:%41//-?e=1");
        expands(text, &[], "x:%41//-");
    }

    #[test]
    fn a_reserved_value_may_be_any_text() {
        for (value, expected) in [
            ("é", "%C3%A9"),
            ("%é", "%25%C3%A9"),
            ("%41é", "%41%C3%A9"),
            ("%", "%25"),
            ("%4", "%254"),
            ("%C3%A", "%C3%25A"),
            ("%ff%41 ", "%ff%41%20"),
        ] {
            expands("x:{+a}", &[("a", value)], &format!("x:{expected}"));
        }
    }

    // Properties

    /// Values for `iri-string`.
    struct Values<F>(F);

    impl<'v, F: Fn(&str) -> Option<&'v str>> Context for Values<F> {
        fn visit<V: Visitor>(&self, visitor: V) -> V::Result {
            match (self.0)(visitor.var_name().as_str()) {
                Some(value) => visitor.visit_string(value),
                None => visitor.visit_undefined(),
            }
        }
    }

    /// Any text, and often one that looks encoded.
    fn any_text() -> impl Strategy<Value = String> {
        let encoded = select(vec!["%", "%41", "%c3%A9", "%FF", "%4", "é", "/", "?", "a", "\0", "😀"]);
        prop_oneof![any::<String>(), vec(encoded, 0..8).prop_map(|pieces| pieces.concat())]
    }

    fn some_text() -> impl Strategy<Value = String> {
        any_text().prop_filter("empty", |text| !text.is_empty())
    }

    /// A text with what is percent-encoded in it decoded; `None` when that is not UTF-8.
    fn decoded(text: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, after)) = rest.split_first() {
            match rest {
                [b'%', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    let digits = [*high, *low];
                    bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                    rest = after;
                }
                _ => {
                    bytes.push(*first);
                    rest = after;
                }
            }
        }
        String::from_utf8(bytes).ok()
    }

    /// What is between the braces of the templates that are made up, after the name's place.
    const FORMS: &[&str] = &["", "+", "/"];

    /// A template that is made up, and URIs that are nearly its own.
    #[derive(Debug, Clone)]
    struct Case {
        template: UriTemplate,
        /// The same, for the crate `regex`.
        regex: Regex,
        uri: String,
    }

    fn case() -> impl Strategy<Value = Case> {
        let literal = || select(vec!["", "", "/", "/", ".", "-", "a", "a.", "%41", "%A9", "?"]);
        let tokens = vec![
            "a", "a", "a.", "-", "/", "/", "%41", "%C3%A9", "%A9", "%", "%4", "é", "?", "x=", "&", " ", "#",
            "\u{85}",
        ];
        let value = vec(select(tokens), 0..4).prop_map(|tokens| tokens.concat());
        let written = prop_oneof![4 => Just(true), 1 => Just(false)];
        let piece = (literal(), select(FORMS), value, written);
        let queries = vec![
            "",
            "",
            "?x=",
            "?y=a",
            "?x=a&y=%41",
            "?y=-&x=/",
            "?y=é&x=.",
            "?x=a&x=b",
            "?",
            "?x",
            "?z=a",
            "?x=a?y=b",
        ];
        (vec(piece, 0..4), literal(), select(vec!["", "{?x}", "{?x,y}"]), select(queries)).prop_filter_map(
            "no template",
            |(pieces, end, query, sent)| {
                let (mut text, mut pattern, mut uri) = ("x:".to_owned(), "^x:".to_owned(), "x:".to_owned());
                for (at, (literal, form, value, written)) in pieces.iter().enumerate() {
                    text.push_str(&format!("{literal}{{{form}v{at}}}"));
                    pattern.push_str(&regex::escape(literal));
                    pattern.push_str(&match *form {
                        "/" => format!("(?:/(?P<v{at}>{}+))?", simple()),
                        "+" => format!("(?P<v{at}>(?:{}|[:/?#\\[\\]@!$&'()*+,;=])+)", simple()),
                        _ => format!("(?P<v{at}>{}+)", simple()),
                    });
                    uri.push_str(if *written { literal } else { "" });
                    uri.push_str(if *form == "/" && *written && !value.is_empty() { "/" } else { "" });
                    uri.push_str(value);
                }
                let simple = simple();
                text.push_str(&format!("{end}{query}"));
                pattern.push_str(&regex::escape(end));
                pattern.push_str(&match query {
                    "{?x}" => format!("(?:\\?x=(?P<x1>{simple}*))?"),
                    "{?x,y}" => format!(
                        "(?:\\?(?:x=(?P<x1>{simple}*)(?:&y=(?P<y1>{simple}*))?|y=(?P<y2>{simple}*)(?:&x=(?P<x2>{simple}*))?))?"
                    ),
                    _ => String::new(),
                });
                pattern.push('$');
                uri.push_str(end);
                uri.push_str(sent);
                let template = UriTemplate::parse(&text).ok()?;
                Some(Case { template, regex: Regex::new(&pattern).unwrap(), uri })
            },
        )
    }

    /// One character of a simple value, encoded in at most two bytes.
    fn simple() -> &'static str {
        "(?:[A-Za-z0-9._~-]|%[0-7][0-9A-Fa-f]|%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f])%[89ABab][0-9A-Fa-f]|[^\\x00-\\x9f])"
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_expanded_comes_back(
            a in some_text(),
            b in prop::option::of(some_text()),
            c in prop::option::of(any_text()),
            d in prop::option::of(any_text()),
        ) {
            let template = template("x://{a}{/b}{?c,d}");
            let uri = template.expand(|name| match name {
                "a" => Some(&a),
                "b" => b.as_deref(),
                "c" => c.as_deref(),
                _ => d.as_deref(),
            });
            let expected = [("a", Some(a)), ("b", b), ("c", c), ("d", d)];
            let expected: Vec<_> =
                expected.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
            prop_assert_eq!(template.matches(&uri), Some(expected), "{}", uri);
        }

        /// `{+x}` leaves alone what is encoded in a value, so it comes back decoded: `%41` as `A`.
        #[test]
        fn what_is_expanded_as_reserved_comes_back_decoded(a in some_text(), b in some_text()) {
            let template = template("x:{+a}/{b}");
            let uri = template.expand(|name| Some(if name == "a" { &a } else { &b }));
            let expected = decoded(&a).map(|a| vec![("a", a), ("b", b)]);
            prop_assert_eq!(template.matches(&uri), expected, "{}", uri);
        }

        /// Where it is right: it is not with a `%` in a value of `{+x}`, nor with what is not ASCII.
        #[test]
        fn what_is_expanded_is_what_iri_string_expands(
            case in case(),
            values in vec(prop::option::of(any_text()), 6),
        ) {
            let names: Vec<_> = case.template.variables().collect();
            let value = |name: &str| values[names.iter().position(|known| *known == name)?].as_deref();
            let plain = values.iter().flatten().all(|value| value.is_ascii() && !value.contains('%'));
            if plain || !case.template.as_str().contains('+') {
                let template = UriTemplateStr::new(case.template.as_str()).unwrap();
                let context = Values(value);
                let expected = template.expand::<UriSpec, _>(&context).unwrap().to_string();
                prop_assert_eq!(case.template.expand(value), expected);
            }
        }

        #[test]
        fn what_is_expanded_matches(case in case(), values in vec(some_text(), 6)) {
            let names: Vec<_> = case.template.variables().collect();
            let value = |name: &str| names.iter().position(|known| *known == name).map(|at| &*values[at]);
            if values.iter().all(|value| decoded(value).is_some()) {
                let uri = case.template.expand(value);
                prop_assert!(case.template.matches(&uri).is_some(), "{} {}", case.template.as_str(), uri);
            }
        }

        #[test]
        fn no_text_is_too_odd(text in any::<String>(), uri in any::<String>()) {
            let _ = UriTemplate::parse(&text);
            let _ = UriTemplate::parse(&format!("x:{text}{{a}}"));
            let _ = template("x:{a}{/b}/{+c}/{d}{?e}").matches(&format!("x:{uri}"));
        }

        #[test]
        fn the_verdict_and_the_values_are_those_of_a_regular_expression(case in case()) {
            let Case { template, regex, uri } = case;
            let expected = regex.captures(&uri).map(|groups| {
                let value = |name: &str| {
                    let group = groups.name(name);
                    let group = group.or_else(|| groups.name(&format!("{name}1")));
                    group.or_else(|| groups.name(&format!("{name}2"))).map(|group| decoded(group.as_str()).unwrap())
                };
                template.variables().filter_map(|name| Some((name, value(name)?))).collect::<Vec<_>>()
            });
            prop_assert_eq!(template.matches(&uri), expected, "{} {} {}", template.as_str(), regex, uri);
        }
    }
}
