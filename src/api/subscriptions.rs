//! Subscriptions: the caller's own, and who is subscribed to what.
//!
//! A choice where the API is silent: A-23 in docs/assumptions.md.

pub mod principals;
pub mod properties;
pub mod subscribe;
pub mod unsubscribe;

use super::channels::creation::{Wanted, Wish};
use super::parameter::{parameters, words};
use super::{About, Access, Call, Operation, Read, Route, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::user::User;
use crate::record::channel::{IncludeSubscribers, SubscriptionRecord};
use principals::Principals;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use subscribe::SubscribeReply;
use unsubscribe::UnsubscribeReply;

/// The first level at which subscriptions to archived channels may change.
const ARCHIVED_OPEN_SINCE: i64 = 362;

/// GET /users/me/subscriptions
pub struct GetSubscriptions;

words! {
    /// `include_subscribers`
    pub enum IncludeWord {
        /// Neither list.
        No = "false",
        /// All.
        All = "true",
        /// All below 250, else bots and those active in the last 14 days.
        Partial = "partial" | "\"partial\"",
    }
}

impl From<IncludeWord> for IncludeSubscribers {
    fn from(word: IncludeWord) -> Self {
        match word {
            IncludeWord::No => IncludeSubscribers::No,
            IncludeWord::All => IncludeSubscribers::All,
            IncludeWord::Partial => IncludeSubscribers::Partial,
        }
    }
}

parameters! {
    /// How much of each.
    pub struct GetSubscriptionsParams {
        /// With those who are subscribed.
        include_subscribers: IncludeWord = IncludeWord::No => "false",
    }
}

/// Subscriptions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionsReply {
    /// Sorted by name, whatever the case; without archived channels.
    pub subscriptions: Vec<SubscriptionRecord>,
}

impl Operation for GetSubscriptions {
    const ROUTE: Route = Route::get("/users/me/subscriptions");
    const ACCESS: Access = Access::User;
    const ABOUT: About =
        About { summary: "Lists the caller's subscriptions.", since: 0, is_specified: false, errors: &[], events: &[] };
    type Params = GetSubscriptionsParams;
    type Reply = SubscriptionsReply;
}

impl Read for GetSubscriptions {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<SubscriptionsReply, Error> {
        let caller = call.caller();
        let include = params.include_subscribers.into();
        let active = realm.own(caller.id).subscriptions.iter().filter(|(_, subscription)| subscription.is_active);
        let living = active.map(|(id, subscription)| (&realm.channels[id], subscription));
        let mut subscriptions: Vec<SubscriptionRecord> = living
            .filter(|(channel, _)| !channel.is_archived)
            .map(|(channel, own)| SubscriptionRecord::new(realm, caller, channel, own, include, true))
            .collect();
        subscriptions.sort_by_cached_key(|record| record.channel.name.to_lowercase());
        Ok(SubscriptionsReply { subscriptions })
    }
}

/// PATCH /users/me/subscriptions
pub struct ChangeSubscriptions;

parameters! {
    /// What to subscribe to and what to leave.
    pub struct ChangeSubscriptionsParams {
        /// Channels to be subscribed to, made if need be.
        add: Vec<Wish> = Vec::new() => "[]",
        /// Names of channels to leave, afterwards.
        delete: Vec<String> = Vec::new() => "[]",
    }
}

/// What came of both.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeSubscriptionsReply {
    /// Of subscribing.
    #[serde(flatten)]
    pub added: SubscribeReply,
    /// Of unsubscribing.
    #[serde(flatten)]
    pub deleted: UnsubscribeReply,
}

impl Operation for ChangeSubscriptions {
    const ROUTE: Route = Route::patch("/users/me/subscriptions");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Subscribes the caller to some channels and unsubscribes them from others.",
        since: 0,
        is_specified: false,
        errors: &[
            "NothingToSubscribe",
            "GuestsNotAllowed",
            "ChannelNameEmpty",
            "ChannelNameTooLong",
            "ChannelNameInvalidCharacter",
            "InsufficientPermission",
            "UnableToAccessChannels",
            "UnknownChannel",
            "TooManyChannels",
            "TooManySubscriptions",
        ],
        events: &[
            "realm_user add",
            "stream create",
            "subscription add",
            "subscription peer_add",
            "message",
            "subscription peer_remove",
            "subscription remove",
            "stream delete",
            "update_message_flags add",
            "update_message_flags remove",
            "realm_user remove",
        ],
    };
    type Params = ChangeSubscriptionsParams;
    type Reply = ChangeSubscriptionsReply;
}

