use std::borrow::Cow;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::Id;
use super::scan::{NotJson, Scanner};

/// One JSON-RPC message, borrowed from the body it came in.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request {
        id: Id,
        method: Cow<'a, str>,
        params: Members<'a>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Members<'a>,
    },
    /// The result is JSON text; without one it is an error.
    Response {
        id: Option<Id>,
        result: Option<&'a str>,
    },
}

/// Why a body is not a message.
#[derive(Debug)]
pub(crate) enum Malformed {
    /// Not JSON, or deeper than anybody nests.
    NotJson(&'static str),
    /// JSON, but not one JSON-RPC 2.0 message. The id is there when it could be read.
    NotAMessage(Option<Id>, Cow<'static, str>),
}

/// Reads a body in one pass.
pub(crate) fn decode(body: &Bytes) -> Result<Message<'_>, Malformed> {
    let text = std::str::from_utf8(body).map_err(|_| Malformed::NotJson("the body is not UTF-8"))?;
    let not_json = |_| Malformed::NotJson("the body is not JSON, or nests deeper than 128 levels");
    let mut scanner = Scanner::new(text);
    let envelope = match scanner.peek() {
        Some(b'{') => Ok(Envelope::read(&mut scanner).map_err(not_json)?),
        first => {
            scanner.value().map_err(not_json)?;
            Err(if first == Some(b'[') {
                "batches are not part of this protocol: send one message"
            } else {
                "the body is not a JSON object"
            })
        }
    };
    scanner.end().map_err(not_json)?;
    envelope.map_err(|why| not_a_message(None, why))?.into_message(body)
}

fn not_a_message(id: Option<Id>, why: impl Into<Cow<'static, str>>) -> Malformed {
    Malformed::NotAMessage(id, why.into())
}

/// A member of a JSON object: its key decoded, its value still text.
type Member<'a> = (Cow<'a, str>, &'a str);

/// The params of a message, and what their `_meta` holds. Values are JSON text.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    members: Vec<Member<'a>>,
    /// Empty where there is no `_meta`, or one that is not an object.
    meta: Vec<Member<'a>>,
    repeated_meta: bool,
}

impl<'a> Members<'a> {
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, NotJson> {
        let mut params = Self::default();
        let mut seen_meta = false;
        scanner.members(|scanner, key| {
            if key == "_meta" {
                params.repeated_meta |= std::mem::replace(&mut seen_meta, true);
                if scanner.peek() == Some(b'{') {
                    return scanner.members(|scanner, key| {
                        params.meta.push((key, scanner.value()?));
                        Ok(())
                    });
                }
            }
            params.members.push((key, scanner.value()?));
            Ok(())
        })?;
        Ok(params)
    }

    /// All members but `_meta`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.members.iter().map(|(key, value)| (&**key, *value)).filter(|(key, _)| *key != "_meta")
    }

    pub(crate) fn find(&self, key: &str) -> Option<&'a str> {
        find(&self.members, key)
    }

    /// A member of `_meta`.
    pub(crate) fn meta(&self, key: &str) -> Option<&'a str> {
        find(&self.meta, key)
    }

    /// The name of a member that occurs twice, in the params or in `_meta`.
    fn repeated(&self) -> Option<String> {
        if self.repeated_meta {
            return Some("_meta".to_owned());
        }
        repeated(&self.members).or_else(|| repeated(&self.meta))
    }
}

/// Reads the JSON of a struct, which is an object: of serde alone an array would do.
pub(crate) fn read_object<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok().filter(|_| json.starts_with('{'))
}

fn find<'a>(members: &[Member<'a>], key: &str) -> Option<&'a str> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
}

