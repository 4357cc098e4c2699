//! The emulation of a feature level: the changes that apply to it, compiled from the tables and indexed by operation or
//! type of event.

mod compilation;
mod integer_parameters;
mod object_change;

pub use object_change::add_unknown_field;

use super::unknown_narrow_terms;
use super::{DowngradeContext, Refusal, Request};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Effect, NEWEST_FEATURE_LEVEL, OPERATIONS, OperationRow, Route};
use crate::error::{Error, ErrorRow};
use crate::realm::Realm;
use crate::realm::event::EventPattern;
use crate::realm::queue::QueueLevel;
use crate::realm::user::User;
use integer_parameters::IntegerParameter;
use object_change::{ObjectAction, ObjectChange};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, LazyLock, OnceLock};

/// The differences between a level and the newest one.
pub struct Emulation {
    level: i64,
    /// Parameters that the level does not know.
    unknown_parameters: HashMap<RouteKey, Vec<&'static str>>,
    /// Parameters with another name: the name at this level, and the newest name.
    renamed_parameters: HashMap<RouteKey, Vec<(&'static str, &'static str)>>,
    /// Parameters that a later level removed.
    removed_parameters: HashMap<RouteKey, Vec<&'static str>>,
    /// Keys of `client_capabilities` that the level does not know.
    unknown_capabilities: Vec<&'static str>,
    unknown_narrow_terms: Vec<unknown_narrow_terms::UnknownTerm>,
    request_changes: HashMap<RouteKey, Vec<RequestChange>>,
    /// Refusals that apply after the operation has read its parameters.
    deferred_refusals: HashMap<RouteKey, Vec<RequestChange>>,
    /// The changes that apply to the replies of all operations, except those of `early_fields`.
    every_reply_changes: Vec<ObjectChange>,
    /// Fields that the replies of single operations already have at this level, although a later one added them to
    /// every reply.
    early_fields: HashSet<(RouteKey, &'static str)>,
    reply_changes: HashMap<RouteKey, Vec<ObjectChange>>,
    /// By type of event; each change with the op of the events to which it applies, None for all.
    event_changes: HashMap<&'static str, Vec<(Option<&'static str>, ObjectChange)>>,
    former_codes: Vec<FormerCode>,
    error_message_changes: Vec<fn(&mut Refusal<'_>)>,
    /// Integer parameters that accept `true` and `false` at this level.
    integer_parameters: HashMap<RouteKey, Vec<IntegerParameter>>,
    /// The operations that parse their parameters in the former way, with their plain text parameters.
    former_parsing_text_parameters: HashMap<RouteKey, Vec<&'static str>>,
    access_changes: HashMap<RouteKey, AccessChange>,
    /// Events that queues do not get.
    withheld_events: Vec<EventPattern>,
}

/// Method and path of an operation.
type RouteKey = (&'static str, &'static str);
type RequestChange = fn(&mut Request<'_>) -> Result<(), Error>;

struct FormerCode {
    errors: &'static [&'static str],
    scope: CodeScope,
    status: u16,
    code: &'static str,
}

#[derive(Clone, Copy)]
enum CodeScope {
    /// These operations; empty for all.
    Routes(&'static [&'static str]),
    /// All operations that require credentials.
    Credentials,
}

#[derive(Default)]
struct AccessChange {
    /// Required instead of the access at the newest level.
    replacement: Option<Access>,
    /// Required in addition.
    additional: Vec<Access>,
}

/// Returns the emulation of a level; None at the newest, which needs none.
pub fn emulation(level: i64) -> Option<&'static Emulation> {
    static OLDER_LEVELS: [OnceLock<Emulation>; NEWEST_FEATURE_LEVEL as usize] =
        [const { OnceLock::new() }; NEWEST_FEATURE_LEVEL as usize];
    static NEWER_LEVELS: LazyLock<Emulation> = LazyLock::new(Emulation::of_newer_levels);
    if level == NEWEST_FEATURE_LEVEL {
        return None;
    }
    let older_level = usize::try_from(level).ok().and_then(|index| OLDER_LEVELS.get(index));
    Some(older_level.map_or(&*NEWER_LEVELS, |cell| cell.get_or_init(|| Emulation::of_older_level(level))))
}

impl Emulation {
    fn is_newer_level(&self) -> bool {
        self.level > NEWEST_FEATURE_LEVEL
    }

    /// The properties of the level that affect the events of queues.
    pub fn queue_level(&'static self) -> QueueLevel {
        QueueLevel {
            older_level: (!self.is_newer_level()).then_some(self.level),
            withheld_events: &self.withheld_events,
            sends_unknown_events: self.is_newer_level(),
        }
    }

