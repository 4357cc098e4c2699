//! Users: looking them up and making them.

use super::parameter::parameters;
use super::server::is_email;
use super::{About, Access, Call, Operation, Read, Route, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::{Audience, Event, Payload};
use crate::realm::id::UserId;
use crate::realm::send::{Outgoing, Target};
use crate::realm::user::{Avatar, AvatarSource, EmailVisibility, Role, User};
use crate::record::user::{Look, ProfileValue, UserRecord, avatar_url, profile_data};
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest display name, in code points.
pub const MAX_NAME_LENGTH: usize = 100;

/// GET /users
pub struct GetUsers;

parameters! {
    /// Which users and how much of them.
    pub struct GetUsersParams {
        /// The client computes the provider's picture addresses itself.
        client_gravatar: bool = true,
        /// With the custom profile fields.
        include_custom_profile_fields: bool = false,
        /// Only these; unknown ones are left out.
        user_ids: Option<Vec<UserId>>,
    }
}

/// All users that the caller may know of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MembersReply {
    /// Bots and deactivated users too.
    pub members: Vec<UserRecord>,
}

impl Operation for GetUsers {
    const ROUTE: Route = Route::get("/users");
    const ACCESS: Access = Access::UserOrVisitor;
    const ABOUT: About =
        About { summary: "Lists the organization's users.", since: 0, is_specified: true, errors: &[], events: &[] };
    type Params = GetUsersParams;
    type Reply = MembersReply;
}

impl Read for GetUsers {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<MembersReply, Error> {
        let viewer = call.caller.as_deref();
        let look = Look {
            viewer,
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        let is_listed = |user: &&Arc<User>| {
            !user.is_system_bot() && viewer.is_none_or(|viewer| realm.can_access_user(viewer, user.id))
        };
        let record = |user: &Arc<User>| UserRecord::new(realm, user, look);
        let members = match params.user_ids {
            Some(ids) => {
                let ids: std::collections::BTreeSet<UserId> = ids.into_iter().collect();
                ids.iter().filter_map(|id| realm.user(*id)).filter(is_listed).map(record).collect()
            }
            None => realm.users.values().filter(is_listed).map(record).collect(),
        };
        Ok(MembersReply { members })
    }
}

/// GET /users/{user_id}
pub struct GetUser;

parameters! {
    /// Which user and how much of them.
    pub struct GetUserParams {
        /// The user.
        @path user_id: UserId,
        /// The client computes the provider's picture addresses itself.
        client_gravatar: bool = true,
        /// With the custom profile fields.
        include_custom_profile_fields: bool = false,
    }
}

/// One user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserReply {
    /// The user.
    pub user: UserRecord,
}

impl Operation for GetUser {
    const ROUTE: Route = Route::get("/users/{user_id}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Gives a user by ID; bots and deactivated users too.",
        since: 1,
        is_specified: false,
        errors: &["NoSuchUser", "InsufficientPermission"],
        events: &[],
    };
    type Params = GetUserParams;
    type Reply = UserReply;
}

