//! The part of the register reply about channels and subscriptions.

use super::StateRequest;
use super::requested_values::RequestedValue;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::ChannelId;
use crate::realm::subscription_colors::SUBSCRIPTION_COLORS;
use crate::record::channel::ChannelRecord;
use crate::record::subscription::{IncludeSubscribers, NeverSubscribedRecord, SubscriberLists, SubscriptionRecord};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The channels that the viewer can see, and the viewer's subscriptions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelState {
    #[serde(flatten)]
    subscriptions: Option<SubscriptionState>,
    #[serde(skip_serializing_if = "RequestedValue::is_absent")]
    streams: RequestedValue<Vec<ChannelRecord>>,
    #[serde(skip_serializing_if = "RequestedValue::is_absent")]
    realm_default_streams: RequestedValue<Vec<ChannelId>>,
}

/// The visible channels by the viewer's relation to them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SubscriptionState {
    subscriptions: Vec<SubscriptionRecord>,
    unsubscribed: Vec<SubscriptionRecord>,
    never_subscribed: Vec<NeverSubscribedRecord>,
}

impl ChannelState {
    pub(super) fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let channels = visible_channels(realm, request);
        let records = || channels.iter().map(|channel| ChannelRecord::new(realm, channel)).collect();
        Self {
            subscriptions: request.includes("subscription").then(|| SubscriptionState::new(realm, request, &channels)),
            streams: RequestedValue::new(request.includes("stream"), records),
            realm_default_streams: RequestedValue::new(request.includes("default_streams"), || {
                default_channels(realm, request)
            }),
        }
    }
}

impl SubscriptionState {
    fn new(realm: &Realm, request: &StateRequest<'_>, channels: &[&Arc<Channel>]) -> Self {
        let mut state = Self::default();
        for channel in channels {
            state.add(realm, request, channel);
        }
        state
    }

    fn add(&mut self, realm: &Realm, request: &StateRequest<'_>, channel: &Channel) {
        let shows_null = request.options.capabilities.notification_settings_null;
        let Some(viewer) = request.viewer else {
            return self.subscriptions.push(spectator_subscription(realm, channel));
        };
        let include_subscribers = request.include_subscribers;
        match realm.user_state(viewer.id).subscriptions.get(&channel.id) {
            Some(subscription) => {
                let record =
                    SubscriptionRecord::new(realm, viewer, channel, subscription, include_subscribers, shows_null);
                if subscription.is_active { self.subscriptions.push(record) } else { self.unsubscribed.push(record) }
            }
            None => {
                let subscribers = SubscriberLists::new(realm, request.viewer, channel, include_subscribers);
                let channel = ChannelRecord::new(realm, channel);
                self.never_subscribed.push(NeverSubscribedRecord { channel, subscribers });
            }
        }
    }
}

/// The channels that the viewer may know of, sorted by name; archived ones only for clients that know them.
fn visible_channels<'realm>(realm: &'realm Realm, request: &StateRequest<'_>) -> Vec<&'realm Arc<Channel>> {
    let shows_archived = request.options.capabilities.archived_channels;
    let is_visible = |channel: &&Arc<Channel>| {
        let is_accessible = match request.viewer {
            Some(viewer) => realm.can_see(viewer, channel),
            None => channel.privacy.is_web_public(),
        };
        is_accessible && (shows_archived || !channel.is_archived)
    };
    let mut visible: Vec<&Arc<Channel>> = realm.channels.values().filter(is_visible).collect();
    visible.sort_by_key(|channel| channel.name.to_lowercase());
    visible
}

/// The channels to which new users are subscribed, sorted by ID; none for guests and spectators.
fn default_channels(realm: &Realm, request: &StateRequest<'_>) -> Vec<ChannelId> {
    if request.viewer.is_none_or(|viewer| viewer.is_guest()) {
        return Vec::new();
    }
    let is_default = |channel: &&Arc<Channel>| channel.is_default && !channel.is_archived;
    realm.channels.values().filter(is_default).map(|channel| channel.id).collect()
}

/// A channel in the list of subscriptions of a spectator, which has all web-public channels.
fn spectator_subscription(realm: &Realm, channel: &Channel) -> SubscriptionRecord {
    let color = SUBSCRIPTION_COLORS[0].to_owned();
    SubscriptionRecord::for_spectator(realm, channel, color, IncludeSubscribers::Omitted)
}
