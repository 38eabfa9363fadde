//! What in a set of tools hurts a model or a client, and how large the tools are.
//!
//! The protocol allows all of it, so nothing of it is refused when a tool is registered.

use std::fmt;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::builder::Tool;
use super::schema;
use crate::jsonrpc::write_json;

/// What every API of a model takes, in characters. Those that refuse more refuse the whole request.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;

/// What to look at in a set of tools before it is served: findings, and the size of each tool.
///
/// Printed, it is a line for each finding, which names the tool and the way out, and a table of sizes, the largest
/// first. It suits a test, or a line in the log when the server starts:
///
/// ```
/// use mcp_http::{ToolSet, tool};
///
/// /// Adds two integers.
/// #[tool]
/// fn add(
///     /// The first number
///     a: i64,
///     /// The second number
///     b: i64,
/// ) -> i64 {
///     a.saturating_add(b)
/// }
///
/// let lint = ToolSet::new().with(add::tool())?.lint();
/// assert!(lint.findings().is_empty(), "{lint}");
/// assert!(lint.tokens() < 1000, "{lint}");
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// One kind of finding can be left out with `matches!`:
///
/// ```
/// # use mcp_http::ToolSet;
/// use mcp_http::Finding;
///
/// # let tools = ToolSet::new();
/// let lint = tools.lint();
/// let all_allowed = lint.findings().iter().all(|finding| matches!(finding, Finding::Reference { .. }));
/// assert!(all_allowed, "{lint}");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lint {
    findings: Vec<Finding>,
    sizes: Vec<ToolSize>,
}

/// Something that hurts a model or a client, though the protocol allows it. Printed, it names the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A tool has no description, or an empty one.
    NoDescription {
        /// The tool.
        tool: String,
    },
    /// Parameters have no description, or an empty one.
    ///
    /// A parameter that takes one value only needs none.
    UndescribedParameters {
        /// The tool.
        tool: String,
        /// `guest`, `guest.name`, `rooms[].number`; below `$defs`, the definition comes first: `Node.name`.
        parameters: Vec<String>,
    },
    /// A description has more than 1,024 characters: OpenAI's API refuses it for some models, and clients cut it.
    LongDescription {
        /// The tool.
        tool: String,
        /// How many it has.
        characters: usize,
    },
    /// A name has more than 64 characters, which the APIs of most models refuse.
    LongName {
        /// The tool.
        tool: String,
    },
    /// A name starts or ends with `_`, or contains `__`.
    ///
    /// Clients put the name of the server before that of the tool: `acme_` with `status` is `acme` with `_status`.
    Underscores {
        /// The tool.
        tool: String,
    },
    /// Names differ in nothing but case and what is not an ASCII letter or digit.
    AlikeNames {
        /// The tools, two at least.
        tools: Vec<String>,
    },
    /// The root of an input schema has `oneOf`, `anyOf` or `allOf`.
    ///
    /// Anthropic's and OpenAI's API refuse a request with such a tool, so that no other one works either.
    RootCombinator {
        /// The tool.
        tool: String,
        /// Which one.
        keyword: &'static str,
    },
    /// A schema of the tool has references, which some clients do not follow.
    ///
    /// Schemas of types have one only where a type holds itself.
    Reference {
        /// The tool.
        tool: String,
        /// Where they lead: `#/$defs/Node`.
        references: Vec<String>,
    },
}

/// What a tool takes of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSize {
    tool: String,
    bytes: usize,
}

impl Lint {
    /// Looks at tools that are kept elsewhere than in a [`ToolSet`](super::ToolSet).
    #[must_use]
    pub fn of<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> Self {
        let mut lint = Self::default();
        let mut alike = IndexMap::<String, Vec<String>>::new();
        for tool in tools {
            look_at(tool, &mut lint.findings);
            alike.entry(essence(tool.name())).or_default().push(tool.name().to_owned());
            lint.sizes.push(ToolSize::of(tool));
        }
        let alike = alike.into_values().filter(|tools| tools.len() > 1);
        lint.findings.extend(alike.map(|tools| Finding::AlikeNames { tools }));
        lint
    }

