//! Methods, media types, statuses.

use serde_json::json;

use super::{Area, Check, Rule, must};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::expect;

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "result-media-type",
        Area::Http,
        "the answer to a request is application/json or text/event-stream",
        &[
            must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
            must(V2026_07_28, "basic/transports/streamable-http#receiving-messages"),
        ],
        result_media_type,
    ),
    Rule::new(
        "notification-accepted",
        Area::Http,
        "a notification is answered with 202 and no body",
        &[
            must(V2025_06_18, "basic/transports#sending-messages-to-the-server"),
            must(V2025_11_25, "basic/transports#sending-messages-to-the-server"),
        ],
        notification_accepted,
    ),
];

fn result_media_type(probe: &Probe<'_>) -> Check {
    let answer = probe.ask("tools/list", json!({}))?;
    answer.status(200)?.response()?;
    Ok(())
}

fn notification_accepted(probe: &Probe<'_>) -> Check {
    let answer = probe.send(&probe.notification("notifications/initialized", json!({})))?;
    answer.status(202)?;
    expect(answer.http().body.is_empty(), "there is a body")
}
