//! Patterns for the events that a feature level does not have.

use super::{Event, Payload};
use serde_json::Value;

/// Matches events that queues do not receive because the world's feature level does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPattern {
    /// The event's `type`.
    pub type_name: &'static str,
    /// None for any `op`.
    pub op: Option<&'static str>,
    /// A field and a name: the field's value is the name, or an object that has it as a key. None for any event.
    pub carried_name: Option<(&'static str, &'static str)>,
}

impl EventPattern {
    pub fn matches(&self, event: &Event) -> bool {
        if event.kind.type_name() != self.type_name || self.op.is_some_and(|op| event.kind.op() != Some(op)) {
            return false;
        }
        let Some((key, name)) = self.carried_name else { return true };
        match &event.payload {
            Payload::Fields { fields, .. } => match fields.get(key) {
                Some(Value::String(text)) => text == name,
                Some(Value::Object(object)) => object.contains_key(name),
                _ => false,
            },
            _ => false,
        }
    }
}
