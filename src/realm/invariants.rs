//! Invariants: conditions that hold in every realm, whatever requests it received.
//!
//! The test suite checks them after every step of its property tests and whenever a test's server stops; `chatdouble
//! serve` checks them when it stops, and control on request. A violation after requests is always a bug of this
//! program, never of a client. A state document that violates an invariant is refused.

mod accounts;
mod channels;
mod groups;
mod identifiers;
mod messages;
mod personal;
mod queues_and_agenda;
mod uploads;

#[cfg(test)]
mod tests;

// The check of state documents reports these with their paths.
pub use messages::unknown_recipients;

use super::Realm;
use std::fmt;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    pub name: &'static str,
    /// The condition, as a sentence.
    pub meaning: &'static str,
    /// Returns a sentence for each violation.
    pub check: fn(&Realm) -> Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the invariant.
    pub invariant: &'static str,
    /// What violates it, as a sentence.
    pub description: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.invariant, self.description)
    }
}

static ALL: LazyLock<Vec<Invariant>> = LazyLock::new(|| {
    [
        accounts::ALL,
        groups::ALL,
        channels::ALL,
        messages::ALL,
        personal::ALL,
        uploads::ALL,
        identifiers::ALL,
        queues_and_agenda::ALL,
    ]
    .concat()
});

pub fn all() -> &'static [Invariant] {
    &ALL
}

/// A violation of the first invariant of [`all`] that does not hold; None if all hold. Later ones are not checked.
pub fn first_violation(realm: &Realm) -> Option<Violation> {
    let first_violation_of = |invariant: &'static Invariant| {
        let description = (invariant.check)(realm).into_iter().next()?;
        Some(Violation { invariant: invariant.name, description })
    };
    all().iter().find_map(first_violation_of)
}

pub fn all_violations(realm: &Realm) -> Vec<Violation> {
    let violations = |invariant: &'static Invariant| {
        let descriptions = (invariant.check)(realm).into_iter();
        descriptions.map(|description| Violation { invariant: invariant.name, description })
    };
    all().iter().flat_map(violations).collect()
}

/// The sentences that `violation` returns for items; none for an item for which it returns None.
fn violations_of<T>(items: impl IntoIterator<Item = T>, violation: impl FnMut(T) -> Option<String>) -> Vec<String> {
    items.into_iter().filter_map(violation).collect()
}

/// A sentence that begins with `subject_and_verb`, such as `the index of users has`, if two values differ; otherwise no
/// sentence.
fn mismatch<T: PartialEq + fmt::Debug>(subject_and_verb: &str, actual: &T, expected: &T) -> Vec<String> {
    if actual == expected {
        Vec::new()
    } else {
        vec![format!("{subject_and_verb} {actual:?}, should have {expected:?}")]
    }
}
