//! A tool can be written in three forms: with parameters, with a struct of them, and as a closure that takes that
//! struct. Clients see the same bytes.

use mcp_http::{Nullable, Tool, ToolBuilder, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[track_caller]
fn same(forms: [ToolBuilder; 3]) -> String {
    let [parameters, structure, closure] =
        forms.map(|form| serde_json::to_string(form.build().unwrap().input_schema()).unwrap());
    assert_eq!(parameters, structure);
    assert_eq!(structure, closure);
    closure
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Region {
    Apac,
    Emea,
}

fn ten() -> u32 {
    10
}

fn half() -> f32 {
    0.5
}

fn apac() -> Region {
    Region::Apac
}

fn anywhere() -> String {
    "anywhere".to_owned()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is looked at")]
struct Everything {
    /// Name or email fragment
    /// to search for
    query: String,
    #[schemars(description = "Maximum number of results", range(min = 1, max = 100))]
    #[serde(default = "ten")]
    limit: u32,
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<Region>,
    #[serde(default = "apac")]
    home: Region,
    #[serde(default = "half")]
    #[schemars(range(max = 1))]
    share: f32,
    /// Who
    #[serde(with = "Nullable::<String>")]
    #[schemars(extend("enum" = ["ann", "bob", null], "format" = "username"))]
    owner: Option<String>,
    #[serde(rename = "type", default = "anywhere")]
    #[schemars(extend("enum" = ["anywhere", "here"]))]
    kind: String,
    r#in: Vec<Option<i64>>,
    #[schemars(extend("items" = {"type": "string", "format": "uri"}))]
    links: Option<Vec<String>>,
    #[serde(default)]
    deep: bool,
    more: Value,
    flag: Option<bool>,
    tags: std::collections::BTreeMap<String, u8>,
    pair: (u8, String),
}

#[tool(deny_unknown)]
#[expect(unused_variables, clippy::too_many_arguments, reason = "only the schema is looked at")]
/// Takes everything.
fn everything(
    /// Name or email fragment
    /// to search for
    query: String,
    #[param("Maximum number of results", default = 10, min = 1, max = 100)] limit: u32,
    #[param(header = "Region")] region: Option<Region>,
    #[param(default = Region::Apac)] home: Region,
    #[param(default = 0.5, max = 1)] share: f32,
    /// Who
    #[param(nullable, one_of = ["ann", "bob"], format = "username")]
    owner: Option<String>,
    #[param(name = "type", default = "anywhere", one_of = ["anywhere", "here"])] kind: String,
    r#in: Vec<Option<i64>>,
    #[param(items = { "type": "string", "format": "uri" })] links: Option<Vec<String>>,
    #[param(default)] deep: bool,
    more: Value,
    flag: Option<bool>,
    tags: std::collections::BTreeMap<String, u8>,
    pair: (u8, String),
) {
}

/// Takes everything.
#[tool(name = "everything")]
fn everything_in_a_struct(#[param(args)] _args: Everything) {}

#[test]
fn the_three_forms_of_a_tool_publish_the_same_bytes() {
    let closure = Tool::builder("everything").handler(|_: Everything| {});
    let schema = same([everything::tool(), everything_in_a_struct::tool(), closure]);
    let expected = [
        r#"{"type":"object","additionalProperties":false,"properties":{"#,
        r#""query":{"type":"string","description":"Name or email fragment\nto search for"},"#,
        r#""limit":{"type":"integer","minimum":1,"description":"Maximum number of results","maximum":100,"default":10},"#,
        r#""region":{"type":"string","enum":["apac","emea"],"x-mcp-header":"Region"},"#,
        r#""home":{"type":"string","enum":["apac","emea"],"default":"apac"},"#,
        r#""share":{"type":"number","maximum":1,"default":0.5},"#,
        r#""owner":{"type":["string","null"],"description":"Who","enum":["ann","bob",null],"format":"username"},"#,
        r#""type":{"type":"string","default":"anywhere","enum":["anywhere","here"]},"#,
        r#""in":{"type":"array","items":{"type":["integer","null"]}},"#,
        r#""links":{"type":"array","items":{"type":"string","format":"uri"}},"#,
        r#""deep":{"type":"boolean","default":false},"#,
        r#""more":{},"#,
        r#""flag":{"type":"boolean"},"#,
        r#""tags":{"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":255}},"#,
        r#""pair":{"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"type":"string"}],"#,
        r#""minItems":2,"maxItems":2}},"#,
        r#""required":["query","owner","in","more","tags","pair"]}"#,
    ];
    assert_eq!(schema, expected.concat());
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[test]
fn without_parameters_all_forms_publish_the_empty_schema() {
    /// Does nothing.
    #[tool]
    fn nothing() {}

    /// Does nothing.
    #[tool]
    fn nothing_in_a_struct(#[param(args)] _args: Nothing) {}

    let schema =
        same([nothing::tool(), nothing_in_a_struct::tool(), Tool::builder("nothing").handler(|| {})]);
    assert_eq!(schema, r#"{"type":"object","additionalProperties":false}"#);
}
