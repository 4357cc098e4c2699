//! The modes of playing a scenario.

/// What happens at a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The scenario ends at the first difference.
    Check,
    /// The scenario continues, as if the actual reply had been expected.
    Update,
    /// Like [`Mode::Update`], for a second run after an update: values that differ this time become placeholders.
    Settle,
}
