//! Resolving topics: whether a new name adds the check mark to a topic or removes it.

use crate::realm::topic::{RESOLVED_PREFIX, RESOLVED_PREFIX_CHARS, is_resolved, only_changes_resolution};

/// A change of the check mark at the beginning of a topic's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResolutionChange {
    Resolved,
    Unresolved,
}

impl ResolutionChange {
    /// Returns the change between two names that are otherwise equal; None for other names. `new` has to be the name
    /// from the request, because the stored one may be cut off to make room for the mark.
    pub(super) fn between(old: &str, new: &str) -> Option<Self> {
        only_changes_resolution(old, new).then(|| if is_resolved(old) { Self::Unresolved } else { Self::Resolved })
    }

    /// Returns the change that notices of older levels report. Only the marks of the names are compared.
    pub(super) fn in_legacy_notice(old: &str, new: &str) -> Option<Self> {
        match (old.starts_with(RESOLVED_PREFIX), new.starts_with(RESOLVED_PREFIX)) {
            (false, true) => Some(Self::Resolved),
            (true, false) => Some(Self::Unresolved),
            _ => None,
        }
    }

    /// Whether two names are equal, or differ only in their check marks.
    pub(super) fn have_same_name(old: &str, new: &str) -> bool {
        old.trim_start_matches(RESOLVED_PREFIX_CHARS) == new.trim_start_matches(RESOLVED_PREFIX_CHARS)
    }

    /// The word for the change in the notices about it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Unresolved => "unresolved",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_of_older_levels_ignore_other_changes_of_the_name() {
        for (old, new, in_notice, have_same_name) in [
            ("lunch", "✔ lunch", Some(ResolutionChange::Resolved), true),
            ("lunch", "✔ dinner", Some(ResolutionChange::Resolved), false),
            ("✔ lunch", "dinner", Some(ResolutionChange::Unresolved), false),
            ("✔ ✔ lunch", "lunch", Some(ResolutionChange::Unresolved), true),
            ("✔ lunch", "✔ dinner", None, false),
            ("lunch", "dinner", None, false),
        ] {
            assert_eq!(ResolutionChange::in_legacy_notice(old, new), in_notice, "{old} → {new}");
            assert_eq!(ResolutionChange::have_same_name(old, new), have_same_name, "{old} → {new}");
        }
    }

    #[test]
    fn names_that_differ_otherwise_are_no_resolution_change() {
        let long = "l".repeat(60);
        for (old, new, expected) in [
            ("lunch", "✔ lunch", Some(ResolutionChange::Resolved)),
            ("✔ lunch", "lunch", Some(ResolutionChange::Unresolved)),
            ("✔ ✔ lunch", "lunch", Some(ResolutionChange::Unresolved)),
            (&long, &format!("✔ {long}"), Some(ResolutionChange::Resolved)),
            ("lunch", "✔ dinner", None),
            ("lunch", "✔ Lunch", None),
            ("✔ lunch", "dinner", None),
            ("✔ lunch", "✔ dinner", None),
            ("lunch", "dinner", None),
        ] {
            assert_eq!(ResolutionChange::between(old, new), expected, "{old} → {new}");
        }
    }
}
