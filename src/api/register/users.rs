//! The part of the register reply about users: lists of users and bots, the viewer's account and permissions, statuses,
//! presence.

use super::StateRequest;
use super::requested_values::requested_values;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::permission::RealmPermission;
use crate::realm::personal::UserState;
use crate::realm::user::{Role, User};
use crate::record::avatar::{AvatarSize, avatar_url, provider_url};
use crate::record::bot::BotRecord;
use crate::record::presence::{Presences, presences};
use crate::record::status::StatusRecord;
use crate::record::user::{ListedUser, UserRecord, UserView};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lists of users in the reply. They are by far the longest part, so the JSON of most users is cached and shared.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct UserLists {
    #[schemars(with = "Vec<UserRecord>")]
    realm_users: Vec<ListedUser>,
    #[schemars(with = "Vec<UserRecord>")]
    realm_non_active_users: Vec<ListedUser>,
    #[schemars(with = "Vec<UserRecord>")]
    cross_realm_bots: Vec<ListedUser>,
}

/// What the reply has about users apart from the lists of users.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserPart {
    #[serde(flatten)]
    account: Option<Account>,
    #[serde(flatten)]
    values: UserValues,
    #[serde(flatten)]
    presence: Option<PresenceState>,
}

requested_values! {
    /// Bots and statuses.
    pub struct UserValues(realm, request) {
        "realm_bot" realm_bots: Vec<BotRecord> = visible_bots(realm, request.viewer);
        #[schemars(with = "BTreeMap<String, StatusRecord>")]
        "user_status" user_status: BTreeMap<UserId, StatusRecord> = statuses(realm, request.viewer);
    }
}

/// The account of the viewer, with what it may do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Account {
    #[schemars(extend("enum" = ["G", "J", "U"]))]
    avatar_source: &'static str,
    avatar_url: String,
    avatar_url_medium: String,
    can_create_private_streams: bool,
    can_create_public_streams: bool,
    can_create_web_public_streams: bool,
    can_create_streams: bool,
    can_invite_others_to_realm: bool,
    is_admin: bool,
    is_owner: bool,
    is_moderator: bool,
    is_guest: bool,
    user_id: UserId,
    email: String,
    delivery_email: String,
    full_name: String,
}

/// The presence of the users that the viewer may access.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PresenceState {
    presences: Presences,
    presence_last_update_id: i64,
    /// UNIX seconds with their fraction.
    server_timestamp: f64,
}

impl UserPart {
    pub(super) fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let account = || request.viewer.map_or_else(Account::of_spectator, |viewer| Account::new(realm, viewer));
        Self {
            account: request.includes("realm_user").then(account),
            values: UserValues::new(realm, request),
            presence: request.includes("presence").then(|| PresenceState::new(realm, request)),
        }
    }
}

impl PresenceState {
    fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let (presences, presence_last_update_id) = match request.viewer {
            Some(viewer) => presences(realm, viewer, request.options.slim_presence, request.presence_days),
            None => (Presences::new(), -1),
        };
        Self { presences, presence_last_update_id, server_timestamp: request.context.now.fractional_seconds() }
    }
}

/// The statuses of the active users that the viewer may access, without those that are empty.
fn statuses(realm: &Realm, viewer: Option<&User>) -> BTreeMap<UserId, StatusRecord> {
    let status = |(id, user_state): (&UserId, &Arc<UserState>)| {
        let is_accessible = || viewer.is_some_and(|viewer| realm.can_access_user(viewer, *id));
        let is_listed = user_state.status.was_set() && realm.is_active(*id) && is_accessible();
        let status = is_listed.then(|| StatusRecord::new(realm, *id)).filter(|status| !status.is_empty());
        Some((*id, status?))
    };
    realm.user_states.iter().filter_map(status).collect()
}

impl UserLists {
    pub(super) fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let view = UserView {
            viewer: request.viewer,
            client_gravatar: request.options.client_gravatar,
            include_profile: request.viewer.is_some(),
        };
        let mut lists = Self::default();
        for user in realm.users.values() {
            let is_accessible = request.viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id));
            let listed_user = match (is_accessible, request.options.capabilities.user_list_incomplete) {
                (true, _) => ListedUser::for_register_reply(realm, user, view),
                (false, true) => continue,
                (false, false) => {
                    ListedUser::Uncached(Box::new(UserRecord::placeholder(realm, user).without_is_active()))
                }
            };
            match (user.is_system_bot(), user.is_active) {
                (true, _) => lists.cross_realm_bots.push(listed_user),
                (false, true) => lists.realm_users.push(listed_user),
                (false, false) => lists.realm_non_active_users.push(listed_user),
            }
        }
        lists
    }
}

/// Permissions to create channels. Web-public channels are handled separately, because the organization must allow
/// them.
const CHANNEL_CREATION_PERMISSIONS: [RealmPermission; 2] =
    [RealmPermission::CanCreatePrivateChannel, RealmPermission::CanCreatePublicChannel];

impl Account {
    /// Spectators have no account: they get that of a guest without permissions.
    fn of_spectator() -> Self {
        const PLACEHOLDER_EMAIL: &str = "username@example.com";
        Self {
            avatar_source: "G",
            avatar_url: provider_url(PLACEHOLDER_EMAIL, 1, AvatarSize::Small),
            avatar_url_medium: provider_url(PLACEHOLDER_EMAIL, 1, AvatarSize::Medium),
            can_create_private_streams: false,
            can_create_public_streams: false,
            can_create_web_public_streams: false,
            can_create_streams: false,
            can_invite_others_to_realm: false,
            is_admin: false,
            is_owner: false,
            is_moderator: false,
            is_guest: true,
            // No user has this ID.
            user_id: UserId(0),
            email: PLACEHOLDER_EMAIL.into(),
            delivery_email: String::new(),
            full_name: "Anonymous User".into(),
        }
    }

    fn new(realm: &Realm, viewer: &User) -> Self {
        let may = |permission| realm.may(viewer.id, permission);
        let may_create_web_public = realm.allows_spectators() && may(RealmPermission::CanCreateWebPublicChannel);
        Self {
            avatar_source: viewer.avatar.source.letter(),
            avatar_url: avatar_url(realm, viewer, AvatarSize::Small),
            avatar_url_medium: avatar_url(realm, viewer, AvatarSize::Medium),
            can_create_private_streams: may(RealmPermission::CanCreatePrivateChannel),
            can_create_public_streams: may(RealmPermission::CanCreatePublicChannel),
            can_create_web_public_streams: may_create_web_public,
            can_create_streams: may_create_web_public || CHANNEL_CREATION_PERMISSIONS.into_iter().any(may),
            can_invite_others_to_realm: may(RealmPermission::CanInviteUsers),
            is_admin: viewer.is_admin(),
            is_owner: viewer.role == Role::Owner,
            is_moderator: viewer.role <= Role::Moderator,
            is_guest: viewer.is_guest(),
            user_id: viewer.id,
            email: realm.api_email(viewer),
            delivery_email: viewer.email.clone(),
            full_name: viewer.full_name.clone(),
        }
    }
}

/// The bots of the viewer; all except system bots for administrators.
fn visible_bots(realm: &Realm, viewer: Option<&User>) -> Vec<BotRecord> {
    let Some(viewer) = viewer else { return Vec::new() };
    let is_listed = |user: &&Arc<User>| {
        user.is_bot() && !user.is_system_bot() && (user.bot_owner() == Some(viewer.id) || viewer.is_admin())
    };
    realm.users.values().filter(is_listed).map(|user| BotRecord::new(realm, user)).collect()
}