    /// What was found, tool by tool in the order of the list; names that are alike come last.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The size of every tool, in the order of the list.
    #[must_use]
    pub fn sizes(&self) -> &[ToolSize] {
        &self.sizes
    }

    /// The size of all tools together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.sizes.iter().map(ToolSize::bytes).sum()
    }

    /// The size of all tools together, in tokens: see [`ToolSize::tokens`].
    #[must_use]
    pub fn tokens(&self) -> usize {
        tokens(self.bytes())
    }
}

impl ToolSize {
    fn of(tool: &Tool) -> Self {
        let mut out = Vec::new();
        write_json(&mut out, tool);
        Self { tool: tool.name().to_owned(), bytes: out.len() }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The size of its JSON in `tools/list` of the newest revision.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// About how much of a model's context that is: a fourth of the bytes. An estimate, since clients leave out what
    /// they like, and models count in their own way.
    #[must_use]
    pub fn tokens(&self) -> usize {
        tokens(self.bytes)
    }
}

fn tokens(bytes: usize) -> usize {
    bytes / 4
}

fn look_at(tool: &Tool, findings: &mut Vec<Finding>) {
    let name = || tool.name().to_owned();
    if tool.name().chars().count() > MAX_NAME {
        findings.push(Finding::LongName { tool: name() });
    }
    if tool.name().starts_with('_') || tool.name().ends_with('_') || tool.name().contains("__") {
        findings.push(Finding::Underscores { tool: name() });
    }
    let description = tool.description().unwrap_or_default();
    let characters = description.chars().count();
    if description.trim().is_empty() {
        findings.push(Finding::NoDescription { tool: name() });
    } else if characters > MAX_DESCRIPTION {
        findings.push(Finding::LongDescription { tool: name(), characters });
    }
    let parameters = undescribed(tool.input_schema());
    if !parameters.is_empty() {
        findings.push(Finding::UndescribedParameters { tool: name(), parameters });
    }
    let mut combinators = ["oneOf", "anyOf", "allOf"].into_iter();
    if let Some(keyword) = combinators.find(|keyword| tool.input_schema().get(keyword).is_some()) {
        findings.push(Finding::RootCombinator { tool: name(), keyword });
    }
    let references = references([Some(tool.input_schema()), tool.output_schema()].into_iter().flatten());
    if !references.is_empty() {
        findings.push(Finding::Reference { tool: name(), references });
    }
}

/// What is left of a name where a client keeps letters and digits only, in one case.
fn essence(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The properties that are described nowhere in the schema.
fn undescribed(schema: &Value) -> Vec<String> {
    let mut properties = IndexMap::new();
    collect_properties(schema, "", schema, &mut properties);
    properties.into_iter().filter(|(_, described)| !described).map(|(path, _)| path).collect()
}

/// Every property that a schema declares, by its path, and whether it is described.
///
/// One that stands in several branches is described if it is in one of them. What only states a condition declares
/// nothing: `if`, `not`, `contains`.
fn collect_properties(schema: &Value, path: &str, root: &Value, found: &mut IndexMap<String, bool>) {
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let named = || value.as_object().into_iter().flatten();
        match keyword.as_str() {
            "properties" => {
                for (name, property) in named() {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    *found.entry(path.clone()).or_default() |= needs_no_description(property, root);
                    collect_properties(property, &path, root, found);
                }
            }
            "$defs" | "definitions" => {
                named().for_each(|(name, schema)| collect_properties(schema, name, root, found));
            }
            "patternProperties" => {
                let path = format!("{path}.*");
                named().for_each(|(_, schema)| collect_properties(schema, &path, root, found));
            }
            "additionalProperties" => collect_properties(value, &format!("{path}.*"), root, found),
            "dependentSchemas" => {
                named().for_each(|(_, schema)| collect_properties(schema, path, root, found));
            }
            "items" | "prefixItems" => {
                let path = format!("{path}[]");
                each(value).for_each(|schema| collect_properties(schema, &path, root, found));
            }
            "anyOf" | "oneOf" | "allOf" | "then" | "else" => {
                each(value).for_each(|schema| collect_properties(schema, path, root, found));
            }
            _ => {}
        }
    }
}

/// A schema, or the schemas of a list.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    let list = value.as_array();
    list.into_iter().flatten().chain(list.is_none().then_some(value))
}

