//! The validity of a generated certificate.

use crate::time::Timestamp;
use crate::tls::{self, Validity};
use jiff::civil::Date;
use jiff::{Span, ToSpan};

/// A validity of `years` that starts two days ago, for clients whose clocks are slow.
pub fn validity(now: Timestamp, years: i16) -> Validity {
    let today = jiff::Timestamp::from_microsecond(now.micros()).unwrap_or_default();
    let not_before = shift_date(today.to_zoned(jiff::tz::TimeZone::UTC).date(), -2.days());
    Validity { not_before: to_tls_date(not_before), not_after: to_tls_date(shift_date(not_before, years.years())) }
}

fn shift_date(date: Date, span: Span) -> Date {
    date.saturating_add(span)
}

fn to_tls_date(date: Date) -> tls::Date {
    let to_unsigned = |number: i8| u8::try_from(number).unwrap_or(1);
    tls::Date { year: date.year().into(), month: to_unsigned(date.month()), day: to_unsigned(date.day()) }
}
