//! A user's own lists as that user's clients see them.

use crate::realm::personal::{Device, Draft, DraftTarget, Snippet};
use schemars::JsonSchema;
use serde::Serialize;

/// A kept phrase.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSnippet")]
pub struct SnippetRecord {
    /// Its ID.
    pub id: i64,
    /// What it goes by.
    pub title: String,
    /// Markdown.
    pub content: String,
    /// UNIX seconds.
    pub date_created: i64,
}

impl SnippetRecord {
    /// A snippet.
    pub fn new(snippet: &Snippet) -> Self {
        Self {
            id: snippet.id.0,
            title: snippet.title.clone(),
            content: snippet.content.clone(),
            date_created: snippet.date_created.seconds(),
        }
    }
}

/// An unsent message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Draft")]
pub struct DraftRecord {
    /// Its ID.
    pub id: i64,
    /// `stream`, `private`, or "" when nothing is chosen yet.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// A channel's ID alone, users' IDs, or nothing.
    pub to: Vec<i64>,
    /// "" but for channels.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// UNIX seconds of the last change.
    pub timestamp: i64,
}

impl DraftRecord {
    /// A draft.
    pub fn new(draft: &Draft) -> Self {
        let (kind, to) = match &draft.to {
            DraftTarget::Nowhere => ("", Vec::new()),
            DraftTarget::Channel(channel) => ("stream", vec![channel.0]),
            DraftTarget::Users(users) => ("private", users.iter().map(|user| user.0).collect()),
        };
        Self {
            id: draft.id.0,
            kind,
            to,
            topic: draft.topic.clone(),
            content: draft.content.clone(),
            timestamp: draft.timestamp.seconds(),
        }
    }
}

/// A device registered for encrypted push notifications.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClientDevice")]
pub struct DeviceRecord {
    /// Names the key that notifications are encrypted with.
    pub push_key_id: Option<i64>,
    /// Names the token in force.
    pub push_token_id: Option<String>,
    /// Names the token that is being registered.
    pub pending_push_token_id: Option<String>,
    /// UNIX seconds.
    pub push_token_last_updated_timestamp: Option<i64>,
    /// Why the last registration failed.
    pub push_registration_error_code: Option<String>,
}

impl DeviceRecord {
    /// A device.
    pub fn new(device: &Device) -> Self {
        Self {
            push_key_id: device.push_key_id,
            push_token_id: device.push_token_id.clone(),
            pending_push_token_id: device.pending_push_token_id.clone(),
            push_token_last_updated_timestamp: device.push_token_last_updated.map(|at| at.seconds()),
            push_registration_error_code: device.push_registration_error_code.clone(),
        }
    }
}

/// A notice that the user has not seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OnboardingStep")]
pub struct StepRecord {
    /// Always `one_time_notice`.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["one_time_notice"]))]
    pub kind: &'static str,
    /// Which.
    pub name: &'static str,
}