/// Whether a property is described, by itself or where it refers to, or leaves nothing to describe.
fn needs_no_description(property: &Value, root: &Value) -> bool {
    let is_described = |schema: &Value| {
        schema.get("description").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    let target = || root.pointer(property.get("$ref")?.as_str()?.strip_prefix('#')?);
    property.get("const").is_some()
        || *property == Value::Bool(false)
        || is_described(property)
        || target().is_some_and(is_described)
}

/// Where the references in schemas lead, each once.
fn references<'a>(schemas: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let mut found = IndexSet::new();
    for schema in schemas {
        schema::visit(schema, 0, &mut |subschema, _| {
            let keywords = ["$ref", "$dynamicRef", "$recursiveRef"].into_iter();
            found.extend(keywords.filter_map(|keyword| Some(subschema.get(keyword)?.as_str()?.to_owned())));
            true
        });
    }
    found.into_iter().collect()
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDescription { tool } => write!(
                f,
                "tool {tool:?}: it has no description, which is what a model chooses by; write a doc comment, or \
                 call `description`"
            ),
            Self::UndescribedParameters { tool, parameters } => write!(
                f,
                "tool {tool:?}: no description of {}; write doc comments, or \"description\" in the schema",
                Quoted(parameters)
            ),
            Self::LongDescription { tool, characters } => write!(
                f,
                "tool {tool:?}: the description has {characters} characters, and some APIs refuse more than \
                 {MAX_DESCRIPTION}; move what is about a parameter to that parameter"
            ),
            Self::LongName { tool } => write!(
                f,
                "tool {tool:?}: the name has more than {MAX_NAME} characters, which many APIs refuse; shorten it"
            ),
            Self::Underscores { tool } => write!(
                f,
                "tool {tool:?}: with the server's name and '_' before it, an outer or double '_' leaves open where \
                 it starts; rename it"
            ),
            Self::AlikeNames { tools } => write!(
                f,
                "tools {}: some clients take these for one name; tell them apart by a letter or digit",
                Quoted(tools)
            ),
            Self::RootCombinator { tool, keyword } => write!(
                f,
                "tool {tool:?}: some APIs refuse an input schema with {keyword:?} at its root, and all tools with \
                 it; move it into a parameter, or check it in the handler"
            ),
            Self::Reference { tool, references } => write!(
                f,
                "tool {tool:?}: some clients do not follow {}; inline what references lead to, and let a type that \
                 holds itself end after some levels",
                Quoted(references)
            ),
        }
    }
}

