//! [`Feature`]: a difference between feature levels that the code checks where it applies, with the evidence for its
//! level.
//!
//! A feature is a row in a file of the folder `feature/`: its description, its name, its first level, and the evidence.
//! If the table of levels is to list it, its subject and its test follow, and then further subjects, each with its own
//! description and test. `OperationContext::has`, `Tx::has` and `QueueLevel::has` return whether the world's level has
//! it. Differences that are made outside of the core, in requests, replies and events, are rows of the tables in
//! `level/` instead.
//!
//! Each file of the folder, except `change_log.rs`, defines a macro that appends its rows and passes all rows on to the
//! next macro; the last one, `features`, expands to the table.

mod change_log;
mod channels;
mod messages;
mod organization;
mod personal;
mod users;

pub use change_log::{BACKPORTS, NEWEST_LEVEL, date_read, has_changes_of, has_entry};

use channels::channels;
use messages::messages;
use organization::organization;
use personal::personal;
use serde::{Serialize, Serializer};
use std::fmt;
use users::users;

/// How it is known that a change came with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The public change log has an entry for it at this level.
    ChangeLog,
    /// The change log has the entry, as read on this day, `2026-09-25`.
    ChangeLogReadOn(&'static str),
    /// The public history of the real server's source code: the change was committed on this day, with the level or
    /// just before it.
    Source(&'static str),
    /// Real servers were recorded at two levels: at the lower one, the server behaved in the former way; at the higher
    /// one, which is the row's level or above it, in the present way.
    Recorded(i64, i64),
    /// The change came at one of the levels from the first to the last. The row's level is a choice among them.
    Between(i64, i64),
    /// Only the public documentation of the API names the level.
    Documentation,
}

impl Evidence {
    /// Adds the day on which the entry of a level was read, if the change log is the evidence and the day is known.
    pub fn with_date_read(self, level: i64) -> Self {
        match self {
            Self::ChangeLog => date_read(level).map_or(self, Self::ChangeLogReadOn),
            _ => self,
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangeLog => write!(formatter, "change log"),
            Self::ChangeLogReadOn(date) => write!(formatter, "change log of {date}"),
            Self::Source(date) => write!(formatter, "source of {date}"),
            Self::Recorded(before, after) => write!(formatter, "recorded at {before} and {after}"),
            Self::Between(first, last) => write!(formatter, "between {first} and {last}"),
            Self::Documentation => write!(formatter, "documentation"),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A row of the table of levels: what clients see of a feature.
pub struct FeatureChange {
    /// What differs: an operation, an object, an event, a field of one of these, or something else that clients see,
    /// such as a notice.
    pub subject: &'static str,
    /// The present behaviour and, usually, the one below the level.
    pub description: &'static str,
    /// The test of the behaviour at and below the level, in `tests/suite/levels`.
    pub test: &'static str,
}

macro_rules! features {
    ([] $(
        $(#[doc = $description:literal])+
        $name:ident = $since:literal, $evidence:expr
        $(, on $subject:literal, test $test:literal)?
        $(, $(#[doc = $further_description:literal])+ on $further_subject:literal, test $further_test:literal)*;
    )+) => {
        /// A difference that holds from a feature level on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[doc = $description])+ $(#[doc = ""] $(#[doc = $further_description])+)* $name,)+
        }

        impl Feature {
            /// All features, file by file, the newest of each file first.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The first level that has the feature.
            pub const fn since(self) -> i64 {
                match self { $(Self::$name => $since,)+ }
            }

            /// The evidence for the first level.
            pub fn evidence(self) -> Evidence {
                use Evidence::{Between, ChangeLog, Documentation, Source};
                match self { $(Self::$name => $evidence.with_date_read(self.since()),)+ }
            }

            /// Whether worlds of a level have the feature.
            pub const fn is_at(self, level: i64) -> bool {
                has_changes_of(level, self.since())
            }

            /// The rows for the table of levels; none if rows of a field, a parameter or a behaviour say the same.
            pub fn changes(self) -> impl Iterator<Item = &'static FeatureChange> {
                let rows: &[Option<FeatureChange>] = match self {
                    $(Self::$name => const { &[
                        feature_change!(concat!($($description),+) $(, $subject, $test)?),
                        $(feature_change!(concat!($($further_description),+), $further_subject, $further_test)),*
                    ] },)+
                };
                rows.iter().flatten()
            }
        }
    };
}

macro_rules! feature_change {
    ($description:expr) => {
        None
    };
    ($description:expr, $subject:literal, $test:literal) => {
        Some(FeatureChange { subject: $subject, description: $description.trim_ascii_start(), test: $test })
    };
}

messages! { [channels users organization personal features] }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_dated_by_evidence() {
        for feature in Feature::ALL {
            let since = feature.since();
            match feature.evidence() {
                Evidence::ChangeLog | Evidence::ChangeLogReadOn(_) => {
                    assert!(has_entry(since), "{feature:?}: the change log has no level {since}")
                }
                Evidence::Between(first, last) => assert!((first..=last).contains(&since), "{feature:?}"),
                Evidence::Recorded(before, after) => assert!((before + 1..=after).contains(&since), "{feature:?}"),
                Evidence::Source(_) | Evidence::Documentation => {}
            }
        }
        let newer = Feature::ALL.windows(2).filter(|pair| pair[0].since() < pair[1].since());
        assert_eq!(newer.count(), 4, "in each of five files, the newest is first");
    }
}
