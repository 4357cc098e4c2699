//! The state of users: lists, the caller's own rights, status, presence.

use super::Wish;
use crate::realm::Realm;
use crate::realm::user::{Role, User};
use crate::record::user::{Look, UserRecord, avatar_url};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) fn add(realm: &Realm, wish: &Wish<'_>, state: &mut Map<String, Value>) {
    if wish.wants("realm_user") {
        add_lists(realm, wish, state);
        if let Some(viewer) = wish.viewer {
            add_own(realm, viewer, state);
        }
    }
    if wish.wants("realm_bot") {
        state.insert("realm_bots".into(), own_bots(realm, wish.viewer));
    }
    if wish.wants("user_status") {
        let shown = realm.personal.iter().filter_map(|(id, own)| {
            let is_set = own.status.text.is_some() || own.status.emoji.is_some();
            let is_accessible = wish.viewer.is_some_and(|viewer| realm.can_access_user(viewer, *id));
            (is_set && is_accessible && realm.is_active(*id)).then(|| (id.to_string(), status(realm, *id)))
        });
        state.insert("user_status".into(), shown.collect::<Map<String, Value>>().into());
    }
    if wish.wants("presence") {
        let (presences, last_update_id) = match wish.viewer {
            Some(viewer) => {
                crate::record::presence::presences(realm, viewer, wish.options.slim_presence, wish.presence_days)
            }
            None => (Map::new(), -1),
        };
        state.insert("presences".into(), presences.into());
        state.insert("presence_last_update_id".into(), last_update_id.into());
        state.insert("server_timestamp".into(), wish.call.now.fractional_seconds().into());
    }
}

/// A user's status object.
fn status(realm: &Realm, id: crate::realm::id::UserId) -> Value {
    json!(crate::record::user::StatusRecord::new(realm, id))
}

fn add_lists(realm: &Realm, wish: &Wish<'_>, state: &mut Map<String, Value>) {
    let look = Look {
        viewer: wish.viewer,
        client_gravatar: wish.options.client_gravatar,
        include_profile: wish.viewer.is_some(),
    };
    let record = |user: &Arc<User>| UserRecord::new(realm, user, look).without_activity();
    let (mut active, mut inactive, mut system) = (Vec::new(), Vec::new(), Vec::new());
    for user in realm.users.values() {
        let is_accessible = wish.viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id));
        let row = match (is_accessible, wish.options.capabilities.user_list_incomplete) {
            (true, _) => record(user),
            (false, true) => continue,
            (false, false) => UserRecord::unknown(realm, user).without_activity(),
        };
        match (user.is_system_bot(), user.is_active) {
            (true, _) => system.push(row),
            (false, true) => active.push(row),
            (false, false) => inactive.push(row),
        }
    }
    state.insert("realm_users".into(), json!(active));
    state.insert("realm_non_active_users".into(), json!(inactive));
    state.insert("cross_realm_bots".into(), json!(system));
}

fn add_own(realm: &Realm, viewer: &User, state: &mut Map<String, Value>) {
    let may = |name| realm.may(viewer.id, name);
    let own = json!({
        "avatar_source": viewer.avatar.source.letter(),
        "avatar_url": avatar_url(realm, viewer, false),
        "avatar_url_medium": avatar_url(realm, viewer, true),
        "can_create_private_streams": may("can_create_private_channel_group"),
        "can_create_public_streams": may("can_create_public_channel_group"),
        "can_create_web_public_streams": may("can_create_web_public_channel_group"),
        "can_create_streams": may("can_create_private_channel_group") || may("can_create_public_channel_group"),
        "can_subscribe_other_users": may("can_add_subscribers_group"),
        "can_invite_others_to_realm": may("can_invite_users_group"),
        "is_admin": viewer.is_admin(),
        "is_owner": viewer.role == Role::Owner,
        "is_moderator": viewer.role <= Role::Moderator,
        "is_guest": viewer.is_guest(),
        "user_id": viewer.id,
        "email": realm.api_email(viewer),
        "delivery_email": viewer.email,
        "full_name": viewer.full_name,
    });
    if let Value::Object(own) = own {
        state.extend(own);
    }
}

/// The bots that the caller owns; all that have settings of their own for administrators.
fn own_bots(realm: &Realm, viewer: Option<&User>) -> Value {
    let Some(viewer) = viewer else { return json!([]) };
    let is_shown = |user: &&Arc<User>| {
        user.is_bot() && !user.is_system_bot() && (user.bot_owner() == Some(viewer.id) || viewer.is_admin())
    };
    let record = |user: &Arc<User>| {
        json!({
            "user_id": user.id,
            "default_sending_stream": null,
            "default_events_register_stream": null,
            "default_all_public_streams": false,
            "services": user.bot.as_ref().map(|bot| bot.services.clone()).unwrap_or_default(),
        })
    };
    realm.users.values().filter(is_shown).map(record).collect()
}
