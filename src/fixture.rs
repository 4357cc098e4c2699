//! Fixtures: realms as documents.

use crate::realm::Realm;
use crate::time::Timestamp;
use std::fmt;

/// A fixture that was read.
#[derive(Clone, Debug)]
pub struct Document;

/// What is wrong with a fixture, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON path.
    pub path: String,
    /// In words.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.reason)
    }
}

/// The text of a built-in fixture.
pub fn builtin(_name: &str) -> Option<&'static str> {
    None
}

/// Reads a fixture.
///
/// # Errors
///
/// All its faults.
pub fn check(_text: &str) -> Result<Document, Vec<Fault>> {
    Ok(Document)
}

/// Makes a realm.
///
/// # Errors
///
/// All its faults.
pub fn load(_document: &Document, _now: Timestamp, _seed: u64) -> Result<Realm, Vec<Fault>> {
    Err(Vec::new())
}
