//! Rules of other areas that see a mutant for good reason: what breaks every list is seen by all that read lists.

/// Mutants by name, and the rules.
const SEEN: &[(&str, &[&str])] = &[
    (
        "lists are text/plain",
        &[
            "cache-every-page",
            "cache-one-scope",
            "cache-prompts-list",
            "cache-resources-list",
            "cache-templates-list",
            "cache-tools-list",
            "input-only-where-supported",
            "log-level-unknown",
            "tasks-undeclared",
        ],
    ),
    (
        "lists come in an array",
        &[
            "cache-every-page",
            "cache-one-scope",
            "cache-prompts-list",
            "cache-resources-list",
            "cache-templates-list",
            "cache-tools-list",
            "input-only-where-supported",
            "log-level-unknown",
            "tasks-undeclared",
        ],
    ),
    ("202 has a body", &["answer-accepted"]),
    (
        "responses are answered with 200",
        &[
            "answer-accepted",
            "question-asked",
            "question-cancelled",
            "question-declined",
            "question-roots",
            "question-sampling",
        ],
    ),
    (
        "lists are Latin-1",
        &[
            "cache-every-page",
            "cache-one-scope",
            "cache-tools-list",
            "input-only-where-supported",
            "log-level-unknown",
        ],
    ),
    (
        "results are arrays",
        &["cache-prompts-list", "cache-resources-list", "cache-templates-list", "cache-tools-list"],
    ),
    ("results have an error, null", &["log-level-unknown"]),
    ("results have no type", &["log-level-unknown", "tasks-undeclared"]),
    ("results name nobody", &["log-level-unknown", "tasks-undeclared"]),
];

pub(super) fn sees(mutant: &str, rule: &str) -> bool {
    SEEN.iter().any(|(name, rules)| *name == mutant && rules.contains(&rule))
}
