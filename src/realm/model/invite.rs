//! Invitations: links for any number of people, and emails to one person each.

use super::id::{ChannelId, GroupId, InviteId, InviteLinkId, UserId};
use super::user::Role;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A link with which any number of people can join.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InviteLink {
    pub id: InviteLinkId,
    /// The last part of its URL: 24 characters of a-z and 2-7.
    pub key: String,
    pub terms: InviteTerms,
    pub is_revoked: bool,
}

/// An invitation by email, for one person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invite {
    pub id: InviteId,
    /// The email address of the invited person.
    pub email: String,
    /// In the format of [`InviteLink::key`].
    pub key: String,
    pub terms: InviteTerms,
    /// Whether the inviting user is notified when the invitation is accepted.
    pub notify_referrer_on_join: bool,
}

/// What a link and an email invitation have in common: the inviting user, the expiry and what the new user gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InviteTerms {
    pub invited_by: UserId,
    pub invited_at: Timestamp,
    /// None if it never expires.
    pub expires_at: Option<Timestamp>,
    pub role: Role,
    /// Channels that the new user is subscribed to.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub channels: BTreeSet<ChannelId>,
    /// Groups that the new user becomes a member of.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub groups: BTreeSet<GroupId>,
    /// Whether the new user is also subscribed to the default channels.
    pub include_default_channels: bool,
    /// Replaces the organization's welcome message; None for no replacement, "" for no welcome message.
    pub welcome_message: Option<String>,
}
