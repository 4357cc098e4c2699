//! Subscribing the caller or other users to channels by name. Channels that don't exist are created.

use crate::api::changes::channels::creation::{
    ChannelSpec, NewChannelParams, checked_description, create_channel, emit_default_channels,
};
use crate::api::changes::channels::notices::{announce_new_channels, post_creation, post_new_subscriptions};
use crate::api::changes::subscriptions::{ChannelsByUser, check_subscription_count, subscribe_all};
use crate::api::parameter::types::channel::{ChannelPermissions, ChannelProperties, TopicsPolicyWord};
use crate::api::parameter::types::principals::Principals;
use crate::api::subscriptions::channel_to_subscribe::ChannelToSubscribe;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, validate_channel_name};
use crate::realm::event::EventKind;
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::permission::{GroupSettingValue, RealmPermission};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of channels that one request creates (A-321 in docs/assumptions.md).
const MAX_NEW_CHANNELS: usize = 20_000;
/// The largest number of users that one request notifies by direct message. If it subscribes more, none is notified
/// (A-21 in docs/assumptions.md).
pub const MAX_NOTIFIED_USERS: usize = 100;

operation! {
    /// Subscribes users to channels, which are created if necessary.
    pub Subscribe = POST "/users/me/subscriptions", for NotGuest;
    params {
        /// Channels by `name`, with a `color` if wanted, and a `description` in case they are created.
        subscriptions: Vec<ChannelToSubscribe>,
        /// Properties of the channels that are created.
        @group properties: ChannelProperties,
        /// Whether created channels refuse, allow or require the empty topic; by default as the organization does.
        topics_policy: Option<TopicsPolicyWord>,
        /// Permissions of the channels that are created.
        @group permissions: ChannelPermissions,
        /// Whether created channels are announced, private ones too, if the organization has a channel for that.
        announce: bool = false,
        /// IDs or addresses of the users to subscribe; the caller when absent or empty.
        principals: Principals = Principals::caller() => "",
        /// Whether a channel to which the caller may not subscribe makes the request fail; if not, it is listed in
        /// `unauthorized`.
        authorization_errors_fatal: bool = true,
        /// Whether other users than the caller get a direct message about their new subscriptions.
        send_new_subscription_messages since 397: bool = true,
    }
    reply SubscribeReply;
    errors [
        UnsupportedCombination, RequestVariableInvalid, InvalidFolder, ChannelNameEmpty, ChannelNameTooLong,
        ChannelNameInvalidCharacter, InvalidGroup, GroupDeactivated, DisallowedGroup, InvalidUserId, InvalidGroupId,
        InvalidPrivacyCombination, InsufficientPermission, DefaultChannelCannotBePrivate, WebPublicDisabled,
        OwnerRequired, AdministratorRequired, UnableToAccessChannels, NoSuchUser, TargetDeactivated, TooManyChannels,
        TooManySubscriptions,
    ];
    events in SUBSCRIBE_EVENTS;
}

/// The channels to which each user was subscribed, now or before.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SubscribeReply {
    /// Names of channels to which the user was newly subscribed, by user ID.
    pub subscribed: BTreeMap<i64, Vec<String>>,
    /// Names of channels to which the user was subscribed before, by user ID.
    pub already_subscribed: BTreeMap<i64, Vec<String>>,
    /// Names of channels that the caller may not subscribe to; absent unless `authorization_errors_fatal` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unauthorized: Option<Vec<String>>,
    /// False if nobody was notified, because more than 100 users were newly subscribed; absent unless notices were
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_subscription_messages_sent: Option<bool>,
}

/// The events of subscribing, including those about new channels.
const SUBSCRIBE_EVENTS: &[EventKind] = &[
    EventKind::RealmUserAdd,
    EventKind::StreamCreate,
    EventKind::SubscriptionAdd,
    EventKind::SubscriptionPeerAdd,
    EventKind::DefaultStreams,
    EventKind::Message,
];

