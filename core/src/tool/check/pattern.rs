//! Patterns that are matched in a time that is linear in the text.
//!
//! The `jsonschema` crate matches with `fancy-regex`. That gives a pattern whole to `regex`, which is linear, unless
//! there is something in it that needs backtracking. Whatever does is refused here.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{AssertionKind, Ast, ErrorKind, Visitor, visit};

const LOOK_AROUND: &str = "look-around may take exponential time: \
    give each condition a pattern of its own, under allOf or not";
const BACK_REFERENCE: &str = "a back-reference may take exponential time: \
    write a pattern without one, and let the tool check the rest";
const POSSESSIVE: &str = "a quantifier right after a quantifier may take exponential time: \
    put what it repeats in a group";
const HALF_BOUNDARY: &str = "half of a word boundary may take exponential time: write \\b";

/// Refuses what would be matched with backtracking, and says why. What is no pattern at all passes.
pub(super) fn check(pattern: &str) -> Result<(), &'static str> {
    // As the crate reads it: it translates ECMA 262 to Rust first, which leaves the following two as they are.
    let Ok(pattern) = jsonschema_regex::to_rust_regex(pattern) else { return Ok(()) };
    match Parser::new().parse(&pattern) {
        Ok(ast) => visit(&ast, Linear),
        Err(error) if *error.kind() == ErrorKind::UnsupportedBackreference => Err(BACK_REFERENCE),
        Err(_) => Err(LOOK_AROUND),
    }
}

/// What `regex` takes, but `fancy-regex` reads as something else.
struct Linear;

impl Visitor for Linear {
    type Output = ();
    type Err = &'static str;

    fn finish(self) -> Result<(), Self::Err> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        use AssertionKind::{WordBoundaryEndHalf, WordBoundaryStartHalf};
        if let Ast::Repetition(outer) = ast
            && let Ast::Repetition(_) = *outer.ast
        {
            return Err(POSSESSIVE);
        }
        if let Ast::Assertion(assertion) = ast
            && matches!(assertion.kind, WordBoundaryStartHalf | WordBoundaryEndHalf)
        {
            return Err(HALF_BOUNDARY);
        }
        Ok(())
    }
}
