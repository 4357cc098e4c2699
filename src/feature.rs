//! Rules that came with a feature level and are decided where they apply, and how each level is known.
//!
//! A rule is a row in the file of its subject in this folder: what changed, its name, the first level, and how that is known.
//! What it is about and the test follow where the table of levels is to say what changed, and then what else changed in the
//! same way. `Call::has`, `Tx::has` and `QueueLevel::has` say whether the world's level has it. What changes only names and
//! forms is a row of the tables in `level/` and needs none here.
//!
//! Each file is a macro that adds its rows to those above and passes all on to the next one; the last one makes the table
//! of them.

mod change_log;
mod channels;
mod messages;
mod organization;
mod users;

pub use change_log::{BACKPORTS, NEWEST, has_changes_of, has_entry, read_on};

use channels::channels;
use messages::messages;
use organization::organization;
use serde::{Serialize, Serializer};
use std::fmt;
use users::users;

/// How it is known that a change came with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The public change log has an entry for it at this level.
    ChangeLog,
    /// Likewise, as it was on this day.
    ChangeLogOf(&'static str),
    /// The real server's public history: the first server of the level, or the last before it, changed on this day.
    Source(&'static str),
    /// A real server was recorded at two levels: the lower one had the former rule, the higher one, which is the row's
    /// level or above it, the present rule.
    Recorded(i64, i64),
    /// It came between these levels, the last of which has it; nothing says when. The row's level is one of them.
    Between(i64, i64),
    /// Only the public documentation of the API names the level.
    Documentation,
}

impl Evidence {
    /// With the day on which the entry of a level was read, if the change log is the evidence and the day is known.
    pub fn on_day(self, level: i64) -> Self {
        match self {
            Self::ChangeLog => read_on(level).map_or(self, Self::ChangeLogOf),
            _ => self,
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangeLog => write!(f, "change log"),
            Self::ChangeLogOf(date) => write!(f, "change log of {date}"),
            Self::Source(date) => write!(f, "source of {date}"),
            Self::Recorded(before, after) => write!(f, "recorded at {before} and {after}"),
            Self::Between(first, last) => write!(f, "between {first} and {last}"),
            Self::Documentation => write!(f, "documentation"),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What clients see of a rule, as the table of levels says it.
pub struct Difference {
    /// What it is about: an operation, an object, an event.
    pub on: &'static str,
    /// What changed, and how it was before.
    pub description: &'static str,
    /// The test that shows it on both sides, in `tests/suite/levels`.
    pub test: &'static str,
}

macro_rules! features {
    ([] $(
        $(#[doc = $description:literal])+
        $name:ident = $since:literal, $evidence:expr
        $(, on $on:literal, test $test:literal)?
        $(, $(#[doc = $more:literal])+ on $other:literal, test $other_test:literal)*;
    )+) => {
        /// A rule that holds from a feature level on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[doc = $description])+ $(#[doc = ""] $(#[doc = $more])+)* $name,)+
        }

        impl Feature {
            /// All of them, file by file, the newest of each first.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The first level that has it.
            pub const fn since(self) -> i64 {
                match self { $(Self::$name => $since,)+ }
            }

            /// How that level is known.
            pub fn evidence(self) -> Evidence {
                use Evidence::{Between, ChangeLog, Documentation, Source};
                match self { $(Self::$name => $evidence.on_day(self.since()),)+ }
            }

            /// Whether worlds of a level have it.
            pub const fn is_at(self, level: i64) -> bool {
                has_changes_of(level, self.since())
            }

            /// What clients see of it; nothing where the rows of a field, a parameter or a behaviour say so.
            pub fn differences(self) -> impl Iterator<Item = &'static Difference> {
                let all: &[Option<Difference>] = match self {
                    $(Self::$name => const { &[
                        difference!(concat!($($description),+) $(, $on, $test)?),
                        $(difference!(concat!($($more),+), $other, $other_test)),*
                    ] },)+
                };
                all.iter().flatten()
            }
        }
    };
}

macro_rules! difference {
    ($description:expr) => {
        None
    };
    ($description:expr, $on:literal, $test:literal) => {
        Some(Difference { on: $on, description: $description.trim_ascii_start(), test: $test })
    };
}

messages! { [channels users organization features] }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_dated_by_evidence() {
        for feature in Feature::ALL {
            let since = feature.since();
            match feature.evidence() {
                Evidence::ChangeLog | Evidence::ChangeLogOf(_) => {
                    assert!(has_entry(since), "{feature:?}: the change log has no level {since}")
                }
                Evidence::Between(first, last) => assert!((first..=last).contains(&since), "{feature:?}"),
                Evidence::Recorded(before, after) => assert!((before + 1..=after).contains(&since), "{feature:?}"),
                Evidence::Source(_) | Evidence::Documentation => {}
            }
        }
        let newer = Feature::ALL.windows(2).filter(|pair| pair[0].since() < pair[1].since());
        assert_eq!(newer.count(), 3, "in each of four files, the newest is first");
    }
}
