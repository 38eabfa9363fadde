//! Whatever arrives, `receive` stands it: one answer, with the id that could be read.

use std::fmt;
use std::sync::LazyLock;

use http::{HeaderName, HeaderValue, Method};
use mcp_http::{HeaderMode, LegacyDates, Revision, Server};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::completion::{self, BOOK, of_prompt, of_template};
use crate::lists::LISTS;
use crate::prompts::prompts;
use crate::request::{CAPABILITIES, LOG_LEVEL, MODERN, Request, VERSION};
use crate::resources::resources;
use crate::tools::builder;

/// Servers that are set up as differently as they can be.
static SERVERS: LazyLock<[Server; 4]> = LazyLock::new(|| {
    let lenient = builder()
        .header_mode(HeaderMode::Lenient)
        .legacy_dates(LegacyDates::Accept)
        .cors_origin("https://app.example")
        .invalid_arguments_are_errors(true)
        .page_size(std::num::NonZeroUsize::MIN);
    let narrow = builder().revisions([Revision::V2025_11_25]).body_limit(300);
    let full = || builder().prompts(completion::prompts()).resources(resources());
    let lenient = lenient.prompts(prompts()).resources(completion::resources());
    [
        full().build().unwrap(),
        lenient.build().unwrap(),
        narrow.build().unwrap(),
        full().max_subscriptions(1).header_mode(HeaderMode::Lenient).build().unwrap(),
    ]
});

/// A JSON document that may have members twice, in any order.
#[derive(Clone, Debug)]
enum Tree {
    /// JSON text.
    Leaf(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// One change to a document. Which member it meets is left to chance.
#[derive(Clone, Debug)]
enum Change {
    Drop(Index, Index),
    Duplicate(Index, Index, Index),
    Move(Index, Index, Index),
    Retype(Index, Index, String),
    Rename(Index, Index, String),
    Insert(Index, String, String),
}

impl From<&Value> for Tree {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
            leaf => Self::Leaf(leaf.to_string()),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = |at: usize| if at == 0 { "" } else { "," };
        match self {
            Self::Leaf(text) => f.write_str(text),
            Self::Array(items) => {
                f.write_str("[")?;
                items.iter().enumerate().try_for_each(|(at, item)| write!(f, "{}{item}", comma(at)))?;
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                members.iter().enumerate().try_for_each(|(at, (key, value))| {
                    write!(f, "{}{}:{value}", comma(at), Value::from(key.as_str()))
                })?;
                f.write_str("}")
            }
        }
    }
}

impl Tree {
    /// How many objects there are.
    fn objects(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::Array(items) => items.iter().map(Self::objects).sum(),
            Self::Object(members) => 1 + members.iter().map(|(_, value)| value.objects()).sum::<usize>(),
        }
    }

    /// The members of one of the objects.
    fn object(&mut self, nth: &mut usize) -> Option<&mut Vec<(String, Self)>> {
        match self {
            Self::Leaf(_) => None,
            Self::Array(items) => items.iter_mut().find_map(|item| item.object(nth)),
            Self::Object(members) => {
                if *nth == 0 {
                    return Some(members);
                }
                *nth -= 1;
                members.iter_mut().find_map(|(_, value)| value.object(nth))
            }
        }
    }

    fn change(&mut self, change: &Change) {
        let (Change::Drop(object, _)
        | Change::Duplicate(object, ..)
        | Change::Move(object, ..)
        | Change::Retype(object, ..)
        | Change::Rename(object, ..)
        | Change::Insert(object, ..)) = change;
        let count = self.objects();
        if count == 0 {
            return;
        }
        let members = self.object(&mut object.index(count)).unwrap();
        if let Change::Insert(_, key, value) = change {
            members.push((key.clone(), Self::Leaf(value.clone())));
        }
        if members.is_empty() {
            return;
        }
        let at = |index: &Index| index.index(members.len());
        match change {
            Change::Drop(_, member) => drop(members.remove(at(member))),
            Change::Duplicate(_, member, place) => {
                let (member, place) = (members[at(member)].clone(), at(place));
                members.insert(place, member);
            }
            Change::Move(_, member, place) => {
                let (member, place) = (at(member), at(place));
                members.swap(member, place);
            }
            Change::Retype(_, member, value) => {
                let member = at(member);
                members[member].1 = Self::Leaf(value.clone());
            }
            Change::Rename(_, member, key) => {
                let member = at(member);
                members[member].0.clone_from(key);
            }
            Change::Insert(..) => {}
        }
    }
}

