//! What holds for schemas that the `jsonschema` crate checks, whatever it does by default.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{compiled, try_compiled};
use crate::tool::schema::SchemaError;

const DIALECTS: [&str; 3] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
];

/// The schema in each dialect, with a keyword that is not walked and says nothing.
fn in_each_dialect(schema: &Value) -> impl Iterator<Item = Value> {
    DIALECTS.iter().map(move |dialect| {
        let mut schema = schema.clone();
        schema["$schema"] = json!(dialect);
        schema["not"] = json!({ "multipleOf": 7e-300, "type": "number" });
        schema
    })
}

#[track_caller]
fn taken(schema: &Value, value: &Value) {
    for schema in in_each_dialect(schema) {
        if let Err(violations) = compiled(&schema).check(value) {
            panic!("{schema}\n{value}{}", violations.report(""));
        }
    }
}

#[track_caller]
fn refused(schema: &Value, value: &Value) {
    for schema in in_each_dialect(schema) {
        assert!(compiled(&schema).check(value).is_err(), "{schema}\n{value}");
    }
}

// Formats

const FORMATS: [&str; 20] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "uri-template",
    "iri",
    "iri-reference",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "no-format",
];

#[test]
fn a_format_is_an_annotation_in_every_dialect() {
    let wrong = json!("{ \u{0} [ no @ such :// thing\\");
    for format in FORMATS {
        let text = json!({ "type": "string", "format": format });
        taken(&text, &wrong);
        taken(&json!({ "properties": { "a/b": { "items": text } } }), &json!({ "a/b": [wrong] }));
        taken(&json!({ "allOf": [{ "anyOf": [text] }], "not": {} }), &wrong);
        taken(
            &json!({ "patternProperties": { "^a": text }, "propertyNames": text }),
            &json!({ "a\n ": wrong }),
        );
        taken(&json!({ "definitions": { "t": text }, "allOf": [{ "$ref": "#/definitions/t" }] }), &wrong);
        // Under a keyword that nobody knows, and in a document of its own.
        taken(&json!({ "unknown": { "t": text }, "allOf": [{ "$ref": "#/unknown/t" }] }), &wrong);
        for dialect in DIALECTS {
            let mut embedded = text.clone();
            embedded["$id"] = json!("https://example.com/t");
            embedded["$schema"] = json!(dialect);
            taken(&json!({ "items": embedded }), &json!([wrong]));
        }
    }
}

#[test]
fn a_format_is_a_string() {
    for schema in in_each_dialect(&json!({ "properties": { "a": { "format": 5 } } })) {
        let error = try_compiled(&schema).unwrap_err();
        assert!(matches!(&error, SchemaError::Invalid { at, .. } if at == "/properties/a/format"), "{error}");
    }
}

#[test]
fn what_is_named_like_a_keyword_is_none() {
    for name in ["format", "pattern", "const", "enum", "default", "examples", "properties"] {
        let schema =
            json!({ "properties": { name: { "type": "string", "format": "date", "maxLength": 3 } } });
        taken(&schema, &json!({ name: "a" }));
        refused(&schema, &json!({ name: "long" }));
        refused(&schema, &json!({ name: 5 }));
        refused(&json!({ "properties": { name: false } }), &json!({ name: 5 }));
        refused(&json!({ "required": [name] }), &json!({}));
        refused(&json!({ "properties": {}, "additionalProperties": false }), &json!({ name: 5 }));
        refused(&json!({ "patternProperties": { name: false } }), &json!({ name: 5 }));
    }
    let needs = json!({ "dependencies": { "format": ["pattern"], "pattern": { "minProperties": 3 } } });
    refused(&needs, &json!({ "format": 1 }));
    refused(&needs, &json!({ "format": 1, "pattern": 1 }));
    taken(&needs, &json!({ "format": 1, "pattern": 1, "more": 1 }));
}

#[test]
fn values_are_left_as_they_are() {
    let value = json!({ "format": "date", "pattern": "(?=a)", "properties": { "x": { "format": "date" } } });
    let less = json!({ "pattern": "(?=a)", "properties": { "x": {} } });
    for schema in [
        json!({ "const": value, "default": value, "examples": [value] }),
        json!({ "enum": [value, 1] }),
        json!({ "properties": { "const": { "const": value } } }),
    ] {
        let of = |value: &Value| match schema.get("properties") {
            None => value.clone(),
            Some(_) => json!({ "const": value }),
        };
        taken(&schema, &of(&value));
        refused(&schema, &of(&less));
    }
}

// Patterns

