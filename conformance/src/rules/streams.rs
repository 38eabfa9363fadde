//! Event streams, progress, logging.

use serde_json::{Value, json};

use super::{Area, Check, Outcome, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::profile::Purpose;

const LEVEL: &str = "io.modelcontextprotocol/logLevel";

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "progress-token",
        Area::Streams,
        "progress carries the token of its request, whether it is a text or a number",
        &[
            must(V2025_06_18, "basic/utilities/progress#progress-flow"),
            must(V2025_11_25, "basic/utilities/progress#progress-flow"),
            must(V2026_07_28, "basic/patterns/progress#progress-flow"),
        ],
        progress_token,
    ),
    Rule::new(
        "progress-unasked",
        Area::Streams,
        "there is no progress for a request without a token",
        &[
            must(V2025_06_18, "basic/utilities/progress#behavior-requirements"),
            must(V2025_11_25, "basic/utilities/progress#behavior-requirements"),
            must(V2026_07_28, "basic/patterns/progress#behavior-requirements"),
        ],
        progress_unasked,
    ),
    Rule::new(
        "progress-grows",
        Area::Streams,
        "progress grows with every notification",
        &[
            must(V2025_06_18, "basic/utilities/progress#progress-flow"),
            must(V2025_11_25, "basic/utilities/progress#progress-flow"),
            must(V2026_07_28, "basic/patterns/progress#progress-flow"),
        ],
        progress_grows,
    ),
    Rule::new(
        "progress-before-response",
        Area::Streams,
        "progress stops with the response",
        &[
            must(V2025_06_18, "basic/utilities/progress#behavior-requirements"),
            must(V2025_11_25, "basic/utilities/progress#behavior-requirements"),
            must(V2026_07_28, "basic/patterns/progress#behavior-requirements"),
        ],
        progress_before_response,
    ),
    Rule::new(
        "stream-ends",
        Area::Streams,
        "an event stream ends once the response was sent",
        &[
            should(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            should(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            should(V2026_07_28, "basic/transports/streamable-http#receiving-messages"),
        ],
        stream_ends,
    ),
    Rule::new(
        "stream-one-response",
        Area::Streams,
        "an event stream has one response, to the request that opened it",
        &[
            should(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            should(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            must(V2026_07_28, "basic/transports/streamable-http#receiving-messages"),
        ],
        stream_one_response,
    ),
    Rule::new(
        "stream-own-messages",
        Area::Streams,
        "no question to the client is a message of an event stream",
        &[must(V2026_07_28, "basic/transports/streamable-http#receiving-messages")],
        stream_own_messages,
    ),
    Rule::new(
        "stream-response-last",
        Area::Streams,
        "nothing comes after the response on its event stream",
        &[
            should(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            should(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            should(V2026_07_28, "basic/transports/streamable-http#receiving-messages"),
        ],
        stream_response_last,
    ),
    Rule::new(
        "stream-unbuffered",
        Area::Streams,
        "an event stream tells proxies not to hold it back",
        &[should(V2026_07_28, "basic/transports/streamable-http#receiving-messages")],
        stream_unbuffered,
    ),
    Rule::new(
        "streams-apart",
        Area::Streams,
        "calls at the same time each hear of their own progress only",
        &[
            must(V2025_06_18, "basic/transports#multiple-connections"),
            must(V2025_11_25, "basic/transports#multiple-connections"),
            must(V2026_07_28, "basic/transports/streamable-http#receiving-messages"),
        ],
        streams_apart,
    ),
    Rule::new(
        "client-left",
        Area::Streams,
        "a client that leaves in the midst of a call can come back",
        &[
            must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            must(V2026_07_28, "basic/transports/streamable-http#cancellation"),
        ],
        client_left,
    )
    .alone(),
    Rule::new(
        "cancel-unknown",
        Area::Streams,
        "that an unknown request is cancelled is ignored",
        &[
            should(V2025_06_18, "basic/utilities/cancellation#error-handling"),
            should(V2025_11_25, "basic/utilities/cancellation#error-handling"),
            should(V2026_07_28, "basic/patterns/cancellation#error-handling"),
        ],
        cancel_unknown,
    ),
    Rule::new(
        "log-unasked",
        Area::Streams,
        "there are no log messages for a request that names no level",
        &[must(V2026_07_28, "server/utilities/logging#per-request-log-level")],
        log_unasked,
    ),
    Rule::new(
        "log-level",
        Area::Streams,
        "log messages are of the level that the request names, or above",
        &[must(V2026_07_28, "server/utilities/logging#per-request-log-level")],
        log_level,
    ),
    Rule::new(
        "log-level-unknown",
        Area::Streams,
        "a level that there is not is an error with the code -32602",
        &[
            should(V2025_06_18, "server/utilities/logging#error-handling"),
            should(V2025_11_25, "server/utilities/logging#error-handling"),
            should(V2026_07_28, "server/utilities/logging#error-handling"),
        ],
        log_level_unknown,
    ),
    Rule::new(
        "log-set-level",
        Area::Streams,
        "a server that declares logging takes each of the eight levels",
        &[
            must(V2025_06_18, "server/utilities/logging#setting-log-level"),
            must(V2025_11_25, "server/utilities/logging#setting-log-level"),
        ],
        log_set_level,
    )
    .alone(),
    Rule::new(
        "log-undeclared",
        Area::Streams,
        "a server that sends log messages declares logging",
        &[
            must(V2025_06_18, "server/utilities/logging#capabilities"),
            must(V2025_11_25, "server/utilities/logging#capabilities"),
            must(V2026_07_28, "server/utilities/logging#capabilities"),
        ],
        log_undeclared,
    ),
];

fn named(messages: &[Value], method: &str) -> Vec<Value> {
    messages.iter().filter(|message| *message.at("method") == method).cloned().collect()
}

fn with_token(probe: &Probe<'_>, token: Value) -> Result<Answer, Outcome> {
    let call = probe.known(Purpose::Progress)?;
    let answer = probe.send(&probe.call_with(&call, json!({ "progressToken": token })))?;
    answer.status(200)?;
    Ok(answer)
}

/// The params of each notification of progress, of a call with a token.
fn progress(probe: &Probe<'_>, token: Value) -> Result<Vec<Value>, Outcome> {
    let messages = with_token(probe, token)?.messages()?;
    let found = named(&messages, "notifications/progress");
    if found.is_empty() {
        return not_applicable("the call reported no progress");
    }
    Ok(found.iter().map(|message| message.at("params").clone()).collect())
}

fn progress_token(probe: &Probe<'_>) -> Check {
    for token in [json!("mcp-conformance"), json!(0), json!(7)] {
        for params in progress(probe, token.clone())? {
            let got = params.at("progressToken");
            expect(*got == token, format!("the token is {got}, not {token}"))?;
        }
    }
    Ok(())
}

fn progress_unasked(probe: &Probe<'_>) -> Check {
    let call = probe.known(Purpose::Progress)?;
    let messages = probe.send(&probe.call(&call))?.messages()?;
    expect(named(&messages, "notifications/progress").is_empty(), "there was progress")
}

fn progress_grows(probe: &Probe<'_>) -> Check {
    let mut before = f64::NEG_INFINITY;
    for params in progress(probe, json!("mcp-conformance"))? {
        let now = params.at("progress").as_f64().unwrap_or(f64::NAN);
        expect(now > before, format!("{now} came after {before}"))?;
        before = now;
    }
    Ok(())
}

fn progress_before_response(probe: &Probe<'_>) -> Check {
    let messages = with_token(probe, json!("mcp-conformance"))?.messages()?;
    let response = messages.iter().position(|message| message.get("method").is_none());
    let late = messages
        .iter()
        .skip(response.unwrap_or(usize::MAX))
        .any(|it| *it.at("method") == "notifications/progress");
    expect(!late, "progress came after the response")
}

fn stream_ends(probe: &Probe<'_>) -> Check {
    let call = probe.known(Purpose::Progress)?;
    let mut stream =
        probe.open(&probe.call_with(&call, json!({ "progressToken": "mcp-conformance-ends" })))?;
    if !stream.is_events() {
        return not_applicable("the answer is no event stream");
    }
    let mut answered = false;
    loop {
        match stream.message() {
            Ok(Some(message)) => answered |= message.get("method").is_none(),
            Ok(None) if !answered && stream.is_resumable() => {
                return not_applicable("the stream goes on for who resumes it");
            }
            Ok(None) => return expect(answered, "it ended without a response"),
            Err(_) if answered => return fail("it stays open after the response"),
            Err(error) => return Err(error),
        }
    }
}

fn stream_one_response(probe: &Probe<'_>) -> Check {
    let answer = with_token(probe, json!("mcp-conformance-one"))?;
    if !answer.is_stream() {
        return not_applicable("the answer is no event stream");
    }
    answer.response().map(drop)
}

fn stream_own_messages(probe: &Probe<'_>) -> Check {
    let able = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
    let meta = json!({ "io.modelcontextprotocol/clientCapabilities": able, "progressToken": 1 });
    let mut seen = false;
    for purpose in [Purpose::Elicits, Purpose::Samples, Purpose::ListsRoots, Purpose::Progress] {
        let Ok(call) = probe.known(purpose) else { continue };
        seen = true;
        let messages = probe.send(&probe.call_with(&call, meta.clone()))?.messages()?;
        let asks = |message: &&Value| message.get("method").is_some() && message.get("id").is_some();
        if let Some(question) = messages.iter().find(asks) {
            return fail(format!("{} is asked on the stream", question.at("method")));
        }
    }
    if seen { Ok(()) } else { not_applicable("no tool is known that asks") }
}

/// The log messages of a call, with the level that it names.
fn logged(probe: &Probe<'_>, level: Option<&str>) -> Result<Vec<Value>, Outcome> {
    let call = probe.known(Purpose::Logging)?;
    let meta = level.map_or_else(|| json!({}), |level| json!({ LEVEL: level }));
    let messages = probe.send(&probe.call_with(&call, meta))?.messages()?;
    Ok(named(&messages, "notifications/message"))
}

fn log_unasked(probe: &Probe<'_>) -> Check {
    expect(logged(probe, None)?.is_empty(), "there were log messages")
}

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

fn rank(level: &Value) -> Option<usize> {
    LEVELS.iter().position(|known| level == known)
}

fn log_level(probe: &Probe<'_>) -> Check {
    if logged(probe, Some("debug"))?.is_empty() {
        return not_applicable("the call logged nothing");
    }
    for (least, level) in LEVELS.iter().enumerate() {
        for message in logged(probe, Some(level))? {
            let got = message.at("params").at("level");
            expect(
                rank(got).is_some_and(|rank| rank >= least),
                format!("{got} came where {level} was asked for"),
            )?;
        }
    }
    Ok(())
}

fn log_level_unknown(probe: &Probe<'_>) -> Check {
    probe.declared("logging")?;
    let answer = if probe.revision().is_legacy() {
        probe.ask("logging/setLevel", json!({ "level": "loud" }))?
    } else {
        probe.ask("tools/list", json!({ "_meta": { LEVEL: "loud" } }))?
    };
    answer.error(&[-32602]).map(drop)
}

fn log_set_level(probe: &Probe<'_>) -> Check {
    probe.declared("logging")?;
    for level in LEVELS {
        probe.ask("logging/setLevel", json!({ "level": level }))?.result()?;
    }
    // As it was.
    probe.ask("logging/setLevel", json!({ "level": "info" }))?.result().map(drop)
}

fn log_undeclared(probe: &Probe<'_>) -> Check {
    if logged(probe, Some("debug"))?.is_empty() {
        return not_applicable("the call logged nothing");
    }
    expect(probe.opened().capabilities.contains_key("logging"), "logging is not declared")
}

fn stream_response_last(probe: &Probe<'_>) -> Check {
    let answer = with_token(probe, json!("mcp-conformance"))?;
    if !answer.is_stream() {
        return not_applicable("the answer is no event stream");
    }
    match answer.messages()?.last() {
        Some(last) if last.get("method").is_some() => fail(format!("{} is last", last.at("method"))),
        _ => Ok(()),
    }
}

fn stream_unbuffered(probe: &Probe<'_>) -> Check {
    let answer = with_token(probe, json!("mcp-conformance"))?;
    if !answer.is_stream() {
        return not_applicable("the answer is no event stream");
    }
    let value = answer.header("X-Accel-Buffering")?;
    expect(value.trim().eq_ignore_ascii_case("no"), format!("X-Accel-Buffering is {value}"))
}

fn streams_apart(probe: &Probe<'_>) -> Check {
    let call = probe.known(Purpose::Progress)?;
    let tokens = [json!("mcp-conformance-a"), json!("mcp-conformance-b")];
    let mut streams = Vec::new();
    for token in &tokens {
        streams.push(probe.open(&probe.call_with(&call, json!({ "progressToken": token })))?);
    }
    if streams.iter().any(|stream| !stream.is_events()) {
        return not_applicable("the answer is no event stream");
    }
    for (stream, token) in streams.iter_mut().zip(&tokens) {
        while let Some(message) = stream.message()? {
            let got = message.at("params").get("progressToken");
            expect(got.is_none_or(|got| got == token), format!("{token} heard of {got:?}"))?;
        }
    }
    Ok(())
}

fn client_left(probe: &Probe<'_>) -> Check {
    let (slow, plain) = (probe.known(Purpose::Slow)?, probe.known(Purpose::Plain)?);
    probe.leave(&probe.call_with(&slow, json!({ "progressToken": "mcp-conformance-left" })))?;
    probe.send(&probe.call(&plain))?.result().map(drop)
}

fn cancel_unknown(probe: &Probe<'_>) -> Check {
    let params = json!({ "requestId": "mcp-conformance-none", "reason": "a test" });
    let answer = probe.send(&probe.notification("notifications/cancelled", params))?;
    let status = answer.http().status;
    // A transport may do without: then it says so.
    let refused = !probe.revision().is_legacy() && (400..500).contains(&status);
    expect(status == 202 || refused, format!("the status is {status}"))
}
