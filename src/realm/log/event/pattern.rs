//! Kinds of events that a level does not have.

/// Which events a queue never gets, because its world's level does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPattern {
    /// Of this type.
    pub kind: &'static str,
    /// Of this op; None: any.
    pub op: Option<&'static str>,
    /// With a name under a key, as its value or as a key of the object there.
    pub carries: Option<(&'static str, &'static str)>,
}
