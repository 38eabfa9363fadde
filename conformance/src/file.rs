//! JSON files that people write.

use std::path::Path;

use serde::de::DeserializeOwned;

/// Reads a file; what is wrong is told with its place, and with what could stand there.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    parse(&std::fs::read_to_string(path).map_err(|error| error.to_string())?)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // Editors of one system put it there.
    let mut json = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}'));
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let (path, reason) = (error.path().to_string(), error.inner());
        // `?` is a name that is an enum's; the reason has the line and the column.
        if path == "." || path.contains('?') { reason.to_string() } else { format!("at {path}: {reason}") }
    })?;
    json.end().map_err(|error| error.to_string())?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Baseline, Profile};

    #[track_caller]
    fn check<T: DeserializeOwned + std::fmt::Debug>(text: &str, words: &[&str]) {
        let error = parse::<T>(text).unwrap_err();
        for word in words {
            assert!(error.contains(word), "{error} without {word}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place_and_with_what_is_known() {
        let call = r#"{ "calls": { "plain": { "tool": "a", "argument": {} } } }"#;
        check::<Profile>(
            call,
            &["unknown field `argument`", "line 1 column 47", "expected `tool` or `arguments`"],
        );
        check::<Profile>(
            r#"{ "calls": { "plian": { "tool": "a" } } }"#,
            &["unknown variant `plian`", "line 1", "`plain`, `fails`"],
        );
        check::<Profile>("{\n  \"call\": {}\n}", &["at call", "line 2", "`calls`"]);
        check::<Profile>("{} {}", &["trailing characters at line 1 column 4"]);
        check::<Profile>("", &["EOF", "line 1"]);
        let entry = r#"[{ "revision": "2025-11-26", "rule": "a", "reason": "b" }]"#;
        check::<Baseline>(entry, &["at [0].revision", "`2025-11-26`", "`2025-11-25`"]);
        check::<Baseline>(
            r#"[{ "revision": "2025-11-25", "ruel": "a" }]"#,
            &["at [0].ruel", "`revision`, `rule`, `reason`"],
        );
        check::<Baseline>(
            r#"[{ "revision": "2025-11-25", "rule": "a" }]"#,
            &["at [0]", "missing field `reason`"],
        );
        check::<Baseline>("{}", &["expected a sequence"]);
    }
}
