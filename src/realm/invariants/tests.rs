//! Tests that every invariant holds in the built-in realms, and that its check detects a realm that violates it, if a
//! test can make one.

use super::{all, all_violations};
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::emoji::{Emoji, ReactionType};
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, FolderId, MessageId, ProfileFieldId, RecipientId, UserId};
use crate::realm::message::Reaction;
use crate::realm::organization::AuthenticationMethod;
use crate::realm::personal::{NavigationView, UserTopic, VisibilityPolicy};
use crate::realm::queue::{Cursor, Queue};
use crate::realm::topic::{Topic, TopicKey};
use crate::realm::tx::Tx;
use crate::realm::user::{AvatarSource, Role};
use crate::time::{Span, Timestamp};
use imbl::{OrdMap, OrdSet};
use std::sync::Arc;

const OLIVE: UserId = UserId(1);
const MEL: UserId = UserId(4);
const NOBODY: UserId = UserId(999);
const GENERAL: ChannelId = ChannelId(1);

fn built_in() -> Realm {
    let now = Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed");
    let text = crate::fixture::built_in("default").expect("it is built in");
    crate::fixture::read(text, now, 0).expect("it is valid")
}

fn change_each<K: Ord + Clone, V: Clone>(map: &mut OrdMap<K, Arc<V>>, change: impl Fn(&mut V)) {
    let changed_entries = map.iter().map(|(key, value)| {
        let mut value = value.as_ref().clone();
        change(&mut value);
        (key.clone(), Arc::new(value))
    });
    *map = changed_entries.collect();
}

type ViolatingChange = fn(&mut Tx);