/// The constructs that need backtracking, and the beginning of what is said about them.
const BACKTRACKING: [(&str, &str); 17] = [
    ("(?=a)", "look-around"),
    ("(?!a)", "look-around"),
    ("(?<=a)b", "look-around"),
    ("(?<!a)b", "look-around"),
    (r"^(?=.*\d)(?=.*[a-z]).{8,}$", "look-around"),
    (r"[[](?=a)", "look-around"),
    (r"((a(?:b(?!c))))", "look-around"),
    (r"(a)\1", "a back-reference"),
    (r"(a)(b)\2\1", "a back-reference"),
    ("a++b", "a quantifier"),
    ("a*+b", "a quantifier"),
    ("a?+b", "a quantifier"),
    ("a{2,}+b", "a quantifier"),
    ("(?:x(a|b)++)*y", "a quantifier"),
    ("(?x) a + + b", "a quantifier"),
    (r"\b{start-half}a", "half of a word boundary"),
    (r"a\b{end-half}", "half of a word boundary"),
];

/// The pattern at every place that may have one.
fn places(pattern: &str) -> [(Value, String); 6] {
    let name = pattern.replace('~', "~0").replace('/', "~1");
    [
        (json!({ "pattern": pattern }), "/pattern".to_owned()),
        (json!({ "items": { "allOf": [{ "pattern": pattern }] } }), "/items/allOf/0/pattern".to_owned()),
        (json!({ "propertyNames": { "pattern": pattern } }), "/propertyNames/pattern".to_owned()),
        (
            json!({ "definitions": { "a/b": { "pattern": pattern } }, "allOf": [{ "$ref": "#/definitions/a~1b" }] }),
            "/definitions/a~1b/pattern".to_owned(),
        ),
        (json!({ "patternProperties": { pattern: true } }), format!("/patternProperties/{name}")),
        (
            json!({ "unknown": [{ "pattern": pattern }], "allOf": [{ "$ref": "#/unknown/0" }] }),
            "/unknown/0/pattern".to_owned(),
        ),
    ]
}

#[test]
fn a_pattern_that_needs_backtracking_is_refused_with_its_place_and_a_way_out() {
    for (pattern, reason) in BACKTRACKING {
        for (schema, place) in places(pattern) {
            for schema in in_each_dialect(&schema) {
                let error = try_compiled(&schema).expect_err(&schema.to_string());
                let SchemaError::Invalid { at, reason: found } = &error else { panic!("{error}") };
                assert_eq!(*at, place, "{error}");
                let way_out = found.split_once(": ").is_some_and(|(_, way_out)| !way_out.is_empty());
                assert!(found.starts_with(reason) && way_out, "{error}");
            }
        }
    }
}

#[test]
fn what_is_no_pattern_is_refused() {
    for pattern in [
        "(",
        ")",
        "[",
        "a{2,1}",
        "*",
        "a**",
        "(?>a)",
        "(?(1)a|b)",
        r"\K",
        r"\R",
        r"\G",
        r"(?<n>a)\k<n>",
        r"\g<0>",
        "(?<n>a)(?P=n)",
        "(?P>n)",
        "(?~a)",
        "(*FAIL)",
        r"\Z",
        "(?#c)a",
    ] {
        for (schema, _) in places(pattern) {
            for schema in in_each_dialect(&schema) {
                try_compiled(&schema).expect_err(&schema.to_string());
            }
        }
    }
}

#[test]
fn an_ordinary_pattern_is_taken() {
    for pattern in [
        "",
        "a",
        "^$",
        "^[a-z0-9_-]{1,64}$",
        r"^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$",
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        r"^https?://[^\s/$.?#].[^\s]*$",
        "^(([0-9]{1,3}\\.){3}[0-9]{1,3})$",
        "^#([0-9a-fA-F]{3}){1,2}$",
        r"\bword\b.*?\Bend",
        r"^\p{Lu}\p{L}*$",
        r"^[\w.\-+[\]()]*$",
        r"^(\(\d+\)|\d+)?[ \-]*\/$",
        "^(?<year>[0-9]+)-(?:a+|b*|c??)*$",
        "^.{0,5000}$",
        "é+|🦀?|\u{2028}",
    ] {
        for (schema, _) in places(pattern) {
            in_each_dialect(&schema).for_each(|schema| drop(compiled(&schema)));
        }
    }
}

#[test]
fn a_hostile_text_is_matched_in_no_time() {
    // With backtracking these take longer than the universe is old, or are given up.
    let many = "x".repeat(20_000);
    for (pattern, end) in [
        ("^(x+)+$", ""),
        ("(x+x+)+y", "!xxy"),
        ("^(x|x)*$", ""),
        ("^(x|xx)+$", ""),
        ("^(.*)*$", ""),
        ("(x*)*y", "!y"),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", "Xx"),
        (r"^(\w+\s?)*$", " x"),
        (r"\b(x+)+\b!", "!"),
    ] {
        let text = format!("{many}{end}");
        for schema in [json!({ "pattern": pattern }), json!({ "items": { "pattern": pattern } })] {
            let value = |text: &str| if schema.get("items").is_some() { json!([text]) } else { json!(text) };
            for schema in in_each_dialect(&schema) {
                let schema = compiled(&schema);
                assert!(schema.check(&value(&text)).is_ok(), "{pattern}");
                assert!(
                    schema.check(&value(&format!("{text}\n!"))).is_err() || !pattern.ends_with('$'),
                    "{pattern}"
                );
            }
        }
        refused(&json!({ "patternProperties": { pattern: false } }), &json!({ text: 1 }));
    }
}

