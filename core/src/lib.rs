//! Serve tools over MCP.