/// A violation of each invariant, except those of [`ENFORCED_BY_TYPES`].
const VIOLATIONS: &[(&str, ViolatingChange)] = &[
    ("users-by-email", |tx| tx.user_mut(MEL).email = "other@chat.test".into()),
    ("users-by-key", |tx| tx.user_mut(MEL).api_key = "other".into()),
    ("active-users", |tx| tx.user_mut(MEL).is_active = false),
    ("an-active-owner", |tx| tx.user_mut(OLIVE).role = Role::Member),
    ("a-way-to-log-in", |tx| {
        let organization = Arc::make_mut(&mut tx.realm_mut().organization);
        organization.disabled_authentication_methods = AuthenticationMethod::ALL.into();
    }),
    ("everybody-has-own-state", |tx| _ = tx.realm_mut().user_states.remove(&MEL)),
    ("bots-have-owners-that-exist", |tx| {
        let bot = tx.users.values().find(|user| user.is_bot()).map(|user| user.id).expect("there are bots");
        tx.user_mut(bot).bot.as_mut().expect("it is a bot").owner = Some(NOBODY);
    }),
    ("bots-default-to-channels-that-exist", |tx| {
        let bot = tx.users.values().find(|user| user.is_bot()).map(|user| user.id).expect("there are bots");
        tx.user_mut(bot).bot.as_mut().expect("it is a bot").defaults.events_channel = Some(ChannelId(999));
    }),
    ("profiles-fill-fields", |tx| {
        _ = tx
            .user_mut(MEL)
            .profile
            .insert(ProfileFieldId(99), crate::realm::user::ProfileEntry { value: "x".into(), rendered: None })
    }),
    ("blobs-are-kept", |tx| {
        tx.user_mut(MEL).avatar.source = AvatarSource::Uploaded { blob: "none".into(), medium_blob: "none".into() };
    }),
    ("services-are-objects", |tx| {
        let bot = tx.users.values().find(|user| user.is_bot()).map(|user| user.id).expect("there are bots");
        tx.user_mut(bot).bot.as_mut().expect("it is a bot").services = vec!["x".into()];
    }),
    ("group-names-are-unique", |tx| {
        let group = *tx.groups.keys().next_back().expect("there are groups");
        tx.group_mut(group).name = "role:owners".into();
    }),
    ("groups-are-acyclic", |tx| {
        let (everyone, owners) = (tx.system_group(SystemGroup::Everyone), tx.system_group(SystemGroup::Owners));
        tx.group_mut(owners).subgroups.insert(everyone);
    }),
    ("groups-have-what-exists", |tx| {
        let group = *tx.groups.keys().next_back().expect("there are groups");
        tx.group_mut(group).members.insert(NOBODY);
    }),
    ("system-groups-are-complete", |tx| {
        let owners = tx.system_group(SystemGroup::Owners);
        tx.group_mut(owners).is_deactivated = true;
    }),
    ("system-groups-follow-roles", |tx| tx.user_mut(MEL).role = Role::Moderator),
    ("permissions-are-complete", |tx| _ = tx.channel_mut(GENERAL).permissions.remove("can_subscribe_group")),
    ("channels-by-name", |tx| tx.channel_mut(GENERAL).name = "other".into()),
    ("subscribers-are-subscribed", |tx| _ = tx.channel_mut(GENERAL).subscribers.remove(&MEL)),
    ("subscriptions-have-channels", |tx| {
        let subscription = tx.user_state(MEL).subscriptions[&GENERAL].clone();
        tx.user_state_mut(MEL).subscriptions.insert(ChannelId(99), subscription);
    }),
    ("channels-have-their-messages", |tx| _ = tx.realm_mut().channel_messages.insert(GENERAL, Arc::default())),
    ("topics-have-their-messages", |tx| {
        tx.realm_mut().topics.insert((GENERAL, TopicKey::new("empty")), Arc::new(Topic::default()));
    }),
    ("folders-exist", |tx| tx.channel_mut(GENERAL).folder = Some(FolderId(99))),
    ("folder-names-are-unique", |tx| {
        change_each(&mut tx.realm_mut().folders, |folder| {
            folder.name = if folder.id.0 == 1 { "Same".into() } else { "same".into() };
            folder.is_archived = false;
        });
    }),
    ("default-channels-are-open", |tx| tx.channel_mut(GENERAL).is_archived = true),
    ("notices-have-channels", |tx| {
        Arc::make_mut(&mut tx.realm_mut().organization).signup_announcements = Some(ChannelId(99));
    }),
    ("recipient-ids-are-unique", |tx| tx.channel_mut(GENERAL).recipient = tx.channels[&ChannelId(2)].recipient),
    ("messages-are-of-users", |tx| tx.message_mut(MessageId(3)).sender = NOBODY),
    ("direct-messages-reach-the-conversation", |tx| {
        let message = tx.messages.values().find(|message| message.conversation().is_some()).expect("there is one").id;
        tx.message_mut(message).recipients.insert(OLIVE);
    }),
    ("conversations-have-their-messages", |tx| {
        let (id, conversation) = tx.conversations.iter().next().expect("there is one");
        let (id, mut conversation) = (*id, conversation.as_ref().clone());
        conversation.messages.insert(MessageId(1));
        tx.realm_mut().conversations.insert(id, Arc::new(conversation));
    }),
    ("conversations-by-members", |tx| _ = tx.user_state_mut(OLIVE).conversations.insert(RecipientId(99))),
    ("reactions-are-unique", |tx| {
        let emoji = Emoji { emoji_name: "+1".into(), emoji_code: "1f44d".into(), reaction_type: ReactionType::Unicode };
        let reaction = Reaction { user: MEL, emoji: emoji.into() };
        tx.message_mut(MessageId(3)).reactions.extend([reaction.clone(), reaction]);
    }),
    ("mentions-reach-recipients", |tx| {
        let message = tx.message_mut(MessageId(3));
        message.recipients.remove(&MEL);
    }),
    ("uploads-know-their-messages", |tx| {
        change_each(&mut tx.realm_mut().attachments, |attachment| attachment.messages.clear());
    }),
    ("upload-space", |tx| tx.realm_mut().upload_space_used += 1),
    ("late-user-messages", |tx| _ = tx.realm_mut().late_holders.insert(MessageId(1), OrdSet::unit(MEL))),
    ("unread-where-subscribed", |tx| {
        let id = tx.messages_in(GENERAL).last().expect("there are messages");
        tx.user_state_mut(MEL).read.remove(id);
        let subscription = tx.user_state_mut(MEL).subscriptions.get_mut(&GENERAL).expect("mel is subscribed");
        Arc::make_mut(subscription).is_active = false;
    }),
    ("marked-messages-have-user-messages", |tx| _ = tx.user_state_mut(UserId(7)).starred.insert(MessageId(1))),
    ("alert-words", |tx| tx.user_state_mut(MEL).alert_words.push_back("new".into())),
    ("reached-by-push", |tx| tx.user_state_mut(MEL).devices.clear()),
    ("topic-policies-are-valid", |tx| {
        let topic = UserTopic { name: "x".into(), policy: VisibilityPolicy::None, last_updated: tx.now, position: 1 };
        tx.user_state_mut(MEL).topics.insert((GENERAL, TopicKey::new("x")), Arc::new(topic));
    }),
    ("muted-users-are-others", |tx| {
        let now = tx.now;
        tx.user_state_mut(MEL).muted_users.insert(MEL, now);
    }),
    ("muted-by", |tx| tx.realm_mut().users_by_muted_user.clear()),
    ("navigation-views-are-unique", |tx| {
        let view = NavigationView { fragment: "inbox".into(), is_pinned: true, name: None };
        tx.user_state_mut(MEL).navigation_views.push_back(view);
    }),
    ("emoji-names-are-unique", |tx| {
        change_each(&mut tx.realm_mut().custom_emoji, |emoji| {
            emoji.name = "same".into();
            emoji.is_deactivated = false;
        });
    }),
    ("keys-are-ids", |tx| tx.channel_mut(GENERAL).id = ChannelId(2)),
    ("counters-are-ahead", |tx| tx.realm_mut().counters.message = 1),
    ("numbers-are-in-range", |tx| tx.realm_mut().counters.scheduled = i64::MAX),
    ("queues-read-the-log", |tx| {
        let queue = Queue {
            id: "q".into(),
            owner: NOBODY,
            options: Arc::default(),
            acknowledged_event: -1,
            cursor: Cursor { entry: 7, acknowledged_parts: 0 },
            idle_timeout: Span::from_minutes(10),
            idle_since: tx.now,
            parked_since: None,
            has_heartbeat: false,
            poll_count: 0,
        };
        tx.realm_mut().queues.insert("q".into(), Arc::new(queue));
    }),
    ("agenda", |tx| {
        let now = tx.now;
        tx.schedule(AgendaItem::Queue("nobody's".into()), Some(now.plus(Span::from_minutes(1))));
    }),
    ("nothing-is-overdue", |tx| {
        let now = tx.now;
        tx.schedule(AgendaItem::FullMember(MEL), Some(now.plus(Span::from_minutes(-1))));
    }),
    ("planned-items-have-what-exists", |tx| {
        change_each(&mut tx.realm_mut().reminders, |reminder| reminder.user = NOBODY);
    }),
];

