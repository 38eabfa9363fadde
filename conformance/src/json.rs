//! Members of JSON values that a peer sent, whatever it sent.

use serde_json::Value;

static NULL: Value = Value::Null;

/// Reading what may not be there.
pub trait At {
    /// The member of an object; null where it is not there, or there is no object.
    fn at(&self, name: &str) -> &Value;

    /// The items of an array; none where there is no array.
    fn items(&self) -> &[Value];
}

impl At for Value {
    fn at(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }

    fn items(&self) -> &[Value] {
        self.as_array().map_or(&[], Vec::as_slice)
    }
}