impl Read for GetUser {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<UserReply, Error> {
        let caller = call.caller();
        let user = realm.accessible_user(caller, params.user_id)?;
        let look = Look {
            viewer: Some(caller),
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        Ok(UserReply { user: UserRecord::new(realm, user, look) })
    }
}

/// GET /users/{email}
pub struct GetUserByEmail;

parameters! {
    /// Which user and how much of them.
    pub struct GetUserByEmailParams {
        /// The real address, where the caller may see it, or the dummy `user<user_id>@<realm_host>`.
        @path email: String,
        /// The client computes the provider's picture addresses itself.
        client_gravatar: bool = true,
        /// With the custom profile fields.
        include_custom_profile_fields: bool = false,
    }
}

impl Operation for GetUserByEmail {
    const ROUTE: Route = Route::get("/users/{email}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Gives a user by real or dummy address.",
        since: 39,
        is_specified: true,
        errors: &["NoSuchUser", "InsufficientPermission"],
        events: &[],
    };
    type Params = GetUserByEmailParams;
    type Reply = UserReply;
}

impl Read for GetUserByEmail {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<UserReply, Error> {
        let caller = call.caller();
        let user = realm.user_by_api_email(caller, &params.email).ok_or(Error::NoSuchUser)?;
        let user = realm.accessible_user(caller, user.id)?;
        let look = Look {
            viewer: Some(caller),
            client_gravatar: params.client_gravatar,
            include_profile: params.include_custom_profile_fields,
        };
        Ok(UserReply { user: UserRecord::new(realm, user, look) })
    }
}

/// GET /users/me
pub struct GetOwnUser;

parameters! {
    /// Takes none.
    pub struct GetOwnUserParams {}
}

/// The caller (specification, "Own user").
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them so")]
pub struct OwnUserReply {
    /// Always an address.
    pub avatar_url: String,
    /// Cache-busting version.
    pub avatar_version: i64,
    /// Address for the API.
    pub email: String,
    /// Display name.
    pub full_name: String,
    /// Administrator or owner.
    pub is_admin: bool,
    /// Owner.
    pub is_owner: bool,
    /// Guest.
    pub is_guest: bool,
    /// Bot.
    pub is_bot: bool,
    /// Always true: others can't call.
    pub is_active: bool,
    /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
    pub role: i64,
    /// IANA identifier, "" when never set.
    pub timezone: String,
    /// ISO 8601 to the minute.
    pub date_joined: String,
    /// ID of the last message received, -1 without any; deprecated.
    pub max_message_id: i64,
    /// Unique ID.
    pub user_id: i64,
    /// Real address.
    pub delivery_email: String,
    /// Imported and not yet logged in.
    pub is_imported_stub: bool,
    /// By custom profile field ID; people only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_data: Option<BTreeMap<String, ProfileValue>>,
}

impl Operation for GetOwnUser {
    const ROUTE: Route = Route::get("/users/me");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About { summary: "Gives the caller.", since: 0, is_specified: true, errors: &[], events: &[] };
    type Params = GetOwnUserParams;
    type Reply = OwnUserReply;
}

impl Read for GetOwnUser {
    fn run(realm: &Realm, call: &Call<'_>, _params: Self::Params) -> Result<OwnUserReply, Error> {
        let user = call.caller();
        Ok(OwnUserReply {
            avatar_url: avatar_url(realm, user, false),
            avatar_version: user.avatar.version,
            email: realm.api_email(user),
            full_name: user.full_name.clone(),
            is_admin: user.is_admin(),
            is_owner: user.role == Role::Owner,
            is_guest: user.is_guest(),
            is_bot: user.is_bot(),
            is_active: user.is_active,
            role: user.role.number(),
            timezone: user.timezone.clone(),
            date_joined: user.date_joined.to_minute(),
            max_message_id: realm.newest_message_of(user.id).map_or(-1, |id| id.0),
            user_id: user.id.0,
            delivery_email: user.email.clone(),
            is_imported_stub: user.is_imported_stub,
            profile_data: (!user.is_bot()).then(|| profile_data(realm, user)),
        })
    }
}

/// POST /users
pub struct CreateUser;

parameters! {
    /// Who is to be made.
    pub struct CreateUserParams {
        /// Real address.
        email: String,
        /// At least 6 characters and hard enough to guess.
        password: String,
        /// Display name.
        full_name: String,
    }
}

/// The new user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserIdReply {
    /// Its ID.
    pub user_id: i64,
}

impl Operation for CreateUser {
    const ROUTE: Route = Route::post("/users");
    const ACCESS: Access = Access::Administrator;
    const ABOUT: About = About {
        summary: "Makes a user.",
        since: 0,
        is_specified: true,
        errors: &[
            "MayNotCreateUsers",
            "NameTooLong",
            "NameEmpty",
            "NameInvalidCharacters",
            "NameInvalidFormat",
            "NameTaken",
            "BadNameOrUsername",
            "EmailContainsPlus",
            "EmailNotAllowed",
            "EmailInUse",
            "PasswordTooWeak",
        ],
        events: &["realm_user add", "user_group add_members", "subscription peer_add", "message"],
    };
    type Params = CreateUserParams;
    type Reply = UserIdReply;
}