// What is not touched

#[test]
fn contents_are_checked_in_draft_07_alone() {
    let schema = json!({ "properties": {
        "bytes": { "type": "string", "contentEncoding": "base64" },
        "json": { "type": "string", "contentMediaType": "application/json" },
    } });
    for (schema, dialect) in in_each_dialect(&schema).zip(DIALECTS) {
        let schema = compiled(&schema);
        let asserted = dialect.contains("draft-07");
        assert!(schema.check(&json!({ "bytes": "YQ==", "json": "{}" })).is_ok());
        assert_eq!(schema.check(&json!({ "bytes": "?" })).is_err(), asserted, "{dialect}");
        assert_eq!(schema.check(&json!({ "json": "{" })).is_err(), asserted, "{dialect}");
    }
}

#[test]
fn nothing_is_fetched() {
    for uri in [
        "https://example.com/t",
        "file:///etc/hostname",
        "urn:example:t",
        "other.json",
        "/t",
        "https://json-schema.org/t",
    ] {
        for schema in in_each_dialect(&json!({ "items": { "$ref": uri } })) {
            try_compiled(&schema).expect_err(&schema.to_string());
        }
    }
}

#[test]
fn a_schema_is_of_the_dialect_that_it_names() {
    // The oldest does not know the first, and the newest not the second.
    let dependencies = json!({ "type": "object", "dependentRequired": { "a": ["b"] } });
    for (schema, dialect) in in_each_dialect(&dependencies).zip(DIALECTS) {
        let knows = !dialect.contains("draft-07");
        assert_eq!(compiled(&schema).check(&json!({ "a": 1 })).is_err(), knows, "{dialect}");
    }
    for (schema, dialect) in in_each_dialect(&json!({ "items": [{ "type": "string" }] })).zip(DIALECTS) {
        let knows = !dialect.contains("2020");
        let compiled = try_compiled(&schema);
        assert_eq!(compiled.is_ok_and(|schema| schema.check(&json!([5])).is_err()), knows, "{dialect}");
    }
}

/// Compiled to be matched in linear time.
fn linear(schema: &Value) -> Option<jsonschema::Validator> {
    let options = jsonschema::options().should_validate_formats(false);
    options.with_pattern_options(jsonschema::PatternOptions::regex()).build(schema).ok()
}

proptest! {
    #![proptest_config(super::differential::config())]

    #[test]
    fn a_pattern_means_what_it_means_to_a_linear_engine(
        parts in prop::collection::vec(prop::sample::select(parts()), 1..9),
        texts in prop::collection::vec("[ab_é \n1\\]-]{0,6}", 8),
    ) {
        let pattern = parts.concat();
        for schema in [json!({ "pattern": pattern }), json!({ "patternProperties": { pattern.as_str(): false } })] {
            let ours = try_compiled(&schema);
            match (ours, linear(&schema)) {
                (Ok(ours), Some(linear)) => {
                    for text in &texts {
                        for value in [json!(text), json!({ text: 1 })] {
                            prop_assert_eq!(ours.check(&value).is_ok(), linear.is_valid(&value), "{} {}", schema, value);
                        }
                    }
                }
                (Ok(_), None) => prop_assert!(false, "only the linear engine refuses {}", schema),
                (Err(error), Some(_)) => {
                    let SchemaError::Invalid { reason, .. } = &error else { panic!("{error}") };
                    // The last is of the crate: its engine repeats no empty group, and has other odd classes.
                    let known = reason.starts_with("a quantifier")
                        || reason.starts_with("half of a word boundary")
                        || reason.ends_with("is not a \"regex\"");
                    prop_assert!(known, "{} {}", schema, error);
                }
                (Err(_), None) => {}
            }
        }
    }
}

/// Of which many a pattern can be made, some of them good.
fn parts() -> Vec<&'static str> {
    let parts = r"a b é 1 - _ . ^ $ | # ( ) (?: (?= (?! (?<= (?i) (?i: (?x) (?s) (?m) (?<n> (?P<m>
        [ ] [^ [] [a-b] [^a] [[:alpha:]] && -- ~~ * + ? {2} {1,} {1,2} {,2} *? ++
        \d \D \w \W \s \S \b \B \b{start} \b{start-half} \< \> \A \z \Z \1 \k<n>
        \n \x61 \u0061 \u{61} \p{L} \P{L} \pL \cA \- \] \h \R \K";
    parts.split_whitespace().chain([" ", "\n"]).collect()
}
