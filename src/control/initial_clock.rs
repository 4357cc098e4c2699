//! How the clock of a new world starts, and how options spell it.

use crate::time::{Clock, Span, Timestamp};

/// How the clock of a new world starts: with real time, or frozen.
///
/// ```
/// use chatdouble::{InitialClock, Timestamp};
///
/// assert_eq!(InitialClock::parse("frozen"), Ok(InitialClock::Frozen));
/// let at = Timestamp::from_seconds(1_767_225_600);
/// assert_eq!(InitialClock::parse("2026-01-01T00:00:00Z"), Ok(InitialClock::At(at)));
/// assert_eq!(InitialClock::parse("2026-01-01"), Ok(InitialClock::At(at)));
/// assert!(InitialClock::parse("tomorrow").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialClock {
    /// Runs with real time.
    Real,
    /// Frozen at the time at which the world would start otherwise. For a fork or a world from a state, that is the
    /// time of its source. For other worlds, it is that of the server's initial clock, which is real time by default.
    Frozen,
    /// Frozen at this time.
    At(Timestamp),
}

impl InitialClock {
    /// The accepted texts, for error messages.
    pub(crate) const EXPECTED: &'static str = "real, frozen, or an instant such as 2026-01-01T00:00:00Z or 2026-01-01";

    /// The clock of a world that is created at this real time.
    #[doc(hidden)]
    pub fn start_at(self, real_time: Timestamp) -> Clock {
        match self {
            InitialClock::Real => Clock::Running { offset: Span::default() },
            InitialClock::Frozen => Clock::Frozen { at: real_time },
            InitialClock::At(at) => Clock::Frozen { at },
        }
    }

    /// The clock of a world that would otherwise start with `clock`: `Frozen` stops that clock at its time
    /// (A-674), the others replace it.
    pub(crate) fn apply_to(self, clock: Clock, real_time: Timestamp) -> Clock {
        match self {
            InitialClock::Frozen => Clock::Frozen { at: clock.now(real_time) },
            InitialClock::Real | InitialClock::At(_) => self.start_at(real_time),
        }
    }

    /// Parses `real`, `frozen`, a time in RFC 3339, or a date, which means midnight in UTC.
    ///
    /// # Errors
    ///
    /// A message that names the accepted texts.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "real" => Ok(InitialClock::Real),
            "frozen" => Ok(InitialClock::Frozen),
            instant => Timestamp::parse_time_or_date(instant)
                .map(InitialClock::At)
                .map_err(|_| format!("takes {}", Self::EXPECTED)),
        }
    }
}
