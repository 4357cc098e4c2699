//! Compiles the emulation of a level from the table of changes.

use super::integer_parameters::IntegerParameter;
use super::object_change::{ObjectAction, ObjectChange};
use super::{CodeScope, Emulation, FormerCode, RouteKey, route_key};
use crate::api::parameter::ParameterInfo;
use crate::api::{NEWEST_FEATURE_LEVEL, OPERATIONS};
use crate::feature::has_changes_of;
use crate::level::behaviours::refusal_messages::set_former_parsing_messages;
use crate::level::place::{Place, Source};
use crate::level::{Change, ChangeKind, Downgrade, ObjectKind, Refusal, changes, objects};
use std::collections::{HashMap, HashSet};

impl Emulation {
    fn empty(level: i64) -> Self {
        Self {
            level,
            unknown_parameters: HashMap::new(),
            renamed_parameters: HashMap::new(),
            removed_parameters: HashMap::new(),
            unknown_capabilities: Vec::new(),
            unknown_narrow_terms: Vec::new(),
            request_changes: HashMap::new(),
            deferred_refusals: HashMap::new(),
            every_reply_changes: Vec::new(),
            early_fields: HashSet::new(),
            reply_changes: HashMap::new(),
            event_changes: HashMap::new(),
            former_codes: Vec::new(),
            error_message_changes: Vec::new(),
            integer_parameters: HashMap::new(),
            former_parsing_text_parameters: HashMap::new(),
            access_changes: HashMap::new(),
            withheld_events: Vec::new(),
        }
    }

    pub(super) fn of_older_level(level: i64) -> Self {
        let mut emulation = Self::empty(level);
        for change in changes() {
            match change.kind {
                _ if !has_changes_of(level, change.level) => emulation.add_change(change),
                ChangeKind::Field { object, name } => {
                    emulation.early_fields.extend(whole_reply_routes(object).map(|key| (key, name)));
                }
                _ => {}
            }
        }
        // Requests are converted from the oldest change to the newest.
        emulation
            .request_changes
            .values_mut()
            .chain(emulation.deferred_refusals.values_mut())
            .for_each(|changes| changes.reverse());
        emulation
    }

    /// The emulation of levels above the newest: every reply and every object has a field that no client knows.
    pub(super) fn of_newer_levels() -> Self {
        let mut emulation = Self::empty(NEWEST_FEATURE_LEVEL + 1);
        for object in objects::ALL {
            emulation.add_object_action(object, ObjectAction::AddUnknownField);
        }
        emulation.add_object_action(&objects::EVERY_REPLY, ObjectAction::AddUnknownField);
        emulation
    }

    fn add_change(&mut self, change: &Change) {
        match change.kind {
            ChangeKind::Parameter { route, name } => {
                self.unknown_parameters.entry(route_key(route)).or_default().push(name)
            }
            ChangeKind::RenamedParameter { route, old, since, new } => {
                self.unknown_parameters.entry(route_key(route)).or_default().push(new);
                if self.level >= since {
                    self.renamed_parameters.entry(route_key(route)).or_default().push((old, new));
                }
            }
            ChangeKind::RemovedParameter { route, name, since } if self.level >= since => {
                self.removed_parameters.entry(route_key(route)).or_default().push(name);
            }
            ChangeKind::RemovedParameter { .. } => {}
            ChangeKind::Capability(name) => self.unknown_capabilities.push(name),
            ChangeKind::NarrowTerm { operator, operand } => self.unknown_narrow_terms.push((operator, operand)),
            ChangeKind::Field { object, name } => self.add_object_action(object, ObjectAction::RemoveField(name)),
            ChangeKind::RenamedField { object, old, new } => {
                self.add_object_action(object, ObjectAction::RestoreOldName { old, new })
            }
            ChangeKind::RemovedField { object, name, since, value, is_present } if self.level >= since => {
                self.add_object_action(object, ObjectAction::AddFormerField { name, compute_value: value, is_present });
            }
            ChangeKind::RemovedField { .. } => {}
            ChangeKind::Event(pattern) => self.withheld_events.push(pattern),
            ChangeKind::Behaviour(behaviour) => self.add_downgrade(&behaviour.downgrade),
            // The core checks features itself.
            ChangeKind::Feature(..) => {}
        }
    }

