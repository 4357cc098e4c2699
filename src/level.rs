//! Feature levels: the differences between worlds at older levels and the newest one (specification, Versioning).
//!
//! The core implements the newest level. Each difference of an older level is a row of a table here, with its level,
//! its subject and the former behaviour. Most rows need no code: a field or parameter that is newer than the world is
//! removed. The others ([`Behaviour`]) are mostly functions on requests (applied from the oldest change to the newest)
//! or on objects of replies and events (from the newest to the oldest); some change only the code, the message or the
//! required access. [`emulation()`] compiles the rows for a level once; the newest level has no emulation.
//!
//! At all levels, the version of the server is that of the newest (A-102). HTML has the form of the level at which it
//! was rendered, which the core chooses (A-230).
//!
//! The first level of an operation is in its own row (`DOCS.since`), as is the level that removed it (`REMOVED_IN`).
//! Where only the core can tell levels apart, it asks for a [`Feature`], whose row the list of changes includes.
//!
//! To add a change, add a pair to the table of its kind, or a [`Behaviour`] or a [`Feature`] that names its test.

mod behaviours;
mod compatibility;
mod emulation;
mod events;
mod evidence;
mod fields;
mod historical_records;
mod listing;
mod narrow_term;
mod newest_names;
pub mod objects;
mod parameters;
pub mod place;
mod unknown_narrow_terms;
mod usage;

use crate::api::parameter::Parameter;
use crate::api::{Access, Route};
use crate::error::Error;
use crate::feature::{Feature, FeatureChange};
use crate::realm::Realm;
use crate::realm::event::EventPattern;
use crate::realm::user::User;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use compatibility::compatibility_issues;
pub use emulation::{Emulation, add_unknown_field, emulation};
pub use listing::{ListedChange, level_of_addition, list_changes, to_markdown_table, unused_evidence};
pub use newest_names::rename_fields;
pub use objects::ObjectKind;
pub use usage::{SuspectedChange, Usage};

/// A change of the API at a feature level.
#[derive(Clone, Copy)]
pub struct Change {
    /// The first level with the present form, apart from backports ([`crate::feature::BACKPORTS`]).
    pub level: i64,
    pub kind: ChangeKind,
}

impl Change {
    fn of_feature(feature: Feature) -> impl Iterator<Item = Self> {
        let change = move |difference| Self { level: feature.since(), kind: ChangeKind::Feature(feature, difference) };
        feature.changes().map(change)
    }
}

/// What a change adds, removes, renames or changes otherwise.
#[derive(Clone, Copy)]
pub enum ChangeKind {
    /// A new parameter of an operation. Below the level, it is reported as unsupported.
    Parameter {
        /// Method and path, such as `POST /messages`.
        route: &'static str,
        name: &'static str,
    },
    RenamedParameter {
        route: &'static str,
        old: &'static str,
        /// The first level with the old name.
        since: i64,
        new: &'static str,
    },
    /// A removed parameter. Below the level, the operation finds it in `OperationContext::legacy_values`.
    RemovedParameter {
        route: &'static str,
        name: &'static str,
        /// The first level with the parameter.
        since: i64,
    },
    /// A new key of `client_capabilities`.
    Capability(&'static str),
    /// A new operator of narrows, or a new operand of an older operator.
    NarrowTerm {
        operator: &'static str,
        /// None if the operator itself is new.
        operand: Option<&'static str>,
    },
    /// A new field.
    Field {
        object: &'static ObjectKind,
        name: &'static str,
    },
    RenamedField {
        object: &'static ObjectKind,
        old: &'static str,
        new: &'static str,
    },
    RemovedField {
        object: &'static ObjectKind,
        name: &'static str,
        /// The first level with the field.
        since: i64,
        /// Computes the value of the field from the other fields of its object.
        value: fn(&Map<String, Value>, &DowngradeContext<'_>) -> Value,
        /// Whether an object gets the field of this name. The register reply gets only the requested ones.
        is_present: fn(&str, &Map<String, Value>, &DowngradeContext<'_>) -> bool,
    },
    /// A new kind of events.
    Event(EventPattern),
    /// Any other change that is applied to requests, replies or events.
    Behaviour(&'static Behaviour),
    /// A visible difference of a feature, which the core checks itself.
    Feature(Feature, &'static FeatureChange),
}

/// A change that needs a description and, usually, code.
pub struct Behaviour {
    /// The first level with the present behaviour.
    pub level: i64,
    /// The operations, events or objects that changed.
    pub subject: &'static str,
    /// The present behaviour and, usually, the one below the level. Assertions accept every text between backticks as
    /// the name of a parameter of older levels (`openapi::possible_former_names`).
    pub description: &'static str,
    /// The test in `tests/suite/levels` that shows the behaviour at and below the level.
    pub test: &'static str,
    /// How worlds below the level get the former behaviour.
    pub downgrade: Downgrade,
}

/// How a behaviour is changed below its level.
pub enum Downgrade {
    /// Changes or refuses requests for these operations, after the caller was checked and before their parameters are
    /// read.
    RequestChange(&'static [&'static str], fn(&mut Request<'_>) -> Result<(), Error>),
    /// Refuses requests for these operations, after their parameters were read.
    RefusalAfterParsing(&'static [&'static str], fn(&mut Request<'_>) -> Result<(), Error>),
    /// Changes these fields of objects in replies and events.
    Objects(&'static ObjectKind, ChangedFields, fn(&mut Map<String, Value>, &DowngradeContext<'_>)),
    /// These errors had another status and code.
    Code {
        /// Names in the table of errors.
        errors: &'static [&'static str],
        /// The operations; empty for all.
        routes: &'static [&'static str],
        /// The former HTTP status.
        status: u16,
        /// The former code; empty if there was none.
        code: &'static str,
    },
    /// These errors had another code when they refused the credentials of a request.
    CredentialsCode {
        /// Names in the table of errors.
        errors: &'static [&'static str],
        /// The former code.
        code: &'static str,
    },
    /// These operations parsed their parameters in another way: they accepted JSON's `true` and `false` as the integers
    /// 1 and 0, also within lists and objects, and refusals had other messages.
    FormerParsing(&'static [&'static str]),
    /// Changes the messages of refusals.
    ErrorMessage(fn(&mut Refusal<'_>)),
    /// These operations required this access instead of the present one.
    FormerAccess(&'static [&'static str], Access),
    /// These operations required this access in addition to the present one.
    AdditionalAccess(&'static [&'static str], Access),
}

/// What a change of objects adds, removes or replaces, as the OpenAPI document says it.
#[derive(Clone, Copy, Debug)]
pub enum ChangedFields {
    /// Only values, which keep their types, or the number of items.
    Values,
    /// These fields are added or removed, or have values of other types. Those within them count as part of them.
    Fields(&'static [&'static str]),
    /// Fields are added whose names the change computes; the others keep their types.
    Additions,
}

/// A refusal before it is sent, whose message may be changed.
pub struct Refusal<'a> {
    /// The world's level.
    pub level: i64,
    pub route: Route,
    pub error: &'a mut Error,
    /// The parameters in query and body as they were sent, with neutral names.
    pub values: &'a BTreeMap<String, String>,
    /// Whether the operation parses its parameters in the former way at this level.
    pub uses_former_parsing: bool,
    /// The new message, if it was changed.
    message: Option<String>,
}

