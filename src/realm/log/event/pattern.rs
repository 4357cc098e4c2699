//! Patterns for the events that a feature level does not have.

/// Matches events that queues do not receive because the world's feature level does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPattern {
    /// The event's `type`.
    pub kind: &'static str,
    /// None for any `op`.
    pub op: Option<&'static str>,
    /// A field and a name: the field's value is the name, or an object that has it as a key. None for any event.
    pub carries: Option<(&'static str, &'static str)>,
}