    fn add_downgrade(&mut self, downgrade: &'static Downgrade) {
        match *downgrade {
            Downgrade::RequestChange(routes, change) => {
                for route in routes {
                    self.request_changes.entry(route_key(route)).or_default().push(change);
                }
            }
            Downgrade::RefusalAfterParsing(routes, change) => {
                for route in routes {
                    self.deferred_refusals.entry(route_key(route)).or_default().push(change);
                }
            }
            Downgrade::Objects(object, _, change) => self.add_object_action(object, ObjectAction::ChangeObject(change)),
            Downgrade::Code { errors, routes, status, code } => {
                self.former_codes.push(FormerCode { errors, scope: CodeScope::Routes(routes), status, code });
            }
            Downgrade::CredentialsCode { errors, code } => {
                self.former_codes.push(FormerCode { errors, scope: CodeScope::Credentials, status: 401, code });
            }
            Downgrade::FormerParsing(routes) => {
                for key in routes.iter().map(|route| route_key(route)) {
                    let row = OPERATIONS.iter().find(|row| (row.route.method, row.route.path) == key);
                    let parameters = row.map(|row| row.parameters).unwrap_or_default();
                    self.integer_parameters
                        .insert(key, parameters.iter().filter_map(former_integer_parameter).collect());
                    let text_names = parameters.iter().filter(|info| !info.is_json).map(|info| info.name);
                    self.former_parsing_text_parameters.insert(key, text_names.collect());
                }
                if !self
                    .error_message_changes
                    .iter()
                    .any(|change| std::ptr::fn_addr_eq(*change, SET_FORMER_PARSING_MESSAGES))
                {
                    self.error_message_changes.push(SET_FORMER_PARSING_MESSAGES);
                }
            }
            Downgrade::ErrorMessage(change_error_message) => self.error_message_changes.push(change_error_message),
            Downgrade::FormerAccess(routes, access) => {
                for route in routes {
                    self.access_changes.entry(route_key(route)).or_default().replacement = Some(access);
                }
            }
            Downgrade::AdditionalAccess(routes, access) => {
                for route in routes {
                    self.access_changes.entry(route_key(route)).or_default().additional.push(access);
                }
            }
        }
    }

    fn add_object_action(&mut self, object: &ObjectKind, action: ObjectAction) {
        for place in object.places {
            let Place { source, path: steps } = Place::parse(place);
            let change = ObjectChange { path: steps, action };
            match source {
                Source::EveryReply => self.every_reply_changes.push(change),
                Source::Reply(method, path) => self.reply_changes.entry((method, path)).or_default().push(change),
                Source::Event(kind, op) => self.event_changes.entry(kind).or_default().push((op, change)),
            }
        }
    }
}

/// In a constant, the function has the same address in each comparison.
const SET_FORMER_PARSING_MESSAGES: fn(&mut Refusal<'_>) = set_former_parsing_messages;

/// A parameter whose integers may be booleans in the former way of parsing; None if it has no integers or refuses
/// booleans in them.
fn former_integer_parameter(info: &ParameterInfo) -> Option<IntegerParameter> {
    // The former conversion of these refused a boolean.
    let accepts_single_boolean = !["num_before", "num_after", "waiting_period_threshold", "to"].contains(&info.name);
    IntegerParameter::from_info(info, accepts_single_boolean).filter(|_| info.name != "narrow")
}

/// The operations whose whole reply is an object of this kind.
fn whole_reply_routes(object: &'static ObjectKind) -> impl Iterator<Item = RouteKey> {
    object.places.iter().filter_map(|place| match Place::parse(place) {
        Place { source: Source::Reply(method, path), path: steps } if steps.is_empty() => Some((method, path)),
        _ => None,
    })
}
