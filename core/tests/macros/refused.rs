//! What does not compile, and what the compiler says.

#[test]
fn wrong_use_is_an_error_that_says_the_way_out() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
