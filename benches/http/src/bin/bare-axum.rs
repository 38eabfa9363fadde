//! The floor on axum: reads the body, parses it, answers prepared bytes. `bare-axum 127.0.0.1:8080`

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing};
use bench_http::prepared::Answers;

async fn answer(State(answers): State<Arc<Answers>>, body: Bytes) -> Response {
    match answers.answer(&body) {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    }
}

fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let app = Router::new().route("/mcp", routing::post(answer)).with_state(Arc::new(Answers::new()));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        axum::serve(listener, app).await
    })
}
