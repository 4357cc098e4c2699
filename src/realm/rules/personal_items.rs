//! Changes of the lists of [`PersonalItem`]s: drafts and snippets.

use crate::realm::model::id::{Id, UserId};
use crate::realm::model::personal::PersonalItem;
use crate::realm::tx::Tx;
use std::sync::Arc;

impl Tx {
    /// Returns an ID for a new item, and advances the counter.
    pub fn next_id<T: PersonalItem>(&mut self) -> T::Id {
        let last = T::counter(&mut self.realm_mut().counters.items);
        *last += 1;
        T::Id::from_number(*last)
    }

    /// Adds an item to a user's list, or replaces the one with the same ID.
    pub fn put_item<T: PersonalItem + Clone>(&mut self, user: UserId, item: T) {
        T::list_mut(self.user_state_mut(user)).insert(item.id(), Arc::new(item));
    }

    pub fn remove_item<T: PersonalItem + Clone>(&mut self, user: UserId, id: T::Id) {
        T::list_mut(self.user_state_mut(user)).remove(&id);
    }
}
