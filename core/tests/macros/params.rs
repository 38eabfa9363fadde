//! What each setting of a tool and of a parameter publishes, and that calls are held to it.

use std::fmt::Display;

use mcp_http::{Finding, ToolBuilder, ToolSet, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::{call, fails, says};

/// The schema of the tool's arguments.
fn schema(tool: ToolBuilder) -> Value {
    tool.build().unwrap().input_schema().clone()
}

fn set(tool: ToolBuilder) -> ToolSet {
    ToolSet::try_from_tools([tool]).unwrap()
}

fn shown(value: Option<impl Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

// Of a tool

#[test]
fn a_tool_is_described_by_its_first_setting_or_else_by_its_doc_comment() {
    /// From the comment.
    #[tool]
    fn commented() {}

    #[tool("From the setting.")]
    fn set() {}

    /// From the comment.
    #[tool("From the setting.", title = "Both")]
    fn both() {}

    /// From the comment.
    #[tool(title = "Both", description = "From the setting.")]
    fn named() {}

    let described = |tool: ToolBuilder| tool.build().unwrap().description().map(str::to_owned);
    assert_eq!(described(commented::tool()).as_deref(), Some("From the comment."));
    for tool in [set::tool(), both::tool(), named::tool()] {
        assert_eq!(described(tool).as_deref(), Some("From the setting."));
    }
}

#[test]
fn a_tool_has_the_name_of_its_function_unless_it_is_given_one() {
    /// Does nothing.
    #[tool]
    #[expect(non_snake_case, reason = "the name is published as it is written")]
    fn getUser_2() {}

    /// Does nothing.
    #[tool(name = "get-user.v2")]
    fn get_user() {}

    assert_eq!(getUser_2::tool().build().unwrap().name(), "getUser_2");
    assert_eq!(get_user::tool().build().unwrap().name(), "get-user.v2");
}

#[test]
fn a_hint_is_published_as_it_was_given_and_no_other_is() {
    /// Has no hint.
    #[tool]
    fn none() {}

    /// Reads.
    #[tool(read_only)]
    fn reads() {}

    /// Destroys.
    #[tool(destructive)]
    fn destroys() {}

    /// Adds.
    #[tool(destructive = false, idempotent)]
    fn adds() {}

    /// Calls.
    #[tool(open_world, read_only = false)]
    fn calls() {}

    let published = |tool: ToolBuilder| json!(tool.build().unwrap()).get("annotations").cloned();
    assert_eq!(published(none::tool()), None);
    assert_eq!(published(reads::tool()), Some(json!({ "readOnlyHint": true })));
    assert_eq!(published(destroys::tool()), Some(json!({ "destructiveHint": true })));
    assert_eq!(published(adds::tool()), Some(json!({ "destructiveHint": false, "idempotentHint": true })));
    assert_eq!(published(calls::tool()), Some(json!({ "readOnlyHint": false, "openWorldHint": true })));
}

// Of a parameter

#[test]
fn a_parameter_is_described_by_its_first_setting_or_else_by_its_doc_comment() {
    /// Does nothing.
    #[tool]
    #[expect(unused_variables, reason = "only the schema is looked at")]
    fn nothing(
        /// From the comment
        commented: String,
        #[param("From the setting")] set: String,
        /// From the comment
        #[param("From the setting", min = 1)]
        both: u8,
        #[param(description = "From the setting")] named: String,
        bare: String,
    ) {
    }

    let published = schema(nothing::tool());
    let described = |name: &str| published["properties"][name].get("description").cloned();
    assert_eq!(described("commented"), Some(json!("From the comment")));
    for name in ["set", "both", "named"] {
        assert_eq!(described(name), Some(json!("From the setting")), "{name}");
    }
    assert_eq!(described("bare"), None);
}

#[test]
fn a_parameter_without_a_description_works_and_is_found_by_the_lint() {
    /// Gives back the word.
    #[tool]
    fn echo(word: String) -> String {
        word
    }

    let tools = set(echo::tool());
    says(&tools, "echo", json!({ "word": "hi" }), "hi");
    let found =
        Finding::UndescribedParameters { tool: "echo".to_owned(), parameters: vec!["word".to_owned()] };
    assert_eq!(tools.lint().findings(), [found]);
}

#[test]
fn one_of_is_published_in_its_order_and_nothing_else_is_taken() {
    /// Picks.
    #[tool]
    fn pick(
        #[param(one_of = ["emea", "apac"])] region: String,
        #[param(one_of = [3, 1])] level: Option<u8>,
    ) -> String {
        format!("{region} {}", shown(level))
    }

    let properties = &schema(pick::tool())["properties"];
    assert_eq!(properties["region"]["enum"], json!(["emea", "apac"]));
    assert_eq!(properties["level"]["enum"], json!([3, 1]));
    let tools = set(pick::tool());
    says(&tools, "pick", json!({ "region": "apac", "level": 1 }), "apac 1");
    says(&tools, "pick", json!({ "region": "emea", "level": "3" }), "emea 3");
    let refused = call(&tools, "pick", json!({ "region": "EMEA", "level": 2 }));
    fails(&refused, r#"/region: expected one of "emea", "apac""#);
    fails(&refused, "/level: expected one of 3, 1");
}

#[test]
fn bounds_are_inclusive_and_hold_when_called() {
    /// Measures.
    #[tool]
    fn measure(
        #[param(min = 1, max = 100)] count: u32,
        #[param(min = -0.5, max = 0.5)] ratio: Option<f64>,
    ) -> String {
        format!("{count} {}", shown(ratio))
    }

    let properties = &schema(measure::tool())["properties"];
    assert_eq!(properties["count"], json!({ "type": "integer", "minimum": 1, "maximum": 100 }));
    assert_eq!(properties["ratio"], json!({ "type": "number", "minimum": -0.5, "maximum": 0.5 }));
    let tools = set(measure::tool());
    says(&tools, "measure", json!({ "count": 1, "ratio": -0.5 }), "1 -0.5");
    says(&tools, "measure", json!({ "count": 100, "ratio": 0.5 }), "100 0.5");
    fails(&call(&tools, "measure", json!({ "count": 0 })), "/count: must be at least 1");
    fails(&call(&tools, "measure", json!({ "count": 101 })), "/count: must be at most 100");
    let refused = call(&tools, "measure", json!({ "count": "101", "ratio": 0.500_001 }));
    fails(&refused, "/count: must be at most 100");
    fails(&refused, "/ratio: must be at most 0.5");
}

/// Sets the alarm.
#[tool]
fn set_alarm(
    #[param(format = "date-time")] at: String,
    #[param(format = "email")] tell: Option<String>,
    #[param(format = "melody")] play: Option<String>,
) -> String {
    format!("{at} {} {}", shown(tell), shown(play))
}

#[test]
fn a_format_is_told_and_not_checked() {
    let properties = &schema(set_alarm::tool())["properties"];
    assert_eq!(properties["at"], json!({ "type": "string", "format": "date-time" }));
    assert_eq!(properties["play"]["format"], "melody");
    let tools = set(set_alarm::tool());
    says(&tools, "set_alarm", json!({ "at": "noon", "tell": "Ann" }), "noon Ann none");
}

#[test]
fn items_are_those_of_the_type_unless_they_are_given() {
    /// Counts.
    #[tool]
    fn count(
        numbers: Vec<u8>,
        #[param(items = { "type": "string", "enum": ["a", "b"] })] letters: Vec<String>,
    ) -> usize {
        numbers.len() + letters.len()
    }

    let properties = &schema(count::tool())["properties"];
    assert_eq!(properties["numbers"]["items"], json!({ "type": "integer", "minimum": 0, "maximum": 255 }));
    assert_eq!(properties["letters"]["items"], json!({ "type": "string", "enum": ["a", "b"] }));
    let tools = set(count::tool());
    says(&tools, "count", json!({ "numbers": [0, 255], "letters": ["b"] }), "3");
    let refused = call(&tools, "count", json!({ "numbers": [1, 256], "letters": ["a", "c"] }));
    fails(&refused, "/numbers/1: must be at most 255");
    fails(&refused, r#"/letters/1: expected one of "a", "b""#);
}

#[test]
fn a_schema_of_its_own_replaces_that_of_the_type_and_the_value_arrives_as_it_is() {
    fn point() -> Value {
        json!({
            "type": "object",
            "properties": { "x": { "type": "number" } },
            "required": ["x"],
        })
    }

    /// Gives back what it was given.
    #[tool]
    fn mirror(
        #[param(schema = point)] at: Value,
        #[param(schema = { "minLength": 2 })] any: Value,
    ) -> String {
        format!("{at} {any}")
    }

    let properties = &schema(mirror::tool())["properties"];
    assert_eq!((&properties["at"], &properties["any"]), (&point(), &json!({ "minLength": 2 })));
    let tools = set(mirror::tool());
    says(
        &tools,
        "mirror",
        json!({ "at": { "y": [null], "x": 1.50 }, "any": 5 }),
        r#"{"y":[null],"x":1.5} 5"#,
    );
    let refused = call(&tools, "mirror", json!({ "at": {}, "any": "a" }));
    fails(&refused, "/at/x: missing, but required");
    fails(&refused, "/any: must have at least 2 characters");
}

#[test]
fn null_is_for_an_option_to_be_absent_and_for_a_nullable_parameter_a_value() {
    /// Renames.
    #[tool]
    fn rename(from: String, to: Option<String>, #[param(nullable)] owner: Option<String>) -> String {
        format!("{from} {} {}", shown(to), shown(owner))
    }

    let published = schema(rename::tool());
    assert_eq!(published["properties"]["to"]["type"], "string");
    assert_eq!(published["properties"]["owner"]["type"], json!(["string", "null"]));
    assert_eq!(published["required"], json!(["from", "owner"]));
    let tools = set(rename::tool());
    says(&tools, "rename", json!({ "from": "a", "to": null, "owner": null }), "a none none");
    says(&tools, "rename", json!({ "from": "a", "to": "b", "owner": "c" }), "a b c");
    fails(&call(&tools, "rename", json!({ "from": "a" })), "/owner: missing, but required");
    let refused = call(&tools, "rename", json!({ "from": null, "owner": null }));
    fails(&refused, "/from: expected a string, got null");
}

#[derive(Serialize, Deserialize, JsonSchema, Debug, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    VerySlow,
    #[serde(rename = "rapid")]
    Fast,
}

#[test]
fn a_text_is_the_variant_of_its_enum_before_the_tool_runs() {
    /// Runs.
    #[tool]
    fn run(mode: Mode) -> String {
        format!("{mode:?}")
    }

    assert_eq!(schema(run::tool())["properties"]["mode"]["enum"], json!(["very-slow", "rapid"]));
    let tools = set(run::tool());
    says(&tools, "run", json!({ "mode": "very-slow" }), "VerySlow");
    says(&tools, "run", json!({ "mode": "rapid" }), "Fast");
    for other in ["Fast", "fast", "VerySlow", "slow"] {
        fails(
            &call(&tools, "run", json!({ "mode": other })),
            r#"/mode: expected one of "very-slow", "rapid""#,
        );
    }
}

#[test]
fn arguments_are_bound_by_their_names_in_any_order() {
    /// Subtracts.
    #[tool]
    fn subtract(from: i64, what: i64, #[param(name = "times")] count: i64) -> i64 {
        from - what * count
    }

    let tools = set(subtract::tool());
    for arguments in [
        json!({ "from": 10, "what": 3, "times": 2 }),
        json!({ "times": 2, "what": 3, "from": 10 }),
        json!({ "what": 3, "from": 10, "times": 2 }),
    ] {
        says(&tools, "subtract", arguments, "4");
    }
    fails(&call(&tools, "subtract", json!({ "from": 1, "what": 2, "count": 3 })), "/times: missing");
}
