//! Converts users to those of a fixture, as the account sees them.

use super::directory::{Directory, to_valid_text};
use super::json::JsonFields;
use super::personal_data;
use super::pictures;
use super::profile_fields::FieldChoices;
use crate::api::statuses::MAX_STATUS_TEXT_LENGTH;
use crate::fixture::format::{Avatar, Blob, Bot, FieldKind, Presence, ProfileValue, Status, SystemBot, User};
use crate::realm::picture;
use crate::realm::user::{BotKind, EmailVisibility, Role, SystemBotKind};
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The list of the register reply in which a user is, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserList {
    Active,
    Deactivated,
    /// `cross_realm_bots`: the bots of the service.
    SystemBots,
    /// In no list: the user is only known from messages, or is a placeholder for an owner.
    Unlisted,
}

/// Data about users from other records.
pub struct UserContext<'a> {
    pub register_reply: &'a Value,
    /// By user, the times at which the user was last active and last had a client open, in UNIX seconds.
    pub presences: &'a HashMap<i64, (i64, i64)>,
    /// The kinds and the choices of the profile fields, by ID.
    pub fields: &'a BTreeMap<i64, FieldChoices>,
    /// Bots and deactivated users, who cannot own bots.
    pub ineligible_bot_owners: &'a HashSet<i64>,
    /// The domain of the bots' addresses, or the host of the organization's URL if it is unknown.
    pub host: &'a str,
    /// The role of the account.
    pub role: Role,
    /// By user, records that only administrators see: the consent to exports, and who sees the email address.
    pub consents: &'a HashMap<i64, Value>,
}

/// Converts a user; None if the directory does not have the user.
pub fn convert_user(
    record: &Value,
    list: UserList,
    avatar: Option<&[u8]>,
    context: &UserContext<'_>,
    directory: &Directory,
) -> Option<User> {
    let id = record.integer("user_id")?;
    let names = directory.users.get(&id)?;
    let mut user = User::named(names.handle.clone(), names.full_name.fixture_name.clone());
    user.id = Some(id);
    user.role = role_of_user(record);
    user.joined = directory.convert_past_time(parse_date_joined(record).unwrap_or(directory.reference_time));
    user.deactivated = list == UserList::Deactivated || record["is_active"] == false;
    user.deleted = record.boolean("is_deleted");
    user.imported_stub = record.boolean("is_imported_stub");
    let timezone = record.text("timezone");
    if jiff::tz::TimeZone::get(timezone).is_ok() {
        user.timezone = timezone.to_owned();
    }
    set_email(&mut user, record, context, directory);
    if let Some(consent) = context.consents.get(&id) {
        set_consent(&mut user, consent);
    }
    user.bot = convert_bot(record, list, context, directory);
    user.avatar = avatar.and_then(|bytes| convert_avatar(id, bytes, record, directory));
    if user.bot.is_none() {
        user.profile = convert_profile(record, context, directory);
    }
    user.status = convert_status(&context.register_reply["user_status"][id.to_string()], directory);
    user.presence = context.presences.get(&id).and_then(|times| convert_presence(*times, directory));
    if id == directory.own_id {
        personal_data::add_personal_data(&mut user, context.register_reply, directory);
    }
    Some(user)
}

/// The role of a user. Below level 59, records have booleans instead of it.
pub fn role_of_user(record: &Value) -> Role {
    record.integer("role").and_then(Role::from_number).unwrap_or(match () {
        () if record.boolean("is_owner") => Role::Owner,
        () if record.boolean("is_admin") => Role::Administrator,
        () if record.boolean("is_guest") => Role::Guest,
        () => Role::Member,
    })
}

/// Parses `date_joined`, such as `2025-01-01T00:00+00:00`, with or without seconds. Returns UNIX seconds; None if it is
/// missing or malformed.
pub fn parse_date_joined(record: &Value) -> Option<i64> {
    let text = record.text("date_joined");
    let with_seconds = text.get(..16).zip(text.get(16..)).map(|(minute, offset)| format!("{minute}:00{offset}"));
    let timestamp = Timestamp::parse(text).ok().or_else(|| Timestamp::parse(&with_seconds?).ok());
    timestamp.map(Timestamp::seconds)
}

