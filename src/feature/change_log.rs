//! The levels for which the public change log of the API has an entry, the newest of them, and what came to an older series
//! of servers too.

/// Spans of levels, each from its first to its last; other levels were never used or changed nothing that is known.
const ENTRIES: &[(i64, i64)] = &[
    (1, 27),
    (30, 65),
    (70, 122),
    (125, 157),
    (159, 185),
    (188, 237),
    (240, 278),
    (280, 372),
    (377, 394),
    (396, 399),
    (401, 404),
    (406, 412),
    (414, 420),
    (431, 435),
    (437, 439),
    (442, 445),
    (453, 456),
    (459, 460),
    (465, 466),
    (468, 477),
    (479, 483),
    (485, 485),
    (487, 487),
    (490, 491),
    (493, 494),
    (496, 497),
    (499, 500),
    (503, 512),
];

/// The newest level: the last that has an entry.
pub const NEWEST: i64 = ENTRIES[ENTRIES.len() - 1].1;

/// From which level on the entries were read on which day, the newest first; below the last of these no day is known.
const READ_ON: &[(i64, &str)] = &[(498, "2026-09-25")];

/// The day on which the entry of a level was read, if it is known.
pub fn read_on(level: i64) -> Option<&'static str> {
    READ_ON.iter().find(|(first, _)| level >= *first).map(|(_, day)| *day)
}

/// Changes that also came to the last levels of an older series, which end before the first level of the newer one: the
/// level of the change, and the first and last level of the older series that have it (A-488 in docs/assumptions.md).
pub const BACKPORTS: &[(i64, i64, i64)] = &[(506, 499, 501), (504, 500, 501)];

/// Whether a level has the changes that came with another.
pub const fn has_changes_of(level: i64, since: i64) -> bool {
    if level >= since {
        return true;
    }
    let mut index = 0;
    while index < BACKPORTS.len() {
        let (of, first, last) = BACKPORTS[index];
        if of == since && first <= level && level <= last {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether the change log has an entry for a level.
pub fn has_entry(level: i64) -> bool {
    ENTRIES.iter().any(|(first, last)| (*first..=*last).contains(&level))
}
