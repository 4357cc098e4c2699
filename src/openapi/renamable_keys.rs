//! Collects the keys in the document that a dialect may rename.

use crate::api::NEWEST_FEATURE_LEVEL;
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys of objects and the names of parameters at the newest level, in the neutral dialect.
pub fn renamable_keys() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    collect_keys(&super::neutral_document(NEWEST_FEATURE_LEVEL), &mut keys);
    keys
}

fn collect_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            // An object with `in` is a parameter.
            if let (Some(Value::String(name)), true) = (object.get("name"), object.contains_key("in")) {
                keys.insert(name.clone());
            }
            object.values().for_each(|value| collect_keys(value, keys));
        }
        _ => {}
    }
}
