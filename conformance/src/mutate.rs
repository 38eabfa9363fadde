//! Requests that are almost right: each differs in one thing from one that a client sent, and a clause says what a server
//! does with it.
//!
//! Only requests are changed whose effects are harmless. A call of a tool is never made into another call: it is changed only
//! so that it must be refused.

mod bodies;
mod headers;

use serde::Serialize;
use serde_json::Value;

use crate::Revision;
use crate::json::At as _;
use crate::wire::{Endpoint, Request, Response, WireError};

/// A request with one thing changed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Mutation {
    /// What was changed, such as `without MCP-Protocol-Version`.
    pub name: String,
    /// The request.
    pub request: Request,
    /// What is demanded of the answer.
    pub demand: Demand,
    /// Where that is written.
    pub clause: String,
}

/// What a server does with a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// What it does with the request itself.
    Same,
    /// It answers with one of these statuses; 200 only with a JSON-RPC error.
    Refused(&'static [u16]),
    /// Anything that is no fault of its own: a status below 500.
    NoFault,
}

/// What became of a mutation.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// Its name.
    pub name: String,
    /// Where it is written what is demanded.
    pub clause: String,
    /// What was wrong; nothing where the server did what is demanded.
    pub wrong: Option<String>,
}

/// What a request asks for, which decides what may be changed.
#[derive(Debug)]
struct Asked<'a> {
    request: &'a Request,
    message: Value,
    method: String,
    revision: Revision,
}

/// All mutations of a request of a revision; none where it is no JSON-RPC request that may be asked again.
pub fn mutations(request: &Request, revision: Revision) -> Vec<Mutation> {
    let Ok(message) = serde_json::from_slice::<Value>(&request.body) else { return Vec::new() };
    let Some(method) = message.at("method").as_str().map(str::to_owned) else { return Vec::new() };
    let reads = [
        "initialize",
        "server/discover",
        "ping",
        "tools/list",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
    ];
    let is_harmless = reads.contains(&&*method);
    if request.method != "POST" || message.get("id").is_none() || !(is_harmless || method == "tools/call") {
        return Vec::new();
    }
    let asked = Asked { request, message, method, revision };
    let mut all = headers::mutations(&asked);
    all.extend(bodies::mutations(&asked));
    all.retain(|mutation| is_harmless || matches!(mutation.demand, Demand::Refused(_)));
    all
}

/// So many of them, spread over all.
pub fn sample(mutations: Vec<Mutation>, most: usize) -> Vec<Mutation> {
    let step = mutations.len().div_ceil(most.max(1)).max(1);
    mutations.into_iter().step_by(step).collect()
}

/// Sends a request and its mutations, and judges the answers.
///
/// A request that has no answer by itself, such as one whose question nobody answers here, shows only what is refused.
pub fn send(endpoint: &Endpoint, request: &Request, mutations: &[Mutation]) -> Vec<Verdict> {
    let is_refused = |mutation: &&Mutation| matches!(mutation.demand, Demand::Refused(_));
    let needs_it = !mutations.iter().all(|mutation| is_refused(&mutation));
    let unchanged = needs_it.then(|| endpoint.send(request));
    let is_silent = matches!(unchanged, Some(Err(_)));
    let judged = |mutation: &Mutation| Verdict {
        name: mutation.name.clone(),
        clause: mutation.clause.clone(),
        wrong: judge(mutation.demand, unchanged.as_ref(), &endpoint.send(&mutation.request)).err(),
    };
    mutations.iter().filter(|mutation| !is_silent || is_refused(mutation)).map(judged).collect()
}

fn judge(
    demand: Demand,
    unchanged: Option<&Result<Response, WireError>>,
    answer: &Result<Response, WireError>,
) -> Result<(), String> {
    let answer = answer.as_ref().map_err(ToString::to_string)?;
    let status = answer.status;
    match demand {
        Demand::NoFault if status < 500 => Ok(()),
        Demand::NoFault => Err(format!("the status is {status}")),
        Demand::Refused(statuses) if !statuses.contains(&status) => {
            let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
            Err(format!("the status is {status}, not {}", statuses.join(" or ")))
        }
        Demand::Refused(_) if status == 200 && !has_error(answer) => {
            Err("it is accepted, without an error".to_owned())
        }
        Demand::Refused(_) => Ok(()),
        Demand::Same => match unchanged {
            Some(Ok(unchanged))
                if (unchanged.status, has_error(unchanged)) == (status, has_error(answer)) =>
            {
                Ok(())
            }
            Some(Ok(unchanged)) => Err(format!(
                "the status is {status} {}, and {} {} without the change",
                error_or_not(answer),
                unchanged.status,
                error_or_not(unchanged)
            )),
            Some(Err(error)) => Err(format!("the unchanged request has no answer: {error}")),
            None => Ok(()),
        },
    }
}

fn error_or_not(answer: &Response) -> &'static str {
    if has_error(answer) { "with an error" } else { "without an error" }
}

/// Whether there is a JSON-RPC error in an answer.
fn has_error(answer: &Response) -> bool {
    let messages = crate::answer::Answer::new(answer.clone(), None).messages().unwrap_or_default();
    messages.iter().any(|message| message.get("error").is_some())
}

impl Asked<'_> {
    fn mutation(&self, name: impl Into<String>, request: Request, demand: Demand, clause: &str) -> Mutation {
        let clause = if clause.starts_with("https://") {
            clause.to_owned()
        } else {
            format!("https://modelcontextprotocol.io/specification/{}/{clause}", self.revision)
        };
        Mutation { name: name.into(), request, demand, clause }
    }

    /// The page about HTTP.
    fn page(&self, section: &str) -> String {
        let page =
            if self.revision.is_legacy() { "basic/transports" } else { "basic/transports/streamable-http" };
        format!("{page}#{section}")
    }

    fn with_body(&self, body: impl Into<Vec<u8>>) -> Request {
        self.request.clone().without("Content-Length").body(body)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(message: &Value) -> Request {
        Request::new("POST", "/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "rm")
            .body(message.to_string())
    }

    #[test]
    fn a_call_is_never_made_into_another_call() {
        let call = json!({ "name": "rm", "arguments": { "path": "x", "force": false } });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
        let all = mutations(&request(&message), Revision::V2026_07_28);
        assert!(all.len() > 20, "{}", all.len());
        for mutation in all {
            assert!(matches!(mutation.demand, Demand::Refused(_)), "{mutation:?}");
            if let Ok(sent) = serde_json::from_slice::<Value>(&mutation.request.body) {
                let params = sent.get("params").filter(|params| params.is_object());
                if let Some(params) = params {
                    assert_eq!((&params["name"], &params["arguments"]), (&call["name"], &call["arguments"]));
                }
            }
        }
    }

    #[test]
    fn what_has_effects_or_is_no_request_is_left_alone() {
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": "a:b" } }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 1, "result": {} }),
        ] {
            assert!(mutations(&request(&message), Revision::V2025_11_25).is_empty());
        }
    }

    #[test]
    fn a_sample_is_spread_over_all() {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        let all = mutations(&request(&message), Revision::V2025_11_25);
        let names = |mutations: &[Mutation]| mutations.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let few = sample(all.clone(), 4);
        assert!((2..=4).contains(&few.len()), "{:?}", names(&few));
        assert_eq!(names(&few)[0], names(&all)[0]);
        assert_eq!(names(&sample(all.clone(), usize::MAX)), names(&all));
    }
}
