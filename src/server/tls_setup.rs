//! The certificate of a server that speaks HTTPS: its names, addresses and validity.

use super::addresses::{is_unspecified, machine_addresses};
use super::options::Options;
use super::start_error::StartError;
use crate::time::Timestamp;
use crate::tls::{self, TlsConfig, Validity};
use jiff::ToSpan;
use jiff::civil::Date;

/// Validity of a generated certificate in years. Phones accept no certificate that is valid for more than 825 days.
const CERTIFICATE_YEARS: i16 = 2;

/// The TLS configuration of a server with HTTPS; None for HTTP.
///
/// # Errors
///
/// `StartError::Tls`, with the errors of [`tls::Tls::prepare`].
pub fn prepare_tls(options: &Options, now: Timestamp) -> Result<Option<TlsConfig>, StartError> {
    let Some(tls) = &options.tls else { return Ok(None) };
    let host = options.host.iter().filter(|host| !is_unspecified(host));
    let own_names = host.map(|host| host.trim_matches(['[', ']']).to_owned());
    let names = own_names.chain(options.host_names.iter().cloned()).collect();
    let tls_config = tls.prepare(names, machine_addresses(), validity(now, CERTIFICATE_YEARS));
    tls_config.map(Some).map_err(StartError::Tls)
}

/// A validity of `years` that starts two days ago, for clients whose clocks are slow.
fn validity(now: Timestamp, years: i16) -> Validity {
    let today = jiff::Timestamp::from_microsecond(now.micros()).unwrap_or_default();
    let not_before = today.to_zoned(jiff::tz::TimeZone::UTC).date().saturating_add(-2.days());
    Validity { not_before: to_tls_date(not_before), not_after: to_tls_date(not_before.saturating_add(years.years())) }
}

fn to_tls_date(date: Date) -> tls::Date {
    let to_unsigned = |number: i8| u8::try_from(number).unwrap_or(1);
    tls::Date { year: date.year().into(), month: to_unsigned(date.month()), day: to_unsigned(date.day()) }
}
