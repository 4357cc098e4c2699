//! Applies the changes of a channel, with their events and notices.
//!
//! A choice where the API is silent: A-115 in docs/assumptions.md.

use super::ChannelChanges;
use crate::api::changes::channels::archive::unarchive;
use crate::api::changes::channels::creation::emit_default_channels;
use crate::api::changes::channels::default_groups::remove_from_default_groups;
use crate::api::changes::channels::notices::{
    PostingPermission, channel_word, post_in_channel, post_posting_permission_change, post_privacy_change,
    post_retention_change,
};
use crate::api::changes::channels::update::{emit_update, emit_update_except};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Privacy, TopicsPolicy};
use crate::realm::id::{ChannelId, FolderId, UserId};
use crate::realm::permission::{ChannelPermission, GroupSettingValue};
use crate::realm::render::render_description;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::realm::visibility::VisibleKind;
use crate::record::events::StreamUpdate;
use imbl::OrdSet;
use serde_json::json;

impl ChannelChanges {
    /// Makes the changes in the order of the real server, except that unarchiving comes earlier.
    pub(super) fn apply(self, tx: &mut Tx, actor: &User, id: ChannelId) {
        if let Some(policy) = self.topics_policy {
            change_topics_policy(tx, actor, id, policy);
        }
        if let Some(privacy) = self.privacy {
            change_privacy(tx, actor, id, privacy);
        }
        // `default_streams` leaves out archived channels, so unarchiving has to come before the change of `is_default`.
        if self.is_unarchived {
            unarchive(tx, actor, id);
        }
        if let Some(is_default) = self.is_default {
            tx.channel_mut(id).is_default = is_default;
            emit_default_channels(tx);
        }
        if let Some(days) = self.message_retention_days {
            change_retention(tx, actor, id, days);
        }
        if let Some(description) = self.description {
            change_description(tx, actor, id, description);
        }
        if let Some(name) = self.name {
            rename(tx, actor, id, name);
        }
        if let Some(folder) = self.folder {
            change_folder(tx, actor, id, folder);
        }
        for (name, is_on) in self.boolean_settings {
            change_boolean_setting(tx, id, name, is_on);
        }
        for (name, value) in self.permissions {
            change_permission(tx, actor, id, name, value);
        }
    }
}

fn change_topics_policy(tx: &mut Tx, actor: &User, id: ChannelId, policy: TopicsPolicy) {
    let old = std::mem::replace(&mut tx.channel_mut(id).topics_policy, policy);
    emit_update(tx, id, "topics_policy", json!(policy));
    let describe = |policy: TopicsPolicy| match policy {
        TopicsPolicy::Inherit => "Organization default",
        TopicsPolicy::AllowEmptyTopic => "All topics",
        TopicsPolicy::DisableEmptyTopic => "All topics but the general chat",
        TopicsPolicy::EmptyTopicOnly => "The general chat alone",
    };
    let content = format!(
        "{} changed which topics this channel has from **{}** to **{}**.",
        actor.silent_mention(),
        describe(old),
        describe(policy),
    );
    post_in_channel(tx, actor, id, content);
}

fn change_privacy(tx: &mut Tx, actor: &User, id: ChannelId, privacy: Privacy) {
    let old = tx.channels[&id].privacy;
    let before = tx.realm_copy();
    tx.channel_mut(id).privacy = privacy;
    let name = tx.channels[&id].name.clone();
    let update = StreamUpdate {
        history_public_to_subscribers: Some(privacy.has_public_history()),
        is_web_public: Some(privacy.is_web_public()),
        ..StreamUpdate::new(id, name, "invite_only", privacy.is_private().into())
    };
    let excluded = users_with_new_access(&before, tx, id);
    emit_update_except(tx, update, &excluded);
    tx.emit_visibility(&before, &[VisibleKind::Channels]);
    if privacy.is_private() {
        remove_from_default_groups(tx, id);
    }
    post_privacy_change(tx, actor, id, old, privacy);
}

/// Users who can see a channel now and could not before. They get the whole channel instead of an update.
fn users_with_new_access(before: &Realm, after: &Realm, id: ChannelId) -> OrdSet<UserId> {
    users_who_see(after, id).relative_complement(users_who_see(before, id))
}

fn users_who_see(realm: &Realm, id: ChannelId) -> OrdSet<UserId> {
    let audience = realm.channel_audience(&realm.channels[&id]);
    realm.active_users.iter().filter(|user| audience.contains(**user)).copied().collect()
}

