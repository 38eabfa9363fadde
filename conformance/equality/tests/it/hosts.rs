//! The ways to serve.

mod actix;
mod axum;
mod core;
mod lambda;
mod warp;

use std::net::SocketAddr;

use crate::host::Host;
use crate::row::Row;
use crate::setting::{Setting, server};
use crate::site::Site;
use crate::wire::{Client, Response};

/// All of them, each with a server of its own. The first is the measure.
pub(crate) fn all(setting: Setting) -> Vec<Box<dyn Host>> {
    let core: Box<dyn Host> = Box::new(core::Core::new(server(setting)));
    let others = on_sockets(setting).into_iter().map(|host| Box::new(host) as Box<dyn Host>);
    let functions =
        [false, true].map(|streams| Box::new(lambda::Lambda::start(setting, streams)) as Box<dyn Host>);
    std::iter::once(core).chain(others).chain(functions).collect()
}

/// Those that a client can connect to.
pub(crate) fn on_sockets(setting: Setting) -> [OnSocket; 3] {
    [
        OnSocket { name: "actix", site: actix::serve(server(setting)) },
        OnSocket { name: "warp", site: warp::serve(server(setting)) },
        OnSocket { name: "axum", site: axum::serve(server(setting)) },
    ]
}

/// A web server, and a connection to it for each row.
pub(crate) struct OnSocket {
    pub(crate) name: &'static str,
    pub(crate) site: Site,
}

impl Host for OnSocket {
    fn name(&self) -> &'static str {
        self.name
    }

    fn send(&self, row: &Row) -> Response {
        let response = send_to(self.site.address, row);
        let is_json = response.all("content-type") == ["application/json"];
        let has_length = row.old || !response.all("content-length").is_empty();
        assert!(!is_json || has_length, "{}: {response:?}", row.name);
        response
    }
}

/// Sends the request of a row over a connection of its own.
fn send_to(address: SocketAddr, row: &Row) -> Response {
    let mut client = Client::connect(address);
    if row.old {
        return client.send_as_http_1_0(&row.request);
    }
    let bytes = row.request.bytes();
    for piece in bytes.chunks(row.pieces.unwrap_or(bytes.len())) {
        client.write(piece);
    }
    client.read_answer_to(&row.request.method)
}
