//! The past: what a world at an older feature level does otherwise (specification, Versioning).
//!
//! The core behaves as the newest level. Every change since is a row of a table here: its level, what it touches, and
//! what stood there before. Most rows need no code: a field or parameter that is younger than the world is taken away.
//! The others ([`Behaviour`]) are a function on requests (on the way in, oldest first) or on objects of replies and
//! events (on the way out, newest first). [`emulation()`] compiles what applies to a level, once; a world at the newest
//! level has none and pays a comparison.
//!
//! What is neither a name nor a rule is left as the newest level has it: texts, HTML, the version (A-102).
//!
//! Operations have their first level in their own row (`DOCS.since`), and the first that has them no more (`REMOVED_IN`). What can't be said at the edge is decided in
//! the operation by `Call::feature_level`; its row here is [`Downgrade::Elsewhere`].
//!
//! To add a change: a pair in the table of its kind, or a [`Behaviour`] that names its test.

mod behaviours;
mod doubts;
mod emulation;
mod events;
mod evidence;
mod fields;
mod listing;
mod narrow;
pub mod objects;
mod parameters;
mod past;
pub mod place;
mod renewal;
mod usage;

use crate::api::parameter::Parameter;
use crate::api::{Access, Route};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::EventPattern;
use crate::realm::user::User;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use doubts::doubts;
pub use emulation::{Emulation, add_unknown_field, emulation};
pub use listing::{Listed, listed, stale_evidence, table};
pub use objects::Object;
pub use renewal::rename_fields;
pub use usage::{Suspect, Usage};

/// Something that a level changed.
#[derive(Clone, Copy)]
pub struct Change {
    /// The first level that has it as it is now.
    pub level: i64,
    pub kind: ChangeKind,
}

/// What a change touches.
#[derive(Clone, Copy)]
pub enum ChangeKind {
    /// An operation takes a parameter from the level on; before, it is unsupported.
    Parameter {
        /// `POST /messages`
        route: &'static str,
        /// Its name.
        name: &'static str,
    },
    /// A parameter had another name.
    RenamedParameter {
        /// The operation.
        route: &'static str,
        /// The name before.
        old: &'static str,
        /// The first level that had the old name.
        since: i64,
        /// The name now.
        new: &'static str,
    },
    /// An operation took a parameter until the level; it finds it in `Call::former`.
    GoneParameter {
        /// The operation.
        route: &'static str,
        /// Its name.
        name: &'static str,
        /// The first level that had it.
        since: i64,
    },
    /// A key of `client_capabilities` that is unknown before the level.
    Capability(&'static str),
    /// A word that narrows have from the level on: an operator, or an operand of one.
    NarrowTerm {
        /// The operator.
        operator: &'static str,
        /// The operand, when the operator itself is older.
        operand: Option<&'static str>,
    },
    /// Objects have a field from the level on.
    Field {
        /// Which objects.
        object: &'static Object,
        /// The field.
        name: &'static str,
    },
    /// A field had another name.
    RenamedField {
        /// Which objects.
        object: &'static Object,
        /// The name before.
        old: &'static str,
        /// The name now.
        new: &'static str,
    },
    /// Objects had a field until the level.
    GoneField {
        /// Which objects.
        object: &'static Object,
        /// The field.
        name: &'static str,
        /// The first level that had it.
        since: i64,
        /// What stood in it.
        value: fn(&Map<String, Value>, &Context<'_>) -> Value,
        /// Whether an object has the field of this name: the register reply has what was asked for.
        is_given: fn(&str, &Map<String, Value>, &Context<'_>) -> bool,
    },
    /// Queues get events of this kind from the level on.
    Event(EventPattern),
    /// Something that needs words and code of its own.
    Behaviour(&'static Behaviour),
}

/// A change that is more than a name that comes or goes.
pub struct Behaviour {
    /// The first level that behaves as now.
    pub level: i64,
    /// What it is about: an operation, an object, all replies.
    pub on: &'static str,
    /// What changed, and how it was before.
    pub words: &'static str,
    /// The test that shows it on both sides, in `tests/suite/levels`.
    pub test: &'static str,
    /// What is done below the level.
    pub act: Downgrade,
}

/// What is done below a behaviour's level.
pub enum Downgrade {
    /// Changes or refuses requests of these operations, once it is known who calls.
    Request(&'static [&'static str], fn(&mut Request<'_>) -> Result<(), Error>),
    /// Refuses requests of these operations, once their parameters are read.
    Refuse(&'static [&'static str], fn(&mut Request<'_>) -> Result<(), Error>),
    /// Changes objects of replies and events.
    Objects(&'static Object, fn(&mut Map<String, Value>, &Context<'_>)),
    /// These errors had another status and code.
    Code {
        /// Rows of the error table.
        errors: &'static [&'static str],
        /// The operations; none: all.
        routes: &'static [&'static str],
        /// HTTP status before.
        status: u16,
        /// Code before; empty where there was none.
        code: &'static str,
    },
    /// Where the credentials of a request are refused with these errors, the code was another.
    CodeOfCredentials {
        /// Rows of the error table.
        errors: &'static [&'static str],
        /// Code before.
        code: &'static str,
    },
    /// These operations read their parameters by other rules: JSON's `true` and `false` were taken for 1 and 0 where a
    /// whole number is wanted, in lists and objects too, and refusals had other words.
    FormerReading(&'static [&'static str]),
    /// Refusals had other words.
    Words(fn(&mut Refusal<'_>)),
    /// These operations were for others.
    Instead(&'static [&'static str], Access),
    /// These operations asked for this too.
    Also(&'static [&'static str], Access),
    /// Decided where the words say, not at the edge.
    Elsewhere,
}

/// A refusal on its way out.
pub struct Refusal<'a> {
    /// The world's level.
    pub level: i64,
    /// The operation that was refused.
    pub route: Route,
    /// Why.
    pub error: &'a mut Error,
    /// The request's query and body, as they were sent.
    pub values: &'a BTreeMap<String, String>,
    /// The operation reads its parameters by the former rules at this level.
    pub is_read_as_before: bool,
    /// The message, if it is not the error's own.
    message: Option<String>,
}

