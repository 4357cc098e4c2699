//! Custom serialization of a realm's fields in state documents.
//!
//! State documents contain no queues, event log, resumable uploads or pushes, and no indexes, which can be computed.

pub mod messages;

use super::deserialize_unique;
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

/// Permissions, by the names in the tables.
pub mod permissions {
    use super::*;

    pub fn serialize<S: Serializer>(permissions: &Permissions, serializer: S) -> Result<S::Ok, S::Error> {
        permissions.serialize(serializer)
    }

    /// # Errors
    ///
    /// A name is unknown or occurs twice, or a value is malformed.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Permissions, D::Error> {
        let permissions = deserialize_unique::map::<_, BTreeMap<String, GroupSettingValue>, _, _>(deserializer)?;
        let tables = || REALM_PERMISSIONS.iter().chain(CHANNEL_PERMISSIONS).chain(GROUP_PERMISSIONS);
        let with_static_name = |(name, value): (String, GroupSettingValue)| {
            let permission = tables().find(|permission| permission.name == name);
            permission
                .map(|permission| (permission.name, value))
                .ok_or_else(|| D::Error::custom(format!("no permission is called {name}")))
        };
        permissions.into_iter().map(with_static_name).collect()
    }
}

/// Settings, by the names in the tables.
pub mod settings {
    use super::*;

    pub fn serialize<S: Serializer>(settings: &OrdMap<&'static str, Value>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(settings.iter())
    }

    /// # Errors
    ///
    /// A name is unknown or occurs twice, or the setting does not accept the value.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<&'static str, Value>, D::Error> {
        let settings: BTreeMap<String, Value> = deserialize_unique::map(deserializer)?;
        let validate = |(name, value): (String, Value)| {
            // This default of new users is not in the tables, because the setting is a field of `User`.
            let (name, is_valid) = if name == "email_address_visibility" {
                let visibility = value.as_i64().and_then(EmailVisibility::from_number);
                ("email_address_visibility", visibility.is_some())
            } else {
                let mut tables = USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()).chain(FORMER_USER_SETTINGS.iter());
                let setting = tables.find(|setting| setting.name == name);
                let setting = setting.ok_or_else(|| D::Error::custom(format!("no setting is called {name}")))?;
                (setting.name, setting.kind.accepts(&value))
            };
            if is_valid { Ok((name, value)) } else { Err(D::Error::custom(format!("{name} can't be {value}"))) }
        };
        settings.into_iter().map(validate).collect()
    }
}

/// A map as a list of pairs, for keys that are not strings.
pub mod pairs {
    use super::*;

    pub fn serialize<K, V, S>(map: &OrdMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
    where
        K: Ord + Serialize,
        V: Serialize,
        S: Serializer,
    {
        serializer.collect_seq(map.iter())
    }

    /// # Errors
    ///
    /// A key occurs twice, or the list is malformed.
    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<OrdMap<K, V>, D::Error>
    where
        K: Ord + Clone + Deserialize<'de> + Serialize,
        V: Clone + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let pairs = Vec::<(K, V)>::deserialize(deserializer)?;
        deserialize_unique::check_no_duplicates(pairs.iter().map(|(key, _)| key)).map_err(D::Error::custom)?;
        Ok(pairs.into_iter().collect())
    }
}

/// Blobs by content hash, in Base64.
pub mod blobs {
    use super::*;

    pub fn serialize<S: Serializer>(blobs: &OrdMap<String, Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(blobs.iter().map(|(hash, bytes)| (hash, STANDARD.encode(bytes))))
    }

    /// # Errors
    ///
    /// A key occurs twice, a text is not Base64, or its bytes do not have the hash that is their key.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<String, Bytes>, D::Error> {
        let decode = |(hash, text): (String, String)| {
            let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
            if crate::realm::content_hash(&bytes) != hash {
                return Err(D::Error::custom(format!("the bytes of {hash} have another hash")));
            }
            Ok((hash, Bytes::from(bytes)))
        };
        let encoded_blobs: BTreeMap<String, String> = deserialize_unique::map(deserializer)?;
        encoded_blobs.into_iter().map(decode).collect()
    }
}

/// The sources of linkifiers, which are compiled when they are deserialized.
pub mod linkifiers {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct StoredLinkifier {
        id: LinkifierId,
        pattern: String,
        url_template: String,
        example_input: Option<String>,
        reverse_template: Option<String>,
        alternative_url_templates: Vec<String>,
    }

    pub fn serialize<S: Serializer>(linkifiers: &Vector<Arc<Linkifier>>, serializer: S) -> Result<S::Ok, S::Error> {
        let to_stored = |linkifier: &Arc<Linkifier>| StoredLinkifier {
            id: linkifier.id,
            pattern: linkifier.pattern.clone(),
            url_template: linkifier.url_template.clone(),
            example_input: linkifier.example_input.clone(),
            reverse_template: linkifier.reverse_template.clone(),
            alternative_url_templates: linkifier.alternative_url_templates.clone(),
        };
        serializer.collect_seq(linkifiers.iter().map(to_stored))
    }

    /// # Errors
    ///
    /// A linkifier is malformed or does not compile.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vector<Arc<Linkifier>>, D::Error> {
        let compile = |stored: StoredLinkifier| {
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
        Vec::<StoredLinkifier>::deserialize(deserializer)?.into_iter().map(compile).collect()
    }
}
