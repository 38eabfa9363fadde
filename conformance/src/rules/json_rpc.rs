//! Messages, ids, notifications.

use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::wire::Request;

const RESPONSES: &[Clause] = &[
    must(V2025_06_18, "basic/index#responses"),
    must(V2025_11_25, "basic/index#result-responses"),
    must(V2026_07_28, "basic/index#result-responses"),
];

const ERRORS: &[Clause] = &[
    must(V2025_06_18, "basic/index#responses"),
    must(V2025_11_25, "basic/index#error-responses"),
    must(V2026_07_28, "basic/index#error-responses"),
];

const REQUESTS: &[Clause] = &[
    must(V2025_06_18, "basic/index#requests"),
    must(V2025_11_25, "basic/index#requests"),
    must(V2026_07_28, "basic/index#requests"),
];

const MESSAGES: &[Clause] = &[
    must(V2025_06_18, "basic/index#messages"),
    must(V2025_11_25, "basic/index#messages"),
    must(V2026_07_28, "basic/index#messages"),
];

const BAD_REQUEST: &[Clause] = &[
    should(V2025_06_18, "https://www.jsonrpc.org/specification#request_object"),
    should(V2025_11_25, "https://www.jsonrpc.org/specification#request_object"),
    should(V2026_07_28, "https://www.jsonrpc.org/specification#request_object"),
];

const PARSE_ERROR: &[Clause] = &[
    should(V2025_06_18, "https://www.jsonrpc.org/specification#error_object"),
    should(V2025_11_25, "https://www.jsonrpc.org/specification#error_object"),
    should(V2026_07_28, "https://www.jsonrpc.org/specification#error_object"),
];

const META: &[Clause] = &[
    must(V2025_06_18, "basic/index#meta"),
    must(V2025_11_25, "basic/index#meta"),
    must(V2026_07_28, "basic/index#meta"),
];

/// What no double can hold.
const BEYOND_DOUBLES: &str = "9007199254740993";

