//! The servers that are asked: the fixture, set up in several ways, and one for what the fixture has no tool for.

use mcp_fixture::Options;
use mcp_http::input::{Field, Form};
use mcp_http::{CallContext, Server, Tool, ToolError, ToolSet};
use schemars::JsonSchema;
use serde::Deserialize;

/// How a server is set up. Each host makes its own, so that none sees what another's calls left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    Plain,
    /// Never asks legacy clients.
    Stateless,
    /// Lets pages of one origin in.
    Cors,
    /// Serves a name beside loopback names.
    Listed,
    /// Takes no subscriptions.
    NoStreams,
    /// Lets in who has a token, and pages of [`PAGE`]'s origin.
    Auth,
    /// Not the fixture: takes bodies of [`LIMIT`] bytes at most.
    Own,
}

impl Setting {
    pub(crate) const ALL: [Self; 7] =
        [Self::Plain, Self::Stateless, Self::Cors, Self::Listed, Self::NoStreams, Self::Auth, Self::Own];

    /// What a process of its own is told.
    pub(crate) fn name(self) -> String {
        format!("{self:?}")
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.name() == name)
    }
}

/// The page that [`Setting::Cors`] lets in.
pub(crate) const PAGE: &str = "https://app.example";

/// The name that [`Setting::Listed`] serves.
pub(crate) const NAME: &str = "mcp.example";

/// The longest body that [`Setting::Own`] takes.
pub(crate) const LIMIT: usize = 1000;

pub(crate) fn server(setting: Setting) -> Server {
    let plain = Options { key: Some([7; 32]), ..Options::default() };
    let options = match setting {
        Setting::Plain => plain,
        Setting::Stateless => Options { stateless: true, ..plain },
        Setting::Cors => Options { cors: vec![PAGE.to_owned()], ..plain },
        Setting::Listed => Options { allowed_hosts: vec![NAME.to_owned()], ..plain },
        Setting::NoStreams => Options { no_streams: true, ..plain },
        Setting::Auth => {
            let public_url = Some("https://mcp.example.com/public/mcp".to_owned());
            Options { auth: true, public_url, cors: vec![PAGE.to_owned()], ..plain }
        }
        Setting::Own => return own(),
    };
    mcp_fixture::server(&options).unwrap()
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

fn own() -> Server {
    let tools = [
        Tool::builder("echo").handler(|args: Text| args.text),
        Tool::builder("headers").handler(|cx: CallContext| {
            let values = cx.headers().get_all("x-many").iter();
            let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            values.collect::<Vec<_>>().join("|")
        }),
        Tool::builder("long").handler(|| "0123456789abcdef".repeat(1 << 14)),
        Tool::builder("long_stream").handler(async |cx: CallContext| {
            cx.progress(0.0, None, &*"0123456789abcdef".repeat(1 << 14));
            "0123456789abcdef".repeat(1 << 14)
        }),
        Tool::builder("tell_and_ask").handler(|cx: CallContext| {
            cx.progress(1.0, 2.0, "asking");
            let mut questions = cx.questions();
            let form = Form::new("Who are you?").field("name", Field::text());
            let _: Option<serde_json::Value> = questions.elicit("who", form).and_then(|it| it.accepted());
            Err::<(), _>(questions.ask())
        }),
        Tool::builder("tell_and_fail").handler(|cx: CallContext| {
            cx.progress(1.0, 2.0, "failing");
            Err::<(), _>(ToolError::new("it failed"))
        }),
    ];
    let set = ToolSet::new();
    tools.into_iter().try_for_each(|tool| set.add(tool)).unwrap();
    Server::builder("own", "1.0.0").body_limit(LIMIT).tools(set).build().unwrap()
}
