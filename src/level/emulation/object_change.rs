//! What becomes of the objects in replies and events.

use crate::api::NEWEST_FEATURE_LEVEL;
use crate::level::Context;
use crate::level::place::{Step, visit};
use serde_json::{Map, Value, json};

/// A field that no level has, in the replies of worlds above the newest.
const UNKNOWN_FIELD: &str = "field_of_a_later_level";

/// A change of all objects at one place of a reply or an event.
pub(super) struct ObjectChange {
    pub(super) path: Vec<Step>,
    pub(super) act: ObjectAct,
}

/// What becomes of an object.
#[derive(Clone, Copy)]
pub(super) enum ObjectAct {
    Remove(&'static str),
    Rename {
        old: &'static str,
        new: &'static str,
    },
    Add {
        name: &'static str,
        value: fn(&Map<String, Value>, &Context<'_>) -> Value,
        is_given: fn(&str, &Map<String, Value>, &Context<'_>) -> bool,
    },
    Change(fn(&mut Map<String, Value>, &Context<'_>)),
    /// Adds [`UNKNOWN_FIELD`].
    AddUnknown,
}

impl ObjectChange {
    pub(super) fn apply(&self, value: &mut Value, context: &Context<'_>) {
        match self.act {
            ObjectAct::Add { name, value: of, is_given } => visit(value, &self.path, &mut |object| {
                if is_given(name, object, context) {
                    let value = of(object, context);
                    object.insert(name.to_owned(), value);
                }
            }),
            ObjectAct::Change(change) => visit(value, &self.path, &mut |object| change(object, context)),
            _ => self.apply_without_realm(value),
        }
    }

    /// As [`ObjectChange::apply`], where there is no organization to look at: only names come and go.
    pub(super) fn apply_without_realm(&self, value: &mut Value) {
        visit(value, &self.path, &mut |object| match self.act {
            ObjectAct::Remove(name) => drop(object.shift_remove(name)),
            ObjectAct::Rename { old, new } => rename(object, old, new),
            ObjectAct::AddUnknown => add_unknown_field(object),
            ObjectAct::Add { .. } | ObjectAct::Change(_) => {}
        });
    }
}

/// Adds a field that no client knows.
pub fn add_unknown_field(object: &mut Map<String, Value>) {
    object.insert(UNKNOWN_FIELD.to_owned(), json!({"since": NEWEST_FEATURE_LEVEL + 1}));
}

fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.shift_remove(new) {
        object.insert(old.to_owned(), value);
    }
}
