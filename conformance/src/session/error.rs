use std::collections::BTreeSet;
use std::io;

use base64::Engine as _;

use super::names::{names_in, names_in_json};
use super::{Exchange, FORMAT, Session};

/// Why a file is no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadSession {
    /// It cannot be read.
    #[error("{file} cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// What is in it is wrong.
    #[error("{file} is no session: at {path}: {reason}")]
    Wrong {
        /// The file.
        file: String,
        /// Where in it, such as `exchanges[2].response.status`.
        path: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
}

impl BadSession {
    pub(super) fn unreadable(file: &str, source: io::Error) -> Self {
        Self::Unreadable { file: file.to_owned(), source }
    }

    pub(super) fn new(file: &str, path: impl Into<String>, reason: impl Into<String>) -> Self {
        let (path, reason) = (path.into(), reason.into());
        let path = if path == "." { "the top".to_owned() } else { path };
        Self::Wrong { file: file.to_owned(), path, reason }
    }
}

type Found = Result<(), (String, String)>;

/// What types do not say.
pub(super) fn check(session: &Session) -> Found {
    if session.format != FORMAT {
        let reason = format!("this program reads format {FORMAT}, not {}", session.format);
        return Err(("format".to_owned(), reason));
    }
    let mut earlier = BTreeSet::new();
    let mut captured = BTreeSet::new();
    for (index, exchange) in session.exchanges.iter().enumerate() {
        let at = |(path, reason): (String, String)| (format!("exchanges[{index}].{path}"), reason);
        check_request(exchange, &earlier, &captured).map_err(at)?;
        check_response(exchange).map_err(at)?;
        if let Some(name) = &exchange.name
            && !earlier.insert(name.as_str())
        {
            return Err(at(("name".to_owned(), format!("an earlier exchange is named \"{name}\" too"))));
        }
        captured.extend(exchange.response.iter().flat_map(|response| response.captures.keys().map(|k| &**k)));
    }
    Ok(())
}

fn wrong(path: impl Into<String>, reason: impl Into<String>) -> Found {
    Err((path.into(), reason.into()))
}

fn check_request(exchange: &Exchange, earlier: &BTreeSet<&str>, captured: &BTreeSet<&str>) -> Found {
    if exchange.method.is_empty() || !exchange.method.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong("method", "it is no method of HTTP, such as POST");
    }
    if !exchange.path.starts_with('/') || !exchange.path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return wrong("path", "a path begins with / and has no spaces, such as /mcp");
    }
    for name in exchange.meanwhile.keys() {
        if !earlier.contains(name.as_str()) {
            return wrong("while", format!("no earlier exchange has the \"name\" \"{name}\""));
        }
    }
    check_headers(&exchange.headers)?;
    check_body(exchange.body.is_some(), &exchange.text, &exchange.base64, exchange.omitted, false)?;
    for pointer in &exchange.ignore {
        check_pointer("ignore", pointer)?;
    }
    let mut used = names_in(&exchange.path);
    used.extend(exchange.headers.iter().flat_map(|(_, value)| names_in(value)));
    used.extend(exchange.body.iter().flat_map(names_in_json));
    used.extend(exchange.text.iter().flat_map(|text| names_in(text)));
    match used.into_iter().find(|name| !captured.contains(name.as_str())) {
        Some(name) => wrong(
            "body, headers or path",
            format!("no earlier response captures ${{{name}}}; declare it in its \"captures\""),
        ),
        None => Ok(()),
    }
}

fn check_response(exchange: &Exchange) -> Found {
    let Some(response) = &exchange.response else { return Ok(()) };
    let at = |(path, reason): (String, String)| (format!("response.{path}"), reason);
    if !(200..600).contains(&response.status) {
        return wrong("response.status", "a status is from 200 to 599");
    }
    check_headers(&response.headers).map_err(at)?;
    let events = response.events.is_some();
    check_body(response.body.is_some(), &response.text, &response.base64, response.omitted, events)
        .map_err(at)?;
    for (index, event) in response.events.iter().flatten().enumerate() {
        if event.data.is_some() == event.text.is_some() {
            return wrong(format!("response.events[{index}]"), "an event has either \"data\" or \"text\"");
        }
    }
    for (name, place) in &response.captures {
        let path = format!("response.captures.{name}");
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || !name.bytes().all(is_name) {
            return wrong(path, "a name is made of letters, digits, - and _");
        }
        match (&place.header, &place.pointer, place.event) {
            (Some(_), None, None) => {}
            (None, Some(pointer), _) => check_pointer(&path, pointer)?,
            _ => return wrong(path, "it needs either \"header\", or \"pointer\" with or without \"event\""),
        }
        if response.at(place).is_none() && response.omitted.is_none() {
            return wrong(path, "nothing is at this place of the response");
        }
    }
    Ok(())
}

fn check_headers(headers: &[(String, String)]) -> Found {
    for (index, (name, value)) in headers.iter().enumerate() {
        let is_token = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return wrong(format!("headers[{index}]"), format!("\"{name}\" is no name of a header"));
        }
        if value.contains(['\r', '\n', '\0']) {
            return wrong(format!("headers[{index}]"), "a value is on one line");
        }
    }
    Ok(())
}

fn check_body(
    body: bool,
    text: &Option<String>,
    base64: &Option<String>,
    omitted: Option<u64>,
    events: bool,
) -> Found {
    let given = [body, text.is_some(), base64.is_some(), omitted.is_some(), events];
    if given.into_iter().filter(|given| *given).count() > 1 {
        return wrong("body", "only one of body, text, base64, omitted and events can be there");
    }
    let decodes = |text: &String| base64::engine::general_purpose::STANDARD.decode(text).is_ok();
    if base64.as_ref().is_some_and(|text| !decodes(text)) {
        return wrong("base64", "it is no Base64 with padding");
    }
    Ok(())
}

fn check_pointer(path: &str, pointer: &str) -> Found {
    if pointer.is_empty() || pointer.starts_with('/') {
        return Ok(());
    }
    wrong(path, format!("\"{pointer}\" is no JSON pointer; those begin with /, such as /result/nextCursor"))
}