fn change_retention(tx: &mut Tx, actor: &User, id: ChannelId, days: Option<i64>) {
    let old = std::mem::replace(&mut tx.channel_mut(id).message_retention_days, days);
    emit_update(tx, id, "message_retention_days", json!(days));
    post_retention_change(tx, actor, id, old, days);
}

fn change_description(tx: &mut Tx, actor: &User, id: ChannelId, description: String) {
    let rendered_html = render_description(tx, actor, &description);
    let channel = tx.channel_mut(id);
    let old = std::mem::replace(&mut channel.description, description.clone());
    channel.rendered_description.clone_from(&rendered_html);
    let update = StreamUpdate {
        rendered_description: Some(rendered_html),
        ..StreamUpdate::new(id, channel.name.clone(), "description", description.as_str().into())
    };
    emit_update_except(tx, update, &OrdSet::new());
    let describe = |text: String| if text.is_empty() { "*No description.*".to_owned() } else { text };
    let content = format!(
        "{} changed the description for this {}.\n\n\
         * **Old description:**\n```` quote\n{}\n````\n\
         * **New description:**\n```` quote\n{}\n````",
        actor.silent_mention(),
        channel_word(tx),
        describe(old),
        describe(description),
    );
    post_in_channel(tx, actor, id, content);
}

fn rename(tx: &mut Tx, actor: &User, id: ChannelId, name: String) {
    let old = tx.channels[&id].name.clone();
    tx.rename_channel(id, name.clone());
    // The event has the old name.
    emit_update_except(tx, StreamUpdate::new(id, old.clone(), "name", name.as_str().into()), &OrdSet::new());
    let content = format!("{} renamed {} **{old}** to **{name}**.", actor.silent_mention(), channel_word(tx));
    post_in_channel(tx, actor, id, content);
}

fn change_folder(tx: &mut Tx, actor: &User, id: ChannelId, folder: Option<FolderId>) {
    let old = std::mem::replace(&mut tx.channel_mut(id).folder, folder);
    emit_update(tx, id, "folder_id", json!(folder));
    let describe = |folder: Option<FolderId>| match folder.and_then(|id| tx.folders.get(&id)) {
        Some(folder) => format!("**{}**", folder.name),
        None => "*No folder*".to_owned(),
    };
    let content = format!(
        "{} changed the folder for this channel from {} to {}.",
        actor.silent_mention(),
        describe(old),
        describe(folder)
    );
    post_in_channel(tx, actor, id, content);
}

fn change_boolean_setting(tx: &mut Tx, id: ChannelId, name: &'static str, is_on: bool) {
    if let Some(setting) = tx.channel_mut(id).boolean_settings.get_mut(name) {
        *setting = is_on;
        emit_update(tx, id, name, is_on.into());
    }
}

/// Permissions whose holders can see a private channel.
const VISIBILITY_PERMISSIONS: [&str; 3] = [
    ChannelPermission::CanAddSubscribers.name(),
    ChannelPermission::CanAdministerChannel.name(),
    ChannelPermission::CanSubscribe.name(),
];

/// The `stream_post_policy` of announcement channels.
const ADMINISTRATORS_ONLY: i64 = 2;

fn change_permission(tx: &mut Tx, actor: &User, id: ChannelId, name: &'static str, value: GroupSettingValue) {
    let json_value = json!(value);
    let old = PostingPermission::of_channel(tx, id);
    let before = tx.realm_copy();
    tx.channel_mut(id).permissions.insert(name, value);
    let affects_visibility = VISIBILITY_PERMISSIONS.contains(&name);
    let excluded = if affects_visibility { users_with_new_access(&before, tx, id) } else { OrdSet::new() };
    let update = StreamUpdate::new(id, tx.channels[&id].name.clone(), name, json_value);
    emit_update_except(tx, update, &excluded);
    if affects_visibility {
        tx.emit_visibility(&before, &[VisibleKind::Channels]);
    }
    if name == ChannelPermission::CanSendMessage.name() {
        // Older clients know this permission by these properties.
        let new = PostingPermission::of_channel(tx, id);
        if new.policy != old.policy || !tx.has(Feature::PostingPoliciesSentOnlyOnChange) {
            emit_update(tx, id, "stream_post_policy", new.policy.into());
            emit_update(tx, id, "is_announcement_only", (new.policy == ADMINISTRATORS_ONLY).into());
        }
        post_posting_permission_change(tx, actor, id, &old, &new);
    }
}