/// Texts that are values of some kind, most of the wrong one.
fn values() -> impl Strategy<Value = String> {
    let odd = select(vec![
        "null",
        "true",
        "0",
        "-0",
        "1.5",
        "1e400",
        "-1E-400",
        "18446744073709551616",
        r#""""#,
        "[]",
        "{}",
        "[[]]",
        r#""2.0""#,
        r#""2026-07-28""#,
        r#""2025-06-18""#,
        r#""2024-11-05""#,
        r#""tools/call""#,
        r#""prompts/get""#,
        r#""resources/read""#,
        r#""completion/complete""#,
        r#""subscriptions/listen""#,
        r#""ref/prompt""#,
        r#""ref/resource""#,
        r#""book:{chapter}{?tone,other}""#,
        r#""test://orders/%""#,
        r#"["test://str"]"#,
        r#""mirror""#,
        r#""add""#,
        r#""\ud800""#,
        r#""\ud83d\ude00""#,
        r#""\u0000""#,
        "\"\u{7f}é☕\"",
        "nul",
        "01",
        "{",
        "]",
        " 1 ",
        r#"{"a":1,"a":2}"#,
    ]);
    prop_oneof![
        4 => odd.prop_map(str::to_owned),
        1 => any::<f64>().prop_map(|number| json!(number).to_string()),
        1 => any::<i128>().prop_map(|number| number.to_string()),
        1 => any::<String>().prop_map(|text| json!(text).to_string()),
        // Not so deep that the answer, which may repeat it, is too deep for the test to read.
        1 => select(vec![1, 60, 110, 127, 128, 150]).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth)),
    ]
}

fn keys() -> impl Strategy<Value = String> {
    let known = select(vec![
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "_meta",
        "name",
        "arguments",
        "cursor",
        VERSION,
        CAPABILITIES,
        LOG_LEVEL,
        "region",
        "count",
        "place",
        "protocolVersion",
        "uri",
        "ref",
        "argument",
        "value",
        "context",
        "notifications",
        "resourceSubscriptions",
        "requestState",
        "inputResponses",
        "",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => any::<String>()]
}

fn changes() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), at()).prop_map(|(object, member)| Change::Drop(object, member)),
        (at(), at(), at()).prop_map(|(object, member, place)| Change::Duplicate(object, member, place)),
        (at(), at(), at()).prop_map(|(object, member, place)| Change::Move(object, member, place)),
        (at(), at(), values()).prop_map(|(object, member, value)| Change::Retype(object, member, value)),
        (at(), at(), keys()).prop_map(|(object, member, key)| Change::Rename(object, member, key)),
        (at(), keys(), values()).prop_map(|(object, key, value)| Change::Insert(object, key, value)),
    ]
}

fn headers() -> impl Strategy<Value = (HeaderName, Option<HeaderValue>, bool)> {
    let names = select(vec![
        "content-type",
        "accept",
        "host",
        "origin",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-param-region",
        "mcp-param-count",
        "mcp-param-zone",
        "mcp-session-id",
        "access-control-request-headers",
    ]);
    let known = select(vec![
        "application/json",
        "text/event-stream",
        "*/*",
        ";",
        "localhost:8000",
        "evil.example",
        "https://app.example",
        "null",
        "2026-07-28",
        "2025-11-25",
        "2025-06-18",
        "2024-11-05",
        "tools/call",
        "tools/list",
        "prompts/get",
        "resources/read",
        "subscriptions/listen",
        "test://str",
        "mirror",
        "=?base64?bWlycm9y?=",
        "=?base64?!?=",
        "=?base64?=",
        "eu",
        "42",
        "42.0",
        "",
        " ",
        "[::1]",
        "application/json;q=0",
    ]);
    let values = prop_oneof![
        4 => known.prop_map(HeaderValue::from_static).boxed(),
        1 => vec(any::<u8>(), 0..20)
            .prop_filter_map("a header value", |bytes| HeaderValue::from_bytes(&bytes).ok())
            .boxed(),
    ];
    (names.prop_map(HeaderName::from_static), proptest::option::weighted(0.8, values), any::<bool>())
}

fn methods() -> impl Strategy<Value = Method> {
    prop_oneof![
        20 => Just(Method::POST),
        1 => select(vec![Method::GET, Method::OPTIONS, Method::DELETE, Method::HEAD]),
    ]
}