impl Refusal<'_> {
    /// Sets the message from a template with the placeholders of the error.
    fn set_message(&mut self, template: &str) {
        self.message = Some(self.error.fill_template(template));
    }
}

/// A request before it reaches its operation.
pub struct Request<'a> {
    /// The world's level.
    pub level: i64,
    pub realm: &'a Realm,
    /// None for spectators.
    pub caller: Option<&'a User>,
    /// Names and values of the path's placeholders.
    pub path_values: &'a [(String, String)],
    /// The parameters in query and body.
    pub values: &'a mut BTreeMap<String, String>,
}

impl Request<'_> {
    /// The ID in the placeholder `name` of the path; None if the path has no such placeholder, or a text in it.
    fn path_id(&self, name: &str) -> Option<i64> {
        self.path_value(name)?.parse().ok()
    }

    /// Adds a key to the capabilities that the client declares.
    fn add_capability(&mut self, capability: &str) {
        let text = self
            .values
            .entry("client_capabilities".to_owned())
            .or_insert_with(|| r#"{"notification_settings_null": false}"#.to_owned());
        if let Ok(Value::Object(mut capabilities)) = serde_json::from_str(text) {
            capabilities.insert(capability.to_owned(), true.into());
            *text = Value::from(capabilities).to_string();
        }
    }

    /// Checks an optional parameter as the newest level does. The errors are those of [`Parameter::from_text`].
    fn check_optional<T: Parameter>(&self, name: &str) -> Result<(), Error> {
        self.values.get(name).map_or(Ok(()), |text| T::from_text(text, name).map(drop))
    }

    /// Checks a required parameter as the newest level does. The errors are `MissingParameter` and those of
    /// [`Parameter::from_text`].
    fn check_required<T: Parameter>(&self, name: &'static str) -> Result<(), Error> {
        if !self.values.contains_key(name) {
            return Err(Error::MissingParameter { var_name: name.into() });
        }
        self.check_optional::<T>(name)
    }

    /// Converts a parameter from a JSON string to plain text. Fails with `BadValue` for any other JSON or text.
    fn unquote_json(&mut self, name: &str) -> Result<(), Error> {
        let Some(value) = self.values.get_mut(name) else { return Ok(()) };
        match serde_json::from_str(value) {
            Ok(Value::String(text)) => *value = text,
            Ok(_) => return Err(Error::bad_value(name, "is not a string")),
            Err(_) => return Err(Error::bad_value(name, "is not valid JSON")),
        }
        Ok(())
    }

    fn path_value(&self, name: &str) -> Option<&str> {
        self.path_values.iter().find(|(placeholder, _)| placeholder == name).map(|(_, value)| value.as_str())
    }
}

/// The state that a downgrade of an object may use besides the object.
pub struct DowngradeContext<'a> {
    /// The world's level.
    pub level: i64,
    pub realm: &'a Realm,
    /// None for spectators.
    pub caller: Option<&'a User>,
    /// The parameters in query and body, converted to the newest level.
    pub values: &'a BTreeMap<String, String>,
    /// Names of parameters that were sent as `true` or `false`, at levels that accept these for integers.
    pub boolean_parameters: &'a [String],
}

/// The level that the specification describes. A behaviour that recordings of level 387 show is assumed to have changed
/// here, where no evidence says when (A-240 in docs/assumptions.md).
pub const SPECIFIED_LEVEL: i64 = 497;

/// All changes, the newest first; within a level, removed fields first and otherwise in the order of the tables.
pub fn changes() -> &'static [Change] {
    static CHANGES: LazyLock<Vec<Change>> = LazyLock::new(|| {
        let mut changes = fields::changes();
        changes.extend(parameters::changes());
        changes.extend(events::changes());
        changes.extend(behaviours::changes());
        changes.extend(Feature::ALL.iter().copied().flat_map(Change::of_feature));
        // The value of a removed field may be computed from one that was added at the same level.
        let is_removed_field = |change: &Change| matches!(change.kind, ChangeKind::RemovedField { .. });
        changes.sort_by_key(|change| (std::cmp::Reverse(change.level), !is_removed_field(change)));
        changes
    });
    &CHANGES
}
