//! Channels: listing and reading them (reference behaviour, section 9). Submodules create, change and archive channels,
//! and have the default channels and their groups.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod administered_channel;
pub mod archive;
pub mod create;
pub mod default_groups;
pub mod defaults;
pub mod edit;

use super::parameter::{NonNegative, parameters};
use super::{OperationContext, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::user::{SystemBotKind, User};
use crate::record::channel::ChannelRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Lists channels that the caller can see.
    pub GetChannels = GET "/streams", for User;
    params {
        /// All public channels, including web-public ones; adds none for guests.
        include_public: bool = true,
        /// All web-public channels.
        include_web_public: bool = false,
        /// Channels to which the caller is subscribed.
        include_subscribed: bool = true,
        /// Leave archived channels out.
        exclude_archived since 315: bool = true,
        /// All channels whose settings the caller can see.
        include_all | "include_all_active" since 356: bool = false,
        /// Include for each whether it is a default channel.
        include_default: bool = false,
        /// Channels to which a bot's owner is subscribed.
        include_owner_subscribed: bool = false,
        /// All channels whose messages the caller can read.
        include_can_access_content since 356: bool = false,
    }
    reply ChannelsReply;
}

/// The channels that the parameters select.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelsReply {
    /// Sorted by name, regardless of case.
    pub streams: Vec<ListedChannel>,
}

/// A channel of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedChannel {
    /// The properties of the channel, in the same object.
    #[serde(flatten)]
    pub channel: ChannelRecord,
    /// Whether it is a default channel; only with `include_default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

impl Read for GetChannels {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ChannelsReply, Error> {
        let caller = context.caller();
        let mut channels: Vec<&Channel> = realm
            .channels
            .values()
            .map(AsRef::as_ref)
            .filter(|channel| !(params.exclude_archived && channel.is_archived))
            .filter(|channel| is_listed(realm, caller, channel, &params))
            .collect();
        channels.sort_by_cached_key(|channel| channel.name.to_lowercase());
        let listed_channel = |channel: &Channel| ListedChannel {
            channel: ChannelRecord::new(realm, channel),
            is_default: params.include_default.then_some(channel.is_default),
        };
        Ok(ChannelsReply { streams: channels.into_iter().map(listed_channel).collect() })
    }
}

fn is_listed(realm: &Realm, caller: &User, channel: &Channel, params: &GetChannels) -> bool {
    let is_subscribed = |user: UserId| realm.user_state(user).subscription(channel.id).is_some();
    let can_read = || realm.can_read(caller, channel);
    (params.include_public && !channel.privacy.is_private() && !caller.is_guest() && can_read())
        || (params.include_web_public && channel.privacy.is_web_public())
        || (params.include_subscribed && is_subscribed(caller.id))
        || (params.include_owner_subscribed && caller.bot_owner().is_some_and(is_subscribed))
        || (params.include_can_access_content && can_read())
        || (params.include_all && realm.can_see(caller, channel))
}

operation! {
    /// Returns a channel, also an archived one.
    pub GetChannel = GET "/streams/{stream_id}", for User, since 132;
    params from ChannelParams;
    reply ChannelReply;
    errors [InvalidChannelId];
}

parameters! {
    /// The parameter of operations on a single channel.
    pub struct ChannelParams {
        /// ID of the channel; the error is the same if it does not exist and if the caller can't see it.
        @path stream_id: ChannelId,
    }
}

/// The channel of the request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelReply {
    /// Its settings and permissions; it may be archived.
    pub stream: ChannelRecord,
}

impl Read for GetChannel {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ChannelReply, Error> {
        let channel = realm.visible_channel(context.caller(), params.stream_id)?;
        Ok(ChannelReply { stream: ChannelRecord::new(realm, channel) })
    }
}

operation! {
    /// Returns the ID of the channel with a name, among the channels that the caller can read; archived channels are
    /// not found.
    pub GetChannelId = GET "/get_stream_id", for User;
    params {
        /// Name of the channel, regardless of case.
        stream: String,
    }
    reply ChannelIdReply;
    errors [InvalidChannelName];
}

/// Which channel has the name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelIdReply {
    /// ID of the channel with the name in the request.
    pub stream_id: ChannelId,
}

