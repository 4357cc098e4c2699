//! Users whom guests come to know and lose, where the organization limits guests to those they share a channel or a
//! conversation with (`can_access_all_users_group`).
//!
//! Only those who listen are looked at: everybody else finds out when they register.

use super::Realm;
use super::change::Tx;
use super::event::{Audience, Event, Payload};
use super::group::SystemGroup;
use super::id::UserId;
use super::permission::GroupSettingValue;
use super::user::UNKNOWN_USER_NAME;
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeMap;

/// Whom users with an event queue know of.
pub struct VisibleUsers(BTreeMap<UserId, OrdSet<UserId>>);

impl VisibleUsers {
    /// Whom these users know of now. Nobody is looked at where guests know everybody.
    pub fn of(realm: &Realm, users: &OrdSet<UserId>) -> Self {
        let everyone = GroupSettingValue::Group(realm.system_group(SystemGroup::Everyone));
        if realm.organization.permissions.get("can_access_all_users_group") == Some(&everyone) {
            return Self(BTreeMap::new());
        }
        Self::of_each(realm, users)
    }

    /// Whom guests know of now, even if that is everybody: it is about to be decided.
    pub fn of_all_guests(realm: &Realm) -> Self {
        Self::of_each(realm, realm.guests())
    }

    fn of_each(realm: &Realm, users: &OrdSet<UserId>) -> Self {
        Self(realm.listeners_among(users).into_iter().map(|user| (user, known_by(realm, user))).collect())
    }

    /// Whom guests know of now.
    pub fn of_guests(realm: &Realm) -> Self {
        Self::of(realm, realm.guests())
    }

    /// Tells those users whom they know of more and less than before.
    ///
    /// Events: `realm_user` add of each who came into sight, remove of each who went out of it.
    pub fn tell_changes(self, tx: &mut Tx) {
        for (viewer, before) in self.0 {
            let after = known_by(tx, viewer);
            for user in after.clone().relative_complement(before.clone()) {
                let event = Event::new("realm_user", Some("add"), Payload::UserAdd(tx.users[&user].clone()));
                tx.emit(Audience::user(viewer), event);
            }
            for user in before.relative_complement(after) {
                tx.emit(Audience::user(viewer), lost(user));
            }
        }
    }
}

/// What guests are told of a user whom they may not know of any more.
pub fn lost(user: UserId) -> Event {
    let person = json!({"user_id": user, "full_name": UNKNOWN_USER_NAME});
    Event::shaped("realm_user", Some("remove"), json!({ "person": person }))
}

fn known_by(realm: &Realm, viewer: UserId) -> OrdSet<UserId> {
    let Some(viewer) = realm.user(viewer) else { return OrdSet::new() };
    realm.users.keys().copied().filter(|user| realm.can_access_user(viewer, *user)).collect()
}
