//! Subscriptions of the caller and of other users. Submodules subscribe, unsubscribe and change properties.
//!
//! A choice where the API is silent: A-23 in docs/assumptions.md.

pub mod channel_to_subscribe;
pub mod properties;
pub mod subscribe;
pub mod unsubscribe;

use super::parameter::string_enum;
use super::{OperationContext, Read, Write, operation};
use crate::api::changes::channels::creation::NewChannelParams;
use crate::api::parameter::types::principals::Principals;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::channel::{IncludeSubscribers, SubscriptionRecord};
use channel_to_subscribe::ChannelToSubscribe;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use subscribe::SubscribeReply;
use unsubscribe::UnsubscribeReply;

operation! {
    /// Lists the caller's subscriptions.
    pub GetSubscriptions = GET "/users/me/subscriptions", for User;
    params {
        /// Which subscribers the channels list: none, all, or with `partial` some of those of large channels.
        include_subscribers: IncludeSubscribersWord = IncludeSubscribersWord::Omitted => "false",
    }
    reply SubscriptionsReply;
}

string_enum! {
    /// Which subscribers the reply lists; `partial` may have JSON quotes.
    pub enum IncludeSubscribersWord {
        /// Leave out the lists of subscribers.
        Omitted = "false",
        /// Each channel lists all of its subscribers.
        All = "true",
        /// All subscribers of channels with fewer than 250; for others, the caller, bots, and users active in the last
        /// 14 days.
        Partial = "partial" | "\"partial\"",
    }
}

impl From<IncludeSubscribersWord> for IncludeSubscribers {
    fn from(param: IncludeSubscribersWord) -> Self {
        match param {
            IncludeSubscribersWord::Omitted => IncludeSubscribers::Omitted,
            IncludeSubscribersWord::All => IncludeSubscribers::All,
            IncludeSubscribersWord::Partial => IncludeSubscribers::Partial,
        }
    }
}

/// The caller's subscriptions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionsReply {
    /// Sorted by name, regardless of case; without archived channels.
    pub subscriptions: Vec<SubscriptionRecord>,
}

impl Read for GetSubscriptions {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<SubscriptionsReply, Error> {
        let caller = context.caller();
        let include_subscribers = params.include_subscribers.into();
        let active_subscriptions =
            realm.user_state(caller.id).subscriptions.iter().filter(|(_, subscription)| subscription.is_active);
        let mut subscriptions: Vec<SubscriptionRecord> = active_subscriptions
            .map(|(id, subscription)| (&realm.channels[id], subscription))
            .filter(|(channel, _)| !channel.is_archived)
            .map(|(channel, subscription)| {
                SubscriptionRecord::new(realm, caller, channel, subscription, include_subscribers, true)
            })
            .collect();
        subscriptions.sort_by_cached_key(|record| record.channel.name.to_lowercase());
        Ok(SubscriptionsReply { subscriptions })
    }
}

operation! {
    /// Subscribes the caller to some channels and unsubscribes them from others.
    pub ChangeSubscriptions = PATCH "/users/me/subscriptions", for User, removed_in 512;
    params {
        /// Names of channels to unsubscribe the caller from, after subscribing to those in `add`.
        delete: Vec<String> = Vec::new() => "[]",
        /// Channels to subscribe the caller to, by `name`; those that do not exist are created.
        add: Vec<ChannelToSubscribe> = Vec::new() => "[]",
    }
    reply ChangeSubscriptionsReply;
    errors [
        NoSubscriptionsToChange, GuestsNotAllowed, ChannelNameEmpty, ChannelNameTooLong, ChannelNameInvalidCharacter,
        InsufficientPermission, UnableToAccessChannels, UnknownChannel, TooManyChannels, TooManySubscriptions,
    ];
    events [
        RealmUserAdd, StreamCreate, SubscriptionAdd, SubscriptionPeerAdd, Message, SubscriptionPeerRemove,
        SubscriptionRemove, StreamDelete, UpdateMessageFlagsAdd, RealmUserRemove,
    ];
}