/// Sets the email address and its visibility, as far as the record shows it.
fn set_email(user: &mut User, record: &Value, context: &UserContext<'_>, directory: &Directory) {
    let api_email = record.text("email");
    let delivery_email = record["delivery_email"].as_str();
    let email = delivery_email.unwrap_or(api_email);
    // An anonymous address is made of the handle, because handles are distinct and anonymized addresses may not be.
    let email = match &directory.anonymizer {
        Some(anonymizer) => format!("{}@{}", user.handle, anonymizer.anonymize_host(email)),
        None => email.to_owned(),
    };
    let host = directory
        .anonymizer
        .as_ref()
        .map_or_else(|| context.host.to_owned(), |anonymizer| anonymizer.anonymize_host(context.host));
    let is_valid = email.split_once('@').is_some_and(|(local_part, domain)| {
        !local_part.is_empty() && !domain.is_empty() && !domain.contains('@') && !email.contains(char::is_whitespace)
    });
    if is_valid && email != format!("{}@{host}", user.handle) {
        user.email = Some(email);
    }
    user.email_visibility = match delivery_email {
        None => EmailVisibility::Nobody,
        Some(delivery_email) if delivery_email == api_email => EmailVisibility::Everyone,
        Some(_) if context.role <= Role::Administrator => EmailVisibility::Administrators,
        Some(_) if context.role == Role::Moderator => EmailVisibility::Moderators,
        Some(_) => EmailVisibility::Members,
    };
}

/// Sets the consent to exports and the visibility of the email address, which only administrators see of others.
fn set_consent(user: &mut User, consent: &Value) {
    let visibility = consent.integer("email_address_visibility").and_then(EmailVisibility::from_number);
    user.email_visibility = visibility.unwrap_or(user.email_visibility);
    if consent.boolean("consented") {
        user.settings.insert("allow_private_data_export".to_owned(), true.into());
    }
}

fn convert_bot(record: &Value, list: UserList, context: &UserContext<'_>, directory: &Directory) -> Option<Bot> {
    let is_system = list == UserList::SystemBots || record.boolean("is_system_bot");
    if !record.boolean("is_bot") && !is_system {
        return None;
    }
    let id = record.integer("user_id")?;
    let bot_records = context.register_reply.list("realm_bots");
    let bot_record = bot_records.iter().find(|bot| bot.integer("user_id") == Some(id)).unwrap_or(&Value::Null);
    let kind = match record.integer("bot_type") {
        Some(2) => BotKind::IncomingWebhook,
        Some(3) => BotKind::OutgoingWebhook,
        Some(4) => BotKind::Embedded,
        _ => BotKind::Generic,
    };
    let owner =
        record.integer("bot_owner_id").filter(|owner| !is_system && !context.ineligible_bot_owners.contains(owner));
    let channel = |key: &str| directory.channel_name(bot_record.integer(key)?);
    Some(Bot {
        kind,
        owner: owner.and_then(|owner| directory.handle(owner)),
        system: if is_system { system_bot_kind(record.text("email")) } else { SystemBot::Flag(false) },
        services: bot_record
            .list("services")
            .iter()
            .filter_map(|service| convert_service(service, directory))
            .collect(),
        default_sending_channel: channel_by_name(bot_record, "default_sending_stream", directory)
            .or_else(|| channel("default_sending_stream")),
        default_events_channel: channel_by_name(bot_record, "default_events_register_stream", directory)
            .or_else(|| channel("default_events_register_stream")),
        default_all_public_channels: bot_record.boolean("default_all_public_streams"),
    })
}

fn channel_by_name(bot_record: &Value, key: &str, directory: &Directory) -> Option<String> {
    directory.channels.find(bot_record[key].as_str()?).map(|names| names.fixture_name.clone())
}

/// The kind of a system bot by its email address.
fn system_bot_kind(email: &str) -> SystemBot {
    match email.split('@').next().unwrap_or_default() {
        "notification-bot" => SystemBot::Kind(SystemBotKind::Notification),
        "welcome-bot" => SystemBot::Kind(SystemBotKind::Welcome),
        "emailgateway" | "email-gateway" => SystemBot::Kind(SystemBotKind::EmailGateway),
        _ => SystemBot::Flag(true),
    }
}

