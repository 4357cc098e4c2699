//! Translates the document to the names of a dialect.

use crate::dialect::Dialect;
use serde_json::{Map, Value};

/// Translates paths, parameters, keys, values and descriptions from neutral names.
pub fn rename_document(document: &mut Value, dialect: &Dialect) {
    if dialect.is_neutral() {
        return;
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        let renamed =
            std::mem::take(paths).into_iter().map(|(path, item)| (dialect.vendor_path(&path).to_owned(), item));
        *paths = renamed.collect();
    }
    document["info"]["description"] =
        "Every operation that chatdouble serves, at the newest feature level, with the names of a dialect.".into();
    rename(document, dialect, "");
}

/// Translates a schema or another part of the document. `under` is the neutral key whose value it describes, or "".
fn rename(value: &mut Value, dialect: &Dialect, under: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, dialect, under)),
        Value::Object(object) => rename_object(object, dialect, under),
        _ => {}
    }
}

fn rename_object(object: &mut Map<String, Value>, dialect: &Dialect, under: &str) {
    let parameter = match object.get("name") {
        Some(Value::String(name)) if object.contains_key("in") => Some(name.clone()),
        _ => None,
    };
    if let Some(name) = &parameter {
        object.insert("name".into(), dialect.vendor_key(name).into());
    }
    let under = parameter.as_deref().unwrap_or(under);
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "encoding", Value::Object(members)) => {
                let renamed = std::mem::take(members).into_iter().map(|(name, mut member)| {
                    rename(&mut member, dialect, &name);
                    (dialect.vendor_key(&name).to_owned(), member)
                });
                *members = renamed.collect();
            }
            ("required", Value::Array(names)) => names.iter_mut().for_each(|name| {
                if let Some(neutral) = name.as_str() {
                    *name = dialect.vendor_key(neutral).into();
                }
            }),
            ("enum", Value::Array(values)) => values.iter_mut().for_each(|value| rename_value(value, dialect, under)),
            ("const" | "default" | "example", value) => rename_value(value, dialect, under),
            ("description" | "summary", Value::String(text)) => *text = dialect.with_vendor_names(text),
            (_, value) => rename(value, dialect, under),
        }
    }
}

fn rename_value(value: &mut Value, dialect: &Dialect, under: &str) {
    let Some(neutral) = value.as_str() else { return };
    // The values of a schema that several keys share are looked up without a key.
    let vendor =
        if under.is_empty() { dialect.any_vendor_value(neutral) } else { dialect.vendor_value(under, neutral) };
    if let Some(vendor) = vendor {
        *value = vendor.into();
    }
}