/// Texts in quotes, with commas between them.
struct Quoted<'a>(&'a [String]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, text)| {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{text:?}")
        })
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        if !self.findings.is_empty() {
            writeln!(f)?;
        }
        let mut sizes: Vec<_> = self.sizes.iter().collect();
        sizes.sort_by_key(|size| std::cmp::Reverse(size.bytes));
        writeln!(f, "{:>8} {:>8}  tool", "bytes", "~tokens")?;
        for size in sizes {
            writeln!(f, "{:>8} {:>8}  {}", size.bytes(), size.tokens(), size.tool())?;
        }
        let (count, s) = (self.sizes.len(), if self.sizes.len() == 1 { "" } else { "s" });
        write!(f, "{:>8} {:>8}  in all, {count} tool{s}", self.bytes(), self.tokens())
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::tool::{ToolBuilder, ToolSet};

    /// A tool without fault, to which a test adds one.
    fn tool(name: &str) -> ToolBuilder {
        Tool::builder(name).allow_any_name().description("Says hello.").handler(|| ())
    }

    fn with_schema(schema: Value) -> Lint {
        ToolSet::new().with(tool("a").input_schema(schema)).unwrap().lint()
    }

    #[track_caller]
    fn finds(tools: impl IntoIterator<Item = ToolBuilder>, expected: &[Finding]) {
        assert_eq!(ToolSet::try_from_tools(tools).unwrap().lint().findings(), expected);
    }

    #[track_caller]
    fn undescribed_in(properties: Value, expected: &[&str]) {
        let schema = json!({ "type": "object", "properties": properties });
        assert_eq!(undescribed(&schema), expected);
    }

    fn named(name: &str) -> [ToolBuilder; 1] {
        [tool(name)]
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_tool_without_fault_is_not_found_fault_with() {
        finds(named("get_user.by-id2"), &[]);
        finds([], &[]);
    }

    #[test]
    fn a_tool_without_a_description_is_found_and_an_empty_one_is_none() {
        let silent = Finding::NoDescription { tool: "a".to_owned() };
        finds([Tool::builder("a").handler(|| ())], std::slice::from_ref(&silent));
        finds([tool("a").description("")], std::slice::from_ref(&silent));
        finds([tool("a").description(" \n")], &[silent]);
    }

    #[test]
    fn a_description_is_too_long_from_1025_characters_on() {
        finds([tool("a").description("ä".repeat(1024))], &[]);
        let long = Finding::LongDescription { tool: "a".to_owned(), characters: 1025 };
        finds([tool("a").description("ä".repeat(1025))], &[long]);
    }

    #[test]
    fn a_name_is_too_long_from_65_characters_on() {
        finds(named(&"n".repeat(64)), &[]);
        let name = "n".repeat(65);
        finds(named(&name), &[Finding::LongName { tool: name.clone() }]);
    }

    #[test]
    fn names_with_outer_or_double_underscores_are_found() {
        for name in ["_status", "status_", "acme__status", "__"] {
            finds(named(name), &[Finding::Underscores { tool: name.to_owned() }]);
        }
        finds(named("get_status"), &[]);
    }

    #[test]
    fn names_that_a_client_may_take_for_one_are_found_once_together() {
        let names = ["getUser", "a.b", "getuser", "list_x", "ab", "list-x", "get-user", "other"];
        let alike = |tools| Finding::AlikeNames { tools: texts(tools) };
        let expected =
            [alike(&["getUser", "getuser", "get-user"]), alike(&["a.b", "ab"]), alike(&["list_x", "list-x"])];
        finds(names.map(tool), &expected);
    }

    #[test]
    fn names_without_an_ascii_letter_or_digit_are_alike() {
        finds([tool("天気")], &[]);
        finds([tool("天気"), tool("時刻")], &[Finding::AlikeNames { tools: texts(&["天気", "時刻"]) }]);
    }

    #[test]
    fn parameters_without_a_description_are_found_at_every_level() {
        let described = json!({ "type": "string", "description": "What it is" });
        undescribed_in(json!({ "a": described }), &[]);
        undescribed_in(
            json!({ "a": described, "b": {}, "c": true, "d": { "description": " " } }),
            &["b", "c", "d"],
        );
        undescribed_in(
            json!({
                "guest": { "description": "Who", "properties": { "name": {} } },
                "rooms": { "description": "Which", "items": { "properties": { "number": {} } } },
                "pair": { "description": "Two", "prefixItems": [{}, { "properties": { "right": {} } }] },
                "labels": { "description": "Any", "additionalProperties": { "properties": { "text": {} } } },
            }),
            &["guest.name", "rooms[].number", "pair[].right", "labels.*.text"],
        );
    }

    #[test]
    fn a_parameter_that_can_only_have_one_value_or_none_needs_no_description() {
        undescribed_in(json!({ "kind": { "const": "circle" }, "never": false }), &[]);
    }

    #[test]
    fn a_parameter_is_described_once_for_all_branches() {
        let schema = json!({
            "properties": { "a": { "description": "What it is" }, "b": {} },
            "allOf": [{ "properties": { "a": { "minimum": 1 }, "b": { "minimum": 1 }, "c": {} } }],
            "if": { "properties": { "d": {} } },
            "then": { "properties": { "e": {} } },
        });
        assert_eq!(undescribed(&schema), ["b", "c", "e"]);
    }

    #[test]
    fn a_parameter_may_be_described_where_it_refers_to() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/$defs/Known" }, "b": { "$ref": "#/$defs/Unknown" } },
            "$defs": {
                "Known": { "description": "What it is", "properties": { "next": { "$ref": "#/$defs/Known" } } },
                "Unknown": { "properties": { "name": {} } },
            },
        });
        assert_eq!(undescribed(&schema), ["b", "Unknown.name"]);
    }

    #[test]
    fn the_fields_of_a_type_are_described_by_their_doc_comments() {
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Search {
            /// The words to look for
            query: String,
            limit: Option<u32>,
            /// In which order
            order: Vec<Order>,
        }
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Order {
            /// The name of the column
            column: String,
            descending: bool,
        }
        let search = Tool::builder("search").description("Searches.").handler(|_: Search| ());
        let parameters = texts(&["limit", "order[].descending"]);
        finds([search], &[Finding::UndescribedParameters { tool: "search".to_owned(), parameters }]);
    }

    #[test]
    fn a_combinator_is_found_at_the_root_only() {
        for keyword in ["oneOf", "anyOf", "allOf"] {
            let lint = with_schema(json!({ "type": "object", keyword: [{}] }));
            assert_eq!(lint.findings(), [Finding::RootCombinator { tool: "a".to_owned(), keyword }]);
        }
        let lint = with_schema(json!({
            "type": "object",
            "properties": { "oneOf": { "description": "One", "oneOf": [{}] } },
        }));
        assert_eq!(lint.findings(), []);
    }

    #[test]
    fn references_are_found_in_both_schemas_each_once() {
        let node = json!({ "type": "object", "properties": {
            "left": { "description": "Smaller", "$ref": "#" },
            "right": { "description": "Larger", "$ref": "#" },
        } });
        let output = json!({ "type": "array", "items": { "$ref": "#/$defs/id" }, "$defs": { "id": {} } });
        let references = texts(&["#", "#/$defs/id"]);
        finds(
            [tool("a").input_schema(node).output_schema(output)],
            &[Finding::Reference { tool: "a".to_owned(), references }],
        );
    }

    #[test]
    fn a_size_is_that_of_the_published_json() {
        let lint = ToolSet::new().with(tool("a")).unwrap().lint();
        let published = json!({
            "name": "a",
            "description": "Says hello.",
            "inputSchema": { "type": "object", "additionalProperties": false },
        });
        let bytes = published.to_string().len();
        let [size] = lint.sizes() else { panic!("{lint}") };
        assert_eq!((size.tool(), size.bytes(), size.tokens()), ("a", bytes, bytes / 4));
        assert_eq!((lint.bytes(), lint.tokens()), (bytes, bytes / 4));
    }

    #[test]
    fn a_print_names_every_tool_and_lists_the_largest_first() {
        let tools = [tool("a"), tool("b").description(""), tool("c").description("Says hello, and goodbye.")];
        let lint = ToolSet::try_from_tools(tools).unwrap().lint();
        let expected = "\
tool \"b\": it has no description, which is what a model chooses by; write a doc comment, or call `description`

   bytes  ~tokens  tool
     114       28  c
     101       25  a
      90       22  b
     305       76  in all, 3 tools";
        assert_eq!(lint.to_string(), expected);
    }
}
