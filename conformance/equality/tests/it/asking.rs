//! What takes several requests: a session, a question on the stream of one call, and its answer in another request.

use serde_json::{Value, json};

use crate::compare::difference;
use crate::host::Host;
use crate::hosts::{self, on_sockets};
use crate::row::{LEGACY, MODERN, OLDEST, Row, call, meta, request};
use crate::setting::Setting;
use crate::site::Site;
use crate::wire::{Request, Response};

fn session(site: &Site, revision: &str) -> String {
    let client = json!({ "name": "equality", "version": "1" });
    let capabilities = json!({ "elicitation": {}, "roots": {} });
    let params = json!({ "protocolVersion": revision, "capabilities": capabilities, "clientInfo": client });
    let response = site.send(&request(revision, "initialize", params).without("MCP-Protocol-Version"));
    response.all("mcp-session-id")[0].to_owned()
}

/// Calls a tool in a session and answers what it asks. The question's id is drawn, and left out of the answer.
fn asked(site: &Site, session: &str, call: &Request, result: &Value) -> Response {
    let in_session = |request: Request| request.header("Mcp-Session-Id", session);
    let mut client = site.connect();
    client.write(&in_session(call.clone()).bytes());
    let (status, headers) = client.read_head();
    let mut question = client.read_chunk();
    let event: Value = serde_json::from_slice(question.strip_prefix(b"data: ").unwrap()).unwrap();
    let id = event["id"].as_str().unwrap();
    let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    let answer = Request::post(answer.to_string()).header("MCP-Protocol-Version", LEGACY);
    assert_eq!(site.send(&in_session(answer)).status, 202);
    question = String::from_utf8(question).unwrap().replace(id, "the id").into_bytes();
    Response { status, headers, body: [question, client.read_chunks()].concat() }
}

#[test]
fn a_question_to_an_older_client_is_the_same_on_every_host() {
    let hosts = on_sockets(Setting::Plain);
    let accepted = json!({ "action": "accept", "content": { "name": "Ann" } });
    let roots = json!({ "roots": [{ "uri": "file:///a" }, { "uri": "file:///b", "name": "b" }] });
    for revision in [OLDEST, LEGACY] {
        for (tool, result, text) in [
            ("need_name", &accepted, "Hello, Ann!"),
            ("need_name", &json!({ "action": "decline" }), "the user has no name to tell"),
            ("test_input_required_result_list_roots", &roots, "2 roots: file:///a, file:///b"),
        ] {
            let answer = |site| {
                // Sealed with one key: the session of one process is known to the others.
                let session = session(&hosts[0].site, revision);
                asked(site, &session, &call(revision, tool, json!({})), result)
            };
            let expected = answer(&hosts[0].site);
            assert!(String::from_utf8_lossy(&expected.body).contains(text), "{expected:?}");
            for host in &hosts[1..] {
                let difference = difference(&expected, &answer(&host.site));
                assert_eq!(difference, None, "{}, {tool}, {revision}", host.name);
            }
        }
    }
}

/// As it is for a function, whose next request meets another process.
#[test]
fn a_state_that_one_host_sealed_is_opened_by_every_other() {
    let hosts = hosts::all(Setting::Plain);
    let send = |host: &dyn Host, request| host.send(&Row::new("a call", 200, request));
    let able = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let tool = "test_input_required_result_request_state";
    for asking in &hosts {
        let asked = send(&**asking, meta(call(MODERN, tool, json!({})), able.clone())).json();
        let again = json!({
            "name": tool,
            "arguments": {},
            "inputResponses": { "confirm": { "action": "accept", "content": { "ok": true } } },
            "requestState": asked["result"]["requestState"],
        });
        let again = meta(request(MODERN, "tools/call", again), able.clone());
        let expected = send(&*hosts[0], again.clone());
        assert_eq!(expected.text(), "state-ok", "{}", asking.name());
        for host in &hosts[1..] {
            let difference = difference(&expected, &send(&**host, again.clone()));
            assert_eq!(difference, None, "{}, asked by {}", host.name(), asking.name());
        }
    }
}
