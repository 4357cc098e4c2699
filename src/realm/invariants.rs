//! What is true of every realm at every moment, whatever was asked of it.
//!
//! The test suite checks all of it after every step of its properties and whenever a test's server ends; `chatdouble
//! serve` checks it at the end of its run. A violation is always a bug of this program, never of a client.

mod channels;
mod groups;
mod messages;
mod people;
mod personal;
mod time;

#[cfg(test)]
mod tests;

pub use messages::unknown_recipients;

use super::Realm;
use std::fmt;
use std::sync::LazyLock;

/// Something that is always true of a realm.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    pub name: &'static str,
    /// What is true, in a sentence.
    pub meaning: &'static str,
    /// What contradicts it, a sentence each; nothing in a sound realm.
    pub check: fn(&Realm) -> Vec<String>,
}

/// A contradiction that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which invariant is broken.
    pub invariant: &'static str,
    /// What contradicts it.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

static ALL: LazyLock<Vec<Invariant>> =
    LazyLock::new(|| [people::ALL, groups::ALL, channels::ALL, messages::ALL, personal::ALL, time::ALL].concat());

/// All invariants.
pub fn all() -> &'static [Invariant] {
    &ALL
}

/// The first contradiction in a realm.
pub fn first_broken(realm: &Realm) -> Option<Violation> {
    let of = |invariant: &'static Invariant| {
        let what = (invariant.check)(realm).into_iter().next()?;
        Some(Violation { invariant: invariant.name, what })
    };
    all().iter().find_map(of)
}

/// All that is broken in a realm.
pub fn check(realm: &Realm) -> Vec<Violation> {
    let of = |invariant: &'static Invariant| {
        (invariant.check)(realm).into_iter().map(|what| Violation { invariant: invariant.name, what })
    };
    all().iter().flat_map(of).collect()
}

/// The violations that `violation` finds among the items, a sentence each.
fn violations_of<T>(items: impl IntoIterator<Item = T>, violation: impl FnMut(T) -> Option<String>) -> Vec<String> {
    items.into_iter().filter_map(violation).collect()
}

/// A sentence when two things that should be the same are not.
fn mismatch<T: PartialEq + fmt::Debug>(what: &str, actual: &T, right: &T) -> Vec<String> {
    if actual == right { Vec::new() } else { vec![format!("{what} {actual:?}, should have {right:?}")] }
}
