//! How a realm is written down whole and read again, as far as serde can't do it by itself.
//!
//! Queues, the event log and everything that follows from the rest are not written.

pub mod messages;

use super::distinct;
use super::id::LinkifierId;
use super::linkifier::{Linkifier, LinkifierSource};
use super::permission::{CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, GroupSettingValue, Permissions, REALM_PERMISSIONS};
use super::setting::{FORMER_USER_SETTINGS, REALM_SETTINGS, USER_SETTINGS};
use super::user::EmailVisibility;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use imbl::{OrdMap, Vector};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Permissions by name; names are those of the tables.
pub mod permissions {
    use super::*;

    /// Writes them as they are.
    pub fn serialize<S: Serializer>(permissions: &Permissions, serializer: S) -> Result<S::Ok, S::Error> {
        permissions.serialize(serializer)
    }

    /// Reads them; an unknown name is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Permissions, D::Error> {
        let read = distinct::keys::<_, BTreeMap<String, GroupSettingValue>, _, _>(deserializer)?;
        let tables = || REALM_PERMISSIONS.iter().chain(CHANNEL_PERMISSIONS).chain(GROUP_PERMISSIONS);
        let named = |(name, value): (String, GroupSettingValue)| {
            let row = tables().find(|row| row.name == name);
            row.map(|row| (row.name, value)).ok_or_else(|| D::Error::custom(format!("no permission is called {name}")))
        };
        read.into_iter().map(named).collect()
    }
}

/// Settings by name; names are those of the tables.
pub mod settings {
    use super::*;

    /// Writes them as they are.
    pub fn serialize<S: Serializer>(settings: &OrdMap<&'static str, Value>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(settings.iter())
    }

    /// Reads them; an unknown name or a value of the wrong kind is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<&'static str, Value>, D::Error> {
        let read: BTreeMap<String, Value> = distinct::keys(deserializer)?;
        let named = |(name, value): (String, Value)| {
            // The one default of new users that is in the account.
            let (name, is_sound) = if name == "email_address_visibility" {
                let visibility = value.as_i64().and_then(EmailVisibility::from_number);
                ("email_address_visibility", visibility.is_some())
            } else {
                let row = USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()).chain(FORMER_USER_SETTINGS.iter());
                let row = row.into_iter().find(|row| row.name == name);
                let row = row.ok_or_else(|| D::Error::custom(format!("no setting is called {name}")))?;
                (row.name, row.kind.accepts(&value))
            };
            if is_sound { Ok((name, value)) } else { Err(D::Error::custom(format!("{name} can't be {value}"))) }
        };
        read.into_iter().map(named).collect()
    }
}

/// A map as a list of pairs, for keys that no JSON object can have.
pub mod pairs {
    use super::*;

    /// Writes the pairs in the order of their keys.
    pub fn serialize<K, V, S>(map: &OrdMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
    where
        K: Ord + Serialize,
        V: Serialize,
        S: Serializer,
    {
        serializer.collect_seq(map.iter())
    }

    /// Reads the pairs.
    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<OrdMap<K, V>, D::Error>
    where
        K: Ord + Clone + Deserialize<'de> + Serialize,
        V: Clone + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let read = Vec::<(K, V)>::deserialize(deserializer)?;
        distinct::check(read.iter().map(|(key, _)| key)).map_err(D::Error::custom)?;
        Ok(read.into_iter().collect())
    }
}

/// Bytes by content hash, as base64.
pub mod blobs {
    use super::*;

    /// Writes them.
    pub fn serialize<S: Serializer>(blobs: &OrdMap<String, Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(blobs.iter().map(|(hash, bytes)| (hash, STANDARD.encode(bytes))))
    }

    /// Reads them; bytes that are not what their hash says are an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<String, Bytes>, D::Error> {
        let decode = |(hash, text): (String, String)| {
            let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
            if crate::realm::content_hash(&bytes) != hash {
                return Err(D::Error::custom(format!("the bytes of {hash} are others")));
            }
            Ok((hash, Bytes::from(bytes)))
        };
        let read: BTreeMap<String, String> = distinct::keys(deserializer)?;
        read.into_iter().map(decode).collect()
    }
}

/// Linkifiers by what they were made of; they are compiled again.
pub mod linkifiers {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Stored {
        id: LinkifierId,
        pattern: String,
        url_template: String,
        example_input: Option<String>,
        reverse_template: Option<String>,
        alternative_url_templates: Vec<String>,
    }

    /// Writes them in their order.
    pub fn serialize<S: Serializer>(linkifiers: &Vector<Arc<Linkifier>>, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = |one: &Arc<Linkifier>| Stored {
            id: one.id,
            pattern: one.pattern.clone(),
            url_template: one.url_template.clone(),
            example_input: one.example_input.clone(),
            reverse_template: one.reverse_template.clone(),
            alternative_url_templates: one.alternative_url_templates.clone(),
        };
        serializer.collect_seq(linkifiers.iter().map(stored))
    }

    /// Reads and compiles them.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vector<Arc<Linkifier>>, D::Error> {
        let compile = |stored: Stored| {
            let source = LinkifierSource {
                pattern: stored.pattern,
                url_template: stored.url_template,
                example_input: stored.example_input,
                reverse_template: stored.reverse_template,
                alternative_url_templates: stored.alternative_url_templates,
            };
            let compiled = Linkifier::compile(stored.id, source);
            compiled.map(Arc::new).map_err(|errors| D::Error::custom(errors.first_message()))
        };
        Vec::<Stored>::deserialize(deserializer)?.into_iter().map(compile).collect()
    }
}
