//! Invariants of IDs and counters.

use super::{Invariant, violations_of};
use crate::realm::Realm;
use crate::realm::personal::PERSONAL_ITEM_KINDS;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "keys-are-ids",
        meaning: "An object that is stored under an ID has that ID.",
        check: check_keys_are_ids,
    },
    Invariant {
        name: "counters-are-ahead",
        meaning: "IDs start at 1, and none is above the last one assigned to its kind.",
        check: check_counters_are_ahead,
    },
    Invariant {
        name: "numbers-are-in-range",
        meaning: "Counters, versions and positions are from 0 to 2^53, up to which JSON readers are exact.",
        check: check_numbers_are_in_range,
    },
];

/// A kind of object: its name in violations, the key and the ID of each object, and the last ID that was assigned.
type IdKind = (&'static str, Vec<(i64, i64)>, i64);

fn id_kinds(realm: &Realm) -> Vec<IdKind> {
    let counters = &realm.counters;
    let collect = |pairs: &mut dyn Iterator<Item = (i64, i64)>| pairs.collect::<Vec<_>>();
    let states = || realm.user_states.values();
    let personal_kinds = PERSONAL_ITEM_KINDS.iter().map(|kind| {
        (kind.name, states().flat_map(|state| (kind.keys_and_ids)(state)).collect(), (kind.last_id)(&counters.items))
    });
    let other_kinds = vec![
        ("user", collect(&mut realm.users.iter().map(|(key, user)| (key.0, user.id.0))), counters.user),
        ("group", collect(&mut realm.groups.iter().map(|(key, group)| (key.0, group.id.0))), counters.group),
        ("channel", collect(&mut realm.channels.iter().map(|(key, channel)| (key.0, channel.id.0))), counters.channel),
        ("folder", collect(&mut realm.folders.iter().map(|(key, folder)| (key.0, folder.id.0))), counters.folder),
        ("message", collect(&mut realm.messages.iter().map(|(key, message)| (key.0, message.id.0))), counters.message),
        (
            "recipient",
            collect(&mut realm.conversations.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.recipient,
        ),
        (
            "recipient",
            collect(&mut realm.channels.values().map(|channel| (channel.recipient.0, channel.recipient.0))),
            counters.recipient,
        ),
        ("emoji", collect(&mut realm.custom_emoji.iter().map(|(key, emoji)| (key.0, emoji.id.0))), counters.emoji),
        (
            "linkifier",
            collect(&mut realm.linkifiers.iter().map(|object| (object.id.0, object.id.0))),
            counters.linkifier,
        ),
        (
            "field",
            collect(&mut realm.profile_fields.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.profile_field,
        ),
        (
            "reminder",
            collect(&mut realm.reminders.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.scheduled,
        ),
        (
            "scheduled message",
            collect(&mut realm.scheduled_messages.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.scheduled,
        ),
        (
            "link",
            collect(&mut realm.invite_links.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.invite_link,
        ),
        ("invitation", collect(&mut realm.invites.iter().map(|(key, object)| (key.0, object.id.0))), counters.invite),
        (
            "upload",
            collect(&mut realm.attachments.values().map(|object| (object.id.0, object.id.0))),
            counters.attachment,
        ),
        (
            "device",
            collect(&mut states().flat_map(|state| state.devices.keys().map(|key| (key.0, key.0)))),
            counters.device,
        ),
        (
            "change of presence",
            collect(
                &mut states().filter_map(|state| state.presence).map(|object| (object.update_id, object.update_id)),
            ),
            counters.presence,
        ),
    ];
    other_kinds.into_iter().chain(personal_kinds).collect()
}

fn check_keys_are_ids(realm: &Realm) -> Vec<String> {
    violations_of(id_kinds(realm), |(kind, pairs, _)| {
        let (key, id) = pairs.into_iter().find(|(key, id)| key != id)?;
        Some(format!("{kind} {id} is stored under {key}"))
    })
}

fn check_counters_are_ahead(realm: &Realm) -> Vec<String> {
    violations_of(id_kinds(realm), |(kind, pairs, counter)| {
        let (_, id) = pairs.into_iter().find(|(_, id)| !(1..=counter).contains(id))?;
        Some(format!("{kind} {id} exists, but only 1 to {counter} were assigned"))
    })
}

/// Up to this number, JSON readers with floating-point numbers read every integer exactly.
const MAX_EXACT_INTEGER: i64 = 1 << 53;

fn check_numbers_are_in_range(realm: &Realm) -> Vec<String> {
    let is_out_of_range = |number: i64| !(0..=MAX_EXACT_INTEGER).contains(&number);
    let mut violations = violations_of(realm.users.values(), |user| {
        let version = user.avatar.version;
        is_out_of_range(version).then(|| format!("the picture of user {} is version {version}", user.id))
    });
    violations.extend(violations_of(&realm.organization.pictures, |(kind, picture)| {
        is_out_of_range(picture.version).then(|| format!("the {} is version {}", kind.name(), picture.version))
    }));
    violations.extend(violations_of(realm.profile_fields.values(), |field| {
        is_out_of_range(field.order).then(|| format!("field {} is in place {}", field.id, field.order))
    }));
    let counters = serde_json::to_value(realm.counters).unwrap_or_default();
    violations.extend(violations_of(counters.as_object().into_iter().flatten(), |(name, number)| {
        number.as_i64().is_none_or(is_out_of_range).then(|| format!("the counter {name} is {number}"))
    }));
    let position = realm.rng.position;
    let is_position_out_of_range = i64::try_from(position).ok().is_none_or(is_out_of_range);
    violations.extend(is_position_out_of_range.then(|| format!("the position of the random generator is {position}")));
    violations
}
