//! The server that ours serve, on whatever framework: ordinary typed tools, all checks on.

use mcp_http::{LazyTools, Server, Tool, ToolBuilder, ToolSet};

use crate::tools::{BOOK, Book, ECHO, Echo, Filler, SERVER};

fn tools() -> Vec<ToolBuilder> {
    let mut tools = vec![
        Tool::builder("echo").description(ECHO).handler(async |arguments: Echo| arguments.text),
        Tool::builder("book").description(BOOK).handler(async |arguments: Book| arguments.summary()),
    ];
    tools.extend(Filler::all().map(|(name, description)| {
        let filler = Tool::builder(name).description(description);
        filler.handler(async |arguments: Filler| arguments.summary())
    }));
    tools
}

/// With all 52 tools.
///
/// # Errors
/// When a tool or the server is refused.
pub fn server() -> Result<Server, Box<dyn std::error::Error + Send + Sync>> {
    let tools = ToolSet::try_from_tools(tools())?;
    Ok(Server::builder(SERVER.0, SERVER.1).tools(tools).build()?)
}

/// With all 52 tools, each built when it is needed, as the guide advises for functions.
///
/// # Errors
/// When a name is taken, or the server is refused.
pub fn function() -> Result<Server, Box<dyn std::error::Error + Send + Sync>> {
    let tools = LazyTools::try_from_tools(tools())?;
    Ok(Server::builder(SERVER.0, SERVER.1).tools(tools).build()?)
}