/// The results of subscribing and of unsubscribing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeSubscriptionsReply {
    #[serde(flatten)]
    pub subscribed: SubscribeReply,
    #[serde(flatten)]
    pub unsubscribed: UnsubscribeReply,
}

impl Write for ChangeSubscriptions {
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<ChangeSubscriptionsReply, Error> {
        if params.add.is_empty() && params.delete.is_empty() {
            return Err(Error::NoSubscriptionsToChange);
        }
        // Guests can't even unsubscribe this way, because the operation can also subscribe.
        if context.caller().is_guest() {
            return Err(Error::GuestsNotAllowed);
        }

        let request = subscribe::SubscribeRequest {
            channels: params.add,
            channel_params: NewChannelParams::default(),
            principals: Principals::caller(),
            are_refusals_fatal: true,
            announces: false,
            notifies_users: true,
        };
        let subscribed = subscribe::subscribe(tx, context, request)?;
        let unsubscribed = unsubscribe::unsubscribe(tx, context, &Principals::caller(), &params.delete)?;
        Ok(ChangeSubscriptionsReply { subscribed, unsubscribed })
    }
}

operation! {
    /// Returns whether a user is subscribed to a channel.
    pub GetSubscriptionStatus = GET "/users/{user_id}/subscriptions/{stream_id}", for User, since 12;
    params {
        /// ID of an active user, or bot, that the caller can access.
        @path user_id: UserId,
        /// ID of a channel that the caller can see; may be archived.
        @path stream_id: ChannelId,
    }
    reply SubscriptionStatusReply;
    errors [NoSuchUser, TargetDeactivated, InvalidChannelId];
}

/// The relation of a user to a channel.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SubscriptionStatusReply {
    /// False also for a user who was subscribed earlier.
    pub is_subscribed: bool,
}

impl Read for GetSubscriptionStatus {
    fn run(
        realm: &Realm,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<SubscriptionStatusReply, Error> {
        let user = find_accessible_user(realm, context.caller(), params.user_id)?;
        if !user.is_active {
            return Err(Error::TargetDeactivated);
        }
        let channel = realm.visible_channel(context.caller(), params.stream_id)?;
        Ok(SubscriptionStatusReply { is_subscribed: realm.user_state(user.id).subscription(channel.id).is_some() })
    }
}

operation! {
    /// Lists the channels to which a user is subscribed, as far as the caller can see them.
    pub GetUserChannels = GET "/users/{user_id}/channels", for User, since 440;
    params {
        /// ID of a user that the caller can access; may be a bot or deactivated.
        @path user_id: UserId,
    }
    reply UserChannelsReply;
    errors [NoSuchUser];
}

/// The subscriptions of a user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserChannelsReply {
    /// Channels that the caller can see, sorted by ID; without archived channels.
    pub subscribed_channel_ids: Vec<ChannelId>,
}

impl Read for GetUserChannels {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UserChannelsReply, Error> {
        let caller = context.caller();
        let user = find_accessible_user(realm, caller, params.user_id)?;
        let active_subscriptions =
            realm.user_state(user.id).subscriptions.iter().filter(|(_, subscription)| subscription.is_active);
        let channels = active_subscriptions.map(|(id, _)| &realm.channels[id]);
        let visible_channels = channels.filter(|channel| !channel.is_archived && realm.can_see(caller, channel));
        Ok(UserChannelsReply { subscribed_channel_ids: visible_channels.map(|channel| channel.id).collect() })
    }
}

/// A user that the caller can access, including deactivated ones. Unlike [`Realm::accessible_user`], this refuses users
/// that the caller can't access as if they did not exist.
///
/// # Errors
///
/// `NoSuchUser`.
fn find_accessible_user<'realm>(realm: &'realm Realm, caller: &User, id: UserId) -> Result<&'realm Arc<User>, Error> {
    realm.user(id).filter(|user| realm.can_access_user(caller, user.id)).ok_or(Error::NoSuchUser)
}
