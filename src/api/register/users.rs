//! The part of the register reply about users: lists of users and bots, the caller's account and rights, statuses,
//! presence.

use super::StateRequest;
use crate::realm::Realm;
use crate::realm::permission::RealmPermission;
use crate::realm::user::{Role, User};
use crate::record::bot::BotRecord;
use crate::record::user::{ListedUser, StatusRecord, UserRecord, UserView, avatar_url, provider_url};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The lists of users in the reply. They are by far the longest part, so each user's JSON is cached and shared.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UserLists {
    realm_users: Vec<ListedUser>,
    realm_non_active_users: Vec<ListedUser>,
    cross_realm_bots: Vec<ListedUser>,
}

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
    if request.includes("realm_user") {
        match request.viewer {
            Some(viewer) => add_viewer(realm, viewer, state),
            None => add_visitor(state),
        }
    }
    if request.includes("realm_bot") {
        state.insert("realm_bots".into(), visible_bots(realm, request.viewer));
    }
    if request.includes("user_status") {
        let statuses = realm.personal.iter().filter_map(|(id, user_state)| {
            let is_accessible = || request.viewer.is_some_and(|viewer| realm.can_access_user(viewer, *id));
            let is_listed = user_state.status.is_known() && realm.is_active(*id) && is_accessible();
            let status = is_listed.then(|| StatusRecord::new(realm, *id)).filter(|status| !status.is_empty());
            status.map(|status| (id.to_string(), json!(status)))
        });
        state.insert("user_status".into(), statuses.collect::<Map<String, Value>>().into());
    }
    if request.includes("presence") {
        let (presences, last_update_id) = match request.viewer {
            Some(viewer) => {
                crate::record::presence::presences(realm, viewer, request.options.slim_presence, request.presence_days)
            }
            None => (Map::new(), -1),
        };
        state.insert("presences".into(), presences.into());
        state.insert("presence_last_update_id".into(), last_update_id.into());
        state.insert("server_timestamp".into(), request.call.now.fractional_seconds().into());
    }
}

/// The lists of users, if they are requested.
pub(super) fn lists(realm: &Realm, request: &StateRequest<'_>) -> Option<UserLists> {
    request.includes("realm_user").then(|| all_lists(realm, request))
}

fn all_lists(realm: &Realm, request: &StateRequest<'_>) -> UserLists {
    let view = UserView {
        viewer: request.viewer,
        client_gravatar: request.options.client_gravatar,
        include_profile: request.viewer.is_some(),
    };
    let mut lists = UserLists::default();
    for user in realm.users.values() {
        let is_accessible = request.viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id));
        let line = match (is_accessible, request.options.capabilities.user_list_incomplete) {
            (true, _) => ListedUser::for_register_reply(realm, user, view),
            (false, true) => continue,
            (false, false) => ListedUser::Uncached(Box::new(UserRecord::unknown(realm, user).without_activity())),
        };
        match (user.is_system_bot(), user.is_active) {
            (true, _) => lists.cross_realm_bots.push(line),
            (false, true) => lists.realm_users.push(line),
            (false, false) => lists.realm_non_active_users.push(line),
        }
    }
    lists
}

/// Permissions to create channels. Web-public channels are handled separately, because the organization must allow
/// them.
const CHANNEL_CREATION_PERMISSIONS: [RealmPermission; 2] =
    [RealmPermission::CanCreatePrivateChannel, RealmPermission::CanCreatePublicChannel];

/// Adds the account data for visitors, who have no account: those of a guest without rights.
fn add_visitor(state: &mut Map<String, Value>) {
    const PLACEHOLDER_EMAIL: &str = "username@example.com";
    let account = json!({
        "avatar_source": "G",
        "avatar_url": provider_url(PLACEHOLDER_EMAIL, 1, false),
        "avatar_url_medium": provider_url(PLACEHOLDER_EMAIL, 1, true),
        "can_create_private_streams": false,
        "can_create_public_streams": false,
        "can_create_web_public_streams": false,
        "can_create_streams": false,
        "can_invite_others_to_realm": false,
        "is_admin": false,
        "is_owner": false,
        "is_moderator": false,
        "is_guest": true,
        "user_id": 0,
        "email": PLACEHOLDER_EMAIL,
        "delivery_email": "",
        "full_name": "Anonymous User",
    });
    if let Value::Object(account) = account {
        state.extend(account);
    }
}

fn add_viewer(realm: &Realm, viewer: &User, state: &mut Map<String, Value>) {
    let may = |name| realm.may(viewer.id, name);
    let may_create_web_public = realm.has_public_access() && may(RealmPermission::CanCreateWebPublicChannel);
    let account = json!({
        "avatar_source": viewer.avatar.source.letter(),
        "avatar_url": avatar_url(realm, viewer, false),
        "avatar_url_medium": avatar_url(realm, viewer, true),
        "can_create_private_streams": may(RealmPermission::CanCreatePrivateChannel),
        "can_create_public_streams": may(RealmPermission::CanCreatePublicChannel),
        "can_create_web_public_streams": may_create_web_public,
        "can_create_streams": may_create_web_public || CHANNEL_CREATION_PERMISSIONS.into_iter().any(may),
        "can_invite_others_to_realm": may(RealmPermission::CanInviteUsers),
        "is_admin": viewer.is_admin(),
        "is_owner": viewer.role == Role::Owner,
        "is_moderator": viewer.role <= Role::Moderator,
        "is_guest": viewer.is_guest(),
        "user_id": viewer.id,
        "email": realm.api_email(viewer),
        "delivery_email": viewer.email,
        "full_name": viewer.full_name,
    });
    if let Value::Object(account) = account {
        state.extend(account);
    }
}

/// The bots of the caller; all except system bots for administrators.
fn visible_bots(realm: &Realm, viewer: Option<&User>) -> Value {
    let Some(viewer) = viewer else { return json!([]) };
    let is_listed = |user: &&Arc<User>| {
        user.is_bot() && !user.is_system_bot() && (user.bot_owner() == Some(viewer.id) || viewer.is_admin())
    };
    realm.users.values().filter(is_listed).map(|user| json!(BotRecord::new(realm, user))).collect()
}
