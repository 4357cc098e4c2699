//! The API's record of a user (specification, "User" and "Own user").

use crate::realm::Realm;
use crate::realm::user::{Role, SerializedUserParts, UNKNOWN_USER_NAME, User};
use crate::record::avatar::{AvatarSize, UNKNOWN_AVATAR_URL, avatar_url, avatar_url_unless_computed};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A person or a bot, as a viewer may see them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
#[expect(clippy::struct_excessive_bools, reason = "the API defines these fields")]
pub struct UserRecord {
    /// ID of the user.
    pub user_id: i64,
    /// Real address; null if the viewer may not see it.
    pub delivery_email: Option<String>,
    /// API address; a dummy if the real one is not visible to everyone.
    pub email: String,
    /// Name of the user, which clients show.
    pub full_name: String,
    /// Time of joining, ISO 8601 to the minute; only the date for spectators.
    pub date_joined: String,
    /// False for deactivated users. Lists of the register reply imply it: only their system bots have this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// Whether the role is owner; then `is_admin` is true too.
    pub is_owner: bool,
    /// Whether the role is administrator or owner.
    pub is_admin: bool,
    /// Whether the role is guest.
    pub is_guest: bool,
    /// True for bots, also for system bots.
    pub is_bot: bool,
    /// Kind of bot: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for human users.
    #[schemars(schema_with = "bot_type_schema")]
    pub bot_type: Option<i64>,
    /// ID of the bot's owner; null for human users and for bots without an owner.
    pub bot_owner_id: Option<i64>,
    /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
    #[schemars(extend("enum" = [100, 200, 300, 400, 600]))]
    pub role: i64,
    /// IANA name of the time zone, "" if never set; absent for spectators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// URL of the picture; null if the client can compute the provider's URL itself.
    pub avatar_url: Option<String>,
    /// Number that grows with each change of the picture.
    pub avatar_version: i64,
    /// Whether the account was imported, and never logged in.
    pub is_imported_stub: bool,
    /// Whether the account was deactivated and its data removed; present only when true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
    /// Whether it is a system bot; present only when true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_system_bot: bool,
    /// Values of custom profile fields, by ID of the field; only for human users, and only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_data: Option<BTreeMap<String, ProfileValue>>,
}

/// A user's value of a custom profile field.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProfileValue {
    /// The value as text, in the form that the type of the field has.
    pub value: String,
    /// The value in HTML, for types of fields that take Markdown; as untrusted as the text of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered_value: Option<String>,
}

/// The viewer of users, and the options that affect the record.
#[derive(Clone, Copy, Debug)]
pub struct UserView<'a> {
    /// None for a spectator.
    pub viewer: Option<&'a User>,
    /// Whether the client computes the URLs of the provider's pictures itself.
    pub client_gravatar: bool,
    /// Whether the record has the custom profile fields.
    pub include_profile: bool,
}

fn bot_type_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "integer", "enum": [1, 2, 3, 4]}, {"type": "null"}]})
}

impl UserRecord {
    pub fn new(realm: &Realm, user: &User, view: UserView<'_>) -> Self {
        let can_see_email = realm.can_see_email(view.viewer, user);
        let is_spectator = view.viewer.is_none();
        Self {
            user_id: user.id.0,
            // Spectators see the addresses of bots only (specification, User).
            delivery_email: (can_see_email && (!is_spectator || user.is_bot())).then(|| user.email.clone()),
            email: if is_spectator { realm.email_shown_to(None, user) } else { realm.api_email(user) },
            full_name: user.full_name.clone(),
            date_joined: if is_spectator { user.date_joined.to_date() } else { user.date_joined.to_iso8601_minutes() },
            is_active: Some(user.is_active),
            is_owner: user.role == Role::Owner,
            is_admin: user.is_admin(),
            is_guest: user.is_guest(),
            is_bot: user.is_bot(),
            bot_type: user.bot.as_ref().map(|bot| bot.kind.number()),
            bot_owner_id: user.bot_owner().map(|owner| owner.0),
            role: user.role.number(),
            timezone: (!is_spectator).then(|| user.timezone.clone()),
            avatar_url: avatar_url_unless_computed(
                realm,
                user,
                view.client_gravatar && can_see_email && !user.is_system_bot(),
            ),
            avatar_version: user.avatar.version,
            is_imported_stub: user.is_imported_stub,
            is_deleted: user.is_deleted,
            is_system_bot: user.is_system_bot(),
            profile_data: (view.include_profile && !user.is_bot() && !is_spectator).then(|| profile_data(user)),
        }
    }

