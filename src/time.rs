//! Points in time, spans, and the state of a world's clock. Nothing here reads the system's clock.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The earliest and the latest time of `jiff`, in microseconds since the Unix epoch.
const RANGE: (i64, i64) = (-377_705_023_201_000_000, 253_402_207_200_999_999);

/// A point in time with microsecond precision, in UTC, limited to the years that can be formatted.
///
/// ```
/// use chatdouble::Timestamp;
///
/// let noon = Timestamp::parse("2026-01-01T12:00:00Z")?;
/// assert_eq!(noon.seconds(), 1_767_268_800);
/// assert_eq!(noon, Timestamp::from_seconds(1_767_268_800));
/// assert_eq!(noon.to_rfc3339(), "2026-01-01T12:00:00Z");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    micros: i64,
}

impl Timestamp {
    /// The latest time, shortly before the end of the year 9999.
    pub(crate) const MAX: Self = Self { micros: RANGE.1 };

    /// The time at this number of microseconds since the Unix epoch; saturates at the ends of the range.
    pub const fn from_micros(micros: i64) -> Self {
        let (first, last) = RANGE;
        let micros = if micros < first {
            first
        } else if micros > last {
            last
        } else {
            micros
        };
        Self { micros }
    }

    /// The time at this number of UNIX seconds; saturates at the ends of the range.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self::from_micros(seconds.saturating_mul(1_000_000))
    }

    /// Microseconds since the Unix epoch.
    pub const fn micros(self) -> i64 {
        self.micros
    }

    /// UNIX seconds, rounded down, as in most timestamps of the API.
    pub const fn seconds(self) -> i64 {
        self.micros.div_euclid(1_000_000)
    }

    /// UNIX seconds with their fraction, as in `server_timestamp`.
    pub fn fractional_seconds(self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// Adds a span, which may be negative; saturates at the ends of the range.
    pub const fn plus(self, span: Span) -> Self {
        Self::from_micros(self.micros.saturating_add(span.micros))
    }

    /// The span from `earlier` to this point.
    pub const fn since(self, earlier: Timestamp) -> Span {
        Span { micros: self.micros.saturating_sub(earlier.micros) }
    }

    /// Parses an RFC 3339 text with an offset or `Z`.
    ///
    /// # Errors
    ///
    /// A message for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.parse::<jiff::Timestamp>()
            .map(|point| Self::from_micros(point.as_microsecond()))
            .map_err(|error| error.to_string())
    }

    /// Parses an RFC 3339 text like [`Timestamp::parse`], or a date such as `2026-01-01`, which means midnight in UTC.
    ///
    /// # Errors
    ///
    /// A message for people.
    pub(crate) fn parse_time_or_date(text: &str) -> Result<Self, String> {
        let is_date = text.len() == "2026-01-01".len();
        if is_date { Self::parse(&format!("{text}T00:00:00Z")) } else { Self::parse(text) }
    }

    /// ISO 8601 in UTC with minute precision, as in `date_joined`: `2019-10-20T07:50+00:00`.
    pub fn to_iso8601_minutes(self) -> String {
        let point = TimeZone::UTC.to_datetime(self.to_jiff());
        let (year, month, day) = (point.year(), point.month(), point.day());
        format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}+00:00", point.hour(), point.minute())
    }

    /// The date, as in `date_joined` for spectators: `2019-10-20`.
    pub fn to_date(self) -> String {
        self.format("%Y-%m-%d")
    }

    /// RFC 3339 in UTC, with a fraction only if it is not zero.
    pub fn to_rfc3339(self) -> String {
        self.to_jiff().to_string()
    }

    /// The format of HTTP headers: `Thu, 01 Jan 2026 12:00:00 GMT`.
    pub fn to_http_date(self) -> String {
        self.format("%a, %d %b %Y %H:%M:%S GMT")
    }

    fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.micros).unwrap_or(jiff::Timestamp::MAX)
    }

    fn format(self, pattern: &str) -> String {
        self.to_jiff().to_zoned(TimeZone::UTC).strftime(pattern).to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let invalid = |_| serde::de::Error::custom("takes an instant such as 2026-01-01T00:00:00Z");
        Timestamp::parse(&text).map_err(invalid)
    }
}

/// A length of time in microseconds; may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    micros: i64,
}

impl Span {
    /// A span of whole seconds.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self { micros: seconds.saturating_mul(1_000_000) }
    }

    /// A span of whole minutes.
    pub const fn from_minutes(minutes: i64) -> Self {
        Self::from_seconds(minutes.saturating_mul(60))
    }

    /// A span of days of 24 hours.
    pub const fn from_days(days: i64) -> Self {
        Self::from_seconds(days.saturating_mul(86_400))
    }

    /// A span of this many microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self { micros }
    }

    /// The length in microseconds.
    pub const fn micros(self) -> i64 {
        self.micros
    }

    /// Whole seconds, rounded towards zero.
    pub const fn whole_seconds(self) -> i64 {
        self.micros / 1_000_000
    }

    /// The span of a standard duration; saturates at the end of the range.
    pub fn from_duration(duration: Duration) -> Self {
        Self { micros: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX) }
    }
}

/// The state of a world's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Advances with real time.
    Running {
        /// The world's time minus real time; may be negative.
        offset: Span,
    },
    /// Stays at one time.
    Frozen { at: Timestamp },
}

impl Clock {
    /// The world's time at the given real time.
    pub fn now(self, real_time: Timestamp) -> Timestamp {
        match self {
            Clock::Running { offset } => real_time.plus(offset),
            Clock::Frozen { at } => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_formatted_as_in_the_api() {
        let point = Timestamp::parse("2019-10-20T07:50:24.5Z").expect("a valid time");

        assert_eq!(point.to_iso8601_minutes(), "2019-10-20T07:50+00:00");
        assert_eq!(point.to_date(), "2019-10-20");
        assert_eq!(point.seconds(), 1_571_557_824);
    }

    #[test]
    fn a_frozen_clock_ignores_real_time() {
        let at = Timestamp::from_seconds(100);
        let clock = Clock::Frozen { at };

        assert_eq!(clock.now(Timestamp::from_seconds(5_000)), at);
    }

    #[test]
    fn timestamps_saturate_at_the_ends_of_the_range() {
        let last = Timestamp::parse(&jiff::Timestamp::MAX.to_string()).expect("a valid time");
        let first = Timestamp::parse(&jiff::Timestamp::MIN.to_string()).expect("a valid time");

        for beyond in
            [Timestamp::from_seconds(i64::MAX), Timestamp::from_micros(i64::MAX), last.plus(Span::from_seconds(1))]
        {
            assert_eq!(beyond, last);
        }
        for before in
            [Timestamp::from_seconds(i64::MIN), Timestamp::from_micros(i64::MIN), first.plus(Span::from_days(-1))]
        {
            assert_eq!(before, first);
        }
        for end in [first, last] {
            assert_eq!(Timestamp::parse(&end.to_rfc3339()), Ok(end));
        }
    }

    #[test]
    fn seconds_before_the_epoch_round_down() {
        assert_eq!(Timestamp::from_micros(-1).seconds(), -1);
    }
}
