//! Counters from which new IDs are taken.

use super::personal::ItemCounters;
use serde::{Deserialize, Serialize};

/// The last ID of each kind. IDs are never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    pub user: i64,
    pub group: i64,
    pub channel: i64,
    pub folder: i64,
    pub message: i64,
    /// Channels and direct message conversations, as recipients of messages.
    pub recipient: i64,
    pub emoji: i64,
    pub linkifier: i64,
    pub profile_field: i64,
    /// Shared by scheduled messages and reminders.
    pub scheduled: i64,
    #[serde(flatten)]
    pub items: ItemCounters,
    pub invite_link: i64,
    pub invite: i64,
    pub attachment: i64,
    pub device: i64,
    /// `last_update_id` of presence.
    pub presence: i64,
    #[serde(default)]
    pub submessage: i64,
    #[serde(default)]
    pub playground: i64,
    #[serde(default)]
    pub default_channel_group: i64,
    #[serde(default)]
    pub export: i64,
}

/// Deserializes counters and refuses unknown fields, which serde can't do in a struct with `flatten`.
///
/// # Errors
///
/// A field is unknown (the message lists the known ones), occurs twice, is missing without a default, or is not an
/// integer.
pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Counters, D::Error> {
    use serde::de::Error;
    let object: serde_json::Map<String, serde_json::Value> = super::deserialize_unique::map(deserializer)?;
    let defaults = serde_json::to_value(Counters::default()).map_err(D::Error::custom)?;
    if let Some(unknown_name) = object.keys().find(|name| defaults.get(name.as_str()).is_none()) {
        let names: Vec<&str> = defaults.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        return Err(D::Error::custom(format_args!(
            "unknown field `{unknown_name}`, expected one of `{}`",
            names.join("`, `")
        )));
    }
    serde_json::from_value(object.into()).map_err(D::Error::custom)
}
