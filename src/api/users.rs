//! Users: listing and fetching them. Submodules create, change, deactivate and reactivate users.

pub mod create;
pub mod deactivate;
pub mod edit;
pub mod reactivate;

pub use create::CreateUser;

use super::{OperationContext, Read, ReplyData, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::user::{Role, User};
use crate::record::user::{ListedUser, ProfileValue, UserRecord, UserView, serialized_parts};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

operation! {
    /// Lists the organization's users.
    pub GetUsers = GET "/users", for UserOrSpectator;
    params {
        /// Whether users have `profile_data`, their values of custom profile fields.
        include_custom_profile_fields: bool = false,
        /// Whether `avatar_url` may be null for pictures of the provider, whose URLs the client computes itself.
        client_gravatar: bool = true,
        /// IDs of the users to list, all by default; unknown ones are left out.
        user_ids since 384: Option<Vec<UserId>>,
    }
    reply UsersReply;
}

/// The requested users that the caller may see; all of them by default.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UsersReply {
    /// With bots and deactivated users, but without system bots.
    pub members: Vec<ListedUser>,
}

impl Read for GetUsers {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UsersReply, Error> {
        let viewer = context.caller.as_deref();
        let view = UserView {
            viewer,
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        let is_accessible = |user: &User| viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id));
        let has_placeholders = sends_placeholders(context);
        let is_listed = |user: &&Arc<User>| !user.is_system_bot() && (has_placeholders || is_accessible(user));
        let listed_user = |user: &Arc<User>| match has_placeholders && !is_accessible(user) {
            true => placeholder(realm, user),
            false => ListedUser::new(realm, user, view),
        };
        let members = match params.user_ids {
            Some(ids) => {
                let ids: std::collections::BTreeSet<UserId> = ids.into_iter().collect();
                ids.iter().filter_map(|id| realm.user(*id)).filter(is_listed).map(listed_user).collect()
            }
            None => realm.users.values().filter(is_listed).map(listed_user).collect(),
        };
        Ok(UsersReply { members })
    }
}

operation! {
    /// Returns a user by ID, including bots and deactivated users.
    pub GetUser = GET "/users/{user_id}", for User, since 1;
    params {
        /// ID of the user; not of a system bot.
        @path user_id: UserId,
        /// Whether users have `profile_data`, their values of custom profile fields.
        include_custom_profile_fields: bool = false,
        /// Whether `avatar_url` may be null for pictures of the provider, whose URLs the client computes itself.
        client_gravatar: bool = true,
    }
    reply UserReply;
    errors [NoSuchUser, InsufficientPermission];
    is fast;
}

/// The requested user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserReply {
    /// The user as the caller sees them; has `profile_data` only if it was requested.
    pub user: ListedUser,
}

