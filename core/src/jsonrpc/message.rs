use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Id;

/// How deep arrays and objects may nest, the message itself included.
const MAX_DEPTH: usize = 128;

/// One JSON-RPC message, borrowed from the body it came in.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request { id: Id, method: Cow<'a, str>, params: Members<'a> },
    Notification { method: Cow<'a, str>, params: Members<'a> },
    Response,
}

/// Why a body is not a message.
#[derive(Debug)]
pub(crate) enum Malformed {
    /// Not JSON, or deeper than anybody nests.
    NotJson(&'static str),
    /// JSON, but not one JSON-RPC 2.0 message. The id is there when it could be read.
    NotAMessage(Option<Id>, Cow<'static, str>),
}

/// Reads a body in one pass: what is not needed yet stays a slice of it.
pub(crate) fn decode(body: &Bytes) -> Result<Message<'_>, Malformed> {
    let text = std::str::from_utf8(body).map_err(|_| Malformed::NotJson("the body is not UTF-8"))?;
    if nests_too_deep(body) {
        return Err(Malformed::NotJson("the body nests deeper than 128 levels"));
    }
    if has_lone_surrogate(body) {
        return Err(Malformed::NotJson("the body has an unpaired surrogate escape"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let root = Root::deserialize(&mut json)
        .and_then(|root| json.end().map(|()| root))
        .map_err(|_| Malformed::NotJson("the body is not JSON"))?;
    let envelope = match root {
        Root::Object(envelope) => envelope,
        Root::Array => {
            return Err(not_a_message(None, "batches are not part of this protocol: send one message"));
        }
        Root::Scalar => return Err(not_a_message(None, "the body is not a JSON object")),
    };
    envelope.into_message(body)
}

fn not_a_message(id: Option<Id>, why: impl Into<Cow<'static, str>>) -> Malformed {
    Malformed::NotAMessage(id, why.into())
}

/// Whether arrays and objects nest deeper than [`MAX_DEPTH`].
///
/// Most bodies have fewer brackets than that in all, and counting bytes is far cheaper than following strings.
fn nests_too_deep(body: &[u8]) -> bool {
    // `[` and `{` differ in one bit. Counting in bytes, a short piece at a time, is what compilers vectorize.
    let openings =
        |piece: &[u8]| piece.iter().fold(0_u8, |n, byte| n.wrapping_add(u8::from(*byte | 0x20 == b'{')));
    if body.chunks(u8::MAX.into()).map(|piece| usize::from(openings(piece))).sum::<usize>() <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in body {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => {
                depth = depth.saturating_add(1);
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (_, _) => {}
        }
    }
    false
}

/// Whether a `\u` escape names half of a surrogate pair: such a text has no UTF-8.
///
/// Skipped values are not decoded, so without this the same bytes would fail early or late, depending on the method.
fn has_lone_surrogate(body: &[u8]) -> bool {
    let mut rest = body;
    let mut high_before = false; // a high half ended right where `rest` begins
    while let Some(at) = memchr::memchr(b'\\', rest) {
        if high_before && at != 0 {
            return true;
        }
        let after = rest.get(at.saturating_add(1)..).unwrap_or_default();
        let unit = match after {
            [b'u', digits @ ..] => digits.get(..4).and_then(hex),
            _ => None,
        };
        match unit {
            Some(0xD800..=0xDBFF) if !high_before => high_before = true,
            Some(0xDC00..=0xDFFF) if high_before => high_before = false,
            Some(0xD800..=0xDFFF) => return true,
            _ if high_before => return true,
            _ => {}
        }
        rest = after.get(if unit.is_some() { 5 } else { 1 }..).unwrap_or_default();
    }
    high_before
}

fn hex(digits: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.starts_with('+') { None } else { u32::from_str_radix(text, 16).ok() }
}

/// A member of a JSON object: its key decoded, its value still text.
type Member<'a> = (Cow<'a, str>, &'a RawValue);

/// The params of a message, and what their `_meta` holds.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    members: Vec<Member<'a>>,
    /// `None` where there is no `_meta`, or one that is not an object.
    meta: Option<Vec<Member<'a>>>,
    repeated_meta: bool,
}

impl<'a> Members<'a> {
    pub(crate) fn find(&self, key: &str) -> Option<&'a RawValue> {
        find(&self.members, key)
    }

    /// A member of `_meta`.
    pub(crate) fn meta(&self, key: &str) -> Option<&'a RawValue> {
        find(self.meta.as_ref()?, key)
    }

    /// All members of `_meta`.
    pub(crate) fn all_meta(&self) -> &[Member<'a>] {
        self.meta.as_deref().unwrap_or_default()
    }

    /// The name of a member that occurs twice, in the params or in `_meta`.
    fn repeated(&self) -> Option<String> {
        if self.repeated_meta {
            return Some("_meta".to_owned());
        }
        repeated(&self.members).or_else(|| repeated(self.all_meta()))
    }
}

fn find<'a>(members: &[Member<'a>], key: &str) -> Option<&'a RawValue> {
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

enum Root<'a> {
    Object(Envelope<'a>),
    Array,
    Scalar,
}

#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<MaybeText<'a>>,
    id: Option<&'a RawValue>,
    method: Option<MaybeText<'a>>,
    params: Option<Params<'a>>,
    answers: bool,
    repeated: Option<String>,
}

enum Params<'a> {
    Object(Members<'a>),
    Other,
}

