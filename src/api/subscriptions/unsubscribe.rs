//! Unsubscribing the caller or other users from channels (specification, "Channels, topics, subscriptions").

use crate::api::changes::channels::archive::archive;
use crate::api::changes::subscriptions::{ChannelsByUser, check_subscription_count, unsubscribe_all};
use crate::api::parameter::types::principals::Principals;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, validate_channel_name};
use crate::realm::event::EventKind;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::permission::ChannelPermission;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

operation! {
    /// Unsubscribes users from channels.
    pub Unsubscribe = DELETE "/users/me/subscriptions", for User;
    params {
        /// Names of channels, regardless of case.
        subscriptions: Vec<String>,
        /// IDs or addresses of the users to unsubscribe; the caller when absent or empty.
        principals: Principals = Principals::caller() => "",
    }
    reply UnsubscribeReply;
    errors [
        NoSuchUser, TargetDeactivated, ChannelNameEmpty, ChannelNameTooLong, ChannelNameInvalidCharacter,
        TooManySubscriptions, InsufficientPermission, UnknownChannel,
    ];
    events in UNSUBSCRIBE_EVENTS;
}

/// The result: one entry for each user and channel.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct UnsubscribeReply {
    /// Names of channels, once for each user who was unsubscribed.
    pub removed: Vec<String>,
    /// Names of channels, once for each user who was not subscribed.
    pub not_removed: Vec<String>,
}

/// The events of [`unsubscribe`] at the newest level.
const UNSUBSCRIBE_EVENTS: &[EventKind] = &[
    EventKind::SubscriptionPeerRemove,
    EventKind::SubscriptionRemove,
    EventKind::StreamDelete,
    EventKind::UpdateMessageFlagsAdd,
    EventKind::RealmUserRemove,
];

impl Write for Unsubscribe {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UnsubscribeReply, Error> {
        unsubscribe(tx, context, &params.principals, &params.subscriptions)
    }
}

/// Whether nobody is left in a private channel that is not archived.
fn is_vacant_private_channel(channel: &Channel) -> bool {
    channel.privacy.is_private() && !channel.is_archived && channel.subscribers.is_empty()
}

fn was_anyone_unsubscribed(channels_by_user: &ChannelsByUser, id: ChannelId) -> bool {
    channels_by_user.values().any(|channels| channels.contains(&id))
}

/// Unsubscribes users from channels by name.
///
/// # Errors
///
/// In this order: those of [`Principals::resolve`], those of the names, `TooManySubscriptions`,
/// `InsufficientPermission` for a channel that exists, `UnknownChannel` for the first that does not.
pub fn unsubscribe(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    principals: &Principals,
    names: &[String],
) -> Result<UnsubscribeReply, Error> {
    let caller = context.caller();
    let users = principals.resolve(tx, caller)?;
    let names = names.iter().map(|name| validate_channel_name(name)).collect::<Result<Vec<String>, Error>>()?;
    let allows_archived = context.has(Feature::ArchivedChannelSubscriptionsEditable);
    let find_channel =
        |name: &String| tx.channel_by_name(name).filter(|channel| allows_archived || !channel.is_archived);
    // The IDs have no duplicates and keep the order of the request.
    let mut unique_ids = BTreeSet::new();
    let channels = names.iter().filter_map(find_channel).map(|channel| channel.id);
    let channels: Vec<ChannelId> = channels.filter(|id| unique_ids.insert(*id)).collect();
    check_subscription_count(users.len(), channels.len())?;
    for channel in channels.iter().map(|id| &tx.channels[id]) {
        check_may_unsubscribe(tx, caller, &users, channel)?;
    }
    if let Some(unknown_name) = names.iter().find(|name| find_channel(name).is_none()) {
        return Err(Error::UnknownChannel { stream: unknown_name.as_str().into() });
    }

    let unsubscribed_channels = unsubscribe_all(tx, &users, &channels);
    if !context.has(Feature::VacantChannelsNotArchived) {
        for id in &channels {
            if is_vacant_private_channel(&tx.channels[id]) && was_anyone_unsubscribed(&unsubscribed_channels, *id) {
                archive(tx, context, *id);
            }
        }
    }
    let mut reply = UnsubscribeReply::default();
    for user in &users {
        let unsubscribed_ids: BTreeSet<&ChannelId> = unsubscribed_channels.get(user).into_iter().flatten().collect();
        for id in &channels {
            let list = if unsubscribed_ids.contains(id) { &mut reply.removed } else { &mut reply.not_removed };
            list.push(tx.channels[id].name.clone());
        }
    }
    Ok(reply)
}

/// Checks that the caller may unsubscribe all of the users from a channel: the caller from any channel, the caller's
/// bots from visible ones, others as an administrator of the organization or of the channel, or from a visible channel
/// with the permission to remove subscribers.
fn check_may_unsubscribe(
    realm: &Realm,
    caller: &User,
    users: &BTreeSet<UserId>,
    channel: &Channel,
) -> Result<(), Error> {
    let has_access = realm.can_see(caller, channel);
    let may_remove_others = caller.is_admin()
        || realm.can_administer(caller, channel)
        || (has_access && realm.may_in_channel(caller.id, channel, ChannelPermission::CanRemoveSubscribers));
    let may_remove = |id: &UserId| {
        let is_own_bot = realm.user(*id).is_some_and(|user| user.bot_owner() == Some(caller.id));
        *id == caller.id || may_remove_others || (is_own_bot && has_access)
    };
    if users.iter().all(may_remove) { Ok(()) } else { Err(Error::InsufficientPermission) }
}