impl Refusal<'_> {
    /// Gives it another message, with the error's placeholders.
    fn say(&mut self, template: &str) {
        self.message = Some(self.error.filled(template));
    }
}

/// A request on its way in.
pub struct Request<'a> {
    /// The world's level.
    pub level: i64,
    /// The realm as it is.
    pub realm: &'a Realm,
    /// Who calls.
    pub caller: Option<&'a User>,
    /// Parts of the path.
    pub path: &'a [(String, String)],
    /// Query and body.
    pub values: &'a mut BTreeMap<String, String>,
}

impl Request<'_> {
    /// A part of the path as a number.
    fn id(&self, name: &str) -> Option<i64> {
        self.part(name)?.parse().ok()
    }

    /// Lets the core take the client for one with a capability, whatever it says of itself.
    fn understand(&mut self, capability: &str) {
        let text = self
            .values
            .entry("client_capabilities".to_owned())
            .or_insert_with(|| r#"{"notification_settings_null": false}"#.to_owned());
        if let Ok(Value::Object(mut capabilities)) = serde_json::from_str(text) {
            capabilities.insert(capability.to_owned(), true.into());
            *text = Value::from(capabilities).to_string();
        }
    }

    /// Reads a parameter that may be left out, as the newest level does.
    fn optional<T: Parameter>(&self, name: &str) -> Result<(), Error> {
        self.values.get(name).map_or(Ok(()), |text| T::from_text(text, name).map(drop))
    }

    /// Likewise one that has to be there.
    fn required<T: Parameter>(&self, name: &'static str) -> Result<(), Error> {
        if !self.values.contains_key(name) {
            return Err(Error::MissingParameter { var_name: name.into() });
        }
        self.optional::<T>(name)
    }

    /// Brings a parameter that was text in JSON to the plain text that it is now.
    fn text_from_json(&mut self, name: &str) -> Result<(), Error> {
        let Some(value) = self.values.get_mut(name) else { return Ok(()) };
        match serde_json::from_str(value) {
            Ok(Value::String(text)) => *value = text,
            Ok(_) => return Err(Error::bad_value(name, "is not a string")),
            Err(_) => return Err(Error::bad_value(name, "is not valid JSON")),
        }
        Ok(())
    }

    /// A part of the path.
    fn part(&self, name: &str) -> Option<&str> {
        self.path.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// What a change of an object may look at besides the object.
pub struct Context<'a> {
    /// The world's level.
    pub level: i64,
    /// The realm as it is.
    pub realm: &'a Realm,
    /// Who asked.
    pub caller: Option<&'a User>,
    /// The request's query and body, as the newest level has them.
    pub values: &'a BTreeMap<String, String>,
    /// Names of parameters that were given as switches, where these stand for numbers too.
    pub switches: &'a [String],
}

/// What a server of level 247 was recorded to do, and the newest does otherwise, changed after that. Where nothing says
/// when, it is taken to have changed at once (A-240).
pub const AFTER_THE_RECORDED: i64 = 248;

/// The level that the specification describes: what it says holds from here on where a server of level 387 answers
/// otherwise and nothing says when that changed.
pub const SPECIFIED: i64 = 497;

/// All changes, the newest first; within a level as they are in the tables.
pub fn changes() -> &'static [Change] {
    static CHANGES: LazyLock<Vec<Change>> = LazyLock::new(|| {
        let mut all = fields::changes();
        all.extend(parameters::changes());
        all.extend(events::changes());
        all.extend(behaviours::changes());
        // What stood in a field that is gone may follow from one that came at the same level.
        let is_young = |change: &Change| !matches!(change.kind, ChangeKind::GoneField { .. });
        all.sort_by_key(|change| (std::cmp::Reverse(change.level), is_young(change)));
        all
    });
    &CHANGES
}
