//! Fixtures: JSON documents from which realms are made.
//!
//! - [`mod@format`]: the format of the documents
//! - `parse`: parses a text as a document
//! - `load`: builds a realm from a document
//! - [`built_in`]: the built-in fixtures
//! - `generate`: generates documents of large organizations; needs the feature `generate`
//! - [`state`]: documents of whole worlds, with absolute times
//!
//! [`read`] parses and loads a fixture or the document of a whole world. [`check()`] does the same for fixtures only,
//! returns the document instead of the realm, and does not check the invariants.

pub mod format;

mod built_in;
#[cfg(feature = "generate")]
pub mod generate;
mod ids;
mod json_path;
mod load;
mod names;
mod parse;
mod placeholder;
pub mod state;

pub use crate::json_diagnostic::Diagnostic;
pub use built_in::{BUILT_IN, built_in};

use crate::realm::Realm;
use crate::time::{Clock, Span, Timestamp};
use format::Document;
use serde_json::Value;
use std::sync::Arc;

/// If a fixture has more messages or users than this, the invariants are not checked after loading.
const MAX_CHECKED_SIZE: usize = 10_000;

/// After this many diagnostics, [`read`] stops parsing lists and reports no further duplicate keys or inconsistencies,
/// and [`state::read`] no further dangling references, so that a document with millions of mistakes can't exhaust
/// memory. It is one more than a message lists, so that the message can say that there are more.
const MAX_DIAGNOSTICS: usize = MAX_SHOWN_DIAGNOSTICS + 1;
/// The maximum number of diagnostics that a message lists.
const MAX_SHOWN_DIAGNOSTICS: usize = 100;

/// Joins the first [`MAX_SHOWN_DIAGNOSTICS`] diagnostics with semicolons, and adds a notice if there are more.
pub fn join_diagnostics(diagnostics: &[Diagnostic], to_message: impl Fn(&Diagnostic) -> String) -> String {
    let notice = (diagnostics.len() > MAX_SHOWN_DIAGNOSTICS)
        .then(|| format!("only the first {MAX_SHOWN_DIAGNOSTICS} mistakes are listed"));
    diagnostics.iter().take(MAX_SHOWN_DIAGNOSTICS).map(to_message).chain(notice).collect::<Vec<_>>().join("; ")
}

/// Parses a document and checks that it can be loaded.
///
/// # Errors
///
/// The first error in the JSON syntax, or else all duplicate keys, or else the diagnostics of the document: first what
/// the format does not allow, then inconsistencies in the order of the document's parts, then messages that can't be
/// rendered.
pub fn check(text: &str) -> Result<Document, Vec<Diagnostic>> {
    let parsed_document =
        parse::parse_document(parse::parse_json(without_byte_order_mark(text), usize::MAX)?, usize::MAX);
    let document = parsed_document.document.clone();
    load::load(parsed_document, CHECK_TIME, 0, usize::MAX)?;
    Ok(document)
}

/// The time of the clock for documents that are only checked, 2026-01-01T00:00:00Z.
const CHECK_TIME: Timestamp = Timestamp::from_seconds(1_767_225_600);

/// Removes the byte order mark, which some editors write.
fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Parses and loads a fixture or the document of a whole world.
///
/// # Errors
///
/// As [`check()`], but after the first 101 duplicate keys or inconsistencies, the others are left out, and after 101
/// diagnostics of the format, lists are not parsed any further. Without diagnostics, the first broken invariant, which
/// is only looked for in fixtures with at most 10,000 messages and users. For documents of whole worlds, as
/// [`state::read`].
pub fn read(text: &str, now: Timestamp, seed: u64) -> Result<Realm, Vec<Diagnostic>> {
    let text = without_byte_order_mark(text);
    if state::is_state(text) {
        return state::read(text, now).map(|(realm, _)| realm);
    }
    let realm = load::load(
        parse::parse_document(parse::parse_json(text, MAX_DIAGNOSTICS)?, MAX_DIAGNOSTICS),
        now,
        seed,
        MAX_DIAGNOSTICS,
    )?;
    // Loading should not break invariants, so large fixtures skip the check in order to start quickly.
    if realm.messages.len().max(realm.users.len()) <= MAX_CHECKED_SIZE {
        state::check_invariants(realm, "$")
    } else {
        Ok(realm)
    }
}

