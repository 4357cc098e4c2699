//! Making one channel by itself.

use crate::api::parameter::Nullable;
use crate::api::shared::channels::creation::{
    NewChannel, RetentionDays, TopicsPolicyWord, channel_permissions, checked_description, emit_defaults, make_channel,
};
use crate::api::shared::channels::notices::{announce, post_created};
use crate::api::shared::principals::Principals;
use crate::api::shared::subscriptions::subscribe_all;
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::realm::channel::checked_channel_name;
use crate::realm::id::{ChannelId, FolderId, UserId};
use crate::realm::permission::GroupSettingValue;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

operation! {
    /// Makes a channel.
    pub CreateChannel = POST "/channels/create", for NotGuest, since 417;
    params {
        /// Announce it where the organization announces such.
        announce: bool = false,
        /// Who may subscribe others.
        can_add_subscribers_group: Option<GroupSettingValue>,
        /// Who may change it; the creator by default.
        can_administer_channel_group: Option<GroupSettingValue>,
        /// Who may begin topics.
        can_create_topic_group: Option<GroupSettingValue>,
        /// Who may delete any message.
        can_delete_any_message_group: Option<GroupSettingValue>,
        /// Who may delete their own messages.
        can_delete_own_message_group: Option<GroupSettingValue>,
        /// Who may move messages to other channels.
        can_move_messages_out_of_channel_group: Option<GroupSettingValue>,
        /// Who may move messages to other topics.
        can_move_messages_within_channel_group: Option<GroupSettingValue>,
        /// Who may unsubscribe others; administrators by default.
        can_remove_subscribers_group: Option<GroupSettingValue>,
        /// Who may resolve topics.
        can_resolve_topics_group: Option<GroupSettingValue>,
        /// Who may post; everyone by default.
        can_send_message_group: Option<GroupSettingValue>,
        /// Who may subscribe though it is private.
        can_subscribe_group: Option<GroupSettingValue>,
        /// At most 1,024 characters.
        description: String = String::new() => "the empty text",
        /// The folder.
        folder_id: Option<Nullable<FolderId>>,
        /// Show new subscribers of a private channel all of its history.
        history_public_to_subscribers: Option<bool>,
        /// Private.
        invite_only: bool = false,
        /// New users get it; administrators only.
        is_default_stream: bool = false,
        /// Anyone on the internet may read it.
        is_web_public: bool = false,
        /// How long messages are kept: `realm_default`, `unlimited` or days; owners only.
        message_retention_days: Option<RetentionDays>,
        /// At most 60 characters.
        name: String,
        /// Tell those who were subscribed by somebody else.
        send_new_subscription_messages: bool = true,
        /// Users to subscribe; the caller is subscribed only when named.
        subscribers: Vec<UserId>,
        /// Which topics may be used.
        topics_policy: Option<TopicsPolicyWord>,
    }
    reply NewChannelReply;
    errors [
        BadValue, RefusedValue, InvalidFolder, ChannelNameEmpty, ChannelNameTooLong, ChannelNameInvalidCharacter,
        ChannelAlreadyExists, InvalidGroup, GroupDeactivated, DisallowedGroup, InvalidUserId, InvalidGroupId,
        InvalidParameters, InsufficientPermission, DefaultChannelPrivate, WebPublicDisabled, OwnerRequired,
        UnsupportedCombination, NoSuchUser, TargetDeactivated,
    ];
    events [RealmUserAdd, StreamCreate, SubscriptionAdd, SubscriptionPeerAdd, DefaultStreams, Message];
}

/// The new channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewChannelReply {
    /// Its ID.
    pub id: ChannelId,
}

impl Write for CreateChannel {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<NewChannelReply, Error> {
        let caller = call.caller();
        let description = checked_description(&params.description)?;
        let wanted = NewChannel {
            invite_only: params.invite_only,
            is_web_public: params.is_web_public,
            history_public_to_subscribers: params.history_public_to_subscribers,
            is_default: params.is_default_stream,
            folder: params.folder_id,
            retention: params.message_retention_days,
            topics_policy: params.topics_policy,
            permissions: channel_permissions!(params),
        };
        wanted.check_values(tx, caller)?;
        let name = checked_channel_name(&params.name)?;
        if tx.channel_by_name(&name).is_some() {
            return Err(Error::ChannelAlreadyExists { channel_name: name.into() });
        }
        let traits = wanted.check(tx, caller)?;
        // An empty list is nobody here, not the caller.
        let users = match params.subscribers.as_slice() {
            [] => BTreeSet::new(),
            some => Principals::Ids(some.to_vec()).resolve(tx, caller)?,
        };

        let id = make_channel(tx, caller, name, description, &traits);
        if params.is_default_stream {
            emit_defaults(tx);
        }
        subscribe_all(tx, &users, &[id], &BTreeMap::new());
        if params.announce {
            announce(tx, caller, &[id]);
        }
        post_created(tx, caller, &[id]);
        Ok(NewChannelReply { id })
    }
}
