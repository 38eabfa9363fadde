//! The shape of every message that was seen.

use super::Rule;
use super::must;
use crate::Revision::{V2025_06_18, V2025_11_25, V2026_07_28};
use crate::shapes::Kind;

pub(super) static RULES: &[Rule] = &[
    Rule::seen(
        "shape-initialize",
        "the result of initialize has the shape that the schema gives it",
        &[must(V2025_06_18, "schema#initializeresult"), must(V2025_11_25, "schema#initializeresult")],
        Kind::Initialize,
    ),
    Rule::seen(
        "shape-discover",
        "the result of server/discover has the shape that the schema gives it",
        &[must(V2026_07_28, "schema#discoverresult")],
        Kind::Discover,
    ),
    Rule::seen(
        "shape-tools-list",
        "the result of tools/list has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#listtoolsresult"),
            must(V2025_11_25, "schema#listtoolsresult"),
            must(V2026_07_28, "schema#listtoolsresult"),
        ],
        Kind::ToolsList,
    ),
    Rule::seen(
        "shape-tools-call",
        "the result of tools/call has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#calltoolresult"),
            must(V2025_11_25, "schema#calltoolresult"),
            must(V2026_07_28, "schema#calltoolresult"),
        ],
        Kind::ToolsCall,
    ),
    Rule::seen(
        "shape-prompts-list",
        "the result of prompts/list has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#listpromptsresult"),
            must(V2025_11_25, "schema#listpromptsresult"),
            must(V2026_07_28, "schema#listpromptsresult"),
        ],
        Kind::PromptsList,
    ),
    Rule::seen(
        "shape-prompts-get",
        "the result of prompts/get has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#getpromptresult"),
            must(V2025_11_25, "schema#getpromptresult"),
            must(V2026_07_28, "schema#getpromptresult"),
        ],
        Kind::PromptsGet,
    ),
    Rule::seen(
        "shape-resources-list",
        "the result of resources/list has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#listresourcesresult"),
            must(V2025_11_25, "schema#listresourcesresult"),
            must(V2026_07_28, "schema#listresourcesresult"),
        ],
        Kind::ResourcesList,
    ),
    Rule::seen(
        "shape-templates-list",
        "the result of resources/templates/list has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#listresourcetemplatesresult"),
            must(V2025_11_25, "schema#listresourcetemplatesresult"),
            must(V2026_07_28, "schema#listresourcetemplatesresult"),
        ],
        Kind::TemplatesList,
    ),
    Rule::seen(
        "shape-resources-read",
        "the result of resources/read has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#readresourceresult"),
            must(V2025_11_25, "schema#readresourceresult"),
            must(V2026_07_28, "schema#readresourceresult"),
        ],
        Kind::ResourcesRead,
    ),
    Rule::seen(
        "shape-complete",
        "the result of completion/complete has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#completeresult"),
            must(V2025_11_25, "schema#completeresult"),
            must(V2026_07_28, "schema#completeresult"),
        ],
        Kind::Complete,
    ),
    Rule::seen(
        "shape-empty",
        "the result of a method that has nothing to say has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#emptyresult"),
            must(V2025_11_25, "schema#emptyresult"),
            must(V2026_07_28, "schema#emptyresult"),
        ],
        Kind::Empty,
    ),
    Rule::seen(
        "shape-error",
        "every error has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#jsonrpcerror"),
            must(V2025_11_25, "schema#jsonrpcerrorresponse"),
            must(V2026_07_28, "schema#jsonrpcerrorresponse"),
        ],
        Kind::Error,
    ),
    Rule::seen(
        "shape-notification",
        "every notification has the shape that the schema gives it",
        &[
            must(V2025_06_18, "schema#jsonrpcnotification"),
            must(V2025_11_25, "schema#jsonrpcnotification"),
            must(V2026_07_28, "schema#jsonrpcnotification"),
        ],
        Kind::Notification,
    ),
    Rule::seen(
        "shape-request",
        "every question to the client has the shape that the schema gives it",
        &[must(V2025_06_18, "schema#jsonrpcrequest"), must(V2025_11_25, "schema#jsonrpcrequest")],
        Kind::Request,
    ),
];