    /// Checks the additional access that an operation required at the level.
    ///
    /// # Errors
    ///
    /// The errors of [`Access::check`].
    pub fn check_former_access(&self, route: Route, realm: &Realm, caller: &User) -> Result<(), Error> {
        let change = self.access_changes.get(&(route.method, route.path));
        change.into_iter().flat_map(|change| &change.additional).try_for_each(|access| access.check(realm, caller))
    }

    /// The access that an operation requires at the level, where `access` is that of the newest level.
    pub fn access_at_level(&self, route: Route, access: Access) -> Access {
        self.access_changes.get(&(route.method, route.path)).and_then(|change| change.replacement).unwrap_or(access)
    }

    /// Converts the parameters of a request to the newest level: unknown ones are set aside as unsupported, removed
    /// ones as `legacy_values`, and old names and defaults are replaced.
    ///
    /// # Errors
    ///
    /// Those of the level's `Downgrade::RequestChange` rows, and `OperatorNotSupported` for the narrow of a queue with
    /// an operator that the level does not know. The error of a `Downgrade::RefusalAfterParsing` row is put into
    /// `raw.refusal` instead.
    pub fn upgrade_request(
        &self,
        row: &OperationRow,
        realm: &Realm,
        caller: Option<&User>,
        raw: &mut RawParameters,
    ) -> Result<(), Error> {
        let key = (row.route.method, row.route.path);
        let registers_queue = row.has_effect(Effect::RegistersQueue);
        let values = Arc::make_mut(&mut raw.values);
        if !self.integer_parameters.is_empty() {
            let is_boolean = |text: &str| matches!(text.trim(), "true" | "false");
            raw.boolean_names =
                values.iter().filter(|(_, text)| is_boolean(text)).map(|(name, _)| name.clone()).collect();
        }
        if let Some(text_parameters) = self.former_parsing_text_parameters.get(&key) {
            let large_integers = values.iter_mut().filter(|(name, text)| {
                integer_parameters::is_integer_beyond_range(text) && !text_parameters.contains(&name.as_str())
            });
            large_integers.for_each(|(_, text)| integer_parameters::NOT_AN_INTEGER.clone_into(text));
        }
        for name in self.unknown_parameters.get(&key).into_iter().flatten() {
            if values.remove(*name).is_some() {
                raw.ignored_names.push((*name).to_owned());
            }
        }
        for (old, new) in self.renamed_parameters.get(&key).into_iter().flatten() {
            if let Some(value) = values.remove(*old) {
                values.insert((*new).to_owned(), value);
            }
        }
        for name in self.removed_parameters.get(&key).into_iter().flatten() {
            raw.legacy_values.extend(values.remove(*name).map(|value| (*name, value)));
        }
        if !self.unknown_capabilities.is_empty() && registers_queue {
            remove_capabilities(values, &self.unknown_capabilities);
        }
        // A renamed parameter may have been a boolean, which the changes of requests below convert.
        let renamed_parameters = self.renamed_parameters.get(&key).into_iter().flatten();
        let new_names: Vec<&str> = renamed_parameters.map(|(_, new)| *new).collect();
        let integers = || self.integer_parameters.get(&key).into_iter().flatten();
        integers()
            .filter(|integer| !new_names.contains(&integer.name()))
            .for_each(|integer| integer.replace_booleans(values));
        let mut request = Request { level: self.level, realm, caller, path_values: &raw.path_values, values };
        self.request_changes.get(&key).into_iter().flatten().try_for_each(|change| change(&mut request))?;
        raw.refusal = self
            .deferred_refusals
            .get(&key)
            .into_iter()
            .flatten()
            .try_for_each(|change| change(&mut request))
            .err()
            .map(Box::new);
        integers().for_each(|integer| integer.replace_booleans(request.values));
        match request.values.get_mut("narrow").filter(|_| !self.unknown_narrow_terms.is_empty()) {
            Some(narrow) if registers_queue => {
                unknown_narrow_terms::check_no_unknown_operators(narrow, &self.unknown_narrow_terms)
            }
            Some(narrow) => {
                unknown_narrow_terms::mark_unknown_terms(narrow, &self.unknown_narrow_terms);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Converts a successful reply, and the events in it, from the newest level.
    pub fn downgrade_reply(
        &self,
        row: &OperationRow,
        realm: &Realm,
        caller: Option<&User>,
        raw: &RawParameters,
        reply: &mut Value,
    ) {
        let RawParameters { values, boolean_names, .. } = raw;
        let context = DowngradeContext { level: self.level, realm, caller, values, boolean_parameters: boolean_names };
        let key = (row.route.method, row.route.path);
        let operation_changes = self.reply_changes.get(&key).into_iter().flatten();
        let removes_early_field = |change: &&ObjectChange| match change.action {
            ObjectAction::RemoveField(name) => self.early_fields.contains(&(key, name)),
            _ => false,
        };
        for change in
            self.every_reply_changes.iter().filter(|change| !removes_early_field(change)).chain(operation_changes)
        {
            change.apply(reply, &context);
        }
        if row.is_poll() {
            for event in reply.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten() {
                self.downgrade_event(event, &context);
            }
        }
    }

    /// Like [`Emulation::downgrade_reply`], for replies without an organization: fields are removed or renamed, and
    /// unknown fields are added.
    pub fn downgrade_reply_without_realm(&self, route: Route, reply: &mut Value) {
        let operation_changes = self.reply_changes.get(&(route.method, route.path)).into_iter().flatten();
        for change in self.every_reply_changes.iter().chain(operation_changes) {
            change.apply_without_realm(reply);
        }
    }

    /// Converts a chat message as in an event from the newest level.
    pub fn downgrade_message(&self, realm: &Realm, caller: Option<&User>, message: &mut Value) {
        let values = BTreeMap::new();
        let mut event = json!({"type": "message", "message": message.take(), "flags": []});
        self.downgrade_event(
            &mut event,
            &DowngradeContext { level: self.level, realm, caller, values: &values, boolean_parameters: &[] },
        );
        *message = event["message"].take();
    }

    fn downgrade_event(&self, event: &mut Value, context: &DowngradeContext<'_>) {
        let kind = event["type"].as_str().unwrap_or_default();
        let Some(changes) = self.event_changes.get(kind) else { return };
        for (op, change) in changes {
            // Compared at each change, because an earlier one may have replaced the op.
            if op.is_none_or(|op| event["op"] == op) {
                change.apply(event, context);
            }
        }
    }

    /// Replaces the name of a parameter in a refusal with the one at the level. Returns other errors unchanged.
    pub fn restore_former_parameter_name(&self, route: Route, mut error: Error) -> Error {
        let (Error::MissingParameter { var_name: name }
        | Error::BadValue { parameter: name, .. }
        | Error::InvalidValue { parameter: name }
        | Error::SettingValueNotOffered { setting: name, .. }
        | Error::InvalidValueBecause { parameter: name, .. }) = &mut error
        else {
            return error;
        };
        let text = name.as_str().unwrap_or_default();
        // The name of a refused element is like `name[0]`.
        let (parameter, index) = text.split_at(text.find('[').unwrap_or(text.len()));
        let mut renamed = self.renamed_parameters.get(&(route.method, route.path)).into_iter().flatten();
        if let Some((old, _)) = renamed.find(|(_, new)| *new == parameter) {
            *name = format!("{old}{index}").into();
        }
        error
    }

    /// Replaces an error if the level has another one there, and returns the message of the error at the level; None if
    /// it is the error's own.
    pub fn restore_former_error(
        &self,
        route: Route,
        values: &BTreeMap<String, String>,
        error: &mut Error,
    ) -> Option<String> {
        unknown_narrow_terms::remove_marks(error);
        let uses_former_parsing = self.former_parsing_text_parameters.contains_key(&(route.method, route.path));
        let mut refusal = Refusal { level: self.level, route, error, values, uses_former_parsing, message: None };
        self.error_message_changes.iter().for_each(|change_error_message| change_error_message(&mut refusal));
        refusal.message
    }

    /// Returns the status and code of an error at the level; None if they are those of the newest level. `route` is
    /// None for errors outside of operations.
    pub fn former_code(&self, route: Option<Route>, error: &ErrorRow) -> Option<(u16, &'static str)> {
        let is_route = |text: &&'static str| route.is_some_and(|route| route_key(text) == (route.method, route.path));
        let requires_credentials = || {
            let row = route.and_then(|route| OPERATIONS.iter().find(|row| row.route == route));
            row.is_none_or(|row| row.access != Access::Anyone)
        };
        let applies = |code: &&FormerCode| {
            code.errors.contains(&error.name)
                && match code.scope {
                    CodeScope::Routes(routes) => routes.is_empty() || routes.iter().any(is_route),
                    CodeScope::Credentials => requires_credentials(),
                }
        };
        // Codes are sorted from the newest change to the oldest, and the oldest has the final code.
        self.former_codes.iter().rfind(applies).map(|code| (code.status, code.code))
    }
}

fn route_key(route: &'static str) -> RouteKey {
    route.split_once(' ').unwrap_or_else(|| panic!("{route:?} is no operation"))
}

/// Removes unknown keys from `client_capabilities`.
fn remove_capabilities(values: &mut BTreeMap<String, String>, unknown: &[&str]) {
    let Some(text) = values.get_mut("client_capabilities") else { return };
    // The operation refuses malformed JSON.
    let Ok(Value::Object(mut capabilities)) = serde_json::from_str(text) else { return };
    for name in unknown {
        capabilities.shift_remove(*name);
    }
    *text = Value::from(capabilities).to_string();
}