impl<'a> Envelope<'a> {
    fn into_message(self, body: &Bytes) -> Result<Message<'a>, Malformed> {
        let id = match self.id {
            None => None,
            Some(raw) => Some(
                Id::parse(raw, body)
                    .ok_or_else(|| not_a_message(None, "id must be a string or an integer"))?,
            ),
        };
        if let Some(name) = self.repeated {
            // An id that occurs twice was not read: which of the two would it be?
            let id = if name == "id" { None } else { id };
            return Err(not_a_message(id, format!("the member {name:?} occurs twice")));
        }
        if !matches!(&self.jsonrpc, Some(MaybeText(Some(version))) if version == "2.0") {
            return Err(not_a_message(id, r#"jsonrpc must be "2.0""#));
        }
        let Some(method) = self.method else {
            if self.answers {
                return Ok(Message::Response);
            }
            return Err(not_a_message(id, "method is missing"));
        };
        let MaybeText(Some(method)) = method else {
            return Err(not_a_message(id, "method must be a string"));
        };
        let params = match self.params {
            None => Members::default(),
            Some(Params::Object(members)) => members,
            Some(Params::Other) => return Err(not_a_message(id, "params must be an object")),
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

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// The one key under which serde_json hands out a number when the program around us turned its feature
/// `arbitrary_precision` on.
const NUMBER: &str = "$serde_json::private::Number";

/// What a value turned out to be, for the three places where that decides which error is sent.
trait Shape<'a>: Sized {
    fn object<M: MapAccess<'a>>(map: M) -> Result<Self, M::Error>;
    fn array() -> Self;
    fn scalar() -> Self;
    fn text(_: Cow<'a, str>) -> Self {
        Self::scalar()
    }
}

struct ShapeVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for ShapeVisitor<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
        T::object(map)
    }
    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<T, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(T::array())
    }
    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::scalar())
    }
    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::scalar())
    }
    fn visit_u64<E>(self, _: u64) -> Result<T, E> {
        Ok(T::scalar())
    }
    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::scalar())
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }
    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(text.to_owned())))
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::scalar())
    }
}

impl<'de> Deserialize<'de> for Root<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor(std::marker::PhantomData))
    }
}

impl<'a> Shape<'a> for Root<'a> {
    fn object<M: MapAccess<'a>>(mut map: M) -> Result<Self, M::Error> {
        let mut envelope = Envelope::default();
        while let Some(Text(key)) = map.next_key()? {
            let again = match &*key {
                NUMBER => return drain_after_key(map).map(|()| Self::Scalar),
                "jsonrpc" => envelope.jsonrpc.replace(map.next_value()?).is_some(),
                "id" => envelope.id.replace(map.next_value()?).is_some(),
                "method" => envelope.method.replace(map.next_value()?).is_some(),
                "params" => envelope.params.replace(map.next_value()?).is_some(),
                "result" | "error" => {
                    map.next_value::<IgnoredAny>()?;
                    std::mem::replace(&mut envelope.answers, true)
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if again {
                envelope.repeated = Some(key.into_owned());
            }
        }
        Ok(Self::Object(envelope))
    }
    fn array() -> Self {
        Self::Array
    }
    fn scalar() -> Self {
        Self::Scalar
    }
}

impl<'de> Deserialize<'de> for Params<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor(std::marker::PhantomData))
    }
}

impl<'a> Shape<'a> for Params<'a> {
    fn object<M: MapAccess<'a>>(mut map: M) -> Result<Self, M::Error> {
        let mut params = Members::default();
        let mut seen_meta = false;
        while let Some(Text(key)) = map.next_key()? {
            match &*key {
                NUMBER => return drain_after_key(map).map(|()| Self::Other),
                "_meta" => {
                    params.repeated_meta |= std::mem::replace(&mut seen_meta, true);
                    Meta(params.meta) = map.next_value()?;
                }
                _ => params.members.push((key, map.next_value()?)),
            }
        }
        Ok(Self::Object(params))
    }
    fn array() -> Self {
        Self::Other
    }
    fn scalar() -> Self {
        Self::Other
    }
}

/// A string, or something else.
struct MaybeText<'a>(Option<Cow<'a, str>>);

impl<'de> Deserialize<'de> for MaybeText<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor(std::marker::PhantomData))
    }
}

impl<'a> Shape<'a> for MaybeText<'a> {
    fn object<M: MapAccess<'a>>(map: M) -> Result<Self, M::Error> {
        drain(map).map(|()| Self(None))
    }
    fn array() -> Self {
        Self(None)
    }
    fn scalar() -> Self {
        Self(None)
    }
    fn text(text: Cow<'a, str>) -> Self {
        Self(Some(text))
    }
}

struct Meta<'a>(Option<Vec<Member<'a>>>);

impl<'de> Deserialize<'de> for Meta<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor(std::marker::PhantomData))
    }
}

impl<'a> Shape<'a> for Meta<'a> {
    fn object<M: MapAccess<'a>>(mut map: M) -> Result<Self, M::Error> {
        let mut members = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            if key == NUMBER {
                return drain_after_key(map).map(|()| Self(None));
            }
            members.push((key, map.next_value()?));
        }
        Ok(Self(Some(members)))
    }
    fn array() -> Self {
        Self(None)
    }
    fn scalar() -> Self {
        Self(None)
    }
}

/// Reads the rest of an object whose last key was read.
fn drain_after_key<'a, M: MapAccess<'a>>(mut map: M) -> Result<(), M::Error> {
    map.next_value::<IgnoredAny>()?;
    drain(map)
}

/// Reads the rest of an object.
fn drain<'a, M: MapAccess<'a>>(mut map: M) -> Result<(), M::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
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
        refused(r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}"#, Some("1"));
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
                matches!(decode(&Bytes::copy_from_slice(body.as_bytes())), Ok(Message::Response)),
                "{body}"
            );
        }
    }
}
