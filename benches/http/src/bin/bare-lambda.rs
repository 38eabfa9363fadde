//! The floor on Lambda: a function that parses the body and answers prepared bytes.

use bench_http::prepared::Answers;
use lambda_http::http::header::CONTENT_TYPE;
use lambda_http::{Body, Error, Request, Response, run, service_fn};

fn answer(answers: &Answers, request: &Request) -> Result<Response<Body>, Error> {
    let answer = String::from_utf8(answers.answer(request.body())?)?;
    Ok(Response::builder().header(CONTENT_TYPE, "application/json").body(Body::Text(answer))?)
}

fn main() -> Result<(), Error> {
    let answers = Answers::new();
    let handler = service_fn(async |request: Request| answer(&answers, &request));
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run(handler))
}