    /// A placeholder for a user that the viewer may not access, for clients that need a record of each user.
    pub fn placeholder(realm: &Realm, user: &User) -> Self {
        Self {
            user_id: user.id.0,
            delivery_email: None,
            email: realm.dummy_email(user.id),
            full_name: UNKNOWN_USER_NAME.to_owned(),
            date_joined: user.date_joined.to_iso8601_minutes(),
            is_active: Some(user.is_active),
            is_owner: false,
            is_admin: false,
            is_guest: false,
            is_bot: false,
            bot_type: None,
            bot_owner_id: None,
            role: Role::Member.number(),
            timezone: Some(String::new()),
            avatar_url: Some(UNKNOWN_AVATAR_URL.to_owned()),
            avatar_version: 1,
            is_imported_stub: false,
            is_deleted: false,
            is_system_bot: false,
            profile_data: Some(BTreeMap::new()),
        }
    }
    /// Removes `is_active`, which users in the lists of the register reply do not have, except system bots.
    #[must_use]
    pub fn without_is_active(self) -> Self {
        Self { is_active: None, ..self }
    }
}

/// The index of the first of the cached entries of plain lists.
const PLAIN_LIST_INDEX: usize = 0;
/// The index of the first of the cached entries of the lists of the register reply.
const REGISTER_LIST_INDEX: usize = 4;

/// The record of a user in a list. Records that are the same for many viewers are serialized once and then cached.
#[derive(Clone, Debug)]
pub enum ListedUser {
    /// Serialized at this index of the user's cache.
    Cached(Arc<User>, usize),
    /// Not cached: of system bots in the register reply, for spectators, and with custom profile fields in other lists.
    Uncached(Box<UserRecord>),
}

impl ListedUser {
    /// `realm` must be a published snapshot and not an unfinished change, since the record is cached.
    pub fn new(realm: &Realm, user: &Arc<User>, view: UserView<'_>) -> Self {
        let make_record = || UserRecord::new(realm, user, view);
        if view.viewer.is_none() || view.include_profile {
            ListedUser::Uncached(Box::new(make_record()))
        } else {
            Self::cached(realm, user, view, PLAIN_LIST_INDEX, make_record)
        }
    }

    /// A user in the lists of the register reply, where only system bots have `is_active`. `realm` must be a published
    /// snapshot.
    pub fn for_register_reply(realm: &Realm, user: &Arc<User>, view: UserView<'_>) -> Self {
        if user.is_system_bot() {
            return ListedUser::Uncached(Box::new(UserRecord::new(realm, user, view)));
        }
        let make_record = || UserRecord::new(realm, user, view).without_is_active();
        if view.viewer.is_none() {
            ListedUser::Uncached(Box::new(make_record()))
        } else {
            Self::cached(realm, user, view, REGISTER_LIST_INDEX, make_record)
        }
    }

    /// `first_index` is the first of four consecutive cache indices: with or without the email address, and for clients
    /// that compute the provider's URLs or not.
    fn cached(
        realm: &Realm,
        user: &Arc<User>,
        view: UserView<'_>,
        first_index: usize,
        make_record: impl FnOnce() -> UserRecord,
    ) -> Self {
        let can_see_email = realm.can_see_email(view.viewer, user);
        let index = first_index + usize::from(can_see_email) * 2 + usize::from(view.client_gravatar);
        user.cached_json.list_entries[index]
            .get_or_init(|| serde_json::value::to_raw_value(&make_record()).unwrap_or_default());
        ListedUser::Cached(user.clone(), index)
    }
}

impl Serialize for ListedUser {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ListedUser::Cached(user, index) => {
                // `ListedUser::cached` has filled the cache, so this never serializes null.
                user.cached_json.list_entries[*index].get_or_init(|| RawValue::NULL.to_owned()).serialize(serializer)
            }
            ListedUser::Uncached(record) => record.serialize(serializer),
        }
    }
}

impl JsonSchema for ListedUser {
    fn schema_name() -> Cow<'static, str> {
        UserRecord::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        UserRecord::json_schema(generator)
    }
}

/// The user's values of custom profile fields, by the ID of the field.
pub fn profile_data(user: &User) -> BTreeMap<String, ProfileValue> {
    let to_value = |(id, entry): (&crate::realm::id::ProfileFieldId, &crate::realm::user::ProfileEntry)| {
        (id.to_string(), ProfileValue { value: entry.value.clone(), rendered_value: entry.rendered.clone() })
    };
    user.profile.iter().map(to_value).collect()
}

/// The serialized parts of a user's record that are expensive to build. `realm` must be a published snapshot, since
/// they are cached.
pub fn serialized_parts(realm: &Realm, user: &User) -> Arc<SerializedUserParts> {
    fn to_raw(value: &impl Serialize) -> Box<RawValue> {
        serde_json::value::to_raw_value(value).unwrap_or_default()
    }
    let make_parts = || SerializedUserParts {
        avatar_url: to_raw(&avatar_url(realm, user, AvatarSize::Small)),
        date_joined: to_raw(&user.date_joined.to_iso8601_minutes()),
        profile_data: to_raw(&profile_data(user)),
    };
    user.cached_json.serialized_parts.get_or_init(|| Arc::new(make_parts())).clone()
}
