//! The part of the register reply about channels and subscriptions.

use super::StateRequest;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::record::channel::{
    ChannelRecord, IncludeSubscribers, NeverSubscribedRecord, SubscriberLists, SubscriptionRecord,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
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
    if request.includes("subscription") {
        add_subscriptions(realm, request, &visible, state);
    }
    if request.includes("stream") {
        let records: Vec<ChannelRecord> = visible.iter().map(|channel| ChannelRecord::new(realm, channel)).collect();
        state.insert("streams".into(), json!(records));
    }
    if request.includes("default_streams") {
        let is_excluded = request.viewer.is_none_or(|viewer| viewer.is_guest());
        let defaults =
            realm.channels.values().filter(|channel| channel.is_default && !channel.is_archived && !is_excluded);
        state.insert("realm_default_streams".into(), defaults.map(|channel| json!(channel.id)).collect());
    }
}

fn add_subscriptions(
    realm: &Realm,
    request: &StateRequest<'_>,
    visible: &[&Arc<Channel>],
    state: &mut Map<String, Value>,
) {
    let (mut subscribed, mut unsubscribed, mut never_subscribed) = (Vec::new(), Vec::new(), Vec::new());
    let shows_null = request.options.capabilities.notification_settings_null;
    for channel in visible {
        let subscription = request.viewer.and_then(|viewer| realm.user_state(viewer.id).subscriptions.get(&channel.id));
        match (request.viewer, subscription) {
            (Some(viewer), Some(subscription)) => {
                let include = request.include_subscribers;
                let record = SubscriptionRecord::new(realm, viewer, channel, subscription, include, shows_null);
                if subscription.is_active { subscribed.push(record) } else { unsubscribed.push(record) }
            }
            (None, _) => subscribed.push(visitor_subscription(realm, channel)),
            (Some(_), None) => {
                let lists = SubscriberLists::new(realm, request.viewer, channel, request.include_subscribers);
                never_subscribed
                    .push(NeverSubscribedRecord { channel: ChannelRecord::new(realm, channel), subscribers: lists });
            }
        }
    }
    state.insert("subscriptions".into(), json!(subscribed));
    state.insert("unsubscribed".into(), json!(unsubscribed));
    state.insert("never_subscribed".into(), json!(never_subscribed));
}

/// Visitors get all web-public channels as if they were subscribed.
fn visitor_subscription(realm: &Realm, channel: &Channel) -> SubscriptionRecord {
    let settings = Subscription::new(crate::realm::palette::COLORS[0].to_owned(), crate::realm::id::MessageId(0));
    SubscriptionRecord::for_visitor(realm, channel, &settings, IncludeSubscribers::No)
}
