//! What a made certificate says of this machine and of today.

use crate::time::Timestamp;
use crate::tls::{Day, Validity};
use jiff::civil::Date;
use jiff::{Span, ToSpan};
use std::net::IpAddr;

/// How many addresses of this machine are named: some have one for each container.
const MAX_ADDRESSES: usize = 100;

/// The addresses of this machine that others may know, those of loopback too.
pub fn of_machine() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    let addresses = interfaces.iter().map(if_addrs::Interface::ip).filter(|address| !is_link_local(address));
    addresses.take(MAX_ADDRESSES).collect()
}

/// An address of the sixth version that needs the name of an interface with it.
fn is_link_local(address: &IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}

/// From two days ago, for clients whose clocks are slow, for so many years.
pub fn validity(now: Timestamp, years: i16) -> Validity {
    let today = jiff::Timestamp::from_microsecond(now.micros()).unwrap_or_default();
    let from = moved(today.to_zoned(jiff::tz::TimeZone::UTC).date(), -2.days());
    Validity { from: day(from), not_after: day(moved(from, years.years())) }
}

fn moved(date: Date, by: Span) -> Date {
    date.saturating_add(by)
}

fn day(date: Date) -> Day {
    let part = |number: i8| u8::try_from(number).unwrap_or(1);
    Day { year: date.year().into(), month: part(date.month()), day: part(date.day()) }
}
