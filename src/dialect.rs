//! Names on the wire: the neutral ones of the specification, or a vendor's.
//!
//! A dialect is a list of pairs, neutral to vendor, for the keys of objects (and parameters), for the values under
//! certain keys, and for paths. The core knows the neutral names alone.

use memchr::memmem;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How neutral names are called on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    /// Keys of objects and names of parameters.
    #[serde(default)]
    keys: BTreeMap<String, String>,
    /// Values under a key: key → neutral → vendor's.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// Paths of operations without `/api/v1`.
    #[serde(default)]
    paths: BTreeMap<String, String>,
}

impl Dialect {
    /// The specification's own names.
    pub fn neutral() -> Self {
        Self::default()
    }

    /// The names that stock clients of the product called Zulip look for.
    pub fn zulip() -> Self {
        serde_json::from_str(include_str!("dialect/zulip.json"))
            .expect("the built-in dialect is well-formed, as a test checks")
    }

    /// Reads a dialect file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the JSON path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut json).map_err(|error| format!("$.{}: {}", error.path(), error.inner()))
    }

    /// Whether nothing is renamed.
    pub fn is_neutral(&self) -> bool {
        self.keys.is_empty() && self.values.is_empty() && self.paths.is_empty()
    }

    /// The neutral path that a path on the wire stands for.
    pub fn neutral_path<'path>(&self, path: &'path str) -> Cow<'path, str> {
        match self.paths.iter().find(|(_, vendor)| vendor.as_str() == path) {
            Some((neutral, _)) => Cow::Owned(neutral.clone()),
            None => Cow::Borrowed(path),
        }
    }

    /// The neutral name of a parameter on the wire.
    pub fn neutral_key<'key>(&'key self, key: &'key str) -> &'key str {
        self.keys.iter().find(|(_, vendor)| vendor.as_str() == key).map_or(key, |(neutral, _)| neutral)
    }

    /// The neutral value of a parameter (by its neutral name) on the wire.
    pub fn neutral_value<'value>(&'value self, key: &str, value: &'value str) -> &'value str {
        let pairs = self.values.get(key);
        pairs
            .and_then(|pairs| pairs.iter().find(|(_, vendor)| vendor.as_str() == value))
            .map_or(value, |(neutral, _)| neutral)
    }

    /// Whether a reply as bytes of JSON may have something that [`Dialect::translate`] would rename.
    pub fn may_rename(&self, reply: &[u8]) -> bool {
        let names = self.keys.keys().chain(self.values.values().flat_map(BTreeMap::keys));
        names.into_iter().any(|name| memmem::find(reply, name.as_bytes()).is_some())
    }

    /// Renames everything in a reply or event.
    pub fn translate(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.translate(item)),
            Value::Object(object) => self.translate_object(object),
            _ => {}
        }
    }

    fn translate_object(&self, object: &mut Map<String, Value>) {
        for (key, value) in object.iter_mut() {
            if let (Some(pairs), Value::String(text)) = (self.values.get(key), &*value) {
                if let Some(vendor) = pairs.get(text) {
                    *value = vendor.as_str().into();
                }
            } else {
                self.translate(value);
            }
        }
        if object.keys().any(|key| self.keys.contains_key(key)) {
            let renamed = std::mem::take(object)
                .into_iter()
                .map(|(key, value)| (self.keys.get(&key).cloned().unwrap_or(key), value));
            *object = renamed.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_built_in_dialect_renames_keys_and_values_both_ways() {
        let dialect = Dialect::zulip();
        let mut reply = json!({"service_version": "12.0", "reactions": [{"reaction_type": "service_extra_emoji"}]});

        assert!(dialect.may_rename(reply.to_string().as_bytes()));
        assert!(!dialect.may_rename(br#"{"result":"success","msg":""}"#));
        dialect.translate(&mut reply);

        assert_eq!(reply, json!({"zulip_version": "12.0", "reactions": [{"reaction_type": "zulip_extra_emoji"}]}));
        assert_eq!(dialect.neutral_value("reaction_type", "zulip_extra_emoji"), "service_extra_emoji");
    }

    #[test]
    fn a_fault_in_a_file_is_named_with_its_place() {
        let fault = Dialect::parse(r#"{"keys": {"a": 1}}"#).expect_err("a number is no name");

        assert!(fault.starts_with("$.keys.a: "), "{fault}");
    }
}
