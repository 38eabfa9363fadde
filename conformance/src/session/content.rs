use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A body, as a session file has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// None.
    Empty,
    /// JSON that can be written again without a loss.
    Json(Value),
    /// Other text.
    Text(String),
    /// Anything.
    Bytes(Vec<u8>),
    /// It was so long that it was not kept.
    Omitted(u64),
}

impl Content {
    /// Finds out what bytes are.
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => match serde_json::from_str(text) {
                Ok(Faithful(value)) if !value.is_null() => Self::Json(value),
                _ => Self::Text(text.to_owned()),
            },
            Err(_) => Self::Bytes(bytes.to_owned()),
        }
    }

    pub(super) fn read(
        json: Option<&Value>,
        text: Option<&str>,
        base64: Option<&str>,
        omitted: Option<u64>,
    ) -> Self {
        match (json, text, base64, omitted) {
            (Some(json), ..) => Self::Json(json.clone()),
            (_, Some(text), ..) => Self::Text(text.to_owned()),
            (_, _, Some(base64), _) => Self::Bytes(STANDARD.decode(base64).unwrap_or_default()),
            (_, _, _, Some(length)) => Self::Omitted(length),
            (None, None, None, None) => Self::Empty,
        }
    }

    /// As the members `body`, `text`, `base64` and `omitted`.
    pub fn members(self) -> (Option<Value>, Option<String>, Option<String>, Option<u64>) {
        match self {
            Self::Empty => (None, None, None, None),
            Self::Json(json) => (Some(json), None, None, None),
            Self::Text(text) => (None, Some(text), None, None),
            Self::Bytes(bytes) => (None, None, Some(STANDARD.encode(bytes)), None),
            Self::Omitted(length) => (None, None, None, Some(length)),
        }
    }
}

/// JSON that comes out again as it went in, but for white space and escapes: each member of an object occurs once, and each
/// number can be held.
struct Faithful(Value);

impl<'de> Deserialize<'de> for Faithful {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FaithfulVisitor).map(Self)
    }
}

struct FaithfulVisitor;

impl<'de> Visitor<'de> for FaithfulVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        // An integer that is too long for 64 bits arrives here, rounded.
        let is_long = value.abs() >= 9e15 && value.fract() == 0.0;
        let number = Number::from_f64(value).filter(|_| !is_long);
        number.map(Value::Number).ok_or_else(|| E::custom("a number that cannot be held"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Faithful(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some((name, Faithful(value))) = members.next_entry::<String, _>()? {
            if all.insert(name, value).is_some() {
                return Err(A::Error::custom("a member that occurs twice"));
            }
        }
        Ok(all.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_kept_as_json_where_nothing_is_lost() {
        assert_eq!(
            Content::of(br#"{"a": [1, "x", null, 1.5]}"#),
            Content::Json(json!({"a": [1, "x", null, 1.5]}))
        );
        assert_eq!(Content::of(b"9007199254740993"), Content::Json(json!(9007199254740993_u64)));
        for text in ["{\"a\":1,\"a\":2}", "[36893488147419103232]", "{\"a\":", "null", "hello"] {
            assert_eq!(Content::of(text.as_bytes()), Content::Text(text.to_owned()));
        }
        assert_eq!(Content::of(b""), Content::Empty);
        assert_eq!(Content::of(&[0xff, 0]), Content::Bytes(vec![0xff, 0]));
    }

    #[test]
    fn contents_come_out_of_a_file_as_they_went_in() {
        for bytes in [&b"{\"a\":1}"[..], b"x", b"", &[0xff]] {
            let content = Content::of(bytes);
            let (json, text, base64, omitted) = content.clone().members();
            assert_eq!(Content::read(json.as_ref(), text.as_deref(), base64.as_deref(), omitted), content);
        }
    }
}
