//! Methods, media types, statuses.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Area, Check, Clause, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::wire::{Framing, Request};

const SENDING: &[Clause] = &[
    must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
    must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
    must(V2026_07_28, "basic/transports/streamable-http#sending-messages"),
];

const SENDING_LEGACY: &[Clause] = &[
    must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
    must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
];

const fn of_http(page: &'static str) -> [Clause; 3] {
    [must(V2025_06_18, page), must(V2025_11_25, page), must(V2026_07_28, page)]
}

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "result-media-type",
        Area::Http,
        "the answer to a request is application/json or text/event-stream",
        SENDING,
        |probe| answered(&probe.send(&probe.listing())?),
    ),
    Rule::new(
        "error-media-type",
        Area::Http,
        "the error that answers a request is application/json or text/event-stream",
        SENDING,
        |probe| probe.ask("conformance/unknown", json!({}))?.error(&[]).map(|_| ()),
    ),
    Rule::new(
        "answer-is-one-object",
        Area::Http,
        "an application/json answer is one object",
        SENDING,
        |probe| {
            let answer = probe.send(&probe.listing())?;
            if answer.is_stream() {
                return not_applicable("the answer is a stream");
            }
            expect(answer.messages()?.iter().all(Value::is_object), "the body is no object")
        },
    ),
    Rule::new(
        "notification-accepted",
        Area::Http,
        "notifications/initialized is answered with 202",
        SENDING_LEGACY,
        |probe| {
            probe.send(&probe.notification("notifications/initialized", json!({})))?.status(202).map(|_| ())
        },
    ),
    Rule::new(
        "accepted-without-body",
        Area::Http,
        "what is answered with 202 has no body",
        SENDING,
        |probe| {
            let name = if probe.revision().is_legacy() { "initialized" } else { "cancelled" };
            let params =
                if probe.revision().is_legacy() { json!({}) } else { json!({ "requestId": 987_654 }) };
            let notification = probe.notification(&format!("notifications/{name}"), params);
            let answer = probe.send(&notification)?;
            if answer.http().status != 202 {
                return not_applicable("it is not accepted");
            }
            expect(answer.http().body.is_empty(), "there is a body")
        },
    ),
    Rule::new(
        "notification-accepted-or-refused",
        Area::Http,
        "a notification that is unknown is answered with 202 or a status that says no",
        SENDING,
        |probe| {
            let answer = probe.send(&probe.notification("notifications/conformance/unknown", json!({})))?;
            accepted_or_refused(&answer)
        },
    ),
    Rule::new(
        "response-accepted-or-refused",
        Area::Http,
        "a JSON-RPC response of a client is answered with 202 or a status that says no",
        SENDING_LEGACY,
        |probe| {
            let response = json!({ "jsonrpc": "2.0", "id": "never-asked", "result": {} });
            accepted_or_refused(&probe.send(&probe.opened().post(probe.target(), &response))?)
        },
    ),
    Rule::new(
        "get-opens-a-stream-or-405",
        Area::Http,
        "GET is answered with an event stream, or with 405",
        &[
            must(V2025_06_18, "basic/transports#listening-for-messages-from-the-server"),
            must(V2025_11_25, "basic/transports#listening-for-messages-from-the-server"),
        ],
        get_opens_a_stream_or_405,
    ),
    Rule::new(
        "get-405",
        Area::Http,
        "a server of modern revisions alone answers GET with 405",
        &[should(V2026_07_28, "basic/transports/streamable-http#earlier-streamable-http-revisions")],
        |probe| modern_alone(probe, "GET"),
    ),
    Rule::new(
        "delete-405",
        Area::Http,
        "a server of modern revisions alone answers DELETE with 405",
        &[should(V2026_07_28, "basic/transports/streamable-http#earlier-streamable-http-revisions")],
        |probe| modern_alone(probe, "DELETE"),
    ),
    Rule::new(
        "allow-names-methods",
        Area::Http,
        "an answer with 405 has a header Allow",
        &of_http("https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6"),
        |probe| {
            let request = probe.harmless().by("PUT");
            let answer = probe.send(&request)?;
            if answer.http().status != 405 {
                return not_applicable("PUT is not answered with 405");
            }
            answer.header("allow").map(|_| ())
        },
    ),
    Rule::new(
        "content-type-parameters",
        Area::Http,
        "the type of a request may have parameters",
        &[
            should(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1"),
            should(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1"),
            should(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1"),
        ],
        |probe| served(probe, probe.harmless().with("Content-Type", "application/json; charset=utf-8")),
    ),
    Rule::new(
        "content-type-case",
        Area::Http,
        "the type of a request may be spelled in any case",
        &of_http("https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1"),
        |probe| served(probe, probe.harmless().with("Content-Type", "Application/JSON")),
    ),
    Rule::new(
        "accept-order",
        Area::Http,
        "a client may accept event streams and JSON in any order",
        SENDING,
        |probe| served(probe, probe.harmless().with("Accept", "text/event-stream, application/json")),
    ),
    Rule::new(
        "accept-weights",
        Area::Http,
        "what a client accepts may have weights",
        &of_http("https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1"),
        |probe| {
            served(
                probe,
                probe.harmless().with("Accept", "application/json;q=0.9, text/event-stream;q=0.8, */*;q=0.1"),
            )
        },
    ),
    Rule::new(
        "accept-lines",
        Area::Http,
        "what a client accepts may be told in two lines",
        &[
            should(V2025_06_18, "https://www.rfc-editor.org/rfc/rfc9110#section-5.3"),
            should(V2025_11_25, "https://www.rfc-editor.org/rfc/rfc9110#section-5.3"),
            should(V2026_07_28, "https://www.rfc-editor.org/rfc/rfc9110#section-5.3"),
        ],
        |probe| {
            let request = probe.harmless().without("Accept");
            served(probe, request.header("Accept", "application/json").header("Accept", "text/event-stream"))
        },
    ),
    Rule::new(
        "header-names-any-case",
        Area::Http,
        "names of headers may be spelled in any case",
        &of_http("https://www.rfc-editor.org/rfc/rfc9110#section-5.1"),
        |probe| {
            let mut request = probe.harmless();
            let shouted = request.headers.iter();
            request.headers =
                shouted.map(|(name, value)| (name.to_ascii_uppercase(), value.to_vec())).collect();
            served(probe, request)
        },
    ),
    Rule::new(
        "unknown-headers-ignored",
        Area::Http,
        "headers that nobody knows change nothing",
        &of_http("https://www.rfc-editor.org/rfc/rfc9110#section-5.1"),
        |probe| served(probe, probe.harmless().header("X-Conformance-Unknown", "1, 2;q=\"3\"")),
    ),
    Rule::new(
        "chunked-request",
        Area::Http,
        "a request may come in chunks",
        &of_http("https://www.rfc-editor.org/rfc/rfc9112#section-7.1"),
        |probe| served(probe, Request { framing: Framing::Chunked, ..probe.harmless() }),
    ),
    Rule::new(
        "connection-serves-on",
        Area::Http,
        "a connection that is not said to close serves another request",
        &of_http("https://www.rfc-editor.org/rfc/rfc9112#section-9.3"),
        connection_serves_on,
    ),
    Rule::new(
        "answer-is-utf-8",
        Area::Http,
        "answers are UTF-8",
        &of_http("https://www.rfc-editor.org/rfc/rfc8259#section-8.1"),
        |probe| {
            let method = if probe.opened().tools.is_empty() { "conformance/ünknown" } else { "tools/list" };
            let answer = probe.ask(method, json!({}))?;
            expect(std::str::from_utf8(&answer.http().body).is_ok(), "the body is not UTF-8")
        },
    ),
];

/// Expects a result.
pub(super) fn answered(answer: &Answer) -> Check {
    answer.result().map(|_| ())
}

/// Expects a result of a request.
pub(super) fn served(probe: &Probe<'_>, request: Request) -> Check {
    answered(&probe.send(&request)?)
}

fn accepted_or_refused(answer: &Answer) -> Check {
    let status = answer.http().status;
    expect(
        status == 202 || status >= 400,
        format!("the status is {status}, neither 202 nor one that says no"),
    )?;
    expect(!answer.has_result(), "there is a result")
}

fn get(probe: &Probe<'_>, method: &str) -> Request {
    let request = probe.harmless().by(method).body("").without("Content-Type");
    request.with("Accept", "text/event-stream")
}

fn get_opens_a_stream_or_405(probe: &Probe<'_>) -> Check {
    let stream = probe.open(&get(probe, "GET"))?;
    match (stream.head.status, stream.head.headers.text("content-type")) {
        (405, _) => Ok(()),
        (200, Some(kind)) if kind.to_ascii_lowercase().starts_with("text/event-stream") => Ok(()),
        (200, kind) => fail(format!("the answer is {}, no event stream", kind.unwrap_or("of no type"))),
        (status, _) => fail(format!("the status is {status}, neither 200 nor 405")),
    }
}

fn modern_alone(probe: &Probe<'_>, method: &str) -> Check {
    use crate::json::At as _;
    let versions = probe.opened().opening.at("supportedVersions").items();
    let is_old = |version: &Value| version.as_str().is_some_and(|version| version < V2026_07_28.as_str());
    if versions.iter().any(is_old) {
        return not_applicable("the server speaks older revisions too");
    }
    // A server may serve older revisions without listing them here.
    if probe.send(&probe.opened().initialization(probe.target()))?.has_result() {
        return not_applicable("the server takes initialize too");
    }
    let stream = probe.open(&get(probe, method))?;
    let status = stream.head.status;
    expect(status == 405, format!("the status is {status}, not 405"))
}

fn connection_serves_on(probe: &Probe<'_>) -> Check {
    let endpoint = &probe.target().endpoint;
    let broken = |error: crate::wire::WireError| super::Outcome::Fail(error.to_string());
    let mut connection = endpoint.connect().map_err(broken)?;
    for number in 1..=3 {
        let request = probe.harmless();
        connection.write(&request.bytes(endpoint.host())).map_err(broken)?;
        let response = connection
            .read_response("POST", Instant::now())
            .or_else(|error| fail(format!("request {number} on one connection: {error}")))?;
        let closes = |value: &str| value.to_ascii_lowercase().contains("close");
        if response.status != 200 {
            return fail(format!("request {number} on one connection: the status is {}", response.status));
        }
        if response.headers.text("connection").is_some_and(closes) {
            return not_applicable("the server closes its connections");
        }
    }
    Ok(())
}
