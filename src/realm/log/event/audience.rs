//! Audiences: the users who receive an event.

use crate::realm::model::id::UserId;
use imbl::OrdSet;
use smallvec::{SmallVec, smallvec};

/// The users of all `sets` without those of `except`. The sets share memory with those of the realm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audience {
    sets: SmallVec<[OrdSet<UserId>; 1]>,
    except: OrdSet<UserId>,
}

impl Audience {
    pub fn of_user(user: UserId) -> Self {
        Self::of_users(OrdSet::unit(user))
    }

    pub fn of_users(users: OrdSet<UserId>) -> Self {
        Self { sets: smallvec![users], except: OrdSet::new() }
    }

    /// Adds users. Those that were excluded before remain excluded.
    #[must_use]
    pub fn with_users(mut self, users: OrdSet<UserId>) -> Self {
        self.sets.push(users);
        self
    }

    #[must_use]
    pub fn except(mut self, user: UserId) -> Self {
        self.except.insert(user);
        self
    }

    #[must_use]
    pub fn except_all(mut self, users: &OrdSet<UserId>) -> Self {
        self.except = self.except.union(users.clone());
        self
    }

    /// Adds users, also those that were excluded before.
    #[must_use]
    pub fn including(mut self, users: OrdSet<UserId>) -> Self {
        self.except = self.except.relative_complement(users.clone());
        self.with_users(users)
    }

    pub fn contains(&self, user: UserId) -> bool {
        self.sets.iter().any(|set| set.contains(&user)) && !self.except.contains(&user)
    }
}