/// Requests that are served as they are.
fn good() -> impl Strategy<Value = Request> {
    let revisions = select(Revision::ALL.to_vec());
    (revisions, 0..16_u8, prop_oneof![Just("7"), Just("\"\\u0061\""), Just("18446744073709551616")]).prop_map(
        |(revision, kind, id)| {
            let route = || {
                let arguments = json!({ "region": "eu", "count": 42, "place": { "zone": "z" }, "dry": null });
                let call = Request::call(revision, "route", arguments);
                call.header("mcp-param-region", "eu")
                    .header("mcp-param-count", "42")
                    .header("mcp-param-zone", "z")
            };
            let request = match kind {
                0 => Request::list(revision),
                1 => Request::open(revision),
                2 => Request::call(revision, "add", json!({ "a": 1, "b": 2 })),
                3 => Request::call(revision, "mirror", json!({ "x": [1, { "y": null }] })),
                4 => Request::call(revision, "guarded", json!({ "region": "eu", "count": 1 }))
                    .header("mcp-param-region", "eu"),
                5 => Request::new(revision, "ping", json!({})),
                6 => Request::notification(revision, "notifications/cancelled", json!({ "requestId": 1 })),
                7 => Request::get(revision, "kinds", json!({ "count": "c" })),
                8 => Request::read(revision, "test://orders/7"),
                9 => Request::complete(revision, &of_prompt("kinds"), "context", "")
                    .set_param("context", json!({ "arguments": { "count": "5" } })),
                10 => Request::complete(revision, &of_template(BOOK), "tone", "k"),
                11 => Request::new(revision, LISTS[1 + id.len() % 3].0, json!({})),
                12 if revision == MODERN => Request::listen(json!({
                    "toolsListChanged": true, "resourceSubscriptions": ["test://str", "nobody:1"],
                })),
                12 | 13 => Request::get(revision, "asks", json!({})).set_param("requestState", "x"),
                _ => route(),
            };
            if request.id.is_some() { request.id(id) } else { request }
        },
    )
}

/// What can be read of a body without knowing the protocol.
#[derive(Debug, Default)]
struct Seen {
    ids: Vec<String>,
    methods: Vec<String>,
    answers: bool,
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SeenVisitor;
        impl<'de> Visitor<'de> for SeenVisitor {
            type Value = Seen;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Seen, M::Error> {
                let mut seen = Seen::default();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    match key.as_str() {
                        "id" => seen.ids.push(value.get().to_owned()),
                        "method" => seen.methods.push(value.get().to_owned()),
                        "result" | "error" => seen.answers = true,
                        _ => {}
                    }
                }
                Ok(seen)
            }
        }
        deserializer.deserialize_map(SeenVisitor)
    }
}

