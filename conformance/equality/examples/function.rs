//! The server of one setting, as a Lambda function: `MCP_SETTING` names it, and with `MCP_STREAMING` set the function streams.

#[path = "../tests/it/setting.rs"]
#[expect(clippy::unwrap_used, reason = "of a test")]
mod setting;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), mcp_lambda::lambda_http::Error> {
    let name = std::env::var("MCP_SETTING")?;
    let setting = setting::Setting::named(&name).ok_or("no such setting")?;
    let server = setting::server(setting);
    if std::env::var_os("MCP_STREAMING").is_some() {
        mcp_lambda::run_streaming(server).await
    } else {
        mcp_lambda::run(server).await
    }
}
