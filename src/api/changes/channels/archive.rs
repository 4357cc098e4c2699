//! Archiving and unarchiving a channel. Messages stay, and from 315 on also subscriptions.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use super::creation::emit_default_channels;
use super::default_groups::remove_from_default_groups;
use super::notices::{post_archiving, post_in_channel};
use crate::api::OperationContext;
use crate::feature::Feature;
use crate::realm::channel::{Channel, MAX_CHANNEL_NAME_LENGTH, Privacy, Subscription};
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::organization::{ChannelPurpose, NO_CHANNEL};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::channel::ChannelRecord;
use crate::record::events::{
    LegacyStreamDelete, Peers, RealmUpdate, RealmUpdateDict, StreamUpdate, SubscriptionPeerAdd,
};
use imbl::OrdSet;
use sha2::{Digest, Sha512};
use std::sync::Arc;

/// Archives a channel. Below 315, the channel also becomes private, loses its subscribers and gets another name.
///
/// Events: `realm` for the organization's settings that referred to the channel, `default_streams`,
/// `default_stream_groups`, from 378 on `stream` update to clients that know archived channels, `stream` delete to all
/// other clients, `message` of the notice. Below 315, there is no `realm` and no `message`.
pub fn archive(tx: &mut Tx, context: &OperationContext<'_>, id: ChannelId) {
    let stays_visible = context.has(Feature::ArchivedChannelsVisible);
    // Below 315, `stream` delete has the record of the channel before archiving.
    let earlier_record = ChannelRecord::new(tx, &tx.channels[&id]);
    tx.channel_mut(id).is_archived = true;
    let cleared_settings = clear_channel_settings(tx, id);
    if stays_visible {
        emit_cleared_settings(tx, cleared_settings);
    }
    if std::mem::take(&mut tx.channel_mut(id).is_default) {
        emit_default_channels(tx);
    }
    remove_from_default_groups(tx, id);
    emit_is_archived(tx, id, true);
    let audience = tx.channel_audience(&tx.channels[&id]);
    if stays_visible {
        tx.emit_lost_channels(audience, &OrdSet::unit(id), DeliveryCondition::ArchivingAsDeletion);
        post_archiving(tx, context.caller(), id);
    } else {
        tx.emit(audience, LegacyStreamDelete { streams: vec![earlier_record], stream_ids: vec![id] });
        archive_as_before_315(tx, id);
    }
}

/// Makes the channel private, removes its subscribers, and renames it, without events.
fn archive_as_before_315(tx: &mut Tx, id: ChannelId) {
    let channel = tx.channels[&id].clone();
    for user in &channel.subscribers {
        tx.unsubscribe(*user, id);
    }
    // Seven hexadecimal digits of a hash of the ID make the new name unique.
    let digest = Sha512::digest(id.0.to_string());
    let prefix: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let name = format!("{}!DEACTIVATED:{}", &prefix[..7], channel.name);
    tx.rename_channel(id, name.chars().take(MAX_CHANNEL_NAME_LENGTH).collect());
    let archived_channel = tx.channel_mut(id);
    archived_channel.was_web_public = channel.privacy.is_web_public();
    archived_channel.privacy = match channel.privacy.has_public_history() {
        true => Privacy::PrivateSharedHistory,
        false => Privacy::PrivateProtectedHistory,
    };
}

/// Clears the settings of the organization that name this channel, and returns their names.
fn clear_channel_settings(tx: &mut Tx, id: ChannelId) -> Vec<&'static str> {
    let organization = Arc::make_mut(&mut tx.realm_mut().organization);
    let mut settings = Vec::new();
    for purpose in ChannelPurpose::ALL {
        let channel = purpose.channel_mut(organization);
        if *channel == Some(id) {
            *channel = None;
            settings.push(purpose.name());
        }
    }
    settings
}

/// Reports that these settings no longer name a channel.
///
/// Event: `realm` update_dict, below 331 `realm` update for each setting.
fn emit_cleared_settings(tx: &mut Tx, settings: Vec<&'static str>) {
    if settings.is_empty() {
        return;
    }
    let data = settings.iter().map(|name| ((*name).to_owned(), NO_CHANNEL.into())).collect();
    let update_dict = RealmUpdateDict { property: "default", data };
    tx.emit(
        tx.everyone(),
        update_dict.only_for(DeliveryCondition::From(Feature::ArchivingResetsSettingsInOneEvent.since())),
    );
    for name in settings {
        let update = RealmUpdate { property: name.to_owned(), value: NO_CHANNEL.into() };
        tx.emit_before(Feature::ArchivingResetsSettingsInOneEvent.since(), tx.everyone(), |_| update);
    }
}

/// Unarchives a channel. Does not undo the other changes of archiving below 315.
///
/// Events: from 378 on, `stream` update to clients that know archived channels. To all other clients, the events of a
/// new channel: `stream` create, `subscription` add to subscribers, `subscription` peer_add to everyone else who can
/// see the channel. Last, `message` of the notice.
pub fn unarchive(tx: &mut Tx, actor: &User, id: ChannelId) {
    tx.channel_mut(id).is_archived = false;
    emit_is_archived(tx, id, false);
    let channel = tx.channels[&id].clone();
    let create_event = Event::new(EventKind::StreamCreate, Payload::ChannelsCreated(vec![channel.clone()]));
    tx.emit(tx.channel_audience(&channel), create_event.only_for(DeliveryCondition::ArchivingAsDeletion));
    for user in &channel.subscribers {
        if let Some(subscription) = tx.user_state(*user).subscription(id).cloned() {
            emit_subscription(tx, *user, &channel, subscription);
        }
    }
    if !channel.subscribers.is_empty() {
        let audience = tx.channel_audience(&channel).except_all(&channel.subscribers);
        let peers = SubscriptionPeerAdd(Peers::new([id], channel.subscribers.clone()));
        tx.emit(audience, peers.only_for(DeliveryCondition::ArchivingAsDeletion));
    }
    let content = format!("Channel {} un-archived.", channel.name);
    post_in_channel(tx, actor, id, content);
}

fn emit_subscription(tx: &mut Tx, user: UserId, channel: &Arc<Channel>, subscription: Arc<Subscription>) {
    let payload = Payload::Subscribed(vec![(channel.clone(), subscription)]);
    let event = Event::new(EventKind::SubscriptionAdd, payload);
    tx.emit(Audience::of_user(user), event.only_for(DeliveryCondition::ArchivingAsDeletion));
}

fn emit_is_archived(tx: &mut Tx, id: ChannelId, is_archived: bool) {
    let channel = &tx.channels[&id];
    let event = StreamUpdate::new(id, channel.name.clone(), "is_archived", is_archived.into());
    let audience = tx.channel_audience(channel);
    tx.emit(audience, event.only_for(DeliveryCondition::ArchivingAsUpdate));
}
