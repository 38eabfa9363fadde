//! The floor on actix-web: reads the body, parses it, answers prepared bytes, or, at `/stream`, with a line a second.
//! `bare-actix 127.0.0.1:8080`

use std::convert::Infallible;
use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header::ContentType;
use actix_web::rt::time::{Sleep, sleep};
use actix_web::{App, HttpResponse, HttpServer, web};
use bench_http::prepared::Answers;

async fn answer(body: web::Bytes, answers: web::Data<Answers>) -> HttpResponse {
    match answers.answer(&body) {
        Ok(bytes) => HttpResponse::Ok().content_type(ContentType::json()).body(bytes),
        Err(error) => HttpResponse::BadRequest().body(error.to_string()),
    }
}

/// Says something at once and every second.
struct Lines(Option<Pin<Box<Sleep>>>);

impl MessageBody for Lines {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, Infallible>>> {
        if let Some(pause) = &mut self.0 {
            ready!(pause.as_mut().poll(task));
        }
        self.0 = Some(Box::pin(sleep(Duration::from_secs(1))));
        Poll::Ready(Some(Ok(web::Bytes::from_static(b":\n\n"))))
    }
}

async fn stream(body: web::Bytes) -> HttpResponse {
    let parsed = serde_json::from_slice::<serde_json::Value>(&body);
    match parsed {
        Ok(_) => HttpResponse::Ok().body(Lines(None)),
        Err(error) => HttpResponse::BadRequest().body(error.to_string()),
    }
}

fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let answers = web::Data::new(Answers::new());
    actix_web::rt::System::new().block_on(
        HttpServer::new(move || {
            App::new()
                .app_data(answers.clone())
                .service(web::resource("/mcp").post(answer))
                .service(web::resource("/stream").post(stream))
        })
        .workers(1)
        .shutdown_timeout(1)
        .bind(address)?
        .run(),
    )
}
