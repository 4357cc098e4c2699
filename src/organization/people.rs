//! Users, as the account sees them.

use super::directory::{Directory, fitting};
use super::json::Json;
use super::own;
use super::pictures;
use crate::fixture::format::{Avatar, Blob, Bot, FieldKind, Presence, ProfileValue, Status, SystemBot, User};
use crate::realm::picture;
use crate::realm::user::{BotKind, EmailVisibility, Role, SystemBotKind};
use crate::time::Timestamp;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// The list of the register reply that a user is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Active users.
    Active,
    /// Deactivated ones.
    Former,
    /// The service's own bots.
    System,
    /// In none: the user is only known from messages.
    Unseen,
}

/// What other replies say about users.
pub struct Context<'a> {
    /// The register reply.
    pub register: &'a Value,
    /// When users were active and had a client open, in Unix seconds.
    pub presences: &'a HashMap<i64, (i64, i64)>,
    /// Kinds of the profile fields, and the choices of those that have some.
    pub fields: &'a BTreeMap<i64, (FieldKind, Vec<String>)>,
    /// Which users are bots or deactivated, so that they own no bots.
    pub no_owners: &'a std::collections::HashSet<i64>,
    /// The organization's host.
    pub host: &'a str,
    /// The role of the account.
    pub role: Role,
    /// By user, what only administrators see of others: the consent to exports, and who sees the address.
    pub consents: &'a HashMap<i64, Value>,
}

/// A user.
pub fn user(
    record: &Value,
    list: List,
    avatar: Option<&[u8]>,
    context: &Context<'_>,
    directory: &Directory,
) -> Option<User> {
    let id = record.int("user_id")?;
    let names = directory.users.get(&id)?;
    let mut user = User::named(names.handle.clone(), names.full_name.new.clone());
    user.id = Some(id);
    user.role = role(record);
    user.joined = directory.past(joined(record).unwrap_or(directory.reference));
    user.deactivated = list == List::Former || record["is_active"] == false;
    user.deleted = record.flag("is_deleted");
    user.imported_stub = record.flag("is_imported_stub");
    let timezone = record.text("timezone");
    if jiff::tz::TimeZone::get(timezone).is_ok() {
        user.timezone = timezone.to_owned();
    }
    address(&mut user, record, context, directory);
    if let Some(consent) = context.consents.get(&id) {
        add_consent(&mut user, consent);
    }
    user.bot = bot(record, list, context, directory);
    user.avatar = avatar.and_then(|bytes| self::avatar(id, bytes, record, directory));
    if user.bot.is_none() {
        user.profile = profile(record, context, directory);
    }
    user.status = status(&context.register["user_status"][id.to_string()], directory);
    user.presence = context.presences.get(&id).and_then(|times| presence(*times, directory));
    if id == directory.own {
        own::add(&mut user, context.register, directory);
    }
    Some(user)
}

/// The role of a user in a record.
pub fn role(record: &Value) -> Role {
    record.int("role").and_then(Role::from_number).unwrap_or(match () {
        () if record.flag("is_owner") => Role::Owner,
        () if record.flag("is_admin") => Role::Administrator,
        () if record.flag("is_guest") => Role::Guest,
        () => Role::Member,
    })
}

/// The time of joining, in Unix seconds, from `2025-01-01T00:00+00:00`, with or without seconds.
pub fn joined(record: &Value) -> Option<i64> {
    let text = record.text("date_joined");
    let with_seconds = text.get(..16).zip(text.get(16..)).map(|(minute, offset)| format!("{minute}:00{offset}"));
    let parsed = Timestamp::parse(text).ok().or_else(|| Timestamp::parse(&with_seconds?).ok());
    parsed.map(Timestamp::seconds)
}

/// Sets the address and who may see it, as far as the record shows that.
fn address(user: &mut User, record: &Value, context: &Context<'_>, directory: &Directory) {
    let shown = record.text("email");
    let real = record["delivery_email"].as_str();
    let email = real.unwrap_or(shown);
    // Handles are distinct, which drawn addresses need not be.
    let email = match &directory.anonymizer {
        Some(anonymizer) => format!("{}@{}", user.handle, anonymizer.host(email)),
        None => email.to_owned(),
    };
    let host = directory
        .anonymizer
        .as_ref()
        .map_or_else(|| context.host.to_owned(), |anonymizer| anonymizer.host(context.host));
    let is_address = email.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !host.contains('@') && !email.contains(char::is_whitespace)
    });
    if is_address && email != format!("{}@{host}", user.handle) {
        user.email = Some(email);
    }
    user.email_visibility = match real {
        None => EmailVisibility::Nobody,
        Some(real) if real == shown => EmailVisibility::Everyone,
        Some(_) if context.role <= Role::Administrator => EmailVisibility::Administrators,
        Some(_) if context.role == Role::Moderator => EmailVisibility::Moderators,
        Some(_) => EmailVisibility::Members,
    };
}

/// Adds two settings of another user, which only administrators see.
fn add_consent(user: &mut User, consent: &Value) {
    let visibility = consent.int("email_address_visibility").and_then(EmailVisibility::from_number);
    user.email_visibility = visibility.unwrap_or(user.email_visibility);
    if consent.flag("consented") {
        user.settings.insert("allow_private_data_export".to_owned(), true.into());
    }
}

