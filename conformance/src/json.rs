//! Members of JSON values that a peer sent, whatever it sent.

use serde_json::Value;

static NULL: Value = Value::Null;

/// Reading what may not be there.
pub trait At {
    /// The member of an object; null where it is not there, or there is no object.
    fn at(&self, name: &str) -> &Value;

    /// The items of an array; none where there is no array.
    fn items(&self) -> &[Value];

    /// Puts a member into an object, by the names that lead to it. Nothing happens where there is no object.
    fn put(&mut self, path: &[&str], value: Value);

    /// Takes a member out of an object, by the names that lead to it.
    fn cut(&mut self, path: &[&str]);
}

impl At for Value {
    fn at(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }

    fn items(&self) -> &[Value] {
        self.as_array().map_or(&[], Vec::as_slice)
    }

    fn put(&mut self, path: &[&str], value: Value) {
        let Some((last, parents)) = path.split_last() else { return };
        if let Some(object) = member(self, parents).and_then(Value::as_object_mut) {
            object.insert((*last).to_owned(), value);
        }
    }

    fn cut(&mut self, path: &[&str]) {
        let Some((last, parents)) = path.split_last() else { return };
        if let Some(object) = member(self, parents).and_then(Value::as_object_mut) {
            object.remove(*last);
        }
    }
}

fn member<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| value.get_mut(*name))
}
