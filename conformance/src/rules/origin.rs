//! `Origin` and `Host`.

use serde_json::json;
use url::Host;

use super::{Area, Check, Clause, Rule, fail, must, not_applicable, should};
use crate::Probe;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::answer::{Answer, expect};
use crate::json::At as _;
use crate::wire::Request;

const FOREIGN: &str = "https://conformance.example";

const ORIGIN: &[Clause] = &[
    must(V2025_06_18, "basic/transports#security-warning"),
    must(V2025_11_25, "basic/transports#security-warning"),
    must(V2026_07_28, "basic/transports/streamable-http#security-%26-endpoint"),
];

pub(super) static RULES: &[Rule] = &[
    Rule::new(
        "foreign-origin-refused",
        Area::Origin,
        "a request of a foreign page is refused",
        ORIGIN,
        |probe| refused(&probe.send(&probe.harmless().header("Origin", FOREIGN))?),
    ),
    Rule::new(
        "foreign-origin-403",
        Area::Origin,
        "a request of a foreign page is answered with 403",
        &[
            must(V2025_11_25, "basic/transports#security-warning"),
            must(V2026_07_28, "basic/transports/streamable-http#security-%26-endpoint"),
        ],
        |probe| probe.send(&probe.harmless().header("Origin", FOREIGN))?.status(403).map(|_| ()),
    ),
    Rule::new(
        "foreign-origin-error-has-no-id",
        Area::Origin,
        "where a foreign page is answered with a JSON-RPC error, that has no id",
        &[
            should(V2025_11_25, "basic/transports#security-warning"),
            should(V2026_07_28, "basic/transports/streamable-http#security-%26-endpoint"),
        ],
        |probe| {
            let answer = probe.send(&probe.harmless().header("Origin", FOREIGN))?;
            let messages = answer.messages().unwrap_or_default();
            let Some(error) = messages.iter().find(|message| message.get("error").is_some()) else {
                return not_applicable("the body is no JSON-RPC error");
            };
            let id = error.at("id");
            expect(id.is_null(), format!("the id is {id}"))
        },
    ),
    Rule::new(
        "foreign-origin-refused-opening",
        Area::Origin,
        "a foreign page cannot open",
        ORIGIN,
        |probe| refused(&probe.send(&probe.opening().header("Origin", FOREIGN))?),
    ),
    Rule::new(
        "foreign-origin-refused-notification",
        Area::Origin,
        "a notification of a foreign page is refused",
        ORIGIN,
        |probe| {
            let params = json!({ "requestId": 987_654 });
            let notification = probe.notification("notifications/cancelled", params);
            refused(&probe.send(&notification.header("Origin", FOREIGN))?)
        },
    ),
    Rule::new(
        "foreign-origin-refused-get",
        Area::Origin,
        "a foreign page cannot listen",
        &[
            must(V2025_06_18, "basic/transports#security-warning"),
            must(V2025_11_25, "basic/transports#security-warning"),
        ],
        |probe| {
            let request = probe.harmless().by("GET").body("").without("Content-Type");
            let stream =
                probe.open(&request.with("Accept", "text/event-stream").header("Origin", FOREIGN))?;
            expect(stream.head.status >= 400, format!("the status is {}", stream.head.status))
        },
    ),
    Rule::new(
        "lookalike-origin-refused",
        Area::Origin,
        "an origin whose name only begins or ends like that of the server is refused",
        ORIGIN,
        |probe| {
            let host = probe.target().endpoint.host();
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            for origin in [
                format!("http://{name}.conformance.example"),
                format!("http://conformance.example#{name}"),
                "http://localhost.conformance.example".to_owned(),
            ] {
                let answer = probe.send(&probe.harmless().header("Origin", &*origin))?;
                refused(&answer).or_else(|_| fail(format!("{origin} is let in")))?;
            }
            Ok(())
        },
    ),
    Rule::new(
        "null-origin-refused",
        Area::Origin,
        "a page whose origin is hidden is refused",
        &[
            should(V2025_06_18, "basic/transports#security-warning"),
            should(V2025_11_25, "basic/transports#security-warning"),
            should(V2026_07_28, "basic/transports/streamable-http#security-%26-endpoint"),
        ],
        |probe| refused(&probe.send(&probe.harmless().header("Origin", "null"))?),
    ),
    Rule::new(
        "rebinding-refused",
        Area::Origin,
        "a page that has rebound its name to the server is refused",
        ORIGIN,
        |probe| refused(&probe.send(&rebound(probe)?.header("Origin", "http://conformance.example"))?),
    ),
    Rule::new(
        "foreign-host-refused",
        Area::Origin,
        "a server on a loopback address does not answer to another name",
        &[
            should(V2025_06_18, "basic/transports#security-warning"),
            should(V2025_11_25, "basic/transports#security-warning"),
            should(V2026_07_28, "basic/transports/streamable-http#security-%26-endpoint"),
        ],
        |probe| refused(&probe.send(&rebound(probe)?)?),
    ),
];

fn refused(answer: &Answer) -> Check {
    let status = answer.http().status;
    expect(status >= 400, format!("the status is {status}"))
}

/// A request under another name.
fn rebound(probe: &Probe<'_>) -> Result<Request, super::Outcome> {
    let loopback = match probe.target().endpoint.url().host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    if !loopback {
        return not_applicable("the server is on no loopback address");
    }
    Ok(probe.harmless().with("Host", "conformance.example"))
}