/// What the realm of a new world is made from.
///
/// ```
/// use chatdouble::{Fixture, Options, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// assert!(Fixture::built_in("cast").is_some());
/// assert!(Fixture::built_in("nobody").is_none());
///
/// let fixture = Fixture::from(r#"{"users": [{"handle": "ada", "full_name": "Ada", "role": "owner"}], "channels": [{"name": "engines"}]}"#);
/// let server = Server::start_with(Options { fixture, ..Options::default() }).await?;
/// assert!(server.user("ada").email.starts_with("ada@"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fixture {
    /// The text of a fixture or of a document of a whole world.
    Text(Arc<str>),
    /// The text of a built-in fixture, whose invariants are not checked.
    BuiltIn(&'static str),
    /// A generated organization of this size.
    #[cfg(feature = "generate")]
    Generated(generate::Size),
}

impl Fixture {
    /// The names that [`Fixture::built_in`] accepts.
    #[cfg(feature = "generate")]
    pub const BUILT_IN_NAMES: &'static [&'static str] = &["default", "cast", "empty", "hostile", "large"];
    /// The names that [`Fixture::built_in`] accepts.
    #[cfg(not(feature = "generate"))]
    pub const BUILT_IN_NAMES: &'static [&'static str] = &["default", "cast", "empty", "hostile"];

    /// The built-in fixture with this name; None if there is none.
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            #[cfg(feature = "generate")]
            "large" => Some(Fixture::Generated(generate::Size::LARGE)),
            _ => built_in(name).map(Fixture::BuiltIn),
        }
    }

    /// Builds a realm for a time and a seed.
    ///
    /// # Errors
    ///
    /// As [`read`].
    #[doc(hidden)]
    pub fn build_realm(&self, now: Timestamp, seed: u64) -> Result<Realm, Vec<Diagnostic>> {
        match self {
            Fixture::Text(text) => read(text, now, seed),
            Fixture::BuiltIn(text) => built_in::build_realm(text, now, seed),
            // Generated documents are valid. They are the same for each seed of the world.
            #[cfg(feature = "generate")]
            Fixture::Generated(size) => {
                load::load(generate::generate_document(*size, 0, &mut |_| {}).into(), now, seed, MAX_DIAGNOSTICS)
            }
        }
    }

    /// The realm and the clock with which a world continues: for the document of a whole world, its own clock; for a
    /// fixture, `clock`. A running clock continues at the time in the document, or at real time if that is later
    /// (A-490).
    ///
    /// # Errors
    ///
    /// As [`read`].
    pub(crate) fn resume(
        &self,
        clock: Clock,
        real_now: Timestamp,
        seed: u64,
    ) -> Result<(Realm, Clock), Vec<Diagnostic>> {
        match self {
            Fixture::Text(text) if state::is_state(without_byte_order_mark(text)) => {
                let (realm, clock) = state::read(without_byte_order_mark(text), real_now)?;
                let clock = match clock {
                    Clock::Running { offset } => Clock::Running { offset: offset.max(Span::from_seconds(0)) },
                    frozen => frozen,
                };
                Ok((realm, clock))
            }
            _ => self.build_realm(clock.now(real_now), seed).map(|realm| (realm, clock)),
        }
    }
}

impl From<&str> for Fixture {
    fn from(text: &str) -> Self {
        Fixture::Text(text.into())
    }
}

impl From<String> for Fixture {
    fn from(text: String) -> Self {
        Fixture::Text(text.into())
    }
}

/// The JSON Schema of fixtures.
pub fn schema() -> Value {
    schemars::schema_for!(Document).to_value()
}

#[cfg(test)]
mod tests;
