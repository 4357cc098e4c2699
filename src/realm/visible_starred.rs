//! Starred messages that go out of their user's sight and come back into it (A-134 in docs/assumptions.md).
//!
//! Only those who listen are looked at: everybody else finds out when they register.

use super::Realm;
use super::change::Tx;
use super::event::{Audience, Event};
use super::id::{MessageId, UserId};
use super::user::User;
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeMap;

impl Realm {
    /// The starred messages that a user can see: those that are listed.
    pub fn starred_in_sight(&self, user: &User) -> OrdSet<MessageId> {
        let starred = self.user_state(user.id).starred.iter().copied();
        starred.filter(|id| self.message_seen_by(user, *id).is_some()).collect()
    }
}

/// What users with an event queue have starred and can see.
pub struct VisibleStarred(BTreeMap<UserId, OrdSet<MessageId>>);

impl VisibleStarred {
    /// What these have, whose sight alone is about to change.
    pub fn of(realm: &Realm, users: &OrdSet<UserId>) -> Self {
        Self::of_each(realm, &realm.listeners_among(users))
    }

    /// What all have who listen.
    pub fn of_listeners(realm: &Realm) -> Self {
        Self::of_each(realm, &realm.listeners())
    }

    fn of_each(realm: &Realm, listeners: &OrdSet<UserId>) -> Self {
        let marked = listeners.iter().filter(|user| !realm.user_state(**user).starred.is_empty());
        Self(marked.map(|user| (*user, realm.starred_in_sight(&realm.users[user]))).collect())
    }

    /// Forgets messages that users are told of otherwise.
    pub fn forget(&mut self, users: &OrdSet<UserId>, messages: &[MessageId]) {
        for user in users {
            if let Some(starred) = self.0.get_mut(user) {
                *starred = starred.clone().relative_complement(messages.iter().copied().collect());
            }
        }
    }

    /// Tells users what is in sight and was not, and the other way round.
    ///
    /// Events: `update_message_flags` of the flag `starred`, remove and add.
    pub fn tell_changes(self, tx: &mut Tx) {
        for (user, before) in self.0 {
            let after = tx.starred_in_sight(&tx.users[&user]);
            let gained = after.clone().relative_complement(before.clone());
            for (op, messages) in [("remove", before.relative_complement(after)), ("add", gained)] {
                if !messages.is_empty() {
                    let fields = json!({"operation": op, "flag": "starred", "messages": messages, "all": false});
                    tx.emit(Audience::user(user), Event::shaped("update_message_flags", Some(op), fields));
                }
            }
        }
    }
}
