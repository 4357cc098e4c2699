//! The changes of objects in replies and events.

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::level::Context;
use crate::level::place::{Step, visit};
use serde_json::{Map, Value, json};

/// The unknown field in replies of worlds above the newest level.
const UNKNOWN_FIELD: &str = "field_of_a_later_level";

/// A change of all objects at a path in a reply or an event.
pub(super) struct ObjectChange {
    pub(super) path: Vec<Step>,
    pub(super) action: ObjectAction,
}

#[derive(Clone, Copy)]
pub(super) enum ObjectAction {
    Remove(&'static str),
    Rename {
        old: &'static str,
        new: &'static str,
    },
    Add {
        name: &'static str,
        value: fn(&Map<String, Value>, &Context<'_>) -> Value,
        is_present: fn(&str, &Map<String, Value>, &Context<'_>) -> bool,
    },
    Change(fn(&mut Map<String, Value>, &Context<'_>)),
    /// Adds [`UNKNOWN_FIELD`].
    AddUnknown,
}

impl ObjectChange {
    pub(super) fn apply(&self, value: &mut Value, context: &Context<'_>) {
        match self.action {
            ObjectAction::Add { name, value: compute_value, is_present } => visit(value, &self.path, &mut |object| {
                if is_present(name, object, context) {
                    let value = compute_value(object, context);
                    object.insert(name.to_owned(), value);
                }
            }),
            ObjectAction::Change(change) => visit(value, &self.path, &mut |object| change(object, context)),
            _ => self.apply_without_realm(value),
        }
    }

    /// Like [`ObjectChange::apply`] without an organization: values that depend on it are not added or changed.
    pub(super) fn apply_without_realm(&self, value: &mut Value) {
        visit(value, &self.path, &mut |object| match self.action {
            ObjectAction::Remove(name) => drop(object.shift_remove(name)),
            ObjectAction::Rename { old, new } => restore_old_name(object, old, new),
            ObjectAction::AddUnknown => add_unknown_field(object),
            ObjectAction::Add { .. } | ObjectAction::Change(_) => {}
        });
    }
}

/// Adds [`UNKNOWN_FIELD`], which no client knows.
pub fn add_unknown_field(object: &mut Map<String, Value>) {
    object.insert(UNKNOWN_FIELD.to_owned(), json!({"since": NEWEST_FEATURE_LEVEL + 1}));
}

fn restore_old_name(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.shift_remove(new) {
        object.insert(old.to_owned(), value);
    }
}