impl Read for GetChannelId {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ChannelIdReply, Error> {
        let channel = realm.visible_active_channel_by_name(context.caller(), &params.stream)?;
        if !realm.can_read(context.caller(), channel) {
            return Err(Error::InvalidChannelName { channel_name: params.stream.into() });
        }
        Ok(ChannelIdReply { stream_id: channel.id })
    }
}

operation! {
    /// Returns the subscribers of a channel, also of an archived one.
    pub GetSubscribers = GET "/streams/{stream_id}/members", for User;
    params from ChannelParams;
    reply SubscribersReply;
    errors [InvalidChannelId];
}

/// The subscribers of a channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscribersReply {
    /// IDs of active users, sorted.
    pub subscribers: Vec<UserId>,
}

impl Read for GetSubscribers {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<SubscribersReply, Error> {
        let channel = realm.visible_channel(context.caller(), params.stream_id)?;
        Ok(SubscribersReply { subscribers: channel.subscribers.iter().copied().collect() })
    }
}

operation! {
    /// Returns the email address whose mail becomes messages of a channel.
    pub GetChannelEmail = GET "/streams/{stream_id}/email_address", for User, since 226;
    params {
        /// ID of a channel that is not archived and whose messages the caller can read.
        @path stream_id: ChannelId,
        /// ID of the sender of these messages: the caller, a bot that the caller may administer, or the email gateway
        /// bot (the default); where there is no such bot, the notification bot is in its place.
        sender_id since 335: Option<NonNegative>,
    }
    reply ChannelEmailReply;
    errors [InvalidChannelId, NoSuchBot, InsufficientPermission, MayNotPost];
}

/// The email address of a channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelEmailReply {
    /// Differs for each sender. This server receives no mail.
    pub email: String,
}

impl Read for GetChannelEmail {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ChannelEmailReply, Error> {
        let caller = context.caller();
        let channel = realm.readable_active_channel(caller, params.stream_id)?;
        let default_sender =
            realm.system_bot(SystemBotKind::EmailGateway).or_else(|| realm.notification_bot()).unwrap_or(caller.id);
        let sender_id = params.sender_id.map_or(default_sender, |NonNegative(id)| UserId(id));
        let is_ordinary_bot = |user: &&Arc<User>| user.is_bot() && !user.is_system_bot();
        let can_be_sender = |user: &&Arc<User>| [default_sender, caller.id].contains(&user.id) || is_ordinary_bot(user);
        let sender = realm.user(sender_id).filter(can_be_sender).ok_or(Error::NoSuchBot)?;
        let needs_no_permission =
            [default_sender, caller.id].contains(&sender.id) || sender.bot_owner() == Some(caller.id);
        if !needs_no_permission && !caller.is_admin() {
            return Err(Error::InsufficientPermission);
        }
        if context.has(Feature::ChannelEmailForPosters) {
            // Mail from a system bot counts as a message of the caller.
            realm.check_may_send_in(if sender.is_system_bot() { caller } else { sender }, channel)?;
        }
        Ok(ChannelEmailReply { email: channel_email(realm, channel, sender.id) })
    }
}

/// The email address of a channel below level 226, which does not depend on the sender.
pub fn legacy_channel_email(realm: &Realm, channel: ChannelId) -> String {
    let seed = format!("{} {channel}", realm.organization.uuid);
    format!("{}@{}", email_token(&seed), realm.organization.host)
}

/// 32 hexadecimal digits derived from a text.
fn email_token(seed: &str) -> String {
    let mut token = crate::realm::content_hash(seed.as_bytes());
    token.truncate(32);
    token
}

/// The email address for a channel and a sender. It begins with the channel's name; the token after it never changes
/// and is hard to guess.
fn channel_email(realm: &Realm, channel: &Channel, sender: UserId) -> String {
    let token = email_token(&format!("{} {} {sender}", realm.organization.uuid, channel.id));
    let name_parts = channel.name.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<&str> = name_parts.filter(|part| !part.is_empty()).collect();
    let name = words.join("-").to_lowercase();
    let separator = if name.is_empty() { "" } else { "." };
    format!("{name}{separator}{token}@{}", realm.organization.host)
}
