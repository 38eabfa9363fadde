use actix_web::{App, HttpServer};
use mcp_http::Server;

use crate::site::Site;

pub(super) fn serve(server: Server) -> Site {
    Site::start(move |listener, stopped| {
        actix_web::rt::System::new().block_on(async {
            let app = move || App::new().service(mcp_actix::mount("/mcp", server.clone()));
            let web = HttpServer::new(app)
                .workers(1)
                .disable_signals()
                .tcp_nodelay(true)
                .listen(listener)
                .unwrap()
                .run();
            let handle = web.handle();
            actix_web::rt::spawn(async move {
                drop(stopped.await);
                handle.stop(false).await;
            });
            web.await.unwrap();
        });
    })
}
