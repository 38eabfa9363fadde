//! What front ends make of a request.

use std::collections::BTreeMap;

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
        let query = head.uri.query().unwrap_or_default();
        let principal = settings.principal.as_deref();
        match self {
            Self::RestApi => json!({
                "resource": "/{proxy+}",
                "path": path,
                "httpMethod": method,
                "headers": last(&head.headers),
                "multiValueHeaders": all(&head.headers),
                "queryStringParameters": some(last_of(&decoded(query))),
                "multiValueQueryStringParameters": some(all_of(&decoded(query))),
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
                "rawQueryString": query,
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
                let query = as_sent(query);
                let members = if self == Self::LoadBalancerMulti {
                    [
                        ("multiValueHeaders", all(&head.headers)),
                        ("multiValueQueryStringParameters", all_of(&query)),
                    ]
                } else {
                    [("headers", last(&head.headers)), ("queryStringParameters", last_of(&query))]
                };
                if let Some(event) = event.as_object_mut() {
                    event.extend(members.map(|(name, value)| (name.to_owned(), value)));
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

/// The values of each parameter.
type Query = BTreeMap<String, Vec<String>>;

fn gathered(pairs: impl Iterator<Item = (String, String)>) -> Query {
    let mut query = Query::new();
    for (name, value) in pairs {
        query.entry(name).or_default().push(value);
    }
    query
}

/// API Gateway undoes the encoding of parameters.
fn decoded(query: &str) -> Query {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    gathered(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())))
}

/// Load balancers leave parameters as they were sent.
fn as_sent(query: &str) -> Query {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    gathered(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

fn last_of(query: &Query) -> Value {
    query.iter().map(|(name, values)| (name.clone(), json!(values.last()))).collect::<Map<_, _>>().into()
}

fn all_of(query: &Query) -> Value {
    json!(query)
}

/// API Gateway says null where there are none.
fn some(parameters: Value) -> Value {
    if parameters == json!({}) { Value::Null } else { parameters }
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
    fn parameters_are_told_as_each_front_tells_them() {
        let event = |front: Front, target| {
            let (head, ()) = http::Request::post(target).body(()).unwrap().into_parts();
            front.event(&head, b"", &Settings::default())
        };
        let target = "/mcp?a=b%20c&d&a=%C3%A9";
        let rest = event(Front::RestApi, target);
        assert_eq!(rest["queryStringParameters"], json!({ "a": "é", "d": "" }));
        assert_eq!(rest["multiValueQueryStringParameters"], json!({ "a": ["b c", "é"], "d": [""] }));
        assert_eq!(event(Front::RestApi, "/mcp")["queryStringParameters"], Value::Null);
        for front in [Front::HttpApi, Front::FunctionUrl] {
            assert_eq!(event(front, target)["rawQueryString"], "a=b%20c&d&a=%C3%A9");
        }
        let one = event(Front::LoadBalancer, target);
        assert_eq!(one["queryStringParameters"], json!({ "a": "%C3%A9", "d": "" }));
        let several = event(Front::LoadBalancerMulti, target);
        assert_eq!(
            several["multiValueQueryStringParameters"],
            json!({ "a": ["b%20c", "%C3%A9"], "d": [""] })
        );
        assert_eq!(event(Front::LoadBalancer, "/mcp")["queryStringParameters"], json!({}));
    }

    #[test]
    fn an_authorizer_is_told_where_the_front_has_one() {
        let settings = Settings { principal: Some("ann".to_owned()), ..Settings::default() };
        let authorizer = |front| event(front, &settings, b"")["requestContext"]["authorizer"].clone();
        assert_eq!(authorizer(Front::RestApi), json!({ "principalId": "ann" }));
        for front in [Front::HttpApi, Front::FunctionUrl] {
            assert_eq!(authorizer(front), json!({ "lambda": { "principalId": "ann" } }));
        }
        let nobody = event(Front::RestApi, &Settings::default(), b"");
        assert_eq!(nobody["requestContext"]["authorizer"], Value::Null);
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