impl Write for CreateUser {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<UserIdReply, Error> {
        if !call.caller().can_create_users {
            return Err(Error::MayNotCreateUsers);
        }
        let full_name = checked_name(tx, &params.full_name, None)?;
        let email = checked_email(tx, &params.email)?;
        check_password(&params.password, &[&full_name, &email])?;

        let user_id =
            add_person(tx, NewPerson { email, full_name, password: Some(params.password), role: Role::Member });
        Ok(UserIdReply { user_id: user_id.0 })
    }
}

/// A display name, trimmed, as it may be stored; `of` is the account that has it already, if any.
///
/// # Errors
///
/// In this order: `NameTooLong`, `NameEmpty`, `NameInvalidCharacters`, `NameInvalidFormat`, `NameTaken`.
pub fn checked_name(realm: &Realm, name: &str, of: Option<UserId>) -> Result<String, Error> {
    let name = name.trim();
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(Error::NameTooLong);
    }
    if name.is_empty() {
        return Err(Error::NameEmpty);
    }
    let is_invalid = |character: char| character.is_control() || "*`\\>\"@".contains(character);
    if name.contains(is_invalid) {
        return Err(Error::NameInvalidCharacters);
    }
    let ends_like_a_mention = name
        .rsplit_once('|')
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if ends_like_a_mention {
        return Err(Error::NameInvalidFormat);
    }
    let folded = name.to_lowercase();
    let is_taken = || realm.users.values().any(|user| Some(user.id) != of && user.full_name.to_lowercase() == folded);
    if realm.organization.is_on("require_unique_names") && is_taken() {
        return Err(Error::NameTaken);
    }
    Ok(name.to_owned())
}

/// An address as it may be stored.
///
/// # Errors
///
/// In this order: `BadNameOrUsername`, `EmailContainsPlus`, `EmailNotAllowed`, `EmailInUse`.
pub fn checked_email(realm: &Realm, email: &str) -> Result<String, Error> {
    let email = email.trim();
    if !is_email(email) {
        return Err(Error::BadNameOrUsername);
    }
    let (name, domain) = email.rsplit_once('@').unwrap_or_default();
    let domain = domain.to_lowercase();
    let is_of = |(allowed, with_subdomains): &(String, bool)| {
        domain == *allowed || (*with_subdomains && domain.ends_with(&format!(".{allowed}")))
    };
    if realm.organization.is_on("emails_restricted_to_domains") {
        if name.contains('+') {
            return Err(Error::EmailContainsPlus);
        }
        if !realm.organization.domains.iter().any(is_of) {
            return Err(Error::EmailNotAllowed { email: email.into() });
        }
    }
    if realm.user_by_email(email).is_some() {
        return Err(Error::EmailInUse);
    }
    Ok(email.to_owned())
}

/// Whether a password is long enough and would take 10,000 guesses.
///
/// # Errors
///
/// `PasswordTooWeak`.
pub fn check_password(password: &str, known: &[&str]) -> Result<(), Error> {
    let has_length = (6..=100).contains(&password.chars().count());
    if has_length && zxcvbn::zxcvbn(password, known).guesses() >= 10_000 { Ok(()) } else { Err(Error::PasswordTooWeak) }
}

/// A person to be added.
pub struct NewPerson {
    /// Real address, checked.
    pub email: String,
    /// Display name, checked.
    pub full_name: String,
    /// None for those who can't log in with one.
    pub password: Option<String>,
    /// Place in the hierarchy.
    pub role: Role,
}

