//! What the settings of a tool publish.

use mcp_http::{Icon, Json, TaskSupport, ToolSet, tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::Client;

#[track_caller]
fn check(tool: mcp_http::ToolBuilder, expected: &Value) {
    let tools = ToolSet::try_from_tools([tool]).unwrap();
    let result = Client::new(&tools).ask("tools/list", json!({}));
    assert_eq!(serde_json::to_string(&result["tools"][0]).unwrap(), expected.to_string());
}

#[test]
fn a_plain_tool_publishes_its_name_its_description_and_its_schema() {
    /// Does one thing,
    /// and does it well.
    ///
    /// * Or so
    #[tool]
    fn r#do() {}

    check(
        r#do::tool(),
        &json!({
            "name": "do",
            "description": "Does one thing,\nand does it well.\n\n* Or so",
            "inputSchema": { "type": "object", "additionalProperties": false },
        }),
    );
}

#[test]
fn each_setting_is_published_where_clients_look_for_it() {
    fn second() -> Icon {
        Icon::new("https://example.com/2.png")
    }

    /// Is not what is published.
    #[tool(
        "What is published",
        name = "a.b-c_1",
        title = concat!("A", " B"),
        read_only,
        destructive = false,
        idempotent = true,
        open_world = false,
        icons = ["https://example.com/1.png", second()],
        meta = { "com.example/list": [1, null, { "a": true }], "com.example/text": "x" },
        output_schema = { "type": "object" },
        deny_unknown,
    )]
    fn settings(word: String) -> Json<Value> {
        Json(json!({ "word": word }))
    }

    check(
        settings::tool(),
        &json!({
            "name": "a.b-c_1",
            "title": "A B",
            "description": "What is published",
            "icons": [{ "src": "https://example.com/1.png" }, { "src": "https://example.com/2.png" }],
            "inputSchema": {
                "type": "object",
                "additionalProperties": false,
                "properties": { "word": { "type": "string" } },
                "required": ["word"],
            },
            "outputSchema": { "type": "object" },
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
            "_meta": { "com.example/list": [1, null, { "a": true }], "com.example/text": "x" },
        }),
    );
}

#[test]
fn an_output_schema_is_that_of_the_type_in_json() {
    #[derive(Serialize, JsonSchema)]
    struct Answer {
        count: u32,
        next: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    }

    /// Answers.
    #[tool]
    fn answer() -> Result<Json<Answer>, std::fmt::Error> {
        Ok(Json(Answer { count: 0, next: None, hint: None }))
    }

    let tool = answer::tool().build().unwrap();
    let expected = json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
            "next": { "type": ["string", "null"] },
            "hint": { "type": ["string", "null"] },
        },
        "required": ["count", "next"],
    });
    assert_eq!(tool.output_schema(), Some(&expected));
    let tools = ToolSet::try_from_tools([answer::tool()]).unwrap();
    let result = Client::new(&tools).ask("tools/call", json!({ "name": "answer" }));
    assert_eq!(result["structuredContent"], json!({ "count": 0, "next": null }));
}

#[test]
fn what_no_schema_can_be_is_refused_when_the_tool_is_registered() {
    fn not_a_schema() -> Value {
        json!(5)
    }

    /// Takes something.
    #[tool]
    fn wrong(#[param(schema = not_a_schema)] _anything: Value) {}

    let error = wrong::tool().build().unwrap_err().to_string();
    assert!(
        error.contains("/properties/_anything") && error.contains("a schema is an object or a boolean"),
        "{error}"
    );
}

// No doc comment: it would be published.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(transparent)]
struct Percent(u8);

#[test]
fn bounds_hold_for_types_that_the_macro_does_not_know() {
    const MOST: u8 = 100;

    /// Sets the volume.
    #[tool]
    fn volume(#[param(min = 1, max = MOST, header = "Volume")] percent: Percent) -> u8 {
        percent.0
    }

    let tools = ToolSet::try_from_tools([volume::tool()]).unwrap();
    let call = |percent: u8| {
        let params = json!({ "name": "volume", "arguments": { "percent": percent } });
        Client::new(&tools).ask("tools/call", params)["isError"] == json!(true)
    };
    assert!(!call(100));
    assert!(call(101));
    assert!(call(0));
    let schema = volume::tool().build().unwrap().input_schema().to_string();
    assert_eq!(
        schema,
        r#"{"type":"object","properties":{"percent":{"type":"integer","minimum":1,"maximum":100,"x-mcp-header":"Volume"}},"required":["percent"]}"#
    );
}

#[test]
fn a_tool_that_can_be_a_task_says_so_to_the_server_alone() {
    /// Once.
    #[tool(task = "optional")]
    fn optional() {}

    /// Twice.
    #[tool(task = "required")]
    fn required() {}

    /// Never.
    #[tool]
    fn never() {}

    let built = [optional::tool(), required::tool(), never::tool()].map(|tool| tool.build().unwrap());
    let support = built.each_ref().map(mcp_http::Tool::task_support);
    assert_eq!(support, [Some(TaskSupport::Optional), Some(TaskSupport::Required), None]);
    for tool in built {
        assert_eq!(serde_json::to_value(&tool).unwrap().get("execution"), None);
    }
}
