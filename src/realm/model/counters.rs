//! How things are numbered.

use super::personal::OwnCounters;
use serde::{Deserialize, Serialize};

/// The number that was given last, of each kind. Numbers are never given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    pub user: i64,
    pub group: i64,
    pub channel: i64,
    pub folder: i64,
    pub message: i64,
    /// Audiences of messages.
    pub recipient: i64,
    /// Custom emoji.
    pub emoji: i64,
    pub linkifier: i64,
    /// Custom profile fields.
    pub profile_field: i64,
    /// Scheduled messages and reminders.
    pub scheduled: i64,
    /// What users have in lists of their own.
    #[serde(flatten)]
    pub own: OwnCounters,
    /// Invitation links.
    pub invite_link: i64,
    /// Invitations by email.
    pub invite: i64,
    /// Uploads.
    pub attachment: i64,
    pub device: i64,
    /// Changes of presence.
    pub presence: i64,
    /// Parts of polls and to-do lists.
    #[serde(default)]
    pub submessage: i64,
    /// Code playgrounds.
    #[serde(default)]
    pub playground: i64,
    #[serde(default)]
    pub default_channel_group: i64,
    #[serde(default)]
    pub export: i64,
}

/// Reads counters.
///
/// # Errors
///
/// An unknown one, with those that there are, which a flattened structure leaves out.
pub fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Counters, D::Error> {
    use serde::de::Error;
    let object: serde_json::Map<String, serde_json::Value> = super::distinct::keys(deserializer)?;
    let all = serde_json::to_value(Counters::default()).map_err(D::Error::custom)?;
    if let Some(unknown) = object.keys().find(|name| all.get(name.as_str()).is_none()) {
        let names: Vec<&str> = all.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        return Err(D::Error::custom(format_args!(
            "unknown field `{unknown}`, expected one of `{}`",
            names.join("`, `")
        )));
    }
    serde_json::from_value(object.into()).map_err(D::Error::custom)
}
