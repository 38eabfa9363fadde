//! Numbers as JSON Schema sees them: 1 and 1.0 are one value, and no comparison goes through a rounded float.

use std::cmp::Ordering;

use serde_json::Number;

/// From here on a float may stand for another integer than the one that was written.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0; // 2^53

/// A number to compare with another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Numeric {
    Integer(i128),
    Float(f64),
    /// Further from zero than any float. Only `serde_json/arbitrary_precision` can hold it.
    Beyond {
        negative: bool,
    },
}

impl Numeric {
    pub(super) fn of(number: &Number) -> Self {
        if let Some(integer) = number.as_i64() {
            Self::Integer(integer.into())
        } else if let Some(integer) = number.as_u64() {
            Self::Integer(integer.into())
        } else if let Some(float) = number.as_f64() {
            Self::Float(float)
        } else {
            Self::Beyond { negative: number.to_string().starts_with('-') }
        }
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(left), Self::Integer(right)) => left.cmp(&right),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(&right).unwrap_or(Ordering::Equal),
            (Self::Integer(left), Self::Float(right)) => compare_with_float(left, right),
            (Self::Float(left), Self::Integer(right)) => compare_with_float(right, left).reverse(),
            (Self::Beyond { negative }, _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (_, Self::Beyond { negative }) => {
                if negative {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
        }
    }
}

fn compare_with_float(integer: i128, float: f64) -> Ordering {
    const FAR: f64 = 1e30; // beyond 64 bits, within 128
    if float >= FAR {
        return Ordering::Less;
    }
    if float <= -FAR {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    let fraction = float - whole;
    integer.cmp(&(whole as i128)).then_with(|| 0.0.partial_cmp(&fraction).unwrap_or(Ordering::Equal))
}

pub(super) fn equal(left: &Number, right: &Number) -> bool {
    match (Numeric::of(left), Numeric::of(right)) {
        (Numeric::Beyond { .. }, _) | (_, Numeric::Beyond { .. }) => false,
        (left, right) => left.compare(right) == Ordering::Equal,
    }
}

/// Whether there is no fraction: `25.0` is an integer.
pub(super) fn is_integral(number: &Number) -> bool {
    if is_64_bit(number) {
        return true;
    }
    match number.as_f64() {
        Some(float) => float.fract() == 0.0,
        None => number.to_string().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'),
    }
}

/// Whether it is written as an integer, and 64 bits hold it.
pub(super) fn is_64_bit(number: &Number) -> bool {
    number.is_i64() || number.is_u64()
}

/// `25.0` as `25`. `None` where the float may be a rounded one, or has a fraction.
pub(super) fn as_exact_integer(number: &Number) -> Option<Number> {
    let float = number.as_f64()?;
    (float.fract() == 0.0 && float.abs() < FIRST_INEXACT).then(|| Number::from(float as i64))
}

/// The number that a text spells, if printing the number gives the same text again.
///
/// Zeros at the end of a fraction may be there or not: `2.50` is `2.5`.
pub(super) fn from_text(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !fraction.is_none_or(all_digits) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    if fraction.is_none() {
        if text == "-0" {
            return None;
        }
        if let Ok(integer) = text.parse::<i64>() {
            return Some(integer.into());
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Some(integer.into());
        }
    }
    let float = text.parse::<f64>().ok()?;
    let same = fraction.map_or(text, |_| text.trim_end_matches('0').trim_end_matches('.'));
    (float.to_string() == same).then(|| Number::from_f64(float)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[track_caller]
    fn compares(left: &str, right: &str, expected: Ordering) {
        let (left, right) = (Numeric::of(&number(left)), Numeric::of(&number(right)));
        assert_eq!(left.compare(right), expected);
        assert_eq!(right.compare(left), expected.reverse());
    }

    #[test]
    fn integers_and_floats_compare_exactly() {
        compares("1", "1.0", Ordering::Equal);
        compares("0", "-0.0", Ordering::Equal);
        compares("1", "1.5", Ordering::Less);
        compares("-1", "-1.5", Ordering::Greater);
        compares("9007199254740993", "9007199254740992.0", Ordering::Greater);
        compares("18446744073709551615", "18446744073709551616", Ordering::Less);
        compares("-9223372036854775808", "-9223372036854775808.0", Ordering::Equal);
        compares("18446744073709551615", "1e300", Ordering::Less);
        compares("-5", "-1e300", Ordering::Greater);
    }

    #[track_caller]
    fn reads(text: &str, expected: Option<&str>) {
        match (from_text(text), expected.map(number)) {
            (None, None) => {}
            (Some(read), Some(expected)) => assert!(equal(&read, &expected), "{text:?}: {read}"),
            (read, _) => panic!("{text:?}: {read:?}"),
        }
    }

    #[test]
    fn a_text_is_a_number_when_it_comes_back_the_same() {
        for text in ["0", "25", "-3", "2.5", "-0.5", "0.1", "9007199254740993", "100000000000000000000"] {
            reads(text, Some(text));
        }
        reads("9223372036854775807", Some("9223372036854775807"));
        reads("-9223372036854775808", Some("-9223372036854775808"));
        reads("18446744073709551615", Some("18446744073709551615"));
        reads("19.90", Some("19.9"));
    }

    #[test]
    fn a_text_that_is_written_in_another_way_is_no_number() {
        for text in [
            "", " ", "-", "+5", "025", "-025", "00", "-0", "1e3", "1E3", "0x10", " 25 ", "25 ", "2.", ".5",
            "1.2.3", "1_000", "1,000", "--1", "NaN", "inf", "Infinity", "true", "٢٥", "25\n", "25\0",
        ] {
            reads(text, None);
        }
    }

    #[test]
    fn a_text_that_no_number_holds_exactly_is_no_number() {
        for text in
            ["18446744073709551617", "123456789012345678901234567890", "0.1000000000000000055511151231257827"]
        {
            reads(text, None);
        }
    }

    #[test]
    fn a_float_becomes_an_integer_only_where_it_cannot_have_been_rounded() {
        #[track_caller]
        fn becomes(text: &str, expected: Option<i64>) {
            assert_eq!(as_exact_integer(&number(text)), expected.map(Number::from), "{text}");
        }
        becomes("25.0", Some(25));
        becomes("-1e3", Some(-1000));
        becomes("-0.0", Some(0));
        becomes("9007199254740991.0", Some(9_007_199_254_740_991));
        becomes("9007199254740993.0", None);
        becomes("1e20", None);
        becomes("25.5", None);
    }
}
