//! Users as others see them (specification, "User" and "Own user").

use crate::realm::setting::UserSetting;
use crate::realm::user::{AvatarSource, Role, UNKNOWN_USER_NAME, User, Written};
use crate::realm::{Realm, hexadecimal};
use md5::{Digest, Md5};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "User")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them so")]
pub struct UserRecord {
    /// Unique ID.
    pub user_id: i64,
    /// Real address; null when the requester cannot see it.
    pub delivery_email: Option<String>,
    /// API address; a dummy if the real one is not visible to everyone.
    pub email: String,
    /// Display name.
    pub full_name: String,
    /// ISO 8601 to the minute; only the date for anonymous visitors.
    pub date_joined: String,
    /// Left out in the lists of the register reply, which imply it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_active: Option<bool>,
    /// If true, `is_admin` is true too.
    pub is_owner: bool,
    /// Administrator or owner.
    pub is_admin: bool,
    /// Guest.
    pub is_guest: bool,
    /// Bot.
    pub is_bot: bool,
    /// 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for human users.
    pub bot_type: Option<i64>,
    /// Null for human users and for bots without an owner.
    pub bot_owner_id: Option<i64>,
    /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
    pub role: i64,
    /// IANA identifier, "" if never set; anonymous visitors don't see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Null if the client can compute the provider's URL itself.
    pub avatar_url: Option<String>,
    /// Cache-busting version.
    pub avatar_version: i64,
    /// Imported, and never logged in.
    pub is_imported_stub: bool,
    /// Present only when true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
    /// Whether it is a system bot; present only when true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_system_bot: bool,
    /// By custom profile field ID; only for human users, and only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_data: Option<BTreeMap<String, ProfileValue>>,
}

/// The value of a custom profile field.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ProfileValue {
    /// As stored.
    pub value: String,
    /// HTML, for types of fields that take Markdown. User-generated: to be treated like message content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered_value: Option<String>,
}

/// How a user is looked at.
#[derive(Clone, Copy, Debug)]
pub struct UserView<'a> {
    /// Who looks; None for an anonymous visitor.
    pub viewer: Option<&'a User>,
    /// The viewer computes provider addresses itself.
    pub client_gravatar: bool,
    /// With custom profile fields.
    pub include_profile: bool,
}

impl UserRecord {
    /// A user as somebody sees them.
    pub fn new(realm: &Realm, user: &User, view: UserView<'_>) -> Self {
        let sees_email = realm.can_see_email(view.viewer, user);
        let is_visitor = view.viewer.is_none();
        Self {
            user_id: user.id.0,
            // A bot's address is no secret (specification, User).
            delivery_email: (sees_email && (!is_visitor || user.is_bot())).then(|| user.email.clone()),
            email: if is_visitor { realm.email_shown_to(None, user) } else { realm.api_email(user) },
            full_name: user.full_name.clone(),
            date_joined: if is_visitor { user.date_joined.to_date() } else { user.date_joined.to_minute() },
            is_active: Some(user.is_active),
            is_owner: user.role == Role::Owner,
            is_admin: user.is_admin(),
            is_guest: user.is_guest(),
            is_bot: user.is_bot(),
            bot_type: user.bot.as_ref().map(|bot| bot.kind.number()),
            bot_owner_id: user.bot_owner().map(|owner| owner.0),
            role: user.role.number(),
            timezone: (!is_visitor).then(|| user.timezone.clone()),
            avatar_url: avatar_url_for(realm, user, view.client_gravatar && sees_email && !user.is_system_bot()),
            avatar_version: user.avatar.version,
            is_imported_stub: user.is_imported_stub,
            is_deleted: user.is_deleted,
            is_system_bot: user.is_system_bot(),
            profile_data: (view.include_profile && !user.is_bot() && !is_visitor).then(|| profile_data(user)),
        }
    }

    /// Without `is_active`, as the register reply's lists have users.
    #[must_use]
    pub fn without_activity(self) -> Self {
        Self { is_active: None, ..self }
    }
}

/// A user in a list: what is the same for all who look in the same way is written once.
#[derive(Clone, Debug)]
pub enum UserLine {
    /// Written already, at this place of the user's lines.
    Kept(Arc<User>, usize),
    /// Made for one who looks.
    Made(Box<UserRecord>),
}

impl UserLine {
    /// A user as somebody sees them; of a published realm, never in the midst of a change.
    pub fn new(realm: &Realm, user: &Arc<User>, view: UserView<'_>) -> Self {
        let make = || UserRecord::new(realm, user, view);
        if view.viewer.is_none() || view.include_profile {
            UserLine::Made(Box::new(make()))
        } else {
            Self::memoized(realm, user, view, 0, make)
        }
    }

    /// A user in the register reply's lists, which tell by themselves who is active, the service's bots aside; of a
    /// published realm too.
    pub fn of_register(realm: &Realm, user: &Arc<User>, view: UserView<'_>) -> Self {
        if user.is_system_bot() {
            return UserLine::Made(Box::new(UserRecord::new(realm, user, view)));
        }
        let make = || UserRecord::new(realm, user, view).without_activity();
        if view.viewer.is_none() {
            UserLine::Made(Box::new(make()))
        } else {
            Self::memoized(realm, user, view, 4, make)
        }
    }

