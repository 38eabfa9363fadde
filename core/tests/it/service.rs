//! What only whoever polls can do: catch panics and keep deadlines.

use std::time::Duration;

use mcp_http::compose::Compose as _;
use mcp_http::{LogLevel, Revision, Server, Tool, ToolSet};
use serde_json::json;

use crate::request::{LOG_LEVEL, MODERN, Request, Timer};
use crate::tools::{Slow, builder, server};

#[test]
fn a_tool_that_panics_is_a_failed_tool() {
    for revision in Revision::ALL {
        let answer =
            Request::call(revision, "panics", json!({})).id("\"p\"").send_to_service(&server(), Timer::Never);
        answer.tool_error();
        assert_eq!(answer.id(), Some("\"p\""));
        assert!(!answer.to_string().contains("for a test"), "{answer}");
    }
}

#[test]
fn a_tool_that_takes_too_long_is_a_failed_tool() {
    let server = builder().deadline(Duration::from_secs(1)).build().unwrap();
    for revision in Revision::ALL {
        let slow = Slow::new(&["a"]);
        let patient =
            Server::builder("tests", "1").tools(slow).deadline(Duration::from_secs(1)).build().unwrap();
        Request::call(revision, "a", json!({})).send_to_service(&patient, Timer::Never).tool_result();
        // Ready at once: the tool's own timer rings before the deadline is looked at.
        Request::call(revision, "sleeps", json!({})).send_to_service(&server, Timer::Ready).tool_result();
        let answer = Request::call(revision, "a", json!({})).send_to_service(&patient, Timer::Ready);
        answer.tool_error();
        Request::list(revision).send_to_service(&patient, Timer::Ready).is_error(200, -32603);
    }
}

#[test]
fn a_service_answers_as_its_server_does() {
    let server = server();
    for revision in Revision::ALL {
        let requests = [
            Request::open(revision),
            Request::list(revision),
            Request::call(revision, "mirror", json!({ "a": 1 })),
            Request::call(revision, "nobody", json!({})),
            Request::notification(revision, "notifications/initialized", json!({})),
            Request::list(revision).header("content-type", "text/plain"),
        ];
        for request in requests {
            let (direct, served) = (request.send(&server), request.send_to_service(&server, Timer::Never));
            assert_eq!((direct.status, &direct.headers), (served.status, &served.headers));
            assert_eq!(direct.body, served.body);
        }
    }
}

/// Looking something up is the application's own code, and it has the call in hand.
#[test]
fn what_a_registry_says_while_it_looks_up_does_not_open_a_stream_for_an_error_or_a_list() {
    let talking = |names: &[&'static str]| {
        let tools = names.iter().map(|name| Tool::builder(*name).handler(|| "x"));
        ToolSet::try_from_tools(tools).unwrap().filter(|tool, cx| {
            cx.log(LogLevel::Alert, "looked up");
            cx.progress(1.0, None, None);
            tool.name() != "hidden"
        })
    };
    let server =
        Server::builder("talks", "1").logging(true).tools(talking(&["a", "hidden"])).build().unwrap();
    for revision in Revision::ALL {
        for request in [
            Request::list(revision),
            Request::call(revision, "hidden", json!({})),
            Request::call(revision, "a", json!({ "b": 1 })),
        ] {
            let request = request.meta("progressToken", "t");
            let request = if revision == MODERN { request.meta(LOG_LEVEL, "debug") } else { request };
            let answer = request.send_to_service(&server, Timer::Never);
            assert_eq!(answer.header("content-type"), Some("application/json"), "{answer}");
        }
    }
}
