//! Invariants of event queues, the event log and the agenda.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::model::setting::RealmSetting;
use crate::realm::scheduled::ScheduledTarget;
use crate::realm::user::Role;
use crate::time::{Span, Timestamp};
use std::collections::BTreeMap;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "queues-read-the-log",
        meaning: "A queue has an owner, and a position in the part of the event log that is kept.",
        check: check_queues_read_the_log,
    },
    Invariant {
        name: "agenda",
        meaning: "The agenda has all future items, each at its time, and nothing else.",
        check: check_agenda,
    },
    Invariant {
        name: "nothing-is-overdue",
        meaning: "No item of the agenda is overdue.",
        check: check_nothing_is_overdue,
    },
    Invariant {
        name: "planned-items-have-what-exists",
        meaning: "The users, channels and groups of reminders, scheduled messages and invitations exist.",
        check: check_planned_items_have_what_exists,
    },
];

fn check_queues_read_the_log(realm: &Realm) -> Vec<String> {
    violations_of(realm.queues.iter(), |(id, queue)| {
        let is_inside = (realm.log.first..=realm.log.end()).contains(&queue.cursor.entry);
        let is_valid =
            is_inside && queue.id == *id && queue.acknowledged_event >= -1 && realm.users.contains_key(&queue.owner);
        (!is_valid).then(|| format!("queue {id} of user {} reads at {:?}", queue.owner, queue.cursor))
    })
}

fn check_agenda(realm: &Realm) -> Vec<String> {
    let actual: BTreeMap<AgendaItem, Timestamp> = realm.agenda.iter().map(|(at, item)| (item.clone(), *at)).collect();
    let mut expected: BTreeMap<AgendaItem, Timestamp> = BTreeMap::new();
    let reminders = realm.reminders.values().filter(|reminder| !reminder.has_failed);
    expected.extend(reminders.map(|reminder| (AgendaItem::Reminder(reminder.id), reminder.deliver_at)));
    let scheduled_messages = realm.scheduled_messages.values().filter(|message| !message.has_failed);
    expected.extend(scheduled_messages.map(|message| (AgendaItem::ScheduledMessage(message.id), message.deliver_at)));
    let is_future = |at: &Timestamp| *at > realm.now;
    let links = realm.invite_links.values().filter(|link| !link.is_revoked);
    expected.extend(
        links.filter_map(|link| Some((AgendaItem::InviteLink(link.id), link.terms.expires_at.filter(is_future)?))),
    );
    let invites = realm.invites.values();
    expected.extend(
        invites.filter_map(|invite| Some((AgendaItem::Invite(invite.id), invite.terms.expires_at.filter(is_future)?))),
    );
    expected
        .extend(realm.exports.values().filter_map(|export| Some((AgendaItem::Export(export.id), export.ready_at()?))));
    let attachments = realm.attachments.values();
    expected.extend(
        attachments.filter_map(|file| Some((AgendaItem::Thumbnails(file.path_id.clone()), file.thumbnails_at?))),
    );
    expected.extend(realm.pending_previews.iter().map(|(id, at)| (AgendaItem::PagePreviews(*id), *at)));
    for queue in realm.queues.values() {
        expected.extend(queue.expires_at().map(|at| (AgendaItem::Queue(queue.id.clone()), at)));
        expected.extend(queue.next_heartbeat().map(|at| (AgendaItem::Heartbeat(queue.id.clone()), at)));
    }
    let waiting_period =
        Span::from_days(realm.organization.integer(RealmSetting::WaitingPeriodThreshold).unwrap_or_default());
    let new_members = realm
        .users
        .values()
        .filter(|user| user.role == Role::Member && !user.is_system_bot() && !realm.is_full_member(user));
    expected.extend(new_members.map(|user| (AgendaItem::FullMember(user.id), user.date_joined.plus(waiting_period))));
    mismatch("the agenda has", &actual, &expected)
}

fn check_nothing_is_overdue(realm: &Realm) -> Vec<String> {
    let overdue = realm.agenda.next().filter(|(at, _)| *at < realm.now);
    violations_of(overdue, |(at, item)| Some(format!("{item:?} was due at {at:?}")))
}

fn check_planned_items_have_what_exists(realm: &Realm) -> Vec<String> {
    let reminders = realm.reminders.values().map(|reminder| reminder.user);
    let senders = realm.scheduled_messages.values().map(|message| message.sender);
    let terms = || {
        realm.invite_links.values().map(|link| &link.terms).chain(realm.invites.values().map(|invite| &invite.terms))
    };
    let planning_users = reminders.chain(senders).chain(terms().map(|terms| terms.invited_by));
    let mut violations = violations_of(planning_users, |user| {
        (!realm.users.contains_key(&user))
            .then(|| format!("user {user} has a reminder, scheduled message or invitation, but does not exist"))
    });
    violations.extend(violations_of(realm.scheduled_messages.values(), |message| {
        let exists = match &message.to {
            ScheduledTarget::Channel { channel, .. } => realm.channels.contains_key(channel),
            ScheduledTarget::Direct { users } => users.iter().all(|user| realm.users.contains_key(user)),
        };
        (!exists).then(|| format!("scheduled message {} goes to {:?}, who don't exist", message.id, message.to))
    }));
    violations.extend(violations_of(terms(), |terms| {
        let channel = terms.channels.iter().find(|channel| !realm.channels.contains_key(*channel));
        let group = terms.groups.iter().find(|group| !realm.groups.contains_key(*group));
        (channel.is_some() || group.is_some())
            .then(|| format!("an invitation gives channel {channel:?} and group {group:?}, which don't exist"))
    }));
    violations
}
