//! The levels for which the public change log of the API has an entry.

/// Spans of levels, each from its first to its last; other levels were never used or changed nothing that is known.
static ENTRIES: &[(i64, i64)] = &[
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
];

/// Whether the change log has an entry for a level.
pub fn has_entry(level: i64) -> bool {
    ENTRIES.iter().any(|(first, last)| (*first..=*last).contains(&level))
}