/// The name of a member that occurs twice. Sorting keeps it cheap for a hostile number of members.
fn repeated(members: &[Member<'_>]) -> Option<String> {
    if members.len() <= 16 {
        let mut rest = members;
        while let [(key, _), tail @ ..] = rest {
            if tail.iter().any(|(other, _)| other == key) {
                return Some(key.to_string());
            }
            rest = tail;
        }
        return None;
    }
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| &**key).collect();
    keys.sort_unstable();
    keys.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some((*a).to_owned()),
        _ => None,
    })
}

/// The members of a message that mean something.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<Option<Cow<'a, str>>>,
    id: Option<&'a str>,
    method: Option<Option<Cow<'a, str>>>,
    params: Option<Option<Members<'a>>>,
    /// It has a result or an error.
    answers: bool,
    /// The other members. They may not come twice either: a proxy may read them.
    others: Vec<Member<'a>>,
    repeated: Option<String>,
    repeated_id: bool,
}

impl<'a> Envelope<'a> {
    /// Reads an object. Members of a wrong type are `Some(None)`: what comes after them may have the id.
    fn read(scanner: &mut Scanner<'a>) -> Result<Self, NotJson> {
        let mut envelope = Self::default();
        scanner.members(|scanner, key| {
            let again = match &*key {
                "jsonrpc" => envelope.jsonrpc.replace(text_or_other(scanner)?).is_some(),
                "id" => envelope.id.replace(scanner.value()?).is_some(),
                "method" => envelope.method.replace(text_or_other(scanner)?).is_some(),
                "params" => {
                    let params = if scanner.peek() == Some(b'{') {
                        Some(Members::read(scanner)?)
                    } else {
                        scanner.value().map(|_| None)?
                    };
                    envelope.params.replace(params).is_some()
                }
                other => {
                    envelope.answers |= matches!(other, "result" | "error");
                    envelope.others.push((key, scanner.value()?));
                    return Ok(());
                }
            };
            if again {
                envelope.repeated_id |= key == "id";
                envelope.repeated = Some(key.into_owned());
            }
            Ok(())
        })?;
        envelope.repeated = envelope.repeated.take().or_else(|| repeated(&envelope.others));
        Ok(envelope)
    }

    fn into_message(self, body: &Bytes) -> Result<Message<'a>, Malformed> {
        let parse = |raw| {
            Id::parse(raw, body).ok_or_else(|| not_a_message(None, "id must be a string or an integer"))
        };
        let id = self.id.map(parse).transpose()?;
        if let Some(name) = self.repeated {
            // An id that occurs twice was not read: which of the two would it be?
            let id = id.filter(|_| !self.repeated_id);
            return Err(not_a_message(id, format!("the member {name:?} occurs twice")));
        }
        if self.jsonrpc.flatten().as_deref() != Some("2.0") {
            return Err(not_a_message(id, r#"jsonrpc must be "2.0""#));
        }
        let method = match self.method {
            Some(Some(method)) => method,
            Some(None) => return Err(not_a_message(id, "method must be a string")),
            None if self.answers => {
                return Ok(Message::Response { id, result: find(&self.others, "result") });
            }
            None => return Err(not_a_message(id, "method is missing")),
        };
        let params = match self.params {
            None => Members::default(),
            Some(Some(members)) => members,
            Some(None) => return Err(not_a_message(id, "params must be an object")),
        };
        if let Some(name) = params.repeated() {
            return Err(not_a_message(id, format!("the member {name:?} occurs twice in params")));
        }
        Ok(match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        })
    }
}