fn bot(record: &Value, list: List, context: &Context<'_>, directory: &Directory) -> Option<Bot> {
    let is_system = list == List::System || record.flag("is_system_bot");
    if !record.flag("is_bot") && !is_system {
        return None;
    }
    let id = record.int("user_id")?;
    let details = context.register.list("realm_bots").iter().find(|bot| bot.int("user_id") == Some(id));
    let details = details.unwrap_or(&Value::Null);
    let kind = match record.int("bot_type") {
        Some(2) => BotKind::IncomingWebhook,
        Some(3) => BotKind::OutgoingWebhook,
        Some(4) => BotKind::Embedded,
        _ => BotKind::Generic,
    };
    let owner = record.int("bot_owner_id").filter(|owner| !is_system && !context.no_owners.contains(owner));
    let channel = |key: &str| directory.channel(details.int(key)?);
    Some(Bot {
        kind,
        owner: owner.and_then(|owner| directory.handle(owner)),
        system: if is_system { task(record.text("email")) } else { SystemBot::Flag(false) },
        services: details.list("services").iter().filter_map(|service| self::service(service, directory)).collect(),
        default_sending_channel: named_channel(details, "default_sending_stream", directory)
            .or_else(|| channel("default_sending_stream")),
        default_events_channel: named_channel(details, "default_events_register_stream", directory)
            .or_else(|| channel("default_events_register_stream")),
        default_all_public_channels: details.flag("default_all_public_streams"),
    })
}

fn named_channel(details: &Value, key: &str, directory: &Directory) -> Option<String> {
    directory.channels.renamed(details[key].as_str()?).map(|name| name.new.clone())
}

/// The kind of a system bot, by its address.
fn task(email: &str) -> SystemBot {
    match email.split('@').next().unwrap_or_default() {
        "notification-bot" => SystemBot::Named(SystemBotKind::Notification),
        "welcome-bot" => SystemBot::Named(SystemBotKind::Welcome),
        "emailgateway" | "email-gateway" => SystemBot::Named(SystemBotKind::EmailGateway),
        _ => SystemBot::Flag(true),
    }
}

/// The service of an outgoing or embedded bot, without its token, which is a secret.
fn service(service: &Value, directory: &Directory) -> Option<Map<String, Value>> {
    let mut service = service.as_object()?.clone();
    if service.contains_key("token") {
        service.insert("token".to_owned(), "not-exported".into());
    }
    if let Some(url) = service.get("base_url").and_then(Value::as_str).map(|url| directory.link(url)) {
        service.insert("base_url".to_owned(), url.into());
    }
    if let Some(Value::Object(config)) = service.get("config_data").cloned() {
        let drawn = config.into_iter().map(|(key, value)| match value {
            Value::String(text) => (key, directory.text(&text).into()),
            other => (key, other),
        });
        service.insert("config_data".to_owned(), Value::Object(drawn.collect()));
    }
    Some(service)
}

fn avatar(id: i64, bytes: &[u8], record: &Value, directory: &Directory) -> Option<Avatar> {
    picture::extension(bytes)?;
    let picture = match &directory.anonymizer {
        Some(anonymizer) => Blob::of(&pictures::drawn(Some(anonymizer), &format!("avatar {id}"), bytes)),
        None => Blob::of(bytes),
    };
    Some(Avatar { picture, medium: None, version: record.int("avatar_version").unwrap_or(2).max(1) })
}

fn profile(record: &Value, context: &Context<'_>, directory: &Directory) -> BTreeMap<String, ProfileValue> {
    let mut profile = BTreeMap::new();
    for (id, entry) in record["profile_data"].as_object().into_iter().flatten() {
        let Some(id) = id.parse().ok() else { continue };
        let (Some(name), Some((kind, choices))) = (directory.fields.get(id), context.fields.get(&id)) else { continue };
        let value = entry.text("value");
        let value = match kind {
            FieldKind::Users => {
                let users: Vec<i64> = serde_json::from_str(value).unwrap_or_default();
                ProfileValue::Users(directory.handles(users))
            }
            FieldKind::Choice if !choices.iter().any(|choice| choice == value) => continue,
            FieldKind::Choice => ProfileValue::Text(directory.text(value)),
            FieldKind::Date => match value.parse::<jiff::civil::Date>() {
                Ok(_) => ProfileValue::Text(date(value, directory)),
                Err(_) => continue,
            },
            FieldKind::Link => ProfileValue::Text(directory.link(value)),
            FieldKind::Paragraph => ProfileValue::Text(directory.markdown(value)),
            _ => ProfileValue::Text(directory.text(value)),
        };
        profile.insert(name.to_owned(), value);
    }
    profile
}

fn date(date: &str, directory: &Directory) -> String {
    let Some(anonymizer) = &directory.anonymizer else { return date.to_owned() };
    let mut chance = anonymizer.chance(date);
    format!("{}-{:02}-{:02}", 1950 + chance.below(55), 1 + chance.below(12), 1 + chance.below(28))
}

fn status(source: &Value, directory: &Directory) -> Option<Status> {
    let text = Some(source.text("status_text")).filter(|text| !text.is_empty());
    let emoji = directory.emoji_of(source);
    (text.is_some() || emoji.is_some())
        .then(|| Status { text: text.map(|text| fitting(&directory.text(text), 60)), emoji })
}

fn presence((active, connected): (i64, i64), directory: &Directory) -> Option<Presence> {
    let when = |at: i64| (at > 0).then(|| directory.past(at));
    let presence = Presence { active: when(active), connected: when(connected).filter(|_| connected != active) };
    (presence.active.is_some() || presence.connected.is_some()).then_some(presence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_time_of_joining_is_read_with_seconds_or_without() {
        for text in ["2025-01-01T00:00+00:00", "2025-01-01T00:00:00+00:00", "2025-01-01T00:00:00.123456+00:00"] {
            assert_eq!(joined(&json!({"date_joined": text})), Some(1_735_689_600), "{text}");
        }
        assert_eq!(joined(&json!({"date_joined": ""})), None);
    }
}
