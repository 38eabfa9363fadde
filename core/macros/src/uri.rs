//! The variables of a URI template, as far as they show. What is wrong with a template is told when it is registered.

/// The names in braces, in order.
pub(crate) fn variables(uri: &str) -> Vec<&str> {
    let expressions = uri.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let names = expressions.flat_map(|(expression, _)| {
        expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(',')
    });
    // `{x*}` and `{x:3}` are not served, but the variable is `x`.
    names.map(|name| name.split_once(':').map_or(name, |(name, _)| name).trim_end_matches('*')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, expected: &[&str]) {
        assert_eq!(variables(uri), expected);
    }

    #[test]
    fn variables_are_the_names_in_braces() {
        check("shop://terms", &[]);
        check("shop://orders/{id}", &["id"]);
        check("x:{+path}-{a}{/b}{?c,d}", &["path", "a", "b", "c", "d"]);
        check("x:{list*}/{short:3}", &["list", "short"]);
        check("x:{a}/{open", &["a"]);
    }
}