/// A string; `None` for any other value.
fn text_or_other<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Cow<'a, str>>, NotJson> {
    if scanner.peek() == Some(b'"') { scanner.text().map(Some) } else { scanner.value().map(|_| None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(body: &str, expected_id: Option<&str>) {
        match decode(&Bytes::copy_from_slice(body.as_bytes())) {
            Err(Malformed::NotAMessage(id, _)) => {
                assert_eq!(id.as_ref().map(Id::as_json), expected_id, "{body}")
            }
            other => panic!("{body}: {other:?}"),
        }
    }

    #[track_caller]
    fn not_json(body: &[u8]) {
        let body = Bytes::copy_from_slice(body);
        assert!(matches!(decode(&body), Err(Malformed::NotJson(_))), "{body:?}");
    }

    #[track_caller]
    fn id_of(body: &str) -> String {
        match decode(&Bytes::copy_from_slice(body.as_bytes())) {
            Ok(Message::Request { id, .. }) => id.as_json().to_owned(),
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn ids_survive_byte_for_byte() {
        for id in ["0", "1", "-7", "\"1\"", "\"\"", "9007199254740993", "18446744073709551616", "\"\\u0061\""]
        {
            assert_eq!(id_of(&format!(r#"{{"jsonrpc":"2.0","method":"m","id": {id} }}"#)), id);
        }
    }

    #[test]
    fn an_id_of_another_type_is_refused_and_not_echoed() {
        for id in ["null", "1.5", "1e3", "1.0", "true", "{}", "[1]"] {
            refused(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#), None);
        }
    }

    #[test]
    fn what_is_not_one_message_is_refused_with_the_id_it_has() {
        refused(r#"{"jsonrpc":"1.0","id":9,"method":"m"}"#, Some("9"));
        refused(r#"{"id":9,"method":"m"}"#, Some("9"));
        refused(r#"{"jsonrpc":"2.0","id":7,"method":42}"#, Some("7"));
        refused(r#"{"jsonrpc":"2.0","id":7}"#, Some("7"));
        for params in ["[]", "5", "\"x\"", "null", "1.5", "true"] {
            refused(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{params}}}"#), Some("7"));
        }
        for body in ["[]", r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, "5", "null", "\"x\"", "1.5"] {
            refused(body, None);
        }
    }

    #[test]
    fn a_member_that_occurs_twice_is_refused() {
        refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, None);
        refused(r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m"}"#, None);
        refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m","method":"m"}"#, None);
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}"#, Some("1"));
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","x":1,"y":2,"x":1}"#, Some("1"));
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":1,"n\u0061me":2}}"#, Some("1"));
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":{}}}"#, Some("1"));
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"a":1,"a":1}}}"#, Some("1"));
        let many: String = (0..40).map(|n| format!(r#""k{n}":0,"#)).collect();
        refused(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{{many}"k7":1}}}}"#), Some("1"));
    }

    #[test]
    fn what_is_not_json_is_told_apart_from_what_is_not_a_message() {
        for body in ["", " ", "{", "{}x", r#"{"a":}"#, r#"{"a":"\x"}"#, r#"{'a':1}"#, "nul", "{\"a\":\"\n\"}"]
        {
            not_json(body.as_bytes());
        }
        not_json(b"{\"a\":\"\xff\"}");
    }

    #[test]
    fn unpaired_surrogates_are_refused_wherever_they_are() {
        for text in [r"\ud800", r"\udc00", r"\ud800\ud800", r"\ud83dx\ude00", r"\ude00\ud83d", r"\ud800\n"] {
            not_json(
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"skipped":["{text}"]}}}}"#)
                    .as_bytes(),
            );
        }
        id_of(r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":"\ud83d\ude00 \\ud800 \u0000"}}"#);
    }

    #[test]
    fn nesting_is_bounded_alike_for_read_and_for_skipped_members() {
        let nested = |member: &str, levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","{member}":{{"x":{open}{close}}}}}"#)
        };
        for member in ["params", "other"] {
            id_of(&nested(member, 126));
            not_json(nested(member, 127).as_bytes());
            not_json(nested(member, 100_000).as_bytes());
        }
        id_of(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"x":"{}"}}}}"#,
            "[{\\\"".repeat(500)
        ));
    }

    #[test]
    fn a_response_has_a_result_or_an_error_and_no_method() {
        for body in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
        ] {
            assert!(
                matches!(decode(&Bytes::copy_from_slice(body.as_bytes())), Ok(Message::Response { .. })),
                "{body}"
            );
        }
    }
}
