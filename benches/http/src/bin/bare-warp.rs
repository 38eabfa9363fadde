//! The floor on warp: reads the body, parses it, answers prepared bytes. `bare-warp 127.0.0.1:8080`

use std::sync::Arc;

use bench_http::prepared::Answers;
use warp::Filter;
use warp::http::{HeaderValue, StatusCode, header};
use warp::hyper::body::Bytes;
use warp::reply::Response;

fn answer(answers: &Answers, body: &Bytes) -> Response {
    match answers.answer(body) {
        Ok(bytes) => {
            let mut response = Response::new(bytes.into());
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(error) => {
            let mut response = Response::new(error.to_string().into());
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    }
}

fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let answers = Arc::new(Answers::new());
    let app = warp::path("mcp")
        .and(warp::path::end())
        .and(warp::post())
        .and(warp::body::bytes())
        .map(move |body: Bytes| answer(&answers, &body));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        warp::serve(app).incoming(listener).run().await;
        Ok(())
    })
}
