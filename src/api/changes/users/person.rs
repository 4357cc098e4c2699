//! Adding people, telling of new accounts, and what happens when somebody logs in for the first time.
//!
//! A choice where the API is silent: A-36 in docs/assumptions.md.

use crate::api::changes::subscriptions::subscribe;
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::send::Target;
use crate::realm::tx::Tx;
use crate::realm::user::{Avatar, AvatarSource, EmailVisibility, Role, User};
use crate::record::events::{MemberChange, PersonUpdate, RealmUserAdd};
use crate::record::user::UserRecord;
use crate::time::Span;
use imbl::{OrdMap, OrdSet};

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
    /// Channels to be subscribed to; None: the organization's default ones, but for guests.
    pub channels: Option<Vec<ChannelId>>,
}

/// Adds a person with the organization's defaults, subscribes them to channels, sends the events and then the notice
/// that somebody joined.
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
        memo: Default::default(),
    });
    let defaults = tx.organization.user_defaults.clone();
    for (name, value) in defaults {
        if name != "email_address_visibility" {
            tx.user_state_mut(id).settings.insert(name, value);
        }
    }
    announce_user(tx, id);
    let defaults = || {
        let channels = tx.channels.values().filter(|channel| channel.is_default && !channel.is_archived);
        channels.filter(|_| person.role != Role::Guest).map(|channel| channel.id).collect()
    };
    let channels: Vec<ChannelId> = person.channels.unwrap_or_else(defaults);
    subscribe(tx, id, &channels, None);
    give_history(tx, id, &channels);
    send_signup_notice(tx, id);
    id
}

/// Most messages from before that a new user gets.
const MAX_HISTORY: usize = 1_000;
/// How old they may be, in days.
const HISTORY_DAYS: i64 = 12 * 7;

/// Gives a new user the newest messages of their channels as if they had read them, so that there is something to look
/// at; of channels whose history they may see.
///
/// A choice where the API is silent: A-116 in docs/assumptions.md.
fn give_history(tx: &mut Tx, id: UserId, channels: &[ChannelId]) {
    let open = channels.iter().filter(|channel| tx.channels[*channel].privacy.has_public_history());
    let newest = |channel: &ChannelId| {
        let messages = tx.channel_messages.get(channel).into_iter().flat_map(|messages| messages.iter().rev());
        let is_young = |message: &MessageId| tx.messages[message].sent_at.plus(Span::days(HISTORY_DAYS)) > tx.now;
        messages.take(MAX_HISTORY).take_while(is_young).collect::<Vec<_>>()
    };
    let mut messages: Vec<MessageId> = open.flat_map(newest).collect();
    messages.sort_unstable_by(|one, other| other.cmp(one));
    messages.truncate(MAX_HISTORY);
    for message in messages {
        tx.add_row(id, message);
    }
}

/// Says in the organization's channel for it that somebody joined.
fn send_signup_notice(tx: &mut Tx, id: UserId) {
    let channel = tx.organization.signup_announcements.filter(|channel| !tx.channels[channel].is_archived);
    if let Some(channel) = channel {
        let content = format!("{} joined this organization.", tx.users[&id].silent_mention());
        let to = Target::Channel { channel, topic: "signups".to_owned() };
        tx.notify(id, to, content, OrdSet::new());
    }
}

/// Tells everybody of a new user and of the system groups that it is in; guests who may not know of the user, of
/// somebody unknown, unless their clients do with an incomplete list.
pub fn announce_user(tx: &mut Tx, id: UserId) {
    let user = tx.users[&id].clone();
    let audience = tx.who_can_access(id);
    let is_blind = |guest: &UserId| tx.is_active(*guest) && !audience.contains(*guest);
    let blind: OrdSet<UserId> = tx.guests().iter().copied().filter(is_blind).collect();
    if !blind.is_empty() {
        let event = RealmUserAdd { person: UserRecord::unknown(tx, &user) };
        let event = event.only_for(DeliveryCondition::CompleteUserList);
        tx.emit(Audience::of(blind), event);
    }
    tx.emit(audience, Event::new(EventKind::RealmUserAdd, Payload::UserAdd(user)));
    let mut groups: Vec<_> =
        tx.system_groups.values().copied().filter(|group| tx.groups[group].members.contains(&id)).collect();
    let full_members = tx.system_group(SystemGroup::FullMembers);
    groups.sort_by_key(|group| *group == full_members);
    for group in groups {
        tx.emit(tx.everyone(), MemberChange::Add.event(group, [id]));
    }
}

/// What happens when somebody imported or made through the API logs in for the first time.
pub fn first_login(tx: &mut Tx, id: UserId, moves_date_joined: bool) {
    let now = tx.now;
    let was_stub = tx.users[&id].is_imported_stub;
    let user = tx.user_mut(id);
    user.is_imported_stub = false;
    user.joins_at_first_login = false;
    if moves_date_joined {
        user.date_joined = now;
    }
    let date_joined = user.date_joined.to_minute();
    let audience = tx.who_can_access(id);
    if was_stub {
        tx.emit(audience.clone(), PersonUpdate::IsImportedStub { user_id: id, is_imported_stub: false });
    }
    if moves_date_joined {
        tx.emit(audience, PersonUpdate::DateJoined { user_id: id, date_joined });
        // Who joins only now is no full member until the waiting period is over.
        tx.settle_full_members(OrdSet::unit(id));
    }
}
