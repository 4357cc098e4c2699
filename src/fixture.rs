//! Fixtures: documents that describe a realm, and the way from one to the other.
//!
//! - [`mod@format`]: the document, which people read and edit
//! - `parse`: from text to a document
//! - `load`: from a document to a realm, with every fault that there is
//! - [`builtin`]: the texts of the fixtures that come with the program, and their realms
//! - `generate`: documents of large organizations, of which [`Source::builtin`] knows one; with the feature of this name
//!
//! [`read`] does all of it, and [`check()`] keeps the document instead of the realm.

pub mod format;

mod at;
mod built_in;
#[cfg(feature = "generate")]
pub mod generate;
mod load;
mod names;
mod numbers;
mod parse;
mod placeholder;
pub mod state;

pub use crate::json_diagnostic::Diagnostic;
pub use built_in::{BUILT_IN, builtin};

use crate::realm::Realm;
use crate::time::{Clock, Span, Timestamp};
use format::Document;
use serde_json::Value;
use std::sync::Arc;

/// Most messages or users of a fixture whose invariants are checked after loading.
const MAX_CHECKED: usize = 10_000;

/// Most mistakes collected in a document, so that one with millions cannot exhaust memory: one more than are shown, to tell
/// that there are more.
const MAX_COLLECTED: usize = MAX_SHOWN + 1;
/// Most mistakes of one document that a refusal lists.
const MAX_SHOWN: usize = 100;

/// Faults as one sentence: the first of them, each by `tell`.
pub fn in_one_sentence(faults: &[Diagnostic], tell: impl Fn(&Diagnostic) -> String) -> String {
    let more = (faults.len() > MAX_SHOWN).then(|| format!("only the first {MAX_SHOWN} faults are listed"));
    faults.iter().take(MAX_SHOWN).map(tell).chain(more).collect::<Vec<_>>().join("; ")
}

/// Reads a document and looks for faults.
///
/// # Errors
///
/// Every fault, in the order of the document's parts: first those of reading, then what its parts say of each other, then
/// texts that can't be rendered.
pub fn check(text: &str) -> Result<Document, Vec<Diagnostic>> {
    let parsed = parse::document(parse::value(without_mark(text), usize::MAX)?, usize::MAX);
    let document = parsed.document.clone();
    load::load(parsed, CHECKED_AT, 0, usize::MAX)?;
    Ok(document)
}

/// When a document that is only checked is loaded. All of its times are relative to this.
const CHECKED_AT: Timestamp = Timestamp::from_seconds(1_767_225_600);

/// Some editors begin every text with a mark of its encoding.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// From the text of a fixture to its realm.
///
/// # Errors
///
/// As [`check()`], but no more than about a hundred faults.
pub fn read(text: &str, now: Timestamp, seed: u64) -> Result<Realm, Vec<Diagnostic>> {
    let text = without_mark(text);
    if state::is_state(text) {
        return state::read(text, now).map(|(realm, _)| realm);
    }
    let realm =
        load::load(parse::document(parse::value(text, MAX_COLLECTED)?, MAX_COLLECTED), now, seed, MAX_COLLECTED)?;
    // Loading should leave no invariant broken, so large fixtures skip the check and start quickly.
    if realm.messages.len().max(realm.users.len()) <= MAX_CHECKED { state::sound(realm, "$") } else { Ok(realm) }
}

/// What realms are made from.
///
/// ```
/// use chatdouble::{Fixture, Options, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), chatdouble::StartError> {
/// assert!(Fixture::builtin("cast").is_some());
/// assert!(Fixture::builtin("nobody").is_none());
///
/// let fixture = Fixture::from(r#"{"users": [{"handle": "ada", "full_name": "Ada", "role": "owner"}], "channels": [{"name": "engines"}]}"#);
/// let server = Server::start_with(Options { fixture, ..Options::default() }).await?;
/// assert!(server.user("ada").email.starts_with("ada@"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text of a fixture.
    Text(Arc<str>),
    /// The text of one that comes with the program, which needs no check.
    BuiltIn(&'static str),
    /// What the generator makes.
    #[cfg(feature = "generate")]
    Generated(generate::Size),
}

impl Source {
    /// The names that [`Source::builtin`] knows.
    #[cfg(feature = "generate")]
    pub const BUILT_IN: &'static str = "default, cast, empty, hostile, large";
    /// The names that [`Source::builtin`] knows.
    #[cfg(not(feature = "generate"))]
    pub const BUILT_IN: &'static str = "default, cast, empty, hostile";

    /// The fixture that comes with the program under this name.
    pub fn builtin(name: &str) -> Option<Self> {
        match name {
            #[cfg(feature = "generate")]
            "large" => Some(Source::Generated(generate::Size::LARGE)),
            _ => builtin(name).map(Source::BuiltIn),
        }
    }

    /// Makes a realm, at the given time and with the given seed.
    ///
    /// # Errors
    ///
    /// Every fault.
    #[doc(hidden)]
    pub fn realm(&self, now: Timestamp, seed: u64) -> Result<Realm, Vec<Diagnostic>> {
        match self {
            Source::Text(text) => read(text, now, seed),
            Source::BuiltIn(text) => built_in::realm(text, now, seed),
            // What is generated is sound, and the same in every world, whatever follows from the world's seed.
            #[cfg(feature = "generate")]
            Source::Generated(size) => {
                load::load(generate::document(*size, 0, &mut |_| {}).into(), now, seed, MAX_COLLECTED)
            }
        }
    }
}

impl Source {
    /// The realm of a world that goes on, and its clock: that of a whole world's document, another one's as given. A clock
    /// that ran goes on from where it was, or from real time where that is later (A-490).
    ///
    /// # Errors
    ///
    /// Every fault.
    pub(crate) fn resumed(&self, clock: Clock, real: Timestamp, seed: u64) -> Result<(Realm, Clock), Vec<Diagnostic>> {
        match self {
            Source::Text(text) if state::is_state(without_mark(text)) => {
                let (realm, clock) = state::read(without_mark(text), real)?;
                let clock = match clock {
                    Clock::Running { ahead } => Clock::Running { ahead: ahead.max(Span::seconds(0)) },
                    frozen => frozen,
                };
                Ok((realm, clock))
            }
            _ => self.realm(clock.now(real), seed).map(|realm| (realm, clock)),
        }
    }
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        Source::Text(text.into())
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Source::Text(text.into())
    }
}

/// The JSON Schema of the format.
pub fn schema() -> Value {
    schemars::schema_for!(Document).to_value()
}

#[cfg(test)]
mod tests;
