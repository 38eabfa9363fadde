//! Who is calling, as the gateway's authorizer says, and what the platform knows of the invocation.

use mcp_http::{CallContext, Principal, Server, ToolSet, tool};
use mcp_lambda::lambda_http::aws_lambda_events::apigw::ApiGatewayProxyRequestContext;
use mcp_lambda::lambda_http::request::RequestContext;
use mcp_lambda::lambda_http::{self, Context};

/// Says who is calling.
#[tool(read_only)]
fn whoami(caller: Principal) -> String {
    caller.to_string()
}

/// Says which function was invoked.
#[tool(read_only)]
fn which_function(cx: CallContext) -> Option<String> {
    Some(cx.get::<Context>()?.invoked_function_arn.clone())
}

/// What the authorizer put into the event.
fn principal(head: &http::request::Parts) -> Option<Principal> {
    match head.extensions.get()? {
        RequestContext::ApiGatewayV1(ApiGatewayProxyRequestContext { authorizer, .. }) => {
            authorizer.fields.get("principalId")?.as_str().map(Principal::new)
        }
        RequestContext::ApiGatewayV2(context) => {
            context.authorizer.as_ref()?.fields.get("principalId")?.as_str().map(Principal::new)
        }
        RequestContext::Alb(_) | _ => None,
    }
}

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    let tools = ToolSet::try_from_tools([whoami::tool(), which_function::tool()])?;
    let server = Server::builder("authorized", "1.0.0").tools(tools).principal(principal).build()?;
    mcp_lambda::run(server).await
}