/// Converts the service of an outgoing webhook or embedded bot. Its secret token is replaced.
fn convert_service(service: &Value, directory: &Directory) -> Option<Map<String, Value>> {
    let mut service = service.as_object()?.clone();
    if service.contains_key("token") {
        service.insert("token".to_owned(), "not-exported".into());
    }
    if let Some(url) = service.get("base_url").and_then(Value::as_str).map(|url| directory.convert_url(url)) {
        service.insert("base_url".to_owned(), url.into());
    }
    if let Some(Value::Object(config)) = service.get("config_data").cloned() {
        let converted_entries = config.into_iter().map(|(key, value)| match value {
            Value::String(text) => (key, directory.convert_text(&text).into()),
            other => (key, other),
        });
        service.insert("config_data".to_owned(), Value::Object(converted_entries.collect()));
    }
    Some(service)
}

fn convert_avatar(id: i64, bytes: &[u8], record: &Value, directory: &Directory) -> Option<Avatar> {
    picture::extension(bytes)?;
    let picture = match &directory.anonymizer {
        Some(anonymizer) => {
            Blob::from_bytes(&pictures::plain_picture(Some(anonymizer), &format!("avatar {id}"), bytes))
        }
        None => Blob::from_bytes(bytes),
    };
    // In fixtures, the version is 2 by default, and at least 1.
    let version = record.integer("avatar_version").unwrap_or(2).max(1);
    Some(Avatar { picture, medium: None, version })
}

fn convert_profile(record: &Value, context: &UserContext<'_>, directory: &Directory) -> BTreeMap<String, ProfileValue> {
    let mut profile = BTreeMap::new();
    for (id, entry) in record["profile_data"].as_object().into_iter().flatten() {
        let Some(id) = id.parse().ok() else { continue };
        let (Some(name), Some(field)) = (directory.profile_fields.get(id), context.fields.get(&id)) else { continue };
        let value = entry.text("value");
        let value = match field.kind {
            FieldKind::Users => {
                let users: Vec<i64> = serde_json::from_str(value).unwrap_or_default();
                ProfileValue::Users(directory.handles(users))
            }
            FieldKind::Choice if !field.choices.iter().any(|choice| choice == value) => continue,
            FieldKind::Choice => ProfileValue::Text(directory.convert_text(value)),
            FieldKind::Date => match value.parse::<jiff::civil::Date>() {
                Ok(_) => ProfileValue::Text(convert_date(value, directory)),
                Err(_) => continue,
            },
            FieldKind::Link => ProfileValue::Text(directory.convert_url(value)),
            FieldKind::Paragraph => ProfileValue::Text(directory.convert_markdown(value)),
            _ => ProfileValue::Text(directory.convert_text(value)),
        };
        profile.insert(name.to_owned(), value);
    }
    profile
}

fn convert_date(date: &str, directory: &Directory) -> String {
    let Some(anonymizer) = &directory.anonymizer else { return date.to_owned() };
    let mut generator = anonymizer.random_generator_for(date);
    format!("{}-{:02}-{:02}", 1950 + generator.below(55), 1 + generator.below(12), 1 + generator.below(28))
}

fn convert_status(record: &Value, directory: &Directory) -> Option<Status> {
    let text = Some(record.text("status_text")).filter(|text| !text.is_empty());
    let emoji = directory.emoji_name(record);
    (text.is_some() || emoji.is_some()).then(|| Status {
        text: text.map(|text| to_valid_text(&directory.convert_text(text), MAX_STATUS_TEXT_LENGTH)),
        emoji,
    })
}

fn convert_presence((active, connected): (i64, i64), directory: &Directory) -> Option<Presence> {
    let past_time = |at: i64| (at > 0).then(|| directory.convert_past_time(at));
    let presence =
        Presence { active: past_time(active), connected: past_time(connected).filter(|_| connected != active) };
    (presence.active.is_some() || presence.connected.is_some()).then_some(presence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn date_joined_is_parsed_with_and_without_seconds() {
        for text in ["2025-01-01T00:00+00:00", "2025-01-01T00:00:00+00:00", "2025-01-01T00:00:00.123456+00:00"] {
            assert_eq!(parse_date_joined(&json!({"date_joined": text})), Some(1_735_689_600), "{text}");
        }
        assert_eq!(parse_date_joined(&json!({"date_joined": ""})), None);
    }
}
