//! The translation of replies and events: renames keys and values for which a dialect has vendor names.

use super::{Dialect, FIELD_DATA_KEY, IGNORED_PARAMETERS_KEY, SITE_KEY, USER_DATA_KEYS};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Keys of an event whose value is the name of a changed property.
const PROPERTY_NAME_KEYS: [&str; 3] = ["property", "setting_name", "notification_name"];
/// Keys of the same events with the property's new value.
const PROPERTY_VALUE_KEYS: [&str; 2] = ["value", "setting"];
/// The object whose keys are the sites of external accounts.
const SITES_KEY: &str = "realm_default_external_accounts";

impl Dialect {
    /// Renames the keys and values of a reply or event for which the dialect has vendor names, except in the objects
    /// under [`USER_DATA_KEYS`].
    pub(crate) fn translate(&self, value: &mut Value) {
        self.translate_within(value, "");
    }

    /// Restores the names of parameters that were translated when the request was read.
    fn restore_sent_names(&self, items: &mut [Value]) {
        for item in items {
            if let Some(name) = item.as_str() {
                let sent_name = self.keys.get(name).map_or_else(|| self.neutral_key(name), String::as_str);
                *item = sent_name.into();
            }
        }
    }

    /// Renames keys and values within a value. `parent_key` is the key of the value, or of the list with it; "" for a
    /// whole reply.
    fn translate_within(&self, value: &mut Value, parent_key: &str) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.translate_within(item, parent_key)),
            Value::Object(object) => self.translate_object(object, parent_key),
            _ => {}
        }
    }

    fn translate_object(&self, object: &mut Map<String, Value>, parent_key: &str) {
        let property = PROPERTY_NAME_KEYS.iter().find_map(|key| object.get(*key)?.as_str());
        let names_of_property_values = property.and_then(|property| self.values.get(property));
        for (key, value) in object.iter_mut().filter(|(key, _)| !USER_DATA_KEYS.contains(&key.as_str())) {
            let names_under_parent = || self.values.get(&format!("{parent_key}.{key}"));
            let names_if_property_value =
                names_of_property_values.filter(|_| PROPERTY_VALUE_KEYS.contains(&key.as_str()));
            let names = self.values.get(key).or_else(names_under_parent).or(names_if_property_value);
            match value {
                Value::String(text) if key == FIELD_DATA_KEY => {
                    if let Some(data) = field_data_with_site(text, |site| self.vendor_value(SITE_KEY, site)) {
                        *text = data;
                    }
                }
                Value::String(text) => {
                    if let Some(vendor) = names.and_then(|names| names.get(text)) {
                        vendor.clone_into(text);
                    }
                }
                Value::Array(items) if key == IGNORED_PARAMETERS_KEY => self.restore_sent_names(items),
                Value::Array(items) if names.is_some() && items.iter().all(Value::is_string) => {
                    names.into_iter().for_each(|names| rename_texts(items, names));
                }
                other => self.translate_within(other, key),
            }
        }
        let names = if parent_key == SITES_KEY { self.values.get(SITE_KEY) } else { Some(&self.keys) };
        if let Some(names) = names.filter(|names| object.keys().any(|key| names.contains_key(key))) {
            let renamed =
                std::mem::take(object).into_iter().map(|(key, value)| (names.get(&key).cloned().unwrap_or(key), value));
            *object = renamed.collect();
        }
    }
}

/// The JSON of a profile field's data in which `other_name` has replaced the name of the site. None if it is no JSON,
/// has no site, or `other_name` knows no other name.
pub(super) fn field_data_with_site<'name>(
    data: &str,
    other_name: impl Fn(&str) -> Option<&'name str>,
) -> Option<String> {
    let mut data: Value = serde_json::from_str(data).ok()?;
    let site = data.get_mut(SITE_KEY)?;
    *site = other_name(site.as_str()?)?.into();
    Some(data.to_string())
}

fn rename_texts(items: &mut [Value], names: &BTreeMap<String, String>) {
    for item in items {
        if let Some(vendor) = item.as_str().and_then(|text| names.get(text)) {
            *item = vendor.as_str().into();
        }
    }
}