/// Invariants that a type enforces, so that other modules can't violate them.
const ENFORCED_BY_TYPES: &[&str] = &["read-runs-are-apart"];

#[test]
fn the_built_in_realms_have_no_violations() {
    assert_eq!(all_violations(&built_in()), []);
    let text = crate::fixture::built_in("empty").expect("it is built in");
    let empty = crate::fixture::read(text, Timestamp::default(), 0).expect("it is valid");
    assert_eq!(all_violations(&empty), []);
}

#[test]
fn every_check_detects_a_violation() {
    for invariant in all() {
        let Some((name, violate)) = VIOLATIONS.iter().find(|(name, _)| *name == invariant.name) else {
            assert!(ENFORCED_BY_TYPES.contains(&invariant.name), "nothing violates {}", invariant.name);
            continue;
        };
        let mut tx = Tx::new(built_in());
        violate(&mut tx);
        let violations = (invariant.check)(&tx.into_realm());
        assert!(!violations.is_empty(), "the check of {name} does not detect the violation");
    }
}

#[test]
fn names_are_unique_and_meanings_are_sentences() {
    let mut names: Vec<&str> = all().iter().map(|invariant| invariant.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all().len());
    assert!(all().len() >= 25, "only {}", all().len());
    assert!(all().iter().all(|invariant| invariant.meaning.ends_with('.')));
    assert!(VIOLATIONS.iter().all(|(name, _)| names.binary_search(name).is_ok()));
}