/// Whether this is the JSON text of an id.
fn is_id(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.starts_with('"') || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Sends a request to every server, and holds the answers against what anybody can see of the request.
fn survives(mut request: Request) {
    let body = request.bytes();
    let seen: Option<Seen> = serde_json::from_slice(&body).ok();
    let form = Form {
        is_json: serde_json::from_slice::<IgnoredAny>(&body).is_ok(),
        is_value: serde_json::from_slice::<Value>(&body).is_ok(),
    };
    let seen = seen.unwrap_or_default();
    let id = match seen.ids.as_slice() {
        [id] if is_id(id) => Some(id.as_str()),
        _ => None,
    };
    request.revision = None;
    request.method = seen.methods.first().cloned();
    for server in &*SERVERS {
        if let Some(answer) = request.send_unless_it_listens(server) {
            check(&request, &answer, id, &seen, form);
        }
    }
}

/// What another parser makes of a body.
#[derive(Clone, Copy)]
struct Form {
    /// By its grammar.
    is_json: bool,
    /// With numbers that a float can hold, no half surrogates, and less than 128 levels.
    is_value: bool,
}

fn check(request: &Request, answer: &Answer, id: Option<&str>, seen: &Seen, form: Form) {
    let refused_by_http = matches!(answer.status, 403 | 405 | 406 | 413 | 415);
    if refused_by_http || answer.status == 204 {
        return;
    }
    assert_eq!(request.http_method, Method::POST);
    if !form.is_json {
        answer.is_error(400, -32700);
        return;
    }
    if form.is_value {
        assert_ne!(answer.code(), Some(-32700), "it is JSON: {answer}");
    }
    let is_response = seen.methods.is_empty() && seen.answers;
    match (answer.id(), id) {
        (Some(echoed), Some(id)) => assert_eq!(echoed, id),
        // Of two ids that were sent, either may be taken for the id of a message that is refused anyway.
        (Some(echoed), None) => {
            let sent = seen.ids.len() > 1 && seen.ids.iter().any(|id| id == echoed);
            assert!(sent && answer.code() == Some(-32600), "{echoed} was never sent: {answer}");
        }
        (None, Some(_)) => {
            assert!(is_response || answer.code() == Some(-32700), "the id is missing: {answer}");
        }
        (None, None) => assert!(answer.status == 202 || answer.code().is_some(), "{answer}"),
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn with_headers(mut request: Request, headers: Vec<(HeaderName, Option<HeaderValue>, bool)>) -> Request {
    for (name, value, append) in headers {
        match value {
            None => drop(request.headers.remove(name)),
            Some(value) if append => drop(request.headers.append(name, value)),
            Some(value) => drop(request.headers.insert(name, value)),
        }
    }
    request
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn any_bytes_under_any_headers_are_answered(
        body in vec(any::<u8>(), 0..200),
        method in methods(),
        headers in vec(headers(), 0..6),
        revision in select(Revision::ALL.to_vec()),
    ) {
        survives(with_headers(Request::list(revision).body(body).http_method(method), headers));
    }

    #[test]
    fn any_object_is_answered(
        members in vec((keys(), values()), 0..8),
        headers in vec(headers(), 0..3),
        revision in select(Revision::ALL.to_vec()),
    ) {
        let leaves = members.into_iter().map(|(key, value)| (key, Tree::Leaf(value))).collect();
        survives(with_headers(Request::list(revision).body(Tree::Object(leaves).to_string()), headers));
    }

    #[test]
    fn a_good_request_that_was_changed_is_answered(
        request in good(),
        changes in vec(changes(), 0..4),
        headers in vec(headers(), 0..2),
        cut in proptest::option::weighted(0.1, any::<Index>()),
    ) {
        // The id keeps its text, which a `Value` might not.
        let id = request.id.clone();
        let message: Value = serde_json::from_slice(&request.clone().id(None).bytes()).unwrap();
        let mut tree = Tree::from(&message);
        if let (Tree::Object(members), Some(id)) = (&mut tree, id) {
            members.insert(1, ("id".to_owned(), Tree::Leaf(id)));
        }
        for change in &changes {
            tree.change(change);
        }
        let mut body = tree.to_string().into_bytes();
        if let Some(cut) = cut {
            body.truncate(cut.index(body.len() + 1));
        }
        survives(with_headers(request.body(body), headers));
    }

    #[test]
    fn a_good_request_with_a_few_other_bytes_is_answered(
        request in good(),
        bytes in vec((any::<Index>(), 0..3_u8, select(b"{}[]\",:\\u0159dDeE+-. \t\n\r\0/tfnb\x7f\x80\xc3\xe9\xff".to_vec())), 1..5),
    ) {
        let mut body = request.bytes();
        for (at, change, byte) in bytes {
            let at = at.index(body.len());
            match change {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                _ => drop(body.remove(at)),
            }
        }
        survives(request.body(body));
    }

    #[test]
    fn a_good_request_is_never_refused_for_its_form(request in good()) {
        let Some(answer) = request.send_unless_it_listens(&SERVERS[0]) else { return Ok(()) };
        prop_assert!(![Some(-32700), Some(-32600)].contains(&answer.code()), "{}", answer);
        prop_assert!(answer.code() != Some(-32020) , "{}", answer);
        prop_assert_eq!(answer.id(), request.id.as_deref());
    }

    #[test]
    fn any_string_can_be_mirrored_in_base64(text in any::<String>()) {
        use base64::Engine as _;
        let encoded = base64::engine::general_purpose::STANDARD.encode(&text);
        let call = Request::call(MODERN, "route", json!({ "region": &text }));
        let answer = call.clone().header("mcp-param-region", format!("=?base64?{encoded}?=")).send(&SERVERS[0]);
        prop_assert_eq!(&answer.tool_result()["structuredContent"]["region"], &json!(text));
        let raw = text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
            && text.trim_matches([' ', '\t']) == text
            && !(text.starts_with("=?base64?") && text.ends_with("?="));
        if let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) {
            let answer = call.header("mcp-param-region", value).send(&SERVERS[0]);
            prop_assert_eq!(answer.code(), if raw { None } else { Some(-32020) });
        }
    }

    #[test]
    fn any_integer_can_be_mirrored_and_no_other_is_taken_for_it(
        value in -9_007_199_254_740_991_i64..=9_007_199_254_740_991,
        other in any::<i64>(),
    ) {
        let call = Request::call(MODERN, "route", json!({ "count": value }));
        for same in [value.to_string(), format!("{value}.0")] {
            let answer = call.clone().header("mcp-param-count", same).send(&SERVERS[0]);
            prop_assert_eq!(answer.tool_result()["structuredContent"]["count"].as_i64(), Some(value));
        }
        for other in [other, value + 1, value - 1, -value] {
            let answer = call.clone().header("mcp-param-count", other.to_string()).send(&SERVERS[0]);
            prop_assert_eq!(answer.code(), if other == value { None } else { Some(-32020) });
        }
    }
}
