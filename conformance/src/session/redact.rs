/// What stands where a secret was.
pub const REDACTED: &str = "[redacted]";

/// What is kept out of a session file.
///
/// Headers: `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, and every name with `token`, `secret`,
/// `password` or `key` in it. Parameters of queries: those names, `sig` and `code`. Bodies are kept as they are.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    more: Vec<String>,
}

impl Redaction {
    /// Redacts headers and parameters of these names too, in any case.
    pub fn and(names: impl IntoIterator<Item = String>) -> Self {
        Self { more: names.into_iter().collect() }
    }

    /// A header, as it is written.
    pub fn header(&self, name: &str, value: &str) -> String {
        let exact = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
        if exact.iter().any(|exact| name.eq_ignore_ascii_case(exact)) || self.is_secret(name) {
            return REDACTED.to_owned();
        }
        if ["referer", "location"].iter().any(|with_url| name.eq_ignore_ascii_case(with_url)) {
            return self.target(value);
        }
        value.to_owned()
    }

    /// A path with its query, as it is written.
    pub fn target(&self, target: &str) -> String {
        let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
        let parameters = query.split('&').map(|parameter| match parameter.split_once('=') {
            Some((name, _))
                if self.is_secret(name)
                    || ["sig", "code"].iter().any(|exact| name.eq_ignore_ascii_case(exact)) =>
            {
                format!("{name}={REDACTED}")
            }
            _ => parameter.to_owned(),
        });
        format!("{path}?{}", parameters.collect::<Vec<_>>().join("&"))
    }

    fn is_secret(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        ["token", "secret", "password", "key"].iter().any(|part| name.contains(part))
            || self.more.iter().any(|more| name.eq_ignore_ascii_case(more))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_kept_out() {
        let redaction = Redaction::and(["X-Who".to_owned()]);
        for name in
            ["authorization", "Cookie", "SET-COOKIE", "X-Api-Key", "X-Auth-Token", "my-secret", "x-who"]
        {
            assert_eq!(redaction.header(name, "abc"), REDACTED, "{name}");
        }
        for name in ["Accept", "Mcp-Session-Id", "MCP-Protocol-Version"] {
            assert_eq!(redaction.header(name, "abc"), "abc", "{name}");
        }
        assert_eq!(
            redaction.target("/mcp?a=1&access_token=xyz&x-who=me"),
            "/mcp?a=1&access_token=[redacted]&x-who=[redacted]"
        );
        assert_eq!(redaction.header("Referer", "/a?code=7"), "/a?code=[redacted]");
    }
}