impl Write for Subscribe {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<SubscribeReply, Error> {
        let channel_params = NewChannelParams {
            properties: params.properties,
            topics_policy: params.topics_policy,
            permissions: params.permissions,
        };
        let request = SubscribeRequest {
            channels: params.subscriptions,
            channel_params,
            principals: params.principals,
            are_refusals_fatal: params.authorization_errors_fatal,
            announces: params.announce,
            notifies_users: params.send_new_subscription_messages,
        };
        subscribe(tx, context, request)
    }
}

/// The parameters of [`subscribe`], which two operations share.
#[derive(Clone, Debug)]
pub struct SubscribeRequest {
    pub channels: Vec<ChannelToSubscribe>,
    /// Properties of new channels.
    pub channel_params: NewChannelParams,
    /// Users to subscribe; if empty, the caller.
    pub principals: Principals,
    /// Whether the request fails if the caller may not subscribe to one of the channels.
    pub are_refusals_fatal: bool,
    /// Whether new channels are announced, if the organization has a channel for announcements.
    pub announces: bool,
    /// Whether users who were subscribed by another user are notified.
    pub notifies_users: bool,
}

/// Creates missing channels, subscribes users, and posts the notices about both.
///
/// # Errors
///
/// In this order: those of [`NewChannelParams::check_values`]; those of the names and descriptions; if a channel is
/// missing, those of [`NewChannelParams::check`]; `UnableToAccessChannels`; `InsufficientPermission` to subscribe
/// others; those of [`Principals::resolve`]; `TooManyChannels`; `TooManySubscriptions`. Below level 342, those about
/// other users come second.
pub fn subscribe(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    request: SubscribeRequest,
) -> Result<SubscribeReply, Error> {
    let caller = context.caller();
    request.channel_params.check_values(tx, context)?;
    let names_others = request.principals.names_others(tx, caller);
    if !context.has(Feature::ChannelsCheckedBeforeSubscribers) && names_others {
        if !tx.may(caller.id, RealmPermission::CanAddSubscribers) {
            return Err(Error::InsufficientPermission);
        }
        request.principals.resolve(tx, caller)?;
    }
    let resolved = ResolvedChannels::new(tx, context, &request.channels)?;
    let mut spec =
        if resolved.missing_channels.is_empty() { None } else { Some(request.channel_params.check(tx, context)?) };
    if let Some(spec) = spec.as_mut().filter(|_| !context.has(Feature::ChannelAdministrators)) {
        let nobody = GroupSettingValue::Group(tx.system_group(SystemGroup::Nobody));
        spec.restrict_to_administrators(nobody);
    }
    if request.are_refusals_fatal && !resolved.refused_names.is_empty() {
        return Err(Error::UnableToAccessChannels { names: resolved.refused_names.join(", ").into() });
    }
    if names_others {
        tx.check_may_subscribe_others(caller, &resolved.allowed_ids)?;
    }
    let users = request.principals.resolve(tx, caller)?;
    if resolved.missing_channels.len() > MAX_NEW_CHANNELS {
        return Err(Error::TooManyChannels { max_channels: MAX_NEW_CHANNELS.into() });
    }
    check_subscription_count(users.len(), resolved.allowed_ids.len() + resolved.missing_channels.len())?;

    let created_channels = spec.map(|spec| resolved.create_missing(tx, caller, &spec)).unwrap_or_default();
    let channels: Vec<ChannelId> = resolved.allowed_ids.iter().chain(&created_channels).copied().collect();
    let colors = resolved.colors(tx);
    if created_channels.iter().any(|id| tx.channels[id].is_default) {
        emit_default_channels(tx);
    }
    let new_subscriptions = subscribe_all(tx, &users, &channels, &colors);
    let is_within_limit = new_subscriptions.len() <= MAX_NOTIFIED_USERS;
    if request.notifies_users && is_within_limit {
        post_new_subscriptions(tx, caller, &new_subscriptions, &created_channels);
    }
    if request.announces {
        announce_new_channels(tx, caller, &created_channels);
    }
    post_creation(tx, caller, &created_channels);
    let mut reply = SubscribeReply {
        unauthorized: (!request.are_refusals_fatal).then_some(resolved.refused_names),
        new_subscription_messages_sent: request.notifies_users.then_some(is_within_limit),
        ..SubscribeReply::default()
    };
    reply.add_names(tx, &users, &channels, &new_subscriptions);
    Ok(reply)
}

