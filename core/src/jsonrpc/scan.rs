//! Reads JSON text without building values: what is not needed yet stays a slice of the text.
//!
//! The scanner checks everything it passes, by the grammar of RFC 8259, with two bounds of its own: nesting, and no
//! half surrogate pairs, which have no UTF-8. So the same bytes are refused for every method, whatever is read of them.

use std::borrow::Cow;

/// How deep arrays and objects may nest.
const MAX_DEPTH: u32 = 128;

/// The text is not JSON, or nests too deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotJson;

pub(crate) struct Scanner<'a> {
    text: &'a str,
    rest: &'a [u8],
    /// Objects and arrays that are open around here.
    depth: u32,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, rest: text.as_bytes(), depth: 0 }
    }

    /// The first byte of what comes next, white space aside.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.skip_white_space();
        self.rest.first().copied()
    }

    /// Reads an object. For each member `visit` gets the key, and reads the value.
    pub(crate) fn members(
        &mut self,
        mut visit: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.expect(b'{')?;
        self.enter()?;
        if self.peek() == Some(b'}') {
            self.expect(b'}')?;
        } else {
            loop {
                let key = self.text()?;
                self.expect(b':')?;
                visit(self, key)?;
                match self.next_byte() {
                    Some(b',') => {}
                    Some(b'}') => break,
                    _ => return Err(NotJson),
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Reads an array. `visit` reads each item.
    pub(crate) fn items(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.expect(b'[')?;
        self.enter()?;
        if self.peek() == Some(b']') {
            self.expect(b']')?;
        } else {
            loop {
                visit(self)?;
                match self.next_byte() {
                    Some(b',') => {}
                    Some(b']') => break,
                    _ => return Err(NotJson),
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// Reads a string.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, NotJson> {
        self.expect(b'"')?;
        let from = self.position();
        let escaped = self.skip_string()?;
        let to = self.position().saturating_sub(1);
        if escaped {
            let quoted = self.text.get(from.saturating_sub(1)..=to).ok_or(NotJson)?;
            return serde_json::from_str(quoted).map(Cow::Owned).map_err(|_| NotJson);
        }
        self.text.get(from..to).map(Cow::Borrowed).ok_or(NotJson)
    }

    /// Reads any value: its text.
    pub(crate) fn value(&mut self) -> Result<&'a str, NotJson> {
        self.skip_white_space();
        let from = self.position();
        // One bit for each array (0) or object (1) that is open within the value, the innermost lowest.
        let (mut open, mut depth) = (0_u128, 0_u32);
        loop {
            let is_closed = match self.next_byte().ok_or(NotJson)? {
                opening @ (b'{' | b'[') => {
                    depth = depth.saturating_add(1);
                    if self.depth.saturating_add(depth) > MAX_DEPTH {
                        return Err(NotJson);
                    }
                    let is_object = opening == b'{';
                    open = open << 1 | u128::from(is_object);
                    let is_empty = self.peek() == Some(if is_object { b'}' } else { b']' });
                    if !is_empty && is_object {
                        self.skip_key()?;
                    }
                    is_empty
                }
                b'"' => self.skip_string().map(|_| true)?,
                first @ (b'-' | b'0'..=b'9') => self.skip_number(first).map(|()| true)?,
                b't' => self.skip_literal(b"rue").map(|()| true)?,
                b'f' => self.skip_literal(b"alse").map(|()| true)?,
                b'n' => self.skip_literal(b"ull").map(|()| true)?,
                _ => return Err(NotJson),
            };
            if !is_closed {
                continue;
            }
            // A value has ended: what is open around it goes on, or ends as well.
            loop {
                if depth == 0 {
                    return self.since(from);
                }
                match (self.next_byte(), open & 1 == 1) {
                    (Some(b','), true) => break self.skip_key()?,
                    (Some(b','), false) => break,
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        open >>= 1;
                        depth = depth.saturating_sub(1);
                    }
                    _ => return Err(NotJson),
                }
            }
        }
    }

    /// Nothing but white space is left.
    pub(crate) fn end(mut self) -> Result<(), NotJson> {
        if self.peek().is_none() { Ok(()) } else { Err(NotJson) }
    }

    fn enter(&mut self) -> Result<(), NotJson> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH { Err(NotJson) } else { Ok(()) }
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn position(&self) -> usize {
        self.text.len().saturating_sub(self.rest.len())
    }

    fn since(&self, from: usize) -> Result<&'a str, NotJson> {
        self.text.get(from..self.position()).ok_or(NotJson)
    }

    fn skip_white_space(&mut self) {
        // Hardly any client sends white space: one comparison tells.
        if self.rest.first().is_some_and(|first| *first > b' ') {
            return;
        }
        while let [b' ' | b'\n' | b'\r' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn next_byte(&mut self) -> Option<u8> {
        self.skip_white_space();
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotJson> {
        if self.next_byte() == Some(byte) { Ok(()) } else { Err(NotJson) }
    }

    fn skip_key(&mut self) -> Result<(), NotJson> {
        self.expect(b'"')?;
        self.skip_string()?;
        self.expect(b':')
    }

    fn skip_literal(&mut self, rest_of_it: &[u8]) -> Result<(), NotJson> {
        self.rest = self.rest.strip_prefix(rest_of_it).ok_or(NotJson)?;
        Ok(())
    }

    /// The rest of a string, its closing quote included. Says whether it has escapes.
    fn skip_string(&mut self) -> Result<bool, NotJson> {
        let mut escaped = false;
        loop {
            self.rest = after_plain(self.rest);
            match self.rest {
                [b'"', rest @ ..] => {
                    self.rest = rest;
                    return Ok(escaped);
                }
                [b'\\', rest @ ..] => {
                    self.rest = after_escape(rest).ok_or(NotJson)?;
                    escaped = true;
                }
                _ => return Err(NotJson),
            }
        }
    }

    fn skip_number(&mut self, first: u8) -> Result<(), NotJson> {
        let first = if first == b'-' { self.rest.split_first().ok_or(NotJson)? } else { (&first, self.rest) };
        self.rest = match first {
            (b'0', rest) => rest,
            (b'1'..=b'9', rest) => after_digits(rest),
            _ => return Err(NotJson),
        };
        if let [b'.', rest @ ..] = self.rest {
            self.rest = after_some_digits(rest)?;
        }
        if let [b'e' | b'E', b'+' | b'-', rest @ ..] | [b'e' | b'E', rest @ ..] = self.rest {
            self.rest = after_some_digits(rest)?;
        }
        Ok(())
    }
}

fn after_digits(mut text: &[u8]) -> &[u8] {
    while let [b'0'..=b'9', rest @ ..] = text {
        text = rest;
    }
    text
}

fn after_some_digits(text: &[u8]) -> Result<&[u8], NotJson> {
    let rest = after_digits(text);
    if rest.len() == text.len() { Err(NotJson) } else { Ok(rest) }
}

/// What follows the bytes that stand for themselves in a string: a quote, a backslash, or a control character.
fn after_plain(mut text: &[u8]) -> &[u8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    // Eight bytes at a time. Subtracting borrows into the high bit of a byte that is below; the lowest such byte is
    // exact, those above it may be false alarms of the borrow.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES.wrapping_mul(limit)) & !word & HIGH_BITS;
    let equal = |word: u64, byte: u8| below(word ^ ONES.wrapping_mul(byte.into()), 1);
    while let Some((chunk, rest)) = text.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let special = below(word, 0x20) | equal(word, b'"') | equal(word, b'\\');
        if special != 0 {
            let plain = usize::try_from(special.trailing_zeros() / 8).unwrap_or_default();
            return text.get(plain..).unwrap_or_default();
        }
        text = rest;
    }
    while let [byte, rest @ ..] = text {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        text = rest;
    }
    text
}

/// What follows an escape whose backslash was read.
fn after_escape(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => Some(rest),
        [b'u', rest @ ..] => {
            let (unit, rest) = code_unit(rest)?;
            match unit {
                0xD800..=0xDBFF => {
                    let (low, rest) = code_unit(rest.strip_prefix(b"\\u")?)?;
                    (0xDC00..=0xDFFF).contains(&low).then_some(rest)
                }
                0xDC00..=0xDFFF => None,
                _ => Some(rest),
            }
        }
        _ => None,
    }
}

fn code_unit(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<4>()?;
    let unit =
        digits.iter().try_fold(0_u32, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))?;
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IgnoredAny;

    fn accepts(text: &str) -> bool {
        let mut scanner = Scanner::new(text);
        scanner.value().and_then(|_| scanner.end()).is_ok()
    }

    #[track_caller]
    fn agrees(text: &str) {
        // The one difference that is wanted: serde_json skips half surrogate pairs.
        let theirs = serde_json::from_str::<IgnoredAny>(text).is_ok();
        assert_eq!(accepts(text), theirs, "{text:?}");
    }

    #[test]
    fn texts_are_json_exactly_when_another_parser_says_so() {
        let values = [
            "",
            " ",
            "0",
            "-0",
            "-",
            "00",
            "01",
            "1.",
            "1.0",
            ".5",
            "1e5",
            "1E+5",
            "1e-5",
            "1e",
            "1e+",
            "-1.5e3",
            "+1",
            "1x",
            "true",
            "tru",
            "truee",
            "false",
            "null",
            "nul",
            "nan",
            "Infinity",
            "\"\"",
            "\"",
            "\"a",
            "\"a\"b",
            "\"\\n\"",
            "\"\\x\"",
            "\"\\u00e9\"",
            "\"\\u00g0\"",
            "\"\\u00\"",
            "\"\\",
            "\"\t\"",
            "\"\u{7f}é日本\"",
            "\"12345678\"",
            "\"1234567\\\"8\"",
            "\"\\ud83d\\ude00\"",
            "[]",
            "[ ]",
            "[1]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1,2]",
            "[",
            "]",
            "[}",
            "{}",
            "{ }",
            "{\"a\":1}",
            "{\"a\":1,}",
            "{\"a\" :\r\n1}",
            "{\"a\":}",
            "{\"a\"}",
            "{a:1}",
            "{1:1}",
            "{\"a\":1 \"b\":2}",
            "{",
            "}",
            "{]",
            "[[],{}]",
            "[{\"a\":[1,{\"b\":\"]\"}]}]",
            "{\"a\":{\"b\":{}}}x",
            "\u{feff}{}",
            "'a'",
            "//",
            "\"\u{1}\"",
            "\"abcdefg\u{1}\"",
        ];
        for value in values {
            agrees(value);
            agrees(&format!(" {value} "));
            agrees(&format!("[{value}]"));
            agrees(&format!("{{\"k\":{value}}}"));
            for cut in 0..value.len() {
                value.get(..cut).into_iter().for_each(agrees);
            }
        }
    }

    #[test]
    fn half_surrogate_pairs_are_refused() {
        for text in [
            r"\ud800",
            r"\udc00",
            r"\ud800\ud800",
            r"\ud83dx\ude00",
            r"\ude00\ud83d",
            r"\ud800\n",
            r"\ud800\u0041",
        ] {
            assert!(!accepts(&format!("[\"{text}\"]")), "{text}");
        }
        assert!(accepts(r#""\\ud800""#));
    }

    #[test]
    fn nesting_counts_from_the_outermost_object() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(accepts(&nested(128)) && !accepts(&nested(129)) && !accepts(&nested(100_000)));
        let inside = |levels: usize| {
            let text = format!("{{\"k\":{}}}", nested(levels));
            let mut scanner = Scanner::new(&text);
            scanner.members(|scanner, _| scanner.value().map(|_| ())).is_ok()
        };
        assert!(inside(127) && !inside(128));
    }

    #[test]
    fn every_special_byte_is_found_wherever_it_stands() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for before in 0..20 {
                for after in 0..20 {
                    let mut text = vec![b'x'; before];
                    text.push(special);
                    text.extend(std::iter::repeat_n(0x80, after));
                    assert_eq!(after_plain(&text).len(), after + 1, "{special} after {before}");
                }
            }
        }
        assert_eq!(after_plain(&[0xff; 40]).len(), 0);
    }
}
