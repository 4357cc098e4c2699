//! Typed access to the values of records.

use serde_json::Value;

/// Access to the keys of an object. A value of another type counts as absent.
pub trait JsonFields {
    /// None if absent.
    fn integer(&self, key: &str) -> Option<i64>;
    /// "" if absent.
    fn text(&self, key: &str) -> &str;
    /// False if absent.
    fn boolean(&self, key: &str) -> bool;
    /// Empty if absent.
    fn list(&self, key: &str) -> &[Value];
    /// The integers of a list; empty if absent.
    fn integers(&self, key: &str) -> Vec<i64>;
}

impl JsonFields for Value {
    fn integer(&self, key: &str) -> Option<i64> {
        self[key].as_i64()
    }

    fn text(&self, key: &str) -> &str {
        self[key].as_str().unwrap_or_default()
    }

    fn boolean(&self, key: &str) -> bool {
        self[key].as_bool().unwrap_or_default()
    }

    fn list(&self, key: &str) -> &[Value] {
        self[key].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    fn integers(&self, key: &str) -> Vec<i64> {
        self.list(key).iter().filter_map(Value::as_i64).collect()
    }
}
