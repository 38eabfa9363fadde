//! Tools that nobody compiled: they are read from a file, and read again when the file changes.
//! `cargo run -p mcp-actix --example runtime_tools`, then
//!
//! ```sh
//! curl -s http://127.0.0.1:8080/mcp -H 'Content-Type: application/json' \
//!   -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"opening_hours","arguments":{"branch":"Oslo"}}}'
//! ```
//!
//! prints when the branch is open. Change an answer in `transport-actix/examples/tools.json`, or give another file as
//! the argument: the next call gives the new answer. A file with a mistake in it changes nothing, and the mistake is
//! told.
//!
//! Arguments are checked against the schema in the file as they are against one that was derived.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, error, fs};

use actix_web::{App, HttpServer, rt};
use mcp_http::{Arguments, Server, Tool, ToolBuilder, ToolSet};
use serde::Deserialize;
use serde_json::Value;

type Error = Box<dyn error::Error>;

/// A tool as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    description: String,
    /// The schema of the arguments. Without one there are none.
    parameters: Option<Value>,
    /// What it answers: `{branch}` stands for the argument `branch`.
    answer: String,
}

impl From<Entry> for ToolBuilder {
    fn from(entry: Entry) -> Self {
        let Entry { name, description, parameters, answer } = entry;
        let tool = Tool::builder(name).description(description);
        match parameters {
            None => tool.handler(move || answer.clone()),
            Some(schema) => {
                tool.input_schema(schema).handler(move |arguments: Arguments| filled_in(&answer, &arguments))
            }
        }
    }
}

fn filled_in(answer: &str, arguments: &Arguments) -> String {
    arguments.as_json().iter().fold(answer.to_owned(), |answer, (name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        answer.replace(&format!("{{{name}}}"), &value)
    })
}

/// Puts the tools of the file in place of those that are served.
fn load(path: &Path, tools: &ToolSet) -> Result<usize, Error> {
    let entries: Vec<Entry> = serde_json::from_str(&fs::read_to_string(path)?)?;
    let count = entries.len();
    tools.replace(entries.into_iter().map(ToolBuilder::from))?;
    Ok(count)
}

/// Looks every second whether the file has changed.
async fn watch(path: PathBuf, tools: ToolSet) {
    let changed = || fs::metadata(&path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut seen = changed();
    loop {
        rt::time::sleep(Duration::from_secs(1)).await;
        if seen != changed() {
            seen = changed();
            match load(&path, &tools) {
                Ok(count) => tracing::info!(count, "read the tools again"),
                Err(error) => tracing::error!(%error, "the tools stay as they were"),
            }
        }
    }
}

#[actix_web::main]
async fn main() -> Result<(), Error> {
    tracing_subscriber::fmt().init();
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tools.json");
    let path = env::args().nth(1).map_or(default, PathBuf::from);
    let tools = ToolSet::new();
    load(&path, &tools)?;
    rt::spawn(watch(path, tools.clone()));
    let server = Server::builder("service-desk", "1.0.0").tools(tools).build()?;
    let app = move || App::new().service(mcp_actix::mount("/mcp", server.clone()));
    Ok(HttpServer::new(app).tcp_nodelay(true).bind("127.0.0.1:8080")?.run().await?)
}

#[cfg(test)]
mod tests {
    use mcp_http::testing::Client;
    use serde_json::json;

    use super::*;

    fn example() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tools.json")
    }

    fn serve(tools: &ToolSet) -> Client {
        Client::new(&Server::builder("tests", "1").tools(tools.clone()).build().unwrap())
    }

    #[actix_web::test]
    async fn the_tools_of_the_file_are_served_and_their_arguments_checked() {
        let tools = ToolSet::new();
        load(&example(), &tools).unwrap();
        let client = serve(&tools);
        let answer = client.call("opening_hours", json!({ "branch": "Oslo" })).await.unwrap();
        assert_eq!(answer.text(), "The branch in Oslo is open from 9 to 17, Monday to Friday.");
        assert!(client.call("opening_hours", json!({ "branch": "Rome" })).await.unwrap().is_error);
        assert_eq!(client.call("phone_number", ()).await.unwrap().text(), "+47 22 00 00 00");
    }

    #[actix_web::test]
    async fn a_file_with_a_mistake_changes_nothing() {
        let (tools, file) =
            (ToolSet::new(), env::temp_dir().join(format!("tools-{}.json", std::process::id())));
        load(&example(), &tools).unwrap();
        let client = serve(&tools);
        for mistake in [
            "[",
            r#"[{ "name": "a", "description": "", "answer": "" }, { "name": "a", "description": "", "answer": "" }]"#,
            r#"[{ "name": "a", "description": "", "answer": "", "parameters": { "type": "list" } }]"#,
        ] {
            fs::write(&file, mistake).unwrap();
            load(&file, &tools).unwrap_err();
            assert_eq!(client.list().await.unwrap().len(), 2, "{mistake}");
        }
        fs::write(&file, r#"[{ "name": "new", "description": "", "answer": "new" }]"#).unwrap();
        load(&file, &tools).unwrap();
        assert_eq!(client.call("new", ()).await.unwrap().text(), "new");
        client.call("phone_number", ()).await.unwrap_err();
        fs::remove_file(&file).unwrap();
    }
}