/// Adds a person with the organization's defaults, puts them into its default channels (but for guests), sends the
/// events and then the notice that somebody joined.
pub fn add_person(tx: &mut Tx, person: NewPerson) -> UserId {
    tx.realm_mut().counters.user += 1;
    let id = UserId(tx.counters.user);
    let api_key = tx.realm_mut().chance.api_key();
    let visibility = tx.organization.user_defaults.get("email_address_visibility").and_then(serde_json::Value::as_i64);
    let now = tx.now;
    tx.add_user(User {
        id,
        email: person.email,
        full_name: person.full_name,
        role: person.role,
        is_active: true,
        is_imported_stub: false,
        is_deleted: false,
        bot: None,
        date_joined: now,
        joins_at_first_login: true,
        timezone: String::new(),
        avatar: Avatar { source: AvatarSource::Provider, version: 1 },
        email_visibility: visibility.and_then(EmailVisibility::from_number).unwrap_or(EmailVisibility::Everyone),
        api_key,
        password: person.password,
        can_create_users: false,
        profile: OrdMap::new(),
    });
    let defaults = tx.organization.user_defaults.clone();
    for (name, value) in defaults {
        if name != "email_address_visibility" {
            tx.own_mut(id).settings.insert(name, value);
        }
    }
    announce_user(tx, id);
    if person.role != Role::Guest {
        let channels = tx.channels.values().filter(|channel| channel.is_default && !channel.is_archived);
        let channels: Vec<_> = channels.map(|channel| channel.id).collect();
        super::subscribing::subscribe(tx, id, &channels, None);
    }
    send_signup_notice(tx, id);
    id
}

/// Says in the organization's channel for it that somebody joined.
fn send_signup_notice(tx: &mut Tx, id: UserId) {
    let channel = tx.organization.signup_announcements.filter(|channel| !tx.channels[channel].is_archived);
    if let (Some(channel), Some(bot)) = (channel, tx.notification_bot()) {
        let content = format!("@_**{}|{id}** joined this organization.", tx.users[&id].full_name);
        let to = Target::Channel { channel, topic: "signups".to_owned() };
        // A notice that its channel does not take is dropped: the user is there all the same.
        let _ = tx.send(Outgoing::from_server(bot, to, content));
    }
}

/// Tells everybody of a new user and of the system groups that it is in.
pub fn announce_user(tx: &mut Tx, id: UserId) {
    let user = tx.users[&id].clone();
    let audience = who_can_access(tx, id);
    tx.emit(audience, Event::new("realm_user", Some("add"), Payload::UserAdd(user)));
    let groups: Vec<_> =
        tx.system_groups.values().copied().filter(|group| tx.groups[group].members.contains(&id)).collect();
    for group in groups {
        let audience = tx.everyone();
        tx.emit(
            audience,
            Event::shaped("user_group", Some("add_members"), json!({"group_id": group, "user_ids": [id]})),
        );
    }
}

/// What happens when somebody imported or made through the API logs in for the first time.
pub fn first_login(tx: &mut Tx, id: UserId) {
    let now = tx.now;
    let was_stub = tx.users[&id].is_imported_stub;
    let user = tx.user_mut(id);
    user.is_imported_stub = false;
    user.joins_at_first_login = false;
    user.date_joined = now;
    let date_joined = user.date_joined.to_minute();
    tx.schedule_full_membership(id);
    let audience = who_can_access(tx, id);
    if was_stub {
        tx.emit(audience.clone(), person_update(json!({"user_id": id, "is_imported_stub": false})));
    }
    tx.emit(audience, person_update(json!({"user_id": id, "date_joined": date_joined})));
}

/// A `realm_user` update; `person` is the user's ID and what changed.
pub fn person_update(person: serde_json::Value) -> Event {
    Event::shaped("realm_user", Some("update"), json!({ "person": person }))
}

/// Everybody who may know of a user.
pub fn who_can_access(realm: &Realm, id: UserId) -> Audience {
    let is_blind = |guest: &&UserId| !realm.user(**guest).is_some_and(|viewer| realm.can_access_user(viewer, id));
    let blind: imbl::OrdSet<UserId> = realm.guests().iter().filter(is_blind).copied().collect();
    realm.everyone().except_all(&blind)
}
