//! The operation that creates a single channel. The change itself is in `api/changes/channels/creation.rs`.

use crate::api::changes::channels::creation::{
    NewChannelParams, checked_description, create_channel, emit_default_channels,
};
use crate::api::changes::channels::notices::{announce_new_channels, post_creation};
use crate::api::changes::subscriptions::subscribe_all;
use crate::api::parameter::types::channel::{ChannelPermissions, ChannelProperties, TopicsPolicyWord};
use crate::api::parameter::types::principals::Principals;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::channel::validate_channel_name;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

operation! {
    /// Creates a channel and subscribes users to it.
    pub CreateChannel = POST "/channels/create", for NotGuest, since 417;
    params {
        /// Not blank, at most 60 code points; unique among all channels, regardless of case.
        name: String,
        /// IDs of users to subscribe; the caller is subscribed only if listed.
        subscribers: Vec<UserId>,
        /// At most 1,024 code points; line breaks become spaces.
        description: String = String::new() => "the empty text",
        /// Which topics may be used; the organization's policy by default.
        topics_policy: Option<TopicsPolicyWord>,
        /// Its privacy, folder and other properties.
        @group properties: ChannelProperties,
        /// Who may do what in the channel.
        @group permissions: ChannelPermissions,
        /// Announce it in the organization's channel for announcements of new channels, if there is one.
        announce: bool = false,
        /// Has no effect: users get no notice about a subscription to a new channel.
        send_new_subscription_messages: bool = true,
    }
    reply NewChannelReply;
    errors [
        BadValue, RequestVariableInvalid, InvalidFolder, ChannelNameEmpty, ChannelNameTooLong,
        ChannelNameInvalidCharacter, ChannelAlreadyExists, InvalidGroup, GroupDeactivated, DisallowedGroup,
        InvalidUserId, InvalidGroupId,
        InvalidPrivacyCombination, InsufficientPermission, DefaultChannelCannotBePrivate, WebPublicDisabled,
        OwnerRequired, AdministratorRequired, UnsupportedCombination, NoSuchUser, TargetDeactivated,
    ];
    events [RealmUserAdd, StreamCreate, SubscriptionAdd, SubscriptionPeerAdd, DefaultStreams, Message];
}

/// Which channel was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewChannelReply {
    /// ID of the channel, higher than those of earlier channels.
    pub id: ChannelId,
}

impl Write for CreateChannel {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<NewChannelReply, Error> {
        let caller = context.caller();
        let description = checked_description(&params.description)?;
        let is_default = params.properties.is_default_stream;
        let channel_params = NewChannelParams {
            properties: params.properties,
            topics_policy: params.topics_policy,
            permissions: params.permissions,
        };
        channel_params.check_values(tx, context)?;
        let name = validate_channel_name(&params.name)?;
        if tx.channel_by_name(&name).is_some() {
            return Err(Error::ChannelAlreadyExists { channel_name: name.into() });
        }
        let spec = channel_params.check(tx, context)?;
        // Unlike in `principals`, an empty list does not mean the caller.
        let users = match params.subscribers.as_slice() {
            [] => BTreeSet::new(),
            ids => Principals::Ids(ids.to_vec()).resolve(tx, caller)?,
        };

        let id = create_channel(tx, caller, name, description, &spec);
        if is_default {
            emit_default_channels(tx);
        }
        subscribe_all(tx, &users, &[id], &BTreeMap::new());
        if params.announce {
            announce_new_channels(tx, caller, &[id]);
        }
        post_creation(tx, caller, &[id]);
        Ok(NewChannelReply { id })
    }
}
