//! What middleware knows of the caller, and how tools get to know it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, Error, HttpMessage as _, HttpServer, error, web};
use mcp_http::{CallContext, Principal, Server, Tool, ToolSet};
use serde_json::json;

use crate::site::{Site, fixture};
use crate::wire::Request;

/// Middleware of the application: who has a token is known, who has a bad one is sent away.
async fn sign_in(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let token = request.headers().get("authorization").map(|value| value.as_bytes().to_vec());
    match token.as_deref() {
        None => {}
        Some(b"Bearer token-of-a") => drop(request.extensions_mut().insert(Principal::new("a"))),
        Some(b"Bearer token-of-b") => drop(request.extensions_mut().insert(Principal::new("b"))),
        Some(_) => return Err(error::ErrorUnauthorized("not a token")),
    }
    next.call(request).await
}

fn behind_middleware() -> Site {
    let server = fixture();
    Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || {
            let scope = web::scope("/scope").wrap(from_fn(sign_in));
            App::new().service(scope.service(mcp_actix::mount("/mcp", server.clone()))).service(
                web::scope("").wrap(from_fn(sign_in)).service(mcp_actix::mount("/mcp", server.clone())),
            )
        })
        .workers(1)
        .disable_signals()
        .listen(listener)
        .map(HttpServer::run)
    })
}

#[test]
fn a_tool_knows_the_principal_that_middleware_found() {
    let site = behind_middleware();
    for target in ["/mcp", "/scope/mcp"] {
        let mut client = site.connect();
        let request = Request::call(1, "whoami", json!({})).to(target);
        // One connection, several callers: nobody is remembered.
        for (token, name) in
            [("Bearer token-of-a", "a"), ("Bearer token-of-b", "b"), ("Bearer token-of-a", "a")]
        {
            let signed_in = request.clone().header("Authorization", token);
            assert_eq!(client.send(&signed_in).text(), name);
            assert_eq!(client.send(&request).text(), "anonymous");
        }
    }
}

#[test]
fn a_tool_for_one_caller_does_not_exist_for_others() {
    let site = behind_middleware();
    let mut client = site.connect();
    let call = Request::call(1, "admin_only", json!({}));
    let a = |request: &Request| request.clone().header("Authorization", "Bearer token-of-a");
    let b = |request: &Request| request.clone().header("Authorization", "Bearer token-of-b");
    assert_eq!(client.send(&a(&call)).text(), "you are the principal a");
    for request in [b(&call), call.clone()] {
        assert_eq!(client.send(&request).json()["error"]["message"], json!("Unknown tool: admin_only"));
    }
    let list = Request::modern(1, "tools/list", json!({}));
    let mut lists = |request: &Request| {
        let response = client.send(request).json();
        let scope = response["result"]["cacheScope"].as_str().unwrap().to_owned();
        (response["result"]["tools"].to_string().contains("admin_only"), scope)
    };
    assert_eq!(lists(&a(&list)), (true, "private".to_owned()));
    assert_eq!(lists(&b(&list)), (false, "private".to_owned()));
    assert_eq!(lists(&list), (false, "private".to_owned()));
}

#[test]
fn middleware_that_answers_itself_is_the_only_one_to_answer() {
    let site = behind_middleware();
    let mut client = site.connect();
    let request = Request::echo(1, "text");
    let response = client.send(&request.clone().header("Authorization", "Bearer stolen"));
    assert_eq!((response.status, response.body), (401, b"not a token".to_vec()));
    assert!(matches!(site.send(&request).status, 200));
}

/// A value of the application's, as middleware leaves it in actix-web's own extensions.
#[derive(Debug, Clone)]
struct Tenant(String);

#[test]
fn a_tool_finds_what_the_mount_copied_for_it() {
    let tool = Tool::builder("tenant").handler(|cx: CallContext| {
        let tenant = cx.get::<Tenant>().map_or("no tenant", |tenant| &tenant.0);
        format!("{tenant}, called by {}", cx.principal().map_or("nobody", Principal::as_str))
    });
    let server =
        Server::builder("tenants", "1.0.0").tools(ToolSet::new().with(tool).unwrap()).build().unwrap();
    let copied = Arc::new(AtomicUsize::new(0));
    let counter = copied.clone();
    let site = Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || {
            let counter = counter.clone();
            let endpoint = mcp_actix::mount("/mcp", server.clone()).extensions(move |request, extensions| {
                counter.fetch_add(1, Ordering::Relaxed);
                if let Some(tenant) = request.extensions().get::<Tenant>() {
                    extensions.insert(tenant.clone());
                }
                if let Some(name) = request.headers().get("x-name") {
                    extensions.insert(Principal::new(name.to_str().unwrap()));
                }
            });
            let tenants = from_fn(async |request: ServiceRequest, next: Next<_>| {
                if let Some(tenant) = request.match_info().get("tenant") {
                    request.extensions_mut().insert(Tenant(tenant.to_owned()));
                }
                next.call(request).await
            });
            App::new()
                .service(endpoint.clone())
                .service(web::scope("/{tenant}").wrap(tenants).service(endpoint))
        })
        .workers(1)
        .disable_signals()
        .listen(listener)
        .map(HttpServer::run)
    });
    let call = Request::call(1, "tenant", json!({}));
    assert_eq!(site.send(&call).text(), "no tenant, called by nobody");
    assert_eq!(site.send(&call.clone().to("/blue/mcp")).text(), "blue, called by nobody");
    assert_eq!(site.send(&call.to("/red/mcp").header("X-Name", "a")).text(), "red, called by a");
    assert_eq!(copied.load(Ordering::Relaxed), 3);
}

#[test]
fn a_server_with_tokens_lets_in_who_has_one_and_serves_its_metadata_to_everybody() {
    let options = mcp_fixture::Options { auth: true, ..mcp_fixture::Options::default() };
    let site = Site::of(mcp_fixture::server(&options).unwrap());
    let whoami = || Request::call(1, "whoami", json!({}));
    assert_eq!(site.send(&whoami().header("Authorization", "Bearer token_a")).text(), "a");
    let refused = site.send(&whoami());
    assert_eq!(refused.status, 401);
    let url = "http://localhost/.well-known/oauth-protected-resource/mcp";
    assert_eq!(refused.all("www-authenticate"), [format!("Bearer resource_metadata=\"{url}\"")]);
    let metadata = site.send(&Request::new("GET", "/.well-known/oauth-protected-resource/mcp"));
    assert_eq!((metadata.status, &metadata.json()["resource"]), (200, &json!("http://localhost/mcp")));
    let elsewhere = site.send(&Request::new("GET", "/.well-known/oauth-protected-resource/other"));
    assert_eq!(elsewhere.status, 404);
}