pub(super) static RULES: &[Rule] = &[
    Rule::new("id-number-echoed", Area::JsonRpc, "an id that is a number comes back", RESPONSES, |probe| {
        echoed(probe, &json!(4711))
    }),
    Rule::new("id-zero-echoed", Area::JsonRpc, "the id 0 comes back", RESPONSES, |probe| {
        echoed(probe, &json!(0))
    }),
    Rule::new("id-negative-echoed", Area::JsonRpc, "an id below 0 comes back", RESPONSES, |probe| {
        echoed(probe, &json!(-7))
    }),
    Rule::new("id-large-echoed", Area::JsonRpc, "an id beyond 32 bits comes back", RESPONSES, |probe| {
        echoed(probe, &json!(9_007_199_254_740_991_u64))
    }),
    Rule::new(
        "id-beyond-doubles-echoed",
        Area::JsonRpc,
        "an id that no double can hold comes back digit by digit",
        &[
            should(V2025_06_18, "basic/index#responses"),
            should(V2025_11_25, "basic/index#result-responses"),
            should(V2026_07_28, "basic/index#result-responses"),
        ],
        |probe| {
            let request =
                probe.harmless().json(|message| message.put(&["id"], json!(9_007_199_254_740_993_u64)));
            let answer = probe.send(&request)?;
            answer.status(200)?;
            expect(
                answer.http().text().contains(BEYOND_DOUBLES),
                format!("the id {BEYOND_DOUBLES} did not come back"),
            )
        },
    ),
    Rule::new("id-string-echoed", Area::JsonRpc, "an id that is a string comes back", RESPONSES, |probe| {
        echoed(probe, &json!("b6c1-conformance"))
    }),
    Rule::new(
        "id-digits-stay-a-string",
        Area::JsonRpc,
        "an id of digits stays a string",
        RESPONSES,
        |probe| echoed(probe, &json!("12")),
    ),
    Rule::new("id-empty-echoed", Area::JsonRpc, "the empty string as an id comes back", RESPONSES, |probe| {
        echoed(probe, &json!(""))
    }),
    Rule::new("id-unicode-echoed", Area::JsonRpc, "an id of any characters comes back", RESPONSES, |probe| {
        echoed(probe, &json!("ö\"\\/\n\u{2028}𝄞"))
    }),
    Rule::new("error-id-echoed", Area::JsonRpc, "an error has the id of its request", ERRORS, |probe| {
        let request = unknown(probe).json(|message| message.put(&["id"], json!("error-id")));
        let response = probe.send(&request)?.response()?;
        let id = response.at("id");
        expect(*id == "error-id", format!("the id is {id}, not \"error-id\""))
    }),
    Rule::new(
        "error-id-zero-echoed",
        Area::JsonRpc,
        "an error has the id of its request, also if it is 0",
        ERRORS,
        |probe| {
            let request = unknown(probe).json(|message| message.put(&["id"], json!(0)));
            let response = probe.send(&request)?.response()?;
            let id = response.at("id");
            expect(*id == 0, format!("the id is {id}, not 0"))
        },
    ),
    Rule::new(
        "error-code-is-integer",
        Area::JsonRpc,
        "the code of an error is an integer",
        ERRORS,
        |probe| {
            let response = probe.send(&unknown(probe))?.response()?;
            let code = response.at("error").at("code");
            expect(code.is_i64(), format!("the code is {code}"))
        },
    ),
    Rule::new("error-has-message", Area::JsonRpc, "an error has a message", ERRORS, |probe| {
        let response = probe.send(&unknown(probe))?.response()?;
        let message = response.at("error").at("message");
        expect(message.is_string(), format!("the message is {message}"))
    }),
    Rule::new(
        "error-is-json-rpc-2",
        Area::JsonRpc,
        "an error says \"jsonrpc\": \"2.0\"",
        MESSAGES,
        |probe| is_json_rpc_2(&probe.send(&unknown(probe))?),
    ),
    Rule::new(
        "result-is-json-rpc-2",
        Area::JsonRpc,
        "a result says \"jsonrpc\": \"2.0\"",
        MESSAGES,
        |probe| is_json_rpc_2(&probe.send(&probe.listing())?),
    ),
    Rule::new(
        "result-without-error",
        Area::JsonRpc,
        "a response with a result has no error",
        RESPONSES,
        |probe| {
            let response = probe.send(&probe.listing())?.response()?;
            expect(response.get("error").is_none(), "there is a result and an error")
        },
    ),
    Rule::new(
        "error-without-result",
        Area::JsonRpc,
        "a response with an error has no result",
        ERRORS,
        |probe| {
            let response = probe.send(&unknown(probe))?.response()?;
            expect(response.get("result").is_none(), "there is an error and a result")
        },
    ),
    Rule::new("result-is-object", Area::JsonRpc, "a result is an object", RESPONSES, |probe| {
        let result = probe.send(&probe.listing())?.result()?;
        expect(result.is_object(), format!("the result is {result}"))
    }),
    Rule::new(
        "unknown-method",
        Area::JsonRpc,
        "an unknown method is answered with -32601",
        &[
            must(V2025_06_18, "https://www.jsonrpc.org/specification#error_object"),
            must(V2025_11_25, "https://www.jsonrpc.org/specification#error_object"),
            must(V2026_07_28, "basic/transports/streamable-http#protocol-version-header"),
        ],
        |probe| probe.send(&unknown(probe))?.error(&[-32601]).map(|_| ()),
    ),
    Rule::new(
        "unknown-method-404",
        Area::JsonRpc,
        "an unknown method is answered with 404",
        &[must(V2026_07_28, "basic/transports/streamable-http#protocol-version-header")],
        |probe| probe.send(&unknown(probe))?.status(404).map(|_| ()),
    ),
    Rule::new("invalid-json-refused", Area::JsonRpc, "what is no JSON is refused", PARSE_ERROR, |probe| {
        probe.send(&broken(probe))?.refused().map(|_| ())
    }),
    Rule::new(
        "invalid-json-code",
        Area::JsonRpc,
        "where what is no JSON is answered with a JSON-RPC error, its code is -32700",
        PARSE_ERROR,
        |probe| {
            let answer = probe.send(&broken(probe))?;
            match answer.messages() {
                Ok(messages) if messages.iter().any(|message| message.get("error").is_some()) => {
                    answer.error(&[-32700]).map(|_| ())
                }
                _ => not_applicable("there is no JSON-RPC error"),
            }
        },
    ),
    Rule::new(
        "id-null-refused",
        Area::JsonRpc,
        "a request with the id null gets no result",
        BAD_REQUEST,
        |probe| no_result(probe, probe.harmless().json(|message| message.put(&["id"], Value::Null))),
    ),
    Rule::new(
        "id-of-wrong-type-refused",
        Area::JsonRpc,
        "a request whose id is neither string nor number gets no result",
        BAD_REQUEST,
        |probe| {
            for id in [json!(true), json!({}), json!(["a"])] {
                no_result(probe, probe.harmless().json(|message| message.put(&["id"], id)))?;
            }
            Ok(())
        },
    ),
    Rule::new(
        "json-rpc-version-checked",
        Area::JsonRpc,
        "a request of JSON-RPC 1.0 gets no result",
        BAD_REQUEST,
        |probe| no_result(probe, probe.harmless().json(|message| message.put(&["jsonrpc"], json!("1.0")))),
    ),
    Rule::new(
        "json-rpc-member-required",
        Area::JsonRpc,
        "a request without \"jsonrpc\" gets no result",
        BAD_REQUEST,
        |probe| no_result(probe, probe.harmless().json(|message| message.cut(&["jsonrpc"]))),
    ),
    Rule::new(
        "method-of-wrong-type-refused",
        Area::JsonRpc,
        "a request whose method is no string is refused",
        BAD_REQUEST,
        |probe| no_result(probe, probe.harmless().json(|message| message.put(&["method"], json!(7)))),
    ),
    Rule::new("scalar-refused", Area::JsonRpc, "JSON that is no object is refused", BAD_REQUEST, |probe| {
        for body in ["7", "\"ping\"", "null"] {
            probe.send(&probe.harmless().body(body))?.refused()?;
        }
        Ok(())
    }),
    Rule::new("empty-batch-refused", Area::JsonRpc, "an empty array is refused", BAD_REQUEST, |probe| {
        probe.send(&probe.harmless().body("[]"))?.refused().map(|_| ())
    }),
    Rule::new(
        "batch-not-answered-by-batch",
        Area::JsonRpc,
        "an array of requests is not answered with an array",
        &[
            must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            must(V2026_07_28, "basic/transports/streamable-http#sending-messages"),
        ],
        |probe| {
            let (one, other) = (probe.harmless(), probe.harmless());
            let body = [&b"["[..], &one.body, b",", &other.body, b"]"].concat();
            let answer = probe.send(&one.body(body))?;
            let is_batch = answer.messages().unwrap_or_default().iter().any(Value::is_array);
            expect(!is_batch, "the answer is an array")
        },
    ),
    Rule::new(
        "notification-not-answered",
        Area::JsonRpc,
        "a notification gets no response",
        &[
            must(V2025_06_18, "basic/index#notifications"),
            must(V2025_11_25, "basic/index#notifications"),
            must(V2026_07_28, "basic/index#notifications"),
        ],
        |probe| {
            for method in ["notifications/cancelled", "notifications/conformance/unknown"] {
                let params = json!({ "requestId": 987_654 });
                let answer = probe.send(&probe.notification(method, params))?;
                let has_id = |message: &Value| message.get("id").is_some_and(|id| !id.is_null());
                let messages = answer.messages().unwrap_or_default();
                if answer.has_result() || messages.iter().any(has_id) {
                    return fail(format!("{method} was answered"));
                }
            }
            Ok(())
        },
    ),
    Rule::new(
        "unknown-params-ignored",
        Area::JsonRpc,
        "members of params that nobody knows change nothing",
        REQUESTS,
        |probe| {
            served(
                probe,
                probe.harmless().json(|message| message.put(&["params", "conformance"], json!([1]))),
            )
        },
    ),
    Rule::new(
        "unknown-meta-ignored",
        Area::JsonRpc,
        "members of _meta that nobody knows change nothing",
        META,
        |probe| {
            let value = json!({ "deep": [1] });
            let request = probe.harmless().json(|message| {
                if message.at("params").get("_meta").is_none() {
                    message.put(&["params", "_meta"], json!({}));
                }
                message.put(&["params", "_meta", "com.example/conformance"], value);
            });
            served(probe, request)
        },
    ),
    Rule::new(
        "trace-context-taken",
        Area::JsonRpc,
        "the trace context in _meta changes nothing",
        &[must(V2026_07_28, "basic/index#meta")],
        |probe| {
            let parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
            served(
                probe,
                probe.harmless().json(|message| {
                    message.put(&["params", "_meta", "traceparent"], json!(parent));
                    message.put(&["params", "_meta", "tracestate"], json!("a=b"));
                    message.put(&["params", "_meta", "baggage"], json!("c=d"));
                }),
            )
        },
    ),
    Rule::new(
        "params-optional",
        Area::JsonRpc,
        "a request without params is served",
        &[must(V2025_06_18, "basic/index#requests"), must(V2025_11_25, "basic/index#requests")],
        |probe| served(probe, probe.harmless().json(|message| message.cut(&["params"]))),
    ),
    Rule::new(
        "members-in-any-order",
        Area::JsonRpc,
        "the members of a request come in any order",
        REQUESTS,
        |probe| {
            let request = probe.harmless().json(|message| {
                if let Some(object) = message.as_object_mut() {
                    let members: Vec<_> = std::mem::take(object).into_iter().collect();
                    object.extend(members.into_iter().rev());
                }
            });
            served(probe, request)
        },
    ),
    Rule::new(
        "white-space-around",
        Area::JsonRpc,
        "white space around a request changes nothing",
        MESSAGES,
        |probe| {
            let request = probe.harmless();
            let body = [b"\r\n\t ", &*request.body, b" \r\n"].concat();
            served(probe, request.body(body))
        },
    ),
    Rule::new("escapes-read", Area::JsonRpc, "a name may be written with escapes", MESSAGES, |probe| {
        let request = probe.harmless();
        let body = String::from_utf8_lossy(&request.body).replacen("\"method\":", "\"m\\u0065thod\":", 1);
        served(probe, request.body(body))
    }),
    Rule::new(
        "same-id-two-clients",
        Area::JsonRpc,
        "two clients may use the same id at the same time",
        RESPONSES,
        same_id_two_clients,
    ),
    Rule::new(
        "retired-codes-unused",
        Area::JsonRpc,
        "-32002 and -32042 are not used any more, nor codes that are reserved and not defined",
        &[must(V2026_07_28, "basic/index#error-codes")],
        |probe| {
            let asked = [
                unknown(probe),
                probe.request("tools/call", json!({ "name": "conformance_unknown", "arguments": {} })),
                probe.request("resources/read", json!({ "uri": "conformance://unknown" })),
                probe.request("prompts/get", json!({ "name": "conformance_unknown" })),
            ];
            for request in asked {
                let response = probe.send(&request)?.response()?;
                let code = response.at("error").at("code").as_i64().unwrap_or(0);
                let reserved = (-32099..=-32020).contains(&code) && !(-32022..=-32020).contains(&code);
                if matches!(code, -32002 | -32042) || reserved {
                    return fail(format!("the code is {code}"));
                }
            }
            Ok(())
        },
    ),
    Rule::new(
        "result-has-type",
        Area::JsonRpc,
        "a result has a resultType",
        &[must(V2026_07_28, "basic/index#result-responses")],
        |probe| {
            let result = probe.send(&probe.listing())?.result()?;
            let kind = result.at("resultType");
            expect(kind.is_string(), format!("the resultType is {kind}"))
        },
    ),
    Rule::new(
        "result-names-server",
        Area::JsonRpc,
        "a result names the server in _meta",
        &[should(V2026_07_28, "basic/index#meta")],
        |probe| {
            let result = probe.send(&probe.listing())?.result()?;
            let info = result.at("_meta").at("io.modelcontextprotocol/serverInfo");
            expect(info.at("name").is_string(), format!("the server's info is {info}"))
        },
    ),
    Rule::new(
        "ping",
        Area::JsonRpc,
        "ping is answered with an empty result",
        &[
            must(V2025_06_18, "basic/utilities/ping#behavior-requirements"),
            must(V2025_11_25, "basic/utilities/ping#behavior-requirements"),
        ],
        |probe| {
            let result = probe.ask("ping", json!({}))?.result()?;
            let extra = result.as_object().into_iter().flatten().find(|(name, _)| *name != "_meta");
            expect(result.is_object() && extra.is_none(), format!("the result is {result}"))
        },
    ),
];

