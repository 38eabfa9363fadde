//! An endpoint among the other routes of an application.

use actix_web::middleware::{DefaultHeaders, NormalizePath};
use actix_web::{App, HttpResponse, HttpServer, guard, web};
use serde_json::json;

use crate::core::{answer, assert_same, at};
use crate::site::{Site, fixture};
use crate::wire::Request;

/// An application with routes beside the endpoint, and with endpoints in several places.
fn application() -> Site {
    let server = fixture();
    Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || {
            App::new()
                .service(web::resource("/read-only").guard(guard::Get()).to(async || "read"))
                .service(web::scope("/api").service(mcp_actix::mount("/mcp", server.clone())))
                .service(
                    web::scope("/tenants/{tenant}")
                        .service(mcp_actix::mount("/mcp", server.clone()))
                        .default_service(web::to(async || HttpResponse::Gone().body("the scope's own"))),
                )
                .service(web::scope("/top").service(mcp_actix::mount("/", server.clone())))
                .service(mcp_actix::mount("/mcp/", server.clone()))
                .route("/health", web::get().to(async || "ok"))
                .route("/mcp/more", web::get().to(async || "more"))
        })
        .workers(1)
        .disable_signals()
        .listen(listener)
        .map(HttpServer::run)
    })
}

#[test]
fn an_endpoint_is_where_it_was_mounted_with_and_without_a_slash() {
    let (server, site) = (fixture(), application());
    let paths =
        ["/mcp", "/mcp/", "/api/mcp", "/api/mcp/", "/tenants/a/mcp", "/tenants/b/mcp/", "/top", "/top/"];
    for path in paths {
        let request = Request::echo(1, path).to(path);
        let response = site.send(&request);
        assert_eq!(response.status, 200, "{path}");
        assert_same(&response, answer(&server, &request, at(&site)), &request);
    }
}

#[test]
fn other_routes_are_served_and_missing_ones_are_actix_webs_own() {
    let site = application();
    let get = |target| {
        let response = site.send(&Request::new("GET", target));
        (response.status, String::from_utf8(response.body).unwrap())
    };
    assert_eq!(get("/health"), (200, "ok".to_owned()));
    assert_eq!(get("/mcp/more"), (200, "more".to_owned()));
    assert_eq!(get("/read-only"), (200, "read".to_owned()));
    for target in ["/", "/api", "/mcp2", "/mcp/other", "/MCP", "/api/mcp/x", "/mcp%2F", "/top/mcp"] {
        assert_eq!(get(target), (404, String::new()), "{target}");
        let post = site.send(&Request::echo(1, "text").to(target));
        assert_eq!((post.status, post.body), (404, Vec::new()), "{target}");
    }
    assert_eq!(get("/tenants/a/other"), (410, "the scope's own".to_owned()));
}

#[test]
fn another_routes_405_is_actix_webs_own() {
    let site = application();
    let response = site.send(&Request::echo(1, "text").to("/health"));
    assert_eq!((response.status, response.body), (404, Vec::new()));
    let response = site.send(&Request::new("GET", "/mcp"));
    assert_eq!((response.status, response.all("allow")), (405, vec!["POST"]));
}

#[test]
fn an_endpoint_at_the_root_serves_the_root() {
    for path in ["", "/"] {
        let server = fixture();
        let site = Site::start("127.0.0.1:0", move |listener| {
            HttpServer::new(move || App::new().service(mcp_actix::mount(path, server.clone())))
                .workers(1)
                .disable_signals()
                .listen(listener)
                .map(HttpServer::run)
        });
        assert_eq!(site.send(&Request::echo(1, "root").to("/")).text(), "root", "mounted at {path:?}");
        assert_eq!(site.send(&Request::echo(1, "root").to("/other")).status, 404);
    }
}

#[test]
fn middleware_that_changes_paths_and_adds_headers_is_no_hindrance() {
    let server = fixture();
    let site = Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || {
            App::new()
                .wrap(NormalizePath::trim())
                .wrap(DefaultHeaders::new().add(("x-served-by", "one of many")))
                .service(mcp_actix::mount("/mcp", server.clone()))
        })
        .workers(1)
        .disable_signals()
        .listen(listener)
        .map(HttpServer::run)
    });
    for target in ["/mcp", "/mcp/", "//mcp//"] {
        let response = site.send(&Request::echo(1, "text").to(target));
        assert_eq!((response.text(), response.all("x-served-by")), ("text".to_owned(), vec!["one of many"]));
    }
}

#[test]
fn one_server_is_shared_by_all_workers_and_mounts() {
    let server = fixture();
    let mounted = server.clone();
    let site = Site::start("127.0.0.1:0", move |listener| {
        HttpServer::new(move || {
            let app = App::new().service(mcp_actix::mount("/a", mounted.clone()));
            app.service(mcp_actix::mount("/b", mounted.clone()))
        })
        .workers(3)
        .disable_signals()
        .listen(listener)
        .map(HttpServer::run)
    });
    let statuses = || -> Vec<u16> {
        let paths = ["/a", "/b", "/a", "/b", "/a", "/b"];
        paths
            .iter()
            .map(|path| site.send(&Request::call(1, "add", json!({"a": 1, "b": 2})).to(path)).status)
            .collect()
    };
    assert_eq!(statuses(), [200; 6]);
    server.close();
    assert_eq!(statuses(), [503; 6]);
}
