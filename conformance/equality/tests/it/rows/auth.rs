//! Who gets in, and what the others are told.

use serde_json::json;

use super::Table;
use crate::row::{REVISIONS, Row, call, request};
use crate::setting::{PAGE, Setting};
use crate::wire::Request;

/// Where clients look for the metadata.
const METADATA: &str = "/.well-known/oauth-protected-resource/public/mcp";

pub(crate) fn tables() -> Vec<Table> {
    let mut rows = Vec::new();
    for revision in REVISIONS {
        rows.extend(requests(revision));
    }
    rows.extend(others());
    vec![Table { name: "auth", setting: Setting::Auth, rows }]
}

fn requests(revision: &str) -> Vec<Row> {
    let whoami = || call(revision, "whoami", json!({}));
    let with = |value: &str| whoami().header("Authorization", value);
    let good = "Bearer token_a";
    let rows = [
        ("no token", 401, whoami()),
        ("no token, of a page", 401, whoami().header("Origin", PAGE)),
        ("another scheme", 401, with("Basic dG9rZW5fYTo=")),
        ("a scheme alone", 401, with("Bearer")),
        ("a token that is not good", 401, with("Bearer stale")),
        ("two tokens", 400, with(good).header("Authorization", "Bearer token_b")),
        ("a good token", 200, with(good)),
        ("a good token, of a page", 200, with(good).header("Origin", PAGE)),
        ("a scheme in another case", 200, with("bearer token_b")),
        ("a good token elsewhere", 403, with(good).header("Origin", "https://evil.example")),
        ("a token in the target", 401, whoami().to("/mcp?access_token=token_a")),
        ("what only one may see", 200, call(revision, "admin_only", json!({})).header("Authorization", good)),
        ("a list", 200, request(revision, "tools/list", json!({})).header("Authorization", "Bearer token_b")),
        ("no JSON, no token", 401, Request::post("{")),
        ("no JSON", 400, Request::post("{").header("Authorization", good)),
    ];
    rows.map(|(name, status, request)| Row::new(format!("{revision}: {name}"), status, request)).into()
}

fn others() -> Vec<Row> {
    let mut rows = vec![
        Row::new("GET", 401, Request::new("GET", "/mcp")),
        Row::new(
            "GET with a token",
            405,
            Request::new("GET", "/mcp").header("Authorization", "Bearer token_a"),
        ),
    ];
    let preflight = Request::new("OPTIONS", "/mcp").header("Access-Control-Request-Method", "POST");
    let asking = preflight.header("Access-Control-Request-Headers", "authorization");
    rows.push(Row::new("preflight", 204, asking.clone().header("Origin", PAGE)));
    rows.push(Row::new("preflight of another page", 401, asking.header("Origin", "https://evil.example")));
    let metadata = || Request::new("GET", METADATA);
    rows.push(Row::new("metadata", 200, metadata()));
    for method in ["POST", "DELETE"] {
        rows.push(Row::new(format!("{method} of metadata"), 401, metadata().by(method)));
    }
    let asking = metadata().by("OPTIONS").header("Access-Control-Request-Method", "GET");
    rows.push(Row::new("preflight of metadata", 200, asking.header("Origin", "https://elsewhere.example")));
    rows.push(Row::new("metadata, with a token", 200, metadata().header("Authorization", "Bearer stale")));
    rows.push(Row::new("metadata, asked for something", 200, metadata().to(&format!("{METADATA}?a=b"))));
    rows.push(Row::new(
        "metadata, of any page",
        200,
        metadata().header("Origin", "https://elsewhere.example"),
    ));
    rows
}
