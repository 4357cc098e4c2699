//! Reading values of records.

use serde_json::Value;

/// Typed access to the keys of an object. A key with a value of another type counts as missing.
pub trait Json {
    /// A whole number; None if it is missing.
    fn int(&self, key: &str) -> Option<i64>;
    /// A text; "" if it is missing.
    fn text(&self, key: &str) -> &str;
    /// A boolean; false if it is missing.
    fn flag(&self, key: &str) -> bool;
    /// A list; empty if it is missing.
    fn list(&self, key: &str) -> &[Value];
    /// The whole numbers of a list.
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
