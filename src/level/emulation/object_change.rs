//! Changes to objects in replies and events.

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::level::DowngradeContext;
use crate::level::place::{Step, visit_objects};
use serde_json::{Map, Value, json};

/// The unknown field in replies and events of worlds above the newest level.
const UNKNOWN_FIELD: &str = "field_of_a_later_level";

/// A change to all objects at a path in a reply or an event.
pub(super) struct ObjectChange {
    pub(super) path: Vec<Step>,
    pub(super) action: ObjectAction,
}

/// What a change does to the objects at its path.
#[derive(Clone, Copy)]
pub(super) enum ObjectAction {
    RemoveField(&'static str),
    RestoreOldName {
        old: &'static str,
        new: &'static str,
    },
    AddFormerField {
        name: &'static str,
        compute_value: fn(&Map<String, Value>, &DowngradeContext<'_>) -> Value,
        is_present: fn(&str, &Map<String, Value>, &DowngradeContext<'_>) -> bool,
    },
    ChangeObject(fn(&mut Map<String, Value>, &DowngradeContext<'_>)),
    /// Adds [`UNKNOWN_FIELD`].
    AddUnknownField,
}

impl ObjectChange {
    pub(super) fn apply(&self, value: &mut Value, context: &DowngradeContext<'_>) {
        match self.action {
            ObjectAction::AddFormerField { name, compute_value, is_present } => {
                visit_objects(value, &self.path, &mut |object| {
                    if is_present(name, object, context) {
                        let value = compute_value(object, context);
                        object.insert(name.to_owned(), value);
                    }
                })
            }
            ObjectAction::ChangeObject(change) => {
                visit_objects(value, &self.path, &mut |object| change(object, context))
            }
            _ => self.apply_without_realm(value),
        }
    }

    /// Like [`ObjectChange::apply`] without an organization: values that depend on it are not added or changed.
    pub(super) fn apply_without_realm(&self, value: &mut Value) {
        visit_objects(value, &self.path, &mut |object| match self.action {
            ObjectAction::RemoveField(name) => drop(object.shift_remove(name)),
            ObjectAction::RestoreOldName { old, new } => restore_old_name(object, old, new),
            ObjectAction::AddUnknownField => add_unknown_field(object),
            ObjectAction::AddFormerField { .. } | ObjectAction::ChangeObject(_) => {}
        });
    }
}

/// Adds [`UNKNOWN_FIELD`], with which tests find out whether a client ignores fields of later levels.
pub fn add_unknown_field(object: &mut Map<String, Value>) {
    object.insert(UNKNOWN_FIELD.to_owned(), json!({"since": NEWEST_FEATURE_LEVEL + 1}));
}

fn restore_old_name(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.shift_remove(new) {
        object.insert(old.to_owned(), value);
    }
}
