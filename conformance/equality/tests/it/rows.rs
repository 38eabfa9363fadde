//! The tables: what is sent to the server of one setting.

pub(crate) mod auth;
pub(crate) mod bodies;
pub(crate) mod content;
pub(crate) mod headers;
pub(crate) mod http;
pub(crate) mod ladder;
pub(crate) mod methods;
pub(crate) mod streams;

use crate::row::Row;
use crate::setting::Setting;

/// Rows for one server.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) setting: Setting,
    pub(crate) rows: Vec<Row>,
}

pub(crate) fn all() -> Vec<Table> {
    [
        auth::tables(),
        ladder::tables(),
        methods::tables(),
        content::tables(),
        streams::tables(),
        bodies::tables(),
        headers::tables(),
        http::tables(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
