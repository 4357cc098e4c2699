//! The state of users: lists, the caller's own rights, status, presence.

use super::StateRequest;
use crate::realm::Realm;
use crate::realm::permission::RealmPermission;
use crate::realm::user::{Role, User};
use crate::record::bot::BotRecord;
use crate::record::user::{StatusRecord, UserLine, UserRecord, UserView, avatar_url, provider_url};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Users, as the reply lists them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UserLists {
    realm_users: Vec<UserLine>,
    realm_non_active_users: Vec<UserLine>,
    cross_realm_bots: Vec<UserLine>,
}

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
    if request.wants("realm_user") {
        match request.viewer {
            Some(viewer) => add_own(realm, viewer, state),
            None => add_visitor(state),
        }
    }
    if request.wants("realm_bot") {
        state.insert("realm_bots".into(), own_bots(realm, request.viewer));
    }
    if request.wants("user_status") {
        let shown = realm.personal.iter().filter_map(|(id, own)| {
            let is_accessible = || request.viewer.is_some_and(|viewer| realm.can_access_user(viewer, *id));
            let is_shown = own.status.is_known() && realm.is_active(*id) && is_accessible();
            let status = is_shown.then(|| StatusRecord::new(realm, *id)).filter(|status| !status.is_empty());
            status.map(|status| (id.to_string(), json!(status)))
        });
        state.insert("user_status".into(), shown.collect::<Map<String, Value>>().into());
    }
    if request.wants("presence") {
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

/// Everybody, when that is wished for.
pub(super) fn lists(realm: &Realm, request: &StateRequest<'_>) -> Option<UserLists> {
    request.wants("realm_user").then(|| all(realm, request))
}

fn all(realm: &Realm, request: &StateRequest<'_>) -> UserLists {
    let view = UserView {
        viewer: request.viewer,
        client_gravatar: request.options.client_gravatar,
        include_profile: request.viewer.is_some(),
    };
    let mut lists = UserLists::default();
    for user in realm.users.values() {
        let is_accessible = request.viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id));
        let row = match (is_accessible, request.options.capabilities.user_list_incomplete) {
            (true, _) => UserLine::of_register(realm, user, view),
            (false, true) => continue,
            (false, false) => UserLine::Made(Box::new(UserRecord::unknown(realm, user).without_activity())),
        };
        match (user.is_system_bot(), user.is_active) {
            (true, _) => lists.cross_realm_bots.push(row),
            (false, true) => lists.realm_users.push(row),
            (false, false) => lists.realm_non_active_users.push(row),
        }
    }
    lists
}

/// Permissions to make channels of one kind or another, but those open to the web, which the organization must allow too.
const CREATING: [RealmPermission; 2] =
    [RealmPermission::CanCreatePrivateChannel, RealmPermission::CanCreatePublicChannel];

/// What the reply says of the caller where there is none: a guest without rights, who has no account.
fn add_visitor(state: &mut Map<String, Value>) {
    const ADDRESS: &str = "username@example.com";
    let own = json!({
        "avatar_source": "G",
        "avatar_url": provider_url(ADDRESS, 1, false),
        "avatar_url_medium": provider_url(ADDRESS, 1, true),
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
        "email": ADDRESS,
        "delivery_email": "",
        "full_name": "Anonymous User",
    });
    if let Value::Object(own) = own {
        state.extend(own);
    }
}

fn add_own(realm: &Realm, viewer: &User, state: &mut Map<String, Value>) {
    let may = |name| realm.may(viewer.id, name);
    let may_publish = realm.has_public_access() && may(RealmPermission::CanCreateWebPublicChannel);
    let own = json!({
        "avatar_source": viewer.avatar.source.letter(),
        "avatar_url": avatar_url(realm, viewer, false),
        "avatar_url_medium": avatar_url(realm, viewer, true),
        "can_create_private_streams": may(RealmPermission::CanCreatePrivateChannel),
        "can_create_public_streams": may(RealmPermission::CanCreatePublicChannel),
        "can_create_web_public_streams": may_publish,
        "can_create_streams": may_publish || CREATING.into_iter().any(may),
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
    realm.users.values().filter(is_shown).map(|user| json!(BotRecord::new(realm, user))).collect()
}
