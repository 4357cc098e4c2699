//! Lists of users' own: numbers, adding, removing.

use crate::realm::model::id::{Id, UserId};
use crate::realm::model::personal::Owned;
use crate::realm::tx::Tx;
use std::sync::Arc;

impl Tx {
    /// The next number of its kind.
    pub fn next_id<T: Owned>(&mut self) -> T::Id {
        let last = T::counter(&mut self.realm_mut().counters.own);
        *last += 1;
        T::Id::from_number(*last)
    }

    /// Adds a thing to a user's list, or replaces the one that has its number.
    pub fn put_own<T: Owned + Clone>(&mut self, user: UserId, thing: T) {
        T::list_mut(self.user_state_mut(user)).insert(thing.id(), Arc::new(thing));
    }

    /// Removes a thing from a user's list.
    pub fn remove_own<T: Owned + Clone>(&mut self, user: UserId, id: T::Id) {
        T::list_mut(self.user_state_mut(user)).remove(&id);
    }
}
