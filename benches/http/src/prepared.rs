//! The answers of the bare servers: bytes made once, with a gap for the request's id.

use std::fmt::Write;

use serde_json::Value;

use crate::tools::{BOOK, ECHO, Filler, SERVER};

/// All answers of a bare server.
#[derive(Clone, Debug)]
pub struct Answers {
    call: String,
    list: String,
    initialize: String,
}

impl Answers {
    /// Writes the answers down.
    #[must_use]
    pub fn new() -> Self {
        let info = format!(r#"{{"name":"{}","version":"{}"}}"#, SERVER.0, SERVER.1);
        let meta = format!(r#""_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}"#);
        Self {
            call: format!(
                r#"{{"content":[{{"type":"text","text":"The quick brown fox jumps over the lazy dog."}}],"resultType":"complete",{meta}}}"#
            ),
            list: format!(
                r#"{{"tools":[{}],"resultType":"complete","ttlMs":300000,"cacheScope":"public",{meta}}}"#,
                tools()
            ),
            initialize: format!(
                r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{info}}}"#
            ),
        }
    }

    /// Parses a request into a `Value` and answers it; no more checks than that needs.
    ///
    /// # Errors
    /// When the body is not JSON or names no known method.
    pub fn answer(&self, body: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
        let request: Value = serde_json::from_slice(body)?;
        let result = match request["method"].as_str() {
            Some("tools/call") => &self.call,
            Some("tools/list") => &self.list,
            Some("initialize") => &self.initialize,
            _ => return Err(serde::de::Error::custom("unknown method")),
        };
        let mut answer = Vec::with_capacity(result.len() + 64);
        answer.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut answer, &request["id"])?;
        answer.extend_from_slice(br#","result":"#);
        answer.extend_from_slice(result.as_bytes());
        answer.push(b'}');
        Ok(answer)
    }
}

impl Default for Answers {
    fn default() -> Self {
        Self::new()
    }
}

/// The members of the list, as a server makes them of the types in [`crate::tools`].
fn tools() -> String {
    let echo = object(r#""text":{"type":"string","description":"What to say back."}"#, r#""text""#);
    let book = object(
        r#""guest":{"type":"string","description":"The name of the guest."},"nights":{"type":"integer","minimum":0,"maximum":4294967295,"description":"How many nights."},"breakfast":{"type":"boolean","description":"Whether breakfast is included."},"rooms":{"type":"array","items":{"type":"string"},"description":"The numbers of the rooms."},"view":{"type":"string","enum":["sea","garden","street"],"description":"What the windows look at."}"#,
        r#""guest","nights","breakfast","rooms""#,
    );
    let filler = object(
        r#""query":{"type":"string","description":"The words to look for, separated by spaces."},"limit":{"type":"integer","minimum":0,"maximum":4294967295,"description":"How many records to answer with."},"exact":{"type":"boolean","description":"Whether the words have to match exactly."}"#,
        r#""query","limit","exact""#,
    );
    let mut list = tool("echo", ECHO, &echo);
    let _ = write!(list, ",{}", tool("book", BOOK, &book));
    for (name, description) in Filler::all() {
        let _ = write!(list, ",{}", tool(&name, &description, &filler));
    }
    list
}

fn object(properties: &str, required: &str) -> String {
    format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#)
}

fn tool(name: &str, description: &str, schema: &str) -> String {
    format!(r#"{{"name":"{name}","description":"{description}","inputSchema":{schema}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_json_and_carries_the_id() -> Result<(), serde_json::Error> {
        for method in ["tools/call", "tools/list", "initialize"] {
            let request = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"{method}"}}"#);
            let answer: Value = serde_json::from_slice(&Answers::new().answer(request.as_bytes())?)?;
            assert_eq!(answer["id"], "a", "{method}");
            assert!(answer["result"].is_object(), "{method}");
        }
        Ok(())
    }

    #[test]
    fn the_list_has_52_tools_and_about_27_kilobytes() -> Result<(), serde_json::Error> {
        let list = Answers::new().list;
        let parsed: Value = serde_json::from_str(&list)?;
        assert_eq!(parsed["tools"].as_array().map(Vec::len), Some(52));
        assert!((26_000..29_000).contains(&list.len()), "{} bytes", list.len());
        Ok(())
    }
}
