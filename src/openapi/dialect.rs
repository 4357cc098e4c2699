//! Translates the document to the names of a dialect.

use crate::dialect::Dialect;
use serde_json::{Map, Value};

/// Translates paths, parameters, keys, values and descriptions from neutral names.
pub fn translate_document(document: &mut Value, dialect: &Dialect) {
    if dialect.is_neutral() {
        return;
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        let translated_items =
            std::mem::take(paths).into_iter().map(|(path, item)| (dialect.vendor_path(&path).to_owned(), item));
        *paths = translated_items.collect();
    }
    translate_part(document, dialect, "");
}

/// Translates a schema or another part of the document. `parent_key` is the neutral key whose value it describes, or
/// "".
fn translate_part(value: &mut Value, dialect: &Dialect, parent_key: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| translate_part(item, dialect, parent_key)),
        Value::Object(object) => translate_object(object, dialect, parent_key),
        _ => {}
    }
}

fn translate_object(object: &mut Map<String, Value>, dialect: &Dialect, parent_key: &str) {
    let parameter = match object.get("name") {
        Some(Value::String(name)) if object.contains_key("in") => Some(name.clone()),
        _ => None,
    };
    if let Some(name) = &parameter {
        object.insert("name".into(), dialect.vendor_key(name).into());
    }
    let parent_key = parameter.as_deref().unwrap_or(parent_key);
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "encoding", Value::Object(members)) => {
                let translated_members = std::mem::take(members).into_iter().map(|(name, mut member)| {
                    translate_part(&mut member, dialect, &name);
                    (dialect.vendor_key(&name).to_owned(), member)
                });
                *members = translated_members.collect();
            }
            ("required", Value::Array(names)) => names.iter_mut().for_each(|name| {
                if let Some(neutral_name) = name.as_str() {
                    *name = dialect.vendor_key(neutral_name).into();
                }
            }),
            ("enum", Value::Array(values)) => {
                values.iter_mut().for_each(|value| translate_value(value, dialect, parent_key))
            }
            ("const" | "default" | "example", value) => translate_value(value, dialect, parent_key),
            ("description" | "summary", Value::String(text)) => *text = dialect.translate_text(text),
            (_, value) => translate_part(value, dialect, parent_key),
        }
    }
}

fn translate_value(value: &mut Value, dialect: &Dialect, parent_key: &str) {
    let Some(neutral_name) = value.as_str() else { return };
    // The values of a schema that several keys share are looked up without a key.
    let vendor_name = if parent_key.is_empty() {
        dialect.any_vendor_value(neutral_name)
    } else {
        dialect.vendor_value(parent_key, neutral_name)
    };
    if let Some(vendor_name) = vendor_name {
        *value = vendor_name.into();
    }
}
