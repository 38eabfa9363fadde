//! Tools inside a function that was there before: its routes, its authentication, as a layer of tower's.
//! As `src/main.rs` of a package `shop` that depends on `mcp-http`, `mcp-lambda`, `http` 1 and `tokio`, it runs on
//! this machine with `cargo lambda watch --disable-cors` (the emulator would answer browsers by itself). Then
//!
//! ```sh
//! URL=http://127.0.0.1:9000/lambda-url/shop
//! curl -s $URL/mcp -H 'Content-Type: application/json' -H 'Authorization: Bearer ada' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_orders"}}'
//! curl -s $URL/orders -H 'Authorization: Bearer ada'
//! curl -si $URL/mcp -H 'Content-Type: application/json' -d '{}'
//! curl -si $URL/mcp -X OPTIONS -H 'Origin: https://app.example.com' -H 'Access-Control-Request-Method: POST'
//! ```
//!
//! prints the answer of the tool, with ada's orders, `two chairs` and `a lamp`; the same on a route of the function's own; 401
//! for who is not signed in; and 204 for a browser that asks whether a page of `https://app.example.com` may call tools.
//!
//! Nothing is done for the end of the process: the platform ends it between requests, and no stream outlives its request.
//! Nothing is kept in memory either: the next request may meet another process.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Method, Response, StatusCode};
use mcp_http::{Body, Principal, Server, ToolSet, tool};
use mcp_lambda::Handler;
use mcp_lambda::lambda_http::tower::ServiceBuilder;
use mcp_lambda::lambda_http::{self, Request, RequestExt as _, Service, service_fn};

/// The browser client's origin.
const PAGE: &str = "https://app.example.com";

/// What a real application asks its database.
fn orders_of(customer: &Principal) -> &'static str {
    match customer.as_str() {
        "ada" => "two chairs\na lamp",
        _ => "no orders",
    }
}

/// List the orders of the user.
#[tool(read_only)]
fn list_orders(customer: Principal) -> &'static str {
    orders_of(&customer)
}

/// The function's own authentication, around what answers: a real one would look the token up.
#[derive(Clone)]
struct SignIn<S>(S);

impl<S> Service<Request> for SignIn<S>
where
    S: Service<Request, Response = Response<Body>, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(task)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        // A browser asks first whether it may send a token.
        if request.method() != Method::OPTIONS {
            let header = request.headers().get("authorization").and_then(|value| value.to_str().ok());
            let Some(token) = header.and_then(|value| value.strip_prefix("Bearer ")) else {
                return Box::pin(async { Ok(not_signed_in()) });
            };
            let customer = Principal::new(token);
            request.extensions_mut().insert(customer);
        }
        Box::pin(self.0.call(request))
    }
}

/// Clients know by this that they have to sign in, those in a page as well.
fn not_signed_in() -> Response<Body> {
    let mut response = text("sign in first");
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    let headers = [
        ("www-authenticate", "Bearer"),
        ("access-control-allow-origin", PAGE),
        ("access-control-expose-headers", "www-authenticate"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, http::HeaderValue::from_static(value));
    }
    response
}

fn text(text: &'static str) -> Response<Body> {
    Response::new(text.into())
}

/// The function's other routes. Stages come before the path, so that its end decides.
async fn route(request: Request, mut tools: Handler) -> Result<Response<Body>, Infallible> {
    let path = request.raw_http_path().to_owned();
    if path.ends_with("/orders") {
        let customer = request.extensions().get::<Principal>();
        return Ok(text(customer.map_or("", orders_of)));
    }
    tools.call(request).await
}

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    let tools = ToolSet::try_from_tools([list_orders::tool()])?;
    let server = Server::builder("shop", "1.0.0").tools(tools).cors_origin(PAGE).build()?;
    let tools = mcp_lambda::handler(server);
    let routes = service_fn(move |request| route(request, tools.clone()));
    mcp_lambda::serve(ServiceBuilder::new().layer_fn(SignIn).service(routes)).await
}