fn unknown(probe: &Probe<'_>) -> Request {
    probe.request("conformance/unknown", json!({}))
}

fn broken(probe: &Probe<'_>) -> Request {
    let request = probe.harmless();
    let half: Vec<u8> = request.body.iter().copied().take(request.body.len().saturating_sub(2)).collect();
    request.body(half)
}

fn echoed(probe: &Probe<'_>, id: &Value) -> Check {
    let request = probe.harmless().json(|message| message.put(&["id"], id.clone()));
    let answer = probe.send(&request)?;
    answer.result()?;
    Ok(())
}

fn is_json_rpc_2(answer: &Answer) -> Check {
    let response = answer.response()?;
    let version = response.at("jsonrpc");
    expect(*version == "2.0", format!("\"jsonrpc\" is {version}"))
}

fn no_result(probe: &Probe<'_>, request: Request) -> Check {
    let answer = probe.send(&request)?;
    expect(!answer.has_result(), "there is a result")
}

fn same_id_two_clients(probe: &Probe<'_>) -> Check {
    let other = probe.another()?;
    let target = probe.target();
    let id = json!("same-id");
    let harmless = probe.harmless().json(|message| message.put(&["id"], id.clone()));
    let requests = match &other.session {
        // Within one session an id is used once.
        Some(session) => vec![harmless.clone(), harmless.with("Mcp-Session-Id", &**session)],
        None => vec![harmless; 4],
    };
    let answers: Vec<Result<_, String>> = std::thread::scope(|scope| {
        let send =
            |request| scope.spawn(move || target.endpoint.send(request).map_err(|error| error.to_string()));
        let sent: Vec<_> = requests.iter().map(send).collect();
        sent.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    for answer in answers {
        let response = answer.map_err(Outcome::Fail)?;
        Answer::new(response, Some(id.clone())).result()?;
    }
    Ok(())
}
