//! What hostile clients send: whatever it is, it gets an answer that is no failure of the server, and others are served on.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::served;
use super::{Area, Check, Clause, Outcome, Rule, fail, must, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::wire::{Request, WireError};

const PARSING: &[Clause] = &[
    should(V2025_06_18, "https://www.jsonrpc.org/specification#error_object"),
    should(V2025_11_25, "https://www.jsonrpc.org/specification#error_object"),
    should(V2026_07_28, "https://www.jsonrpc.org/specification#error_object"),
];

const FRAMING: &[Clause] = &[
    should(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9112#section-8"),
    should(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9112#section-8"),
    should(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9112#section-8"),
];

const STATUSES: &[Clause] = &[
    should(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"),
    should(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"),
    should(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9110#section-15.5"),
];

const PIPELINING: &[Clause] = &[
    must(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2"),
    must(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2"),
    must(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2"),
];

pub(super) static RULES: &[Rule] = &[
    Rule::new("invalid-utf-8", Area::Robustness, "a body that is not UTF-8 is refused", PARSING, |probe| {
        let request = probe.harmless().json(|message| message.put(&["params", "conformance"], json!("@@")));
        let body: Vec<u8> =
            request.body.iter().map(|byte| if *byte == b'@' { 0xff } else { *byte }).collect();
        handled(probe, &request.body(body))
    }),
    Rule::new("empty-body", Area::Robustness, "an empty body is refused", PARSING, |probe| {
        handled(probe, &probe.harmless().body(""))
    }),
    Rule::new("blank-body", Area::Robustness, "a body of white space is refused", PARSING, |probe| {
        handled(probe, &probe.harmless().body(" \r\n"))
    }),
    Rule::new("nul-body", Area::Robustness, "a body of zeros is refused", PARSING, |probe| {
        handled(probe, &probe.harmless().body(vec![0; 64]))
    }),
    Rule::new("deep-nesting", Area::Robustness, "a body that is nested deep is answered", PARSING, |probe| {
        handled(probe, &with_raw(probe, &["[".repeat(20_000), "]".repeat(20_000)].concat()))
    }),
    Rule::new("huge-number", Area::Robustness, "a number beyond all doubles is answered", PARSING, |probe| {
        handled(probe, &with_raw(probe, "1e99999"))
    }),
    Rule::new(
        "long-number",
        Area::Robustness,
        "a number of very many digits is answered",
        PARSING,
        |probe| handled(probe, &with_raw(probe, &"7".repeat(20_000))),
    ),
    Rule::new("long-string", Area::Robustness, "a string of 256 kB is answered", STATUSES, |probe| {
        handled(probe, &with_raw(probe, &format!("\"{}\"", "x".repeat(1 << 18))))
    }),
    Rule::new("long-method", Area::Robustness, "a very long method is answered", STATUSES, |probe| {
        let method = "m".repeat(1 << 16);
        handled(probe, &probe.harmless().json(|message| message.put(&["method"], json!(method))))
    }),
    Rule::new("large-body", Area::Robustness, "a body of eight megabytes is answered", STATUSES, |probe| {
        let body = "x".repeat(8 << 20);
        let request = with_raw(probe, &format!("\"{body}\""));
        match probe.target().endpoint.send(&request) {
            Ok(response) => no_failure(&Answer::new(response, None)),
            // It may stop to read, and close, before its answer is seen.
            Err(error) if error.is_close() => Ok(()),
            Err(error) => fail(error.to_string()),
        }?;
        served(probe, probe.harmless())
    }),
    Rule::new("lone-surrogate", Area::Robustness, "half a surrogate pair is answered", PARSING, |probe| {
        handled(probe, &with_raw(probe, "\"\\ud800\""))
    }),
    Rule::new("nul-in-string", Area::Robustness, "a zero in a string is answered", PARSING, |probe| {
        handled(probe, &with_raw(probe, "\"a\\u0000b\""))
    }),
    Rule::new("many-members", Area::Robustness, "very many members are answered", STATUSES, |probe| {
        let members: Vec<String> = (0..5_000).map(|number| format!("\"m{number}\":0")).collect();
        handled(probe, &with_raw(probe, &format!("{{{}}}", members.join(","))))
    }),
    Rule::new(
        "proto-member",
        Area::Robustness,
        "a member of the name __proto__ is answered",
        PARSING,
        |probe| handled(probe, &with_raw(probe, "{\"__proto__\":{\"polluted\":true},\"constructor\":1}")),
    ),
    Rule::new(
        "many-headers",
        Area::Robustness,
        "a request of very many headers is answered",
        STATUSES,
        |probe| {
            let request = (0..90).fold(probe.harmless(), |request, number| {
                request.header(format!("X-Conformance-{number}"), "x".repeat(64))
            });
            handled(probe, &request)
        },
    ),
    Rule::new(
        "broken-request-line",
        Area::Robustness,
        "what is not HTTP is refused, or the connection is closed",
        FRAMING,
        |probe| closed_or_refused(probe, b"\x16\x03\x01\x02\x00conformance\r\n\r\n"),
    ),
    Rule::new(
        "length-that-is-none",
        Area::Robustness,
        "a Content-Length that is no number is refused",
        FRAMING,
        |probe| {
            let request = probe.harmless().header("Content-Length", "conformance");
            closed_or_refused(probe, &request.bytes(probe.target().endpoint.host()))
        },
    ),
    Rule::new(
        "length-and-chunks",
        Area::Robustness,
        "a request with two different lengths is refused",
        FRAMING,
        |probe| {
            let request = probe.harmless();
            let length = request.body.len();
            let request = request.header("Content-Length", length.to_string()).header("Content-Length", "1");
            closed_or_refused(probe, &request.bytes(probe.target().endpoint.host()))
        },
    ),
    Rule::new("cut-body", Area::Robustness, "a body that is cut is not served", FRAMING, cut_body),
    Rule::new(
        "slow-body",
        Area::Robustness,
        "a body that comes in pieces is served",
        &[
            must(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9112#section-6"),
            must(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9112#section-6"),
            must(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9112#section-6"),
        ],
        slow_body,
    ),
    Rule::new(
        "pipelined",
        Area::Robustness,
        "requests that come at once are answered in their order",
        PIPELINING,
        pipelined,
    ),
    Rule::new(
        "idle-connections",
        Area::Robustness,
        "idle connections keep nobody from being served",
        STATUSES,
        |probe| {
            let idle: Vec<_> = (0..32).map_while(|_| probe.target().endpoint.connect().ok()).collect();
            let check = served(probe, probe.harmless());
            drop(idle);
            check
        },
    ),
    Rule::new(
        "client-that-leaves",
        Area::Robustness,
        "a client that leaves before its answer harms nobody",
        STATUSES,
        |probe| {
            let endpoint = &probe.target().endpoint;
            for _ in 0..4 {
                let sent = endpoint
                    .connect()
                    .and_then(|mut connection| connection.write(&probe.listing().bytes(endpoint.host())));
                sent.or_else(|error| fail(error.to_string()))?;
            }
            served(probe, probe.harmless())
        },
    ),
];

/// A request that has this JSON, as it is written, where nobody looks for anything.
fn with_raw(probe: &Probe<'_>, json: &str) -> Request {
    let request = probe.harmless().json(|message| message.put(&["params", "conformance"], json!("@@")));
    let body = String::from_utf8_lossy(&request.body).replacen("\"@@\"", json, 1);
    request.body(body)
}

fn no_failure(answer: &Answer) -> Check {
    let status = answer.http().status;
    expect(status < 500, format!("the status is {status}"))?;
    let internal = |message: &Value| *message.at("error").at("code") == -32603;
    let messages = answer.messages().unwrap_or_default();
    expect(!messages.iter().any(internal), "it is answered with an internal error")
}

/// Expects an answer that does not blame the server, and that the server goes on.
fn handled(probe: &Probe<'_>, request: &Request) -> Check {
    no_failure(&probe.send(request)?)?;
    served(probe, probe.harmless())
}

fn closed_or_refused(probe: &Probe<'_>, bytes: &[u8]) -> Check {
    match probe.send_raw(bytes) {
        Ok(response) => {
            expect((400..500).contains(&response.status), format!("the status is {}", response.status))?
        }
        Err(error) if error.is_close() => {}
        Err(error) => return fail(error.to_string()),
    }
    served(probe, probe.harmless())
}

fn broken(error: WireError) -> Outcome {
    Outcome::Fail(error.to_string())
}

fn cut_body(probe: &Probe<'_>) -> Check {
    let endpoint = &probe.target().endpoint;
    let request = probe.harmless();
    let bytes = request.bytes(endpoint.host());
    let mut connection = endpoint.connect().map_err(broken)?;
    let most = bytes.get(..bytes.len().saturating_sub(8)).unwrap_or_default();
    connection.write(most).map_err(broken)?;
    connection.finish_writing().map_err(broken)?;
    if let Ok(response) = connection.read_response("POST", Instant::now()) {
        expect(response.status >= 400, format!("the status is {}", response.status))?;
    }
    served(probe, probe.harmless())
}

fn slow_body(probe: &Probe<'_>) -> Check {
    let endpoint = &probe.target().endpoint;
    let request = probe.harmless();
    let mut connection = endpoint.connect().map_err(broken)?;
    connection.write(&request.head(endpoint.host())).map_err(broken)?;
    for piece in request.body.chunks(request.body.len().div_ceil(4).max(1)) {
        std::thread::sleep(Duration::from_millis(60));
        connection.write(piece).map_err(broken)?;
    }
    let response = connection.read_response("POST", Instant::now()).map_err(broken)?;
    let id = serde_json::from_slice::<Value>(&request.body).ok().map(|message| message.at("id").clone());
    Answer::new(response, id).result().map(|_| ())
}

fn pipelined(probe: &Probe<'_>) -> Check {
    let endpoint = &probe.target().endpoint;
    let requests: Vec<Request> = (0..3).map(|_| probe.harmless()).collect();
    let bytes: Vec<u8> = requests.iter().flat_map(|request| request.bytes(endpoint.host())).collect();
    let mut connection = endpoint.connect().map_err(broken)?;
    connection.write(&bytes).map_err(broken)?;
    for request in &requests {
        let response = match connection.read_response("POST", Instant::now()) {
            Ok(response) => response,
            // A server may close after any answer; the client then asks again.
            Err(error) if error.is_close() => return Ok(()),
            Err(error) => return fail(error.to_string()),
        };
        let id = serde_json::from_slice::<Value>(&request.body).ok().map(|message| message.at("id").clone());
        Answer::new(response, id).result()?;
    }
    Ok(())
}
