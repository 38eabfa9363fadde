//! The order of checks: of two rules that a request breaks, the earlier one answers.

use http::Method;
use mcp_http::{Revision, Server};
use serde_json::json;

use crate::answer::Answer;
use crate::completion::{of_prompt, prompts, resources};
use crate::lists::LISTS;
use crate::request::{CAPABILITIES, LEGACY, LOG_LEVEL, MODERN, Request, VERSION};
use crate::tools::builder;

/// A way to break one rule, and the answer to it.
struct Break {
    row: u8,
    name: &'static str,
    bend: fn(Request) -> Request,
    status: u16,
    /// `None`: a result with `isError`.
    code: Option<i64>,
    /// Whether the id is echoed.
    id: bool,
}

impl Break {
    const fn new(
        row: u8,
        name: &'static str,
        status: u16,
        code: i64,
        id: bool,
        bend: fn(Request) -> Request,
    ) -> Self {
        Self { row, name, bend, status, code: Some(code), id }
    }

    #[track_caller]
    fn check(&self, answer: &Answer, broken: &str) {
        assert_eq!((answer.status, answer.code()), (self.status, self.code), "{broken}: {answer}");
        assert_eq!(answer.id(), self.id.then_some("\"the id\""), "{broken}: {answer}");
        if self.code.is_none() {
            answer.tool_error();
        }
    }
}