    fn memoized(
        realm: &Realm,
        user: &Arc<User>,
        view: UserView<'_>,
        first: usize,
        make: impl FnOnce() -> UserRecord,
    ) -> Self {
        let sees_email = realm.can_see_email(view.viewer, user);
        let place = first + usize::from(sees_email) * 2 + usize::from(view.client_gravatar);
        user.memo.lines[place].get_or_make(|| serde_json::value::to_raw_value(&make()).unwrap_or_default());
        UserLine::Kept(user.clone(), place)
    }
}

impl Serialize for UserLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            UserLine::Kept(user, place) => {
                user.memo.lines[*place].get_or_make(|| RawValue::NULL.to_owned()).serialize(serializer)
            }
            UserLine::Made(record) => record.serialize(serializer),
        }
    }
}

impl JsonSchema for UserLine {
    fn schema_name() -> Cow<'static, str> {
        UserRecord::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        UserRecord::json_schema(generator)
    }
}

/// The picture of users that the viewer may not know of.
pub const UNKNOWN_AVATAR_URL: &str = "/static/images/unknown-user-avatar.png?v=1";

/// A user's custom profile fields by ID.
pub fn profile_data(user: &User) -> BTreeMap<String, ProfileValue> {
    let value = |(id, entry): (&crate::realm::id::ProfileFieldId, &crate::realm::user::ProfileEntry)| {
        (id.to_string(), ProfileValue { value: entry.value.clone(), rendered_value: entry.rendered.clone() })
    };
    user.profile.iter().map(value).collect()
}

/// The parts of a user's record that take work to write; of a published realm, never in the midst of a change.
pub fn written(realm: &Realm, user: &User) -> Arc<Written> {
    fn raw(value: &impl Serialize) -> Box<RawValue> {
        serde_json::value::to_raw_value(value).unwrap_or_default()
    }
    let make = || Written {
        avatar_url: raw(&avatar_url(realm, user, false)),
        date_joined: raw(&user.date_joined.to_minute()),
        profile_data: raw(&profile_data(user)),
    };
    user.memo.written.get_or_make(|| Arc::new(make())).clone()
}

/// The address of a user's picture; None when the provider's and the client computes it itself.
pub fn avatar_url_for(realm: &Realm, user: &User, client_computes: bool) -> Option<String> {
    if client_computes && user.avatar.source == AvatarSource::Provider {
        return None;
    }
    Some(avatar_url(realm, user, false))
}

/// The address of a user's picture, relative to the organization's unless it is the provider's. Ends in
/// `?v={avatar_version}` (specification, User; A-3 in docs/assumptions.md).
pub fn avatar_url(realm: &Realm, user: &User, is_medium: bool) -> String {
    let version = user.avatar.version;
    match user.avatar.source {
        AvatarSource::Uploaded { .. } => {
            let size = if is_medium { "-medium" } else { "" };
            format!("/user_avatars/{}/{}{size}.png?v={version}", realm.organization.id, avatar_file(user))
        }
        AvatarSource::Provider if user.is_system_bot() => {
            let (name, _) = user.email.split_once('@').unwrap_or((&user.email, ""));
            // A-333 in docs/assumptions.md.
            format!("/static/images/avatars/{name}.png?v={version}")
        }
        AvatarSource::Provider => provider_url(&user.email, version, is_medium),
    }
}

/// The address of a picture at the provider, found by a hash of the account's.
pub fn provider_url(email: &str, version: i64, is_medium: bool) -> String {
    let hash = hexadecimal(&Md5::digest(email.to_lowercase().as_bytes()));
    let size = if is_medium { "?s=500&v=" } else { "?v=" };
    format!("https://secure.gravatar.com/avatar/{hash}{size}{version}")
}

/// The name of an uploaded picture: 40 hexadecimal digits that change with the version.
pub fn avatar_file(user: &User) -> String {
    let mut hash =
        crate::realm::content_hash(format!("avatar of {} version {}", user.id, user.avatar.version).as_bytes());
    hash.truncate(40);
    hash
}

/// A user's status (specification, "User status"); keys that are not set are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "UserStatus")]
pub struct StatusRecord {
    /// The opposite of `presence_enabled`, if true; deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<bool>,
    /// Free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_text: Option<String>,
    /// The name of its emoji, with the next two fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_name: Option<String>,
    /// Identifier in its namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_code: Option<String>,
    /// The namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction_type: Option<crate::realm::message::ReactionType>,
}

impl StatusRecord {
    /// A user's status; who never set one has none, even when they are away.
    pub fn new(realm: &Realm, id: crate::realm::id::UserId) -> Self {
        let own = realm.user_state(id);
        let status = &own.status;
        if !status.is_known() {
            return Self::default();
        }
        let emoji = status.emoji.as_ref();
        Self {
            away: (!own.is_on(UserSetting::PresenceEnabled)).then_some(true),
            status_text: status.text.clone(),
            emoji_name: emoji.map(|emoji| emoji.emoji_name.clone()),
            emoji_code: emoji.map(|emoji| emoji.emoji_code.clone()),
            reaction_type: emoji.map(|emoji| emoji.reaction_type),
        }
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl UserRecord {
    /// A user that the viewer may not know of, for clients that need a row for everybody.
    pub fn unknown(realm: &Realm, user: &User) -> Self {
        Self {
            user_id: user.id.0,
            delivery_email: None,
            email: realm.dummy_email(user.id),
            full_name: UNKNOWN_USER_NAME.to_owned(),
            date_joined: user.date_joined.to_minute(),
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
}
