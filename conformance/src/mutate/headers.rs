//! Headers that are missing, repeated, joined, or spelled otherwise.

use super::{Asked, Demand, Mutation};
use crate::wire::{Headers, Request};

const NAMES: &str = "https://www.rfc-editor.org/rfc/rfc9110#section-5.1";
const ORDER: &str = "https://www.rfc-editor.org/rfc/rfc9110#section-5.3";
const MEDIA_TYPES: &str = "https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1";

pub(super) fn mutations(asked: &Asked<'_>) -> Vec<Mutation> {
    let mut all = spelled_otherwise(asked);
    all.extend(content_types(asked));
    if asked.revision.is_legacy() {
        all.extend(legacy_version(asked));
    } else {
        all.extend(mirrored(asked));
    }
    all
}

fn spelled_otherwise(asked: &Asked<'_>) -> Vec<Mutation> {
    let renamed = |change: fn(&str) -> String| {
        let headers: Headers =
            asked.request.headers.iter().map(|(name, value)| (change(name), value.to_vec())).collect();
        Request { headers, ..asked.request.clone() }
    };
    let padded: Headers = asked
        .request
        .headers
        .iter()
        .map(|(name, value)| (name.to_owned(), [b" \t", value, b" \t"].concat()))
        .collect();
    let turned: Headers = {
        let mut headers: Vec<_> =
            asked.request.headers.iter().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
        headers.reverse();
        headers.into_iter().collect()
    };
    vec![
        asked.mutation("header names in upper case", renamed(str::to_ascii_uppercase), Demand::Same, NAMES),
        asked.mutation("header names in lower case", renamed(str::to_ascii_lowercase), Demand::Same, NAMES),
        asked.mutation(
            "header values with space around them",
            Request { headers: padded, ..asked.request.clone() },
            Demand::Same,
            "https://www.rfc-editor.org/rfc/rfc9110#section-5.5",
        ),
        asked.mutation(
            "headers in the other order",
            Request { headers: turned, ..asked.request.clone() },
            Demand::Same,
            ORDER,
        ),
        asked.mutation(
            "an unknown header",
            asked.request.clone().header("X-Unknown-To-All", "1"),
            Demand::Same,
            "https://www.rfc-editor.org/rfc/rfc9110#section-5.1",
        ),
    ]
}

fn content_types(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = asked.page("sending-messages");
    let with = |value: &str| asked.request.clone().with("Content-Type", value);
    vec![
        asked.mutation("Content-Type in upper case", with("APPLICATION/JSON"), Demand::Same, MEDIA_TYPES),
        asked.mutation(
            "Content-Type with a charset",
            with("application/json; charset=utf-8"),
            Demand::Same,
            MEDIA_TYPES,
        ),
        asked.mutation("Content-Type text/plain", with("text/plain"), Demand::NoFault, &page),
        asked.mutation(
            "without Content-Type",
            asked.request.clone().without("Content-Type"),
            Demand::NoFault,
            &page,
        ),
        asked.mutation("without Accept", asked.request.clone().without("Accept"), Demand::NoFault, &page),
        asked.mutation(
            "Accept of an image",
            asked.request.clone().with("Accept", "image/png"),
            Demand::NoFault,
            &page,
        ),
    ]
}

fn legacy_version(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = asked.page("protocol-version-header");
    let name = "MCP-Protocol-Version";
    // On `initialize` the version is still to be found.
    if asked.method == "initialize" || !asked.request.headers.has(name) {
        return Vec::new();
    }
    vec![
        asked.mutation(
            format!("an unknown {name}"),
            asked.request.clone().with(name, "1999-12-31"),
            Demand::Refused(&[400]),
            &page,
        ),
        asked.mutation(
            format!("a malformed {name}"),
            asked.request.clone().with(name, "latest"),
            Demand::Refused(&[400]),
            &page,
        ),
        asked.mutation(
            format!("without {name}"),
            asked.request.clone().without(name),
            Demand::NoFault,
            &page,
        ),
    ]
}

/// Headers that repeat what the body says.
fn mirrored(asked: &Asked<'_>) -> Vec<Mutation> {
    let page = asked.page("standard-request-headers");
    let refused = Demand::Refused(&[400]);
    let mut all = Vec::new();
    for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        let Some(value) = asked.request.headers.text(name) else { continue };
        let needs_name = matches!(&*asked.method, "tools/call" | "prompts/get" | "resources/read");
        if name == "Mcp-Name" && !needs_name {
            continue;
        }
        let request = || asked.request.clone();
        let other = if name == "MCP-Protocol-Version" { "2025-11-25" } else { "other" };
        let mut add = |what: String, request: Request, demand: Demand| {
            all.push(asked.mutation(what, request, demand, &page));
        };
        add(format!("without {name}"), request().without(name), refused);
        add(format!("another {name}"), request().with(name, other), refused);
        add(format!("an empty {name}"), request().with(name, ""), refused);
        add(format!("{name} twice, the second another"), request().header(name, other), refused);
        add(
            format!("{name} twice, the first another"),
            request().with(name, other).header(name, value),
            refused,
        );
        add(
            format!("{name} joined with another"),
            request().with(name, format!("{value}, {other}")),
            refused,
        );
        add(format!("{name} twice, both the same"), request().header(name, value), Demand::NoFault);
        if value.to_ascii_uppercase() != value {
            add(format!("{name} in upper case"), request().with(name, value.to_ascii_uppercase()), refused);
        }
    }
    all
}