impl Read for GetUser {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UserReply, Error> {
        let caller = context.caller();
        let view = UserView {
            viewer: Some(caller),
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        Ok(UserReply { user: user_or_placeholder(realm, context, params.user_id, view)? })
    }
}

operation! {
    /// Returns a user by real or dummy address.
    pub GetUserByEmail = GET "/users/{email}", for User, since 39;
    params {
        /// The real address, where the caller may see it, or the dummy `user<user_id>@<realm_host>`.
        @path email: String,
        /// Whether users have `profile_data`, their values of custom profile fields.
        include_custom_profile_fields: bool = false,
        /// Whether `avatar_url` may be null for pictures of the provider, whose URLs the client computes itself.
        client_gravatar: bool = true,
    }
    reply UserReply;
    errors [NoSuchUser, InsufficientPermission];
}

impl Read for GetUserByEmail {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UserReply, Error> {
        let caller = context.caller();
        let user = realm.user_by_email_visible_to_role(caller, &params.email).ok_or(Error::NoSuchUser)?;
        let view = UserView {
            viewer: Some(caller),
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        Ok(UserReply { user: user_or_placeholder(realm, context, user.id, view)? })
    }
}

/// Whether a guest who can't access a user receives a placeholder instead of nothing or a refusal.
fn sends_placeholders(context: &OperationContext<'_>) -> bool {
    !context.has(Feature::InaccessibleUsersOmitted)
}

fn placeholder(realm: &Realm, user: &User) -> ListedUser {
    ListedUser::Uncached(Box::new(UserRecord::placeholder(realm, user)))
}

fn user_or_placeholder(
    realm: &Realm,
    context: &OperationContext<'_>,
    id: UserId,
    view: UserView<'_>,
) -> Result<ListedUser, Error> {
    // System bots don't count as users of the organization.
    if realm.users.get(&id).is_some_and(|user| user.is_system_bot()) {
        return Err(Error::NoSuchUser);
    }
    match realm.accessible_user(context.caller(), id) {
        Err(Error::InsufficientPermission) if sends_placeholders(context) => Ok(placeholder(realm, &realm.users[&id])),
        result => Ok(ListedUser::new(realm, result?, view)),
    }
}

operation! {
    /// Returns the caller's own account.
    pub GetOwnUser = GET "/users/me", for User;
    reply OwnUserReply;
    is fast;
}

/// The caller's account. All fields except the last one are serialized once and cached with the user.
#[derive(Clone, Debug)]
pub struct OwnUserReply {
    user: Arc<User>,
    max_message_id: i64,
}

/// The caller's account (specification, "Own user").
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OwnUserReply")]
#[expect(clippy::struct_excessive_bools, reason = "these are the fields of the API")]
struct OwnUser<'a> {
    /// Always a URL, never null.
    #[schemars(with = "String")]
    avatar_url: &'a RawValue,
    /// Number that grows with each change of the picture, from 1 on.
    avatar_version: i64,
    /// The real address if everyone may see it, otherwise a dummy address.
    email: &'a str,
    /// Name that users see.
    full_name: &'a str,
    /// Whether the role is administrator or owner.
    is_admin: bool,
    /// Whether the role is owner.
    is_owner: bool,
    /// Whether the role is guest.
    is_guest: bool,
    /// Whether the account is a bot's.
    is_bot: bool,
    /// Always true: deactivated users can't call.
    is_active: bool,
    /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
    role: i64,
    /// IANA identifier such as `Europe/Berlin`; "" if never set.
    timezone: &'a str,
    /// When the user joined: ISO 8601 to the minute.
    #[schemars(with = "String")]
    date_joined: &'a RawValue,
    /// ID of the account, unique in the organization.
    user_id: i64,
    /// The real address, also where `email` is a dummy.
    delivery_email: &'a str,
    /// Whether the account was imported and never logged in.
    is_imported_stub: bool,
    /// Values of custom profile fields, by ID of the field; absent for bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, ProfileValue>>")]
    profile_data: Option<&'a RawValue>,
    /// ID of the last message received, -1 without any; deprecated.
    // This has to be the last field: the JSON of all fields before it is cached.
    max_message_id: i64,
}

impl OwnUserReply {
    fn new(realm: &Realm, user: &Arc<User>) -> Self {
        user.cached_json.own.get_or_init(|| Self::serialize_without_max_message_id(realm, user));
        let max_message_id = realm.newest_received_message(user.id).map_or(-1, |id| id.0);
        Self { user: user.clone(), max_message_id }
    }

    /// The JSON of [`OwnUser`] up to the value of `max_message_id`, which is left out because it changes often.
    fn serialize_without_max_message_id(realm: &Realm, user: &User) -> Box<[u8]> {
        let parts = serialized_parts(realm, user);
        let record = OwnUser {
            avatar_url: &parts.avatar_url,
            avatar_version: user.avatar.version,
            email: &realm.api_email(user),
            full_name: &user.full_name,
            is_admin: user.is_admin(),
            is_owner: user.role == Role::Owner,
            is_guest: user.is_guest(),
            is_bot: user.is_bot(),
            is_active: user.is_active,
            role: user.role.number(),
            timezone: &user.timezone,
            date_joined: &parts.date_joined,
            user_id: user.id.0,
            delivery_email: &user.email,
            is_imported_stub: user.is_imported_stub,
            profile_data: (!user.is_bot()).then_some(&*parts.profile_data),
            max_message_id: 0,
        };
        let mut bytes = serde_json::to_vec(&record).unwrap_or_default();
        bytes.truncate(bytes.len().saturating_sub("0}".len()));
        bytes.into()
    }
}

impl ReplyData for OwnUserReply {
    fn write(&self, bytes: &mut Vec<u8>) {
        // `new` has filled the cache.
        bytes.extend_from_slice(self.user.cached_json.own.get_or_init(Box::default));
        self.max_message_id.write(bytes);
        bytes.push(b'}');
    }
}

impl JsonSchema for OwnUserReply {
    fn schema_name() -> Cow<'static, str> {
        OwnUser::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        OwnUser::json_schema(generator)
    }
}

impl Read for GetOwnUser {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<OwnUserReply, Error> {
        Ok(OwnUserReply::new(realm, context.shared_caller()))
    }
}