impl Write for ChangeSubscriptions {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<ChangeSubscriptionsReply, Error> {
        if params.add.is_empty() && params.delete.is_empty() {
            return Err(Error::NothingToSubscribe);
        }
        // Also where they only leave: subscribing is a part of it.
        if call.caller().is_guest() {
            return Err(Error::GuestsNotAllowed);
        }

        let request = subscribe::Request {
            wishes: params.add,
            wanted: Wanted::default(),
            principals: Principals::caller(),
            refuses_all: true,
            announces: false,
            tells_users: true,
        };
        let added = subscribe::carry_out(tx, call, request)?;
        let deleted = unsubscribe::carry_out(tx, call, &Principals::caller(), &params.delete)?;
        Ok(ChangeSubscriptionsReply { added, deleted })
    }
}

/// GET /users/{user_id}/subscriptions/{stream_id}
pub struct GetSubscriptionStatus;

parameters! {
    /// Who and what.
    pub struct GetSubscriptionStatusParams {
        /// The user.
        @path user_id: UserId,
        /// The channel.
        @path stream_id: ChannelId,
    }
}

/// Whether somebody is subscribed.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SubscriptionStatusReply {
    /// Whether they are.
    pub is_subscribed: bool,
}

impl Operation for GetSubscriptionStatus {
    const ROUTE: Route = Route::get("/users/{user_id}/subscriptions/{stream_id}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Tells whether a user is subscribed to a channel.",
        since: 12,
        is_specified: false,
        errors: &["NoSuchUser", "TargetDeactivated", "InvalidChannelId"],
        events: &[],
    };
    type Params = GetSubscriptionStatusParams;
    type Reply = SubscriptionStatusReply;
}

impl Read for GetSubscriptionStatus {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<SubscriptionStatusReply, Error> {
        let user = known_user(realm, call.caller(), params.user_id)?;
        if !user.is_active {
            return Err(Error::TargetDeactivated);
        }
        let channel = realm.visible_channel(call.caller(), params.stream_id)?;
        Ok(SubscriptionStatusReply { is_subscribed: realm.own(user.id).subscription(channel.id).is_some() })
    }
}

/// GET /users/{user_id}/channels
pub struct GetUserChannels;

parameters! {
    /// Who.
    pub struct GetUserChannelsParams {
        /// The user.
        @path user_id: UserId,
    }
}

/// What somebody is subscribed to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserChannelsReply {
    /// Channels whose subscribers the caller can see, sorted; without archived ones.
    pub subscribed_channel_ids: Vec<ChannelId>,
}

impl Operation for GetUserChannels {
    const ROUTE: Route = Route::get("/users/{user_id}/channels");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Lists the channels to which a user is subscribed, as far as the caller can see that.",
        since: 440,
        is_specified: false,
        errors: &["NoSuchUser"],
        events: &[],
    };
    type Params = GetUserChannelsParams;
    type Reply = UserChannelsReply;
}

impl Read for GetUserChannels {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<UserChannelsReply, Error> {
        let caller = call.caller();
        let user = known_user(realm, caller, params.user_id)?;
        let active = realm.own(user.id).subscriptions.iter().filter(|(_, subscription)| subscription.is_active);
        let channels = active.map(|(id, _)| &realm.channels[id]);
        let shown = channels.filter(|channel| !channel.is_archived && realm.can_see(caller, channel));
        Ok(UserChannelsReply { subscribed_channel_ids: shown.map(|channel| channel.id).collect() })
    }
}

/// A user that the caller may know of, deactivated ones too.
fn known_user<'realm>(realm: &'realm Realm, caller: &User, id: UserId) -> Result<&'realm Arc<User>, Error> {
    realm.user(id).filter(|user| realm.can_access_user(caller, user.id)).ok_or(Error::NoSuchUser)
}
