//! The ways to serve.

mod actix;
mod axum;
mod core;
mod warp;

use crate::host::Host;
use crate::row::Row;
use crate::setting::{Setting, server};
use crate::site::Site;
use crate::wire::Response;

/// All of them, each with a server of its own. The first is the measure.
pub(crate) fn all(setting: Setting) -> Vec<Box<dyn Host>> {
    let core: Box<dyn Host> = Box::new(core::Core::new(server(setting)));
    let others = on_sockets(setting).into_iter().map(|host| Box::new(host) as Box<dyn Host>);
    std::iter::once(core).chain(others).collect()
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
        let mut client = self.site.connect();
        if row.old {
            return client.send_as_http_1_0(&row.request);
        }
        let bytes = row.request.bytes();
        for piece in bytes.chunks(row.pieces.unwrap_or(bytes.len())) {
            client.write(piece);
        }
        let response = client.read_answer_to(&row.request.method);
        let is_json = response.all("content-type") == ["application/json"];
        assert!(!is_json || !response.all("content-length").is_empty(), "{}: {response:?}", row.name);
        response
    }
}
