//! The floor on actix-web: reads the body, parses it, answers prepared bytes. `bare-actix 127.0.0.1:8080`

use actix_web::http::header::ContentType;
use actix_web::{App, HttpResponse, HttpServer, web};
use bench_http::prepared::Answers;

async fn answer(body: web::Bytes, answers: web::Data<Answers>) -> HttpResponse {
    match answers.answer(&body) {
        Ok(bytes) => HttpResponse::Ok().content_type(ContentType::json()).body(bytes),
        Err(error) => HttpResponse::BadRequest().body(error.to_string()),
    }
}

fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let answers = web::Data::new(Answers::new());
    actix_web::rt::System::new().block_on(
        HttpServer::new(move || {
            App::new().app_data(answers.clone()).service(web::resource("/mcp").post(answer))
        })
        .workers(1)
        .shutdown_timeout(1)
        .bind(address)?
        .run(),
    )
}
