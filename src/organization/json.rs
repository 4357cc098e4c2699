//! Values in records.

use serde_json::Value;

/// What is under the keys of an object; missing and of another type are the same.
pub trait Json {
    /// A whole number.
    fn int(&self, key: &str) -> Option<i64>;
    /// A text, "" if there is none.
    fn text(&self, key: &str) -> &str;
    /// Whether something is true.
    fn flag(&self, key: &str) -> bool;
    /// The elements of a list.
    fn list(&self, key: &str) -> &[Value];
    /// The whole numbers in a list.
    fn ints(&self, key: &str) -> Vec<i64>;
}

impl Json for Value {
    fn int(&self, key: &str) -> Option<i64> {
        self[key].as_i64()
    }

    fn text(&self, key: &str) -> &str {
        self[key].as_str().unwrap_or_default()
    }

    fn flag(&self, key: &str) -> bool {
        self[key].as_bool().unwrap_or_default()
    }

    fn list(&self, key: &str) -> &[Value] {
        self[key].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    fn ints(&self, key: &str) -> Vec<i64> {
        self.list(key).iter().filter_map(Value::as_i64).collect()
    }
}
