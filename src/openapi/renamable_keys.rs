//! Collects the keys in the document that a dialect may rename.

use crate::api::NEWEST_FEATURE_LEVEL;
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys of objects and the names of parameters at the newest level, in the neutral dialect.
pub fn renamable_keys() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect_names(&super::neutral_document(NEWEST_FEATURE_LEVEL), &mut names);
    names
}

fn collect_names(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                names.extend(properties.keys().cloned());
            }
            // An object with `in` is a parameter.
            if let (Some(Value::String(name)), true) = (object.get("name"), object.contains_key("in")) {
                names.insert(name.clone());
            }
            object.values().for_each(|value| collect_names(value, names));
        }
        _ => {}
    }
}