/// The rules that hold in every revision, up to what a JSON-RPC message is.
const SHARED: &[Break] = &[
    Break::new(1, "origin", 403, -32600, false, |r| r.header("origin", "https://evil.example")),
    Break::new(1, "host", 403, -32600, false, |r| r.header("host", "evil.example")),
    Break::new(2, "GET", 405, -32600, false, |r| r.http_method(Method::GET)),
    Break::new(2, "DELETE", 405, -32600, false, |r| r.http_method(Method::DELETE)),
    Break::new(2, "OPTIONS", 405, -32600, false, |r| r.http_method(Method::OPTIONS)),
    Break::new(3, "other content type", 415, -32600, false, |r| r.header("content-type", "text/plain")),
    Break::new(3, "no content type", 415, -32600, false, |r| r.without("content-type")),
    Break::new(4, "long body", 413, -32600, false, |r| r.around("", &" ".repeat(LIMIT))),
    Break::new(5, "accept", 406, -32600, false, |r| r.header("accept", "text/html")),
    Break::new(6, "text behind", 400, -32700, false, |r| r.around("", "}")),
    Break::new(6, "text before", 400, -32700, false, |r| r.around("x", "")),
    Break::new(6, "a member without a value", 400, -32700, false, |r| r.more(",\"x\":")),
    Break::new(6, "depth", 400, -32700, false, |r| {
        r.more(&format!(",\"x\":{}{}", "[".repeat(128), "]".repeat(128)))
    }),
    Break::new(6, "half a surrogate", 400, -32700, false, |r| r.more(r#","x":"\udc00""#)),
    Break::new(7, "batch", 400, -32600, false, |r| r.around("[", "]")),
    Break::new(7, "jsonrpc", 400, -32600, true, |r| r.jsonrpc(r#""1.0""#)),
    Break::new(7, "null id", 400, -32600, false, |r| r.id("null")),
    Break::new(7, "method is no string", 400, -32600, true, |r| r.method("[]")),
    Break::new(7, "params are no object", 400, -32600, true, |r| r.params(json!([]))),
    Break::new(7, "repeated member", 400, -32600, true, |r| r.more(r#","params":{}"#)),
];

fn with_a_version(request: Request) -> Request {
    let known = request.params.as_ref().is_some_and(|params| params["_meta"].get(VERSION).is_some());
    if known { request } else { request.meta(VERSION, MODERN.as_str()) }
}

fn version(request: Request, version: &str) -> Request {
    request.meta(VERSION, version).header("mcp-protocol-version", version)
}

fn method(request: Request, method: &str) -> Request {
    request.method(json!(method).to_string().as_str()).header("mcp-method", method)
}

const MODERN_ONLY: &[Break] = &[
    Break::new(9, "no version header", 400, -32020, true, |r| {
        with_a_version(r).without("mcp-protocol-version")
    }),
    Break::new(9, "other version header", 400, -32020, true, |r| {
        with_a_version(r).header("mcp-protocol-version", "2025-06-18")
    }),
    Break::new(10, "unknown version", 400, -32022, true, |r| version(r, "2099-01-01")),
    Break::new(10, "legacy version", 400, -32022, true, |r| version(r, "2025-11-25")),
    Break::new(11, "no _meta", 400, -32602, true, |r| r.without_param("_meta")),
    Break::new(11, "no version", 400, -32602, true, |r| r.without_meta(VERSION)),
    Break::new(11, "no capabilities", 400, -32602, true, |r| r.without_meta(CAPABILITIES)),
    Break::new(11, "capabilities are no object", 400, -32602, true, |r| r.meta(CAPABILITIES, json!([]))),
    Break::new(11, "level", 400, -32602, true, |r| r.meta(LOG_LEVEL, "loud")),
    Break::new(12, "no Mcp-Method", 400, -32020, true, |r| r.without("mcp-method")),
    Break::new(12, "other Mcp-Method", 400, -32020, true, |r| r.header("mcp-method", "tools/list")),
    Break::new(12, "no Mcp-Name", 400, -32020, true, |r| r.without("mcp-name")),
    Break::new(12, "other Mcp-Name", 400, -32020, true, |r| r.header("mcp-name", "other")),
    Break::new(12, "broken Mcp-Name", 400, -32020, true, |r| r.header("mcp-name", "=?base64?!?=")),
    Break::new(13, "unknown method", 404, -32601, true, |r| method(r, "no/such")),
    Break::new(13, "undeclared feature", 404, -32601, true, |r| method(r, "prompts/get")),
    Break::new(14, "unknown tool", 200, -32602, true, |r| {
        r.set_param("name", "nobody").header("mcp-name", "nobody")
    }),
    Break::new(14, "arguments are no object", 200, -32602, true, |r| r.set_param("arguments", "x")),
    Break::new(15, "no Mcp-Param", 400, -32020, true, |r| r.without("mcp-param-region")),
    Break::new(15, "other Mcp-Param", 400, -32020, true, |r| r.header("mcp-param-region", "us")),
    Break::new(16, "capability", 400, -32021, true, |r| r.meta(CAPABILITIES, json!({ "roots": {} }))),
    Break {
        row: 17,
        name: "invalid argument",
        bend: |r| r.argument("count", 0),
        status: 200,
        code: None,
        id: true,
    },
];

const LEGACY_ONLY: &[Break] = &[
    Break::new(10, "legacy date", 400, -32600, true, |r| r.header("mcp-protocol-version", "2024-11-05")),
    Break::new(13, "unknown method", 200, -32601, true, |r| method(r, "no/such")),
    Break::new(13, "undeclared feature", 200, -32601, true, |r| method(r, "prompts/get")),
    Break::new(13, "modern method", 200, -32601, true, |r| method(r, "server/discover")),
    Break::new(14, "unknown tool", 200, -32602, true, |r| r.set_param("name", "nobody")),
    Break::new(14, "name is no string", 200, -32602, true, |r| r.set_param("name", 5)),
    Break::new(14, "arguments are no object", 200, -32602, true, |r| r.set_param("arguments", "x")),
    Break {
        row: 17,
        name: "invalid argument",
        bend: |r| r.argument("count", 0),
        status: 200,
        code: None,
        id: true,
    },
];

const LIMIT: usize = 2000;

fn server() -> Server {
    builder().body_limit(LIMIT).build().unwrap()
}

/// A call that passes every check there is.
fn good(revision: Revision) -> Request {
    let call = Request::call(revision, "guarded", json!({ "region": "eu", "count": 1 })).id("\"the id\"");
    if revision == MODERN {
        call.header("mcp-param-region", "eu").meta(CAPABILITIES, json!({ "sampling": {} }))
    } else {
        call
    }
}

fn rules(revision: Revision) -> Vec<&'static Break> {
    let own = if revision == MODERN { MODERN_ONLY } else { LEGACY_ONLY };
    SHARED.iter().chain(own).collect()
}

/// Whether both can be broken at once.
fn meet(earlier: &Break, later: &Break) -> bool {
    // Only some methods have a name to repeat.
    !(earlier.name.ends_with("Mcp-Name") && later.name == "unknown method")
}

/// Breaks several rules, the latest first: what an earlier one needs is then still there.
fn broken(revision: Revision, rules: &[&Break]) -> Request {
    rules.iter().rev().fold(good(revision), |request, rule| (rule.bend)(request))
}

#[test]
fn the_request_that_is_bent_is_good() {
    for revision in Revision::ALL {
        good(revision).send(&server()).tool_result();
    }
}

#[test]
fn each_broken_rule_has_its_own_answer() {
    for revision in Revision::ALL {
        for rule in rules(revision) {
            rule.check(&broken(revision, &[rule]).send(&server()), rule.name);
        }
    }
}

#[track_caller]
pub(crate) fn the_earlier_answers(revision: Revision) {
    let (server, rules) = (server(), rules(revision));
    for (at, earlier) in rules.iter().enumerate() {
        for later in &rules[at..] {
            if later.row > earlier.row && meet(earlier, later) {
                let both = format!("{revision}: {} and {}", earlier.name, later.name);
                earlier.check(&broken(revision, &[earlier, later]).send(&server), &both);
            }
        }
    }
}

#[test]
fn of_two_broken_rules_the_earlier_answers_in_legacy_revisions() {
    LEGACY.into_iter().for_each(the_earlier_answers);
}

#[test]
fn of_two_broken_rules_the_earlier_answers_in_the_modern_revision() {
    the_earlier_answers(MODERN);
}

#[test]
fn of_all_rules_broken_from_one_on_that_one_answers() {
    for revision in Revision::ALL {
        let rules = rules(revision);
        for (at, first) in rules.iter().enumerate() {
            let mut all = vec![*first];
            for later in &rules[at..] {
                let last = all[all.len() - 1];
                if later.row > last.row && all.iter().all(|earlier| meet(earlier, later)) {
                    all.push(later);
                }
            }
            first.check(&broken(revision, &all).send(&server()), first.name);
        }
    }
}

/// Requests of other methods that pass every check, and one that is refused for its params.
fn others(revision: Revision) -> Vec<(Request, Option<Break>)> {
    let prompt = of_prompt("enums");
    let wrong = |bend| Some(Break::new(14, "wrong params", 200, -32602, true, bend));
    let not_found = if revision == MODERN { -32602 } else { -32002 };
    let mut others = vec![
        (
            Request::get(revision, "enums", json!({ "tone": "kind", "chosen": "kind", "described": "Kind" })),
            wrong(|r| r.argument("tone", "rude")),
        ),
        (
            Request::read(revision, "book:cover"),
            Some(Break::new(14, "unknown resource", 200, not_found, true, |r| {
                r.set_param("uri", "nobody:1").header("mcp-name", "nobody:1")
            })),
        ),
        (Request::complete(revision, &prompt, "tone", "k"), wrong(|r| r.set_param("ref", json!(5)))),
    ];
    let cursor = |method| (Request::new(revision, method, json!({})), wrong(|r| r.set_param("cursor", "")));
    others.extend(LISTS[1..].iter().map(|(method, _)| cursor(method)));
    if revision == MODERN {
        others.push((Request::listen(json!({})), wrong(|r| r.set_param("notifications", json!([])))));
        let no_stream = |r: Request| r.header("accept", "application/json");
        others.push((
            Request::listen(json!({})),
            Some(Break::new(14, "no stream", 406, -32600, true, no_stream)),
        ));
    }
    others.into_iter().map(|(request, wrong)| (request.id("\"the id\""), wrong)).collect()
}

#[test]
fn the_other_methods_pass_the_same_checks_before_their_params_are_looked_at() {
    let server = Server::builder("others", "1").prompts(prompts()).resources(resources()).body_limit(LIMIT);
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        for (good, wrong) in others(revision) {
            let method = good.method.clone().unwrap();
            if let Some(answer) = good.send_unless_it_listens(&server) {
                answer.result();
            }
            let wrong = wrong.unwrap();
            wrong.check(&(wrong.bend)(good.clone()).send(&server), &method);
            let named = good.headers.contains_key("mcp-name") || revision != MODERN;
            let rules = rules(revision).into_iter().filter(|rule| {
                rule.row < 14
                    && rule.name != "undeclared feature"
                    && (named || !rule.name.ends_with("Mcp-Name"))
                    && !(rule.name == "other Mcp-Method" && method.contains("tools/list"))
            });
            for rule in rules {
                let both = format!("{method}: {} and {}", rule.name, wrong.name);
                rule.check(&(rule.bend)(good.clone()).send(&server), &both);
                // What is bent first has to be there still, and an Accept that takes nothing is another one's.
                if !(rule.name == "accept" && wrong.name == "no stream") {
                    rule.check(&(rule.bend)((wrong.bend)(good.clone())).send(&server), &both);
                }
            }
        }
    }
}

#[test]
fn rows_are_listed_in_order() {
    for revision in Revision::ALL {
        assert!(rules(revision).is_sorted_by_key(|rule| rule.row));
    }
}
