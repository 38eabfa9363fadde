//! Who is let in, before anything else is looked at.

use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};

use super::builder::Settings;
use super::cors;
use super::rejection::{Rejection, json_response};

/// Checks the token of a request, and leaves what it grants in the extensions. The answer, if there is one already.
pub(super) async fn authorize(settings: &Settings, head: &mut Parts) -> Result<(), Response<Bytes>> {
    let Some(auth) = &settings.auth else { return Ok(()) };
    if matches!(head.method, Method::GET | Method::OPTIONS)
        && let Some(metadata) = auth.metadata(head)
    {
        let mut response = json_response(StatusCode::OK, metadata.to_string().into_bytes());
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        return Err(response);
    }
    let origin = settings.cors.origin_of(&head.headers);
    // A preflight comes without a token.
    if head.method == Method::OPTIONS && origin.is_some() {
        return Ok(());
    }
    let grant = auth.admit(head).await.map_err(|refused| {
        let mut response = Rejection::http(refused.status, refused.text).into_response();
        if let Some(challenge) = refused.challenge {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        cors::allow(response, origin)
    })?;
    head.extensions.insert(grant.principal().clone());
    head.extensions.insert(grant);
    Ok(())
}
