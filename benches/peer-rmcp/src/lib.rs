//! The tools of `bench_http` on the official SDK, at its best: one shared server (its macros' default makes one
//! per request), no sessions, JSON answers.

use std::sync::Arc;

use bench_http::tools::{Book, Echo, Filler, SERVER};
use rmcp::ServerHandler;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::schema_for_input;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{tool, tool_handler, tool_router};

/// The server.
#[derive(Debug)]
pub struct Bench {
    router: ToolRouter<Self>,
}

#[tool_router]
impl Bench {
    #[tool(description = "Says back what it was told.")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Books rooms for a guest, and answers with the name of the guest.")]
    async fn book(&self, Parameters(book): Parameters<Book>) -> String {
        book.summary()
    }
}

impl Bench {
    fn new() -> Result<Self, String> {
        let mut router = Self::tool_router();
        let schema = schema_for_input::<Filler>()?;
        for (name, description) in Filler::all() {
            let tool = Tool::new(name, description, schema.clone());
            router.add_route(ToolRoute::new(tool, filler));
        }
        Ok(Self { router })
    }
}

async fn filler(Parameters(arguments): Parameters<Filler>) -> String {
    arguments.summary()
}

#[tool_handler(router = self.router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(SERVER.0, SERVER.1))
    }
}

/// The server behind HTTP.
///
/// # Errors
/// When a schema is none of an object.
pub fn service(
    config: StreamableHttpServerConfig,
) -> Result<StreamableHttpService<Arc<Bench>, NeverSessionManager>, String> {
    let server = Arc::new(Bench::new()?);
    Ok(StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config.with_legacy_session_mode(false).with_json_response(true),
    ))
}
