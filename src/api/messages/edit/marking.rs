//! Whether a move marks a topic as resolved, or takes the mark away.

use crate::realm::topic::{MARKS, RESOLVED_PREFIX, is_marking, is_resolved};

/// What becomes of a topic's mark where nothing else of its name changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marking {
    /// It has the mark from now on.
    Resolved,
    /// It has it no more.
    Unresolved,
}

impl Marking {
    /// What a new name makes of an old one; None: another topic. The new one is as it was asked for, since the mark may
    /// make it too long to be kept whole.
    pub(super) fn between(old: &str, new: &str) -> Option<Self> {
        is_marking(old, new).then(|| if is_resolved(old) { Self::Unresolved } else { Self::Resolved })
    }

    /// What the notification bot of older levels says of a topic's new name: whether it begins with the mark, where the old
    /// one did not, or the other way round. The rest of the name may change too.
    pub(super) fn in_notice(old: &str, new: &str) -> Option<Self> {
        match (old.starts_with(RESOLVED_PREFIX), new.starts_with(RESOLVED_PREFIX)) {
            (false, true) => Some(Self::Resolved),
            (true, false) => Some(Self::Unresolved),
            _ => None,
        }
    }

    /// Whether two names are the same but for their marks.
    pub(super) fn is_all_between(old: &str, new: &str) -> bool {
        old.trim_start_matches(MARKS) == new.trim_start_matches(MARKS)
    }

    /// As the notification bot says it.
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
    fn a_mark_is_noticed_whatever_else_changes() {
        for (old, new, noticed, is_all) in [
            ("lunch", "✔ lunch", Some(Marking::Resolved), true),
            ("lunch", "✔ dinner", Some(Marking::Resolved), false),
            ("✔ lunch", "dinner", Some(Marking::Unresolved), false),
            ("✔ ✔ lunch", "lunch", Some(Marking::Unresolved), true),
            ("✔ lunch", "✔ dinner", None, false),
            ("lunch", "dinner", None, false),
        ] {
            assert_eq!(Marking::in_notice(old, new), noticed, "{old} → {new}");
            assert_eq!(Marking::is_all_between(old, new), is_all, "{old} → {new}");
        }
    }

    #[test]
    fn only_the_mark_may_differ() {
        let long = "l".repeat(60);
        for (old, new, marking) in [
            ("lunch", "✔ lunch", Some(Marking::Resolved)),
            ("✔ lunch", "lunch", Some(Marking::Unresolved)),
            ("✔ ✔ lunch", "lunch", Some(Marking::Unresolved)),
            (&long, &format!("✔ {long}"), Some(Marking::Resolved)),
            ("lunch", "✔ dinner", None),
            ("lunch", "✔ Lunch", None),
            ("✔ lunch", "dinner", None),
            ("✔ lunch", "✔ dinner", None),
            ("lunch", "dinner", None),
        ] {
            assert_eq!(Marking::between(old, new), marking, "{old} → {new}");
        }
    }
}
