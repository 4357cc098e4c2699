//! What the public change log of the API says about levels: which have an entry, which is the newest, and which changes
//! were backported; and when it was read.

/// Ranges of levels with an entry, each with its first and its last level. The change log says nothing of the levels
/// between them, some of which other sources name.
const LEVELS_WITH_ENTRY: &[(i64, i64)] = &[
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

/// The newest level with an entry.
pub const NEWEST_LEVEL: i64 = LEVELS_WITH_ENTRY[LEVELS_WITH_ENTRY.len() - 1].1;

/// The days on which the change log was read, the newest first, each with the lowest level whose entry was read then.
/// For entries of lower levels the day is unknown.
const READ_DATES: &[(i64, &str)] = &[(498, "2026-09-25")];

/// The day on which the entry of a level was read, if it is known.
pub fn date_read(level: i64) -> Option<&'static str> {
    READ_DATES.iter().find(|(lowest, _)| level >= *lowest).map(|(_, day)| *day)
}

/// Changes that were backported to an older release series: the level of the change, and the first and last level of
/// the older series with it (A-488 in docs/assumptions.md).
pub const BACKPORTS: &[(i64, i64, i64)] = &[(506, 499, 501), (504, 500, 501)];

/// Whether a level has the changes of level `since`, by its number or by a backport.
pub const fn has_changes_of(level: i64, since: i64) -> bool {
    if level >= since {
        return true;
    }
    let mut index = 0;
    while index < BACKPORTS.len() {
        let (change, first, last) = BACKPORTS[index];
        if change == since && first <= level && level <= last {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether the change log has an entry for a level.
pub fn has_entry(level: i64) -> bool {
    LEVELS_WITH_ENTRY.iter().any(|(first, last)| (*first..=*last).contains(&level))
}
