//! Running a server for others: proxies, balancers, several processes, functions. It holds no code of its own.
//!
//! Limits and defaults of other people's products are those of 2026: look them up.
//!
//! # In short
//!
//! | you have | set |
//! |---|---|
//! | a proxy on the same machine | [`allowed_hosts`](crate::ServerBuilder::allowed_hosts), and let the proxy pass `Host` on |
//! | a proxy that cuts silent connections within 15 seconds | [`keep_alive`](crate::ServerBuilder::keep_alive), shorter |
//! | a gateway that ends every answer after a while | [`deadline`](crate::ServerBuilder::deadline), shorter |
//! | a public URL that is not made of `Host` and path | [`BearerAuth::public_url`](crate::auth::BearerAuth::public_url) |
//! | several processes | one [`sealing_key`](crate::ServerBuilder::sealing_key), and [`changes`](crate::ServerBuilder::changes) if tools come and go |
//! | clients in browsers | [`cors_origin`](crate::ServerBuilder::cors_origin) |
//! | a process that is asked to end | [`Server::close`](crate::Server::close), then the framework's own shutdown |
//!
//! # What goes over the wire
//!
//! Each message is a POST to one path. Most answers are JSON with a length. An answer becomes an event stream when there
//! is something to say before the result, when it stays silent for the time of a keep-alive, and for clients that listen.
//! A stream says `X-Accel-Buffering: no` and `Cache-Control: no-cache, no-transform`, and is lost with its connection:
//! nothing resumes it.
//!
//! Whatever is in front has to pass on `Authorization`, `Accept`, `Content-Type`, `Host`, `Origin`, and all headers that
//! begin with `Mcp-`, and must not keep answers: no shared cache knows who is calling. Clients of 2026-07-28 repeat the
//! method and the tool's name in `Mcp-Method` and `Mcp-Name`, so a gateway can route, count and limit by them without
//! reading a body. They are compared with the body here.
//!
//! # Behind nginx
//!
//! ```text
//! upstream app {
//!     server 127.0.0.1:8080;
//!     keepalive 32;
//! }
//! server {
//!     server_name mcp.example.com;
//!     client_max_body_size 4m;          # nginx's default is 1 MB; ours is 4 MiB
//!     proxy_http_version 1.1;
//!     proxy_set_header Connection "";
//!     proxy_set_header Host $host;      # otherwise it is `app`
//!     proxy_read_timeout 60s;           # the default; longer than a keep-alive
//!
//!     location /mcp {
//!         proxy_pass http://app;
//!     }
//!     location /.well-known/oauth-protected-resource {   # with `bearer_auth`
//!         proxy_pass http://app;
//!     }
//! }
//! ```
//!
//! ```
//! # fn example(builder: mcp_http::ServerBuilder) -> mcp_http::ServerBuilder {
//! builder.allowed_hosts(["mcp.example.com"])
//! # }
//! ```
//!
//! * **Buffering** needs no setting: nginx obeys `X-Accel-Buffering`, and events pass as they come.
//! * **Time-outs**: 60 seconds without a byte are 504 or the end of a stream. A silent call says something every 15
//!   seconds, unless [`keep_alive`](crate::ServerBuilder::keep_alive) says otherwise, to clients that accept event
//!   streams.
//! * **`Host`**: on a connection from this machine only loopback names are served, as a page in a browser could otherwise
//!   reach a server on its user's machine under a name of its own. So the names that the proxy passes on are listed;
//!   others are answered 403. A proxy that passes none on calls the server by the name in `proxy_pass`: as `127.0.0.1` it
//!   is let in, but browsers on your own site are refused, since their `Origin` is another host, and the metadata of
//!   [`bearer_auth`](crate::ServerBuilder::bearer_auth) names the wrong server.
//! * **Clients that leave**: nginx closes its connection to the server as well, which ends the call as
//!   [elsewhere](crate::guide#calls-that-take-their-time).
//!
//! A server on an address of the network is served under any name: there the policy
//! ([`HostPolicy::Auto`](crate::HostPolicy::Auto)) lets everybody in, and
//! [`allowed_hosts`](crate::ServerBuilder::allowed_hosts) makes it strict. A container that listens on `0.0.0.0` is such
//! a server, to everybody but its own machine.
//!
//! # Behind a load balancer or a content network
//!
//! Each of them has a time-out for silence, and some have one for the whole answer. Silence is what
//! [`keep_alive`](crate::ServerBuilder::keep_alive) is for: it has to be shorter than the shortest of them. Against a limit
//! for the whole only a [`deadline`](crate::ServerBuilder::deadline) helps: then the model is told, and not cut off.
//!
//! | | silence | whole answer |
//! |---|---|---|
//! | nginx | 60 s (`proxy_read_timeout`) | |
//! | AWS load balancer (ALB) | 60 s (idle timeout) | |
//! | CloudFront | 30 s (origin response timeout) | none unless set |
//! | API Gateway, REST, not streaming | | 29 s |
//! | API Gateway, REST, streaming | 5 min; 30 s if edge-optimized | 15 min |
//! | API Gateway, HTTP | | 30 s |
//!
//! **CloudFront**: allow all methods, switch caching off (the policy `CachingDisabled`), and let every header of the viewer
//! through (the origin request policy `AllViewer`, or `AllViewerExceptHostHeader` where the origin needs its own `Host`, as
//! Function URLs and API Gateway do). Without the viewer's `Host`, name your site in
//! [`allowed_origin`](crate::ServerBuilder::allowed_origin) if it calls tools, and set
//! [`public_url`](crate::auth::BearerAuth::public_url).
//!
//! **Health checks** are for a route of your own, beside the endpoint, which answers a GET with 405.
//!
//! # Several processes
//!
//! Nothing is stored between requests but tasks, so any process can answer any of them. Four things need care:
//!
//! * **One key for all.** What a client has to bring back is sealed: the state of a tool that [asks](crate::input), and
//!   the session of an older client. Without a key each process draws one of its own, and calls what another sealed a
//!   forgery: the state is refused, and the client has to start anew; the session is answered 404, and opened anew. There is one
//!   key at a time, so a new one has the same effect, once.
//!
//!   ```no_run
//!   use mcp_http::{SealingKey, Server};
//!
//!   # fn main() -> Result<(), Box<dyn std::error::Error>> {
//!   // Made once, with `head -c 32 /dev/urandom`, and kept where secrets are kept.
//!   let key: [u8; 32] = std::fs::read("/run/secrets/mcp-key")?.try_into().map_err(|_| "the key has 32 bytes")?;
//!   let server = Server::builder("orders", "1.0.0").sealing_key(SealingKey::new(key)).build()?;
//!   # drop(server);
//!   # Ok(())
//!   # }
//!   ```
//!
//! * **Questions to older clients** ([`legacy_questions`](crate::ServerBuilder::legacy_questions)). The answer comes in a
//!   request of its own, and has to reach the process that asked. Route by the header `Mcp-Session-Id`, in nginx with
//!   `hash $http_mcp_session_id consistent;` in the `upstream`. A cookie of the balancer is of no use to clients that
//!   keep none, and most are no browsers. Clients of 2026-07-28 need none of this.
//! * **Changes.** A tool that is added in one process is told to those who listen there. For the others give all of them a
//!   [`ChangeSource`](crate::ChangeSource) on something that they share.
//!
//! * **Tasks.** A [task](crate::task) is known to the process that began it. Give all of them one
//!   [`TaskStore`](crate::task::TaskStore), and any of them answers for it; with the [`ChangeSource`](crate::ChangeSource) that
//!   they share, it hears of answers and of being stopped.
//!
//! State of your own belongs into your database, under a [handle](crate::guide#state-between-calls).
//!
//! # Shutting down
//!
//! Platforms send SIGTERM, and end the process some time later. [`Server::close`](crate::Server::close) ends what would
//! stay open, the streams of clients that listen; calls that run are answered; new requests get 503 with `Retry-After`.
//! Then stop the web server, which waits for the calls. If the balancer takes a while to notice, wait as long before you
//! close.
//!
//! The examples `existing_app` (actix-web), `existing_app_warp` and `existing_app_axum` do all that. Calls whose clients
//! left, in older revisions, and [tasks](crate::task) run on without a connection;
//! [`Server::running_calls`](crate::Server::running_calls) counts them. A task whose process ends fails where its store can
//! still be told, and is as it last was elsewhere.
//!
//! # Tokens behind a gateway
//!
//! [`bearer_auth`](crate::ServerBuilder::bearer_auth) tells clients in `WWW-Authenticate` where the metadata is, and the
//! metadata names the endpoint. Both URLs are made of `Host` and the path that the request came to, with `https` unless
//! the name is a loopback one. Wherever that is not what clients write (a gateway with another name or a stage before the
//! path, `Router::nest` in axum, which takes the prefix off), set [`public_url`](crate::auth::BearerAuth::public_url).
//!
//! * The metadata's path, `/.well-known/oauth-protected-resource` and then the endpoint's, has to reach the server, and
//!   needs no token. `mcp-actix` routes it by itself, `mcp-warp` with `metadata()`; elsewhere ask
//!   [`Server::metadata_path`](crate::Server::metadata_path). A function answers it whatever comes before.
//! * API Gateway renames `WWW-Authenticate`. Clients look at the well-known path then: route it. On the default domain of
//!   a REST API it would have to be before the stage, where there are no routes, so that takes a domain of your own.
//! * A gateway that checks tokens by itself may take the job over. Then leave `bearer_auth` out, and say with
//!   [`principal`](crate::ServerBuilder::principal) who is calling, by a header that only the gateway can set, or on
//!   Lambda by the authorizer's word.
//!
//! # Clients in browsers
//!
//! [`cors_origin`](crate::ServerBuilder::cors_origin) lets pages of an origin call and read, preflights, 401 and 403
//! included. If the application's own middleware refuses requests before they get here, it lets `OPTIONS` pass, and its
//! 401 needs `Access-Control-Allow-Origin` too. One place is enough: a gateway that answers for CORS does so instead of
//! the server.
//!
//! # Limits
//!
//! * Bodies: 4 MiB, or [`body_limit`](crate::ServerBuilder::body_limit); more is 413, after reading one byte too many.
//!   128 levels of nesting.
//! * Time: none, or [`deadline`](crate::ServerBuilder::deadline). How long a client may take to send and to read is the web
//!   server's matter, as are connections.
//! * Listening clients: 10,000, and 100 for each principal
//!   ([`max_subscriptions`](crate::ServerBuilder::max_subscriptions)). Each holds a connection.
//! * Tasks: 10,000 and 256 MiB, 1000 and 32 MiB for each principal ([`LocalTasks`](crate::task::LocalTasks)), an hour each
//!   ([`task_ttl`](crate::ServerBuilder::task_ttl)).
//! * Runs of a tool: as many as come, or a [`Ceiling`](crate::compose::Ceiling), which counts in its own process.
//!
//! # Seeing what happens
//!
//! The crate speaks to [`tracing`](https://docs.rs/tracing) under the target `mcp_http`. Each request is a span `mcp` at
//! the level `debug`, with `method`, `tool`, `revision`, `status` and `outcome`. A subscriber that logs the closing of
//! spans logs each request by that, with its time; the example `everything` of `mcp-actix` has one. Failures and panics
//! of tools are errors, with the reference that the client was told. Tokens and bodies are not logged.
//!
//! [`CallContext::trace_context`](crate::CallContext::trace_context) has what the client says of its own trace.
//!
//! # On AWS Lambda
//!
//! `mcp-lambda` serves the same server as a function; its README says how to deploy it, and what a function cannot do.
//!
//! | | not streaming | streaming |
//! |---|---|---|
//! | response | 6 MB; 1 MB behind a load balancer | 200 MB |
//! | request | 6 MB; 1 MB behind a load balancer | the same |
//! | progress before the result, keep-alives | no | yes |
//! | time | the function's time-out; 29 s behind a REST API, 30 s behind an HTTP API | the function's time-out; 15 min behind a REST API |
//!
//! * **Time.** A call is stopped 300 ms before the function's time-out, and the model is told. A gateway knows another
//!   limit: let the function's time-out be shorter, so that the answer is yours.
//! * **Cold starts.** Make the server before `run`: later requests of the process find it. Fifty typed tools take a few
//!   milliseconds, as each schema is derived and checked when the tool is registered;
//!   [`LazyTools`](crate::LazyTools) build each one when it is first called. Without the feature `json-schema` there
//!   are 4 MB less to load. Processes that the platform starts ahead (provisioned concurrency) need nothing else.
//! * **Several processes** are the rule: each request may meet another. One sealing key for all, from a secret; nothing
//!   in memory that the next request needs.
//! * **Several requests in one process** at once, where the platform does that: they are run side by side, as on any web
//!   server. A tool that blocks its thread holds up others.
//! * **Tasks**: none, as nothing goes on after an answer. A tool that can be one is a call; one that has to be fails.
//! * **The end** comes between requests, when nothing is open: there is nothing to close.