impl SubscribeReply {
    fn add_names(
        &mut self,
        realm: &Realm,
        users: &BTreeSet<UserId>,
        channels: &[ChannelId],
        new_subscriptions: &ChannelsByUser,
    ) {
        let channel_names =
            |ids: &[&ChannelId]| -> Vec<String> { ids.iter().map(|id| realm.channels[*id].name.clone()).collect() };
        for user in users {
            let new_channels: Vec<&ChannelId> = new_subscriptions.get(user).into_iter().flatten().collect();
            let new_ids: BTreeSet<&ChannelId> = new_channels.iter().copied().collect();
            let earlier_channels: Vec<&ChannelId> = channels.iter().filter(|id| !new_ids.contains(id)).collect();
            for (list, ids) in [(&mut self.subscribed, new_channels), (&mut self.already_subscribed, earlier_channels)]
            {
                if !ids.is_empty() {
                    list.insert(user.0, channel_names(&ids));
                }
            }
        }
    }
}

/// The channels of a request, resolved by name.
struct ResolvedChannels {
    /// Channels that the caller may subscribe to.
    allowed_ids: Vec<ChannelId>,
    /// Names of channels that the caller may not subscribe to.
    refused_names: Vec<String>,
    /// Names and descriptions of channels to create.
    missing_channels: Vec<(String, String)>,
    /// Colors for the subscriptions, by name in lower case.
    colors: BTreeMap<String, String>,
}

impl ResolvedChannels {
    fn new(realm: &Realm, context: &OperationContext<'_>, channels: &[ChannelToSubscribe]) -> Result<Self, Error> {
        let mut resolved = Self {
            allowed_ids: Vec::new(),
            refused_names: Vec::new(),
            missing_channels: Vec::new(),
            colors: BTreeMap::new(),
        };
        let mut unique_names = BTreeSet::new();
        let may_subscribe = |channel: &Channel| {
            realm.can_read(context.caller(), channel)
                && (!channel.is_archived || context.has(Feature::ArchivedChannelSubscriptionsEditable))
        };
        for channel in channels {
            let name = validate_channel_name(&channel.name)?;
            let description = checked_description(channel.description.as_deref().unwrap_or_default())?;
            // A name that is repeated counts once, with the last color.
            if let Some(color) = &channel.color {
                resolved.colors.insert(name.to_lowercase(), color.clone());
            }
            if !unique_names.insert(name.to_lowercase()) {
                continue;
            }
            match realm.channel_by_name(&name) {
                Some(channel) if may_subscribe(channel) => resolved.allowed_ids.push(channel.id),
                Some(channel) => resolved.refused_names.push(channel.name.clone()),
                None => resolved.missing_channels.push((name, description)),
            }
        }
        Ok(resolved)
    }

    fn create_missing(&self, tx: &mut Tx, creator: &User, spec: &ChannelSpec) -> Vec<ChannelId> {
        let create = |(name, description): &(String, String)| {
            create_channel(tx, creator, name.clone(), description.clone(), spec)
        };
        self.missing_channels.iter().map(create).collect()
    }

    fn colors(&self, realm: &Realm) -> BTreeMap<ChannelId, String> {
        let by_id = |(name, color): (&String, &String)| Some((realm.channel_by_name(name)?.id, color.clone()));
        self.colors.iter().filter_map(by_id).collect()
    }
}
