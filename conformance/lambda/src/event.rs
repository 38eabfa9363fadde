//! What front ends make of a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, request};
use serde_json::{Map, Value, json};

/// What stands before the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Front {
    /// A REST API of API Gateway: all values of each header, and the last one of each.
    RestApi,
    /// An HTTP API of API Gateway: the values of one header are joined with commas.
    HttpApi,
    /// A Function URL, whose events are those of HTTP APIs.
    FunctionUrl,
    /// An application load balancer: the last value of each header.
    LoadBalancer,
    /// An application load balancer that passes all values of each header on.
    LoadBalancerMulti,
}

impl Front {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::RestApi, Self::HttpApi, Self::FunctionUrl, Self::LoadBalancer, Self::LoadBalancerMulti];

    /// The event of a request.
    pub(crate) fn event(self, head: &request::Parts, body: &[u8], settings: &Settings) -> Value {
        let text = std::str::from_utf8(body).ok().filter(|_| !settings.base64);
        let is_base64 = text.is_none();
        let body = text.map_or_else(|| STANDARD.encode(body), str::to_owned);
        let method = head.method.as_str();
        let path = head.uri.path();
        let principal = settings.principal.as_deref();
        match self {
            Self::RestApi => json!({
                "resource": "/{proxy+}",
                "path": path,
                "httpMethod": method,
                "headers": last(&head.headers),
                "multiValueHeaders": all(&head.headers),
                "queryStringParameters": null,
                "multiValueQueryStringParameters": null,
                "pathParameters": { "proxy": path.trim_start_matches('/') },
                "stageVariables": null,
                "body": body,
                "isBase64Encoded": is_base64,
                "requestContext": {
                    "accountId": "1",
                    "resourceId": "1",
                    "apiId": "1",
                    "stage": "prod",
                    "requestId": "1",
                    "identity": { "sourceIp": "192.0.2.1" },
                    "httpMethod": method,
                    "resourcePath": "/{proxy+}",
                    "path": format!("/prod{path}"),
                    "protocol": "HTTP/1.1",
                    "requestTimeEpoch": 0,
                    "authorizer": principal.map(|principal| json!({ "principalId": principal })),
                },
            }),
            Self::HttpApi | Self::FunctionUrl => json!({
                "version": "2.0",
                "routeKey": "$default",
                "rawPath": path,
                "rawQueryString": head.uri.query().unwrap_or_default(),
                "headers": joined(&head.headers),
                "body": body,
                "isBase64Encoded": is_base64,
                "requestContext": {
                    "accountId": "1",
                    "apiId": "1",
                    "domainName": "x.lambda-url.eu-west-1.on.aws",
                    "domainPrefix": "x",
                    "requestId": "1",
                    "routeKey": "$default",
                    "stage": "$default",
                    "time": "",
                    "timeEpoch": 0,
                    "authorizer": principal.map(|principal| json!({ "lambda": { "principalId": principal } })),
                    "http": {
                        "method": method,
                        "path": path,
                        "protocol": "HTTP/1.1",
                        "sourceIp": "192.0.2.1",
                        "userAgent": "",
                    },
                },
            }),
            Self::LoadBalancer | Self::LoadBalancerMulti => {
                let group = "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/x/1";
                let mut event = json!({
                    "requestContext": { "elb": { "targetGroupArn": group } },
                    "httpMethod": method,
                    "path": path,
                    "body": body,
                    "isBase64Encoded": is_base64,
                });
                let (name, headers, query) = if self == Self::LoadBalancerMulti {
                    ("multiValueHeaders", all(&head.headers), "multiValueQueryStringParameters")
                } else {
                    ("headers", last(&head.headers), "queryStringParameters")
                };
                if let Some(event) = event.as_object_mut() {
                    event.insert(name.to_owned(), headers);
                    event.insert(query.to_owned(), json!({}));
                }
                event
            }
        }
    }
}

/// How events are made, beside the front.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) base64: bool,
    pub(crate) principal: Option<String>,
}

/// A value as text: an event is JSON, which holds no other.
fn text(value: &http::HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

fn last(headers: &HeaderMap) -> Value {
    headers.iter().map(|(name, value)| (name.to_string(), json!(text(value)))).collect::<Map<_, _>>().into()
}

fn all(headers: &HeaderMap) -> Value {
    let values = |name| headers.get_all(name).iter().map(text).collect::<Vec<_>>();
    headers.keys().map(|name| (name.to_string(), json!(values(name)))).collect::<Map<_, _>>().into()
}

fn joined(headers: &HeaderMap) -> Value {
    let values = |name| headers.get_all(name).iter().map(text).collect::<Vec<_>>().join(",");
    headers.keys().map(|name| (name.to_string(), json!(values(name)))).collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(front: Front, settings: &Settings, body: &[u8]) -> Value {
        let request =
            http::Request::post("/mcp").header("a", "1").header("a", "2").header("b", "3").body(()).unwrap();
        front.event(&request.into_parts().0, body, settings)
    }

    #[test]
    fn repeated_headers_are_told_as_each_front_tells_them() {
        let event = |front| event(front, &Settings::default(), b"");
        let rest = event(Front::RestApi);
        assert_eq!(rest["headers"], json!({ "a": "2", "b": "3" }));
        assert_eq!(rest["multiValueHeaders"], json!({ "a": ["1", "2"], "b": ["3"] }));
        for front in [Front::HttpApi, Front::FunctionUrl] {
            assert_eq!(event(front)["headers"], json!({ "a": "1,2", "b": "3" }));
        }
        assert_eq!(event(Front::LoadBalancer)["headers"], json!({ "a": "2", "b": "3" }));
        assert_eq!(event(Front::LoadBalancerMulti)["multiValueHeaders"]["a"], json!(["1", "2"]));
    }

    #[test]
    fn bodies_are_text_where_they_can_be_unless_base64_is_asked_for() {
        for front in Front::ALL {
            let plain = event(front, &Settings::default(), "é".as_bytes());
            assert_eq!((&plain["body"], &plain["isBase64Encoded"]), (&json!("é"), &json!(false)));
            for (settings, body) in [
                (Settings { base64: true, ..Settings::default() }, &b"x"[..]),
                (Settings::default(), b"\xff"),
            ] {
                let encoded = event(front, &settings, body);
                assert_eq!(encoded["isBase64Encoded"], true);
                assert_eq!(STANDARD.decode(encoded["body"].as_str().unwrap()).unwrap(), body);
            }
        }
    }
}
