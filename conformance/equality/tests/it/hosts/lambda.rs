//! A function of its own process, behind what keeps all values of a header.

use mcp_lambda_emulator::{Emulator, Front, Function};

use super::send_to;
use crate::host::{Host, Needs};
use crate::row::Row;
use crate::setting::Setting;
use crate::wire::Response;

pub(super) struct Lambda {
    emulator: Emulator,
    streams: bool,
}

impl Lambda {
    pub(super) fn start(setting: Setting, streams: bool) -> Self {
        let test = std::env::current_exe().unwrap();
        let program = test.parent().unwrap().parent().unwrap().join("examples/function");
        let hint = "build the function first: cargo build -p mcp-equality --example function";
        assert!(program.exists(), "{hint}");
        let mut function =
            Function::new(program).front(Front::RestApi).quiet().env("MCP_SETTING", setting.name());
        if streams {
            function = function.env("MCP_STREAMING", "1");
        }
        Self { emulator: function.start().unwrap(), streams }
    }
}

impl Host for Lambda {
    fn name(&self) -> &'static str {
        if self.streams { "lambda, streaming" } else { "lambda" }
    }

    fn send(&self, row: &Row) -> Response {
        let mut response = send_to(self.emulator.address(), row);
        if self.streams && response.body.is_empty() {
            // `lambda_runtime` says so of every streamed answer that does not say what it is.
            response
                .headers
                .retain(|(name, value)| name != "content-type" || value != b"application/octet-stream");
        }
        response
    }

    fn gives(&self) -> Needs {
        if self.streams { Needs::Streams } else { Needs::Nothing }
    }
}
