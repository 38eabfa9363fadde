//! The server that ours serve, on whatever framework: ordinary typed tools, all checks on.

use mcp_http::{Server, Tool, ToolSet};

use crate::tools::{BOOK, Book, ECHO, Echo, Filler, SERVER};

/// With all 52 tools.
///
/// # Errors
/// When a tool or the server is refused.
pub fn server() -> Result<Server, Box<dyn std::error::Error + Send + Sync>> {
    let tools = ToolSet::new()
        .with(Tool::builder("echo").description(ECHO).handler(async |arguments: Echo| arguments.text))?
        .with(Tool::builder("book").description(BOOK).handler(async |arguments: Book| arguments.summary()))?;
    for (name, description) in Filler::all() {
        let filler = Tool::builder(name).description(description);
        tools.add(filler.handler(async |arguments: Filler| arguments.summary()))?;
    }
    Ok(Server::builder(SERVER.0, SERVER.1).tools(tools).build()?)
}
