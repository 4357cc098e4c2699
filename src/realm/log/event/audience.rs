//! Who receives events.

use crate::realm::model::id::UserId;
use imbl::OrdSet;
use smallvec::{SmallVec, smallvec};

/// Who receives an event: a union of shared sets as they were, less some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audience {
    sets: SmallVec<[OrdSet<UserId>; 1]>,
    except: OrdSet<UserId>,
}

impl Audience {
    /// One user.
    pub fn user(user: UserId) -> Self {
        Self::of(OrdSet::unit(user))
    }

    /// A set of users.
    pub fn of(users: OrdSet<UserId>) -> Self {
        Self { sets: smallvec![users], except: OrdSet::new() }
    }

    /// These users too.
    #[must_use]
    pub fn and(mut self, users: OrdSet<UserId>) -> Self {
        self.sets.push(users);
        self
    }

    /// Not this user.
    #[must_use]
    pub fn except(mut self, user: UserId) -> Self {
        self.except.insert(user);
        self
    }

    /// Not these users.
    #[must_use]
    pub fn except_all(mut self, users: &OrdSet<UserId>) -> Self {
        self.except = self.except.union(users.clone());
        self
    }

    /// These users too, even where they are left out so far.
    #[must_use]
    pub fn including(mut self, users: OrdSet<UserId>) -> Self {
        self.except = self.except.relative_complement(users.clone());
        self.and(users)
    }

    /// Whether the event is for this user.
    pub fn contains(&self, user: UserId) -> bool {
        self.sets.iter().any(|set| set.contains(&user)) && !self.except.contains(&user)
    }
}
