//! Adding people, and the events about new accounts.
//!
//! A choice where the API is silent: A-36 in docs/assumptions.md.

use crate::api::changes::subscriptions::subscribe;
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::send::Target;
use crate::realm::tx::Tx;
use crate::realm::user::{Avatar, AvatarSource, EmailVisibility, Role, User};
use crate::record::events::{MemberChange, RealmUserAdd};
use crate::record::user::UserRecord;
use crate::time::Span;
use imbl::{OrdMap, OrdSet};

/// The arguments of [`add_person`]. The address and the name are checked already.
pub struct NewPerson {
    /// The real email address.
    pub email: String,
    pub full_name: String,
    /// None for people who can't log in with a password.
    pub password: Option<String>,
    pub role: Role,
    /// Initial subscriptions. None: the default channels, or no channels for guests.
    pub channels: Option<Vec<ChannelId>>,
}

/// Adds a person with the organization's default settings, subscribes the person to channels, adds user messages for
/// recent messages there, and posts the notice that the person joined.
///
/// Events: those of [`emit_new_user`] and [`subscribe`], and `message` of the notice.
pub fn add_person(tx: &mut Tx, person: NewPerson) -> UserId {
    tx.realm_mut().counters.user += 1;
    let id = UserId(tx.counters.user);
    let api_key = tx.realm_mut().rng.api_key();
    let visibility_number =
        tx.organization.user_defaults.get("email_address_visibility").and_then(serde_json::Value::as_i64);
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
        email_visibility: visibility_number.and_then(EmailVisibility::from_number).unwrap_or(EmailVisibility::Everyone),
        api_key,
        password: person.password,
        can_create_users: false,
        profile: OrdMap::new(),
        cached_json: Default::default(),
    });
    let default_settings = tx.organization.user_defaults.clone();
    for (name, value) in default_settings {
        if name != "email_address_visibility" {
            tx.user_state_mut(id).settings.insert(name, value);
        }
    }
    emit_new_user(tx, id);
    let default_channels = || {
        let channels = tx.channels.values().filter(|channel| channel.is_default && !channel.is_archived);
        channels.filter(|_| person.role != Role::Guest).map(|channel| channel.id).collect()
    };
    let channels: Vec<ChannelId> = person.channels.unwrap_or_else(default_channels);
    subscribe(tx, id, &channels, None);
    add_recent_messages(tx, id, &channels);
    post_signup_notice(tx, id);
    id
}

/// Maximum number of earlier messages for which a new user gets user messages.
const MAX_RECENT_MESSAGES: usize = 1_000;
/// Maximum age of these messages, in days.
const RECENT_DAYS: i64 = 12 * 7;

/// Adds user messages for the newest messages of a new user's channels, marked as read, so that the user's views are
/// not empty. Channels whose history the user can't see are left out.
///
/// A choice where the API is silent: A-116 in docs/assumptions.md.
fn add_recent_messages(tx: &mut Tx, id: UserId, channels: &[ChannelId]) {
    let readable_channels = channels.iter().filter(|channel| tx.channels[*channel].privacy.has_public_history());
    let newest_messages = |channel: &ChannelId| {
        let messages = tx.channel_messages.get(channel).into_iter().flat_map(|messages| messages.iter().rev());
        let is_recent = |message: &MessageId| tx.messages[message].sent_at.plus(Span::from_days(RECENT_DAYS)) > tx.now;
        messages.take(MAX_RECENT_MESSAGES).take_while(is_recent).collect::<Vec<_>>()
    };
    let mut messages: Vec<MessageId> = readable_channels.flat_map(newest_messages).collect();
    messages.sort_unstable_by(|a, b| b.cmp(a));
    messages.truncate(MAX_RECENT_MESSAGES);
    for message in messages {
        tx.add_historical_user_message(id, message);
    }
}

/// Posts that a user joined, in the organization's channel for such notices. Posts nothing if there is no such channel
/// or if it is archived.
fn post_signup_notice(tx: &mut Tx, id: UserId) {
    let channel = tx.organization.signup_announcements.filter(|channel| !tx.channels[channel].is_archived);
    if let Some(channel) = channel {
        let content = format!("{} joined this organization.", tx.users[&id].silent_mention());
        let target = Target::Channel { channel, topic: "signups".to_owned() };
        tx.post_notice(id, target, content, OrdSet::new());
    }
}

/// Reports a new user.
///
/// Events: `realm_user` add to everyone who can access the user; the same with a placeholder to other guests whose
/// clients need a complete user list; `user_group` add_members for the user's system groups to everyone.
pub fn emit_new_user(tx: &mut Tx, id: UserId) {
    let user = tx.users[&id].clone();
    let audience = tx.audience_with_access_to(id);
    let lacks_access = |guest: &UserId| tx.is_active(*guest) && !audience.contains(*guest);
    let guests_without_access: OrdSet<UserId> = tx.guests().iter().copied().filter(lacks_access).collect();
    if !guests_without_access.is_empty() {
        let event = RealmUserAdd { person: UserRecord::placeholder(tx, &user) };
        let event = event.only_for(DeliveryCondition::CompleteUserList);
        tx.emit(Audience::of_users(guests_without_access), event);
    }
    tx.emit(audience, Event::new(EventKind::RealmUserAdd, Payload::UserAdd(user)));
    let mut groups: Vec<_> =
        tx.system_groups.values().copied().filter(|group| tx.groups[group].members.contains(&id)).collect();
    let full_members = tx.system_group(SystemGroup::FullMembers);
    // As for a new role, the full members' group comes last.
    groups.sort_by_key(|group| *group == full_members);
    for group in groups {
        tx.emit(tx.everyone(), MemberChange::Add.to_event(group, [id]));
    }
}
